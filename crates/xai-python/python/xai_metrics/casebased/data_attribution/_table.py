"""Comparison of several explainers by several metrics."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ... import _native
from ..._alignment import Alignment
from ..._arguments import check_distinct, mapping, names_in, number, threads, whole
from ..._arrays import reals
from ..._described import MetricInfo, documentation_with, keyword, signature_with, wrapped
from ..._registry import metric_of, metrics_of
from ..._report import Reported
from ..._display import Display, Estimate, count, grid
from ..._results import Table
from ...attribution import EvaluationTable, EvaluationValues
from ...attribution._table import named
from ._info import infos_by_name
from ._inputs import INPUTS, AttributionRows, arrays_of, class_names
from ._values import AttributionValue, Mislabeling, Outcome, outcome_of

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack

    from ..._types import DataAttributionInputs, DataAttributionMetricName

F = TypeVar("F", bound=Callable[..., Any])


#: Classes of training and test cases, and flags of training cases.
_Cases = tuple[list[int] | None, list[int] | None, list[bool] | None]


@dataclass(frozen=True)
class _Compared:
    """Explainers of a comparison and what is known of the cases."""

    #: Attributions by explainer.
    attributions: Mapping[str, Any]
    #: Native outcomes by explainer.
    outcomes: dict[str, Any]
    #: Numbers of test and training cases.
    shape: tuple[int, int]
    known: _Cases
    #: Names of the classes by their numbers; empty for integers.
    class_names: dict[int, str]

    def rows(self, samples: list[int]) -> list[npt.NDArray[np.float64]]:
        """Return the attributions of some test cases by each explainer."""

        def of(name: str, values: Any) -> npt.NDArray[np.float64]:
            if isinstance(values, AttributionRows):
                return np.concatenate([values.read(sample, sample + 1) for sample in samples])
            return np.ascontiguousarray(reals(values, name, 2)[samples], np.float64)

        return [of(name, values) for name, values in self.attributions.items()]


@dataclass(frozen=True, eq=False, repr=False)
class AttributionTable(Reported, Table):
    """Metrics of several explainers.

    Attributes
    ----------
    results : dict
        Result of every metric for every explainer: ``results[explainer][metric]``.
    table : EvaluationTable
        Metrics with a value per test case, with intervals over test cases, ranks, paired tests and
        plots, see :class:`xai_metrics.attribution.EvaluationTable`.
    """

    results: dict[str, dict[DataAttributionMetricName | str, Any]]
    table: EvaluationTable
    #: What a report shows in addition to the values.
    _compared: _Compared | None = None
    _section = "Training-data attribution"

    def _add_to(self, report: Any, name: str) -> None:
        if self._compared is None:
            raise ValueError("table: take its report where compare() was called")
        compared = self._compared
        report.add_data_attribution(
            name,
            self.table._statistics,
            list(compared.outcomes.items()),
            compared.shape,
            self.table._remarks(),
            compared.rows,
            compared.known,
            compared.class_names,
        )

    def __getstate__(self) -> dict[str, Any]:
        # The attributions may be large, and are not the result.
        return {**vars(self), "_compared": None}

    def columns(self) -> dict[str, Any]:
        """Return value, interval, rank and direction as columns, with one row per explainer and
        metric.

        Interval and rank are NaN for a metric that is one number for all test cases; the AUROC
        of mislabeled cases has an interval.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        names = ("explainer", "metric", "value", "low", "high", "rank", "better", "n_undefined")
        rows = [
            (explainer, metric, result.value, *self._interval(explainer, metric, result))
            + (_info(metric).direction, getattr(result, "n_undefined", 0))
            for explainer, results in self.results.items()
            for metric, result in results.items()
        ]
        return {name: [row[at] for row in rows] for at, name in enumerate(names)}

    def _interval(self, explainer: str, metric: str, result: Outcome) -> tuple[float, float, float]:
        """Return the ends of the interval, and the rank."""
        nan = float("nan")
        interval, rank = getattr(result, "interval", None), None
        if metric in self.table.metrics:
            value = self.table.result(explainer, metric)
            interval, rank = value.interval, value.rank
        ends = (nan, nan) if interval is None else (interval.low, interval.high)
        return (*ends, nan if rank is None else rank)

    def _display(self) -> Display:
        metrics = {metric: named(metric, _info(metric).direction) for of in self.results.values() for metric in of}
        cells = {}
        for explainer, results in self.results.items():
            for metric, result in results.items():
                if metric in self.table.metrics:
                    cell = self.table._estimate(explainer, metric)
                else:
                    cell = Estimate(result.value, getattr(result, "interval", None))
                cells[explainer, metrics[metric]] = cell
        notes = self.table._notes("test case", "test cases")
        for metric, result in next(iter(self.results.values())).items():
            if isinstance(result, Mislabeling) and result.curve is not None:
                cases = count(len(result.curve) - 1, "training case")
                notes.append(f"{metric}: AUROC over {cases}, {result.n_flagged} of them flagged")
        return grid(list(self.results), list(metrics.values()), cells, notes)


