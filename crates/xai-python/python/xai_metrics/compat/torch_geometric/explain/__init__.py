"""Stands in for ``torch_geometric.explain``: its metrics.

Explainers and explanations are those of PyTorch Geometric, or objects with their methods. What is
measured is that of :mod:`xai_metrics.graph`, which takes arrays and has more metrics.
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
