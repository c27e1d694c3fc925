"""Stands in for ``error_consistency.functional``."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from xai_metrics._arrays import to_numpy
from xai_metrics.repro import PackedRuns, pairwise
from xai_metrics.repro._inputs import runs_of

__all__ = ["error_consistencies"]

Floats = npt.NDArray[np.float64]


def error_consistencies(
    y_preds: Any,
    y_true: Any,
    sample_dim: int = 0,
    empty_unions: str | int = 0,
    loo_parallel: bool = False,
    turbo: bool = False,
    log_progress: bool = False,
) -> tuple[Floats, Floats, npt.NDArray[np.bool_], npt.NDArray[np.bool_], Floats]:
    """Local error consistencies of all pairs, in the form of the other package.

    Parameters
    ----------
    y_preds : sequence of array_like
        The predictions of each run: labels ``(n_samples,)``, or one-hot rows.
    y_true : array_like
        The true labels, in the same form.
    sample_dim : int
        The axis of the samples, where labels are one-hot.
    empty_unions : str or int
        What a pair without errors is: 0 (default), 1, ``"nan"``, ``"drop"`` (left out of the
        values, NaN in the matrix), ``"warn"`` (NaN, and a warning) or ``"error"``
        (``ZeroDivisionError``). :func:`~xai_metrics.repro.pairwise` counts such pairs as undefined
        unless told otherwise.
    loo_parallel, turbo, log_progress : bool
        Taken for the sake of the callers; without effect.

    Returns
    -------
    consistencies : numpy.ndarray
        ``|e_i & e_j| / |e_i | e_j|`` of each pair, in [0, 1], higher is better.
    matrix : numpy.ndarray
        The same as ``(n_runs, n_runs)``, 1 on the diagonal.
    intersection, union : numpy.ndarray
        ``(n_samples,)`` booleans: which samples all runs get wrong, and which at least one does.
    loo_consistencies : numpy.ndarray
        The consistency of all runs but one; the last run is the first left out.

    Raises
    ------
    ValueError
        For fewer than two runs and for an unknown ``empty_unions``; otherwise as
        :func:`~xai_metrics.repro.pairwise`.
    ZeroDivisionError
        For a pair without errors under ``empty_unions="error"``.

    Examples
    --------
    >>> from xai_metrics.compat.error_consistency.functional import error_consistencies
    >>> values, matrix, intersection, union, left_out = error_consistencies(
    ...     [[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]], [0, 1, 1, 0])
    >>> values.round(3), union
    (array([0.333, 0.5  , 0.   ]), array([False,  True,  True,  True]))
    >>> left_out.round(3)
    array([0.333, 0.5  , 0.   ])
    """
    if empty_unions not in (0, 1, "0", "1", "nan", "drop", "warn", "error"):
        raise ValueError(
            f"empty_unions: expected 0, 1, 'nan', 'drop', 'warn' or 'error', got {empty_unions!r}"
        )
    wrong = _wrong(y_preds, y_true, sample_dim)
    runs = pairwise(wrong[0], wrong[1], metrics="ec_local")
    values, matrix = runs.pairs("ec_local"), runs.matrix("ec_local", diagonal=1.0)
    left_out = runs.errors.leave_one_out_consistency[::-1].copy()
    undefined = np.isnan(values)
    if undefined.any() or np.isnan(left_out).any():
        if empty_unions == "error":
            raise ZeroDivisionError("a pair of runs without errors has no local error consistency")
        if empty_unions == "warn":
            warnings.warn("some runs have no errors to compare", stacklevel=2)
        elif empty_unions == "drop":
            values, left_out = values[~undefined], left_out[~np.isnan(left_out)]
        elif empty_unions != "nan":
            for array in (values, matrix, left_out):
                array[np.isnan(array)] = float(empty_unions)
    intersection = np.zeros(runs.n_samples, dtype=np.bool_)
    union = intersection.copy()
    intersection[runs.errors.always_wrong] = True
    union[runs.errors.ever_wrong] = True
    return values, matrix, intersection, union, left_out


def _wrong(y_preds: Any, y_true: Any, sample_dim: int) -> tuple[Any, Any]:
    """Predictions and labels; of one-hot rows, which are wrong at all, and zeros."""
    truth = to_numpy(y_true, "y_true")
    if truth.ndim == 2 and 1 not in truth.shape:
        if abs(sample_dim) not in (0, 1):
            raise ValueError(f"sample_dim: expected 0 or 1, got {sample_dim}")
        rows = [to_numpy(run, "y_preds") for run in y_preds]
        for i, run in enumerate(rows):
            if run.shape != truth.shape:
                raise ValueError(f"y_preds[{i}]: expected shape {truth.shape}, got {run.shape}")
        differ = [(run != truth).any(axis=1 - abs(sample_dim)) for run in rows]
        return np.stack(differ), np.zeros(len(differ[0]), dtype=np.bool_)
    if isinstance(y_preds, PackedRuns):
        raise TypeError("y_preds: expected predictions; for packed runs call pairwise")
    return runs_of(y_preds), truth
