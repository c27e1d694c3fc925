"""Pairwise metrics for samples that arrive in blocks or on several machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _arrays, _native
from .._arguments import check_class, threads
from .._described import described
from .._display import count
from ._across import Agreement
from ._inputs import coded, names_of_runs, stacked
from ._metrics import chosen
from ._pairs import PairValues

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._types import PairMetricName, PairwiseParameters

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class StreamedResult(PairValues):
    """Pairwise metrics of all samples of a :class:`PairwiseAccumulator`.

    Attributes
    ----------
    n_runs, n_samples : int
    values : dict of str to numpy.ndarray
        Each metric on every pair; NaN where it is undefined.
    accuracy : numpy.ndarray
        Each run's accuracy, ``(n_runs,)``.
    n_always_wrong, n_ever_wrong : int
        How many samples all runs get wrong, and at least one does.
    leave_one_out_consistency : numpy.ndarray
        For each run, the error consistency of all others at once.
    agreement : Agreement or None
        ``None`` where only metrics of errors were asked for.
    run_names : tuple of str or None
        Names of the runs, if blocks were mappings or tables.
    """

    n_runs: int
    n_samples: int
    values: Mapping[str, Floats]
    accuracy: Floats
    n_always_wrong: int
    n_ever_wrong: int
    leave_one_out_consistency: Floats
    agreement: Agreement | None
    run_names: tuple[str, ...] | None = None
    empty_union: str = "undefined"

    def _notes(self) -> list[str]:
        errors = [
            f"accuracy: {self.accuracy.mean():.4g} on average; wrong in all runs: {count(self.n_always_wrong, 'sample')}, "
            f"in any: {count(self.n_ever_wrong, 'sample')}"
        ]
        return [*super()._notes(), *errors]


@described("repro.pairwise")
class PairwiseAccumulator:
    """Accumulator for the pairwise metrics of blocks of samples.

    A block contains the predictions of *all* runs for some samples. The state consists of counts
    for each pair, so states of different samples can be added, in one process or several. The
    result is bit-for-bit that of all samples at once, for any order and any division into
    blocks. Instances can be pickled.

    Parameters
    ----------
    metrics : str or sequence of str, optional
        By name; all by default. Without ``pa_cramers_v`` and ``pa_nmi`` a pair costs two counters.
    {parameters}
    classes : array_like, optional
        The words that labels are, for labels that are words: the same for all states to be merged.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Examples
    --------
    >>> import numpy as np
    >>> from xai_metrics.repro import PairwiseAccumulator, pairwise
    >>> predictions, labels = np.array([[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]]), [0, 1, 1, 0]
    >>> left = PairwiseAccumulator().update(predictions[:, :1], labels[:1])
    >>> right = PairwiseAccumulator().update(predictions[:, 1:], labels[1:])
    >>> streamed = left.merge(right).finish()
    >>> bool((streamed.pairs("pa_kappa") == pairwise(predictions, labels).pairs("pa_kappa")).all())
    True
    >>> streamed.n_samples, streamed.n_ever_wrong
    (4, 3)
    """

    def __init__(
        self,
        metrics: PairMetricName | str | Sequence[PairMetricName | str] | None = None,
        *,
        classes: Any = None,
        n_jobs: int | None = None,
        **parameters: Unpack[PairwiseParameters],
    ) -> None:
        self.metrics: tuple[str, ...] = chosen(metrics)
        self.empty_union: str = str(parameters.get("empty_union", "undefined"))
        self.classes: npt.NDArray[Any] | None = None if classes is None else _arrays.classes(classes, "classes")
        self.n_jobs: int | None = threads(n_jobs)
        #: Names of the runs, if blocks are mappings or tables.
        self.run_names: tuple[str, ...] | None = None
        self._state: Any = _native.ReproPairwiseState(list(self.metrics), parameters)

    @property
    def n_runs(self) -> int:
        """Number of runs; 0 before the first block."""
        return int(self._state.n_runs)

    @property
    def n_samples(self) -> int:
        """Number of samples so far."""
        return int(self._state.n_samples)

    def update(self, predictions: Any, labels: Any) -> PairwiseAccumulator:
        """Add a block of samples.

        A block without samples changes nothing. The state does not change if an error is raised.

        Parameters
        ----------
        predictions : array_like or table or sequence or mapping of arrays
            Predictions of all runs, ``(n_runs, m)``, in the same order in every block.
        labels : array_like
            True labels ``(m,)``.

        Returns
        -------
        PairwiseAccumulator
            The accumulator itself.

        Raises
        ------
        ValueError
            For another number of runs, runs with other names, arrays of different lengths, and words without
            ``classes``.
        """
        run_names = names_of_runs(predictions)
        self._check_names(run_names, "predictions")
        runs, truth, words = coded(predictions, labels, self.classes)
        if words is not None and self.classes is None:
            raise ValueError(
                "labels: words need `classes=[...]`, so that all states give them the same codes"
            )
        self._state.update(stacked(runs), truth, self.n_jobs)
        self.run_names = self.run_names or run_names
        return self

    def _check_names(self, run_names: tuple[str, ...] | None, what: str) -> None:
        if run_names and self.run_names and run_names != self.run_names:
            ours, theirs = (", ".join(map(repr, of)) for of in (self.run_names, run_names))
            raise ValueError(f"{what}: expected the runs {ours} in this order, got {theirs}")

    def merge(self, other: PairwiseAccumulator) -> PairwiseAccumulator:
        """Add the counts of other samples of the same runs.

        Parameters
        ----------
        other : PairwiseAccumulator
            Accumulator with the same parameters and classes.

        Returns
        -------
        PairwiseAccumulator
            The accumulator itself.

        Raises
        ------
        TypeError
            If ``other`` is not an accumulator.
        ValueError
            If ``other`` has other runs, classes or parameters.
        """
        check_class(other, self)
        mine, theirs = self.classes, other.classes
        if (mine is None) != (theirs is None) or not np.array_equal(
            [] if mine is None else mine, [] if theirs is None else theirs
        ):
            raise ValueError("merged state: one of other classes")
        self._check_names(other.run_names, "merged state")
        self._state.merge(other._state)
        self.run_names = self.run_names or other.run_names
        return self

    def finish(self) -> StreamedResult:
        """Return the metrics of all samples so far. The accumulator can be updated further.

        Returns
        -------
        StreamedResult
            Metrics of all samples.
        """
        values, of_all = self._state.finish(list(self.metrics), self.n_jobs)
        agreement = of_all["agreement"]
        return StreamedResult(
            n_runs=self.n_runs,
            n_samples=self.n_samples,
            values=dict(zip(self.metrics, values)),
            accuracy=of_all["accuracy"],
            n_always_wrong=of_all["n_always_wrong"],
            n_ever_wrong=of_all["n_ever_wrong"],
            leave_one_out_consistency=of_all["leave_one_out_consistency"],
            agreement=None if agreement is None else Agreement(**agreement),
            run_names=self.run_names,
            empty_union=self.empty_union,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_state": bytes(self._state.to_bytes())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._state = _native.ReproPairwiseState.from_bytes(state["_state"])

    def __repr__(self) -> str:
        return f"PairwiseAccumulator(n_runs={self.n_runs}, n_samples={self.n_samples})"
