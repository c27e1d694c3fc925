"""Columns of tables: names, values, categories."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import column_names, is_missing, to_numpy

if TYPE_CHECKING:
    import numpy.typing as npt


def is_table(values: Any) -> bool:
    """Return whether an object is a table with names of columns.

    Examples
    --------
    >>> is_table([[1.0]])
    False
    """
    return getattr(values, "ndim", 2) == 2 and column_names(values) is not None


def column_labels(table: Any) -> list[Hashable]:
    """Return the names of the columns of a table; indices for an array.

    Examples
    --------
    >>> column_labels([[1.0, 2.0]])
    [0, 1]
    """
    if is_table(table):
        names: list[Hashable] = column_names(table) or []
        repeated = next((name for name in names if names.count(name) > 1), None)
        if repeated is not None:
            raise ValueError(f"table: the column {repeated!r} occurs twice; give it once")
        return names
    array = to_numpy(table, "table")
    if array.ndim != 2:
        raise ValueError(f"table: expected 2 axes, got shape {array.shape}")
    return list(range(array.shape[1]))


def column_values(table: Any, column: Hashable) -> Any:
    """Return a column of a table or array."""
    if is_table(table):
        return table[column]
    position: Any = column
    return to_numpy(table, "table")[:, position]


def listed(values: Any, name: str) -> list[Any]:
    """Return the values of a column as Python objects; ``None`` where they are missing.

    Examples
    --------
    >>> listed(["a", None, float("nan")], "x")
    ['a', None, None]
    """
    if hasattr(values, "to_list"):
        values = values.to_list()
    elif hasattr(values, "to_pylist"):
        values = values.to_pylist()
    elif not isinstance(values, list):
        values = to_numpy(values, name).tolist()
    return [None if is_missing(value) else value for value in values]


def is_nominal(values: Any) -> bool:
    """Return whether the values of a column have no order: text, booleans or categories.

    Examples
    --------
    >>> is_nominal(["a"]), is_nominal([1.0]), is_nominal([True])
    (True, False, True)
    """
    if hasattr(getattr(values, "dtype", None), "categories"):
        return True
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf":
        return False
    first = next((value for value in listed(values, "column") if value is not None), None)
    return isinstance(first, (str, bytes, bool, np.bool_))


def as_numbers(values: list[Any]) -> npt.NDArray[np.float64]:
    """Return numbers as an array, with NaN for ``None``."""
    return np.array([np.nan if value is None else value for value in values], np.float64)
