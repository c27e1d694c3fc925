"""Drop-in replacement for ``case_explainer.indexing``: indexes of fixed rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from xai_metrics._arrays import reals
from xai_metrics.casebased import NeighborSearch

if TYPE_CHECKING:
    import numpy.typing as npt

    Found = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]

__all__ = ["BallTreeIndex", "BruteForceIndex", "IndexStrategy", "KDTreeIndex", "create_index"]


class IndexStrategy(ABC):
    """Index that is built once and queried for one point at a time, as in case-explainer.

    Use :class:`xai_metrics.casebased.NeighborSearch` for many points at once.
    """

    @abstractmethod
    def build(self, X: Any) -> None:
        """Index rows.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows to index.
        """

    @abstractmethod
    def query(self, point: Any, k: int) -> Found:
        """Find the ``k`` nearest neighbours of a point.

        Parameters
        ----------
        point : array of shape (n_features,)
            The point.
        k : int
            Number of neighbours.

        Returns
        -------
        (distances, indices), arrays of shape (k,)
            Nearest first.
        """


class _Index(IndexStrategy):
    _engine = "auto"

    def __init__(self, leaf_size: int = 30) -> None:
        #: Stored for compatibility; our trees choose their leaf size themselves.
        self.leaf_size = leaf_size
        self._search: NeighborSearch | None = None

    def build(self, X: Any) -> None:
        """Index rows."""
        self._search = NeighborSearch(X, engine=self._engine)

    def query(self, point: Any, k: int) -> Found:
        """Find the ``k`` nearest neighbours of a point."""
        if self._search is None:
            raise RuntimeError("Call build() before query().")
        distances, indices = self._search.query(reals(point, "point", 1)[np.newaxis], k)
        return distances[0], indices[0]


class BruteForceIndex(_Index):
    """Linear scan over all rows.

    Examples
    --------
    >>> from xai_metrics.compat.case_explainer.indexing import create_index
    >>> index = create_index("brute")
    >>> index.build([[0.0], [3.0]])
    >>> index.query([2.0], k=1)
    (array([1.]), array([1]))
    """

    _engine = "brute-force"

    def __init__(self) -> None:
        super().__init__()


class KDTreeIndex(_Index):
    """k-d tree."""

    _engine = "kd-tree"


class BallTreeIndex(_Index):
    """Automatic choice of an exact engine, which gives the same result as a ball tree."""


def create_index(method: str = "kd_tree", **kwargs: Any) -> IndexStrategy:
    """Create an index.

    Parameters
    ----------
    method : {"brute", "kd_tree", "ball_tree"}
        Name of the index.
    **kwargs
        Arguments of the index.

    Returns
    -------
    IndexStrategy
        An empty index.

    Raises
    ------
    ValueError
        For another name.

    Examples
    --------
    >>> from xai_metrics.compat.case_explainer.indexing import create_index
    >>> type(create_index("kd_tree")).__name__
    'KDTreeIndex'
    """
    if method == "brute":
        return BruteForceIndex()
    if method == "kd_tree":
        return KDTreeIndex(**kwargs)
    if method == "ball_tree":
        return BallTreeIndex(**kwargs)
    raise ValueError(f"Unknown index method: {method}")
