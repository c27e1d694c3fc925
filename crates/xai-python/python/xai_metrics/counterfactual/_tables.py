"""Conversion of tables to numbers by a schema, and back for models."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import reals
from .._labels import examples
from ._columns import as_numbers, column_labels, column_values, is_nominal, is_table, listed
from ._schema import Feature, Schema, categories_of

if TYPE_CHECKING:
    import numpy.typing as npt

    Rows = npt.NDArray[np.float64]

#: What to do about a missing value.
_FILL = "fill such values, or leave their rows out"
_DROP = "leave out rows of counterfactuals that do not exist"


def schema_of(given: Any, queries: Any, tables: Mapping[str, Any], exclude: Iterable[Hashable] = ()) -> Schema:
    """Return the given schema, or one of features that may change in any way.

    Without a schema the features are the columns that the queries and all other tables have. Those of text are categorical, all
    others numeric.
    """
    if isinstance(given, Schema):
        return given
    columns = column_labels(queries)
    if isinstance(given, Mapping):
        return Schema.from_dict(given) if "feature" in given else Schema.from_columns(given, len(columns))
    if given is not None:
        raise TypeError(f"schema: expected a Schema, got {type(given).__name__}")
    left_out = set(exclude)
    if not is_table(queries):
        return Schema(tuple(Feature(f"column {c}", columns=(c,)) for c in columns), tuple(columns))
    named = {name: table for name, table in {"queries": queries, **tables}.items() if is_table(table)}
    shared = [c for c in columns if c not in left_out and all(c in column_labels(table) for table in named.values())]
    if not shared:
        raise ValueError(f"queries: has no column that {' and '.join(list(named)[1:])} have")
    features = []
    for column in shared:
        values = [(table[column], f"{name}[{column!r}]") for name, table in named.items()]
        if any(is_nominal(one) for one, _ in values):
            # Categories of counterfactuals alone are possible, too: without a schema everything is.
            present = [(_present(one, name), name) for one, name in values]
            features.append(Feature(str(column), "categorical", (column,), categories=categories_of(present)))
        else:
            features.append(Feature(str(column), columns=(column,)))
    return Schema(tuple(features), tuple(shared))


def _present(values: Any, name: str) -> list[Any]:
    return [value for value in listed(values, name) if value is not None]


class Encoder:
    """Encodes rows of tables as numbers, and decodes numbers as rows of a table like the queries."""

    def __init__(self, schema: Schema, like: Any) -> None:
        self.schema = schema
        self._like = like
        #: Number of each category of columns of text. Unknown categories of counterfactuals are added.
        self._codes = schema.codes()
        self._names: dict[Hashable, Feature] = {
            column: feature for feature in schema.features for column in feature.columns
        }

    def rows(self, table: Any, name: str, *, is_counterfactual: bool = False) -> Rows:
        """Encode the rows of a table.

        Counterfactuals may have categories that the schema does not have, and rows without any value.
        """
        if is_table(table):
            known = column_labels(table)
            by_position = self.schema.columns == tuple(range(len(self.schema.columns)))
            columns = known if by_position and len(known) == len(self.schema.columns) else list(self.schema.columns)
            missing = [column for column in columns if column not in known]
            if missing:
                raise ValueError(
                    f"{name}: has no column {missing[0]!r}, which is a feature; it has {', '.join(map(repr, known))}"
                )
            encoded = [
                self._column(column_values(table, column), own, name, is_counterfactual)
                for column, own in zip(columns, self.schema.columns)
            ]
            rows = np.column_stack(encoded) if len(encoded[0]) else np.empty((0, len(encoded)))
        else:
            array = np.asarray(reals(_nan_for_none(table), name), np.float64)
            rows = array.reshape(0, len(self.schema.columns)) if array.size == 0 else array
            if rows.ndim != 2 or rows.shape[1] != len(self.schema.columns):
                expected = f"(n, {len(self.schema.columns)}), a column for each of the schema"
                raise ValueError(f"{name}: expected shape {expected}, got {rows.shape}")
        self._check(rows, name, is_counterfactual)
        return np.ascontiguousarray(rows, np.float64)

    def columns(self) -> list[tuple[str, list[str] | None]]:
        """Return the names of the columns with the names of their categories; ``None`` for numbers."""
        codes = [self._codes.get(column) for column in self.schema.columns]
        names = [None if of is None else list(map(str, of)) for of in codes]
        return list(zip(map(str, self.schema.columns), names))

    def _column(self, values: Any, column: Hashable, name: str, is_counterfactual: bool) -> Rows:
        dtype = getattr(values, "dtype", None)
        codes = self._codes.get(column)
        feature = self._names[column]
        if codes is None and feature.kind == "categorical" and feature.categories is None and is_nominal(values):
            # Categories of any table: the schema does not list them.
            codes = self._codes.setdefault(column, {})
        is_open = is_counterfactual or feature.categories is None
        if codes is None:
            if isinstance(dtype, np.dtype) and dtype.kind in "iuf":
                return np.asarray(reals(values, f"{name}[{column!r}]", 1), np.float64)
            items = listed(values, name)
            for row, item in enumerate(items):
                if not (item is None or isinstance(item, (int, float, np.number))):
                    at = f"{name}[{row}, {column!r}]"
                    raise TypeError(f"{at}: expected a number, got {item!r}; the schema says that {feature.name} is {feature.kind}")
            return as_numbers(items)
        numbers = np.full(len(values), np.nan)
        for row, item in enumerate(listed(values, name)):
            if item is None:
                continue
            if item not in codes:
                at = f"{name}[{row}, {column!r}]"
                kinds = {isinstance(known, str) for known in codes}
                if len(kinds) == 1 and isinstance(item, str) not in kinds:
                    raise TypeError(f"{at}: got {item!r}, but the categories are {examples(list(codes))}; convert one of them")
                if not is_open:
                    raise ValueError(f"{at}: {item!r} is not a category of {feature.name} ({examples(list(codes))}); add it to the schema")
                codes[item] = float(len(codes))
            numbers[row] = codes[item]
        return numbers

    def _check(self, rows: Rows, name: str, is_counterfactual: bool) -> None:
        wrong = ~np.isfinite(rows)
        if is_counterfactual:
            wrong &= ~np.isnan(rows).all(axis=1, keepdims=True)
        if wrong.any():
            row, position = (int(i) for i in np.argwhere(wrong)[0])
            column = self.schema.columns[position]
            if np.isnan(rows[row, position]):
                what = f"the value is missing; {_DROP if is_counterfactual else _FILL}"
            else:
                what = "the value is not finite"
            raise ValueError(f"{name}[{row}, {column!r}]: {what}")

    def table(self, rows: Rows) -> Any:
        """Decode rows to what models take: a table like the queries, or an array."""
        library = type(self._like).__module__.partition(".")[0]
        if not is_table(self._like) or library not in ("pandas", "polars", "pyarrow"):
            return rows
        columns: dict[Any, Any] = {}
        for position, column in enumerate(self.schema.columns):
            values = rows[:, position]
            if column in self._codes:
                labels = list(self._codes[column])
                columns[column] = [labels[int(code)] for code in values]
            else:
                columns[column] = _as_before(values, self._like, column)
        if library == "pandas":
            import pandas

            return pandas.DataFrame({column: _like_pandas(values, self._like, column) for column, values in columns.items()})
        if library == "polars":
            import polars

            return polars.DataFrame(columns)
        import pyarrow

        return pyarrow.table(columns)


def _nan_for_none(table: Any) -> Any:
    """Return rows given as lists with NaN for ``None``."""
    if isinstance(table, (list, tuple)) and any(isinstance(row, (list, tuple)) and None in row for row in table):
        return [[np.nan if value is None else value for value in row] for row in table]
    return table


def _as_before(values: Rows, like: Any, column: Hashable) -> Any:
    """Return numbers as integers if the column of the queries has integers, and all of them are whole."""
    is_whole = column in column_labels(like) and "int" in str(getattr(like[column], "dtype", "")).lower()
    return values.astype(np.int64) if is_whole and (values == np.trunc(values)).all() else values


def _like_pandas(values: Any, like: Any, column: Hashable) -> Any:
    """Return labels as a column of the type that the queries have, if it has all of them."""
    import pandas

    dtype = like[column].dtype if column in column_labels(like) else None
    categories = getattr(dtype, "categories", None)
    if categories is not None and not set(values) <= set(categories):
        return values
    return pandas.Series(values, dtype=dtype) if isinstance(values, list) else values
