"""Several explainers by several metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ... import _native
from ..._arguments import mapping, threads
from ..._results import Table, html_table
from ._info import MetricInfo, infos_by_name
from ._inputs import INPUTS, arrays_of
from ._values import Outcome, outcome_of


@dataclass(frozen=True, eq=False)
class AttributionTable(Table):
    """Metrics of several explainers.

    Attributes
    ----------
    results : dict
        The result of every explainer by every metric: ``results[explainer][metric]``.
    """

    results: dict[str, dict[str, Outcome]]

    def columns(self) -> dict[str, Any]:
        """A row for every explainer and metric: the value, which end is better, how many are undefined."""
        rows = [
            (explainer, metric, result.value, _info(metric).direction, getattr(result, "n_undefined", 0))
            for explainer, results in self.results.items()
            for metric, result in results.items()
        ]
        names = ("explainer", "metric", "value", "better", "n_undefined")
        return {name: [row[at] for row in rows] for at, name in enumerate(names)}

    def _repr_html_(self) -> str:
        columns = self.columns()
        return html_table([tuple(columns), *zip(*columns.values())], "Training-data attribution")


def _info(metric: str) -> MetricInfo:
    """The metric that is meant by a setting."""
    name = metric.partition("(")[0].strip().replace("-", "_")
    infos = infos_by_name()
    if name not in infos:
        raise ValueError(f"metric: got {name!r}, expected one of {', '.join(infos)}")
    return infos[name]


def compare(
    explainers: Mapping[str, Any],
    metrics: Sequence[str] | str | None = None,
    *,
    random_attributions: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    **inputs: Any,
) -> AttributionTable:
    """Several explainers by several metrics; the attributions of each are read once.

    Parameters
    ----------
    explainers : mapping from name to attributions
        Attributions as the functions take them.
    metrics : sequence of str, optional
        Names of functions, with settings in brackets: ``"class_detection(k=5)"``. By default all that the
        given inputs are enough for.
    random_attributions : mapping from name to attributions, optional
        Of the same explainers, by a model with random weights.
    n_jobs : int, optional
        The number of threads; one per core by default.
    **inputs : array_like
        What the metrics need, by the names of their arguments.

    Returns
    -------
    AttributionTable

    Raises
    ------
    ValueError
        As the functions of the metrics, and for a metric that there is not.

    Examples
    --------
    >>> from xai_metrics.casebased.data_attribution import compare
    >>> explainers = {"a": [[0.9, 0.1], [0.2, 0.8]], "b": [[0.1, 0.9], [0.2, 0.8]]}
    >>> table = compare(explainers, train_labels=["no", "yes"], test_classes=["no", "yes"])
    >>> table.results["b"]["class_detection"].value, table.results["b"]["top_k_cardinality"].unique
    (0.5, 1)
    """
    named = mapping("explainers", explainers, "attributions for each name")
    unknown = sorted(set(inputs) - set(INPUTS))
    if unknown:
        raise TypeError(f"compare(): got an unexpected keyword argument {unknown[0]!r}")
    random = mapping("random_attributions", random_attributions or {}, "attributions for each name")
    if random and random.keys() != named.keys():
        raise ValueError(f"random_attributions: expected those of {', '.join(named)}, got {', '.join(random)}")
    if isinstance(metrics, str):
        metrics = [metrics]
    if metrics is None:
        given = {"attributions", *inputs, *(["random_attributions"] if random else [])}
        metrics = [
            name
            for name, info in infos_by_name().items()
            if "attributions" in info.needs and given.issuperset(info.needs)
        ]
    for metric in metrics:
        _info(metric)
    results = {}
    for name, attributions in named.items():
        others = {"random_attributions": random.get(name), "attributions": attributions}
        arrays = arrays_of({**inputs, **others})
        found = _native.data_attribution(list(metrics), {}, arrays, threads(n_jobs))
        results[name] = dict(zip(metrics, map(outcome_of, found)))
    return AttributionTable(results)
