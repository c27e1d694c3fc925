"""Evaluation results as a table of explainers by metrics."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _native
from .._arguments import check_class, looked_up, number, seed_of, threads, whole
from .._display import Display, Estimate, Record, Shown, count, grid, percent
from .._report import Reported
from .._results import Result, Table, latex, latex_tabular, pandas_library, text_or_file
from .._statistics import Interval, interval_of
from ..reliability import MetaConsistency, meta_consistency
from . import _plots
from ._pictures import pictures
from ._reliability import Reliability
from ._value import (
    Curve,
    by_subject,
    none_for_nan,
    noted,
    pairs_of,
    tied_share,
    warn,
    weighted_mean,
    why_undefined,
    with_remarks,
)

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas

    from .._types import AttributionMetricName


@dataclass(frozen=True, eq=False, repr=False)
class ExplainerValue(Record):
    """Value of one metric for one explainer; ``float()`` returns the mean.

    Examples
    --------
    >>> from xai_metrics.attribution import evaluate
    >>> table = evaluate(None, None, None, {"mine": [[0.0, 1.0]]}, ["sparseness"])
    >>> value = table["sparseness"]["mine"]
    >>> float(value), value.rank, value.interval is None # of one sample
    (0.5, 1.0, True)
    """

    explainer: str
    metric: str
    #: Mean over the samples with a value; ``None`` if there are none.
    value: float | None
    #: Interval of the mean; ``None`` with fewer than two values.
    interval: Interval | None
    #: Values of the samples; NaN where undefined.
    per_sample: npt.NDArray[np.float64]
    n_undefined: int
    #: Mean curve whose area is the value, for metrics that have one.
    curve: Curve | None
    #: Rank among the explainers, 1 is best, ties share their mean rank; ``None`` if undefined, and
    #: for metrics without a better end.
    rank: float | None
    #: Share of the features whose attribution equals that of another feature, so that their order
    #: of removal is arbitrary; ``None`` for metrics that do not remove features in the order of
    #: their attributions.
    tied_share: float | None = None

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value

    def weighted(self, sample_weights: Any) -> float:
        """Return the weighted mean over the samples. Interval, rank and tests are always
        unweighted.

        Parameters
        ----------
        sample_weights : array_like
            Weight of each sample, ``(n,)``.

        Returns
        -------
        float
            Weighted mean of the defined values.

        Examples
        --------
        >>> from xai_metrics.attribution import evaluate
        >>> maps = {"mine": [[0.0, 1.0], [1.0, 1.0]]}
        >>> evaluate(None, None, None, maps, ["sparseness"])["sparseness"]["mine"].weighted([3, 1])
        0.375
        """
        return weighted_mean(self.per_sample, sample_weights)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, with ``None`` for undefined samples.

        Returns
        -------
        dict
            Fields by name.
        """
        return {
            "value": self.value,
            "interval": None if self.interval is None else list(self.interval),
            "rank": self.rank,
            "n_undefined": self.n_undefined,
            "per_sample": none_for_nan(self.per_sample),
            "curve": None if self.curve is None else self.curve.to_dict(),
            "tied_share": self.tied_share,
        }


@dataclass(frozen=True, repr=False)
class Comparison(Record, Result):
    """Paired test (Wilcoxon signed-rank) of two explainers by one metric.

    Examples
    --------
    >>> Comparison("a", "b", 8, 0.1, "a", 0.0078125, 0.0078125).to_dict()["favours"]
    'a'
    """

    #: Explainer with the better value.
    first: str
    #: The other explainer.
    second: str
    #: Number of samples for which both have a value.
    n_pairs: int
    #: Mean over these samples of the value of the first explainer minus that of the second.
    difference: float | None
    #: Explainer that the signed ranks favour.
    favours: str | None
    #: P-value of the test; ``None`` if all differences are 0.
    p_value: float | None
    #: p-value after Holm's correction for all pairs of this metric.
    p_corrected: float | None


