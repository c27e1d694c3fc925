"""Encoding of text columns as numbers, for distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._arrays import check_column, check_finite, column_names, is_missing, reals, to_numpy
from ..._labels import order_of

if TYPE_CHECKING:
    import numpy.typing as npt

#: Encodings of text columns.
ENCODINGS = ("one-hot", "ordinal")


class Encoding:
    """Encoding of the columns of a table as numbers: one-hot or ordinal for text.

    Categories are those of the training rows, in the order of ordered categories, otherwise
    sorted. A missing text is a category of its own.
    """

    def __init__(self, table: Any, how: str) -> None:
        if how not in ENCODINGS:
            raise ValueError(f"encode: expected 'one-hot' or 'ordinal', got {how!r}")
        columns = column_names(table)
        if columns is None or not hasattr(table, "columns"):
            raise TypeError("encode: needs a table with names of columns")
        self.how, self.columns = how, columns
        #: Categories of each text column.
        self.categories: dict[Any, list[str]] = {}
        for column in columns:
            words = _words(table[column], f"X_train[{str(column)!r}]")
            if words is not None:
                ordered = order_of(table[column])
                self.categories[column] = sorted(set(words)) if ordered is None else [str(item) for item in ordered]

    def names_of(self, column: Any) -> list[str]:
        """Return the names of the encoded columns of a column."""
        if self.how == "one-hot" and column in self.categories:
            return [f"{column}={word}" for word in self.categories[column]]
        return [str(column)]

    @property
    def names(self) -> list[str]:
        """Names of all encoded columns."""
        return [name for column in self.columns for name in self.names_of(column)]

    def numbers(self, table: Any, name: str) -> npt.NDArray[Any]:
        """Encode the rows of a table with the same columns; no value may be missing."""
        parts = []
        for column in self.columns:
            called = f"{name}[{str(column)!r}]"
            if column not in self.categories:
                check_column(table[column], column, name)
                numbers = reals(table[column], called, 1)[:, None]
                check_finite(numbers, _One(column), name)
                parts.append(numbers)
                continue
            known = {word: index for index, word in enumerate(self.categories[column])}
            words = _words(table[column], called) or [str(value) for value in to_numpy(table[column], called).tolist()]
            if any(word not in known for word in words):
                raise ValueError(f"{called}: has a category that no training row has; leave such rows out")
            places = np.array([known[word] for word in words])
            parts.append(np.eye(len(known))[places] if self.how == "one-hot" else places[:, None].astype(np.float64))
        return np.concatenate(parts, axis=1)


class _One:
    """Stand-in for a table of one column."""

    def __init__(self, column: Any) -> None:
        self.column_names = [column]


def _words(values: Any, name: str) -> list[str] | None:
    """Return the values of a text column; ``None`` for a numeric column."""
    listed = values.to_list() if hasattr(values, "to_list") else to_numpy(values, name).tolist()
    is_text = any(isinstance(value, str) for value in listed) or hasattr(getattr(values, "dtype", None), "categories")
    if not is_text:
        return None
    return ["missing" if is_missing(value) else str(value) for value in listed]
