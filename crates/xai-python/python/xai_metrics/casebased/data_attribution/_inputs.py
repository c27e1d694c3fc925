"""What metrics of training-data attribution are computed from, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._alignment import Alignment
from ..._arguments import whole
from ..._arrays import booleans, classes, in_place, integers, reals, to_numpy
from ..._labels import check_known, check_types

if TYPE_CHECKING:
    import numpy.typing as npt


class AttributionRows:
    """Attributions that are made when they are asked for, some rows at a time.

    Parameters
    ----------
    read : callable
        Is given the first row of a range and the row after its last, and answers the attributions of these
        test cases, ``(stop - start, n_train)``. It is called on the thread that called the metric.
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
        self.shape = (whole("shape[0]", n_test, 0), whole("shape[1]", n_train, 0))

    def read(self, start: int, stop: int) -> npt.NDArray[np.float64]:
        """The rows from ``start`` to before ``stop``."""
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
    """Labels of any type as whole numbers, the same for the same label."""
    check_types(arrays)
    if all(array.dtype.kind in "iub" for array in arrays.values()):
        whole_numbers = {name: in_place(array, name) for name, array in arrays.items()}
        return {name: array.astype(np.int64, copy=False) for name, array in whole_numbers.items()}
    flat = np.concatenate([array.reshape(-1) for array in arrays.values()])
    codes = np.unique(flat, return_inverse=True)[1].reshape(-1).astype(np.int64)
    parts = np.split(codes, np.cumsum([array.size for array in arrays.values()])[:-1])
    return {name: part.reshape(array.shape) for (name, array), part in zip(arrays.items(), parts)}


def _subsets(values: Any, name: str) -> Any:
    """A mask as it is; lists of cases as a list of arrays, of any lengths."""
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
    """How an input is read."""

    #: Its type, in the words of a docstring.
    type: str
    doc: str
    take: Callable[[Any, str], Any]
    #: What its axes are, which is the same in all inputs.
    axes: tuple[str | None, ...]


def _real(ndim: int) -> Callable[[Any, str], Any]:
    return lambda values, name: _doubles(values, name, ndim)


def _after(values: Any, name: str) -> npt.NDArray[np.float64]:
    array = reals(values, name)
    # Of no test case nobody can say how many top cases it has.
    return _doubles(array.reshape(0, 0) if array.shape == (0,) else array, name, 2)


def _flags(ndim: int) -> Callable[[Any, str], Any]:
    return lambda values, name: booleans(values, name, ndim)


def _integers(values: Any, name: str) -> Any:
    return integers(values, name, 1)


def _labels(ndim: int) -> Callable[[Any, str], Any]:
    return lambda values, name: classes(values, name, ndim)


_TEST, _TRAIN, _PAIRS = ("test cases",), ("training cases",), ("test cases", "training cases")

#: The inputs by the names of the library.
INPUTS = {
    "attributions": Kind(
        "array_like of shape (n_test, n_train), or AttributionRows",
        "How far each training case raised the output for each test case.",
        _rows,
        _PAIRS,
    ),
    "random_attributions": Kind(
        "array_like of shape (n_test, n_train), or AttributionRows",
        "The attributions by the same explainer of a model with random weights.",
        _rows,
        _PAIRS,
    ),
    "train_labels": Kind("array_like of shape (n_train,)", "Labels of the training cases.", _labels(1), _TRAIN),
    "test_classes": Kind(
        "array_like of shape (n_test,)",
        "Labels of the test cases: the true or the predicted ones.",
        _labels(1),
        _TEST,
    ),
    "keep": Kind(
        "array_like of shape (n_test,)", "Which test cases count; the others have no value.", _flags(1), _TEST
    ),
    "flags": Kind("array_like of shape (n_train,)", "Which training cases are flagged.", _flags(1), _TRAIN),
    "subsets": Kind(
        "list of arrays, or array of shape (n_subsets, size) or (n_subsets, n_train)",
        "The training cases that each model was trained on: their numbers, of which one that stands twice "
        "counts twice, or booleans.",
        _subsets,
        ("models", "training cases"),
    ),
    "outputs": Kind(
        "array_like of shape (n_subsets, n_test)",
        "What each model answers for each test case; or give ``logits`` and ``targets``.",
        _real(2),
        ("models", "test cases"),
    ),
    "logits": Kind(
        "array_like of shape (n_subsets, n_test, n_classes)",
        "Instead of outputs, which are then the margins of the targets.",
        _real(3),
        ("models", "test cases"),
    ),
    "targets": Kind("array_like of shape (n_test,)", "The class of each test case among the logits.", _integers, _TEST),
    "removed": Kind(
        "array_like of shape (n_removed,)",
        "The training case that each model was trained without.",
        _integers,
        ("removed cases",),
    ),
    "drops": Kind(
        "array_like of shape (n_removed, n_test)",
        "How far the outputs fall without each of them.",
        _real(2),
        ("removed cases", "test cases"),
    ),
    "relevant": Kind(
        "array_like of shape (n_test, n_train)",
        "Which training cases are relevant to each test case.",
        _flags(2),
        _PAIRS,
    ),
    "scores": Kind("array_like of shape (n_train,)", "One of each training case, high = suspicious.", _real(1), _TRAIN),
    "log_prob": Kind("array_like of shape (n_test,)", "Log-probabilities of the targets.", _real(1), _TEST),
    "log_prob_after": Kind(
        "array_like of shape (n_test, k)", "The same after one step on each of the top cases.", _after, _TEST
    ),
    "ks": Kind(
        "array_like of shape (n_ks,)",
        "How many top cases were left out, ascending from 0.",
        _integers,
        ("numbers of top cases",),
    ),
    "predictions": Kind(
        "array_like of shape (n_test, n_ks)",
        "What models predict that were trained without the top cases.",
        _labels(2),
        ("test cases", "numbers of top cases"),
    ),
}

#: Inputs that hold labels, which are the same where they are equal in any of a group.
_LABELS = (("train_labels", "test_classes"), ("predictions",))


def arrays_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """All inputs by name, as the native part takes them; ``None`` for those that are not given."""
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
