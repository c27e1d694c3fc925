"""Tables of pandas and polars as numbers, and back.

Numbers and booleans stay what they are. Other columns are coded: words by how often they occur,
dates, durations, periods and ordered categories by their order. Values without a hash (lists,
dictionaries) are left alone.
"""

from __future__ import annotations

import datetime
import decimal
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import column_names, is_missing, reals

if TYPE_CHECKING:
    import numpy.typing as npt


class Table:
    """Encoding of a table as numbers, and back.

    A number between two codes decodes to the nearest one, and a missing value of a column of
    numbers is encoded as a number near the mean of the column that no other value has. As long as
    nothing changes a code, it decodes to the value that the table has, in its own type.
    """

    def __init__(self, table: Any) -> None:
        self.kind = type(table)
        self.names = list(column_names(table) or [])
        self.dtypes = dict(zip(self.names, table.dtypes))
        #: True if column names are unique.
        self.is_named = len(self.dtypes) == len(self.names)
        #: Columns of words, dates and other values.
        self.coded: dict[Any, Codes] = {}
        #: Columns that are given to the model as they are, whatever a metric changes.
        self.unchanged_columns: dict[Any, Any] = {}
        #: Code of missing values, by column of numbers.
        self.missing: dict[Any, float] = {}
        #: Columns whose missing values are null or ``None`` rather than NaN.
        self.nulls: set[Any] = set()
        #: Columns of decimal numbers.
        self.decimals: set[Any] = set()
        #: Columns with numbers that no double has, or with both null and NaN, and their numbers.
        self.exact: dict[Any, tuple[Any, npt.NDArray[Any]]] = {}
        for name in self.names if self.is_named else ():
            self._add(name, table[name])

    def _add(self, name: Any, column: Any) -> None:
        if _is_coded(column):
            if _are_hashable(column):
                self.coded[name] = Codes(column)
            else:
                self.unchanged_columns[name] = column
            return
        if _is_decimal(column):
            self.decimals.add(name)
        numbers = _with_missing(column)
        if numbers is not None:
            self.missing[name] = _stand_in(numbers)
            if _has_nulls(column):
                self.nulls.add(name)
        if _is_wide(column) or (name in self.nulls and _has_nan(column)):
            self.exact[name] = column, reals(column, str(name)) if numbers is None else numbers

    @property
    def has_codes(self) -> bool:
        """True if some columns are not numbers."""
        return bool(self.coded or self.unchanged_columns)

    @property
    def needs_samples(self) -> bool:
        """True if decoding needs the rows of the table that numbers were made of."""
        return bool(self.unchanged_columns or self.exact)

    def numbers(self, table: Any, name: str) -> npt.NDArray[Any]:
        """Encode a table, or one row of it, as numbers."""
        is_row = not hasattr(table, "columns")
        columns: list[npt.NDArray[Any]] = []
        for column in self.names:
            values = [table[column]] if is_row else table[column]
            of_column = f"{name}[{column!r}]"
            if column in self.unchanged_columns:
                columns.append(np.zeros(len(values)))
            elif column in self.coded:
                columns.append(self.coded[column].numbers(values, of_column))
            elif column in self.missing:
                known = None if is_row else _with_missing(values)
                plain = _floats(values) if column in self.decimals else values
                numbers = reals(plain if known is None else known, of_column)
                stand_in = numbers.dtype.type(self.missing[column])
                columns.append(np.where(np.isnan(numbers), stand_in, numbers))
            else:
                columns.append(reals(_floats(values) if column in self.decimals else values, of_column))
        table_of_numbers: npt.NDArray[Any] = np.column_stack(columns)
        return table_of_numbers[0] if is_row else table_of_numbers

    def extend(self, table: Any, name: str) -> None:
        """Add codes for the values of another table with the same columns."""
        for column, codes in self.coded.items():
            codes.extend(table[column], f"{name}[{column!r}]")

    def typical(self, numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return one row ``(1, columns)`` with the mean of each column of numbers, the most frequent
        word, and the median of dates and ordered categories.
        """
        row = self.with_missing(numbers)
        known = ~np.isnan(row)
        total, n_known = np.where(known, row, 0.0).sum(axis=0, dtype=np.float64), known.sum(axis=0)
        stand_ins = np.array([self.missing.get(name, 0.0) for name in self.names])
        typical = np.where(n_known > 0, total / np.maximum(n_known, 1), stand_ins)
        for index, name in enumerate(self.names):
            if name in self.coded:
                typical[index] = self.coded[name].typical(numbers[:, index])
        return np.asarray(typical.astype(numbers.dtype)[None])

    def rows(self, batch: npt.NDArray[Any], samples: Any = None) -> Any:
        """Decode numbers to a table, with the original column types where these can represent the
        numbers. ``samples`` are the rows of the table that the numbers were made of.
        """
        if not self.is_named:
            return self.kind(batch, columns=self.names)
        columns: dict[Any, Any] = {}
        for name, values in zip(self.names, batch.T):
            if name in self.coded:
                columns[name] = self.coded[name].values_of(values)
            elif name in self.unchanged_columns:
                columns[name] = _take(self.unchanged_columns[name], samples)
            else:
                columns[name] = _in_type(values, self.dtypes[name], name in self.nulls, name in self.decimals)
            if name in self.exact and samples is not None:
                columns[name] = _with_original(columns[name], values, *self.exact[name], np.asarray(samples))
        return self.kind(columns)

    def with_missing(self, batch: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Replace the codes of missing values by NaN."""
        stand_ins = np.array([self.missing.get(name, np.nan) for name in self.names], batch.dtype)
        return np.where(batch == stand_ins, np.nan, batch)

    @property
    def is_coded_column(self) -> list[bool]:
        """Which columns are not numbers."""
        return [name in self.coded or name in self.unchanged_columns for name in self.names]

    def described(self, row: npt.NDArray[Any] | None) -> str:
        """Return what each column is replaced by: the value in a row of numbers, or in another row of
        the data for each sample if it is ``None``.

        Neighbouring columns with the same replacement are named together.
        """
        parts: list[tuple[str, list[str]]] = []
        numbers = [None] * len(self.names) if row is None else np.ravel(row).tolist()
        for name, number in zip(self.names, numbers):
            if name in self.unchanged_columns:
                text = "left alone"
            elif number is None:
                text = "the value of a row of each sample"
            elif name in self.coded:
                text = self.coded[name].described(number)
            else:
                text = f"{number:.6g}"
            if parts and parts[-1][0] == text:
                parts[-1][1].append(str(name))
            else:
                parts.append((text, [str(name)]))
        return "; ".join(f"{', '.join(names)}: {text}" for text, names in parts)


class Codes:
    """Numbers for the values of a column, around 0 for the typical one.

    Words are numbered by decreasing frequency from 0, so that 0, the default baseline of most
    metrics, is the most frequent word. Dates, durations, periods and ordered
    categories are numbered in their order, and 0 is their median.

    Examples
    --------
    >>> import pandas
    >>> codes = Codes(pandas.Series(["b", "a", "a"]))
    >>> codes.numbers(["a", "b"], "x").tolist(), list(codes.values_of(np.array([0.2, 1.0])))
    ([0.0, 1.0], ['a', 'b'])
    """

    def __init__(self, column: Any) -> None:
        keys = _keys(column)
        counted = Counter(keys)
        first = _first_positions(keys)
        #: Categories in their order, if the column has some.
        self.categories: list[Any] | None = _ordered_categories(column)
        known = [key for key in counted if not key[0]]
        are_dates = bool(known) and all(_has_order(key[1]) for key in known)
        in_order = self._sorted(known) if _is_temporal(column) or self.categories is not None or are_dates else None
        #: True if codes have the order of the values.
        self.is_ordered = in_order is not None
        if in_order is not None:
            order = [*in_order, *(key for key in counted if key[0])]
            n_until = np.cumsum([counted[key] for key in in_order])
            self.lowest = -int(np.searchsorted(n_until, (n_until[-1] + 1) // 2)) if in_order else 0
        else:
            order = [key for key, _ in counted.most_common()]
            self.lowest = 0
        self.positions = {key: position for position, key in enumerate(order)}
        #: One value for each code, from the lowest on.
        self.values = _take(column, [first[key] for key in order])

    def numbers(self, values: Any, name: str) -> npt.NDArray[np.float64]:
        """Return the codes of values."""
        keys = _keys(values)
        unknown = next((index for index, key in enumerate(keys) if key not in self.positions), None)
        if unknown is not None:
            raise ValueError(f"{name}: the column of the inputs has no {list(values)[unknown]!r}")
        return np.array([self.positions[key] + self.lowest for key in keys], dtype=np.float64)

    def values_of(self, numbers: npt.NDArray[Any]) -> Any:
        """Return the values of codes, in the type of the column."""
        last = len(self.positions) - 1
        return _take(self.values, np.clip(np.rint(numbers).astype(np.int64) - self.lowest, 0, last))

    def typical(self, numbers: npt.NDArray[Any]) -> float:
        """Return the code of the median of dates, or of the most frequent value."""
        codes, counts = np.unique(numbers, return_counts=True)
        if not self.is_ordered:
            return float(codes[np.argmax(counts)])
        keys = list(self.positions)
        known = self._sorted([key for key in (keys[int(code) - self.lowest] for code in numbers) if not key[0]])
        if known is None:
            return float(codes[np.argmax(counts)])
        return float(self.positions[known[(len(known) - 1) // 2]] + self.lowest if known else codes[0])

    def extend(self, column: Any, name: str) -> None:
        """Add codes for the values of another column."""
        new = {key: at for key, at in _first_positions(_keys(column)).items() if key not in self.positions}
        if not new:
            return
        try:
            values = _joined(self.values, _take(column, list(new.values())))
        except Exception as error:  # of the library, for values of another type
            raise ValueError(f"{name}: expected values of the type {self.values.dtype}, as in the inputs ({error})") from None
        self.values = values
        self.positions |= {key: len(self.positions) + index for index, key in enumerate(new)}

    def _sorted(self, keys: list[_Key]) -> list[_Key] | None:
        """Return keys in the order of their values; ``None`` if these cannot be compared."""
        if self.categories is not None:
            place_of = {category: place for place, category in enumerate(self.categories)}
            return sorted(keys, key=lambda key: place_of[key[1]])
        try:
            return sorted(keys)
        except TypeError:  # a date and a time, for instance
            return None

    def described(self, number: float) -> str:
        """Return a value with the reason why it is typical, if it is."""
        value = list(self.values_of(np.array([number])))[0]
        text = repr(value) if isinstance(value, str) else str(value)
        reason = "the median" if self.is_ordered else "the most frequent"
        return f"{text}, {reason}" if number == 0 else text


#: Whether a value is missing, and the value otherwise; equal for all missing values.
_Key = tuple[bool, Any]


def _keys(values: Any) -> list[_Key]:
    """Return a key for each value."""
    if _is_temporal(values) and hasattr(values, "to_physical"):
        # Python's dates have no nanoseconds.
        values = values.to_physical()
    elements = values.to_list() if hasattr(values, "to_list") else list(values)
    return [(True, None) if _is_missing(element) else (False, element) for element in elements]


def _are_hashable(column: Any) -> bool:
    try:
        hash(tuple(_keys(column)))
    except TypeError:
        return False
    return True


def _has_order(value: Any) -> bool:
    """Return whether a value of a column of objects is a date, a duration or a period."""
    return isinstance(value, (datetime.date, datetime.timedelta)) or type(value).__name__ == "Period"


def _ordered_categories(column: Any) -> list[Any] | None:
    """Return the categories of an ordered column of pandas."""
    kind: Any = getattr(column, "dtype", None)
    return list(kind.categories) if str(kind) == "category" and kind.ordered else None


def _first_positions(keys: list[_Key]) -> dict[_Key, int]:
    """Return where each key occurs first, in this order."""
    first: dict[_Key, int] = {}
    for position, key in enumerate(keys):
        first.setdefault(key, position)
    return first


def _is_missing(value: Any) -> bool:
    return not hasattr(value, "__len__") and is_missing(value)


def _is_temporal(column: Any) -> bool:
    kind: Any = getattr(column, "dtype", None)
    if hasattr(kind, "is_temporal"):  # of polars
        return bool(kind.is_temporal())
    return getattr(kind, "kind", "O") in "mM" or str(kind).startswith("period")


def _is_coded(column: Any) -> bool:
    """Return whether a column has values other than numbers, booleans among numbers included."""
    kind = column.dtype
    if hasattr(kind, "is_numeric"):  # of polars
        return not kind.is_numeric() and str(kind) != "Boolean"
    if getattr(kind, "kind", "O") in "iufbc" and str(kind) != "category":
        return False
    if str(kind) == "category" or _is_temporal(column):
        return True
    known = [value for value in column.to_list() if not _is_missing(value)]
    kinds = (int, float, np.number, decimal.Decimal)
    return bool(known) and not all(isinstance(value, kinds) and not isinstance(value, bool) for value in known)


def _is_decimal(column: Any) -> bool:
    """Return whether a column that is not coded has decimal numbers."""
    if hasattr(column.dtype, "is_numeric"):  # of polars
        return str(column.dtype).startswith("Decimal")
    if getattr(column.dtype, "kind", "O") != "O":
        return False
    return any(isinstance(value, decimal.Decimal) for value in column.to_list())


def _is_wide(column: Any) -> bool:
    """Return whether a column has integers that no double has."""
    name = str(column.dtype).lower().removeprefix("sparse[")
    if not name.startswith(("int64", "uint64")):
        return False
    low, high = column.min(), column.max()
    return not _is_missing(low) and (int(high) > 2**53 or int(low) < -(2**53))


def _has_nulls(column: Any) -> bool:
    if hasattr(column, "null_count"):  # of polars
        return bool(column.null_count())
    return column.dtype == object and any(value is None for value in column)


def _has_nan(column: Any) -> bool:
    """Return whether a column of polars has NaN."""
    return hasattr(column.dtype, "is_float") and column.dtype.is_float() and bool(column.is_nan().any())


def _floats(values: Any) -> npt.NDArray[np.float64]:
    """Return decimal numbers as floating-point numbers, NaN where they are missing."""
    if hasattr(values, "cast"):  # of polars
        return np.asarray(values.cast(float).to_numpy())
    return np.array([np.nan if _is_missing(value) else float(value) for value in values])


def _take(column: Any, positions: Any) -> Any:
    """Return the values at some positions, without an index."""
    if hasattr(column, "gather"):  # of polars
        return column.gather(np.asarray(positions, dtype=np.int64))
    return column.take(positions).reset_index(drop=True)


def _joined(first: Any, second: Any) -> Any:
    """Append values in the type of the first ones."""
    if hasattr(first, "gather"):
        return first.append(second.cast(first.dtype))
    converted = second.astype(first.dtype)
    if (converted.isna() & ~second.isna()).any():
        raise ValueError("a category is unknown")
    return sys.modules["pandas"].concat([first, converted], ignore_index=True)


def _with_missing(column: Any) -> npt.NDArray[Any] | None:
    """Return a numeric column with NaN for missing values; ``None`` if nothing is missing or it is
    not numeric.
    """
    if hasattr(column.dtype, "is_numeric"):  # of polars
        is_flag = str(column.dtype) == "Boolean" and column.null_count() > 0
        column = column.cast(float) if is_flag or _is_decimal(column) else column
        values = column.to_numpy() if column.dtype.is_numeric() else None
    elif getattr(column.dtype, "kind", "O") == "O":
        values = _floats(column)
    elif column.dtype.kind not in "iufb":
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
    # Half precision, in which few numbers are near the mean, is given to the native part as single.
    kind = np.result_type(numbers.dtype, np.float32).type
    stand_in = kind(mean + 1e-4 * (max(spread, abs(mean)) or 1.0))
    while stand_in in numbers or stand_in == kind(mean):
        stand_in = np.nextafter(stand_in, kind(np.inf))
    return float(stand_in)


def _with_original(column: Any, values: Any, original: Any, numbers: Any, samples: npt.NDArray[Any]) -> Any:
    """Return a column with the original values where its numbers are those of the samples."""
    there = _take(original, samples)
    if column.dtype != there.dtype:
        return column
    of_samples = numbers[samples]
    is_same = (values == of_samples) | (np.isnan(values) & np.isnan(of_samples))
    if hasattr(column, "zip_with"):  # of polars
        return there.zip_with(sys.modules["polars"].Series(is_same), column)
    return there.where(is_same, column)


def _in_type(values: npt.NDArray[Any], kind: Any, has_nulls: bool, is_decimal: bool = False) -> Any:
    """Return numbers as a column of a type, or as they are if the type cannot represent them, such as
    fractions of whole numbers.
    """
    library = "polars" if hasattr(kind, "is_numeric") else "pandas"
    column = sys.modules[library].Series(values)
    known = ~np.isnan(values)
    if library == "polars" and has_nulls:
        column = column.fill_nan(None)
    if library == "pandas" and kind == object:
        exact = [decimal.Decimal(repr(value)) for value in values.tolist()] if is_decimal else values.tolist()
        column = sys.modules[library].Series(exact, dtype=object)
        return column.where(known, None) if has_nulls else column
    # Of sparse columns the type of their values.
    name = str(getattr(kind, "subtype", kind)).lower()
    if name.startswith("bool") and not np.isin(values[known], (0.0, 1.0)).all():
        return column
    is_whole = name.startswith(("bool", "int", "uint"))
    if is_whole and not known.all() and (isinstance(kind, np.dtype) or (library == "polars" and not has_nulls)):
        return column
    try:
        converted = column.cast(kind) if library == "polars" else column.astype(kind)
    except Exception:  # of the library, for numbers beyond the range of the type
        return column
    if is_whole and not np.array_equal(converted.to_numpy()[known].astype(np.float64), values[known]):
        return column
    if is_decimal and not np.array_equal(_floats(converted), values, equal_nan=True):
        return column
    return converted
