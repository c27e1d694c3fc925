"""Labels of classes that come from several sides: of one type, of known classes, and in the order that they have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


#: Types of labels of which one is never equal to another.
_TYPES = ("numbers", "text", "bytes")


def kind_of(labels: npt.NDArray[Any]) -> str:
    """The type of labels. Integers, whole floats and booleans are one type.

    >>> kind_of(np.array([0, 1])), kind_of(np.array(["0", "1"])), kind_of(np.array([True, 2.0], dtype=object))
    ('numbers', 'text', 'numbers')
    """
    kind = labels.dtype.kind
    if kind in "iubf":
        return "numbers"
    if kind in "UT":
        return "text"
    kinds = {_kind_of_one(label) for label in dict.fromkeys(labels.reshape(-1).tolist())}
    return kinds.pop() if len(kinds) == 1 else "labels of several types"


def _kind_of_one(label: Any) -> str:
    if isinstance(label, (bool, int, float, np.bool_, np.number)):
        return "numbers"
    if isinstance(label, str):
        return "text"
    return "bytes" if isinstance(label, bytes) else type(label).__name__


def check_types(sides: Mapping[str, npt.NDArray[Any]], hint: str = "") -> None:
    """Refuses labels that are numbers on one side and text on another, which would never be equal.

    >>> check_types({"y_train": np.array([0, 1]), "predictions": np.array(["0", "1"])})
    Traceback (most recent call last):
    TypeError: predictions: expected labels of one type, but y_train has numbers (0, 1) and predictions text ('0', '1'); \
convert one of them, numbers by `astype(int)`, text by `astype(str)`
    """
    given = [(name, labels, kind_of(labels)) for name, labels in sides.items() if labels.size]
    given = [side for side in given if side[2] in _TYPES]
    for name, labels, kind in given[1:]:
        first, of_first, expected = given[0]
        if kind != expected:
            raise TypeError(
                f"{name}: expected labels of one type, but {first} has {expected} ({examples(of_first)}) and {name} {kind} "
                f"({examples(labels)}); convert one of them, numbers by `astype(int)`, text by `astype(str)`{hint}"
            )


def examples(labels: Any) -> str:
    """The first three different labels.

    >>> examples(np.array(["b", "a", "b", "c", "d"]))
    "'b', 'a', 'c', …"
    """
    flat = labels.reshape(-1).tolist() if isinstance(labels, np.ndarray) else list(labels)
    different = list(dict.fromkeys(flat))
    return ", ".join(map(repr, different[:3])) + (", …" if len(different) > 3 else "")


def check_known(labels: Sequence[Any], known: Sequence[Any], name: str, of: str, *, any_is_enough: bool = False) -> None:
    """Refuses labels that are not among the known classes, or of which none is, where any is enough.

    >>> check_known(["cat", "dog"], ["Cat", "Dog"], "predictions", "the classes of y_train")
    Traceback (most recent call last):
    ValueError: predictions: 'cat', 'dog' are not among the classes of y_train ('Cat', 'Dog')
    """
    classes = set(known)
    unknown = [label for label in dict.fromkeys(labels) if label not in classes]
    are_fractions = any(map(_is_fraction, unknown)) and not any(map(_is_fraction, classes))
    if not unknown or (any_is_enough and not are_fractions and any(label in classes for label in labels)):
        return
    told = f"{name}: {examples(unknown)} {'is' if len(unknown) == 1 else 'are'} not among {of} ({examples(known)})"
    if are_fractions and all(isinstance(label, float) and 0.0 <= label <= 1.0 for label in unknown):
        told += "; these look like probabilities: give the predicted classes, such as `predict(X)`"
    raise ValueError(told)


def _is_fraction(label: Any) -> bool:
    return isinstance(label, float) and label % 1 != 0


def order_of(values: Any) -> list[Any] | None:
    """The categories of a column in their order; ``None`` where it has no ordered categories.

    Ordered are a ``Categorical`` of pandas with ``ordered=True``, an ``Enum`` of polars, and an ordered dictionary of pyarrow.
    """
    dtype: Any = getattr(values, "dtype", None)
    if getattr(dtype, "ordered", False) and hasattr(dtype, "categories"):
        return list(dtype.categories)
    if type(dtype).__name__ == "Enum" and hasattr(dtype, "categories"):
        return list(dtype.categories)
    if getattr(getattr(values, "type", None), "ordered", False) and hasattr(values, "type"):
        chunk = values.chunk(0) if hasattr(values, "chunk") else values
        return list(chunk.dictionary.to_pylist())
    return None


def are_numbers_as_text(labels: Sequence[Any]) -> bool:
    """Whether all labels are numbers that are written as text, which sorts them otherwise.

    >>> are_numbers_as_text(["1", "10", "2"]), are_numbers_as_text(["1", "x"])
    (True, False)
    """

    def is_number(label: Any) -> bool:
        try:
            float(label)
        except (TypeError, ValueError):
            return False
        return isinstance(label, str)

    return bool(labels) and all(map(is_number, labels))
