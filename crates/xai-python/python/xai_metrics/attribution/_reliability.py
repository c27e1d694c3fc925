"""Reliability of metrics, estimated from the values of an evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from .._arguments import looked_up
from .._results import Result, Table, html_table
from ..reliability import (
    InterMethodReliability,
    InternalConsistencyReliability,
    KendallW,
    KrippendorffAlpha,
    RankStability,
)
from ..reliability._rankings import stability_of


@dataclass(frozen=True, eq=False)
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


class Reliability(Table):
    """Reliability of each metric of an evaluation, and of each pair of metrics.

    :meth:`.EvaluationTable.reliability` computes it. ``result["deletion"]`` is the
    :class:`MetricReliability` of one metric.
    """

    def __init__(self, found: dict[str, Any]) -> None:
        self._metrics = {item["metric"]: _metric(item) for item in found["metrics"]}
        #: Consistency of each pair of metrics, by their names in order.
        self.pairs: dict[tuple[str, str], InternalConsistencyReliability] = {
            (entry["first"], entry["second"]): InternalConsistencyReliability(
                **entry["internal_consistency_reliability"]
            )
            for entry in found["pairs"]
        }

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics."""
        return list(self._metrics)

    def __getitem__(self, metric: str) -> MetricReliability:
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

    def __repr__(self) -> str:
        columns = self.columns()
        rows = [
            list(columns),
            *([_text(x) for x in row] for row in zip(*columns.values())),
        ]
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = (
            [row[0].ljust(widths[0]), *(x.rjust(w) for x, w in zip(row[1:], widths[1:]))]
            for row in rows
        )
        return "\n".join("  ".join(line) for line in lines)

    def _repr_html_(self) -> str:
        columns = self.columns()
        return html_table([list(columns), *zip(*columns.values())], "Which metrics to believe")


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


def _text(value: Any) -> str:
    if isinstance(value, float):
        return "-" if value != value else f"{value:.3f}"
    return str(value)
