"""Stability of the ranking of explainers across samples and settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _native
from .._arguments import seed_of, threads, whole
from .._arrays import integers
from .._display import MAX_LINES, Display, count
from .._results import Result
from ._perturbed import Direction
from ._values import Floats, values_of


@dataclass(frozen=True, eq=False, repr=False)
class RankStability(Result):
    """Stability of the ranking under resampling, computed by :func:`rank_stability`.

    Attributes
    ----------
    mean_tau : float or None
        The mean of Kendall's tau-b of the ranking of a draw with that of all samples, in [-1, 1], higher
        is better; ``None`` where one side always ties all explainers.
    top_share : float or None
        The share of the draws with the same best explainers.
    ranks, rank_mean, rank_std : numpy.ndarray
        Of each explainer: the rank over all samples (1 the best), and mean and deviation (over n) over
        the draws.
    wins : numpy.ndarray
        ``wins[a, b]``: the share of the draws in which ``a`` ranks before ``b``, ties by half.
    n_draws, n_undefined_tau : int
        The draws, and those without a tau.
    n_samples, n_undefined : int
        Samples on which every explainer has a value, and the others, which are left out.
    """

    mean_tau: float | None
    top_share: float | None
    ranks: Floats
    rank_mean: Floats
    rank_std: Floats
    wins: Floats
    n_draws: int
    n_undefined_tau: int
    n_samples: int
    n_undefined: int

    def _display(self) -> Display:
        columns = (self.ranks, self.rank_mean, self.rank_std)
        rows = [(str(explainer), *(float(column[explainer]) for column in columns)) for explainer in range(len(self.ranks))]
        draws = f"over {count(self.n_draws, 'draw')} of the samples"
        notes = [
            f"tau-b with the ranking of all samples: {_number(self.mean_tau)}, same best: {_number(self.top_share)}, {draws}",
            *_sample_notes(self.n_samples, self.n_undefined),
        ]
        return Display("Ranks of the explainers under resampling", ("explainer", "rank", "mean", "std"), rows, notes)


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4g}"


def _sample_notes(n_samples: int, n_undefined: int) -> list[str]:
    """Return the numbers of samples as notes below a table."""
    left_out = f", {n_undefined} more with an undefined value" if n_undefined else ""
    return [f"{count(n_samples, 'sample')}{left_out}"]


def rank_stability(
    scores: Any,
    direction: Direction,
    draws: Any = None,
    *,
    n_draws: int = 1000,
    seed: int = 1,
    n_jobs: int | None = None,
) -> RankStability:
    """Compute whether other samples would give the same ranking of explainers by mean value.

    Parameters
    ----------
    scores : array_like
        The values of a metric, ``(n_explainers, n_samples)``; samples with NaN are left out.
    direction : {"higher", "lower"}
        Better end of the scale.
    draws : array_like of int, or sequence of them, optional
        The samples of each resampling, by their places. By default ``n_draws`` are drawn with
        replacement.
    n_draws, seed : int
        How many resamplings are drawn, and what they depend on.
    n_jobs : int, optional
        The number of threads, which changes no bit; one per core by default.

    Returns
    -------
    RankStability
        Ranks are 1 for the best, mid-ranks where means are equal to 12 decimals.

    Raises
    ------
    ValueError
        For no explainers, values that are infinite, another direction, no draws, and samples that there
        are not.

    Examples
    --------
    The first explainer has the higher mean, and loses the draw of the first sample alone.

    >>> from xai_metrics.reliability import rank_stability
    >>> found = rank_stability([[0.1, 0.9], [0.3, 0.5]], "higher", [[0, 1], [0, 0], [1, 1], [1, 0]])
    >>> found.mean_tau, found.top_share, found.ranks.tolist()
    (0.5, 0.75, [1.0, 2.0])
    """
    given = None
    if draws is not None:
        rows = [integers(draw, f"draws[{b}]", ndim=1) for b, draw in enumerate(draws)]
        if any((row < 0).any() for row in rows):
            raise ValueError("draws: expected places of samples, got a negative one")
        values = values_of(scores, "scores", 2)
        n_samples = values.shape[1]
        if n_samples > 2 and rows and all(len(row) == n_samples and (row < 2).all() for row in rows):
            raise ValueError(
                f"draws: zeros and ones for each of {n_samples} samples look like masks; give the places of the drawn samples, "
                "such as `numpy.flatnonzero(mask)`"
            )
        given = [row.tolist() for row in rows]
    found = _native.reliability_rank_stability(
        values_of(scores, "scores", 2),
        direction,
        given,
        whole("n_draws", n_draws, 1),
        seed_of(seed),
        threads(n_jobs),
    )
    return stability_of(found)


def stability_of(found: dict[str, Any]) -> RankStability:
    """Create the result from its native description."""
    arrays: dict[str, Any] = {
        name: np.array(found[name], dtype=np.float64) for name in ("ranks", "rank_mean", "rank_std")
    }
    n = len(found["wins"])
    wins = np.array(found["wins"], dtype=np.float64).reshape(n, n)
    return RankStability(**{**found, **arrays, "wins": wins})


@dataclass(frozen=True, eq=False, repr=False)
class ParameterSensitivity(Result):
    """Stability of the ranking across settings, computed by :func:`parameter_sensitivity`.

    Attributes
    ----------
    mean_tau : float or None
        The mean over pairs of settings of Kendall's tau-b of their rankings, in [-1, 1], higher is better;
        ``None`` for one setting, and where every pair has a setting that ties all explainers.
    same_top : float or None
        The share of the pairs with the same best explainers; ``None`` for one setting.
    max_rank_change : float or None
        The largest range of the rank of an explainer over settings.
    ranks : numpy.ndarray
        ``(n_settings, n_explainers)``, 1 the best.
    n_undefined_tau : int
        How many pairs have no tau.
    n_samples, n_undefined : int
        Samples on which every explainer has a value under every setting, and the others, which are left
        out.
    """

    mean_tau: float | None
    same_top: float | None
    max_rank_change: float | None
    ranks: Floats
    n_undefined_tau: int
    n_samples: int
    n_undefined: int

    def _display(self) -> Display:
        n_explainers = self.ranks.shape[1]
        rows = [(str(setting), *ranks) for setting, ranks in enumerate(self.ranks[:MAX_LINES].tolist())]
        notes = [
            f"tau-b of two settings: {_number(self.mean_tau)}, same best: {_number(self.same_top)}, "
            f"largest change of a rank: {_number(self.max_rank_change)}",
            *_sample_notes(self.n_samples, self.n_undefined),
        ]
        header = ("setting", *(f"explainer {explainer}" for explainer in range(n_explainers)))
        return Display("Ranks of the explainers by setting", header, rows, notes, n_rows=len(self.ranks))


def parameter_sensitivity(scores: Any, direction: Direction) -> ParameterSensitivity:
    """Compute whether the ranking of explainers depends on a parameter of the metric.

    Parameters
    ----------
    scores : array_like
        The values under each setting (baselines, numbers of steps, seeds), ``(n_settings, n_explainers,
        n_samples)``; a sample with NaN under any is left out of all.
    direction : {"higher", "lower"}
        Better end of the scale.

    Returns
    -------
    ParameterSensitivity
        ``mean_tau`` of 1: the setting does not matter to the comparison.

    Raises
    ------
    ValueError
        For no settings or explainers, values that are infinite, and another direction.

    Examples
    --------
    Under the second setting two of three explainers change places.

    >>> from xai_metrics.reliability import parameter_sensitivity
    >>> found = parameter_sensitivity([[[1.0], [2.0], [3.0]], [[1.0], [3.0], [2.0]]], "lower")
    >>> found.ranks.tolist(), found.same_top, found.max_rank_change
    ([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]], 1.0, 1.0)
    """
    values = values_of(scores, "scores", 3)
    found = _native.reliability_parameter_sensitivity(values, direction)
    ranks = np.array(found.pop("ranks")).reshape(-1, values.shape[1])
    return ParameterSensitivity(**found, ranks=ranks)