def _info(metric: str) -> MetricInfo:
    """Return the metric of a setting such as ``"class_detection(k=5)"``."""
    if not isinstance(metric, str):
        raise TypeError(f'metrics: expected names such as "class_detection" or "class_detection(k=5)", got {metric!r}')
    others = tuple(of.name for of in metrics_of("casebased") if of.name not in infos_by_name())
    info = metric_of("casebased", metric.partition("(")[0].strip(), others)
    if info.name not in infos_by_name():
        raise ValueError(f"metrics: {info.name} judges no attributions, expected some of {', '.join(infos_by_name())}")
    return info


def _with_inputs(function: F) -> F:
    """Add the inputs of the metrics as keywords to the signature of :func:`compare`."""
    inputs = [name for name in INPUTS if name != "attributions"]
    signature = signature_with(function, [keyword(name, None) for name in inputs])
    own = inspect.signature(function).parameters
    lines = []
    for name in (name for name in inputs if name not in own):
        lines += [f"{name} : {INPUTS[name].type}, optional", *wrapped(INPUTS[name].doc, 4)]
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = documentation_with(function, "{inputs}", lines)
    return function


@_with_inputs
def compare(
    explainers: Mapping[str, Any],
    metrics: DataAttributionMetricName | str | Sequence[DataAttributionMetricName | str] | None = None,
    *,
    random_attributions: Mapping[str, Any] | None = None,
    scores: Mapping[str, Any] | None = None,
    log_prob_after: Mapping[str, Any] | None = None,
    predictions: Mapping[str, Any] | None = None,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 1,
    n_jobs: int | None = None,
    **inputs: Unpack[DataAttributionInputs],
) -> AttributionTable:
    """Compute several metrics for several explainers; the attributions of each explainer are read
    once.

    Parameters
    ----------
    explainers : mapping from name to attributions
        Attributions as the functions take them.
    metrics : str or sequence of str, optional
        Names of functions, with settings in brackets: ``"class_detection(k=5), class_auroc"``. By default all that
        the given inputs are enough for; ``"mislabeling_detection"`` only with ``scores``, because computing these
        reads the attributions twice.
    random_attributions : mapping from name to attributions, optional
        Of the same explainers, by a model with random weights.
    scores : mapping from name to array_like, optional
        A score of each training case by the same explainers, high = suspicious, for ``"mislabeling_detection"``; without
        it the score is the negative mean attribution over the test cases.
    log_prob_after : mapping from name to array_like, optional
        Log-probabilities after one step on each of the top cases of the same explainers, for ``"tail_patch"``.
    predictions : mapping from name to array_like, optional
        Predictions without the top cases of the same explainers, for ``"brittleness"``.
    level : float
        Coverage of the intervals.
    replicates : int
        Bootstrap replicates per interval; 0 for no intervals.
    seed : int
        Seed of the bootstrap.
    n_jobs : int, optional
        Number of threads; one per core by default.
    {inputs}

    Returns
    -------
    AttributionTable
        Results by explainer and metric.

    Raises
    ------
    ValueError
        See the functions of the metrics; also for an unknown metric, and for one array where each
        explainer needs its own.

    Examples
    --------
    >>> from xai_metrics.casebased.data_attribution import compare
    >>> explainers = {"a": [[0.9, 0.1], [0.2, 0.8]], "b": [[0.1, 0.9], [0.2, 0.8]]}
    >>> table = compare(explainers, train_labels=["no", "yes"], test_classes=["no", "yes"])
    >>> table.results["b"]["class_detection"].value, table.results["b"]["top_k_cardinality"].unique
    (0.5, 1)
    >>> table.table["class_auroc"].ranking
    ['a', 'b']
    """
    named = mapping("explainers", explainers, "attributions for each name")
    if not named:
        raise ValueError("explainers: expected attributions for at least one name, got none")
    unknown = sorted(set(inputs) - set(INPUTS))
    if unknown:
        raise TypeError(f"compare(): got an unexpected keyword argument {unknown[0]!r}")
    given = {
        "random_attributions": random_attributions,
        "scores": scores,
        "log_prob_after": log_prob_after,
        "predictions": predictions,
    }
    named, own = _aligned(named, given)
    level, replicates = number("level", level), whole("replicates", replicates, 0)
    if metrics is None:
        known = {"attributions", *inputs, *(name for name, values in own.items() if values)}
        metrics = [name for name, info in infos_by_name().items() if known.issuperset(info.needs)]
    metrics = names_in(metrics)
    infos = {metric: _info(metric) for metric in metrics}
    check_distinct(metrics)
    needs_scores = any("scores" in info.needs for info in infos.values())
    derives_scores = needs_scores and all(values is None for values in own["scores"].values())
    results, outcomes, known_cases = {}, {}, []
    for name, attributions in named.items():
        of_explainer = {what: of_names.get(name) for what, of_names in own.items()}
        arrays = arrays_of({**inputs, **of_explainer, "attributions": attributions})
        known_cases.append((_shape(arrays["attributions"]), _cases(arrays)))
        outcomes[name] = _native.data_attribution(list(metrics), {}, arrays, threads(n_jobs), derives_scores)
        results[name] = dict(zip(metrics, map(outcome_of, outcomes[name].to_python())))
    assumed = {"scores": "negative mean attribution over the test cases"} if derives_scores else {}
    labels = [inputs[name] for name in ("train_labels", "test_classes") if inputs.get(name) is not None]
    # The cases of all explainers are the same, in the order of the first.
    shape, cases = known_cases[0]
    compared = _Compared(named, outcomes, shape, cases, class_names(labels))
    values = _values(results, infos, shape[0], assumed)
    table = values.table(level=level, replicates=replicates, seed=seed, n_jobs=n_jobs)
    return AttributionTable(results, table, compared)


