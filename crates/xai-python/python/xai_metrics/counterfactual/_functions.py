"""Metric functions generated from the native descriptions."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from .. import _native
from .._arguments import threads, whole_or_none
from .._arrays import integers, reals
from .._described import MetricInfo, wrapped
from .._registry import metrics_of
from ._data import OF_QUERIES, OF_ROWS, SPECS, Study, rules
from ._labels import LabelCodes
from ._model import ModelCalls
from ._values import CounterfactualValue, EditDistances, GroupGap, value_of

#: Names of inputs that are keywords of Python, with another spelling.
SPELLED = {"class": "class_"}

#: Documentation of inputs that are no arrays.
_OTHER_INPUTS = {
    "schema": ("Schema, or mapping, optional", "Features; without it, every column is a numeric feature that may change in any way."),
    "requested": ("int, optional", "Number of counterfactuals requested for each query."),
    "model": ("callable or estimator, optional", "``model(rows)`` returns the class of each row; an estimator has ``predict``."),
    "constraints": (
        "list of mappings, optional",
        "Causal rules: if ``cause`` moves in ``direction`` (1 or -1), ``effect`` moves in ``effect_direction``, or does not move "
        "against it unless the rule is ``strict``. Causes and effects are columns.",
    ),
    "runs": (
        "list of mappings, optional",
        "Repeated runs of the method, each with ``counterfactuals`` and ``query``.",
    ),
    "labels": ("array_like of shape (n,), optional", "True classes of the queries. Not used: a counterfactual changes a prediction."),
}

#: Inputs in the order of the signature.
_INPUTS = [name for name in SPECS if name not in ("queries", "counterfactuals", "query")]


@cache
def infos_by_name() -> dict[str, MetricInfo]:
    """Return the metrics by the names of their functions."""
    return {info.name: info for info in metrics_of("counterfactual")}


def metric_infos() -> list[MetricInfo]:
    """Return the descriptions of all metrics of counterfactuals, in the order of the documentation.

    Returns
    -------
    list of MetricInfo
        Descriptions.

    Examples
    --------
    >>> [info.name for info in metric_infos()][:2]
    ['coverage', 'validity']
    """
    return list(infos_by_name().values())


def function_of(name: str, module: str) -> Callable[..., CounterfactualValue]:
    """Create the function of a metric, as a member of a module."""
    info = infos_by_name()[name]
    signature = _signature(info)

    def function(*arguments: Any, **named: Any) -> CounterfactualValue:
        spelled = {SPELLED.get(key, key): value for key, value in named.items()}
        try:
            given = signature.bind(*arguments, **spelled).arguments
        except TypeError as error:
            raise TypeError(f"{name}(): {error}") from None
        parameters = {p.name: given.get(p.name) for p in info.parameters}
        inputs = {key: given.get(SPELLED.get(key, key)) for key in ("queries", "counterfactuals", "query", *_INPUTS, *_OTHER_INPUTS)}
        return _evaluated(name, inputs, parameters, threads(given.get("n_jobs")))

    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = _documentation(info)
    return function


def _evaluated(name: str, given: Mapping[str, Any], parameters: Mapping[str, Any], n_jobs: int | None) -> CounterfactualValue:
    tables = {key: given[key] for key in ("counterfactuals", "others") if given[key] is not None}
    shared = {key: given[key] for key in OF_QUERIES}
    study = Study(given["queries"], given["schema"], tables, given["train"], given["train_labels"], shared)
    found = [] if given["counterfactuals"] is None else given["counterfactuals"]
    rows = study.rows(found, [] if given["counterfactuals"] is None else given["query"], "counterfactuals")
    others = None
    if given["others"] is not None:
        others = study.rows(given["others"], given["other_query"], "others")
    inputs = study.native(rows, {key: given[key] for key in OF_ROWS}, "counterfactuals", others)
    inputs["requested"] = whole_or_none("requested", given["requested"], 0)
    inputs["constraints"] = rules(given["constraints"], study.schema.columns)
    if given["runs"] is not None:
        inputs["runs"] = [_run(study, run, f"runs[{position}]") for position, run in enumerate(given["runs"])]
    model = None if given["model"] is None else ModelCalls(given["model"], study).codes
    (outcome,) = _native.counterfactual([name], dict(parameters), study.native_schema, inputs, study.reference(), model, n_jobs)
    return value_of(outcome, rows.kept)


def _run(study: Study, run: Any, name: str) -> Any:
    if isinstance(run, Mapping):
        return study.rows(run["counterfactuals"], run.get("query"), name).native()
    return study.rows(run, None, name).native()


def _signature(info: MetricInfo) -> inspect.Signature:
    either, keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    made = [inspect.Parameter("queries", either)]
    made += [inspect.Parameter(name, either, default=None) for name in ("counterfactuals", "query")]
    made += [inspect.Parameter(SPELLED.get(name, name), keyword, default=None) for name in (*_INPUTS, *_OTHER_INPUTS)]
    made += [inspect.Parameter(p.name, keyword, default=p.default) for p in info.parameters]
    made.append(inspect.Parameter("n_jobs", keyword, default=None))
    return inspect.Signature(made, return_annotation=_returned(info))


def _returned(info: MetricInfo) -> str:
    return "CoverageValue" if info.name == "coverage" else "CounterfactualValue"


def documented_inputs(names: Iterable[str], needs: Iterable[str] = ()) -> list[str]:
    """Return the lines of inputs in a NumPy docstring."""
    lines = []
    for name in names:
        called = SPELLED.get(name, name)
        if name in _OTHER_INPUTS:
            kind, doc = _OTHER_INPUTS[name]
        else:
            kind, doc = f"array_like of shape {SPECS[name]['shape']}", f"{SPECS[name]['help']}."
            kind += "" if name == "queries" else ", optional"
        if called != name:
            doc += f" Also taken as ``{name}``, by ``**``."
        if name in needs:
            doc += " The metric needs it."
        lines += [*wrapped(f"{called} : {kind}", 0), *wrapped(doc, 4)]
    return lines


def _documentation(info: MetricInfo) -> str:
    lines = [*wrapped(f"{info.title}: {info.summary}.", 0), "", "::", ""]
    lines += [textwrap.indent(info.formula, "    "), ""]
    lines += wrapped(f"Better: {info.direction}. Range: {info.range}. {info.extremes}", 0)
    lines += ["", "Parameters", "----------"]
    lines += documented_inputs(("queries", "counterfactuals", "query", *_INPUTS, *_OTHER_INPUTS), info.needs)
    for parameter in info.parameters:
        lines += parameter.documented()
    lines += ["n_jobs : int, optional", "    Number of threads; one per core by default.", ""]
    lines += ["Returns", "-------", _returned(info)]
    lines += [*wrapped("Values of all queries, of each query and of each counterfactual.", 4), ""]
    lines += ["Raises", "------", "ValueError"]
    lines += wrapped(
        "For an input that the metric needs and that is missing, arrays of inconsistent shapes, values that are missing or not "
        "finite, queries that do not exist, unknown categories, and parameters outside their range.",
        4,
    )
    lines += ["TypeError", "    For text where the schema has numbers, and for labels of two types.", ""]
    lines += ["Notes", "-----", *wrapped(f"What it does not tell: {info.limits}", 0), ""]
    if info.elsewhere:
        peers = ", ".join(f"``{peer}``" for peer in info.elsewhere)
        lines += [*wrapped(f"Elsewhere: {peers}. The numbers may differ.", 0), ""]
    lines += ["References", "----------", *wrapped(f"{info.source}.", 0), ""]
    return "\n".join([*lines, *_example(info)])


#: Data of the examples: queries, counterfactuals and their queries, and what some metrics need.
_EXAMPLE = {
    "train": "train = np.array([[0, 0], [1, 1], [3, 2], [4, 4]])",
    "train_labels": "train_labels = [0, 0, 1, 1]",
    "class": "class_ = [0]",
    "target": "target = [1]",
    "predicted": "predicted = [1, 1]",
    "row_class": "row_class = [1, 1]",
    "p_target": "p_target = [0.75, 0.5]",
    "schema": "schema = Schema((Feature('a', columns=(0,), change='none'), Feature('b', columns=(1,))), (0, 1))",
    "constraints": "constraints = [{'cause': 0, 'effect': 1}]",
    "model": "model = lambda rows: (rows.sum(axis=1) > 3).astype(int)",
    "noisy_predictions": "noisy_predictions = [[1, 1], [1, 0]]",
    "model_predictions": "model_predictions = [[1, 1], [1, 0]]",
    "others": "others = [[4, 0]]",
    "reconstruction_target": "reconstruction_target = np.array([[3, 1], [1, 3]])",
    "reconstruction_origin": "reconstruction_origin = np.array([[1, 1], [1, 1]])",
    "reconstruction_all": "reconstruction_all = np.array([[2, 1], [1, 3]])",
}


def _example(info: MetricInfo) -> list[str]:
    needs = [need for need in info.needs if need in _EXAMPLE]
    extra = ["others"] if "others" in needs else []
    given = ", ".join(["queries, rows, [0, 0]", *(f"{SPELLED.get(n, n)}={_EXAMPLE[n].partition(' = ')[0]}" for n in needs)])
    given += ", other_query=[0]" if extra else ""
    if any(p.name == "distance" for p in info.parameters):
        given += ", distance='manhattan'"
    lines = ["import numpy as np"]
    lines += ["from xai_metrics.counterfactual import Feature, Schema" if "schema" in needs else ""]
    lines += [f"from xai_metrics.counterfactual import {info.name}"]
    lines += ["queries, rows = [[1, 1]], [[3, 1], [1, 4]]", *(_EXAMPLE[need] for need in needs)]
    lines += [f"round({info.name}({given}).value, 4)"]
    return ["Examples", "--------", *(f">>> {line}" for line in lines if line), repr(info.example), ""]


def group_gap(values: Any, groups: Any) -> GroupGap:
    """Compare the means of groups by any value per query, such as the cost or the success of recourse.

    Parameters
    ----------
    values : array_like of shape (n,)
        Values, such as ``per_query`` of a result; ``None`` and NaN are undefined and left out.
    groups : array_like of shape (n,)
        Group of each query: labels of any type.

    Returns
    -------
    GroupGap
        Means, their largest difference, and the ratio of the smallest to the largest.

    Raises
    ------
    ValueError
        For another number of groups than of values.

    Examples
    --------
    >>> group_gap([1.0, 3.0, None, 4.0], ["f", "f", "m", "m"])
    Means of groups
    group  mean
    f         2
    m         4
    largest minus smallest: 2, smallest divided by largest: 0.5
    """
    if isinstance(values, (list, tuple)):
        values = [np.nan if value is None else value for value in values]
    numbers = np.ascontiguousarray(reals(values, "values", 1), np.float64)
    codes = LabelCodes()
    gap = _native.counterfactual_group_gap(numbers, codes.take(groups, "groups"))
    means = {codes.label(group): mean for group, mean in gap["means"].items()}
    return GroupGap(means, gap["gap"], gap["ratio"])


def edit_distance(sequences: Any, *, n_jobs: int | None = None) -> EditDistances:
    """Count the edits that turn texts into their counterfactuals: Levenshtein distance of tokens.

    Parameters
    ----------
    sequences : sequence of pairs
        Token ids before and after, each a sequence of integers.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    EditDistances
        Counts, and counts relative to the longer text.

    Raises
    ------
    ValueError
        For elements that are not pairs, and token ids that are not whole numbers.

    Examples
    --------
    >>> edit_distance([([1, 2, 3], [1, 3, 4])]).counts
    array([2])
    """
    pairs = []
    for position, pair in enumerate(sequences):
        if len(pair) != 2:
            raise ValueError(f"sequences[{position}]: expected a pair (before, after), got {len(pair)} elements")
        before, after = (integers(one, f"sequences[{position}]", 1).tolist() for one in pair)
        pairs.append((before, after))
    edits = _native.counterfactual_edit_distance(pairs, threads(n_jobs))
    shares = np.array([share for _, share in edits], np.float64)
    counts = np.array([count for count, _ in edits], np.int64)
    return EditDistances(counts, shares, float(shares.mean()) if len(shares) else None)
