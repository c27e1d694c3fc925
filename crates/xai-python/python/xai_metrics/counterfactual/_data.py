"""Inputs of the metrics in the native form."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from .._alignment import Alignment, has_labels
from .._arguments import whole
from .._arrays import booleans, column_names, integers, reals
from ._columns import column_labels, is_table, listed
from ._labels import LabelCodes
from ._tables import Encoder, schema_of

if TYPE_CHECKING:
    import numpy.typing as npt

#: Descriptions of the inputs by name.
SPECS: dict[str, dict[str, Any]] = {spec["name"]: spec for spec in _native.counterfactual_inputs() if spec["element"] != "model"}

#: Inputs that have a function of their own.
_OTHERWISE = ("queries", "counterfactuals", "query", "train", "train_labels", "others", "other_query")

#: Inputs that describe the queries, and those that describe the counterfactuals.
OF_QUERIES = [name for name, spec in SPECS.items() if spec["axes"] == ["n"]]
OF_ROWS = [name for name, spec in SPECS.items() if "N" in spec["axes"] and name not in _OTHERWISE]


@dataclass(frozen=True)
class Rows:
    """Encoded counterfactuals with the query of each."""

    rows: npt.NDArray[np.float64]
    query: npt.NDArray[np.int64]
    #: For each row that was given, whether it exists: rows without any value do not.
    kept: npt.NDArray[np.bool_]

    def native(self) -> tuple[npt.NDArray[np.float64], list[int]]:
        """Return rows and queries as the native part takes them."""
        return self.rows, self.query.tolist()


class Study:
    """Queries, with what all methods share."""

    def __init__(
        self,
        queries: Any,
        schema: Any,
        tables: Mapping[str, Any],
        train: Any = None,
        train_labels: Any = None,
        shared: Mapping[str, Any] | None = None,
        exclude: Sequence[Hashable] = (),
        key: Hashable | None = None,
    ) -> None:
        given = {name: table for name, table in {"train": train, **tables}.items() if table is not None}
        self.alignment = Alignment()
        self.queries = self.alignment.take(queries, "queries", "queries")
        self.schema = schema_of(schema, self.queries, given, exclude)
        self.encoder = Encoder(self.schema, self.queries)
        self.labels = LabelCodes()
        self.key = key
        self.x = self.encoder.rows(self.queries, "queries")
        self.shared = {
            name: self._of_queries(name, values) for name, values in (shared or {}).items() if values is not None
        }
        self.train: npt.NDArray[np.float64] | None = None
        self.train_labels: npt.NDArray[np.int64] | None = None
        self._reference: Any = None
        if train is not None:
            self.train = self.encoder.rows(self.alignment.take(train, "train", "training rows"), "train")
        if train_labels is not None:
            labels = self.alignment.take(train_labels, "train_labels", "training rows")
            self.train_labels = self.labels.take(labels, "train_labels")

    @property
    def n(self) -> int:
        """Number of queries."""
        return len(self.x)

    @property
    def native_schema(self) -> tuple[int, list[dict[str, Any]]]:
        """The schema in the native form."""
        return self.schema._native()

    def reference(self) -> Any:
        """Return the native training rows, which all methods share; ``None`` without training rows."""
        if self._reference is None and self.train is not None:
            self._reference = _native.CounterfactualReference(self.native_schema, self.train, self.train_labels)
        return self._reference

    def _of_queries(self, name: str, values: Any) -> Any:
        taken = self.alignment.take(values, name, "queries")
        if SPECS[name]["element"] == "class":
            return self.labels.take(taken, name)
        return np.asarray(reals(taken, name, 1), np.float64)

    def rows(self, table: Any, query: Any, name: str) -> Rows:
        """Encode counterfactuals, and find the query of each."""
        encoded = self.encoder.rows(table, name, is_counterfactual=True)
        positions = self._query(table, query, len(encoded), name)
        kept: npt.NDArray[np.bool_] = ~np.asarray(np.isnan(encoded).all(axis=1), bool)
        return Rows(np.ascontiguousarray(encoded[kept]), positions[kept], kept)

    def _query(self, table: Any, query: Any, n_rows: int, name: str) -> npt.NDArray[np.int64]:
        """Return the index of the query of each row: as given, by the key, by the column `query`, or by the index."""
        named = column_labels(table) if is_table(table) else []
        if query is None and self.key is not None:
            return self._by_key(table, name)
        if query is None and "query" in named and "query" not in self.schema.columns:
            query = table["query"]
        if query is not None:
            positions = integers(query, "query", 1)
            if len(positions) != n_rows:
                raise ValueError(f"query: expected {n_rows} elements, one for each row of {name}, got {len(positions)}")
            wrong = (positions < 0) | (positions >= self.n)
            if wrong.any():
                row = int(np.argmax(wrong))
                raise ValueError(
                    f"query[{row}]: expected the row number of one of {self.n} queries, from 0, got {int(positions[row])}"
                )
            return positions
        index = getattr(table, "index", None) if hasattr(table, "iloc") else None
        own = getattr(self.queries, "index", None) if hasattr(self.queries, "iloc") else None
        if index is not None and own is not None and (has_labels(table) or n_rows != self.n):
            if n_rows == self.n and not has_labels(self.queries):
                # Another order of numbers that only count is refused: positions may be meant.
                self.alignment.take(table, name, "queries")
            return _positions(list(own), list(index), name)
        if n_rows != self.n:
            raise ValueError(
                f"{name}: has {n_rows} rows for {self.n} queries; give the query of each by `query`, a column `query` of row "
                "numbers from 0, or `key`"
            )
        self.alignment.take(table, name, "queries")
        return np.arange(self.n)

    def _by_key(self, table: Any, name: str) -> npt.NDArray[np.int64]:
        for called, of in (("queries", self.queries), (name, table)):
            if self.key not in (column_names(of) or []):
                raise ValueError(f"key: {called} has no column {self.key!r}")
        own, found = (listed(of[self.key], called) for called, of in (("queries", self.queries), (name, table)))
        return _positions(own, found, f"{name}[{self.key!r}]")

    def native(self, rows: Rows, own: Mapping[str, Any], name: str, others: Rows | None = None) -> dict[str, Any]:
        """Return the inputs of one method in the native form."""
        inputs: dict[str, Any] = {"queries": self.x, "counterfactuals": rows.native(), **self.shared}
        for which, values in own.items():
            if values is not None:
                inputs[which] = self._of_rows(which, values, rows.kept, name)
        inputs["others"] = None if others is None else others.native()
        return inputs

    def _of_rows(self, which: str, values: Any, kept: npt.NDArray[np.bool_], name: str) -> Any:
        axes, element = SPECS[which]["axes"], SPECS[which]["element"]
        at = axes.index("N")
        labels = [f"rows of {name}" if axis == "N" else None for axis in axes]
        taken = self.alignment.take(values, which, *labels)
        array: npt.NDArray[Any]
        if which.startswith("reconstruction"):
            array = self.encoder.rows(taken, which)
        elif element == "class":
            array = self.labels.take(taken, which, len(axes)) if len(axes) == 1 else self._predictions(taken, which, at, len(kept))
        elif element == "boolean":
            array = booleans(taken, which, 1)
        else:
            array = np.asarray(reals(taken, which, len(axes)), np.float64)
        if array.shape[at] != len(kept):
            expected = SPECS[which]["shape"]
            raise ValueError(f"{which}: expected shape {expected} with N = {len(kept)} rows of {name}, got {array.shape}")
        return np.ascontiguousarray(array[kept] if at == 0 else array[:, kept])

    def _predictions(self, values: Any, which: str, at: int, n_rows: int) -> npt.NDArray[np.int64]:
        """Return classes with two axes. Lists without rows do not say how many columns they have."""
        if isinstance(values, (list, tuple)) and not any(len(row) for row in values):
            return np.empty((0, 1) if at == 0 else (len(values), 0), np.int64)
        return self.labels.take(values, which, 2)


def _positions(known: list[Any], found: list[Any], name: str) -> npt.NDArray[np.int64]:
    """Return the index of each label among those of the queries."""
    place = {label: position for position, label in enumerate(known)}
    if len(place) < len(known):
        repeated = next(label for label in known if known.count(label) > 1)
        raise ValueError(f"queries: {repeated!r} occurs more than once, so that counterfactuals cannot be assigned by it")
    unknown = next(((row, label) for row, label in enumerate(found) if label not in place), None)
    if unknown is not None:
        row, label = unknown
        raise ValueError(f"{name}: row {row} belongs to {label!r}, which is no query; {_QUERY_HINT}")
    return np.array([place[label] for label in found], np.int64)


_QUERY_HINT = "give the query of each row by `query`, a column `query` of row numbers from 0, or `key`"


def rules(constraints: Any, schema_columns: Sequence[Hashable]) -> list[dict[str, Any]] | None:
    """Convert causal rules; columns are indices or names."""
    if constraints is None:
        return None
    converted = []
    for position, rule in enumerate(constraints):
        if not isinstance(rule, Mapping):
            raise TypeError(f"constraints[{position}]: expected a mapping with cause and effect, got {rule!r}")
        given = {"direction": 1, "effect_direction": 1, "strict": False, **rule}
        unknown = sorted(given.keys() - {"cause", "direction", "effect", "effect_direction", "strict"})
        if unknown or not {"cause", "effect"} <= given.keys():
            what = f"got {unknown[0]!r}" if unknown else "has no cause or no effect"
            raise ValueError(f"constraints[{position}]: {what}; expected cause, direction, effect, effect_direction, strict")
        for end in ("cause", "effect"):
            if isinstance(given[end], str):
                if given[end] not in schema_columns:
                    raise ValueError(f"constraints[{position}]: {given[end]!r} is not a column of the schema")
                given[end] = list(schema_columns).index(given[end])
            given[end] = whole(f"constraints[{position}][{end!r}]", given[end], 0)
        for direction in ("direction", "effect_direction"):
            given[direction] = whole(f"constraints[{position}][{direction!r}]", given[direction], -1, 2)
        converted.append({**given, "strict": bool(given["strict"])})
    return converted
