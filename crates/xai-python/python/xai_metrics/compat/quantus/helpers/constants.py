"""Available metrics and functions by name, as in ``quantus.helpers.constants``."""

from __future__ import annotations

from typing import Any

from .._attributes import CATEGORIES
from .._metric import CLASSES, Metric
from .._words import normalise_func, perturb_func, similarity_func

__all__ = [
    "AVAILABLE_METRICS",
    "AVAILABLE_NORMALISATION_FUNCTIONS",
    "AVAILABLE_PERTURBATION_FUNCTIONS",
    "AVAILABLE_SIMILARITY_FUNCTIONS",
    "available_categories",
    "available_metrics",
    "available_normalisation_functions",
    "available_perturbation_functions",
    "available_similarity_functions",
]

#: Names of the metrics that are not their classes' attribute ``name``.
_NAMES = {
    "RegionPerturbation": "Region Segmentation",
    "Monotonicity": "Monotonicity-Arya",
    "MonotonicityCorrelation": "Monotonicity-Nguyen",
    "SensitivityN": "SensitivityN",
    "Continuity": "Continuity Test",
    "PointingGame": "Pointing Game",
    # The space is that of Quantus.
    "AttributionLocalisation": "Attribution Localisation ",
    "MPRT": "MPRT",
    "SmoothMPRT": "Smooth MPRT",
    "EfficientMPRT": "Efficient MPRT",
    "NonSensitivity": "NonSensitivity",
    "InputInvariance": "InputInvariance",
}
#: Classes of the metrics by category and name.
AVAILABLE_METRICS: dict[str, dict[str, type[Metric]]] = {
    category: {_NAMES.get(name, CLASSES[name].name): CLASSES[name] for name in names}
    for category, names in CATEGORIES.items()
}

#: Functions that options accept, by name.
AVAILABLE_SIMILARITY_FUNCTIONS: dict[str, Any] = vars(similarity_func)
AVAILABLE_PERTURBATION_FUNCTIONS: dict[str, Any] = vars(perturb_func)
AVAILABLE_NORMALISATION_FUNCTIONS: dict[str, Any] = vars(normalise_func)


def available_categories() -> list[str]:
    """Return the categories of metrics.

    Examples
    --------
    >>> available_categories()[:2]
    ['Faithfulness', 'Robustness']
    """
    return list(AVAILABLE_METRICS)


def available_metrics() -> dict[str, list[str]]:
    """Return the names of the metrics by category.

    Examples
    --------
    >>> available_metrics()["Complexity"]
    ['Sparseness', 'Complexity', 'Effective Complexity']
    """
    return {category: list(metrics) for category, metrics in AVAILABLE_METRICS.items()}


def available_perturbation_functions() -> list[str]:
    """Return the names of perturbations that options accept."""
    return list(AVAILABLE_PERTURBATION_FUNCTIONS)


def available_similarity_functions() -> list[str]:
    """Return the names of similarities that options accept."""
    return list(AVAILABLE_SIMILARITY_FUNCTIONS)


def available_normalisation_functions() -> list[str]:
    """Return the names of normalisations that options accept."""
    return list(AVAILABLE_NORMALISATION_FUNCTIONS)
