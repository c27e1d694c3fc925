"""Agreement of masks with the true explanation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _arrays, _native
from .._alignment import Alignment
from .._arguments import threads, whole_or_none
from .._described import described
from .._display import N_SAMPLES, Display
from .._results import Result, Table, axes
from ._inputs import mask_and_truth

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._types import GroundTruthParameters

Floats = npt.NDArray[np.float64]


class GroundTruth(Result):
    """Agreement of a mask with the truth.

    All statistics are in [0, 1], higher is better. A statistic is ``None`` where it is
    undefined, unless ``zero_division`` sets another value. See :func:`metric_infos` for the
    definitions.

    Attributes
    ----------
    accuracy : float
        The share of elements on which mask and truth agree.
    recall, precision, f1_score, auroc, average_precision, jaccard : float or None
        The other statistics, by the names that :func:`metric_infos` has.
    true_positives, false_positives, false_negatives, true_negatives : int
        The counts behind them.
    n_undefined : int
        Number of undefined statistics, also if ``zero_division`` replaces them.
    tied_share : float
        Share of the elements that tie at the cut of a selection by rank, so that the first of them count
        as predicted; missing where a threshold selects.
    """

    accuracy: float
    recall: float | None
    precision: float | None
    f1_score: float | None
    auroc: float | None
    average_precision: float | None
    jaccard: float | None
    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    n_undefined: int
    tied_share: float

    def __init__(self, **scores: Any) -> None:
        self.__dict__.update(scores)

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise AttributeError(f"there is no score {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("scores cannot be changed")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GroundTruth) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.items()))

    def _display(self) -> Display:
        counted = ("true_positives", "false_positives", "false_negatives", "true_negatives")
        rows = [(name, value) for name, value in vars(self).items() if name not in (*counted, "n_undefined")]
        counts = ", ".join(f"{vars(self)[name]} {name.replace('_', ' ')}" for name in counted)
        return Display("Agreement of a mask with the truth", rows=rows, notes=[counts])

    def to_dict(self) -> dict[str, Any]:
        """Return the scores and counts by name.

        Returns
        -------
        dict
            Scores and counts.
        """
        return dict(self.__dict__)


def ground_truth_of(fields: Any) -> GroundTruth:
    """Create the result from its native description."""
    flat = dict(fields)
    n_undefined = flat.pop("n_undefined")
    counts = flat.pop("confusion")
    return GroundTruth(**flat, **counts, n_undefined=n_undefined)


@described("graph.ground_truth")
def ground_truth(
    predicted: Any,
    target: Any,
    *,
    n_jobs: int | None = None,
    **parameters: Unpack[GroundTruthParameters],
) -> GroundTruth:
    """Compute the agreement of a soft mask with the truth: all scores and the underlying counts.

    Parameters
    ----------
    predicted, target : array_like
        Of as many elements, in [0, 1]; any shape.
    {parameters}
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    GroundTruth
        Scores and counts.

    Raises
    ------
    ValueError
        For no elements, other shapes, numbers outside [0, 1] (of logits, that are not finite),
        and a parameter outside its range.

    Examples
    --------
    >>> from xai_metrics.graph import ground_truth
    >>> of = ground_truth([0.9, 0.4, 0.6, 0.1], [1.0, 1.0, 0.0, 0.0])
    >>> of.recall, of.auroc, of.true_positives
    (0.5, 0.75, 1)
    """
    scores, truth = mask_and_truth(predicted, target)
    return ground_truth_of(_native.graph_ground_truth(scores, truth, parameters, threads(n_jobs)))


@described("graph.ground_truth")
def best_of_truths(
    predicted: Any,
    truths: Any,
    *,
    n_jobs: int | None = None,
    **parameters: Unpack[GroundTruthParameters],
) -> tuple[int, GroundTruth]:
    """Score a mask against several valid truths, and choose the one with the largest Jaccard index.

    Parameters
    ----------
    predicted : array_like
        ``(n_elements,)``.
    truths : array_like
        ``(n_truths, n_elements)``.
    {parameters}
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    truth : int
        Which of the truths it is, the first of several.
    scores : GroundTruth
        The scores against it.

    Raises
    ------
    ValueError
        For no truth, other lengths, numbers outside [0, 1] (of logits, that are not finite),
        and a parameter outside its range.

    Examples
    --------
    >>> from xai_metrics.graph import best_of_truths
    >>> best, scores = best_of_truths([0.0, 0.9, 0.8], [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    >>> best, scores.jaccard
    (1, 1.0)
    """
    alignment = Alignment()
    predicted = alignment.take(predicted, "predicted", "elements")
    truths = alignment.take(truths, "truths", None, "elements")
    scores = _arrays.reals(predicted, "predicted", ndim=1)
    rows = _arrays.reals(truths, "truths", ndim=2).astype(scores.dtype, copy=False)
    best = _native.graph_best_of_truths(scores, rows, parameters, threads(n_jobs))
    return int(best["truth"]), ground_truth_of(best["scores"])


@described("graph.ground_truth")
def counted_elements(
    predicted: Any,
    target: Any,
    **parameters: Unpack[GroundTruthParameters],
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which elements :func:`ground_truth` counts as predicted, and which as true.

    Parameters
    ----------
    predicted, target : array_like
        Of as many elements, in [0, 1]; any shape.
    {parameters}

    Returns
    -------
    predicted, target : numpy.ndarray of bool
        One per element, ``(n_elements,)``.

    Raises
    ------
    ValueError
        See :func:`ground_truth`.

    Examples
    --------
    >>> from xai_metrics.graph import counted_elements
    >>> counted_elements([0.9, 0.2], [0.0, 1.0])
    (array([ True, False]), array([False,  True]))
    """
    scores, truth = mask_and_truth(predicted, target)
    is_predicted, is_true = _native.graph_per_element(scores, truth, parameters)
    return is_predicted, is_true


@dataclass(frozen=True, eq=False, repr=False)
class RocCurve(Table):
    """ROC curve of a mask: true positive rate over false positive rate.

    Attributes
    ----------
    false_positive_rate, true_positive_rate, threshold : numpy.ndarray
        ``(n_points,)``; elements at the threshold and above are predicted, none at infinity.
    area : float
        Area under the linear interpolation of all points, even if ``n_points`` keeps only some.
    """

    false_positive_rate: Floats
    true_positive_rate: Floats
    threshold: Floats
    area: float

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as columns.

        Returns
        -------
        dict of str to numpy.ndarray
            Columns by name.
        """
        return {
            "threshold": self.threshold,
            "false_positive_rate": self.false_positive_rate,
            "true_positive_rate": self.true_positive_rate,
        }

    def columns(self) -> dict[str, Any]:
        """Return the curve as columns, with one row per point.

        Returns
        -------
        dict of str to numpy.ndarray
            Columns by name.
        """
        return self.to_dict()

    def _display(self) -> Display:
        columns = self.columns()
        rows = list(zip(*(column[:N_SAMPLES].tolist() for column in columns.values())))
        header = [name.replace("_", " ") for name in columns]
        return Display(f"ROC curve, area {self.area:.4g}", header, rows, n_rows=len(self.threshold))

    def plot(self, *, ax: Any = None) -> Any:
        """Plot the curve with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        ax = axes(ax)
        ax.plot(self.false_positive_rate, self.true_positive_rate, label=f"AUROC {self.area:.3f}")
        ax.plot([0, 1], [0, 1], linestyle=":", color="grey")
        ax.set_xlabel("false positive rate")
        ax.set_ylabel("true positive rate")
        ax.legend()
        return ax


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallCurve(Table):
    """Precision-recall curve of a mask.

    Attributes
    ----------
    recall, precision, threshold : numpy.ndarray
        ``(n_points,)``; elements at the threshold and above are predicted, none at infinity.
    average_precision : float
        Sum of the steps between all points, even if ``n_points`` keeps only some.
    """

    recall: Floats
    precision: Floats
    threshold: Floats
    average_precision: float

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as columns.

        Returns
        -------
        dict of str to numpy.ndarray
            Columns by name.
        """
        return {"threshold": self.threshold, "recall": self.recall, "precision": self.precision}

    def columns(self) -> dict[str, Any]:
        """Return the curve as columns, with one row per point.

        Returns
        -------
        dict of str to numpy.ndarray
            Columns by name.
        """
        return self.to_dict()

    def _display(self) -> Display:
        columns = self.columns()
        rows = list(zip(*(column[:N_SAMPLES].tolist() for column in columns.values())))
        header = [name.replace("_", " ") for name in columns]
        return Display(f"Precision-recall curve, average precision {self.average_precision:.4g}", header, rows, n_rows=len(self.threshold))

    def plot(self, *, ax: Any = None) -> Any:
        """Plot the curve with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        ax = axes(ax)
        label = f"average precision {self.average_precision:.3f}"
        ax.step(self.recall, self.precision, where="post", label=label)
        ax.set_xlabel("recall")
        ax.set_ylabel("precision")
        ax.legend()
        return ax


def curves_of(both: Any) -> tuple[RocCurve | None, PrecisionRecallCurve | None]:
    """Create the curves from their native description."""
    roc, precision_recall = both.get("roc"), both.get("precision_recall")
    return (
        None if roc is None else RocCurve(**roc),
        None if precision_recall is None else PrecisionRecallCurve(**precision_recall),
    )


@described("graph.ground_truth")
def ground_truth_curves(
    predicted: Any,
    target: Any,
    *,
    n_points: int | None = None,
    n_jobs: int | None = None,
    **parameters: Unpack[GroundTruthParameters],
) -> tuple[RocCurve | None, PrecisionRecallCurve | None]:
    """Compute the ROC and precision-recall curves of a mask over all its distinct scores.

    Parameters
    ----------
    predicted, target : array_like
        Of as many elements, in [0, 1].
    n_points : int, optional
        Largest number of points of each curve (at least its two ends): those that shape it most.
    {parameters}
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    roc : RocCurve or None
        ``None`` where the truth has one class only.
    precision_recall : PrecisionRecallCurve or None
        ``None`` without a true element.

    Raises
    ------
    ValueError
        See :func:`ground_truth`.

    Examples
    --------
    >>> from xai_metrics.graph import ground_truth_curves
    >>> roc, precision_recall = ground_truth_curves([0.9, 0.9, 0.1], [1.0, 0.0, 0.0])
    >>> roc.area, len(roc.threshold), precision_recall.average_precision
    (0.75, 3, 0.5)
    """
    scores, truth = mask_and_truth(predicted, target)
    n_points = whole_or_none("n_points", n_points, 0)
    return curves_of(_native.graph_roc_and_pr(scores, truth, parameters, n_points, threads(n_jobs)))
