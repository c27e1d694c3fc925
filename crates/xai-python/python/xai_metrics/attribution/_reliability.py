"""Reliability of metrics, estimated from the values of an evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from .._arguments import looked_up
from .._display import Display, count
from .._report import Reported
from .._results import Result, Table
from ..reliability import (
    InterMethodReliability,
    InternalConsistencyReliability,
    KendallW,
    KrippendorffAlpha,
    RankStability,
)
from ..reliability._rankings import stability_of

if TYPE_CHECKING:
    from .._types import AttributionMetricName


@dataclass(frozen=True, eq=False, repr=False)
class MetricReliability(Result):
    """Reliability of one metric.

    Attributes
    ----------
    metric : str
    better : str
        Better end of the scale: ``higher``, ``lower`` or ``none``.
    kendall_w : KendallW
        Whether the samples rank the explainers alike.
    krippendorff_alpha : KrippendorffAlpha
        The same as a coefficient whose value by chance is 0 for any number of samples.
    inter_method_reliability : InterMethodReliability
        Whether the same samples are easy for every explainer.
    rank_stability : RankStability or None
        Whether the ranking is that of other samples, too; ``None`` without a better end.
    internal_consistency : float or None
        The mean over the other metrics of whether both measure one property.
    """

    metric: str
    better: Literal["higher", "lower", "none"]
    kendall_w: KendallW
    krippendorff_alpha: KrippendorffAlpha
    inter_method_reliability: InterMethodReliability
    rank_stability: RankStability | None
    internal_consistency: float | None

    def _display(self) -> Display:
        stability, w = self.rank_stability, self.kendall_w
        rows: list[tuple[str, Any]] = [
            ("Kendall's W", w.value),
            ("Krippendorff's alpha", self.krippendorff_alpha.value),
            ("inter-method reliability", self.inter_method_reliability.value),
        ]
        if stability is not None:
            rows += [("rank stability", stability.mean_tau), ("same best explainer", stability.top_share)]
        rows.append(("internal consistency", self.internal_consistency))
        notes = [count(w.n_samples, "sample") + (f", {w.n_undefined} more with an undefined value" if w.n_undefined else "")]
        return Display(f"Reliability of {self.metric}", rows=rows, notes=notes)


class Reliability(Reported, Table):
    """Reliability of each metric of an evaluation, and of each pair of metrics.

    :meth:`.EvaluationTable.reliability` computes it. ``result["deletion"]`` is the
    :class:`MetricReliability` of one metric. Its :meth:`report` is that of the evaluation, which
    shows the reliability beside the values.
    """

    _section = "Evaluation"

    def __init__(self, found: dict[str, Any], table: Reported) -> None:
        self._table = table
        self._metrics = {item["metric"]: _metric(item) for item in found["metrics"]}
        #: Consistency of each pair of metrics, by their names in order.
        self.pairs: dict[tuple[str, str], InternalConsistencyReliability] = {
            (entry["first"], entry["second"]): InternalConsistencyReliability(
                **entry["internal_consistency_reliability"]
            )
            for entry in found["pairs"]
        }

    def _add_to(self, report: Any, name: str) -> None:
        self._table._add_to(report, name)

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics."""
        return list(self._metrics)

    def __getitem__(self, metric: AttributionMetricName | str) -> MetricReliability:
        return looked_up(self._metrics, metric, "metric")

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)

    def columns(self) -> dict[str, Any]:
        """Return the main values as columns, with one row per metric and NaN for undefined values.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        judged = list(self._metrics.values())
        stable = [item.rank_stability for item in judged]
        numbers = {
            "kendall_w": [element.kendall_w.value for element in judged],
            "krippendorff_alpha": [of.krippendorff_alpha.value for of in judged],
            "rank_stability": [None if of is None else of.mean_tau for of in stable],
            "top_share": [None if of is None else of.top_share for of in stable],
            "inter_method_reliability": [of.inter_method_reliability.value for of in judged],
            "internal_consistency": [of.internal_consistency for of in judged],
        }
        nan = float("nan")
        defined = {name: [nan if x is None else x for x in value] for name, value in numbers.items()}
        samples = [entry.kendall_w.n_samples for entry in judged]
        return {"metric": self.metrics, **defined, "n_samples": samples}

    def to_dict(self) -> dict[str, Any]:
        """Return the results as nested dictionaries and lists of plain Python values.

        Returns
        -------
        dict
            Metrics and pairs.
        """
        pairs = [
            {"first": a, "second": b, "internal_consistency_reliability": value.to_dict()}
            for (a, b), value in self.pairs.items()
        ]
        return {"metrics": [item.to_dict() for item in self._metrics.values()], "pairs": pairs}

    def _display(self) -> Display:
        columns = self.columns()
        header = [name.replace("_", " ") for name in columns]
        return Display("Reliability of the metrics", header, list(zip(*columns.values())))


def _metric(of: dict[str, Any]) -> MetricReliability:
    stability = of["rank_stability"]
    return MetricReliability(
        metric=of["metric"],
        better=of["better"],
        kendall_w=KendallW(**of["kendall_w"]),
        krippendorff_alpha=KrippendorffAlpha(**of["krippendorff_alpha"]),
        inter_method_reliability=InterMethodReliability(**of["inter_method_reliability"]),
        rank_stability=None if stability is None else stability_of(stability),
        internal_consistency=of["internal_consistency"],
    )
