"""Inputs of metrics of training-data attribution, converted to arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ... import _native
from ..._alignment import Alignment
from ..._arguments import whole
from ..._arrays import booleans, classes, in_place, integers, reals, to_numpy
from ..._labels import check_known, check_types

if TYPE_CHECKING:
    import numpy.typing as npt


class AttributionRows:
    """Attributions that are computed on demand, some rows at a time.

    Parameters
    ----------
    read : callable
        ``read(start, stop)`` returns the attributions of the test cases from ``start`` up to, but
        excluding, ``stop``: an array ``(stop - start, n_train)``. It is called on the thread that
        called the metric.
    shape : (int, int)
        ``(n_test, n_train)``.

    Examples
    --------
    >>> import numpy as np
    >>> from xai_metrics.casebased.data_attribution import AttributionRows, top_k_cardinality
    >>> rows = AttributionRows(lambda start, stop: np.eye(5)[start:stop], (5, 5))
    >>> top_k_cardinality(rows).unique
    5
    """

    def __init__(self, read: Callable[[int, int], Any], shape: tuple[int, int]) -> None:
        if not callable(read):
            raise TypeError(f"read: expected a function, got {read!r}")
        n_test, n_train = shape
        self._read = read
        self.shape: tuple[int, int] = (whole("shape[0]", n_test, 0), whole("shape[1]", n_train, 0))

    def read(self, start: int, stop: int) -> npt.NDArray[np.float64]:
        """Return the rows from ``start`` up to, but excluding, ``stop``.

        Parameters
        ----------
        start : int
            First row.
        stop : int
            Row after the last one.

        Returns
        -------
        array of shape (stop - start, n_train)
            Attributions.
        """
        return _doubles(self._read(start, stop), "attributions", 2)


def _doubles(values: Any, name: str, ndim: int) -> npt.NDArray[np.float64]:
    return reals(values, name, ndim).astype(np.float64, copy=False)


def _rows(values: Any, name: str) -> Any:
    if isinstance(values, AttributionRows):
        return values.read, values.shape
    if callable(values):
        raise TypeError(f"{name}: a function does not say how many rows it has; give AttributionRows(function, shape)")
    return reals(values, name, 2)


def _codes(arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[np.int64]]:
    """Encode labels of any type as integers, equal for equal labels."""
    check_types(arrays)
    if all(array.dtype.kind in "iub" for array in arrays.values()):
        whole_numbers = {name: in_place(array, name) for name, array in arrays.items()}
        return {name: array.astype(np.int64, copy=False) for name, array in whole_numbers.items()}
    flat = np.concatenate([array.reshape(-1) for array in arrays.values()])
    codes = np.unique(flat, return_inverse=True)[1].reshape(-1).astype(np.int64)
    parts = np.split(codes, np.cumsum([array.size for array in arrays.values()])[:-1])
    return {name: part.reshape(array.shape) for (name, array), part in zip(arrays.items(), parts)}


def class_names(labels: Sequence[Any]) -> dict[int, str]:
    """Return the names of the numbers that :func:`arrays_of` gives to labels; none for integers.

    Examples
    --------
    >>> class_names([["b", "a"], ["b"]]), class_names([[3, 5]])
    ({0: 'a', 1: 'b'}, {})
    """
    arrays = [classes(values, "labels") for values in labels]
    if not arrays or all(array.dtype.kind in "iub" for array in arrays):
        return {}
    return dict(enumerate(map(str, np.unique(np.concatenate(arrays)).tolist())))


def _subsets(values: Any, name: str) -> Any:
    """Return a boolean mask unchanged, and lists of cases as a list of arrays of any lengths."""
    if isinstance(values, (list, tuple)):
        subsets = [to_numpy(subset, f"{name}[{j}]") for j, subset in enumerate(values)]
        are_masks = bool(subsets) and all(subset.dtype.kind == "b" for subset in subsets)
        if not are_masks or len({len(subset) for subset in subsets}) > 1:
            return [integers(subset, f"{name}[{j}]", 1) for j, subset in enumerate(subsets)]
        values = np.stack(subsets)
    array = to_numpy(values, name)
    if array.dtype.kind == "b":
        return booleans(array, name, 2)
    return list(integers(array, name, 2))


class Kind(NamedTuple):
    """Documentation and conversion of an input."""

    #: Type in the notation of docstrings.
    type: str
    doc: str
    take: Callable[[Any, str], Any]
    #: Names of its axes for alignment with other inputs; ``None`` for axes that no other input has.
    axes: tuple[str | None, ...]


def _numbers(values: Any, name: str, ndim: int) -> npt.NDArray[np.float64]:
    if ndim == 2:
        array = reals(values, name)
        # An empty list of rows does not tell how many columns it has.
        return _doubles(array.reshape(0, 0) if array.shape == (0,) else array, name, 2)
    return _doubles(values, name, ndim)


_READERS: dict[str, Callable[[Any, str, int], Any]] = {
    "number": _numbers,
    "class": classes,
    "integer": integers,
    "boolean": booleans,
}

#: Names for alignment of the axes of the library.
_AXES = {
    "n_test": "test cases",
    "n_train": "training cases",
    "n_subsets": "models",
    "n_removed": "removed cases",
    "n_ks": "numbers of top cases",
}


def _kind(spec: Mapping[str, Any]) -> Kind:
    name, element, axes = spec["name"], spec["element"], spec["axes"]
    shape, doc = spec["shape"], spec["help"]
    labels = tuple(_AXES.get(axis) for axis in axes)
    if name in ("attributions", "random_attributions"):
        return Kind(f"array_like of shape {shape}, or AttributionRows", f"{doc}.", _rows, labels)
    if element == "subset":
        kinds = f"list of arrays, or array of shape (n_subsets, size) or {shape}"
        doc = f"{doc}: positions, of which one that occurs twice counts twice, or booleans."
        return Kind(kinds, doc, _subsets, labels)
    read = _READERS[element]
    return Kind(f"array_like of shape {shape}", f"{doc}.", lambda values, of: read(values, of, len(axes)), labels)


#: Inputs by name, as described by the library.
INPUTS = {spec["name"]: _kind(spec) for spec in _native.data_attribution_inputs()}

#: Groups of inputs whose labels are encoded together.
_LABELS = (("train_labels", "test_classes"), ("predictions",))


def arrays_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Convert all inputs to the native form; ``None`` if not given."""
    alignment = Alignment()
    taken: dict[str, Any] = {
        name: None if given.get(name) is None else kind.take(alignment.take(given[name], name, *kind.axes), name)
        for name, kind in INPUTS.items()
    }
    for group in _LABELS:
        labels = {name: taken[name] for name in group if taken[name] is not None}
        if {"train_labels", "test_classes"} <= labels.keys():
            check_types(labels)
            train, test = (np.unique(labels[name]).tolist() for name in ("train_labels", "test_classes"))
            check_known(test, train, "test_classes", "the classes of train_labels", any_is_enough=True)
        if labels:
            taken.update(_codes(labels))
    return taken
