"""Reference explainers, which serve as lower bounds for the quality of other explainers."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from .._arguments import number, seed_of, whole
from . import _baselines
from ._layout import channels_axis

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]


class RunInterface(_baselines.RunInterface, Protocol):
    """Part of the interface of a run that reference explainers use."""

    @property
    def array(self) -> Any:
        """Inputs of the run."""

    def scores(self, batch: Array, targets: Array, samples: Any) -> Array:
        """Compute the model score of each row."""

    def gradient(self, batch: Array, targets: Array, samples: Any) -> Array | None:
        """Compute the gradient of the target output; ``None`` for models without gradients."""


def explainer(
    method: str, run: RunInterface, options: dict[str, Any], name: str = "explainers"
) -> Callable[..., Array]:
    """Return a reference explainer as a function of a batch, its targets and its samples."""
    function = METHODS.get(method)
    if function is None:
        raise ValueError(f"{name}: expected maps, an explainer, or one of the words {', '.join(METHODS)}, got {method!r}")
    known = [
        item.name
        for item in inspect.signature(function).parameters.values()
        if item.kind is item.KEYWORD_ONLY
    ]
    for name in options:
        if name not in known:
            raise TypeError(
                f"{method}: has no option {name!r}; it has {', '.join(known) or 'none'}"
            )

    if "baseline" in known:
        options = {**options, "baseline": _baselines.of_explainer(options.get("baseline"), run)}

    def maps(batch: Array, targets: Array, samples: Any = None) -> Array:
        return function(run, batch, targets, samples, **options)

    return maps


def needs_samples(explainer: Any, run: RunInterface) -> bool:
    """Return whether ``explainer`` is a reference explainer whose baseline differs between samples."""
    word, options = explainer if isinstance(explainer, tuple) else (explainer, {})
    return word == "occlusion" and len(_baselines.of_explainer(options.get("baseline"), run)) > 1


def random(run: RunInterface, batch: Array, targets: Array, samples: Any, *, seed: int = 1) -> Array:
    """Return standard normal draws that depend on the input and ``seed`` only."""
    shape = _map_shape(run, batch)
    maps = np.empty((len(batch), *shape), batch.dtype)
    for map_of, row in zip(maps, np.ascontiguousarray(batch)):
        digest = hashlib.blake2b(row.tobytes(), digest_size=16).digest()
        stream = [seed_of(seed), *np.frombuffer(digest, dtype="<u4").tolist()]
        map_of[...] = np.random.default_rng(stream).standard_normal(shape)
    return maps


def constant(run: RunInterface, batch: Array, targets: Array, samples: Any) -> Array:
    """Return ``A = 1`` for each position."""
    return np.ones((len(batch), *_map_shape(run, batch)), batch.dtype)


def edges(run: RunInterface, batch: Array, targets: Array, samples: Any) -> Array:
    """Return the local contrast of the inputs, independent of the model.

    For images ``sqrt(gx² + gy²)`` of the mean over the channels, where ``gx`` and ``gy`` are
    Sobel derivatives; for time series ``|x[t + 1] - x[t - 1]| / 2``. Values are repeated beyond
    the border.
    """
    if run.read_layout == "tabular" or batch.ndim < 3:
        raise ValueError(
            "edges: needs images or time series; the columns of a table have no neighbours"
        )
    pad = [(0, 0), (1, 1), *[(0, 0)] * (batch.ndim - 2)]
    if batch.ndim == 3:
        values = np.pad(batch, pad, mode="edge")
        return np.asarray(np.abs(values[:, 2:] - values[:, :-2]) / 2)
    values = np.pad(batch.mean(axis=channels_axis(run.read_layout)), [(0, 0), (1, 1), (1, 1)], mode="edge")
    across = values[:, :, 2:] - values[:, :, :-2]
    down = values[:, 2:] - values[:, :-2]
    gx = across[:, :-2] + 2 * across[:, 1:-1] + across[:, 2:]
    gy = down[:, :, :-2] + 2 * down[:, :, 1:-1] + down[:, :, 2:]
    return np.asarray(np.hypot(gx, gy))


def input_x_gradient(
    run: RunInterface, batch: Array, targets: Array, samples: Any, *, step: float = 1e-3
) -> Array:
    """Return ``A[j] = x[j] ∂f(x)/∂x[j]`` for the output ``f`` of the target before the activation.

    Gradients are computed by the model's framework (torch, JAX, TensorFlow). For other models
    they are approximated by central differences of the score, ``(f(x + h e[j]) - f(x - h e[j]))
    / 2h`` with ``h = step max(1, |x[j]|)``, which takes two calls per element of an input.
    """
    gradient = run.gradient(batch, targets, samples)
    if gradient is not None:
        return batch * gradient
    number("step", step)
    differences = np.empty(batch.shape, np.float64)
    for index in np.ndindex(batch.shape[1:]):
        at = (slice(None), *index)
        sides = []
        for sign in (1.0, -1.0):
            moved = batch.copy()
            moved[at] += sign * step * np.maximum(1.0, np.abs(batch[at]))
            sides.append((run.scores(moved, targets, samples), moved[at].astype(np.float64)))
        (high, above), (low, below) = sides
        differences[at] = (high - low) / (above - below)
    return np.asarray(batch * differences, dtype=batch.dtype)


def occlusion(
    run: RunInterface,
    batch: Array,
    targets: Array,
    samples: Any,
    *,
    patch: int | None = None,
    baseline: Any = None,
) -> Array:
    """Return ``A[j] = f(x) - f(x with baseline in the region of j)`` for the score ``f`` of the
    target.

    Regions are the elements of tables and time series, and for images a grid of squares of
    ``patch`` pixels (by default an eighth of the shorter side, at least 1) with all their
    channels. Takes one call, plus one per region.

    Source: Zeiler and Fergus, Visualizing and Understanding Convolutional Networks, 2014.
    """
    blank = np.broadcast_to(baseline if len(baseline) == 1 else baseline[samples], batch.shape)
    whole_score = run.scores(batch, targets, samples)
    maps = np.empty((len(batch), *_map_shape(run, batch)), batch.dtype)
    for region in _regions(maps.shape[1:], patch, batch.ndim == 4):
        at: tuple[Any, ...] = (slice(None), *region)
        if batch.ndim == 4:
            at = (slice(None), slice(None), *region) if channels_axis(run.read_layout) == 1 else (*at, slice(None))
        occluded = batch.copy()
        occluded[at] = blank[at]
        drop = whole_score - run.scores(occluded, targets, samples)
        maps[(slice(None), *region)] = drop.reshape(-1, *[1] * (2 if batch.ndim == 4 else 0))
    return maps


def _regions(shape: tuple[int, ...], patch: int | None, are_images: bool) -> list[tuple[Any, ...]]:
    if not are_images:
        return list(np.ndindex(shape))
    side = max(1, min(shape) // 8) if patch is None else whole("patch", patch, 1)
    starts = (range(0, length, side) for length in shape)
    rows, columns = ([slice(start, start + side) for start in item] for item in starts)
    return [(row, column) for row in rows for column in columns]


def _map_shape(run: RunInterface, batch: Array) -> tuple[int, ...]:
    """Return the shape of one map: that of the input, for images without channels."""
    if batch.ndim != 4:
        return batch.shape[1:]
    return batch.shape[2:] if channels_axis(run.read_layout) == 1 else batch.shape[1:3]


#: Reference explainers by name.
METHODS: dict[str, Callable[..., Array]] = {
    method.__name__: method for method in (random, constant, edges, input_x_gradient, occlusion)
}
