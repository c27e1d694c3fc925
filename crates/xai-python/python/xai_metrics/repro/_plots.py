"""Plots of results, with matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .._results import COLORS, axes
from .._statistics import Interval


def pairs(matrix: npt.NDArray[np.float64], metric: str, run_names: Sequence[str] | None, ax: Any) -> Any:
    """Draw a metric between all runs as a heat map."""
    ax = axes(ax)
    image = ax.imshow(matrix)
    ax.figure.colorbar(image, ax=ax, label=metric)
    ax.set_xlabel("run")
    ax.set_ylabel("run")
    if run_names is not None:
        ax.set_xticks(range(len(run_names)), run_names, rotation=90)
        ax.set_yticks(range(len(run_names)), run_names)
    return ax


def estimates(
    names: Sequence[str], values: Sequence[tuple[float | None, Interval | None]], label: str, ax: Any
) -> Any:
    """Draw values with their intervals, the first one on top; undefined values are left out."""
    ax = axes(ax)
    for place, (value, interval) in enumerate(values):
        if value is None:
            continue
        if interval is not None:
            ax.plot(tuple(interval), (place, place), color=COLORS[0], linewidth=1)
        ax.plot(value, place, marker="o", color=COLORS[0])
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlabel(label)
    return ax


def groups(names: Sequence[str], means: Mapping[str, Sequence[float | None]], ax: Any) -> Any:
    """Draw the means of groups of runs, a row for each metric."""
    ax = axes(ax)
    for (group, values), color, marker in zip(means.items(), COLORS, "os"):
        numbers = [np.nan if value is None else value for value in values]
        ax.plot(numbers, range(len(names)), marker, color=color, label=f"{group} group")
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlabel("mean over the pairs within the group")
    ax.legend()
    return ax


def shares(modal_share: npt.NDArray[np.float64], n_runs: int, ax: Any, style: Mapping[str, Any]) -> Any:
    """Draw the number of samples by the number of runs that predict the most frequent class."""
    ax = axes(ax)
    counts = np.bincount(np.rint(modal_share * n_runs).astype(np.int64), minlength=n_runs + 1)
    ax.bar(range(1, n_runs + 1), counts[1:], **{"color": COLORS[0], **style})
    ax.set_xlabel("runs that predict the most frequent class")
    ax.set_ylabel("samples")
    return ax
