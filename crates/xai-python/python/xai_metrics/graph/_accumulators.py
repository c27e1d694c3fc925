"""Accumulators for graph metrics, which can be updated by batches and merged across processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from .. import _native
from .._arguments import check_class, threads, whole_or_none
from .._display import Display, Estimate, Record, count
from .._results import Table
from .._statistics import Interval, interval_of
from ._fidelity import Fidelity, fold
from ._ground_truth import (
    GroundTruth,
    PrecisionRecallCurve,
    RocCurve,
    curves_of,
    ground_truth_of,
)
from ._inputs import aligned, mask_and_truth, same_precision
from ._unfaithfulness import Unfaithfulness

if TYPE_CHECKING:
    from .._types import GraphMetricName, ReturnType

Self = TypeVar("Self", bound="_Accumulator")


class _Accumulator:
    """Base class of the accumulators, which can be merged and pickled."""

    _state: Any
    n_jobs: int | None

    def merge(self: Self, other: Self) -> Self:
        """Add the state of other samples.

        Parameters
        ----------
        other : accumulator
            Accumulator of the same class with the same parameters.

        Returns
        -------
        accumulator
            The accumulator itself.

        Raises
        ------
        TypeError
            If ``other`` is of another class.
        ValueError
            If ``other`` has other parameters.
        """
        check_class(other, self)
        if other._state is not None:
            if self._state is None:
                self._state = _native.GraphState.from_bytes(other._state.to_bytes())
            else:
                self._state.merge(other._state)
        return self

    def __getstate__(self) -> dict[str, Any]:
        stored = None if self._state is None else bytes(self._state.to_bytes())
        return {**self.__dict__, "_state": stored}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if state["_state"] is not None:
            self._state = _native.GraphState.from_bytes(state["_state"])


class FidelityAccumulator(_Accumulator):
    """Accumulator for :func:`fidelity`, in which every sample counts the same, whatever its batch.

    The result is bit-for-bit that of all samples at once, for any order and any division into
    batches.

    Parameters
    ----------
    over_graphs : bool
        Whether each batch is a graph: :meth:`finish` then returns :class:`DatasetScores`, with
        averages over graphs and their intervals in addition to the score of all samples together.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Examples
    --------
    >>> import pickle
    >>> from xai_metrics.graph import FidelityAccumulator
    >>> left = FidelityAccumulator().update([0, 1], kept=[0, 1], complement=[1, 0])
    >>> right = FidelityAccumulator().update([2, 1], kept=[2, 0], complement=[2, 0])
    >>> left.merge(pickle.loads(pickle.dumps(right))).finish()
    Fidelity, 4 samples
    fid+              0.75
    fid-              0.25
    characterization  0.75
    """

    def __init__(self, *, over_graphs: bool = False, n_jobs: int | None = None) -> None:
        self.over_graphs = over_graphs
        self.n_jobs: int | None = threads(n_jobs)
        self._state = _native.GraphState.fidelity(over_graphs)

    def update(
        self,
        full: Any,
        kept: Any,
        complement: Any,
        target: Any = None,
        *,
        index: Any = None,
        by: Literal["label", "probability"] = "label",
        return_type: ReturnType = "raw",
    ) -> FidelityAccumulator:
        """Add a batch. The state does not change if an error is raised.

        Parameters
        ----------
        full, kept, complement, target, index, by, return_type
            See :func:`fidelity`.

        Returns
        -------
        FidelityAccumulator
            The accumulator itself.

        Raises
        ------
        ValueError
            See :func:`fidelity`; also for ``by="probability"`` with ``over_graphs``.
        """
        if self.over_graphs and by == "probability":
            raise ValueError("by: averages over graphs are taken by label")
        choices = (target, index, by, return_type, self.n_jobs)
        fold(self._state, full, kept, complement, *choices)
        return self

    def finish(self) -> Any:
        """Return the result for all samples so far.

        Returns
        -------
        Fidelity or DatasetScores
            :class:`DatasetScores` with ``over_graphs``.
        """
        fields = self._state.finish(self.n_jobs)
        if self.over_graphs:
            return _dataset(fields, Fidelity(**fields["micro"]))
        return Fidelity(**fields)


class UnfaithfulnessAccumulator(_Accumulator):
    """Accumulator for :func:`unfaithfulness`, in which every row counts the same.

    Parameters
    ----------
    **parameters
        Parameters of :func:`unfaithfulness`; must be equal for all accumulators to be merged.
    over_graphs : bool
        Whether each batch is a graph, see :class:`FidelityAccumulator`.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Examples
    --------
    >>> from xai_metrics.graph import UnfaithfulnessAccumulator
    >>> state = UnfaithfulnessAccumulator(return_type="probs")
    >>> round(state.update([[0.5, 0.5]], [[0.25, 0.75]]).finish().value, 6)
    0.133975
    """

    def __init__(
        self,
        *,
        over_graphs: bool = False,
        n_jobs: int | None = None,
        **parameters: Any,
    ) -> None:
        self.over_graphs = over_graphs
        self.n_jobs: int | None = threads(n_jobs)
        self._state = _native.GraphState.unfaithfulness(parameters, over_graphs)

    def update(self, full: Any, kept: Any) -> UnfaithfulnessAccumulator:
        """Add a batch of outputs.

        Parameters
        ----------
        full, kept : array_like
            Outputs ``(n, n_classes)``, see :func:`unfaithfulness`.

        Returns
        -------
        UnfaithfulnessAccumulator
            The accumulator itself.

        Raises
        ------
        ValueError
            See :func:`unfaithfulness`.
        """
        full, kept, _ = aligned(full=full, kept=kept)
        rows = same_precision(full=full, kept=kept)
        # Every float32 is a float64, so the rows are the same numbers.
        doubles = [row.astype(np.float64, copy=False) for row in rows]
        self._state.update_unfaithfulness(*doubles, self.n_jobs)
        return self

    def finish(self) -> Any:
        """Return the result for all rows so far.

        Returns
        -------
        Unfaithfulness or DatasetScores
            :class:`DatasetScores` with ``over_graphs``.
        """
        fields = self._state.finish(self.n_jobs)
        if self.over_graphs:
            return _dataset(fields, Unfaithfulness(**fields["micro"]))
        return Unfaithfulness(**fields)


class GroundTruthAccumulator(_Accumulator):
    """Accumulator for :func:`ground_truth` over the elements of all masks.

    Parameters
    ----------
    **parameters
        Parameters of :func:`ground_truth`; must be equal for all accumulators to be merged.
    over_graphs : bool
        Whether each batch is a graph, see :class:`FidelityAccumulator`.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Notes
    -----
    Thresholds are compared in the precision of the scores, so all batches of a state must be of the
    precision of the first. The state holds the scores: memory grows with the elements.

    Examples
    --------
    >>> from xai_metrics.graph import GroundTruthAccumulator
    >>> state = GroundTruthAccumulator()
    >>> of = state.update([0.9, 0.4], [1.0, 1.0]).update([0.6, 0.1], [0.0, 0.0]).finish()
    >>> of.accuracy, of.auroc
    (0.5, 0.75)
    """

    def __init__(
        self,
        *,
        over_graphs: bool = False,
        n_jobs: int | None = None,
        **parameters: Any,
    ) -> None:
        self._choices = parameters
        self.over_graphs = over_graphs
        self.n_jobs: int | None = threads(n_jobs)
        # Wrong parameters raise here, not at the first batch. Two accumulators have the same
        # parameters if the bytes of their empty states are equal.
        self._empty = bytes(
            _native.GraphState.ground_truth(parameters, False, over_graphs).to_bytes()
        )
        self._state = None
        self._precision: str | None = None

    def update(self, predicted: Any, target: Any) -> GroundTruthAccumulator:
        """Add a mask and its truth.

        Parameters
        ----------
        predicted, target : array_like
            See :func:`ground_truth`.

        Returns
        -------
        GroundTruthAccumulator
            The accumulator itself.

        Raises
        ------
        ValueError
            See :func:`ground_truth`; also for scores in another precision than those before.
        """
        scores, truth = mask_and_truth(predicted, target)
        precision = scores.dtype.name
        if self._precision not in (None, precision):
            raise ValueError(
                f"predicted: the scores so far are {self._precision}, these are {precision}; "
                f"convert them, for instance by `.astype(numpy.{self._precision})`"
            )
        if self._state is None:
            made = _native.GraphState.ground_truth(
                self._choices, precision == "float32", self.over_graphs
            )
            made.update_ground_truth(scores, truth, self.n_jobs)
            self._state, self._precision = made, precision
        else:
            self._state.update_ground_truth(scores, truth, self.n_jobs)
        return self

    def merge(self, other: GroundTruthAccumulator) -> GroundTruthAccumulator:
        """Add the state of other elements.

        Parameters
        ----------
        other : GroundTruthAccumulator
            Accumulator with the same parameters.

        Returns
        -------
        GroundTruthAccumulator
            The accumulator itself.

        Raises
        ------
        TypeError
            If ``other`` is of another class.
        ValueError
            If ``other`` has other parameters, or scores in another precision.
        """
        if isinstance(other, GroundTruthAccumulator) and self._empty != other._empty:
            raise ValueError("merged state: one with other choices")
        super().merge(other)
        self._precision = self._precision or other._precision
        return self

    def finish(self) -> Any:
        """Return the result for all elements so far.

        Returns
        -------
        GroundTruth or DatasetScores
            :class:`DatasetScores` with ``over_graphs``.

        Raises
        ------
        ValueError
            Before the first batch.
        """
        fields = self._filled().finish(self.n_jobs)
        if self.over_graphs:
            return _dataset(fields, ground_truth_of(fields["micro"]))
        return ground_truth_of(fields)

    def curves(
        self, n_points: int | None = None
    ) -> tuple[RocCurve | None, PrecisionRecallCurve | None]:
        """Return the ROC and precision-recall curves of all scores, see
        :func:`ground_truth_curves`.

        Parameters
        ----------
        n_points : int, optional
            Largest number of points of each curve; all by default.

        Returns
        -------
        tuple of RocCurve or None, and PrecisionRecallCurve or None
            Both curves.

        Raises
        ------
        ValueError
            Before the first batch, and with ``over_graphs``.
        """
        if self.over_graphs:
            raise ValueError("curves: they are of elements, not of graphs")
        n_points = whole_or_none("n_points", n_points, 0)
        return curves_of(self._filled().curves(n_points, self.n_jobs))

    def _filled(self) -> Any:
        if self._state is None:
            raise ValueError("elements: there are none yet")
        return self._state


@dataclass(frozen=True, repr=False)
class MacroAverage(Record):
    """Metric averaged over graphs, in which each graph counts the same.

    Attributes
    ----------
    name, direction : str
        Name of the metric, and better end of its scale.
    mean : float or None
        Mean over the graphs for which the metric is defined.
    interval : Interval or None
        95 % interval over graphs.
    n_defined, n_undefined : int
        Number of graphs for which the metric is defined, and undefined.
    """

    name: str
    direction: str
    mean: float | None
    interval: Interval | None
    n_defined: int
    n_undefined: int


@dataclass(frozen=True, repr=False)
class DatasetScores(Table):
    """Scores over a dataset of graphs.

    Attributes
    ----------
    macro_average : tuple of MacroAverage
        Averages in which each graph counts the same.
    micro : Fidelity or Unfaithfulness or GroundTruth
        Score of all rows or elements together.
    n_graphs : int
        Number of graphs.
    """

    macro_average: tuple[MacroAverage, ...]
    micro: Fidelity | Unfaithfulness | GroundTruth
    n_graphs: int

    def average(self, name: GraphMetricName | str) -> MacroAverage:
        """Return the average of a metric.

        Parameters
        ----------
        name : str
            Name of the metric.

        Returns
        -------
        MacroAverage
            Average over graphs.

        Raises
        ------
        ValueError
            If there is no such metric.
        """
        for average in self.macro_average:
            if average.name == name:
                return average
        known = ", ".join(average.name for average in self.macro_average)
        raise ValueError(f"metric: expected one of {known}, got {name!r}")

    def to_dict(self) -> dict[str, Any]:
        """Return the averages by metric, with the score of all rows together.

        Returns
        -------
        dict
            ``n_graphs``, ``macro`` and ``micro``.
        """
        averages = {average.name: average.mean for average in self.macro_average}
        return {"n_graphs": self.n_graphs, "macro": averages, "micro": self.micro.to_dict()}

    def columns(self) -> dict[str, Any]:
        """Return averages and intervals as columns, with one row per metric.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        rows = self.macro_average
        return {
            "metric": [row.name for row in rows],
            "mean": [row.mean for row in rows],
            "low": [None if row.interval is None else row.interval.low for row in rows],
            "high": [None if row.interval is None else row.interval.high for row in rows],
            "n_defined": [row.n_defined for row in rows],
            "n_undefined": [row.n_undefined for row in rows],
        }

    def _display(self) -> Display:
        rows = [
            (item.name, Estimate(item.mean, item.interval), item.n_defined, item.n_undefined)
            for item in self.macro_average
        ]
        together = ", ".join(f"{name} {value:.4g}" for name, value, *_ in self.micro._display().rows if value is not None)
        notes = ["each graph counts the same; intervals of 95 % are over graphs", f"all graphs together: {together}"]
        header = ("metric", "mean", "graphs", "undefined")
        return Display(f"{count(self.n_graphs, 'graph')}", header, rows, notes)


