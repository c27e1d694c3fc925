"""Metrics of pairs of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from .. import _native
from .._arguments import number, threads
from .._arrays import in_place
from .._described import described
from .._display import Display, Estimate, count
from .._report import Reported
from .._results import Table
from .._statistics import Interval, Summary, interval_of
from . import _plots
from ._errors import ErrorSets, WithErrors, accuracy_notes, errors_of
from ._inputs import coded, stacked
from ._packed import PackedRuns, packed

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._types import IntervalParameters, PairMetricName, PairwiseParameters, RegressionMetricName

Floats = npt.NDArray[np.float64]


class PairValues(Table):
    """Metrics of all pairs of runs: values, their distribution, and intervals over runs.

    Base class of the results of :func:`pairwise` and :func:`regression`.
    """

    n_runs: int
    n_samples: int
    values: Mapping[str, Floats]
    #: Names of the runs, if predictions were a mapping or a table.
    run_names: tuple[str, ...] | None = None
    #: Treatment of ``ec_local`` if neither run makes an error, see :func:`pairwise`.
    empty_union: str = "undefined"

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(self.values)

    def pairs(self, metric: PairMetricName | RegressionMetricName | str) -> Floats:
        """Return the value for every pair: (0, 1), (0, 2), ..., (1, 2), ...; NaN where undefined.

        Parameters
        ----------
        metric : str
            Name of the metric.

        Returns
        -------
        numpy.ndarray
            One value per pair.

        Raises
        ------
        ValueError
            If the metric was not computed.
        """
        if metric not in self.values:
            known = ", ".join(self.values)
            raise ValueError(f"metric: {metric!r} was not asked for; there are {known}")
        return self.values[metric]

    def matrix(self, metric: PairMetricName | RegressionMetricName | str, diagonal: float = np.nan) -> Floats:
        """Return the values as a symmetric matrix.

        Parameters
        ----------
        metric : str
            Name of the metric.
        diagonal : float
            Value for the pair of a run with itself.

        Returns
        -------
        numpy.ndarray of shape (n_runs, n_runs)
            Values by run.

        Raises
        ------
        ValueError
            If the metric was not computed.
        """
        matrix = np.full((self.n_runs, self.n_runs), diagonal)
        first, second = np.triu_indices(self.n_runs, 1)
        matrix[first, second] = matrix[second, first] = self.pairs(metric)
        return matrix

    def summary(self, metric: PairMetricName | RegressionMetricName | str) -> Summary:
        """Summarize the distribution of a metric over the pairs.

        Parameters
        ----------
        metric : str
            Name of the metric.

        Returns
        -------
        Summary
            Distribution.

        Raises
        ------
        ValueError
            If the metric was not computed.
        """
        fields = dict(_native.repro_pair_summary(self.n_runs, self.pairs(metric)))
        # Dropped pairs are NaN in the values, but do not count as undefined.
        if self.empty_union == "drop" and metric == "ec_local":
            fields["n_undefined"] = 0
        return Summary(**fields)

    @described("repro.interval")
    def interval(
        self,
        metric: PairMetricName | RegressionMetricName | str,
        level: float = 0.95,
        *,
        statistic: Literal["mean", "std", "min", "median", "max"] | float = "mean",
        n_jobs: int | None = None,
        **parameters: Unpack[IntervalParameters],
    ) -> Interval | None:
        """Compute an interval for a statistic of a metric, over *runs*, because pairs share runs.

        Parameters
        ----------
        metric : str
            One of :attr:`metrics`.
        statistic : str or float
            ``mean``, ``std``, ``min``, ``median``, ``max``, or the level of a quantile in [0, 1].
        {parameters}

        Returns
        -------
        Interval or None
            ``None`` below three runs, and where the statistic is undefined for all runs or without
            one of them.
        """
        given = {"level": level, **parameters}
        values = self.pairs(metric)
        return interval_of(
            _native.repro_pair_interval(self.n_runs, values, str(statistic), given, threads(n_jobs))
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the values by metric, with the runs of each pair: their names if they have some, otherwise
        their positions.

        Returns
        -------
        dict of str to numpy.ndarray
            ``first``, ``second`` and the metrics.
        """
        first, second = np.triu_indices(self.n_runs, 1)
        if self.run_names is not None:
            names = np.array(self.run_names)
            return {"first": names[first], "second": names[second], **self.values}
        return {"first": first, "second": second, **self.values}

    def columns(self) -> dict[str, Any]:
        """Return the values as columns, with one row per pair: its two runs and the metrics.

        Returns
        -------
        dict of str to numpy.ndarray
            Columns by name.
        """
        return self.to_dict()

    def _display(self) -> Display:
        rows = []
        for metric in self.values:
            of = self.summary(metric)
            mean = Estimate(of.mean, self.interval(metric))
            rows.append((metric, mean, of.std, of.min, of.median, of.max, of.n_undefined))
        header = ("metric", "mean", "std", "min", "median", "max", "undefined")
        return Display(pairs_title(self.n_runs, self.n_samples), header, rows, self._notes())

    def _notes(self) -> list[str]:
        """Return the notes below the table."""
        notes = ["intervals of 95 % are over runs (jackknife)"] if self.n_runs > 2 else []
        if "ec_local" in self.values and self.empty_union != "undefined":
            notes.append(f"ec_local of two runs without errors: {self.empty_union}")
        return notes

    def plot(self, metric: PairMetricName | RegressionMetricName | str | None = None, *, ax: Any = None) -> Any:
        """Plot a metric between all runs as a heat map with matplotlib.

        Parameters
        ----------
        metric : str, optional
            Name of the metric; by default percent agreement if it was computed, otherwise the first metric with values.
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        if metric is None:
            defined = (name for name, values in self.values.items() if not np.isnan(values).all())
            metric = "pa_acc" if "pa_acc" in self.values else next(defined, self.metrics[0])
        return _plots.pairs(self.matrix(metric), metric, self.run_names, ax)


def pairs_title(n_runs: int, n_samples: int) -> str:
    """Return the title of a table of metrics of pairs."""
    return f"{count(n_runs * (n_runs - 1) // 2, 'pair')} of {count(n_runs, 'run')}, {count(n_samples, 'sample')}"


@dataclass(frozen=True, eq=False, repr=False)
class PairwiseResult(Reported, WithErrors, PairValues):
    """Pairwise metrics of runs that predict classes, computed by :func:`pairwise`.

    Attributes
    ----------
    n_runs, n_samples : int
    values : dict of str to numpy.ndarray
        Each metric on every pair; NaN where it is undefined.
    errors : ErrorSets
        Accuracies, always and ever wrong, leave-one-out consistency; ``ValueError`` without labels.
    run_names : tuple of str or None
        Names of the runs, if predictions were a mapping or a table.
    """

    n_runs: int
    n_samples: int
    values: Mapping[str, Floats]
    _errors: ErrorSets | None
    run_names: tuple[str, ...] | None = None
    empty_union: str = "undefined"
    #: Predictions, labels and parameters, from which a report also lists samples that runs disagree
    #: on.
    _given: tuple[Any, Any, PairwiseParameters] | None = None
    _section = "Pairs of runs"

    def _add_to(self, report: Any, name: str) -> None:
        if self._errors is None:
            raise ValueError("labels: a report of runs contains their accuracy, which needs true labels; pass labels=…")
        if self._given is None:
            raise ValueError(
                "predictions: a report lists samples on which runs disagree; take it where pairwise() was called, with "
                "arrays or tables"
            )
        predictions, labels, parameters = self._given
        # Agreement across all runs needs the counts of pa_acc.
        runs = PackedRuns(predictions, labels, metrics=list({*self.metrics, "pa_acc"}))
        rows, truth, words = coded(predictions, labels)
        called = {} if words is None else dict(enumerate(map(str, words.tolist())))
        metrics, rows = list(self.metrics), in_place(stacked(rows), "predictions")
        names = list(self.run_names or ())
        report.add_repro(name, runs._native, metrics, parameters, rows, truth.tolist(), called, names)

    def _notes(self) -> list[str]:
        return [*super()._notes(), *accuracy_notes(self._errors)]

    def __getstate__(self) -> dict[str, Any]:
        # What was given may be large, and is not the result.
        return {**vars(self), "_given": None}


@described("repro.pairwise")
def pairwise(
    predictions: Any,
    labels: Any = None,
    *,
    metrics: PairMetricName | str | Sequence[PairMetricName | str] | None = None,
    n_jobs: int | None = None,
    **parameters: Unpack[PairwiseParameters],
) -> PairwiseResult:
    """Compute every metric for each pair of runs.

    Parameters
    ----------
    predictions : array_like or table or sequence or mapping of arrays, or PackedRuns
        Labels ``(n_runs, n_samples)``, at least two runs; a table has one column per run, a mapping such
        as ``{"seed 1": labels, …}`` names the runs. Integers, booleans, words, or whole numbers stored
        as floats.
    labels : array_like, optional
        The true labels, ``(n_samples,)``. Without them only the metrics of agreement are taken.
    metrics : str or sequence of str, optional
        By name, see :func:`metric_infos`; all by default:

        - of errors: ``ec_local`` ``|e_i & e_j| / |e_i | e_j|``, ``ec_global`` ``|e_i & e_j| / n``,
          ``ec_acc`` ``mean(e_i = e_j)``, ``ec_kappa`` (Cohen's, which is Geirhos' error consistency),
          ``ec_corr`` (Pearson's, which is phi; undefined for constant errors), ``ec_matthews`` (the
          same, but 0 for constant errors)
        - of predictions: ``pa_acc`` ``mean(p_i = p_j)``, ``pa_disagreement`` ``1 - pa_acc``,
          ``pa_kappa`` (Cohen's), ``pa_cramers_v``, ``pa_nmi``
    {parameters}
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    PairwiseResult
        Values for all pairs, and error sets if there are labels.

    Raises
    ------
    ValueError
        For fewer than two runs, no samples, arrays of different lengths, unknown metrics, and
        labels that are no whole numbers; for a pair without errors under ``empty_union="error"``.

    Notes
    -----
    Higher is better for all but ``pa_disagreement``. Accurate models agree often: read the metrics
    beside accuracy. Intervals are over runs, since pairs share runs. ``pa_kappa``,
    ``pa_cramers_v`` and ``pa_nmi`` of runs that predict one class only are undefined: constant
    predictions share no information (scikit-learn's normalized mutual information is 1 there).

    Examples
    --------
    Errors {2, 3}, {1, 2}, {3}: one of three shared, one of two, none of three.

    >>> from xai_metrics.repro import pairwise
    >>> runs = pairwise([[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]], [0, 1, 1, 0])
    >>> runs.pairs("ec_local").round(3)
    array([0.333, 0.5  , 0.   ])
    >>> round(runs.summary("ec_local").mean, 4)
    0.2778
    >>> runs.matrix("pa_acc")
    array([[ nan, 0.5 , 0.75],
           [0.5 ,  nan, 0.25],
           [0.75, 0.25,  nan]])

    Runs with names:

    >>> named = pairwise({"seed 1": [0, 1, 0, 1], "seed 2": [0, 0, 0, 0]}, [0, 1, 1, 0], metrics="ec_kappa")
    >>> named.columns()
    {'first': array(['seed 1'], dtype='<U6'), 'second': array(['seed 2'], dtype='<U6'), 'ec_kappa': array([0.])}
    """
    runs, names = packed(predictions, labels, metrics, n_jobs)
    values, errors = _native.repro_pairwise(runs._native, list(names), parameters, n_jobs)
    is_there_again = hasattr(predictions, "__len__")
    return PairwiseResult(
        n_runs=runs.n_runs,
        n_samples=runs.n_samples,
        values=dict(zip(names, values)),
        _errors=errors_of(errors, runs),
        run_names=runs.run_names,
        empty_union=str(parameters.get("empty_union", "undefined")),
        _given=(predictions, labels, parameters) if is_there_again else None,
    )


@dataclass(frozen=True, repr=False)
class PairwiseSummaries(WithErrors, Table):
    """Distributions of the metrics without the values of the pairs, computed by :func:`summarize`.

    Attributes
    ----------
    n_runs, n_samples : int
    summaries : dict of str to Summary
        Without quantiles.
    intervals : dict of str to Interval or None
        Of the means, by a jackknife over runs.
    errors : ErrorSets
        ``ValueError`` without labels.
    """

    n_runs: int
    n_samples: int
    summaries: Mapping[PairMetricName | str, Summary]
    intervals: Mapping[PairMetricName | str, Interval | None]
    _errors: ErrorSets | None = field(compare=False)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the summary of each metric as a dictionary.

        Returns
        -------
        dict of str to dict
            Summaries by metric.
        """
        return {name: summary.to_dict() for name, summary in self.summaries.items()}

    def columns(self) -> dict[str, Any]:
        """Return summaries and intervals as columns, with one row per metric.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        rows = self.to_dict()
        columns: dict[str, Any] = {"metric": list(rows)}
        for key in ("n_defined", "n_undefined", "mean", "std", "min", "max"):
            columns[key] = [row[key] for row in rows.values()]
        for end in ("low", "high"):
            ends = (self.intervals[name] for name in rows)
            columns[end] = [None if ends_of is None else getattr(ends_of, end) for ends_of in ends]
        return columns

    def plot(self, ax: Any = None) -> Any:
        """Plot the means with their intervals with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        estimates = [(summary.mean, self.intervals[name]) for name, summary in self.summaries.items()]
        return _plots.estimates(list(self.summaries), estimates, "mean over the pairs", ax)

    def _display(self) -> Display:
        rows = [
            (name, Estimate(of.mean, self.intervals[name]), of.std, of.min, of.max, of.n_undefined)
            for name, of in self.summaries.items()
        ]
        header = ("metric", "mean", "std", "min", "max", "undefined")
        return Display(pairs_title(self.n_runs, self.n_samples), header, rows, accuracy_notes(self._errors))


@described("repro.pairwise")
def summarize(
    predictions: Any,
    labels: Any = None,
    *,
    metrics: PairMetricName | str | Sequence[PairMetricName | str] | None = None,
    level: float = 0.95,
    n_jobs: int | None = None,
    **parameters: Unpack[PairwiseParameters],
) -> PairwiseSummaries:
    """Compute the distributions of :func:`pairwise` without storing the values of the pairs.

    Memory grows linearly with the number of runs.

    Parameters
    ----------
    predictions, labels, metrics, n_jobs
        See :func:`pairwise`.
    level : float
        Coverage of the intervals, in (0, 1).
    {parameters}

    Returns
    -------
    PairwiseSummaries
        Summary and interval of each metric.

    Raises
    ------
    ValueError
        See :func:`pairwise`; also for a level outside (0, 1).

    Examples
    --------
    >>> from xai_metrics.repro import summarize
    >>> runs = summarize([[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]], [0, 1, 1, 0])
    >>> runs.summaries["pa_acc"].mean
    0.5
    """
    level = number("level", level)
    runs, names = packed(predictions, labels, metrics, n_jobs)
    fields, errors = _native.repro_summaries(runs._native, list(names), parameters, level, n_jobs)
    return PairwiseSummaries(
        n_runs=runs.n_runs,
        n_samples=runs.n_samples,
        summaries={name: Summary(**summary) for name, (summary, _) in zip(names, fields)},
        intervals={name: interval_of(interval) for name, (_, interval) in zip(names, fields)},
        _errors=errors_of(errors, runs),
    )
