"""Nearest-neighbour search over fixed rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native
from .._alignment import Alignment
from .._arguments import threads
from .._arrays import column_names, in_order_of, reals
from .._described import described
from ._fitting.choices import check_covariance, checked_k, split_covariance

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Found = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]
    from typing_extensions import Unpack

    from .._types import SearchParameters

__all__ = ["NeighborSearch"]


class NeighborSearch:
    """Nearest rows of queries; all exact engines return bit-for-bit the same result.

    Attributes
    ----------
    engine : str
        Search engine in use, after resolving ``"auto"``.
    recall : float or None
        Measured share of true neighbours that an approximate search finds; ``None`` for an exact
        one.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Rows to search.
    covariance : array of shape (n_features, n_features), optional
        Covariance for ``distance="mahalanobis"``.
    n_jobs : int or None
        Number of threads; -1 and ``None`` mean one per core.
    parameters :
        Search parameters, listed at ``__init__``.

    Examples
    --------
    >>> from xai_metrics.casebased import NeighborSearch
    >>> distances, indices = NeighborSearch([[0.0], [1.0], [5.0]]).query([[0.75]], k=2)
    >>> indices, distances
    (array([[1, 0]]), array([[0.25, 0.75]]))
    """

    @described("casebased.search")
    def __init__(
        self, X: Any, *, covariance: Any = None, n_jobs: int | None = None, **parameters: Unpack[SearchParameters]
    ) -> None:
        """Build the engine.

        Parameters
        ----------
        {parameters}
        """
        alignment = Alignment()
        X = alignment.take(X, "X", None, "features")
        covariance = alignment.take(covariance, "covariance", "features", "features")
        chosen, covariance = split_covariance(parameters, covariance, needed=True)
        self.n_jobs: int | None = threads(n_jobs)
        self._columns = column_names(X)
        self._arguments = (reals(X, "X", 2), chosen, covariance)
        check_covariance(covariance, self._arguments[0].shape[1])
        self._native = _native.CasebasedSearch(*self._arguments, self.n_jobs)
        self.engine: str = self._native.engine
        self.recall: float | None = self._native.recall

    def query(self, X: Any, k: int = 5) -> Found:
        """Find the ``k`` nearest rows of each query.

        Parameters
        ----------
        X : array of shape (m, n_features)
            Queries. Columns of tables are matched by name.
        k : int
            Number of neighbours.

        Returns
        -------
        (distances, indices), arrays of shape (m, k)
            Nearest first, ties by lower row; fewer columns if there are fewer rows.

        Raises
        ------
        ValueError
            For another number of features, or values that are not finite.
        """
        queries = reals(in_order_of(self._columns, X, "X", "the searched rows"), "X", 2)
        indices, distances = self._native.query(queries, checked_k(k), self.n_jobs)
        if not len(indices):
            width = min(k, len(self._arguments[0]))
            return distances.reshape(0, width), indices.reshape(0, width)
        return distances, indices

    def __getstate__(self) -> dict[str, Any]:
        return {"arguments": self._arguments, "n_jobs": self.n_jobs, "columns": self._columns}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._arguments, self.n_jobs = state["arguments"], state["n_jobs"]
        self._columns = state.get("columns")
        self._native = _native.CasebasedSearch(*self._arguments, self.n_jobs)
        self.engine, self.recall = self._native.engine, self._native.recall
