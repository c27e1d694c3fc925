"""Conversion of inputs to one array of numbers, and of its rows back to model inputs.

The native part reads and changes one array of real numbers. Models expect the original form: a
table with typed columns, integers, or several inputs by name. :class:`Inputs` converts in both
directions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .._alignment import Alignment
from .._arrays import column_names, in_order_of, is_lazy, is_missing, reals, to_numpy
from .._frameworks import Tensors, is_from_package

if TYPE_CHECKING:
    import numpy.typing as npt


class Inputs:
    """Inputs of a run.

    Examples
    --------
    >>> several = Inputs({"ids": [[5, 3], [8, 1]], "mask": [[1, 1], [1, 0]]})
    >>> several.array.tolist(), list(several.others)
    ([[5.0, 3.0], [8.0, 1.0]], ['mask'])
    """

    #: Numbers that are explained and changed, one row per sample.
    array: npt.NDArray[Any]
    #: Other inputs, row by row, by name or index.
    others: dict[Any, npt.NDArray[Any]]

    def __init__(self, given: Any) -> None:
        self.table: Table | None = None
        self.others = {}
        #: True if several inputs are given by name.
        self.is_named = isinstance(given, Mapping)
        name, first = "inputs", given
        if self.is_named or is_several(given):
            parts = given if self.is_named else dict(enumerate(given))
            if not parts:
                raise ValueError("inputs: expected at least one array, got an empty mapping")
            arrays = dict(parts.items())
            self.first = next(iter(arrays))
            first, name = arrays.pop(self.first), f"inputs[{self.first!r}]"
            alignment = Alignment()
            alignment.take(first, name, "samples")
            self.others = {
                key: to_numpy(alignment.take(value, f"inputs[{key!r}]", "samples"), f"inputs[{key!r}]")
                for key, value in arrays.items()
            }
        elif is_from_package(first, "pandas", "polars") and column_names(first) and not is_lazy(first):
            self.table = Table(first)
        if self.is_coded and self.table is not None:
            self.array = self.table.numbers(first, name)
            kind = "f"
        else:
            if isinstance(first, list) and first and is_several(first[0]):
                raise TypeError(
                    "inputs: expected one array, got a list of batches (inputs, targets); give it to evaluate_stream"
                )
            numbers = to_numpy(first, name)
            kind = numbers.dtype.kind
            # A table names its columns in errors.
            self.array = reals(numbers if self.table is None else first, name)
        #: Type of integer inputs; ``None`` for others.
        self.whole = None if kind not in "iu" else numbers.dtype
        for key, other in self.others.items():
            if other.ndim == 0 or len(other) != len(self.array):
                expected = f"one row per sample, {len(self.array)}"
                raise ValueError(f"inputs[{key!r}]: expected {expected}, got shape {other.shape}")

    @property
    def has_words(self) -> bool:
        """True if the inputs are a table with text columns."""
        return self.table is not None and bool(self.table.words)

    @property
    def has_missing(self) -> bool:
        """True if the inputs are a table with missing values in numeric columns."""
        return self.table is not None and bool(self.table.missing)

    @property
    def is_coded(self) -> bool:
        """True if words or missing values are encoded as numbers."""
        return self.has_words or self.has_missing

    def numbers(self, values: Any, name: str) -> Any:
        """Encode another table with the columns of the inputs, or one row of it; other values are
        returned unchanged.
        """
        if self.table is None or not self.is_coded or column_names(values) is None:
            return values
        return self.table.numbers(in_order_of(self.table.names, values, name), name)

    def typical(self) -> npt.NDArray[Any]:
        """Return one row ``(1, columns)`` with the mean of each numeric column and the most
        frequent word of each text column.
        """
        row = self.array.mean(axis=0, dtype=np.float64).astype(self.array.dtype)
        if self.table is not None:
            row[[name in self.table.words for name in self.table.names]] = 0.0
        return np.asarray(row[None])

    def model_arguments(
        self,
        batch: npt.NDArray[Any],
        samples: Any,
        tensors: Tensors,
        columns: list[Any] | None = None,
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the positional and keyword arguments of the model for a batch made from these
        samples.

        If ``columns`` is given, the model receives a table with the columns in this order.
        """
        if self.has_missing and self.table is not None:
            batch = self.table.with_missing(batch)
        if self.table is not None and columns is not None:
            table = self.table.rows(batch)
            return (table if columns == self.table.names else table[columns],), {}
        if self.whole is not None and tensors.keeps_integers:
            batch = whole_numbers(batch, self.whole)
        first = tensors.tensor(batch)
        rest = {
            key: tensors.tensor(np.ascontiguousarray(value[samples]))
            for key, value in self.others.items()
        }
        return ((), {self.first: first, **rest}) if self.is_named else ((first, *rest.values()), {})


def first_of(given: Any) -> Any:
    """Return the first of several inputs, which is the explained one, or a single input itself."""
    if isinstance(given, Mapping):
        return next(iter(given.values()), None)
    return given[0] if is_several(given) else given


def is_several(given: Any) -> bool:
    """Return whether ``given`` is a tuple of arrays, one per model input."""
    return (
        isinstance(given, tuple)
        and len(given) > 0
        and all(getattr(item, "ndim", 0) > 0 for item in given)
        and given[0].ndim > 1
    )


