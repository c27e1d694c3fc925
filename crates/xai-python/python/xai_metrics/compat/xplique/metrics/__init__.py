"""Drop-in replacement for ``xplique.metrics`` with the same names and arguments.

A metric is created for a model and a data set, and evaluated for any number of explanations. The
implementation is :mod:`xai_metrics.attribution`, which has more metrics and options.
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
