"""Stands in for ``xplique.metrics``: its names, with its arguments in its order.

A metric holds a model and a data set, and is asked about any number of explanations. What is
measured is that of :mod:`xai_metrics.attribution`, which has more metrics and options.
"""

from .complexity import Complexity, Sparseness
from .fidelity import (
    AverageDropMetric,
    AverageGainMetric,
    AverageIncreaseMetric,
    Deletion,
    Insertion,
    MuFidelity,
)
from .randomization import (
    ModelRandomizationMetric,
    ModelRandomizationStrategy,
    ProgressiveLayerRandomization,
    RandomLogitMetric,
)
from .representativity import MeGe
from .stability import AverageStability

__all__ = [
    "Complexity",
    "Sparseness",
    "AverageDropMetric",
    "AverageGainMetric",
    "AverageIncreaseMetric",
    "Deletion",
    "Insertion",
    "MuFidelity",
    "ModelRandomizationMetric",
    "ModelRandomizationStrategy",
    "ProgressiveLayerRandomization",
    "RandomLogitMetric",
    "MeGe",
    "AverageStability",
]