#: Names for alignment of the axes of inputs that each explainer has.
_AXES_OF_EXPLAINERS: dict[str, tuple[str | None, ...]] = {
    "random_attributions": ("test cases", "training cases"),
    "scores": ("training cases",),
    "log_prob_after": ("test cases", None),
    "predictions": ("test cases", None),
}


def _aligned(
    explainers: Mapping[str, Any], given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return the attributions and the other inputs of each explainer with their cases in one order."""
    own = {what: mapping(what, of_names, f"{what} for each name") for what, of_names in given.items()}
    for what, of_names in own.items():
        if of_names and of_names.keys() != explainers.keys():
            raise ValueError(f"{what}: expected those of {', '.join(explainers)}, got {', '.join(of_names)}")
    alignment = Alignment()
    attributions = {
        name: alignment.take(values, f"explainers[{name!r}]", "test cases", "training cases")
        for name, values in explainers.items()
    }
    others = {
        what: {
            name: alignment.take(values, f"{what}[{name!r}]", *_AXES_OF_EXPLAINERS[what])
            for name, values in of_names.items()
        }
        for what, of_names in own.items()
    }
    return attributions, others


def _shape(attributions: Any) -> tuple[int, int]:
    """Return the numbers of test and training cases of attributions in the native form."""
    shape = attributions[1] if isinstance(attributions, tuple) else attributions.shape
    return shape[0], shape[1]


def _cases(arrays: Mapping[str, Any]) -> _Cases:
    """Return classes and flags in the native form as lists."""
    names = ("train_labels", "test_classes", "flags")
    train, test, flags = (None if arrays[name] is None else arrays[name].tolist() for name in names)
    return train, test, flags


def _values(
    results: dict[str, dict[str, Outcome]], infos: dict[str, MetricInfo], n_cases: int, assumed: dict[str, str]
) -> EvaluationValues:
    """Collect the metrics that have a value per test case; ``n_cases`` is the number of test cases."""
    rows = {
        metric: [element.per_sample for element in (by[metric] for by in results.values()) if isinstance(element, AttributionValue)]
        for metric in infos
    }
    per_case = {metric: value for metric, value in rows.items() if value}
    n_test = {len(row): None for item in per_case.values() for row in item}
    if len(n_test) > 1:
        raise ValueError(f"explainers: expected the same test cases, got {' and '.join(map(str, n_test))} of them")
    metrics = [
        (metric, infos[metric].direction, infos[metric].range in ("[0, 1]", "(0, 1]"), [row.tolist() for row in entry])
        for metric, entry in per_case.items()
    ]
    return EvaluationValues(_native.AttributionValues.from_rows(list(results), next(iter(n_test), n_cases), metrics), assumed)
