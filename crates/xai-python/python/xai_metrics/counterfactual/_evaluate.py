"""Comparison of methods by several metrics."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from .._arguments import check_distinct, looked_up, mapping, names_in, number, threads, whole, whole_or_none
from .._registry import metric_of
from .._report import Reported
from .._display import Display
from .._results import Table
from ..attribution import EvaluationTable, EvaluationValues
from ._columns import column_labels, is_table
from ._data import OF_ROWS, Rows, Study, rules
from ._functions import group_gap
from ._model import ModelCalls
from ._values import CounterfactualValue, GroupGap, value_of

if TYPE_CHECKING:
    from .._types import CounterfactualDistance, CounterfactualMetricName

#: Name of the reference method.
REFERENCE = "nearest unlike neighbours"

#: Functions of values per query or of texts, which are no metrics of a comparison, and what to call instead.
_FUNCTIONS = {
    "group_gap": "call group_gaps(groups) of the result, or group_gap(values, groups)",
    "edit_distance": "call edit_distance(sequences)",
}

#: Columns of counterfactuals that are inputs; columns `model_0`, `model_1`, … are predictions of other models.
_OWN_COLUMNS = ("predicted", "p_target", "valid", "row_class")
_QUERY_COLUMNS = {"predicted": "class", "target": "target", "p_target": "p_target_query"}
_OTHER_MODEL = re.compile(r"model_\d+")


@dataclass(frozen=True, eq=False, repr=False)
class CounterfactualTable(Reported, Table):
    """Metrics of several methods.

    Attributes
    ----------
    results : dict
        Result of every metric for every method: ``results[method][metric]``.
    table : EvaluationTable
        Values per query, with intervals over queries, ranks, paired tests on the queries that both methods answered, and plots,
        see :class:`xai_metrics.attribution.EvaluationTable`.
    success : dict
        Share of the queries with a valid counterfactual, by method; ``None`` if validity is not known. Interpret all other
        values together with it.
    assumed : dict
        What was assumed, by subject.
    model_rows : int
        Number of rows that the model predicted.
    """

    results: dict[str, dict[CounterfactualMetricName | str, CounterfactualValue]]
    table: EvaluationTable
    success: dict[str, float | None]
    assumed: dict[str, str]
    model_rows: int
    #: Schema, queries, counterfactuals of each method and columns in the native form, for reports.
    _study: tuple[Any, ...] = ()
    _section = "Counterfactuals"

    def _add_to(self, report: Any, name: str) -> None:
        success = list(self.success.values())
        report.add_counterfactual(
            name, self.table.values._native, self.table._statistics, success, self.table._remarks(), *self._study
        )

    def __getitem__(self, method: str) -> dict[CounterfactualMetricName | str, CounterfactualValue]:
        """Return the results of a method by metric.

        Raises
        ------
        KeyError
            For an unknown method; the message lists the methods.
        """
        return looked_up(self.results, method, "method")

    def columns(self) -> dict[str, Any]:
        """Return value, interval, rank, direction and success as columns, with one row per method and metric.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        rows = [
            (method, metric, result.value, *self._interval(method, metric), result.pooled, result.n_undefined, self.success[method])
            for method, results in self.results.items()
            for metric, result in results.items()
        ]
        names = ("explainer", "metric", "value", "low", "high", "rank", "better", "pooled", "n_undefined", "success")
        return {name: [row[at] for row in rows] for at, name in enumerate(names)}

    def _interval(self, method: str, metric: str) -> tuple[float, float, float, str]:
        value = self.table.result(method, metric)
        nan = float("nan")
        ends = (nan, nan) if value.interval is None else tuple(value.interval)
        return ends[0], ends[1], nan if value.rank is None else value.rank, self.table[metric].direction

    def group_gaps(self, groups: Any) -> dict[str, dict[CounterfactualMetricName | str, GroupGap]]:
        """Compare the means of groups of queries, such as women and men, by every metric.

        Parameters
        ----------
        groups : array_like of shape (n,)
            Group of each query.

        Returns
        -------
        dict
            Gap of every metric for every method: ``gaps[method][metric]``.

        Raises
        ------
        ValueError
            For another number of groups than of queries.
        """
        return {
            method: {metric: group_gap(result.per_query, groups) for metric, result in results.items()}
            for method, results in self.results.items()
        }

    def _display(self) -> Display:
        shares = (f"{method} {'undefined' if share is None else f'{share:.3g}'}" for method, share in self.success.items())
        notes = [f"queries with a valid counterfactual: {', '.join(shares)}", *self.table._notes("query", "queries")]
        return self.table._grid(notes)


