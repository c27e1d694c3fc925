"""Runs packed as bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _native
from .._arguments import threads
from ._inputs import coded, names_of_runs
from ._metrics import chosen


class PackedRuns:
    """Predictions of ``k`` runs for ``n`` samples packed as bits, for any number of computations.

    A run takes one bit per sample for the metrics of errors, and a few bits for those of
    agreement. All functions of this module that take predictions and labels accept packed runs
    instead of both.

    Attributes
    ----------
    n_runs, n_samples : int
    metrics : tuple of str
        Metrics that will be computed; all by default. Fewer take less memory.
    run_names : tuple of str or None
        Names of the runs, if predictions are a mapping or a table.
    classes : numpy.ndarray
        Labels or words that occur in the predictions; empty if only metrics of errors were
        requested.

    Parameters
    ----------
    predictions : array_like or table or sequence or mapping of arrays
        Labels ``(n_runs, n_samples)``; a table has one column per run, a mapping names the runs. Arrays of ``int64``,
        ``int32``, ``int16``, ``int8``, ``uint8`` and ``bool`` are read in place; others are copied.
        Words are given codes.
    labels : array_like, optional
        The true labels, ``(n_samples,)``. Without them only agreement can be measured.
    metrics : str or sequence of str, optional
        Those that will be asked for; all by default. Fewer take less memory.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Raises
    ------
    ValueError
        For fewer than two runs, no samples, arrays of different lengths, and labels that are no
        whole numbers.

    Examples
    --------
    >>> from xai_metrics.repro import PackedRuns, pairwise
    >>> runs = PackedRuns([[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]], [0, 1, 1, 0])
    >>> runs.n_runs, runs.n_samples
    (3, 4)
    >>> pairwise(runs, metrics="ec_global").pairs("ec_global")
    array([0.25, 0.25, 0.  ])
    """

    def __init__(
        self,
        predictions: Any,
        labels: Any = None,
        *,
        metrics: str | Sequence[str] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        n_jobs = threads(n_jobs)
        self.metrics: tuple[str, ...] = chosen(metrics, has_labels=labels is not None)
        self._has_labels: bool = labels is not None
        self.run_names = names_of_runs(predictions)
        runs, truth, self._words = coded(predictions, labels)
        if truth is None:
            n_samples = (len(runs[0]) if runs else 0) if isinstance(runs, list) else runs.shape[1]
            truth = np.zeros(n_samples, dtype=np.int64)
        names = list(self.metrics)
        if isinstance(runs, list):
            self._native: Any = _native.ReproPackedRuns.from_runs(names, runs, truth, n_jobs)
        else:
            self._native = _native.ReproPackedRuns.from_array(names, runs, truth, n_jobs)

    @property
    def n_runs(self) -> int:
        """Number of runs."""
        return int(self._native.n_runs)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self._native.n_samples)

    @property
    def classes(self) -> npt.NDArray[Any]:
        """Classes that occur in the predictions; empty if only metrics of errors were requested."""
        classes = np.asarray(self._native.classes, dtype=np.int64)
        return classes if self._words is None else self._words[classes]

    def __repr__(self) -> str:
        return f"PackedRuns(n_runs={self.n_runs}, n_samples={self.n_samples})"

    def __reduce__(self) -> Any:
        raise TypeError(
            "packed runs are no state to send about: pickle the predictions, or a "
            "PairwiseAccumulator that was updated with them"
        )


def packed(
    predictions: Any,
    labels: Any,
    metrics: str | Sequence[str] | None,
    n_jobs: int | None,
) -> tuple[PackedRuns, tuple[str, ...]]:
    """Pack runs for some metrics; also returns the names of these."""
    threads(n_jobs)
    if isinstance(predictions, PackedRuns):
        if labels is not None:
            raise TypeError("labels: packed runs keep those they were packed with; give them to PackedRuns(predictions, labels)")
        if metrics is None:
            return predictions, predictions.metrics
        return predictions, chosen(metrics, has_labels=predictions._has_labels)
    runs = PackedRuns(predictions, labels, metrics=metrics, n_jobs=n_jobs)
    return runs, runs.metrics
