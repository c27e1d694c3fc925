"""Metrics of all runs at once: agreement beyond chance, and consistency per sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from .. import _arrays, _native
from .._alignment import has_labels
from .._arguments import threads, whole
from .._described import described
from .._display import N_SAMPLES, Display, count
from .._results import Result, Table
from .._statistics import Interval, interval_of
from . import _plots
from ._inputs import coded, ordered, scale_of, stacked
from ._packed import packed

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._types import IntervalParameters


@dataclass(frozen=True, repr=False)
class Agreement(Result):
    """Agreement of all runs on the classes beyond chance, computed by :func:`agreement`.

    Attributes
    ----------
    observed : float
        The chance that two different runs agree on a sample, in [0, 1].
    fleiss_kappa, krippendorff_alpha, gwet_ac1 : float or None
        In [-1, 1], 1 = always the same class, 0 = as by chance. They differ in what they take for
        chance: Fleiss' kappa and Krippendorff's alpha the overall shares of the classes, Gwet's AC1
        a chance that stays low where one class is nearly everything. ``None`` where chance
        agreement is certain.
    """

    observed: float
    fleiss_kappa: float | None
    krippendorff_alpha: float | None
    gwet_ac1: float | None

    def columns(self) -> dict[str, Any]:
        """Return the coefficients as columns, with one row per coefficient.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        return {"metric": list(self.to_dict()), "value": list(self.to_dict().values())}

    def plot(self, ax: Any = None) -> Any:
        """Plot observed agreement and coefficients with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        values = self.to_dict()
        return _plots.estimates(list(values), [(value, None) for value in values.values()], "agreement of all runs", ax)

    def _display(self) -> Display:
        return Display("Agreement of all runs", rows=list(self.to_dict().items()))


def agreement(predictions: Any, *, n_jobs: int | None = None) -> Agreement:
    """Compute the agreement of all runs: Fleiss' kappa, Krippendorff's alpha and Gwet's AC1.

    Parameters
    ----------
    predictions : array_like or table or sequence of arrays or PackedRuns
        Labels ``(n_runs, n_samples)``; packed runs must be packed for a metric of agreement.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    Agreement
        Observed agreement and coefficients.

    Raises
    ------
    ValueError
        For fewer than two runs, no samples, runs of different lengths, and labels that are no
        whole numbers.

    Examples
    --------
    >>> from xai_metrics.repro import agreement
    >>> of = agreement([[0, 1, 0, 1], [0, 1, 0, 0], [0, 1, 0, 1]])
    >>> round(of.observed, 4), round(of.fleiss_kappa, 4)
    (0.8333, 0.6571)
    """
    runs, _ = packed(predictions, None, None, n_jobs)
    return Agreement(**_native.repro_agreement(runs._native, n_jobs))


@described("repro.interval")
def agreement_interval(
    predictions: Any,
    coefficient: Literal["fleiss_kappa", "krippendorff_alpha", "gwet_ac1"] = "fleiss_kappa",
    level: float = 0.95,
    *,
    n_jobs: int | None = None,
    **parameters: Unpack[IntervalParameters],
) -> Interval | None:
    """Compute an interval over *runs* for a coefficient of :func:`agreement`.

    Parameters
    ----------
    predictions : array_like or table or sequence of arrays or PackedRuns
        See :func:`agreement`.
    coefficient : str
        ``fleiss_kappa``, ``krippendorff_alpha`` or ``gwet_ac1``.
    {parameters}
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    Interval or None
        ``None`` below three runs, and where the coefficient is undefined for all runs or without
        one of them.

    Raises
    ------
    ValueError
        See :func:`agreement`, for an unknown coefficient, and for a level outside (0, 1).

    Examples
    --------
    >>> from xai_metrics.repro import agreement_interval
    >>> interval = agreement_interval([[0, 1, 0, 1], [0, 1, 0, 0], [0, 1, 0, 1]])
    >>> interval.method, interval.n_units
    ('jackknife', 3)
    """
    runs, _ = packed(predictions, None, None, n_jobs)
    given = {"level": level, **parameters}
    return interval_of(
        _native.repro_agreement_interval(runs._native, coefficient, given, n_jobs)
    )


def gwet_ac2(
    predictions: Any, weights: Any = "linear", *, categories: Any = None, n_jobs: int | None = None
) -> float | None:
    """Compute Gwet's AC2, the agreement of all runs if some classes are nearer to each other than
    others.

    Parameters
    ----------
    predictions : array_like or table or sequence of arrays
        Labels ``(n_runs, n_samples)``. ``linear``, ``quadratic`` and ``radical`` weights take
        labels as numbers, or by their places in ``categories`` or in ordered categories (of pandas, polars or pyarrow).
    weights : str or array_like
        ``identity`` (which gives AC1), ``linear``, ``quadratic``, ``radical``, ``ordinal``, or a
        symmetric array over ``categories``, or else over the classes that occur, ascending, with 1 on the diagonal; a table
        with the classes as the names of rows and columns is matched by them.
    categories : sequence, optional
        All classes in the order of the scale. Distances are between their places; ascending numbers keep their own. Classes
        that do not occur do not count.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    float or None
        In [-1, 1], 1 = always the same class; ``None`` where chance agreement is certain.

    Raises
    ------
    ValueError
        For unknown weights, for an array that is no matrix of weights, for words without an order
        where weights are distances, and for labels that are not among the categories.

    Examples
    --------
    >>> from xai_metrics.repro import gwet_ac2
    >>> far = gwet_ac2([[0, 1, 2, 2], [0, 1, 2, 0]])
    >>> near = gwet_ac2([[0, 1, 2, 2], [0, 1, 2, 1]])
    >>> near > far
    True
    >>> scale = ["low", "middle", "high"]
    >>> gwet_ac2([["low", "high"], ["low", "middle"]], categories=scale) > gwet_ac2([["low", "high"], ["low", "low"]], categories=scale)
    True
    """
    n_jobs = threads(n_jobs)
    scale = None if categories is None else scale_of(categories)
    if isinstance(weights, str):
        is_nominal = weights == "identity"
        runs = stacked(coded(predictions, None, scale, "categories")[0]) if is_nominal else ordered(predictions, scale)
        value = _native.repro_gwet_ac2(runs, weights, None, n_jobs)
    else:
        codes, _, words = coded(predictions, None, scale, "categories")
        runs = stacked(codes)
        occurring = np.unique(runs)
        classes = occurring if words is None else words[occurring]
        weights = _align_classes(weights, (classes if scale is None else scale).tolist())
        matrix = _arrays.reals(weights, "weights", ndim=2).astype(np.float64, copy=False)
        if scale is not None:
            if matrix.shape != (len(scale),) * 2:
                raise ValueError(f"weights: expected a row and a column for each of {len(scale)} categories, got shape {matrix.shape}")
            matrix = np.ascontiguousarray(matrix[np.ix_(occurring, occurring)])
        value = _native.repro_gwet_ac2(runs, "", matrix, n_jobs)
    return None if value is None else float(value)


def _align_classes(weights: Any, classes: list[Any]) -> Any:
    """Reorder the rows and columns of a table of weights to those of the classes."""
    if not hasattr(weights, "loc") or getattr(weights, "ndim", 0) != 2 or not has_labels(weights):
        return weights
    missing = [label for label in classes if label not in weights.index or label not in weights.columns]
    if missing:
        raise ValueError(f"weights: has no row or column for the class {missing[0]!r}; name both by the classes")
    return weights.loc[classes, classes]


@dataclass(frozen=True, eq=False, repr=False)
class SampleConsistency(Table):
    """Consistency of the predictions for each sample, computed by :func:`sample_consistency`.

    Attributes
    ----------
    n_runs : int
    entropy : numpy.ndarray
        ``(n_samples,)``, in nats: 0 = all runs predict the same, ``ln(n_runs)`` at most.
    modal_share : numpy.ndarray
        ``(n_samples,)``: the share of the runs that predict the most frequent class, in (0, 1].
    n_classes : numpy.ndarray
        ``(n_samples,)``: how many different classes are predicted.
    ever_changing : numpy.ndarray
        The samples whose prediction is not the same in all runs, ascending.
    mean_entropy : float
        Over the samples, in nats.
    """

    n_runs: int
    entropy: npt.NDArray[np.float64]
    modal_share: npt.NDArray[np.float64]
    n_classes: npt.NDArray[np.int64]
    ever_changing: npt.NDArray[np.int64]
    mean_entropy: float

    def most_inconsistent(self, limit: int = 10) -> npt.NDArray[np.int64]:
        """Return the samples with the largest entropy, largest first, ties by position.

        Samples on which all runs agree are not included.

        Parameters
        ----------
        limit : int
            Largest number of samples.

        Returns
        -------
        numpy.ndarray
            Indices of samples.
        """
        changing = self.ever_changing
        order = np.argsort(-self.entropy[changing], kind="stable")
        return changing[order[: max(limit, 0)]]

    def to_dict(self) -> dict[str, Any]:
        """Return the values as columns.

        Returns
        -------
        dict of str to numpy.ndarray
            Columns by name.
        """
        return {
            "sample": np.arange(len(self.entropy)),
            "entropy": self.entropy,
            "modal_share": self.modal_share,
            "n_classes": self.n_classes,
        }

    def columns(self) -> dict[str, Any]:
        """Return the values as columns, with one row per sample.

        Returns
        -------
        dict of str to numpy.ndarray
            Columns by name.
        """
        return self.to_dict()

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Plot how many samples have which share of runs with the most frequent class, with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.
        **style
            Keyword arguments for ``ax.bar``.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        return _plots.shares(self.modal_share, self.n_runs, ax, style)

    def _display(self) -> Display:
        n_changing = len(self.ever_changing)
        rows = [
            (str(i), float(self.entropy[i]), float(self.modal_share[i]), int(self.n_classes[i]))
            for i in self.most_inconsistent(N_SAMPLES)
        ]
        title = f"{n_changing} of {count(len(self.entropy), 'sample')} change between {count(self.n_runs, 'run')}"
        header = ("sample", "entropy", "modal share", "classes")
        notes = [f"mean entropy of all samples: {self.mean_entropy:.4g} nats"]
        return Display(title, header, rows, notes, n_rows=n_changing)


def sample_consistency(predictions: Any, *, n_jobs: int | None = None) -> SampleConsistency:
    """Compute how consistent the predictions of the runs are for each sample.

    Parameters
    ----------
    predictions : array_like or table or sequence of arrays
        Labels ``(n_runs, n_samples)``.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    SampleConsistency
        Entropy, modal share and number of classes per sample.

    Raises
    ------
    ValueError
        For no runs or samples, runs of different lengths, and labels that are no whole numbers.

    Examples
    --------
    >>> from xai_metrics.repro import sample_consistency
    >>> samples = sample_consistency([[0, 1, 0, 1], [0, 1, 0, 0], [0, 1, 2, 1]])
    >>> samples.ever_changing, samples.modal_share.round(3)
    (array([2, 3]), array([1.   , 1.   , 0.667, 0.667]))
    """
    runs = stacked(coded(predictions, None)[0])
    return SampleConsistency(**_native.repro_sample_consistency(runs, threads(n_jobs)))


def votes(predictions: Any, sample: int) -> dict[Any, int]:
    """Count the runs that predict each class of one sample, most frequent first, ties by class.

    Parameters
    ----------
    predictions : array_like or table or sequence of arrays
        Labels ``(n_runs, n_samples)``.
    sample : int
        Index of the sample.

    Returns
    -------
    dict
        Number of runs by class.

    Raises
    ------
    ValueError
        For no runs, runs of different lengths, and a sample that there is not.

    Examples
    --------
    >>> from xai_metrics.repro import votes
    >>> votes([["cat", "dog"], ["cat", "cat"], ["cat", "dog"]], 1)
    {'dog': 2, 'cat': 1}
    """
    coded_runs, _, words = coded(predictions, None)
    runs = stacked(coded_runs)
    n_samples = runs.shape[1]
    sample = whole("sample", sample)
    if not -n_samples <= sample < n_samples:
        raise ValueError(f"sample: expected one of {n_samples}, got {sample}")
    # Only the column is read.
    column = runs[:, sample % n_samples, None]
    counted = _native.repro_votes(column, 0)
    return {label if words is None else words[label].item(): count for label, count in counted}
