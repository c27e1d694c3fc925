"""Drop-in replacement for ``case_explainer.metrics``: correspondence and Euclidean distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from xai_metrics import _native
from xai_metrics.casebased import compute_correspondence
from xai_metrics.casebased._correspondence import doubles

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["compute_all_distances", "compute_correspondence", "euclidean_distance"]


def euclidean_distance(point1: Any, point2: Any) -> float:
    """Compute the Euclidean distance between two points.

    Parameters
    ----------
    point1, point2 : array of shape (n_features,)
        The points; finite.

    Returns
    -------
    float
        At least 0.

    Raises
    ------
    ValueError
        For points of different lengths, and for values that are not finite.

    Examples
    --------
    >>> from xai_metrics.compat.case_explainer.metrics import euclidean_distance
    >>> euclidean_distance([0.0, 0.0], [3.0, 4.0])
    5.0
    """
    a, b = (doubles(p, name, 1) for p, name in ((point1, "point1"), (point2, "point2")))
    return float(_native.casebased_euclidean(a, b))


def compute_all_distances(
    point: Any, data: Any, *, n_jobs: int | None = None
) -> npt.NDArray[np.float64]:
    """Compute the Euclidean distance between a point and every row of a data set.

    Parameters
    ----------
    point : array of shape (n_features,)
        The point.
    data : array of shape (n_samples, n_features)
        The rows.
    n_jobs : int, optional
        Number of threads; one per core by default. See :func:`xai_metrics.casebased.distances` for
        other distances.

    Returns
    -------
    array of shape (n_samples,)
        The distances.

    Examples
    --------
    >>> from xai_metrics.compat.case_explainer.metrics import compute_all_distances
    >>> compute_all_distances([0.0, 0.0], [[3.0, 4.0], [0.0, 0.0]])
    array([5., 0.])
    """
    row = doubles(point, "point", 1).reshape(1, -1)
    rows = doubles(data, "data", 2)
    return np.asarray(_native.casebased_distances(row, rows, "euclidean", None, n_jobs)[0])
