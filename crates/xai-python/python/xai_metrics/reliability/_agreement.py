"""Agreement of samples on explainers, and of metrics on samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from .. import _native
from .._alignment import Alignment
from .._arguments import threads
from ._perturbed import Direction
from ._values import Value, values_of


@dataclass(frozen=True, repr=False)
class KrippendorffAlpha(Value):
    """Agreement of raters beyond chance, computed by :func:`krippendorff_alpha`.

    Attributes
    ----------
    value : float or None
        At most 1, higher is better; ``None`` where no unit has two ratings or all are one value.
    level : str
        ``nominal``, ``ordinal`` or ``interval``.
    n_units, n_ratings : int
        Units with at least two ratings, and their ratings.
    """

    value: float | None
    level: str
    n_units: int
    n_ratings: int


def krippendorff_alpha(
    ratings_by_rater: Any, level: Literal["nominal", "ordinal", "interval"] = "ordinal"
) -> KrippendorffAlpha:
    """Compute Krippendorff's alpha, the agreement of raters beyond chance.

    Parameters
    ----------
    ratings_by_rater : array_like
        ``(n_raters, n_units)``: a row for each rater and a column for each unit, NaN where a rater has not
        rated. Samples that rank explainers are raters: ``(n_samples, n_explainers)`` ranks, the other way
        round than :func:`kendall_w` takes values.
    level : {"nominal", "ordinal", "interval"}
        Distance of two ratings: whether they differ, the number of ratings between them, or their
        difference.

    Returns
    -------
    KrippendorffAlpha
        1: no disagreement, 0: as by chance, below 0: systematic disagreement.

    Raises
    ------
    ValueError
        For no raters, ratings that are infinite, another level, and ranks with a row for each unit.

    Examples
    --------
    >>> from xai_metrics.reliability import krippendorff_alpha
    >>> nan = float("nan")
    >>> krippendorff_alpha([[1, 2, 3, nan], [1, 2, 3, 1]]).value # the last unit has one rating
    1.0
    >>> krippendorff_alpha([[1, 2], [1, 4]], level="interval").value # 1 - 2 / 4
    0.5
    """
    ratings = values_of(ratings_by_rater, "ratings_by_rater", 2)
    found = _native.reliability_krippendorff_alpha(ratings, level)
    return KrippendorffAlpha(**found)


@dataclass(frozen=True, repr=False)
class KendallW(Value):
    """Agreement of the samples on the ranking of explainers, computed by :func:`kendall_w`.

    Attributes
    ----------
    value : float or None
        In [0, 1], higher is better; ``None`` where every sample ties all explainers.
    mean_correlation : float or None
        ``(m W - 1) / (m - 1)`` of ``m`` samples: without ties the mean Spearman correlation of pairs of
        samples. ``None`` below two samples.
    n_samples, n_undefined : int
        Samples that rank the explainers, and those on which an explainer has no value.
    """

    value: float | None
    mean_correlation: float | None
    n_samples: int
    n_undefined: int


def kendall_w(values_by_explainer: Any) -> KendallW:
    """Compute Kendall's coefficient of concordance W: do the samples rank the explainers alike?

    Parameters
    ----------
    values_by_explainer : array_like
        The values of a metric, ``(n_explainers, n_samples)``: a row for each explainer; a sample with NaN is
        left out.

    Returns
    -------
    KendallW
        1: every sample ranks alike, 0: no explainer is ahead; of ``m`` random rankings about ``1 / m``.

    Raises
    ------
    ValueError
        For no explainers, values that are infinite, and ranks with a row for each sample.

    Examples
    --------
    Ranks 1 2 3 and 1 3 2.

    >>> from xai_metrics.reliability import kendall_w
    >>> w = kendall_w([[0.1, 0.2], [0.3, 0.9], [0.5, 0.4]])
    >>> w.value, w.mean_correlation
    (0.75, 0.5)
    """
    values = values_of(values_by_explainer, "values_by_explainer", 2)
    return KendallW(**_native.reliability_kendall_w(values))


@dataclass(frozen=True, repr=False)
class InterMethodReliability(Value):
    """Agreement of explainers on which samples are easy, computed by
    :func:`inter_method_reliability`.

    Attributes
    ----------
    value : float or None
        The mean of the pairs that are defined, in [-1, 1]; neither end is better.
    pairs : list of float or None
        Each pair of explainers, in the order (0, 1), (0, 2), ...; ``None`` where one is constant.
    n_undefined : int
        How many pairs are undefined.
    """

    value: float | None
    pairs: list[float | None]
    n_undefined: int


def inter_method_reliability(scores: Any, *, n_jobs: int | None = None) -> InterMethodReliability:
    """Compute whether the same samples have good values for every explainer.

    Parameters
    ----------
    scores : array_like
        The values of a metric, ``(n_explainers, n_samples)``. Each pair of explainers is over the samples
        on which both have a value.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    InterMethodReliability
        Spearman's correlation over samples. 1: the metric measures the sample as much as the explainer;
        0: unrelated.

    Raises
    ------
    ValueError
        For no explainers, and values that are infinite.

    Examples
    --------
    >>> from xai_metrics.reliability import inter_method_reliability
    >>> inter_method_reliability([[1, 2, 3], [0.1, 0.3, 0.2], [5, 5, 5]]).pairs
    [0.5, None, None]
    """
    values = values_of(scores, "scores", 2)
    return InterMethodReliability(**_native.reliability_inter_method(values, threads(n_jobs)))


@dataclass(frozen=True, repr=False)
class InternalConsistencyReliability(Value):
    """Agreement of two metrics, computed by :func:`internal_consistency_reliability`.

    Attributes
    ----------
    value : float or None
        The mean of the explainers that have one, in [-1, 1], higher is better.
    per_explainer : list of float or None
        Spearman's correlation over samples; ``None`` where a metric is constant.
    n_undefined : int
        How many explainers have none.
    """

    value: float | None
    per_explainer: list[float | None]
    n_undefined: int


def internal_consistency_reliability(
    metric_a: Any,
    metric_b: Any,
    direction_a: Direction = "higher",
    direction_b: Direction = "higher",
    *,
    n_jobs: int | None = None,
) -> InternalConsistencyReliability:
    """Compute whether two metrics measure the same property.

    Parameters
    ----------
    metric_a, metric_b : array_like
        The values of the two metrics, ``(n_explainers, n_samples)``. Each explainer is over the samples
        on which both have a value.
    direction_a, direction_b : {"higher", "lower"}
        Better end of the scale of each metric.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    InternalConsistencyReliability
        1: the maps of an explainer that are good by one metric are by the other, 0: unrelated,
        -1: they contradict each other.

    Raises
    ------
    ValueError
        For tables of different shapes, values that are infinite, and another direction.

    Examples
    --------
    >>> from xai_metrics.reliability import internal_consistency_reliability
    >>> drops, gains = [[0.1, 0.2, 0.3]], [[0.9, 0.5, 0.7]]
    >>> internal_consistency_reliability(drops, gains, "lower", "higher").per_explainer
    [0.5]
    """
    metric_a, metric_b = Alignment().take_all({"metric_a": metric_a, "metric_b": metric_b}, "explainers", "samples")
    found = _native.reliability_internal_consistency(
        (values_of(metric_a, "metric_a", 2), direction_a),
        (values_of(metric_b, "metric_b", 2), direction_b),
        threads(n_jobs),
    )
    return InternalConsistencyReliability(**found)
