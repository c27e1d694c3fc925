"""Samples that runs predict wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _native
from .._arguments import number
from .._display import MAX_LINES, Display, Estimate, count
from .._results import Table
from .._statistics import Interval
from . import _plots
from ._packed import PackedRuns, packed

#: Properties of the sets that are pickled.
_KEPT = ("accuracy", "always_wrong", "ever_wrong", "leave_one_out_consistency")


class ErrorSets(Table):
    """Error set of every run: the samples that it predicts wrongly.

    Computed by :func:`error_sets`, and an attribute of the result of :func:`pairwise`.
    """

    def __init__(self, native: Any, n_runs: int, n_samples: int, run_names: tuple[str, ...] | None = None) -> None:
        self._native = native
        self._known: dict[str, Any] = {}
        self.n_runs: int = n_runs
        self.n_samples: int = n_samples
        #: Names of the runs, if predictions were a mapping or a table.
        self.run_names: tuple[str, ...] | None = run_names

    def _value(self, name: str) -> Any:
        if name not in self._known:
            self._known[name] = getattr(self._native, name)()
        return self._known[name]

    @property
    def accuracy(self) -> npt.NDArray[np.float64]:
        """Accuracy of each run, ``(n_runs,)`` in [0, 1]."""
        return np.asarray(self._value("accuracy"))

    @property
    def always_wrong(self) -> npt.NDArray[np.int64]:
        """Samples that every run predicts wrongly, ascending."""
        return np.asarray(self._value("always_wrong"))

    @property
    def ever_wrong(self) -> npt.NDArray[np.int64]:
        """Samples that at least one run predicts wrongly, ascending."""
        return np.asarray(self._value("ever_wrong"))

    @property
    def leave_one_out_consistency(self) -> npt.NDArray[np.float64]:
        """Error consistency of all *other* runs at once, for each run, ``(n_runs,)``.

        Size of the intersection of their error sets divided by that of the union; NaN if the
        union is empty.
        """
        return np.asarray(self._value("leave_one_out_consistency"))

    def accuracy_intervals(self, level: float = 0.95) -> list[Interval]:
        """Compute Wilson's interval over samples for the accuracy of each run.

        Parameters
        ----------
        level : float
            Coverage of the intervals.

        Returns
        -------
        list of Interval
            One interval per run.
        """
        return self._accuracy_intervals(self.accuracy, number("level", level))

    def _accuracy_intervals(self, accuracy: npt.NDArray[np.float64], level: float = 0.95) -> list[Interval]:
        n_right = np.rint(accuracy * self.n_samples).astype(np.int64)
        fields = [_native.repro_wilson(int(n), self.n_samples, level) for n in n_right]
        return [Interval(**ends) for ends in fields]

    def to_dict(self) -> dict[str, Any]:
        """Return the properties of the sets by name.

        Returns
        -------
        dict of str to numpy.ndarray
            Properties.
        """
        return {name: self._value(name) for name in _KEPT}

    def columns(self) -> dict[str, Any]:
        """Return accuracy and leave-one-out consistency as columns, with one row per run.

        Returns
        -------
        dict of str to numpy.ndarray
            Columns by name.
        """
        return {
            "run": np.arange(self.n_runs) if self.run_names is None else np.array(self.run_names),
            "accuracy": self.accuracy,
            "leave_one_out_consistency": self.leave_one_out_consistency,
        }

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_native": None, "_known": self.to_dict()}

    def _name(self, run: int) -> str:
        return str(run) if self.run_names is None else self.run_names[run]

    def plot(self, ax: Any = None) -> Any:
        """Plot the accuracy of each run with its interval over samples (Wilson), with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        names = [self._name(run) for run in range(self.n_runs)]
        estimates = list(zip(self.accuracy.tolist(), self.accuracy_intervals()))
        return _plots.estimates(names, estimates, "accuracy", ax)

    def _display(self) -> Display:
        shown = range(min(self.n_runs, MAX_LINES))
        intervals = self._accuracy_intervals(self.accuracy[: len(shown)])
        rows = [
            (self._name(run), Estimate(float(self.accuracy[run]), intervals[run]), float(self.leave_one_out_consistency[run]))
            for run in shown
        ]
        header = ("run", "accuracy", "consistency of the others")
        notes = ["intervals of 95 % are over samples (Wilson)", *accuracy_notes(self)]
        title = f"Errors of {count(self.n_runs, 'run')}, {count(self.n_samples, 'sample')}"
        return Display(title, header, rows, notes, n_rows=self.n_runs)


class WithErrors:
    """Base class of results with error sets, which runs without true labels do not have."""

    _errors: ErrorSets | None

    @property
    def errors(self) -> ErrorSets:
        """Accuracies, always and ever wrong samples, leave-one-out consistency.

        Raises ``ValueError`` if no labels were given.
        """
        if self._errors is None:
            raise ValueError("errors: these runs were given without true labels; pass labels=…")
        return self._errors


def errors_of(native: Any, runs: PackedRuns) -> ErrorSets | None:
    """Return the error sets of packed runs; ``None`` without true labels."""
    return ErrorSets(native, runs.n_runs, runs.n_samples, runs.run_names) if runs._has_labels else None


def accuracy_notes(errors: ErrorSets | None) -> list[str]:
    """Return the accuracies and the numbers of always and ever wrong samples as notes below a table."""
    if errors is None:
        return []
    accuracy = errors.accuracy
    always, ever = len(errors.always_wrong), len(errors.ever_wrong)
    return [
        f"accuracy: {accuracy.mean():.4g} on average, {accuracy.min():.4g} to {accuracy.max():.4g}; "
        f"wrong in all runs: {count(always, 'sample')}, in any: {count(ever, 'sample')}"
    ]


def error_sets(predictions: Any, labels: Any = None, *, n_jobs: int | None = None) -> ErrorSets:
    """Find the samples that runs predict wrongly: always, ever, and the accuracy of each run.

    Parameters
    ----------
    predictions : array_like or table or sequence of arrays or PackedRuns
        Labels ``(n_runs, n_samples)``.
    labels : array_like
        The true labels, ``(n_samples,)``; left out for packed runs.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    ErrorSets
        Error sets of all runs.

    Raises
    ------
    ValueError
        For fewer than two runs, no samples, no labels, and runs and labels of different lengths.
    TypeError
        For labels beside packed runs.

    Examples
    --------
    >>> from xai_metrics.repro import error_sets
    >>> errors = error_sets([[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]], [0, 1, 1, 0])
    >>> errors.accuracy, errors.ever_wrong
    (array([0.5 , 0.5 , 0.75]), array([1, 2, 3]))
    >>> errors.always_wrong.size
    0
    """
    has_labels = predictions._has_labels if isinstance(predictions, PackedRuns) else labels is not None
    if labels is None and not has_labels:
        raise ValueError("labels: errors need true labels")
    runs, _ = packed(predictions, labels, None if labels is None else "ec_acc", n_jobs)
    return ErrorSets(_native.ReproErrorSets(runs._native), runs.n_runs, runs.n_samples, runs.run_names)
