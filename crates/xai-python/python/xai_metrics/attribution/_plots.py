"""Plots of evaluation results with matplotlib."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arguments import number
from .._arrays import reals
from .._frameworks import Tensors, is_from_package
from .._results import COLORS, DIVERGING, axes, pyplot
from . import _models
from ._explanations import MapReader
from ._layout import layout_of

if TYPE_CHECKING:
    from .._types import Layout

_MARKERS = "os^Dv<>"
_LINES = ("-", "--", "-.", ":")
#: Explanation of missing curves in error messages.
NO_CURVES = (
    "curves are of metrics that change more and more features, and only evaluate and the metrics themselves keep "
    "them: evaluate_stream, evaluate_part and merge do not"
)


def plot_curves(
    curves: Mapping[str, Any],
    n_features: Any = None,
    *,
    level: float = 0.95,
    ax: Any = None,
    **style: Any,
) -> Any:
    """Plot curves of several explainers with matplotlib.

    Curves of single samples are drawn as their mean with an interval.

    Parameters
    ----------
    curves : mapping of str to Curve or array-like
        By explainer, a :class:`.Curve`, or the scores of each sample ``(n_samples, n_points)``; NaN
        where undefined. Curves in tables contain only means; those from a metric's own ``evaluate``
        contain the samples, too.
    n_features : array-like, optional
        How many features are changed at each point of curves that are arrays; 0, 1, 2, … by default.
    level : float
        The coverage of the intervals: of means by the normal law, for some tens of samples and more.
    ax : axes, optional
        Where it is drawn; new axes by default.
    **style
        How lines are drawn, in words of ``Axes.plot``.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    ValueError
        For curves of samples that have not two axes, and where no curve was kept.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy as np
    >>> from xai_metrics.attribution import plot_curves
    >>> falls = np.exp(-np.arange(8) * np.linspace(0.2, 0.6, 40)[:, None])
    >>> ax = plot_curves({"gradient": falls, "random": np.sqrt(falls)})
    >>> len(ax.lines), len(ax.collections)
    (2, 2)
    """
    # Read where it is needed: it takes as long as much of this package.
    from statistics import NormalDist

    width = NormalDist().inv_cdf(0.5 + number("level", level) / 2)
    ax = axes(ax)
    for position, (name, curve) in enumerate(curves.items()):
        if curve is None:
            raise ValueError(f"curves[{name!r}]: None; {NO_CURVES}")
        is_mean = hasattr(curve, "scores")
        at = curve.n_features if is_mean else n_features
        samples = curve.per_sample if is_mean else curve
        spread = None
        if samples is None:
            mean = curve.scores
        else:
            scores = np.asarray(reals(samples, f"curves[{name!r}]", 2), dtype=np.float64)
            defined = np.maximum(np.sum(~np.isnan(scores), axis=0), 1)
            mean = np.nansum(scores, axis=0) / defined
            squares = np.nansum((scores - mean) ** 2, axis=0)
            spread = width * np.sqrt(squares / np.maximum(defined - 1, 1) / defined)
        at = np.arange(len(mean)) if at is None else reals(at, "n_features", 1)
        how = {**_style(position), "markevery": max(len(mean) // 12, 1), "label": name, **style}
        ax.plot(at, mean, **how)
        if spread is not None:
            color = how["color"]
            ax.fill_between(at, mean - spread, mean + spread, color=color, alpha=0.2, linewidth=0)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("features changed")
    ax.set_ylabel("mean score")
    _legend(ax, len(curves))
    return ax


def plot_maps(
    inputs: Any,
    maps: Mapping[str, Any],
    *,
    layout: Layout | None = None,
    names: Sequence[str] | None = None,
    columns: int = 1,
) -> Any:
    """Plot maps over images or series with matplotlib: a row per sample, a column per explainer.

    Inputs are grey; red positions support the target, blue ones speak against it. Each map has
    its own colour scale.

    Parameters
    ----------
    inputs : array-like
        A few samples: images ``(n, height, width, channels)`` or ``(n, channels, height, width)``, see ``layout``,
        or series ``(n, time, features)``.
    maps : mapping of str to explanations
        By the name of the explainer, maps with or without channels, whose mean is drawn, or explanations of
        other packages, as :func:`evaluate` reads them. Maps of images in a lower resolution are upsampled, and
        their titles say so.
    layout : {None, "time-series", "channels-last", "channels-first"}
        ``None`` as for :func:`evaluate`: images have their channels first in tensors of torch, last in those of
        TensorFlow, else as shapes tell.
    names : sequence of str, optional
        Names of the samples.
    columns : int
        Number of samples side by side in one row.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    Raises
    ------
    ValueError
        For inputs that are neither images nor series or may be read in two ways, and maps that do not fit them.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy as np
    >>> from xai_metrics.attribution import plot_maps
    >>> images = np.random.default_rng(0).random((2, 8, 8, 3))
    >>> figure = plot_maps(images, {"brightness": images.mean(axis=3)})
    >>> len(figure.axes) # 2 samples, each with its map
    4
    """
    array = reals(inputs, "inputs", (3, 4))
    of_images = _models.images_of(inputs, Tensors("torch" if is_from_package(inputs, "torch") else "numpy"))
    layout = layout_of(layout, array.shape, of_images, list(maps.values()))
    channels = 1 if layout == "channels-first" else array.ndim - 1
    of_positions = array.shape[1:channels] + array.shape[channels + 1 :]
    map_reader, given = MapReader(array.shape, layout), {}
    for name, of in maps.items():
        read = map_reader.maps(of, f"maps[{name!r}]", name, lambda _: None)
        flat = read.mean(axis=channels) if read.ndim == array.ndim else read
        if flat.shape != (len(array), *of_positions):
            raise ValueError(
                f"maps[{name!r}]: expected shape {(len(array), *of_positions)}, with or without channels, got "
                f"{read.shape}; the inputs are read as {layout}, say otherwise by layout="
            )
        note = map_reader.notes.get(f"maps of {name}")
        given[name if note is None else f"{name} ({note})"] = flat
    n, each, is_image = len(array), 1 + len(given), array.ndim == 4
    wide = min(max(columns, 1), max(n, 1))
    high = -(-n // wide)
    # A gap stands between the samples of a row.
    widths = (([1.0] * each + [0.2]) * wide)[:-1]
    size = (1.7, 1.8 * high + 0.3) if is_image else (3.2, 1.6 * high + 0.4)
    figure, grid = pyplot().subplots(
        high,
        len(widths),
        figsize=(size[0] * sum(widths), size[1]),
        squeeze=False,
        layout="constrained",
        width_ratios=widths,
    )
    for ax in grid.flat:
        ax.set_axis_off()
    for ax in grid[:, each :: each + 1].flat:
        ax.remove()
    letters = 18 if is_image else 36
    draw = _image if is_image else _series
    for sample, values in enumerate(np.moveaxis(array, channels, -1)):
        row = grid[sample // wide, sample % wide * (each + 1) :]
        for ax, (name, of) in zip(row, [("input", None), *given.items()]):
            draw(ax, values, None if of is None else of[sample])
            if names is not None and of is None:
                name = str(names[sample])
            if names is not None or sample < wide:
                ax.set_title(textwrap.fill(name, letters), fontsize="medium")
    return figure


def _image(ax: Any, image: Any, of: Any) -> None:
    grey = image.mean(axis=2)
    if of is None:
        low, high = float(image.min()), float(image.max())
        shown = image if image.shape[2] == 3 else grey
        ax.imshow((shown - low) / (high - low if high > low else 1.0), cmap="gray")
        return
    # So light that the colours of the map are seen on it.
    ax.imshow(grey, cmap="gray", alpha=0.35)
    _heat(ax, of)


def _series(ax: Any, series: Any, of: Any) -> None:
    if of is not None:
        extent = (-0.5, len(series) - 0.5, *_ends(series))
        # Lines in colours lie on it.
        _heat(ax, of[None], extent, strongest=0.6)
        ax.set_aspect("auto")
    colors = (
        ["0.2"] if series.shape[1] == 1 else [_style(i)["color"] for i in range(series.shape[1])]
    )
    for feature, color in zip(series.T, colors):
        ax.plot(np.arange(len(feature)), feature, color=color, linewidth=1)
    ax.set_xlim(-0.5, len(series) - 0.5)
    ax.set_ylim(*_ends(series))


def _ends(series: Any) -> tuple[float, float]:
    low, high = float(series.min()), float(series.max())
    margin = 0.05 * (high - low) or 1.0
    return low - margin, high + margin


def _heat(ax: Any, values: Any, extent: Any = None, strongest: float = 1.0) -> None:
    """Draw values in red and blue, with opacity increasing with their magnitude."""
    most = float(np.abs(values).max()) or 1.0
    alpha = strongest * np.sqrt(np.abs(values) / most)
    ax.imshow(values, cmap=DIVERGING, vmin=-most, vmax=most, alpha=alpha, extent=extent)


def values(result: Any, ax: Any, style: Mapping[str, Any]) -> Any:
    """Plot the values of one metric and their intervals, best explainer on top."""
    ax = axes(ax)
    names = result.ranking[::-1]
    for position, name in enumerate(names):
        value = result.values[name]
        if value.value is None:
            continue
        ends = value.interval
        low, high = (value.value, value.value) if ends is None else (ends.low, ends.high)
        error = [[max(value.value - low, 0.0)], [max(high - value.value, 0.0)]]
        how = {"fmt": "o", "capsize": 3, "color": COLORS[0], **style}
        ax.errorbar([value.value], [position], xerr=error, **how)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(-0.5, len(names) - 0.5)
    ax.grid(axis="x", alpha=0.3)
    better = "" if result.direction == "none" else f" ({result.direction} is better)"
    ax.set_xlabel(result.metric + better)
    return ax


def ranks(table: Any, ax: Any) -> Any:
    """Plot ranks and values of all explainers by all metrics that have a better end."""
    metrics = _ranked(table)
    values = [[table.result(e, m) for m in metrics] for e in table.explainers]
    # The best are dark; half of the range stays light enough for dark text.
    last = max(len(table.explainers), 2)
    if ax is None:
        ax = _sized(0.8 * len(metrics) + 2.5, 0.5 * len(table.explainers) + 2.2)
    shown = [[_rank(value) for value in of_explainer] for of_explainer in values]
    ax.imshow(shown, cmap="Blues_r", aspect="auto", vmin=1, vmax=last)
    texts = [[f"{_rank(value):g}\n({float(value):.3g})" for value in item] for item in values]
    _write(ax, shown, texts, lambda rank: rank < (1 + last) / 2)
    ax.set_xticks(range(len(metrics)), metrics, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(table.explainers)), table.explainers)
    ax.set_title("rank (1 is best) and value")
    return ax


def radar(table: Any, ax: Any) -> Any:
    """Plot ranks around a circle with one line per explainer, best rank outside."""
    metrics = _ranked(table)
    if len(metrics) < 3:
        raise ValueError("metrics: a radar needs at least three that have a better end; see plot")
    if ax is None:
        # No layout of matplotlib leaves room for the labels around a circle.
        figure = pyplot().figure(figsize=(8.5, 6.0))
        ax = figure.add_axes((0.17, 0.1, 0.52, 0.68), projection="polar")
    elif not hasattr(ax, "set_theta_offset"):
        raise ValueError("ax: a radar needs polar axes: subplot_kw={'projection': 'polar'}")
    last = len(table.explainers)
    angles = np.linspace(0.0, 2.0 * np.pi, len(metrics), endpoint=False)
    around = np.append(angles, angles[:1])
    ax.set_theta_offset(np.pi / 2.0)
    ax.set_theta_direction(-1)
    for position, explainer in enumerate(table.explainers):
        # Lines of one rank do not hide each other.
        apart = 0.12 * (position / max(last - 1, 1) - 0.5)
        heights = [last + 1 - _rank(table.result(explainer, m)) + apart for m in metrics]
        ax.plot(around, [*heights, heights[0]], label=explainer, **_style(position))
    ax.set_xticks(angles, ["\n".join(textwrap.wrap(m.replace("_", " "), 14)) for m in metrics])
    ax.tick_params(axis="x", pad=8)
    for angle, label in zip(angles, ax.get_xticklabels()):
        # Beside the circle, not over it.
        side = np.sin(angle)
        label.set_ha("center" if abs(side) < 0.1 else "left" if side > 0 else "right")
    ax.set_ylim(0.0, last + 0.3)
    ax.set_yticks(range(1, last + 1), [str(last + 1 - height) for height in range(1, last + 1)])
    ax.set_rlabel_position(180.0 / len(metrics))
    ax.set_title("rank (1, outside, is best)", pad=24)
    ax.legend(loc="upper left", bbox_to_anchor=(1.2, 1.12), frameon=False)
    return ax


def agreement(taus: Mapping[tuple[str, str], float | None], ax: Any) -> Any:
    """Plot Kendall's tau-b of each pair of metrics as a heat map."""
    if not taus:
        raise ValueError(
            "metrics: agreement is of at least two that have a better end, and of three explainers or more"
        )
    names = list(dict.fromkeys(name for pair in taus for name in pair))
    matrix = np.full((len(names), len(names)), np.nan)
    np.fill_diagonal(matrix, 1.0)
    for (first, second), tau in taus.items():
        i, j = names.index(first), names.index(second)
        matrix[i, j] = matrix[j, i] = np.nan if tau is None else tau
    if ax is None:
        ax = _sized(0.55 * len(names) + 3.0, 0.5 * len(names) + 2.2)
    image = ax.imshow(matrix, cmap=DIVERGING, vmin=-1, vmax=1)
    texts = [[f"{tau:.1f}" for tau in row] for row in matrix]
    _write(ax, matrix, texts, lambda tau: abs(tau) > 0.6)
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(names)), names)
    ax.figure.colorbar(image, ax=ax, label="Kendall's tau of the ranks")
    return ax


