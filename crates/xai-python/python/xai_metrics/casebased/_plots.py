"""Plots of an explanation."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._results import pyplot

if TYPE_CHECKING:
    import numpy.typing as npt

_SAMPLE = "#d62728"


@dataclass(frozen=True)
class Picture:
    """Content of a plot of an explanation."""

    #: Features of the sample, then those of its neighbours.
    rows: Sequence[npt.NDArray[Any]]
    #: Names in the legend.
    names: list[str]
    feature_names: list[str]
    title: str

    def draw(
        self,
        plot_type: str,
        highlight_differences: bool,
        save_path: Any,
        figsize: tuple[float, float],
        ax: Any,
    ) -> Any:
        """Draw the plot; see :meth:`.Explanation.plot`."""
        drawings = {"bar": _bar, "radar": _radar, "parallel": _parallel}
        if plot_type not in drawings:
            raise ValueError(
                f"Unknown plot type: {plot_type}; expected 'radar', 'parallel' or 'bar'"
            )
        plt = pyplot()
        is_new = ax is None
        if is_new:
            polar = {"projection": "polar"} if plot_type == "radar" else {}
            _, ax = plt.subplots(figsize=figsize, subplot_kw=polar)
        elif plot_type == "radar" and not hasattr(ax, "set_theta_offset"):
            raise ValueError(
                "ax: a radar plot needs polar axes: subplot_kw={'projection': 'polar'}"
            )
        rows = np.array(self.rows, dtype=float)
        drawings[plot_type](plt, ax, rows, self.names)
        _name_features(ax, self.feature_names, rows if highlight_differences else None)
        ax.set_title(self.title, pad=24 if plot_type == "radar" else 6)
        if plot_type == "bar":
            ax.legend(loc="best", fontsize="small")
        else:  # beside the lines, which are everywhere
            right = 1.2 if plot_type == "radar" else 1.02
            ax.legend(loc="upper left", bbox_to_anchor=(right, 1.0), fontsize="small")
        if is_new:
            plt.tight_layout()
        if save_path:
            # The figure that was drawn into, which need not be the current one.
            ax.figure.savefig(save_path, dpi=150, bbox_inches="tight")
        elif is_new:
            with warnings.catch_warnings():
                # Backends without a window say that they show nothing.
                warnings.filterwarnings(
                    "ignore", message=".*non-interactive.*", category=UserWarning
                )
                plt.show()
        return ax


def _bar(plt: Any, ax: Any, rows: npt.NDArray[Any], names: list[str]) -> None:
    """Draw one group of bars per feature, the sample first."""
    n_rows, n_features = rows.shape
    places = np.arange(n_features)
    width = 0.8 / n_rows
    for rank, (row, name, color) in enumerate(zip(rows, names, _colors(plt, n_rows))):
        ax.bar(places - 0.4 + width * (rank + 0.5), row, width, label=name, color=color)
    ax.set_xticks(places)
    ax.set_ylabel("value")
    ax.grid(axis="y", alpha=0.3)


def _radar(plt: Any, ax: Any, rows: npt.NDArray[Any], names: list[str]) -> None:
    """Draw one axis per feature around a circle, and each row as a closed line."""
    n_rows, n_features = rows.shape
    angles = np.linspace(0.0, 2.0 * np.pi, n_features, endpoint=False)
    around = np.append(angles, angles[:1])
    # The middle is kept free, where all lines would meet.
    heights = 0.2 + 0.8 * _relative(rows)
    ax.set_theta_offset(np.pi / 2.0)
    ax.set_theta_direction(-1)
    for row, name, style in _lines(plt, heights, names):
        ax.plot(around, np.append(row, row[:1]), label=name, **style)
    ax.fill(around, np.append(heights[0], heights[0][:1]), color=_SAMPLE, alpha=0.1)
    ax.set_xticks(angles)
    # Beside the circle, not over its lines.
    ax.tick_params(axis="x", pad=18)
    ax.set_ylim(0.0, 1.0)
    ax.set_yticks([])


def _parallel(plt: Any, ax: Any, rows: npt.NDArray[Any], names: list[str]) -> None:
    """Draw one vertical axis per feature, from the smallest to the largest value shown."""
    heights = _relative(rows)
    places = np.arange(rows.shape[1])
    for row, name, style in _lines(plt, heights, names):
        ax.plot(places, row, label=name, marker="o", markersize=4, **style)
    for position, column in zip(places, rows.T):
        ax.axvline(position, color="0.8", zorder=0)
        least, most = column.min(), column.max()
        if most > least:
            for height, value in ((-0.04, least), (1.04, most)):
                ax.text(position, height, f"{value:.3g}", ha="center", va="center", fontsize="x-small")
    ax.set_xticks(places)
    ax.set_yticks([])
    ax.set_ylim(-0.08, 1.08)


def _lines(plt: Any, rows: npt.NDArray[Any], names: list[str]) -> Iterator[Any]:
    """Iterate over rows, names and line styles; the sample is bold and on top."""
    for rank, (row, name, color) in enumerate(zip(rows, names, _colors(plt, len(rows)))):
        wide, height = (2.5, 4) if rank == 0 else (1.2, 3)
        style = {"color": color, "linewidth": wide, "zorder": height}
        yield row, name, style


def _colors(plt: Any, n_rows: int) -> list[Any]:
    near = plt.get_cmap("Blues")(np.linspace(0.85, 0.35, max(n_rows - 1, 1)))
    return [_SAMPLE, *near][:n_rows]


def _relative(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Scale each column to [0, 1]; a constant column is 0.5."""
    least, most = rows.min(axis=0), rows.max(axis=0)
    spread = most - least
    relative = (rows - least) / np.where(spread > 0, spread, 1.0)
    return np.asarray(np.where(spread > 0, relative, 0.5))


def _name_features(ax: Any, names: Sequence[str], rows: npt.NDArray[Any] | None) -> None:
    """Label the features; those in which the sample lies outside all its neighbours are bold."""
    names = [str(name) for name in names]
    if hasattr(ax, "set_theta_offset"):
        ax.set_xticklabels(names)
    else:
        ax.set_xticklabels(names, rotation=45, ha="right", rotation_mode="anchor")
    if rows is None or len(rows) < 2:
        return
    sample, near = rows[0], rows[1:]
    outside = (sample < near.min(axis=0)) | (sample > near.max(axis=0))
    for label, is_outside in zip(ax.get_xticklabels(), outside):
        if is_outside:
            label.set_fontweight("bold")
            label.set_color(_SAMPLE)
