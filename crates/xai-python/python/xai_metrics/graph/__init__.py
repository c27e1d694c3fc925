"""Metrics of explanations of graph models: fidelity, unfaithfulness, agreement with the truth.

An explanation of a graph model's prediction is a mask: the edges, nodes or features that matter.
It is scored with the outputs of the model for the whole graph, for the explanation alone and for
the rest, or with the true mask if it is known. Explainers and explanations of PyTorch Geometric
are supported by :mod:`xai_metrics.compat.torch_geometric`.

=========================================  ===========================================================
you have                                   use
=========================================  ===========================================================
predictions on all three graphs            :func:`fidelity`
fid+ and fid-                              :func:`characterization_score`, :func:`fidelity_curve_auc`
outputs on the whole and the kept graph    :func:`unfaithfulness`
the true mask                              :func:`ground_truth`, :func:`ground_truth_curves`
a model as a function of arrays            :func:`sweep`, :func:`robust_fidelity`
only the mask                              :func:`mask_properties`
a counterfactual graph                     :func:`edit_size`
many graphs, blocks, machines              :class:`FidelityAccumulator` and the other accumulators
=========================================  ===========================================================

Limits: fidelity and unfaithfulness feed the model graphs unlike those in training; and an
explanation that contains everything is always sufficient, so compare explanations of one size.
"""

from .._described import MetricInfo
from .._registry import metrics_of
from .._statistics import Interval
from ._accumulators import (
    DatasetScores,
    FidelityAccumulator,
    GroundTruthAccumulator,
    MacroAverage,
    MicroInterval,
    UnfaithfulnessAccumulator,
    micro_intervals,
)
from ._edits import EditSizes, edit_size
from ._fidelity import Fidelity, characterization_score, fidelity, fidelity_curve_auc
from ._ground_truth import (
    GroundTruth,
    PrecisionRecallCurve,
    RocCurve,
    best_of_truths,
    counted_elements,
    ground_truth,
    ground_truth_curves,
)
from ._masks import MaskProperties, mask_properties, sparsify
from ._models import (
    ExplainedOutputs,
    RobustFidelity,
    RobustFidelityByProbability,
    SweepCurve,
    SweepPoint,
    explained_outputs,
    robust_fidelity,
    sweep,
    sweep_from_outputs,
    with_tensors,
)
from ._unfaithfulness import (
    TopFeatures,
    Unfaithfulness,
    kl_divergence,
    top_k_feature_mask,
    top_k_features,
    unfaithfulness,
    unfaithfulness_per_row,
)

__all__ = [
    "DatasetScores",
    "EditSizes",
    "ExplainedOutputs",
    "Fidelity",
    "FidelityAccumulator",
    "GroundTruth",
    "GroundTruthAccumulator",
    "Interval",
    "MacroAverage",
    "MaskProperties",
    "MetricInfo",
    "MicroInterval",
    "PrecisionRecallCurve",
    "RobustFidelity",
    "RobustFidelityByProbability",
    "RocCurve",
    "SweepCurve",
    "SweepPoint",
    "TopFeatures",
    "Unfaithfulness",
    "UnfaithfulnessAccumulator",
    "best_of_truths",
    "characterization_score",
    "counted_elements",
    "edit_size",
    "explained_outputs",
    "fidelity",
    "fidelity_curve_auc",
    "ground_truth",
    "ground_truth_curves",
    "kl_divergence",
    "mask_properties",
    "metric_infos",
    "micro_intervals",
    "robust_fidelity",
    "sparsify",
    "sweep",
    "sweep_from_outputs",
    "top_k_feature_mask",
    "top_k_features",
    "unfaithfulness",
    "unfaithfulness_per_row",
    "with_tensors",
]


def metric_infos() -> list[MetricInfo]:
    """Return the descriptions of all metrics of graph explanations.

    Returns
    -------
    list of MetricInfo
        Descriptions, in the order of the documentation.

    Examples
    --------
    >>> from xai_metrics.graph import metric_infos
    >>> {info.name: info.direction for info in metric_infos()}["neg_fidelity"]
    'lower'
    """
    return list(metrics_of("graph"))