def _ranked(table: Any) -> list[str]:
    return [m for m in table.metrics if table[m].direction != "none" and not table[m].undefined]


def _rank(value: Any) -> float:
    return np.nan if value.rank is None else value.rank


def _write(ax: Any, matrix: Any, texts: Sequence[Sequence[str]], is_dark: Any) -> None:
    """Write the values into the cells of a heat map; a dash marks undefined ones."""
    for (row, column), value in np.ndenumerate(matrix):
        known = value == value
        color = "white" if known and is_dark(value) else "black"
        text = texts[row][column] if known else "–"
        ax.text(column, row, text, ha="center", va="center", color=color, fontsize="small")


def _style(position: int) -> dict[str, Any]:
    """Return colour, marker and line style of the line with this index, distinguishable without
    colours.
    """
    return {
        "color": COLORS[position % len(COLORS)],
        "marker": _MARKERS[position % len(_MARKERS)],
        "markersize": 4,
        "linestyle": _LINES[position // len(COLORS) % len(_LINES)],
    }


def _legend(ax: Any, n: int) -> None:
    """Draw the legend, outside the axes if it is long."""
    if n > 4:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
    else:
        ax.legend(frameon=False)


def _sized(width: float, height: float) -> Any:
    return pyplot().subplots(figsize=(width, height), layout="constrained")[1]