def whole_numbers(batch: npt.NDArray[Any], dtype: Any) -> npt.NDArray[Any]:
    """Convert inputs to an integer type, for example token ids; raises ``ValueError`` for
    fractions.
    """
    whole = batch.astype(dtype)
    if not np.array_equal(whole, batch):
        fraction = batch[whole != batch][0]
        raise ValueError(
            f"inputs: the model takes whole numbers, and {fraction} is to stand in the place of one; take metrics that "
            "put a baseline in the place of features (deletion, insertion, mu_fidelity, …) with a baseline of whole "
            "numbers, or give inputs of floating-point numbers"
        )
    return whole


class Table:
    """Encoding of a pandas or polars table as numbers, and back.

    Words are numbered by decreasing frequency, so that 0, the default baseline of most metrics,
    is the most frequent word. A number between two words decodes to the nearest one. A missing
    value of a numeric column is encoded as a number near the mean of the column that no other
    value has: as long as nothing changes that number, it decodes to the missing value.
    """

    def __init__(self, table: Any) -> None:
        self.kind = type(table)
        self.names = list(column_names(table) or [])
        self.dtypes = dict(zip(self.names, table.dtypes))
        #: True if column names are unique.
        self.is_named = len(self.dtypes) == len(self.names)
        self.words: dict[Any, list[Any]] = {}
        #: Code of missing values, by column.
        self.missing: dict[Any, float] = {}
        for name in self.names if self.is_named else ():
            if _is_text(table[name]):
                counted = Counter(_Word(word) for word in table[name].to_list())
                self.words[name] = [word.value for word, _ in counted.most_common()]
            elif (numbers := _with_missing(table[name])) is not None:
                self.missing[name] = _stand_in(numbers)

    def numbers(self, table: Any, name: str) -> npt.NDArray[Any]:
        """Encode a table, or one row of it, as numbers."""
        is_row = not hasattr(table, "columns")
        columns = []
        for column in self.names:
            values = [table[column]] if is_row else table[column]
            of_column = f"{name}[{column!r}]"
            if column in self.missing:
                known = values if is_row else _with_missing(values)
                numbers = reals(values if known is None else known, of_column)
                stand_in = numbers.dtype.type(self.missing[column])
                columns.append(np.where(np.isnan(numbers), stand_in, numbers))
                continue
            if column not in self.words:
                columns.append(reals(values, of_column))
                continue
            number = {_Word(word): index for index, word in enumerate(self.words[column])}
            words = [_Word(word) for word in values]
            unknown = next((word.value for word in words if word not in number), None)
            if unknown is not None:
                raise ValueError(f"{of_column}: the column of the inputs has no {unknown!r}")
            columns.append(np.array([number[word] for word in words], dtype=np.float64))
        table_of_numbers: npt.NDArray[Any] = np.column_stack(columns)
        return table_of_numbers[0] if is_row else table_of_numbers

    def with_missing(self, batch: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Replace the codes of missing values by NaN."""
        stand_ins = np.array([self.missing.get(name, np.nan) for name in self.names], batch.dtype)
        return np.where(batch == stand_ins, np.nan, batch)

    def rows(self, batch: npt.NDArray[Any]) -> Any:
        """Decode numbers to a table, with the original column types where these can represent the
        numbers.
        """
        if not self.is_named:
            return self.kind(batch, columns=self.names)
        columns: dict[Any, Any] = dict(zip(self.names, batch.T))
        for name, words in self.words.items():
            places = np.clip(np.rint(columns[name]), 0, len(words) - 1).astype(np.int64)
            columns[name] = [words[index] for index in places]
        kept = {name: kind for name, kind in self.dtypes.items() if _can_hold(kind, columns[name])}
        table = self.kind(columns)
        return table.astype(kept) if hasattr(table, "astype") else table.cast(kept)


class _Word:
    """Value of a text column; all missing values are equal."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.key = (is_missing(value), None if is_missing(value) else value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Word) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def _is_text(column: Any) -> bool:
    """Return whether a column is categorical or contains text."""
    array = column.to_numpy()
    if array.dtype.kind in "iufb":
        return str(column.dtype) == "category"
    return any(isinstance(item, (str, bytes)) for item in array.tolist())


def _with_missing(column: Any) -> npt.NDArray[Any] | None:
    """Return a numeric column with NaN for missing values; ``None`` if nothing is missing or it is
    not numeric.
    """
    if hasattr(column.dtype, "is_numeric"):  # of polars
        values = column.to_numpy() if column.dtype.is_numeric() else None
    elif getattr(column.dtype, "kind", "O") not in "iufb":
        return None
    elif isinstance(column.dtype, np.dtype):
        values = column.to_numpy()
    else:
        values = column.to_numpy(np.float64, na_value=np.nan)
    has_any = values is not None and values.dtype.kind == "f" and np.isnan(values).any()
    return values if has_any else None


def _stand_in(numbers: npt.NDArray[Any]) -> float:
    """Return a number near the mean of the values that differs from all values and from the mean.
    """
    known = numbers[np.isfinite(numbers)].astype(np.float64)
    mean, spread = (known.mean(), np.ptp(known)) if known.size else (0.0, 0.0)
    stand_in = numbers.dtype.type(mean + 1e-4 * (max(spread, abs(mean)) or 1.0))
    while stand_in in numbers:
        stand_in = np.nextafter(stand_in, numbers.dtype.type(np.inf))
    return float(stand_in)


def _can_hold(kind: Any, values: Any) -> bool:
    """Return whether a column type can represent the values; interpolated integers may be
    fractions.
    """
    name = str(kind).lower()
    if not isinstance(values, np.ndarray) or not name.startswith(("int", "uint", "bool")):
        return True
    return np.array_equal(values, values != 0 if name.startswith("bool") else np.rint(values))