def evaluate(
    queries: Any,
    counterfactuals: Mapping[str, Any],
    metrics: CounterfactualMetricName | str | Sequence[CounterfactualMetricName | str] | None = None,
    *,
    train: Any = None,
    label: Hashable | None = None,
    train_labels: Any = None,
    model: Any = None,
    schema: Any = None,
    query: Mapping[str, Any] | None = None,
    key: Hashable | None = None,
    class_: Any = None,
    target: Any = None,
    requested: int | None = None,
    constraints: Any = None,
    others: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Mapping[str, Any]] | None = None,
    reference: bool = True,
    distance: CounterfactualDistance = "gower",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 1,
    n_jobs: int | None = None,
) -> CounterfactualTable:
    """Compare methods for counterfactual explanations by several metrics.

    Queries, counterfactuals and training rows are tables with names of columns (pandas, polars, pyarrow) or arrays. Rows of
    counterfactuals without any value mean that no counterfactual was found; they are ignored.

    Parameters
    ----------
    queries : table or array_like of shape (n, d)
        Rows that are explained. The columns ``predicted``, ``target`` and ``p_target`` are the predicted class, the wanted class
        and the probability of the wanted class, unless they are features.
    counterfactuals : mapping from name to table or array_like of shape (N, d)
        Counterfactuals of each method, any number per query. The columns ``predicted``, ``p_target``, ``valid``, ``row_class`` and
        ``model_0``, ``model_1``, … (classes by other models) are inputs, unless they are features.
    metrics : str or sequence of str, optional
        Names of functions, with settings in brackets: ``"ynn(k=3), proximity"``. By default all whose inputs are given.
    train : table or array_like of shape (T, d), optional
        Training rows.
    label : column name, optional
        Column of ``train`` with the classes.
    train_labels : array_like of shape (T,), optional
        Classes of the training rows, instead of ``label``. If a model is given, its predictions replace both.
    model : callable or estimator, optional
        ``model(rows)`` returns the class of each row, or a probability for each class; it gets rows like the queries. An estimator
        has ``predict``.
    schema : Schema, optional
        Features. Without it, text is categorical and everything else numeric, and every change is allowed.
    query : mapping from name to array_like of shape (N,), optional
        Row number of each counterfactual's query, by method. Otherwise ``key``, a column ``query``, the index of a pandas data
        frame, or the order of the rows decides.
    key : column name, optional
        Column of queries and counterfactuals with the identity of the query.
    class_ : array_like of shape (n,), optional
        Predicted class of each query; by default by the model.
    target : array_like of shape (n,) or label, optional
        Wanted class of each query, or of all of them; without it, any other class is wanted.
    requested : int, optional
        Number of counterfactuals requested for each query.
    constraints : list of mappings, optional
        Causal rules, see :func:`causal_consistency`.
    others : mapping from name to table, optional
        Counterfactuals of the same methods in another run, for ``"set_distance"`` and ``"change_agreement"``.
    inputs : mapping from name to mapping, optional
        Further inputs of each method by name, for example ``{"dice": {"predicted": classes}}``.
    reference : bool
        Whether nearest unlike neighbours from the training rows are included as a method.
    distance : str
        Distance by which nearest unlike neighbours are searched.
    level : float
        Coverage of the intervals.
    replicates : int
        Bootstrap replicates per interval; 0 for no intervals.
    seed : int
        Seed of the bootstrap.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    CounterfactualTable
        Results by method and metric.

    Raises
    ------
    ValueError
        For tables without a feature of the schema, missing values, unknown queries and categories, arrays of other lengths, and
        unknown metrics.
    TypeError
        For text where the schema has numbers, and for labels of two types.

    Examples
    --------
    >>> import pandas
    >>> train = pandas.DataFrame({"age": [20, 30, 50, 60], "income": ["low", "low", "high", "high"]})
    >>> queries = pandas.DataFrame({"age": [25]})
    >>> found = {"mine": pandas.DataFrame({"age": [45], "query": [0]})}
    >>> table = evaluate(queries, found, train=train, label="income", model=lambda x: ["high" if a > 40 else "low" for a in x["age"]])
    >>> table["mine"]["proximity"].value, table["nearest unlike neighbours"]["proximity"].value
    (0.5, 0.625)
    """
    named = mapping("counterfactuals", counterfactuals, "counterfactuals for each name")
    if not named:
        raise ValueError("counterfactuals: expected those of at least one method, got none")
    level, replicates = number("level", level), whole("replicates", replicates, 0)
    per_method = _per_method(named, {"query": query, "others": others, "inputs": inputs})
    train_labels = _train_labels(train, label, train_labels)
    exclude = [label, key, "query", *_QUERY_COLUMNS, *_OWN_COLUMNS]
    tables = {f"counterfactuals[{name!r}]": table for name, table in named.items()}
    study = Study(queries, schema, tables, train, None if model is not None else train_labels, {}, exclude, key)
    calls = None if model is None else ModelCalls(model, study)
    assumed = _add_classes(study, calls, class_, target, label)
    methods = {name: _method(study, calls, name, table, per_method) for name, table in named.items()}
    n_requested, native_rules = whole_or_none("requested", requested, 0), rules(constraints, study.schema.columns)
    requests = {"requested": n_requested, "constraints": native_rules}
    for _, method in methods.values():
        method |= requests
    native = _Native(study, None if calls is None else calls.codes, threads(n_jobs))
    missing = {name: native.missing(method) for name, (_, method) in methods.items()}
    chosen = native.selected(metrics, missing)
    if reference and study.train is not None and study.train_labels is not None and {"class", "target"} & study.shared.keys():
        methods[REFERENCE] = _reference(native, methods, requests, distance, calls)
        missing[REFERENCE] = native.missing(methods[REFERENCE][1])
    lacking = _lacking(chosen, missing)
    assumed |= _remarks(chosen, methods, missing, study.n)
    results = {name: native.values(chosen, rows, method, lacking[name]) for name, (rows, method) in methods.items()}
    success = {name: native.success(rows, method) for name, (rows, method) in methods.items()}
    per_query = _values(results, study.n, assumed, _skipped(lacking))
    table = per_query.table(level=level, replicates=replicates, seed=seed, n_jobs=n_jobs)
    of_methods = [rows.native() for rows, _ in methods.values()]
    reported = (study.native_schema, study.x, of_methods, study.encoder.columns())
    return CounterfactualTable(results, table, success, assumed, 0 if calls is None else calls.n_rows, reported)