@dataclass(frozen=True, eq=False, repr=False)
class MetricResult(Shown):
    """Results of one metric for all explainers.

    Examples
    --------
    >>> from xai_metrics.attribution import evaluate
    >>> maps = {"spread": [[1.0, 1.0]] * 9, "sharp": [[0.0, i + 1.0] for i in range(9)]}
    >>> result = evaluate(None, None, None, maps, ["sparseness"])["sparseness"]
    >>> result.ranking, result.is_better("sharp", than="spread")
    (['sharp', 'spread'], True)
    """

    metric: str
    #: Better end of the scale.
    direction: Literal["higher", "lower", "none"]
    #: Values by explainer, in their order.
    values: dict[str, ExplainerValue]
    #: Names of the explainers, best value first, undefined values last.
    ranking: list[str]
    #: Tests of all pairs of explainers.
    comparisons: list[Comparison]
    #: Reason if the metric is undefined for all explainers.
    undefined: str | None = None

    def __getitem__(self, explainer: str) -> ExplainerValue:
        return looked_up(self.values, explainer, "explainer")

    def is_better(self, explainer: str, than: str, alpha: float = 0.05) -> bool:
        """Return whether one explainer is significantly better than another, after Holm's
        correction.

        Parameters
        ----------
        explainer : str
            Explainer that is claimed to be better.
        than : str
            Explainer to compare with.
        alpha : float
            Significance level.

        Returns
        -------
        bool
            ``True`` if the test favours ``explainer`` and its corrected p-value is below ``alpha``.

        Raises
        ------
        KeyError
            If the two names are equal or not names of explainers.
        """
        pair = {explainer, than}
        if not pair <= self.values.keys() or len(pair) < 2:
            raise KeyError(f"expected two of {', '.join(self.values)}")
        found = self._comparisons[frozenset(pair)]
        corrected = found.p_corrected
        return found.favours == explainer and corrected is not None and corrected < alpha

    @cached_property
    def _comparisons(self) -> dict[frozenset[str], Comparison]:
        """The tests by pair of explainers."""
        return {frozenset((found.first, found.second)): found for found in self.comparisons}

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name.

        Returns
        -------
        dict
            Fields by name, as plain Python values.
        """
        return {
            "direction": self.direction,
            "undefined": self.undefined,
            "explainers": {name: value.to_dict() for name, value in self.values.items()},
            "ranking": list(self.ranking),
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
        }

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Plot values and intervals with matplotlib, best explainer on top.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.
        **style
            Keyword arguments for matplotlib.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        return _plots.values(self, ax, style)

    def plot_curves(self, ax: Any = None, **style: Any) -> Any:
        """Plot the mean curves of all explainers with matplotlib.

        :func:`.plot_curves` draws curves of single samples, with intervals of their mean.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.
        **style
            Keyword arguments for :func:`.plot_curves`.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        ValueError
            If the metric has no curves.
        """
        curves = {name: v.curve for name, v in self.values.items() if v.curve is not None}
        if not curves:
            raise ValueError(f"{self.metric}: there is no curve to draw; {_plots.NO_CURVES}")
        ax = _plots.plot_curves(curves, ax=ax, **style)
        ax.set_title(self.metric)
        return ax

    def _display(self) -> Display:
        best = self.ranking[0] if self.ranking else None
        rows = []
        for name in self.ranking:
            value = self.values[name]
            is_other = name != best and value.value is not None and self.direction != "none"
            p = self._comparisons[frozenset((str(best), name))].p_corrected if is_other else None
            n = len(value.per_sample) - value.n_undefined
            is_best = value.rank is not None and value.rank == self.values[str(best)].rank
            rank = "" if value.rank is None else value.rank
            rows.append((name, Estimate(value.value, value.interval, is_best=is_best), rank, n, "" if p is None else p))
        notes = [f"undefined: {self.undefined}"] if self.undefined else []
        n_undefined = {name: value.n_undefined for name, value in self.values.items() if value.n_undefined}
        if n_undefined and not self.undefined:
            notes.append("samples without a value: " + ", ".join(f"{n} of {name}" for name, n in n_undefined.items()))
        if any(row[-1] != "" for row in rows):
            notes.append(f"p vs {best}: signed-rank test of the difference, corrected for all pairs (Holm)")
        header = ("explainer", named(self.metric, self.direction), "rank", "samples", f"p vs {best}")
        return Display("", header, rows, notes)


class EvaluationValues(Shown):
    """Values of all metrics and explainers for each sample.

    :func:`evaluate_part` creates them. Parts of a data set that were evaluated separately, in
    other processes or on other machines, are joined by :meth:`merge`; the :meth:`table` of the
    joined values is bit-for-bit that of the whole data set. Instances can be pickled.

    Examples
    --------
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
        activation: str = "none",
    ) -> None:
        self._native = native
        #: Values assumed for arguments that were not given.
        self.assumed: dict[str, str] = with_remarks(assumed or {}, native.assumed)
        #: Reasons why metrics of ``"standard"`` and ``"all"`` were skipped, by name.
        self.skipped: dict[str, str] = skipped or {}
        #: Activation applied to the outputs of the model.
        self.activation = activation

    @property
    def n_samples(self) -> int:
        """Number of explained samples."""
        return int(self._native.n_samples)

    @property
    def explainers(self) -> list[str]:
        """Names of the explainers."""
        return list(self._native.explainers)

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics."""
        return list(self._native.metrics)

    def per_sample(self, metric: AttributionMetricName | str) -> npt.NDArray[np.float64]:
        """Return the values of one metric.

        Parameters
        ----------
        metric : str
            Name of the metric.

        Returns
        -------
        numpy.ndarray
            Values ``(explainers, samples)``; NaN where undefined.
        """
        values: npt.NDArray[np.float64] = self._native.per_sample(metric)
        return values

    def merge(self, next: EvaluationValues) -> EvaluationValues:
        """Append the values of the samples that follow. Curves are dropped.

        Parameters
        ----------
        next : EvaluationValues
            Values of the next part, with the same explainers and metrics in the same order.

        Returns
        -------
        EvaluationValues
            Values of both parts.

        Raises
        ------
        ValueError
            If explainers or metrics differ, or for a metric that compares all samples with each
            other (consistency, sufficiency).
        """
        check_class(next, self)
        merged = self._native.merged(next._native)
        return EvaluationValues(merged, self.assumed, self.skipped, self.activation)

    def table(
        self,
        *,
        level: float = 0.95,
        replicates: int = 1000,
        seed: int = 1,
        n_jobs: int | None = None,
    ) -> EvaluationTable:
        """Compute means, intervals, rankings and tests. Warns about suspicious inputs.

        Parameters
        ----------
        level : float
            Coverage of the intervals.
        replicates : int
            Bootstrap replicates per interval; 0 for no intervals.
        seed : int
            Seed of the bootstrap.
        n_jobs : int or None
            Number of threads; ``None`` for one per core.

        Returns
        -------
        EvaluationTable
            Table of explainers by metrics.
        """
        level, replicates = number("level", level), whole("replicates", replicates, 0)
        table = self._native.table(level, replicates, seed_of(seed), threads(n_jobs))
        warn(pairs_of(table["warnings"]))
        return EvaluationTable(self, table)

    def __reduce__(self) -> tuple[Any, ...]:
        return EvaluationValues, (self._native, self.assumed, self.skipped, self.activation)

    def _display(self) -> Display:
        rows = [("explainers", self.explainers), ("metrics", self.metrics), ("samples", self.n_samples)]
        return Display("Evaluation values", rows=rows, notes=noted(self.assumed, {}, self.skipped))


class EvaluationTable(Reported, Table):
    """Table of explainers by metrics, with values, intervals, ranks and tests.

    :func:`evaluate` creates it. ``table["deletion"]`` is the :class:`MetricResult` of one
    metric, ``table["deletion"]["saliency"]`` the :class:`ExplainerValue` of one explainer.

    Examples
    --------
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
        #: Values per sample, for merging with other parts.
        self.values = values
        #: Values assumed for arguments that were not given: ``layout`` of the inputs;
        #: ``activation``, ``"softmax"`` for estimators without probabilities; ``mode``, ``"eval"``
        #: for a torch module in training mode; ``baseline`` of tables with column names;
        #: ``explained_class``, the class that plain maps explain, of two; ``ties``, the order of
        #: features with equal attributions.
        self.assumed: dict[str, str] = with_remarks(values.assumed, pairs_of(table["assumed"]))
        #: Warnings about suspicious inputs, by subject.
        self.warnings: dict[str, str] = by_subject(pairs_of(table["warnings"]))
        #: Reasons why metrics of ``"standard"`` and ``"all"`` were skipped, by name.
        self.skipped: dict[str, str] = values.skipped
        #: Number of explained samples.
        self.n_samples: int = table["n_samples"]
        #: Names of the explainers.
        self.explainers: list[str] = table["explainers"]
        #: Number of model calls, and total number of rows.
        self.model_calls: int = table["model_calls"]["calls"]
        self.model_rows: int = table["model_calls"]["rows"]
        #: Largest number of rows per call of the model and the explainers; ``None`` if neither was
        #: called.
        self.batch_size: int | None = table.get("batch_size")
        #: Settings of the intervals.
        self.level: float = table["statistics"]["level"]
        self.replicates: int = table["statistics"]["replicates"]
        self.seed: int = table["statistics"]["seed"]
        self._results = {m["metric"]: self._result(m) for m in table["metrics"]}
        self._table = table
        #: Layout of images, and the maps that a report shows for each explainer.
        self._pictures: tuple[str, list[Any]] | None = None
        #: Noise resilience, reactivity and meta-consistency of metrics, which a report shows.
        self._judged: dict[str, tuple[float | None, float | None, float | None]] = {}

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics."""
        return list(self._results)

    @property
    def rankings(self) -> dict[str, list[str]]:
        """Explainer names per metric, best value first, undefined values last."""
        return {name: result.ranking for name, result in self._results.items()}

    def __getitem__(self, metric: AttributionMetricName | str) -> MetricResult:
        return looked_up(self._results, metric, "metric")

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def result(self, explainer: str, metric: AttributionMetricName | str) -> ExplainerValue:
        """Return the value of one metric for one explainer.

        Parameters
        ----------
        explainer : str
            Name of the explainer.
        metric : str
            Name of the metric.

        Returns
        -------
        ExplainerValue
            Value, interval and rank.
        """
        return self[metric][explainer]

    def to_dict(self) -> dict[str, Any]:
        """Return the table as nested dictionaries and lists of plain Python values.

        Returns
        -------
        dict
            Table and metadata.
        """
        return {
            "n_samples": self.n_samples,
            "explainers": list(self.explainers),
            "model_calls": {"calls": self.model_calls, "rows": self.model_rows},
            "batch_size": self.batch_size,
            "statistics": {"level": self.level, "replicates": self.replicates, "seed": self.seed},
            "assumed": dict(self.assumed),
            "warnings": dict(self.warnings),
            "skipped": dict(self.skipped),
            "metrics": {name: result.to_dict() for name, result in self._results.items()},
        }

    def columns(self) -> dict[str, Any]:
        """Return value, interval and rank as columns, with one row per explainer and metric.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        rows = [row for metric in self for row in self._rows(metric)]
        return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}

    def to_pandas(self, *, long: bool = False) -> pandas.DataFrame:
        """Return the values as a data frame.

        Parameters
        ----------
        long : bool
            ``True`` for one row per explainer and metric, see :meth:`columns`; by default one row
            per explainer and one column per metric.

        Returns
        -------
        pandas.DataFrame
            Values; NaN where undefined.
        """
        if long:
            return super().to_pandas()
        rows = [[float(self.result(e, m)) for m in self.metrics] for e in self.explainers]
        pandas = pandas_library()
        index = pandas.Index(self.explainers, name="explainer")
        return pandas.DataFrame(rows, index=index, columns=self.metrics)

    def to_latex(self, path: Any = None, *, intervals: bool = True) -> str | None:
        """Return the values as a LaTeX ``tabular`` with the rules of ``booktabs``.

        The best values, including ties, are bold. A star marks values that are significantly
        worse than the best one.

        Parameters
        ----------
        path : path-like, optional
            File to write to.
        intervals : bool
            Whether to add the intervals.

        Returns
        -------
        str or None
            The LaTeX code; ``None`` if it was written to ``path``.

        Examples
        --------
        >>> from xai_metrics.attribution import evaluate
        >>> print(evaluate(None, None, None, {"mine": [[0.0, 1.0]]}, ["sparseness"]).to_latex())
        \\begin{tabular}{lr}
        \\toprule
         & sparseness $\\uparrow$ \\\\
        \\midrule
        mine & \\textbf{0.5} \\\\
        \\bottomrule
        \\end{tabular}
        <BLANKLINE>
        """
        header = ["", *(latex(named(m, self[m].direction)) for m in self.metrics)]
        rows = [
            [latex(e), *(self._latex(e, m, intervals) for m in self.metrics)]
            for e in self.explainers
        ]
        return text_or_file(latex_tabular(header, rows), path)

    def plot(self, metric: AttributionMetricName | str | None = None, ax: Any = None) -> Any:
        """Plot values and intervals of one metric, or the ranks by all metrics, with matplotlib.

        Parameters
        ----------
        metric : str, optional
            Name of the metric; ranks by all metrics by default.
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        return _plots.ranks(self, ax) if metric is None else self[metric].plot(ax)

    def plot_radar(self, ax: Any = None) -> Any:
        """Plot the ranks of each explainer as a closed line with matplotlib, best ranks outside.

        There is one axis per metric that has a better end.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Polar axes to draw on; new ones by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        return _plots.radar(self, ax)

    def plot_agreement(self, ax: Any = None) -> Any:
        """Plot how similarly the metrics rank the explainers with matplotlib.

        Shows Kendall's tau-b of the ranks for each pair of metrics: 1 for the same order, -1 for
        the opposite order.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        ValueError
            If there are fewer than three explainers, or fewer than two metrics that have a better
            end.
        """
        return _plots.agreement(self._agreement(), ax)

    def with_maps(
        self, model: Any, inputs: Any, targets: Any, explainers: Mapping[str, Any], **how: Any
    ) -> EvaluationTable:
        """Return a copy whose :meth:`report` shows the best and worst map of each explainer.

        The model is called only for the few samples that are shown, unless maps of all classes are
        given without targets, which are predicted then.

        Parameters
        ----------
        model, inputs, targets, explainers
            The arguments of :func:`evaluate`; the inputs must be images.
        **how
            Keyword arguments of :func:`evaluate` for the model and its explanations: ``activation``,
            ``layout``, ``framework``, ``segments``, ``explained_class``, …

        Returns
        -------
        EvaluationTable
            The same values. The maps are not pickled.

        Raises
        ------
        ValueError
            If explainers are missing, the number of samples differs, or the inputs are no images.
        """
        lacking = [repr(name) for name in self.explainers if name not in explainers]
        if lacking:
            raise ValueError(
                f"explainers: expected all that the table has, {', '.join(lacking)} missing"
            )
        shown = dict(zip(self.explainers, _native.Report.shown(self.values._native)))
        arguments = {"model": model, "inputs": inputs, "targets": targets, **how}
        table = EvaluationTable(self.values, self._table)
        table._pictures = pictures(arguments, explainers, shown, self.n_samples)
        return table

    def reliability(self, *, n_jobs: int | None = None) -> Reliability:
        """Estimate how reliable each metric is, from the values of all explainers and samples.

        It answers four questions: do the samples agree on the order of the explainers, would
        other samples give the same ranking, does the metric depend more on the sample than on
        the explainer, and does it agree with the other metrics? The number of bootstrap
        replicates and the seed are those of the intervals. The model is not called. See
        :mod:`xai_metrics.reliability` for the definitions.

        Parameters
        ----------
        n_jobs : int or None
            Number of threads; ``None`` for one per core.

        Returns
        -------
        Reliability
            Reliability of each metric.

        Examples
        --------
        >>> import numpy as np
        >>> from xai_metrics.attribution import evaluate
        >>> maps = {"sharp": [[0.0, 1.0], [0.0, 2.0]], "spread": [[1.0, 1.0], [1.0, 2.0]]}
        >>> judged = evaluate(None, None, None, maps, ["sparseness"]).reliability()
        >>> judged["sparseness"].kendall_w.value, judged["sparseness"].rank_stability.top_share
        (1.0, 1.0)
        """
        arguments = (self.level, self.replicates, self.seed, threads(n_jobs))
        return Reliability(self.values._native.reliability(*arguments), self)

    def meta_consistency(
        self,
        minor: Sequence[Sequence[EvaluationTable]],
        disruptive: Sequence[Sequence[EvaluationTable]],
        keep_minor: Any = None,
        keep_disruptive: Any = None,
    ) -> dict[str, MetaConsistency]:
        """Compute whether each metric keeps its values where the prediction stays and reacts where
        it changes.

        Parameters
        ----------
        minor, disruptive : sequence of sequences of EvaluationTable
            The same evaluation after perturbations of the inputs or of the model, explained again: a row
            for each iteration. All metrics of a table share the calls of the model.
        keep_minor, keep_disruptive : array_like of bool, optional
            Which samples count, ``(n_iterations, n_perturbations, n_samples)``: those whose prediction
            stayed, and those whose prediction changed. All by default.

        Returns
        -------
        dict of str to MetaConsistency
            By the metrics that have a better end; see :func:`xai_metrics.reliability.meta_consistency`.

        Raises
        ------
        ValueError
            For tables of other explainers, metrics or samples, and rows of different lengths.

        Examples
        --------
        A linear model, whose gradient is its weights. Noise on the inputs is minor; the disruptive
        perturbation turns the weights round. The targets stay those of the first prediction.

        >>> import numpy as np
        >>> from xai_metrics.attribution import evaluate
        >>> rng = np.random.default_rng(1)
        >>> x, weights = rng.random((40, 6)), rng.normal(size=(6, 2))
        >>> target = (x @ weights).argmax(1)
        >>> def table(x, weights):
        ...     gradient = (x * weights[:, target].T, rng.random(x.shape))
        ...     maps = {"gradient": gradient[0], "random": gradient[1]}
        ...     return evaluate(lambda x: x @ weights, x, target, maps, ["deletion"], replicates=0)
        >>> noisy = [x + rng.uniform(-0.001, 0.001, x.shape) for _ in range(2)]
        >>> meta = table(x, weights).meta_consistency(
        ...     [[table(x, weights) for x in noisy]],
        ...     [[table(x, -weights)]],
        ...     [[(x @ weights).argmax(1) == target for x in noisy]],
        ...     [[(x @ -weights).argmax(1) != target]],
        ... )
        >>> meta["deletion"].value > 0.5, len(meta["deletion"].per_iteration)
        (True, 1)
        """
        expected = (self.explainers, self.metrics, self.n_samples)
        for name, rows in (("minor", minor), ("disruptive", disruptive)):
            for position, row in enumerate(rows):
                for other in row:
                    check_class(other, self)
                    if (other.explainers, other.metrics, other.n_samples) != expected:
                        what = "explainers, metrics and samples"
                        raise ValueError(f"{name}[{position}]: expected the same {what}")
                if len(row) != len(rows[0]):
                    raise ValueError(f"{name}[{position}]: expected {len(rows[0])} tables")
        found = {}
        for metric in self:
            direction = self[metric].direction
            if direction == "none":
                continue
            q = self.values.per_sample(metric)
            tables = [
                np.array([[item.values.per_sample(metric) for item in row] for row in rows])
                if rows and rows[0]
                else np.empty((0, 0, *q.shape))
                for rows in (minor, disruptive)
            ]
            found[metric] = meta_consistency(
                q, tables[0], tables[1], keep_minor, keep_disruptive, direction
            )
        return found

    def judged_by(self, meta: Mapping[str, MetaConsistency]) -> EvaluationTable:
        """Return a copy whose :meth:`report` shows the results of :meth:`meta_consistency`.

        Parameters
        ----------
        meta : mapping of str to MetaConsistency
            By the names of metrics of the table.

        Returns
        -------
        EvaluationTable
            The same values. Pickling leaves it out.
        """
        unknown = [name for name in meta if name not in self._results]
        if unknown:
            raise ValueError(f"meta: {unknown[0]!r} is no metric of the table")
        table = EvaluationTable(self.values, self._table)
        table._pictures = self._pictures
        table._judged = {
            name: (value.noise_resilience, value.reactivity, value.value) for name, value in meta.items()
        }
        return table

    _section = "Evaluation"

    def _add_to(self, report: Any, name: str) -> None:
        report.add_attribution(
            name,
            self.values._native,
            self._statistics,
            self.values.activation,
            self._remarks(),
            self._pictures,
            self._judged,
        )

    @property
    def _statistics(self) -> tuple[float, int, int]:
        """Settings of the intervals."""
        return self.level, self.replicates, self.seed

    def _remarks(self) -> list[str]:
        """Return what was assumed and left out, as remarks of a report."""
        remarks = [f"{what}: {value}, which was assumed" for what, value in self.assumed.items()]
        return [*remarks, *(f"{metric} is left out: {reason}" for metric, reason in self.skipped.items())]

    def _agreement(self) -> dict[tuple[str, str], float | None]:
        """Compute Kendall's tau-b for each pair of metrics."""
        report = _native.Report("")
        # No interval is asked for.
        report.add_attribution("", self.values._native, (self.level, 0, self.seed), "none", [])
        (section,) = json.loads(report.json())["attribution"]
        return {(item["first"], item["second"]): item["tau"] for item in section["agreement_of_metrics"]}

    def __reduce__(self) -> tuple[Any, ...]:
        return EvaluationTable, (self.values, self._table)

    def _display(self) -> Display:
        return self._grid(self._notes())

    def _grid(self, notes: list[str]) -> Display:
        """Return the values of explainers and metrics with notes below."""
        names = {metric: named(metric, self[metric].direction) for metric in self}
        cells = {(e, names[m]): self._estimate(e, m) for m in self for e in self.explainers}
        return grid(self.explainers, list(names.values()), cells, notes)

    def _result(self, result: dict[str, Any]) -> MetricResult:
        name, ranking = result["metric"], result["ranking"]
        per_sample, curves = self.values.per_sample(name), self.values._native.curves(name)
        values = {}
        for e, value in enumerate(result["scores"]):
            curve = curves[e]
            # Equal values share the mean of their places.
            scores = enumerate((result["scores"][other]["value"] for other in ranking), 1)
            alike = [position for position, score in scores if score == value["value"]]
            is_ranked = value["value"] is not None and result["better"] != "none"
            values[value["explainer"]] = ExplainerValue(
                explainer=value["explainer"],
                metric=name,
                value=value["value"],
                interval=interval_of(value["interval"]),
                per_sample=per_sample[e],
                n_undefined=value["n_undefined"],
                curve=None if curve is None else Curve(*curve),
                rank=sum(alike) / len(alike) if is_ranked else None,
                tied_share=tied_share(value),
            )
        return MetricResult(
            metric=name,
            direction=result["better"],
            values=values,
            ranking=[self.explainers[e] for e in ranking],
            comparisons=[Comparison(**comparison) for comparison in result["comparisons"]],
            undefined=result.get("undefined") or self._why_undefined(values),
        )

    def _why_undefined(self, values: Mapping[str, ExplainerValue]) -> str | None:
        """Return why a metric has no values, or ``None`` if it has some."""
        return why_undefined(self.n_samples) if all(item.value is None for item in values.values()) else None

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
                "rank": float("nan") if value.rank is None else value.rank,
                "n_undefined": value.n_undefined,
            }

    def _estimate(self, explainer: str, metric: str) -> Estimate:
        """Return value, interval and mark as a cell."""
        value = self.result(explainer, metric)
        return Estimate(value.value, value.interval, self._mark(explainer, metric), self._is_best(explainer, metric))

    def _latex(self, explainer: str, metric: str, intervals: bool) -> str:
        value = self.result(explainer, metric)
        if value.value is None:
            return latex(None)
        text = latex(value.value)
        if self._is_best(explainer, metric):
            text = rf"\textbf{{{text}}}"
        if value.interval is not None and intervals:
            text += f" [{latex(value.interval.low)}, {latex(value.interval.high)}]"
        return text + ("$^*$" if self._mark(explainer, metric) else "")

    def _is_best(self, explainer: str, metric: str) -> bool:
        """Return whether the explainer has the best rank, alone or tied."""
        result = self[metric]
        rank = result[explainer].rank
        return rank is not None and rank == result[result.ranking[0]].rank

    def _mark(self, explainer: str, metric: str) -> str:
        """Return a star if the best explainer is significantly better."""
        result = self[metric]
        if result[explainer].rank is None or self._is_best(explainer, metric):
            return ""
        return "*" if result.is_better(result.ranking[0], explainer, 1 - self.level) else ""

    def _notes(self, unit: str = "sample", units: str = "samples") -> list[str]:
        """Return the notes below the table: undefined values, number of samples, a legend of the stars if
        there are any, warnings and assumptions.
        """
        values = [(value, m) for m in self for value in self[m].values.values()]
        plain = why_undefined(self.n_samples)
        reasons = [f"{m} is undefined: {why}" for m in self if (why := self[m].undefined) and why != plain]
        others = [m for m in self if self[m].undefined == plain]
        others += [f"{value.metric} of {value.explainer}" for value, m in values if value.value is None and not self[m].undefined]
        if others:
            reasons.append(f"undefined for all {units}: {', '.join(others)}")
        about = [f"{self.n_samples} {unit if self.n_samples == 1 else units}"]
        if unit == "sample":
            about.append(f"{self.model_rows} rows of the model")
        if any(value.interval is not None for value, _ in values):
            about.append(f"intervals of {percent(self.level)}")
        if any(self._mark(value.explainer, m) for value, m in values):
            about.append("* worse than the best by more than chance")
        return ["; ".join(about), *reasons, *noted(self.assumed, self.warnings, self.skipped)]


def named(metric: str, direction: str) -> str:
    """Return the name of a metric with an arrow to the better end of its scale.

    Examples
    --------
    >>> named("deletion", "lower"), named("sufficiency", "none")
    ('deletion ↓', 'sufficiency')
    """
    return f"{metric} {_ARROWS.get(direction, '')}".rstrip()


_ARROWS = {"higher": "↑", "lower": "↓"}
