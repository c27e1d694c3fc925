"""Metrics of runs that predict numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _arrays, _native
from .._alignment import Alignment
from .._arguments import threads
from .._report import Reported
from ._inputs import check_lengths, columns_of_runs, keys_of_runs, names_of_runs, stacked
from ._metrics import names_of
from ._pairs import PairValues

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class RegressionResult(Reported, PairValues):
    """Pairwise metrics of runs that predict numbers, computed by :func:`regression`.

    Attributes
    ----------
    n_runs, n_samples : int
    values : dict of str to numpy.ndarray
        Each metric on every pair; NaN where it is undefined.
    mean_absolute_error : numpy.ndarray
        Each run's, ``(n_runs,)``, in units of the target.
    run_names : tuple of str or None
        Names of the runs, if predictions were a mapping or a table.
    """

    n_runs: int
    n_samples: int
    values: Mapping[str, Floats]
    mean_absolute_error: Floats
    run_names: tuple[str, ...] | None = None
    _section = "Regression runs"

    def _add_to(self, report: Any, name: str) -> None:
        values = [self.values[metric] for metric in names_of("regression")]
        names = list(self.run_names or ())
        report.add_regression(name, self.n_runs, self.n_samples, values, self.mean_absolute_error.tolist(), names)

    def _notes(self) -> list[str]:
        errors = self.mean_absolute_error
        return [
            *super()._notes(),
            f"mean absolute error: {errors.mean():.4g} on average, {errors.min():.4g} to {errors.max():.4g}",
        ]


def regression(predictions: Any, targets: Any, *, n_jobs: int | None = None) -> RegressionResult:
    """Compute every metric of regression for each pair of runs.

    Parameters
    ----------
    predictions : array_like or table or sequence or mapping of arrays
        Numbers ``(n_runs, n_samples)``, single or double precision, at least two runs; a table has one
        column per run, a mapping names the runs.
    targets : array_like
        The true numbers, ``(n_samples,)``.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    RegressionResult
        With residuals ``r = target - prediction``:

        - ``ec_ratio``: ``mean(min(|r_i|, |r_j|) / max(|r_i|, |r_j|))`` in [0, 1], two zeros count
          1; higher is more alike; ``ec_ratio_signed`` counts opposite signs negative
        - ``ec_ratio_diff``: ``mean(||r_i| - |r_j|| / (|r_i| + |r_j|))`` in [0, 1], lower is more
          alike; ``ec_ratio_diff_signed``
        - of the predictions: ``concordance`` (Lin's), ``pearson``, ``mae``

    Raises
    ------
    ValueError
        For fewer than two runs, no samples, different lengths, and non-finite numbers.

    Examples
    --------
    Residuals 0, 1, -1, 2 and 0, 2, 1, 2.

    >>> from xai_metrics.repro import regression
    >>> runs = regression([[1.0, 1, 4, 2], [1.0, 0, 2, 2]], [1.0, 2, 3, 4])
    >>> runs.pairs("ec_ratio"), runs.pairs("ec_ratio_signed"), runs.pairs("mae")
    (array([0.875]), array([0.375]), array([0.75]))
    >>> runs.mean_absolute_error
    array([1.  , 1.25])
    """
    alignment = Alignment()
    numbers = numbers_of_runs(predictions, "predictions", alignment)
    truth = _arrays.reals(alignment.take(targets, "targets", "samples"), "targets", ndim=1)
    values, errors = _native.repro_regression(numbers, truth, threads(n_jobs))
    return RegressionResult(
        n_runs=numbers.shape[0],
        n_samples=numbers.shape[1],
        values=dict(zip(names_of("regression"), values)),
        mean_absolute_error=errors,
        run_names=names_of_runs(predictions),
    )


def numbers_of_runs(predictions: Any, name: str, alignment: Alignment) -> npt.NDArray[Any]:
    """Convert numeric predictions to one array ``(k, n)``."""
    runs = columns_of_runs(predictions, name, alignment)
    if runs is None:
        return _arrays.reals(alignment.take(predictions, name, None, "samples"), name, ndim=2)
    keys = keys_of_runs(predictions, len(runs))
    rows = [_arrays.reals(run, f"{name}[{key!r}]", ndim=1) for key, run in zip(keys, runs)]
    check_lengths(rows, keys, name)
    return _arrays.reals(stacked(rows, name), name)