def _per_method(named: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the arguments that have a value for each method."""
    per_method = {what: mapping(what, values, "a value for each name") for what, values in given.items()}
    for what, values in per_method.items():
        unknown = [name for name in values if name not in named]
        if unknown:
            raise ValueError(f"{what}: {unknown[0]!r} is no method ({', '.join(map(repr, named))})")
    return per_method


def _train_labels(train: Any, label: Hashable | None, train_labels: Any) -> Any:
    """Return the classes of the training rows, by default those of a column."""
    if label is None:
        return train_labels
    if not is_table(train) or label not in column_labels(train):
        raise ValueError(f"label: train has no column {label!r}")
    return train[label] if train_labels is None else train_labels


def _add_classes(
    study: Study, calls: ModelCalls | None, class_: Any, target: Any, label: Hashable | None
) -> dict[str, str]:
    """Add what is known of the queries, and the predictions of the model; return what was assumed."""
    given = {"class": class_, "target": target}
    for column, which in _QUERY_COLUMNS.items():
        if given.get(which) is None and _has_column(study, study.queries, column):
            given[which] = study.queries[column]
    if target is not None and (isinstance(target, str) or np.ndim(target) == 0):
        given["target"] = [target] * study.n
    study.shared = {which: study._of_queries(which, values) for which, values in given.items() if values is not None}
    if calls is None:
        return {} if label is None else {"train_labels": f"the column {label!r}"}
    study.shared.setdefault("class", calls.codes(study.x))
    if study.train is None:
        return {}
    study.train_labels = calls.codes(study.train)
    return {"train_labels": "predictions of the model"}


def _reference(
    native: _Native,
    methods: Mapping[str, tuple[Rows, dict[str, Any]]],
    requests: Mapping[str, Any],
    distance: str,
    calls: ModelCalls | None,
) -> tuple[Rows, dict[str, Any]]:
    """Return nearest unlike neighbours, as many per query as were requested or as the methods have at most."""
    if REFERENCE in methods:
        raise ValueError(f"counterfactuals: {REFERENCE!r} is the name of the reference method; use another one")
    most = max((np.bincount(rows.query).max(initial=1) for rows, _ in methods.values()), default=1)
    rows, method = native.unlike(int(requests["requested"] or most), distance, calls)
    return rows, {**method, **requests}


def _remarks(
    metrics: list[str],
    methods: Mapping[str, tuple[Rows, dict[str, Any]]],
    missing: Mapping[str, dict[str, list[str]]],
    n_queries: int,
) -> dict[str, str]:
    """Return what limits the comparison of the methods."""
    remarks = {}
    unknown = [name for name, of_metrics in missing.items() if of_metrics["validity"]]
    if 0 < len(unknown) < len(methods):
        names = ", ".join(unknown)
        remarks["rows"] = f"all counterfactuals of {names}, whose validity is not known; valid ones of the others"
    sizes = {tuple(np.bincount(rows.query, minlength=n_queries)) for rows, _ in methods.values()}
    if len(sizes) > 1 and any(metric.startswith(("dpp_diversity", "dpp-diversity")) for metric in metrics):
        remarks["dpp_diversity"] = (
            "methods give different numbers of counterfactuals; compare it for equal numbers only"
        )
    return remarks


def _skipped(lacking: Mapping[str, Mapping[str, list[str]]]) -> dict[str, str]:
    """Return why metrics of methods are undefined; the reference has only the inputs that it can have."""
    return {
        f"{metric} of {name}": f"the method has no {', '.join(inputs)}"
        for name, of_metrics in lacking.items()
        for metric, inputs in of_metrics.items()
        if name != REFERENCE
    }


def _has_column(study: Study, table: Any, column: Hashable) -> bool:
    """Return whether a table has a column that is not a feature."""
    return is_table(table) and column in column_labels(table) and column not in study.schema.columns


def _method(
    study: Study, calls: ModelCalls | None, name: str, table: Any, per_method: Mapping[str, Mapping[str, Any]]
) -> tuple[Rows, dict[str, Any]]:
    """Return the counterfactuals of a method and its inputs in the native form."""
    called = f"counterfactuals[{name!r}]"
    rows = study.rows(table, per_method["query"].get(name), called)
    own: dict[str, Any] = {column: table[column] for column in _OWN_COLUMNS if _has_column(study, table, column)}
    if is_table(table):
        models = [c for c in column_labels(table) if _OTHER_MODEL.fullmatch(str(c)) and c not in study.schema.columns]
        if models:
            own["model_predictions"] = [np.asarray(table[column]).tolist() for column in models]
    given = dict(per_method["inputs"].get(name, {}))
    unknown = sorted(given.keys() - set(OF_ROWS))
    if unknown:
        raise ValueError(f"inputs[{name!r}]: {unknown[0]!r} is no input of counterfactuals ({', '.join(OF_ROWS)})")
    own |= given
    others = None
    if name in per_method["others"]:
        others = study.rows(per_method["others"][name], None, f"others[{name!r}]")
    method = study.native(rows, own, called, others)
    _predict(study, calls, rows, method)
    return rows, method


def _predict(study: Study, calls: ModelCalls | None, rows: Rows, method: dict[str, Any]) -> None:
    """Add the predictions of the model that are not given."""
    if calls is None:
        return
    if "predicted" not in method:
        method["predicted"] = calls.codes(rows.rows)
    targets = study.shared.get("target")
    if targets is not None and "p_target" not in method:
        p_target = calls.probabilities(rows.rows, targets[rows.query])
        if p_target is not None:
            method["p_target"] = p_target
            if "p_target_query" not in study.shared:
                study.shared["p_target_query"] = calls.probabilities(study.x, targets)
            method["p_target_query"] = study.shared["p_target_query"]


def _lacking(metrics: list[str], missing: Mapping[str, dict[str, list[str]]]) -> dict[str, dict[str, list[str]]]:
    """Return for each method the metrics whose inputs are missing, with these inputs.

    Metrics whose inputs no method has are left out: computing them tells what to give.
    """
    lacking = {}
    for name, of_metrics in missing.items():
        inputs = {metric: of_metrics[metric_of("counterfactual", metric.partition("(")[0].strip()).name] for metric in metrics}
        lacking[name] = {metric: names for metric, names in inputs.items() if names}
    known = {metric for name, of_method in lacking.items() if name != REFERENCE for metric in metrics if metric not in of_method}
    return {
        name: {metric: names for metric, names in of_method.items() if name == REFERENCE or metric in known}
        for name, of_method in lacking.items()
    }


class _Native:
    """Calls of the native part for one study."""

    def __init__(self, study: Study, model: Any, n_jobs: int | None) -> None:
        self._study, self._model, self._n_jobs = study, model, n_jobs

    def _outcomes(self, metrics: list[str], method: Mapping[str, Any]) -> list[dict[str, Any]]:
        study = self._study
        outcomes: list[dict[str, Any]] = _native.counterfactual(
            metrics, {}, study.native_schema, method, study.reference(), self._model, self._n_jobs
        )
        return outcomes

    def selected(
        self, metrics: Sequence[str] | str | None, missing: Mapping[str, dict[str, list[str]]]
    ) -> list[str]:
        """Return the names of the metrics, by default those whose inputs some method has."""
        if metrics is None:
            of_methods = list(missing.values())
            return [metric for metric in of_methods[0] if any(not of_metrics[metric] for of_metrics in of_methods)]
        names: list[str] = names_in(metrics)
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f'metrics: expected names such as "ynn" or "ynn(k=3)", got {name!r}')
            info = metric_of("counterfactual", name.partition("(")[0].strip(), tuple(_FUNCTIONS))
            if info.name in _FUNCTIONS:
                raise ValueError(f"metrics: {info.name} is a function of its own; {_FUNCTIONS[info.name]}")
        check_distinct(names)
        return names

    def missing(self, method: Mapping[str, Any]) -> dict[str, list[str]]:
        """Return the inputs of each metric that a method does not have."""
        study = self._study
        return dict(_native.counterfactual_missing(study.native_schema, method, study.reference(), self._model is not None))

    def values(
        self, metrics: list[str], rows: Rows, method: dict[str, Any], lacking: Collection[str]
    ) -> dict[str, CounterfactualValue]:
        """Return the values of a method; those that lack inputs are undefined."""
        wanted = [name for name in metrics if name not in lacking]
        found = {name: value_of(outcome, rows.kept) for name, outcome in zip(wanted, self._outcomes(wanted, method))}
        n = self._study.n
        undefined = CounterfactualValue(None, None, np.full(n, np.nan), None, n)
        return {name: found.get(name, undefined) for name in metrics}

    def success(self, rows: Rows, method: dict[str, Any]) -> float | None:
        """Return the share of the queries with a valid counterfactual."""
        (outcome,) = self._outcomes(["coverage"], method)
        share: float | None = outcome["coverage"]["success"]
        return share

    def unlike(self, k: int, distance: str, calls: ModelCalls | None) -> tuple[Rows, dict[str, Any]]:
        """Return nearest unlike neighbours as a method. Without a model their classes are those of the training rows."""
        study = self._study
        assert study.train is not None and study.train_labels is not None  # noqa: S101
        none = Rows(np.empty((0, study.x.shape[1])), np.empty(0, np.int64), np.empty(0, bool))
        inputs = study.native(none, {}, REFERENCE)
        pairs = _native.counterfactual_unlike(study.reference(), inputs, k, distance, self._n_jobs)
        positions = np.array([row for _, row in pairs], np.int64)
        query = np.array([query for query, _ in pairs], np.int64)
        rows = Rows(np.ascontiguousarray(study.train[positions]), query, np.ones(len(pairs), bool))
        method = study.native(rows, {}, REFERENCE)
        method["predicted"] = study.train_labels[positions]
        _predict(study, calls, rows, method)
        return rows, method


def _values(
    results: Mapping[str, Mapping[str, CounterfactualValue]], n_queries: int, assumed: dict[str, str], skipped: dict[str, str]
) -> EvaluationValues:
    """Collect the values per query."""
    metrics = []
    for metric in next(iter(results.values())):
        info = metric_of("counterfactual", metric.partition("(")[0].strip())
        rows = [by_metric[metric].per_query.tolist() for by_metric in results.values()]
        # Wilson's interval is one of shares: of queries with one counterfactual each, for example.
        is_share = info.range == "[0, 1]" and all(value in (0.0, 1.0) or value != value for row in rows for value in row)
        metrics.append((metric, info.direction, is_share, rows))
    return EvaluationValues(_native.AttributionValues.from_rows(list(results), n_queries, metrics), assumed, skipped)
