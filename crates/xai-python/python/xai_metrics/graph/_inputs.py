"""Conversion of outputs, labels and graphs for the kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _arrays, _native
from .._alignment import Alignment

Numbers = npt.NDArray[Any]


def on_host(values: Any) -> Any:
    """Copy a tensor to the host without its gradient; other values are returned unchanged."""
    if hasattr(values, "detach") and hasattr(values, "cpu"):
        return values.detach().cpu()
    return values


def answers(values: Any, name: str) -> Numbers:
    """Convert to predicted classes ``(n,)`` or output rows ``(n, n_classes)``."""
    array = _arrays.to_numpy(values, name)
    if array.ndim == 2:
        return _arrays.reals(array, name, ndim=2)
    labels = _arrays.classes(array, name)
    if labels.dtype.kind in "SU":
        raise TypeError(f"{name}: expected classes as numbers, got words; give them codes first")
    return _arrays.in_place(labels, name)


def same_precision(**arrays: Any) -> Any:
    """Convert to real numbers of one precision, double if any is double, in the given order."""
    numbers = [_arrays.reals(values, name) for name, values in arrays.items()]
    if len({array.dtype for array in numbers}) > 1:
        numbers = [array.astype(np.float64, copy=False) for array in numbers]
    return tuple(numbers)


def mask_and_truth(predicted: Any, target: Any, ndim: int = 1) -> tuple[Any, Any]:
    """Convert scores and truth to the precision of the scores, in which they are compared."""
    both = Alignment().take_all({"predicted": predicted, "target": target}, "elements", "columns")
    scores, truth = (_arrays.reals(values, name) for values, name in zip(both, ("predicted", "target")))
    if ndim == 1:
        scores, truth = scores.reshape(-1), truth.reshape(-1)
    return scores, truth.astype(scores.dtype, copy=False)


def aligned(index: Any = None, **arrays: Any) -> list[Any]:
    """Align outputs, targets and a boolean index by their labels, in the order of the first output.
    """
    alignment = Alignment()
    given = [alignment.take(on_host(values), name, "samples", "classes") for name, values in arrays.items()]
    index = on_host(index)
    are_flags = getattr(index, "dtype", None) in (bool, "boolean")
    return [*given, alignment.take(index, "index", "samples") if are_flags else index]


def positions(index: Any, n_samples: int | None = None) -> npt.NDArray[np.int64] | None:
    """Return the positions of the samples to compare; ``None`` for all.

    ``index`` contains positions, or one boolean, 0 or 1 per sample. Ambiguous zeros and ones
    raise an error.
    """
    if index is None:
        return None
    array = _arrays.to_numpy(on_host(index), "index")
    if array.dtype.kind == "b":
        if n_samples not in (None, array.size):
            raise ValueError(
                f"index: expected one boolean for each of {n_samples} samples, got {array.size}; give as many, or "
                "the positions of the samples"
            )
        return np.flatnonzero(array)
    if array.size == 0 and array.dtype.kind == "f":
        return np.zeros(0, dtype=np.int64)
    places = _arrays.integers(array.reshape(-1), "index", ndim=1)
    if n_samples is None or not np.isin(places, (0, 1)).all():
        return places
    rows: npt.NDArray[np.int64] = _native.graph_chosen_rows(np.ascontiguousarray(places), n_samples)
    return rows


def edges(edge_index: Any) -> npt.NDArray[np.int64]:
    """Convert to sources and targets of the edges, ``(2, n_edges)``."""
    return _arrays.integers(on_host(edge_index), "edge_index", ndim=2)


def graph(
    features: Any, edge_index: Any, edge_weight: Any, batch: Any, **masks: Any
) -> tuple[tuple[Any, Any, Any, Any], list[Any]]:
    """Convert a graph and masks over it to the precision of the features."""
    for name, values in (("features", features), ("edge_index", edge_index)):
        if isinstance(values, Mapping) or hasattr(values, "node_types"):
            raise TypeError(
                f"{name}: expected one array, got one for each type; of a heterogeneous graph give the graph of one type of "
                "edges, or `data.to_homogeneous()`"
            )
    alignment = Alignment()
    nodes = _arrays.reals(alignment.take(on_host(features), "features", "nodes", "features"), "features", ndim=2)
    axes = {"edge_weight": ("edges",), "edge_mask": ("edges",), "node_mask": ("nodes", "features")}

    def alike(values: Any, name: str) -> Any:
        if values is None:
            return None
        aligned = alignment.take(on_host(values), name, *axes[name])
        return _arrays.reals(aligned, name).astype(nodes.dtype, copy=False)

    batch = alignment.take(on_host(batch), "batch", "nodes")
    of_batch = None if batch is None else _arrays.integers(batch, "batch", ndim=1)
    edge_index = alignment.take(on_host(edge_index), "edge_index", None, "edges")
    weight = alike(edge_weight, "edge_weight")
    whole = (nodes, edges(edge_index), weight, of_batch)
    return whole, [alike(values, name) for name, values in masks.items()]
