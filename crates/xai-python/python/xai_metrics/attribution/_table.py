"""The table that an evaluation ends in: explainers by metrics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from .. import _native
from .._arguments import check_class, number, seed_of, threads, whole
from .._results import Result, axes
from .._results import pandas_library as pandas
from .._statistics import Interval, interval_of
from ._value import Curve, none_for_nan, weighted_mean

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class ExplainerValue:
    """One explainer's value by one metric; a number where one is wanted.

    >>> from xai_metrics.attribution import evaluate
    >>> table = evaluate(None, None, None, {"mine": [[0.0, 1.0]]}, ["sparseness"])
    >>> value = table["sparseness"]["mine"]
    >>> float(value), value.rank, value.interval is None # of one sample
    (0.5, 1, True)
    """

    explainer: str
    metric: str
    #: The mean over the samples that have a value; ``None`` where none has.
    value: float | None
    #: Of the mean; ``None`` with fewer than two values.
    interval: Interval | None
    #: One per sample; NaN where undefined.
    per_sample: npt.NDArray[np.float64]
    n_undefined: int
    #: The mean curve under which the value is the area, where the metric has one.
    curve: Curve | None
    #: The place among the explainers, 1 the best.
    rank: int

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value

    def weighted(self, sample_weights: Any) -> float:
        """The mean with weights of the samples ``(n,)``; interval, rank and tests count every sample once.

        >>> from xai_metrics.attribution import evaluate
        >>> maps = {"mine": [[0.0, 1.0], [1.0, 1.0]]}
        >>> evaluate(None, None, None, maps, ["sparseness"])["sparseness"]["mine"].weighted([3, 1])
        0.375
        """
        return weighted_mean(self.per_sample, sample_weights)

    def to_dict(self) -> dict[str, Any]:
        """The fields by name; ``None`` for samples without a value."""
        return {
            "value": self.value,
            "interval": None if self.interval is None else self.interval.to_dict(),
            "rank": self.rank,
            "n_undefined": self.n_undefined,
            "per_sample": none_for_nan(self.per_sample),
            "curve": None if self.curve is None else self.curve.to_dict(),
        }


@dataclass(frozen=True)
class Comparison(Result):
    """The paired test (Wilcoxon's signed ranks) of two explainers by one metric.

    >>> Comparison("a", "b", 8, 0.1, "a", 0.0078125, 0.0078125).to_dict()["favours"]
    'a'
    """

    #: The explainer of the better value.
    first: str
    #: The other one.
    second: str
    #: Samples on which both have a value.
    n_pairs: int
    #: The mean over those of the value of the first less that of the second.
    difference: float | None
    #: Which of the two the signed ranks speak for.
    favours: str | None
    #: ``None`` when all differences are 0.
    p_value: float | None
    #: The same after Holm's correction for all pairs of this metric.
    p_corrected: float | None


@dataclass(frozen=True, eq=False)
class MetricResult:
    """What one metric says about all explainers.

    >>> from xai_metrics.attribution import evaluate
    >>> maps = {"spread": [[1.0, 1.0]] * 9, "sharp": [[0.0, i + 1.0] for i in range(9)]}
    >>> result = evaluate(None, None, None, maps, ["sparseness"])["sparseness"]
    >>> result.ranking, result.is_better("sharp", than="spread")
    (['sharp', 'spread'], True)
    """

    metric: str
    #: Which end of its scale is the good one.
    direction: Literal["higher", "lower", "none"]
    #: By the names of the explainers, in their order.
    values: dict[str, ExplainerValue]
    #: The names of the explainers, best value first; undefined ones last.
    ranking: list[str]
    #: Every pair of explainers.
    comparisons: list[Comparison]
    #: Why the metric is undefined for the scores, where it is: then it has no values.
    undefined: str | None = None

    def __getitem__(self, explainer: str) -> ExplainerValue:
        return self.values[explainer]

    def is_better(self, explainer: str, than: str, alpha: float = 0.05) -> bool:
        """Whether one explainer is better by more than chance, after Holm's correction."""
        pair = {explainer, than}
        if not pair <= self.values.keys() or len(pair) < 2:
            raise KeyError(f"expected two of {', '.join(self.values)}")
        found = next(c for c in self.comparisons if {c.first, c.second} == pair)
        corrected = found.p_corrected
        return found.favours == explainer and corrected is not None and corrected < alpha

    def to_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return {
            "direction": self.direction,
            "undefined": self.undefined,
            "explainers": {name: value.to_dict() for name, value in self.values.items()},
            "ranking": list(self.ranking),
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
        }

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draws the values and their intervals by matplotlib, the best on top; returns the axes."""
        ax = axes(ax)
        names = self.ranking[::-1]
        style.setdefault("fmt", "o")
        for place, name in enumerate(names):
            value = self.values[name]
            if value.value is None:
                continue
            low, high = value.value, value.value
            if value.interval is not None:
                low, high = value.interval.low, value.interval.high
            error = [[max(value.value - low, 0.0)], [max(high - value.value, 0.0)]]
            ax.errorbar([value.value], [place], xerr=error, capsize=3, **style)
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(-0.5, len(names) - 0.5)
        better = "" if self.direction == "none" else f" ({self.direction} is better)"
        ax.set_xlabel(self.metric + better)
        return ax

    def plot_curves(self, ax: Any = None, **style: Any) -> Any:
        """Draws the curves of all explainers by matplotlib; returns the axes."""
        curves = {name: v.curve for name, v in self.values.items() if v.curve is not None}
        if not curves:
            raise ValueError(f"{self.metric}: there is no curve to draw")
        ax = axes(ax)
        for name, curve in curves.items():
            curve.plot(ax, label=name, **style)
        ax.legend()
        return ax


class EvaluationValues:
    """The values of every explainer by every metric, sample by sample.

    Parts of a data set that were evaluated apart, by other processes or machines, are joined by
    :meth:`merge`; the :meth:`table` of the joined values is that of the whole, to the last bit.
    They pickle. :func:`evaluate_part` makes them.

    >>> import numpy as np
    >>> from xai_metrics.attribution import evaluate_part
    >>> maps = np.array([[1.0, 0.0], [1.0, 1.0], [3.0, 1.0]])
    >>> parts = [
    ...     evaluate_part(None, None, None, {"mine": maps[:2]}, ["sparseness"]),
    ...     evaluate_part(None, None, None, {"mine": maps[2:]}, ["sparseness"], first_sample=2),
    ... ]
    >>> joined = parts[0].merge(parts[1])
    >>> joined.per_sample("sparseness").round(6).tolist()
    [[0.5, 0.0, 0.25]]
    """

    def __init__(
        self,
        native: _native.AttributionValues,
        assumed: dict[str, str] | None = None,
        skipped: dict[str, str] | None = None,
    ) -> None:
        self._native = native
        #: What was taken for arguments that were not given.
        self.assumed = assumed or {}
        #: Why some metrics of ``"standard"`` and ``"all"`` are left out.
        self.skipped = skipped or {}

    @property
    def n_samples(self) -> int:
        """How many samples were explained."""
        return int(self._native.n_samples)

    @property
    def explainers(self) -> list[str]:
        """The names of the explainers."""
        return list(self._native.explainers)

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics."""
        return list(self._native.metrics)

    def per_sample(self, metric: str) -> npt.NDArray[np.float64]:
        """The values by one metric ``(explainers, samples)``, NaN where undefined."""
        values: npt.NDArray[np.float64] = self._native.per_sample(metric)
        return values

    def merge(self, next: EvaluationValues) -> EvaluationValues:
        """These values and those of the samples that come after them. Curves are not joined.

        Raises ``ValueError`` where explainers or metrics are not the same, in the same order, and
        for a metric that relates all samples to each other (consistency, sufficiency).
        """
        check_class(next, self)
        merged = self._native.merged(next._native)
        return EvaluationValues(merged, self.assumed, self.skipped)

    def table(
        self,
        *,
        level: float = 0.95,
        replicates: int = 1000,
        seed: int = 1,
        n_jobs: int | None = None,
    ) -> EvaluationTable:
        """Means, intervals, rankings and tests."""
        level, replicates = number("level", level), whole("replicates", replicates, 0)
        table = self._native.table(level, replicates, seed_of(seed), threads(n_jobs))
        return EvaluationTable(self, table)

    def __reduce__(self) -> tuple[Any, ...]:
        return EvaluationValues, (self._native, self.assumed, self.skipped)

    def __repr__(self) -> str:
        return (
            f"EvaluationValues of {', '.join(self.explainers)} by {', '.join(self.metrics)} "
            f"on {self.n_samples} samples"
        )


class EvaluationTable:
    """Every explainer by every metric: values, intervals, ranks, and differences beyond chance.

    ``table["deletion"]`` is what one metric says, ``table["deletion"]["saliency"]`` what it says
    of one explainer. :func:`evaluate` makes it.

    >>> import numpy as np
    >>> from xai_metrics.attribution import evaluate
    >>> x = np.array([[0.8, 0.2], [0.4, 0.6], [0.9, 0.1]])
    >>> good, bad = np.eye(2)[[0, 1, 0]], np.eye(2)[[1, 0, 1]]
    >>> table = evaluate(lambda x: x, x, [0, 1, 0], {"good": good, "bad": bad}, ["average_drop"])
    >>> table["average_drop"].ranking, round(table["average_drop"]["bad"].value, 6)
    (['good', 'bad'], 1.0)
    >>> table.model_rows # each input once, each masked input once
    9
    """

    def __init__(self, values: EvaluationValues, table: dict[str, Any]) -> None:
        #: The values sample by sample, for merging with other parts.
        self.values = values
        #: What was taken for arguments that were not given: the ``layout`` of the inputs; ``activation``,
        #: ``"softmax"``, of the decisions of an estimator without probabilities; ``mode``, ``"eval"``, of a torch
        #: module that is in training mode.
        self.assumed = values.assumed
        #: Why some metrics of ``"standard"`` and ``"all"`` are left out, by their names.
        self.skipped = values.skipped
        #: How many samples were explained.
        self.n_samples: int = table["n_samples"]
        #: The names of the explainers.
        self.explainers: list[str] = table["explainers"]
        #: How often the model was called, and how many rows it saw over all calls.
        self.model_calls: int = table["model_calls"]["calls"]
        self.model_rows: int = table["model_calls"]["rows"]
        #: How intervals were made.
        self.level: float = table["statistics"]["level"]
        self.replicates: int = table["statistics"]["replicates"]
        self.seed: int = table["statistics"]["seed"]
        self._results = {m["metric"]: self._result(m) for m in table["metrics"]}
        self._table = table

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics."""
        return list(self._results)

    def __getitem__(self, metric: str) -> MetricResult:
        return self._results[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def result(self, explainer: str, metric: str) -> ExplainerValue:
        """One explainer's value by one metric."""
        return self._results[metric][explainer]

    def to_dict(self) -> dict[str, Any]:
        """Everything as nested dictionaries and lists of Python's own numbers."""
        return {
            "n_samples": self.n_samples,
            "explainers": list(self.explainers),
            "model_calls": {"calls": self.model_calls, "rows": self.model_rows},
            "statistics": {"level": self.level, "replicates": self.replicates, "seed": self.seed},
            "assumed": dict(self.assumed),
            "skipped": dict(self.skipped),
            "metrics": {name: result.to_dict() for name, result in self._results.items()},
        }

    def to_pandas(self, *, long: bool = False) -> Any:
        """A data frame of the values, explainers by metrics.

        ``long=True`` gives a row for every explainer and metric, with interval and rank.
        """
        if not long:
            rows = [[float(self.result(e, m)) for m in self.metrics] for e in self.explainers]
            index = pandas().Index(self.explainers, name="explainer")
            return pandas().DataFrame(rows, index=index, columns=self.metrics)
        return pandas().DataFrame([row for metric in self for row in self._rows(metric)])

    def plot(self, metric: str | None = None, ax: Any = None) -> Any:
        """Draws by matplotlib: the values and intervals of one metric, or the ranks of all metrics.

        Returns the axes.
        """
        if metric is not None:
            return self[metric].plot(ax)
        ax = axes(ax)
        ranks = [[self.result(e, m).rank for m in self.metrics] for e in self.explainers]
        # The best are dark; half of the range stays light enough for dark text.
        last = max(len(self.explainers), 2)
        ax.imshow(ranks, cmap="Blues_r", aspect="auto", vmin=1, vmax=last)
        for row, of_explainer in enumerate(ranks):
            for column, rank in enumerate(of_explainer):
                is_dark = rank <= (1 + last) / 2
                color = "white" if is_dark else "black"
                ax.text(column, row, str(rank), ha="center", va="center", color=color)
        ax.set_xticks(range(len(self.metrics)), self.metrics, rotation=45, ha="right")
        ax.set_yticks(range(len(self.explainers)), self.explainers)
        ax.set_title("rank (1 is best)")
        return ax

    def __reduce__(self) -> tuple[Any, ...]:
        return EvaluationTable, (self.values, self._table)

    def __repr__(self) -> str:
        head = ["", *(f"{m} {_arrow(self[m].direction)}".rstrip() for m in self.metrics)]
        rows = [[e, *(self._text(e, m) for m in self.metrics)] for e in self.explainers]
        widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
        lines = []
        for name, *cells in [head, *rows]:
            padded = [cell.rjust(width) for cell, width in zip(cells, widths[1:])]
            lines.append("  ".join([name.ljust(widths[0]), *padded]).rstrip())
        return "\n".join([*lines, self._footer()])

    def _repr_html_(self) -> str:
        import html

        cells = "".join(
            f"<th>{html.escape(m)} {_arrow(self[m].direction)}</th>" for m in self.metrics
        )
        rows = []
        for explainer in self.explainers:
            of_metrics = "".join(self._cell(explainer, metric) for metric in self.metrics)
            rows.append(f"<tr><th>{html.escape(explainer)}</th>{of_metrics}</tr>")
        table = f"<thead><tr><th></th>{cells}</tr></thead><tbody>{''.join(rows)}</tbody>"
        return f"<table>{table}</table><small>{html.escape(self._footer())}</small>"

    def _result(self, result: dict[str, Any]) -> MetricResult:
        name = result["metric"]
        per_sample, curves = self.values.per_sample(name), self.values._native.curves(name)
        values = {}
        for e, value in enumerate(result["scores"]):
            curve = curves[e]
            values[value["explainer"]] = ExplainerValue(
                explainer=value["explainer"],
                metric=name,
                value=value["value"],
                interval=interval_of(value["interval"]),
                per_sample=per_sample[e],
                n_undefined=value["n_undefined"],
                curve=None if curve is None else Curve(*curve),
                rank=result["ranking"].index(e) + 1,
            )
        return MetricResult(
            metric=name,
            direction=result["better"],
            values=values,
            ranking=[self.explainers[e] for e in result["ranking"]],
            comparisons=[Comparison(**comparison) for comparison in result["comparisons"]],
            undefined=result.get("undefined"),
        )

    def _rows(self, metric: str) -> Iterator[dict[str, Any]]:
        result = self[metric]
        for explainer, value in result.values.items():
            interval = value.interval
            yield {
                "explainer": explainer,
                "metric": metric,
                "better": result.direction,
                "value": float(value),
                "low": float("nan") if interval is None else interval.low,
                "high": float("nan") if interval is None else interval.high,
                "rank": value.rank,
                "n_undefined": value.n_undefined,
            }

    def _text(self, explainer: str, metric: str) -> str:
        value = self.result(explainer, metric)
        if value.value is None:
            return "-"
        interval = value.interval
        within = "" if interval is None else f" [{interval.low:.3g}, {interval.high:.3g}]"
        return f"{value.value:.4g}{within}{self._mark(explainer, metric)}"

    def _cell(self, explainer: str, metric: str) -> str:
        value = self.result(explainer, metric)
        if value.value is None:
            return "<td>-</td>"
        text = f"{value.value:.4g}{self._mark(explainer, metric)}"
        if value.rank == 1 and self[metric].direction != "none":
            text = f"<strong>{text}</strong>"
        interval = value.interval
        if interval is not None:
            text += f" <small>[{interval.low:.3g}, {interval.high:.3g}]</small>"
        return f"<td>{text}</td>"

    def _mark(self, explainer: str, metric: str) -> str:
        """A star where the best explainer is better by more than chance."""
        result = self[metric]
        best = result.ranking[0]
        if best == explainer or result.direction == "none":
            return ""
        return "*" if result.is_better(best, explainer, 1 - self.level) else ""

    def _footer(self) -> str:
        samples = f"{self.n_samples} samples, {self.model_rows} rows of the model"
        assumed = "".join(f"; {name} {value}" for name, value in self.assumed.items())
        skipped = f"; {len(self.skipped)} metrics skipped" if self.skipped else ""
        intervals = f"intervals of {self.level:.0%}; * worse than the best by more than chance"
        reasons = [f"{m} is undefined: {self[m].undefined}" for m in self if self[m].undefined]
        return "\n".join([*reasons, f"{samples}; {intervals}{assumed}{skipped}"])


def _arrow(direction: str) -> str:
    return {"higher": "↑", "lower": "↓"}.get(direction, "")
