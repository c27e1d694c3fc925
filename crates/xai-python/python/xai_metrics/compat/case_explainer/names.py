"""What case-explainer, by scikit-learn and SciPy, calls distances and engines."""

from __future__ import annotations

__all__ = ["distance_of", "engine_of"]

_DISTANCES = {
    "l2": "euclidean",
    "p": "minkowski:2",
    "l1": "manhattan",
    "cityblock": "manhattan",
    "infinity": "chebyshev",
    "minkowski": "minkowski:2",
}


def distance_of(metric: str) -> str:
    """A distance by the name that the peer has for it.

    >>> distance_of("cityblock")
    'manhattan'
    """
    return _DISTANCES.get(metric, metric)


def engine_of(algorithm: str) -> str:
    """An engine by the name that the peer has for it; any exact one answers as a ball tree.

    >>> engine_of("ball_tree")
    'auto'
    """
    return "auto" if algorithm == "ball_tree" else algorithm
