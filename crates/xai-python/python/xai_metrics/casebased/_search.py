"""Nearest neighbours alone: engines over fixed rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import _native
from .._arrays import reals
from ._fitting.arguments import checked_k
from ._fitting.choices import covariance_of, distance_name, engine_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Found = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]

__all__ = ["NeighborSearch"]


class NeighborSearch:
    """The nearest rows of queries: exact, the same bits by every exact engine.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The rows that are searched.
    metric, metric_params
        The distance, as in :func:`.distances`.
    algorithm, algorithm_params
        The engine, as in :class:`.CaseExplainer`.
    k : int
        How many neighbours will usually be asked for; any other number may be.
    n_jobs : int or None
        Threads; -1 and ``None`` mean one per core.

    Attributes
    ----------
    engine : str
        What ``"auto"`` became.
    recall : float or None
        The share of true neighbours that an approximate search finds, measured; ``None`` for an
        exact one.

    Examples
    --------
    >>> from xai_metrics.casebased import NeighborSearch
    >>> distances, indices = NeighborSearch([[0.0], [1.0], [5.0]]).query([[0.75]], k=2)
    >>> indices, distances
    (array([[1, 0]]), array([[0.25, 0.75]]))
    """

    def __init__(
        self,
        X: Any,
        metric: str = "euclidean",
        algorithm: str = "auto",
        *,
        k: int = 5,
        metric_params: Mapping[str, Any] | None = None,
        algorithm_params: Mapping[str, int] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        name, covariance = distance_name(metric, metric_params), covariance_of(metric_params)
        if name == "mahalanobis" and covariance is None:
            raise ValueError('metric_params: the Mahalanobis distance needs {"V": covariance}')
        self.n_jobs = n_jobs
        engine = engine_of(algorithm, algorithm_params)
        rows = reals(X, "X", 2)
        self._arguments = (rows, name, covariance, engine, checked_k(k))
        self._native = _native.CasebasedSearch(*self._arguments, n_jobs)
        self.engine: str = self._native.engine
        self.recall: float | None = self._native.recall

    def query(self, X: Any, k: int = 5) -> Found:
        """The ``k`` nearest rows of each of ``(m, n_features)`` queries.

        Returns
        -------
        (distances, indices), arrays of shape (m, k)
            Nearest first, equal distances by lower row; fewer columns where there are fewer rows.
        """
        indices, distances = self._native.query(reals(X, "X", 2), checked_k(k), self.n_jobs)
        return distances, indices

    def __getstate__(self) -> dict[str, Any]:
        return {"arguments": self._arguments, "n_jobs": self.n_jobs}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._arguments, self.n_jobs = state["arguments"], state["n_jobs"]
        self._native = _native.CasebasedSearch(*self._arguments, self.n_jobs)
        self.engine, self.recall = self._native.engine, self._native.recall