def _dataset(fields: Any, micro: Fidelity | Unfaithfulness | GroundTruth) -> DatasetScores:
    averages = [
        MacroAverage(
            **{
                **average,
                "direction": str(average["direction"]).lower(),
                "interval": interval_of(average["interval"]),
            }
        )
        for average in fields["macro_average"]
    ]
    return DatasetScores(tuple(averages), micro, fields["n_graphs"])


@dataclass(frozen=True, repr=False)
class MicroInterval(Record):
    """Metric of all rows together, with an interval over graphs.

    Attributes
    ----------
    name : str
        Name of the metric.
    value : float or None
        Value of all rows together.
    interval : Interval or None
        95 % interval by a jackknife over graphs.
    """

    name: str
    value: float | None
    interval: Interval | None


def micro_intervals(
    states: Sequence[_Accumulator], *, n_jobs: int | None = None
) -> list[MicroInterval]:
    """Compute 95 % intervals over graphs for the scores of all rows together.

    Parameters
    ----------
    states : sequence of accumulators
        At least two accumulators of one class with equal parameters, one per graph.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    list of MicroInterval
        One interval per metric.

    Raises
    ------
    TypeError
        For states of different classes or precisions, and states made with ``over_graphs``.
    ValueError
        For fewer than two states, states with different parameters, and a state that holds
        nothing.

    Examples
    --------
    >>> from xai_metrics.graph import FidelityAccumulator, micro_intervals
    >>> graphs = [FidelityAccumulator().update([0, 1], [0, n % 2], [1, 0]) for n in range(4)]
    >>> {of.name: of.value for of in micro_intervals(graphs)}["neg_fidelity"]
    0.25
    """
    if any(state._state is None for state in states):
        raise ValueError("states: one holds nothing")
    described = _native.graph_micro_intervals([state._state for state in states], threads(n_jobs))
    return [MicroInterval(item["name"], item["value"], interval_of(item["interval"])) for item in described]
