"""The interfaces of other packages are where their own imports look for them."""

from __future__ import annotations

import importlib

import pytest

THEIRS = {
    "case_explainer": "CaseExplainer Explanation compute_correspondence euclidean_distance "
    "ActivationExtractor Predictor SklearnMLPActivationExtractor DecisionTreeActivationExtractor "
    "CallableActivationExtractor Features HiddenActivations CustomActivations TreeLeaf "
    "ForestProximity Blend SimilarityStrategy",
    "case_explainer.explainer": "CaseExplainer",
    "case_explainer.explanation": "Explanation Neighbor",
    "case_explainer.metrics": "compute_all_distances compute_correspondence euclidean_distance",
    "case_explainer.indexing": "BallTreeIndex BruteForceIndex IndexStrategy KDTreeIndex "
    "create_index",
    "case_explainer.activations": "HiddenActivationRetrieval CustomActivationRetrieval "
    "TreeLeafRetrieval ForestProximityRetrieval Blend TreeLeaf",
    "xplique.metrics": "AverageDropMetric AverageIncreaseMetric AverageGainMetric Deletion "
    "Insertion MuFidelity Complexity Sparseness AverageStability RandomLogitMetric MeGe "
    "ModelRandomizationMetric ModelRandomizationStrategy ProgressiveLayerRandomization",
    "xplique.metrics.base": "BaseAttributionMetric BaseComplexityMetric ExplainerMetric "
    "ExplanationMetric",
    "xplique.metrics.complexity": "Complexity Sparseness",
    "xplique.metrics.fidelity": "BaseAverageXMetric CausalFidelity Deletion Insertion MuFidelity",
    "xplique.metrics.randomization": "ModelRandomizationMetric RandomLogitMetric",
    "xplique.metrics.representativity": "MeGe",
    "xplique.metrics.stability": "AverageStability",
    "torch_geometric.explain": "fidelity unfaithfulness characterization_score "
    "fidelity_curve_auc groundtruth_metrics",
    "torch_geometric.explain.metric": "fidelity unfaithfulness characterization_score "
    "fidelity_curve_auc groundtruth_metrics",
    "quantus": "FaithfulnessCorrelation FaithfulnessEstimate PixelFlipping RegionPerturbation "
    "Monotonicity MonotonicityCorrelation Selectivity SensitivityN IROF ROAD Infidelity Sufficiency "
    "BatchSufficiency Continuity LocalLipschitzEstimate MaxSensitivity AvgSensitivity Consistency "
    "RelativeInputStability RelativeOutputStability RelativeRepresentationStability PointingGame "
    "TopKIntersection RelevanceMassAccuracy RelevanceRankAccuracy AttributionLocalisation AUC Focus "
    "Sparseness Complexity EffectiveComplexity MPRT SmoothMPRT EfficientMPRT RandomLogit "
    "ModelParameterRandomisation Completeness NonSensitivity InputInvariance evaluate "
    "normalise_by_max normalise_by_negative",
    "captum_metrics": "infidelity infidelity_perturb_func_decorator sensitivity_max",
    "pytorch_grad_cam.metrics.perturbation_confidence": "AveragerAcrossThresholds "
    "PerturbationConfidenceMetric RemoveLeastRelevantFirst RemoveMostRelevantFirst",
    "pytorch_grad_cam.metrics.cam_mult_image": "CamMultImageConfidenceChange DropInConfidence "
    "IncreaseInConfidence multiply_tensor_with_cam",
    "pytorch_grad_cam.metrics.road": "NoisyLinearImputer ROADCombined ROADLeastRelevantFirst "
    "ROADLeastRelevantFirstAverage ROADMostRelevantFirst ROADMostRelevantFirstAverage "
    "neighbors_weights",
    "pytorch_grad_cam.metrics.arcc": "ARCC Coherency Complexity batch_pearson_coherency",
    "torchcam.metrics": "ClassificationMetric DeletionInsertionMetric",
}


@pytest.mark.parametrize(("module", "names"), THEIRS.items())
def test_their_names_are_in_their_modules(module: str, names: str) -> None:
    ours = importlib.import_module(f"xai_metrics.compat.{module}")
    for name in names.split():
        assert hasattr(ours, name), name


def test_families_have_no_names_of_theirs() -> None:
    from xai_metrics import attribution, casebased, graph, repro

    ours = {*attribution.__all__, *casebased.__all__, *graph.__all__, *repro.__all__}
    theirs = "AverageDropMetric MeGe create_index euclidean_distance groundtruth_metrics"
    assert not ours & {*theirs.split(), "HiddenActivationRetrieval"}


def test_names_that_are_none_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'aix360'"):
        importlib.import_module("xai_metrics.compat").aix360  # noqa: B018
