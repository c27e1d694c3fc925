"""Consistency checks for class labels from several arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


#: Types of labels that never compare equal across types.
_TYPES = ("numbers", "text", "bytes")


def kind_of(labels: npt.NDArray[Any]) -> str:
    """Return the type of labels. Integers, integral floats and booleans are one type.

    Examples
    --------
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
    """Raise ``TypeError`` if one argument has numeric labels and another text, which never compare
    equal.

    Examples
    --------
    >>> check_types({"y_train": np.array([0, 1]), "predictions": np.array(["0", "1"])})
    Traceback (most recent call last):
    TypeError: predictions: expected labels of one type, but y_train has numbers (0, 1) and predictions text ('0', '1'); convert one of them, numbers by `astype(int)`, text by `astype(str)`
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
    """Return the first three distinct labels as text.

    Examples
    --------
    >>> examples(np.array(["b", "a", "b", "c", "d"]))
    "'b', 'a', 'c', …"
    """
    flat = labels.reshape(-1).tolist() if isinstance(labels, np.ndarray) else list(labels)
    different = list(dict.fromkeys(flat))
    return ", ".join(map(repr, different[:3])) + (", …" if len(different) > 3 else "")


def check_known(labels: Sequence[Any], known: Sequence[Any], name: str, of: str, *, any_is_enough: bool = False) -> None:
    """Raise ``ValueError`` for labels that are not known classes, or, with ``any_is_enough``, if
    none is.

    Examples
    --------
    >>> check_known(["cat", "dog"], ["Cat", "Dog"], "predictions", "the classes of y_train")
    Traceback (most recent call last):
    ValueError: predictions: 'cat', 'dog' are not among the classes of y_train ('Cat', 'Dog')
    """
    classes = set(known)
    unknown = [label for label in dict.fromkeys(labels) if label not in classes]
    are_fractions = any(map(_is_fraction, unknown)) and not any(map(_is_fraction, classes))
    if not unknown or (any_is_enough and not are_fractions and any(label in classes for label in labels)):
        return
    message = f"{name}: {examples(unknown)} {'is' if len(unknown) == 1 else 'are'} not among {of} ({examples(known)})"
    if are_fractions and all(isinstance(label, float) and 0.0 <= label <= 1.0 for label in unknown):
        message += "; these look like probabilities: give the predicted classes, such as `predict(X)`"
    raise ValueError(message)


def _is_fraction(label: Any) -> bool:
    return isinstance(label, float) and label % 1 != 0


def order_of(values: Any) -> list[Any] | None:
    """Return the ordered categories of a column, or ``None`` if it has none.

    Ordered are a pandas ``Categorical`` with ``ordered=True``, a polars ``Enum``, and an ordered
    pyarrow dictionary.
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
    """Return whether all labels are numbers stored as text, which sort differently.

    Examples
    --------
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
