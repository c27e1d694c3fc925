"""Features of a table: kinds, ranges, and how they may change."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _native
from .._arguments import mapping, number
from .._arrays import reals
from .._results import plain
from ._columns import column_labels, column_values, is_nominal, listed

if TYPE_CHECKING:
    import numpy.typing as npt

Kind = Literal["numeric", "ordinal", "categorical", "one-hot"]
Change = Literal["any", "none", "increase", "decrease"]


@dataclass(frozen=True)
class Feature:
    """A feature: one column, or the indicator columns of a category.

    Attributes
    ----------
    name : str
        Name in results and errors.
    kind : {"numeric", "ordinal", "categorical", "one-hot"}
        Kind of the values.
    columns : tuple
        Names of the columns; indices if the table has no names.
    change : {"any", "none", "increase", "decrease"}
        Changes that it allows.
    low, high : float or None
        Smallest and largest possible value.
    step : float or None
        Distance between possible values, counted from ``low`` or else from 0.
    categories : tuple or None
        Known categories of a categorical feature.
    cost : float
        Cost of a change by 1, or of another category.

    Examples
    --------
    >>> Feature("age", "ordinal", ("age",), change="increase").cost
    1.0
    """

    name: str
    kind: Kind = "numeric"
    columns: tuple[Hashable, ...] = ()
    change: Change = "any"
    low: float | None = None
    high: float | None = None
    step: float | None = None
    categories: tuple[Any, ...] | None = None
    cost: float = 1.0


@dataclass(frozen=True)
class Schema:
    """Features of a table. Each column belongs to exactly one of them.

    Attributes
    ----------
    features : tuple of Feature
        Features.
    columns : tuple
        Names of the columns in their order; indices if the table has no names.

    Examples
    --------
    >>> schema = Schema((Feature("age", columns=(0,)), Feature("job", "one-hot", (1, 2))), (0, 1, 2))
    >>> [feature.kind for feature in schema.features]
    ['numeric', 'one-hot']
    """

    features: tuple[Feature, ...]
    columns: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        _native.counterfactual_check(self._native())

    @classmethod
    def from_frame(
        cls,
        table: Any,
        *,
        immutable: Iterable[Hashable] = (),
        increase: Iterable[Hashable] = (),
        decrease: Iterable[Hashable] = (),
        ordinal: Iterable[Hashable] = (),
        categorical: Iterable[Hashable] = (),
        numeric: Iterable[Hashable] = (),
        one_hot: Mapping[str, Sequence[Hashable]] | None = None,
        ranges: Mapping[Hashable, tuple[float, float]] | None = None,
        steps: Mapping[Hashable, float] | None = None,
        costs: Mapping[Hashable, float] | None = None,
        exclude: Iterable[Hashable] = (),
    ) -> Schema:
        """Guess the features of a table, with corrections.

        Columns of text, booleans and categories are categorical, and so are those of 0 and 1. Columns of integers with at
        most 20 different values are ordinal with step 1, all others numeric; both have the range of their column.

        Parameters
        ----------
        table : pandas.DataFrame, polars.DataFrame, pyarrow.Table or array_like
            Rows, usually the training rows.
        immutable, increase, decrease : iterable of column names
            Features that cannot change, or only in one direction.
        ordinal, categorical, numeric : iterable of column names
            Features of this kind, whatever their values are. Ordered text categories become numbers by their order
            before, not here.
        one_hot : mapping from name to column names, optional
            Indicator columns of categories. They are not guessed.
        ranges : mapping from column name to (low, high), optional
            Possible values.
        steps : mapping from column name to number, optional
            Distances between possible values.
        costs : mapping from column name to number, optional
            Costs of a change by 1, or of another category.
        exclude : iterable of column names
            Columns that are no features, such as the label.

        Returns
        -------
        Schema
            Features.

        Raises
        ------
        ValueError
            For a column that the table does not have, and values that are missing.
        TypeError
            For text in a column that is said to be a number.

        Examples
        --------
        >>> import pandas
        >>> frame = pandas.DataFrame({"age": [20.5, 30.0], "sex": ["f", "m"]})
        >>> schema = Schema.from_frame(frame, immutable=["sex"])
        >>> [(feature.name, feature.kind, feature.change) for feature in schema.features]
        [('age', 'numeric', 'any'), ('sex', 'categorical', 'none')]
        """
        left_out = list(exclude)
        columns = [column for column in column_labels(table) if column not in left_out]
        groups = {name: tuple(of) for name, of in mapping("one_hot", one_hot, "columns for each name").items()}
        said_kinds: tuple[tuple[Kind, Iterable[Hashable]], ...] = (
            ("ordinal", ordinal),
            ("categorical", categorical),
            ("numeric", numeric),
        )
        said_changes: tuple[tuple[Change, Iterable[Hashable]], ...] = (
            ("none", immutable),
            ("increase", increase),
            ("decrease", decrease),
        )
        kinds = {column: kind for kind, of in said_kinds for column in of}
        changes = {column: change for change, of in said_changes for column in of}
        in_group = {column for of in groups.values() for column in of}
        guessed = [_guess(table, column, kinds.get(column)) for column in columns if column not in in_group]
        features = [*guessed, *(Feature(name, "one-hot", of) for name, of in groups.items())]
        known = {*columns, *groups, *(feature.name for feature in features)}
        settings: tuple[tuple[str, Mapping[Hashable, Any]], ...] = (
            ("kinds of features", kinds),
            ("changes", changes),
            ("one_hot", dict.fromkeys(in_group)),
            ("ranges", mapping("ranges", ranges, "(low, high) for each column")),
            ("steps", mapping("steps", steps, "a number for each column")),
            ("costs", mapping("costs", costs, "a number for each column")),
        )
        for name, of in settings:
            unknown = [column for column in of if column not in known]
            if unknown:
                raise ValueError(f"{name}: {unknown[0]!r} is not a column of the table ({', '.join(map(str, columns))})")
        chosen = [
            dataclasses.replace(feature, **_settings(feature, changes, *(of for _, of in settings[3:])))
            for feature in features
        ]
        return cls(tuple(chosen), tuple(columns))

    @classmethod
    def from_columns(cls, described: Mapping[str, Sequence[Any]], n_columns: int) -> Schema:
        """Create a schema from lists with an element for each column.

        Parameters
        ----------
        described : mapping from str to sequence
            Lists ``kind``, ``group`` (of one-hot columns), ``change`` (or ``mutable``), ``low``, ``high``, ``step``, ``categories``
            and ``cost`` (or ``weight``). ``None`` stands for the default.
        n_columns : int
            Number of columns.

        Returns
        -------
        Schema
            Features.

        Raises
        ------
        ValueError
            For an unknown list, a list of another length, and features that are impossible.

        Examples
        --------
        >>> schema = Schema.from_columns({"kind": ["numeric", "one-hot", "one-hot"], "group": [None, "job", "job"]}, 3)
        >>> [(feature.name, feature.columns) for feature in schema.features]
        [('column 0', (0,)), ('job', (1, 2))]
        """
        spelled = {"mutable": "change", "weight": "cost"}
        lists = {spelled.get(name, name): list(values) for name, values in described.items()}
        known = {field.name for field in dataclasses.fields(Feature)} - {"columns"} | {"group"}
        for name, values in lists.items():
            if name not in known:
                raise ValueError(f"schema: got a list {name!r}, expected some of {', '.join(sorted(known))}")
            if len(values) != n_columns:
                raise ValueError(f"schema: expected {n_columns} elements of {name}, one per column, got {len(values)}")
        features: dict[Hashable, Feature] = {}
        for column in range(n_columns):
            given = {name: values[column] for name, values in lists.items() if values[column] is not None}
            group = given.pop("group", None)
            is_hot = given.get("kind") == "one-hot" and group is not None
            key: Hashable = ("group", group) if is_hot else column
            if key in features:
                feature = features[key]
                features[key] = dataclasses.replace(feature, columns=(*feature.columns, column))
                continue
            name = str(group) if is_hot else f"column {column}"
            if "categories" in given:
                given["categories"] = tuple(given["categories"])
            features[key] = Feature(**{"name": name, **given, "columns": (column,)})
        return cls(tuple(features.values()), tuple(range(n_columns)))

    @classmethod
    def from_toml(cls, path: Any) -> Schema:
        """Read a schema that ``xai counterfactual schema`` or :meth:`to_toml` wrote.

        Parameters
        ----------
        path : path-like
            File.

        Returns
        -------
        Schema
            Features.

        Raises
        ------
        ValueError
            For a file that is no schema.
        """
        if sys.version_info < (3, 11):
            raise ImportError("from_toml needs Python 3.11 or newer; use from_dict")
        import tomllib

        with Path(path).open("rb") as file:
            stored = tomllib.load(file)
        return cls.from_dict(stored)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Schema:
        """Create a schema from the fields of :meth:`to_dict` or of a file.

        Parameters
        ----------
        stored : mapping
            List ``feature`` of features: ``name``, ``kind``, ``columns`` (default: the name), ``change``, ``range`` (or ``low``
            and ``high``), ``step``, ``categories``, ``cost``.

        Returns
        -------
        Schema
            Features.

        Raises
        ------
        ValueError
            For unknown or missing fields.

        Examples
        --------
        >>> Schema.from_dict({"feature": [{"name": "age", "range": [17, 90]}]}).features[0].high
        90.0
        """
        features = []
        for one in stored.get("feature", ()):
            fields = dict(one)
            if "range" in fields:
                fields["low"], fields["high"] = map(float, fields.pop("range"))
            fields["columns"] = tuple(fields.get("columns", (fields.get("name"),)))
            if "categories" in fields:
                fields["categories"] = tuple(fields["categories"])
            unknown = sorted(fields.keys() - {field.name for field in dataclasses.fields(Feature)})
            if unknown or "name" not in fields:
                raise ValueError(f"schema: {f'got {unknown[0]!r}' if unknown else 'a feature has no name'} in a feature")
            features.append(Feature(**fields))
        if not features:
            raise ValueError("schema: expected a list `feature` of at least one feature")
        columns = tuple(column for feature in features for column in feature.columns)
        return cls(tuple(features), columns)

    def to_dict(self) -> dict[str, Any]:
        """Return the features as plain values.

        Returns
        -------
        dict
            List ``feature`` of features without the fields that have their defaults.
        """
        defaults = Feature("")
        names = [field.name for field in dataclasses.fields(Feature) if field.name not in ("name", "kind", "columns")]
        features = []
        for feature in self.features:
            fields: dict[str, Any] = {"name": feature.name, "kind": feature.kind}
            if feature.columns != (feature.name,):
                fields["columns"] = plain(feature.columns)
            differing = {name: getattr(feature, name) for name in names}
            fields |= {name: plain(value) for name, value in differing.items() if value != getattr(defaults, name)}
            features.append(fields)
        return {"feature": features}

    def to_toml(self, path: Any) -> None:
        """Write the schema to a file that ``xai counterfactual`` reads.

        Parameters
        ----------
        path : path-like
            File.
        """
        lines = []
        for feature in self.to_dict()["feature"]:
            # Strings, numbers and lists of JSON are those of TOML.
            fields = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in feature.items()]
            lines += ["[[feature]]", *fields, ""]
        Path(path).write_text("\n".join(lines), encoding="utf-8")

    def codes(self) -> dict[Hashable, dict[Any, float]]:
        """Return the number of each category of columns of text, by column.

        Returns
        -------
        dict
            Numbers by category, by column. Columns whose categories are numbers are not listed.
        """
        named = (feature for feature in self.features if feature.kind == "categorical" and feature.categories)
        texts = (feature for feature in named if not all(map(_is_number, feature.categories or ())))
        return {
            feature.columns[0]: {category: float(code) for code, category in enumerate(feature.categories or ())}
            for feature in texts
        }

    def _native(self) -> tuple[int, list[dict[str, Any]]]:
        """Return the number of columns and the features in the native form."""
        index = {column: position for position, column in enumerate(self.columns)}
        codes = self.codes()
        features = []
        for feature in self.features:
            fields = {name: value for name, value in vars(feature).items() if value is not None}
            unknown = [column for column in feature.columns if column not in index]
            if unknown:
                raise ValueError(f"schema: {unknown[0]!r} of {feature.name} is not among the columns")
            fields["columns"] = [index[column] for column in feature.columns]
            if feature.categories is not None:
                known = codes.get(feature.columns[0])
                fields["categories"] = [*known.values()] if known else [float(one) for one in feature.categories]
            for bound in ("low", "high", "step", "cost"):
                if bound in fields:
                    fields[bound] = number(f"{bound} of {feature.name}", fields[bound])
            features.append(fields)
        return len(self.columns), features


def _is_number(category: Any) -> bool:
    return isinstance(category, (int, float, np.integer, np.floating)) and not isinstance(category, bool)


def _settings(
    feature: Feature,
    changes: Mapping[Hashable, Change],
    ranges: Mapping[Hashable, Any],
    steps: Mapping[Hashable, float],
    costs: Mapping[Hashable, float],
) -> dict[str, Any]:
    """Return the fields that the caller sets for a feature, by its name or that of its column."""
    names = (feature.name, *feature.columns)
    found: dict[str, Any] = {}
    for name in names:
        if name in changes:
            found["change"] = changes[name]
        if name in ranges:
            found["low"], found["high"] = (number(f"ranges[{name!r}]", bound) for bound in ranges[name])
        if name in steps:
            found["step"] = number(f"steps[{name!r}]", steps[name])
        if name in costs:
            found["cost"] = number(f"costs[{name!r}]", costs[name])
    return found


def _guess(table: Any, column: Hashable, kind: Kind | None) -> Feature:
    """Guess the feature of a column; ``kind`` is what the caller says of it."""
    values = column_values(table, column)
    called = f"table[{column!r}]"
    if kind == "categorical" or (kind is None and is_nominal(values)):
        return Feature(str(column), "categorical", (column,), categories=categories_of([(values, called)]))
    numbers: npt.NDArray[np.float64] = np.asarray(reals(values, called, 1), np.float64)
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        raise ValueError(f"{called}[{row}]: the value is missing; fill such values, or leave their rows out")
    (guessed,) = _native.counterfactual_guess(np.ascontiguousarray(numbers[:, None]), [str(column)])
    fields = {name: value for name, value in guessed.items() if name not in ("columns", "categories")}
    if kind is not None and fields["kind"] != kind:
        low, high = (float(bound) for bound in (numbers.min(), numbers.max()))
        fields |= {"kind": kind, "low": low, "high": high, "step": 1.0 if kind == "ordinal" else None}
    return Feature(**{**fields, "columns": (column,)})


def categories_of(columns: Iterable[tuple[Any, str]]) -> tuple[Any, ...]:
    """Return the categories of a feature in columns of several tables: declared ones, then others as they occur.

    Examples
    --------
    >>> categories_of([(["b", "a", "b"], "x"), (["c"], "y")])
    ('b', 'a', 'c')
    """
    found: dict[Any, None] = {}
    for values, name in columns:
        declared = getattr(getattr(values, "dtype", None), "categories", None)
        for label in () if declared is None or callable(declared) else declared:
            found[label] = None
        for row, label in enumerate(listed(values, name)):
            if label is None:
                raise ValueError(f"{name}[{row}]: the value is missing; fill such values, or leave their rows out")
            found[label] = None
    return tuple(found)
