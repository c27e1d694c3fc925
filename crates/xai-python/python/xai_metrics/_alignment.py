"""Alignment of arrays by the labels of their rows or columns.

pandas and xarray label rows, and tables of every library label columns. Default labels (0, 1, 2,
…) do not imply an order: arrays with only such labels are matched by position.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from ._arrays import are_numbered, column_names


class Alignment:
    """Order of the axes that several arrays share.

    The first array with labels along an axis decides the order of that axis; later arrays are
    reordered by their labels.

    Examples
    --------
    >>> alignment = Alignment()
    >>> alignment.take([1.0, 2.0], "predictions", "samples")  # a list has no labels
    [1.0, 2.0]
    """

    def __init__(self) -> None:
        #: Labels of each axis by its name, and the array that they are from.
        self._known: dict[str, tuple[Any, str]] = {}

    def take(self, values: Any, name: str, *axes: str | None) -> Any:
        """Return the values in the order of the named axes; an axis named ``None`` is not shared.

        ``name`` is the name of the values in error messages. Raises ``ValueError`` if both sides
        are labelled and the labels differ or repeat, or if they are in another order while one
        side has default labels, so that positions and labels contradict each other.
        """
        for index, axis in enumerate(axes):
            labels = None if axis is None else _labels(values, index)
            if axis is None or labels is None:
                continue
            known, of = self._known.setdefault(axis, (labels, name))
            # Other lengths are told with the arrays.
            if known is labels or len(known) != len(labels) or _are_equal(known, labels):
                continue
            if _counts(known) or _counts(labels):
                _check_counted(list(known), list(labels), name, of, axis)
                if _counts(known):
                    # Labels say more about later arrays than numbers do.
                    self._known[axis] = labels, name
                continue
            values = _reordered(values, index, _order(list(known), list(labels), name, of, axis))
        return values

    def take_all(self, given: Mapping[str, Any], *axes: str | None) -> list[Any]:
        """Return several arrays over the same axes, by name; ``None`` stays ``None``."""
        return [self.take(values, name, *axes) for name, values in given.items()]

    def labels(self, axis: str) -> Any:
        """Return the labels of an axis, or ``None`` if it has none or only default ones."""
        labels, _ = self._known.get(axis, (None, ""))
        return None if labels is None or _counts(labels) else labels


def has_labels(values: Any) -> bool:
    """Return whether the rows of an array have labels other than default ones."""
    labels = _labels(values, 0)
    return labels is not None and not _counts(labels)


def _labels(values: Any, axis: int) -> Any:
    """Return the labels along an axis, or ``None`` if there are none."""
    library = _library(values)
    if library == "pandas":
        return values.axes[axis] if hasattr(values, "loc") and axis < values.ndim else None
    if library == "xarray":
        dims = getattr(values, "dims", ())
        return values.indexes.get(dims[axis]) if axis < len(dims) else None
    return column_names(values) if axis == 1 and library in ("polars", "pyarrow") else None


def _library(values: Any) -> str:
    return type(values).__module__.partition(".")[0]


def _are_equal(known: Any, labels: Any) -> bool:
    # Of pandas in a fast way, which `list` has not.
    return bool(known.equals(labels)) if hasattr(known, "equals") else list(known) == list(labels)


def _counts(labels: Any) -> bool:
    """Return whether labels are the default ones that a library gives to unnamed rows or columns.
    """
    if getattr(labels, "start", None) is not None:
        return bool(labels.start == 0 and labels.step == 1)
    if not len(labels) or not str(labels[0]).endswith("0"):
        return not len(labels)
    if getattr(getattr(labels, "dtype", None), "kind", "O") in "iu":
        return np.array_equal(np.asarray(labels), np.arange(len(labels)))
    return are_numbered([str(label) for label in labels])


def _check_counted(known: list[Any], labels: list[Any], name: str, of: str, axis: str) -> None:
    """Raise ``ValueError`` for default labels in another order, where labels or positions may be
    meant.
    """
    if Counter(known) == Counter(labels):
        raise ValueError(
            f"{name}: has the {axis} of {of} in another order, as its index says; but one of the two indexes only counts, so "
            f"the positions may be meant; {_HINT}"
        )


def _order(known: list[Any], labels: list[Any], name: str, of: str, axis: str) -> list[int]:
    """Return the index of each known label among others."""
    place_of: dict[Hashable, int] = {label: index for index, label in enumerate(labels)}
    repeated = [label for label, n in [*Counter(labels).items(), *Counter(known).items()] if n > 1]
    if repeated:
        raise ValueError(
            f"{name}: has the {axis} of {of} in another order, as its index says, and cannot be aligned, because "
            f"{_examples(repeated[:1])} occurs more than once; {_HINT}"
        )
    missing = [label for label in known if label not in place_of]
    if missing:
        unknown = [label for label in labels if label not in set(known)]
        raise ValueError(
            f"{name}: its {axis} have other labels than those of {of}: there is no {_examples(missing)}, but "
            f"{_examples(unknown)}; {_HINT}"
        )
    return [place_of[label] for label in known]


_HINT = (
    "give both sides one index, by `.loc[…]`, or, if the order is the same already, drop it on both sides by "
    "`.reset_index(drop=True)`"
)


def _examples(labels: Sequence[Any]) -> str:
    return ", ".join(map(repr, labels[:3])) + (", …" if len(labels) > 3 else "")


def _reordered(values: Any, axis: int, order: list[int]) -> Any:
    """Return the values with an axis reordered, in the same type."""
    library = _library(values)
    if library == "pandas":
        return values.iloc[order] if axis == 0 else values.iloc[:, order]
    if library == "xarray":
        return values.isel({values.dims[axis]: order})
    names = column_names(values) or []
    return values.select([names[index] for index in order])
