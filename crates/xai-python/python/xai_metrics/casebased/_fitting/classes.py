"""Numbering of the classes of a training set, for labels of any type."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._arrays import is_missing, to_numpy
from ..._labels import check_known, check_types

if TYPE_CHECKING:
    import numpy.typing as npt

#: Labels without a training row are numbered downwards from here, away from numeric labels.
_FOREIGN = -(2**62)


def label_array(values: Any, name: str) -> npt.NDArray[Any]:
    """Convert labels of any type to a one-dimensional array; raises ``ValueError`` for missing
    labels.
    """
    array = to_numpy(values, name)
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.ndim != 1:
        raise ValueError(f"{name}: expected one label per row, got shape {array.shape}")
    if array.dtype.kind in "fcO":
        labels = array.tolist()
        missing = [is_missing(label) for label in labels]
        if any(missing):
            raise ValueError(f"{name}[{missing.index(True)}]: the label is missing")
        if all(isinstance(label, (int, np.integer, np.bool_)) for label in labels):
            numbers = np.asarray(labels)
            # Those beyond 64 bits stay objects.
            array = numbers if numbers.dtype.kind in "iub" else array
    return array


def label_value(value: Any) -> Any:
    """Convert a NumPy scalar to a Python value."""
    return value.item() if isinstance(value, np.generic) else value


def objects_of(labels: list[Any]) -> npt.NDArray[Any]:
    """Return an object array of labels, which may be tuples."""
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


class Classes:
    """Classes of the training labels: integers represent themselves, other labels are numbered.

    Labels that compare equal in Python are one class, for example ``1``, ``1.0`` and ``True``.
    """

    def __init__(self, labels: npt.NDArray[Any]) -> None:
        self._foreign: dict[Hashable, int] = {}
        #: True if the file has class names, while classes are numbers here.
        self.has_names = False
        #: Number of each label; ``None`` if labels are their own numbers.
        self._number_of: dict[Hashable, int] | None = None
        if _are_numbers(labels):
            classes = np.unique(labels).tolist()
            self._label_of: dict[int, Any] = {int(label): label for label in classes}
        else:
            distinct = dict.fromkeys(labels.tolist())
            try:
                classes = sorted(distinct)
            except TypeError:  # labels of types that have no order among them
                classes = list(distinct)
            self._label_of = dict(enumerate(classes))
            self._number_of = {label: number for number, label in enumerate(classes)}

    def check(self, labels: npt.NDArray[Any], name: str, *, any_is_enough: bool = False) -> None:
        """Raise an error for labels of another type than the training labels, and for unknown ones
        (or, with ``any_is_enough``, if all are unknown).
        """
        known = objects_of(self.labels)
        hint = '; of an explainer that was stored with text, `load(path, labels="names")`' if self.has_names else ""
        check_types({"y_train": known, name: labels}, hint)
        distinct = list(dict.fromkeys(labels.tolist()))
        check_known(distinct, known.tolist(), name, "the classes of y_train", any_is_enough=any_is_enough)

    @classmethod
    def from_names(cls, names: dict[int, str]) -> Classes:
        """Create classes whose labels are the names of the numbers."""
        made = cls.__new__(cls)
        made._foreign, made.has_names = {}, False
        made._label_of = dict(names)
        made._number_of = {name: number for number, name in names.items()}
        return made

    @property
    def are_numbers(self) -> bool:
        """True if labels are integers or booleans, which represent themselves."""
        return self._number_of is None

    @property
    def labels(self) -> list[Any]:
        """Classes in the order of their numbers."""
        return [self._label_of[number] for number in sorted(self._label_of)]

    def number(self, label: Any) -> int:
        """Return the number of a label; labels without a training row get new numbers."""
        label = label_value(label)
        try:
            if self._number_of is not None:
                number = self._number_of.get(label)
            else:
                whole = isinstance(label, (int, float)) and label % 1 == 0
                number = int(label) if whole and abs(label) < -_FOREIGN else None
        except TypeError:
            raise TypeError(f"expected a label, got {type(label).__qualname__}") from None
        if number is not None:
            return number
        return self._foreign.setdefault(label, _FOREIGN - len(self._foreign))

    def numbers(self, labels: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the numbers of labels."""
        if self._number_of is None and _are_numbers(labels):
            return np.ascontiguousarray(labels, dtype=np.int64)
        found = [self.number(label) for label in labels.tolist()]
        return np.asarray(found, dtype=np.int64)

    def label(self, number: int) -> Any:
        """Return the label of a number."""
        if number in self._label_of:
            return self._label_of[number]
        foreign = (label for label, known in self._foreign.items() if known == number)
        return next(foreign, number)

    def labels_from_numbers(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        """Return the labels of numbers of training classes."""
        known, places = np.unique(numbers, return_inverse=True)
        values = [self.label(int(number)) for number in known]
        kinds = {type(value) for value in values}
        if len(kinds) == 1 and kinds <= {bool, int, float, str}:
            labels = np.asarray(values)
        else:
            # Labels of several types, and tuples, which NumPy would make others of.
            labels = objects_of(values)
        return labels[places.reshape(numbers.shape)]


def _are_numbers(labels: npt.NDArray[Any]) -> bool:
    kind = labels.dtype.kind
    if kind == "u" and labels.size:
        return bool(labels.max() < -_FOREIGN)
    if kind == "i" and labels.size and labels.dtype.itemsize == 8:
        return bool(labels.min() > _FOREIGN and labels.max() < -_FOREIGN)
    return kind in "iub"
