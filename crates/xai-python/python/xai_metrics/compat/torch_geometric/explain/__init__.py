"""Drop-in replacement for the metrics of ``torch_geometric.explain``.

Explainers and explanations are those of PyTorch Geometric, or objects with the same methods. The
implementation is :mod:`xai_metrics.graph`, which takes arrays and has more metrics.
"""

from .metric import (
    characterization_score,
    fidelity,
    fidelity_curve_auc,
    groundtruth_metrics,
    unfaithfulness,
)

__all__ = [
    "characterization_score",
    "fidelity",
    "fidelity_curve_auc",
    "groundtruth_metrics",
    "unfaithfulness",
]
