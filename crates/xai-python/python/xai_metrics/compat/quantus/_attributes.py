"""Attributes of the metric classes: name, kind of inputs, category and better end."""

from __future__ import annotations

from typing import Any

from xai_metrics._described import MetricInfo

from ._enums import DataType, EvaluationCategory, ModelType, ScoreDirection

#: Names by class, of each category.
_NAMES = {
    EvaluationCategory.FAITHFULNESS: {
        "FaithfulnessCorrelation": "Faithfulness Correlation",
        "FaithfulnessEstimate": "Faithfulness Estimate",
        "PixelFlipping": "Pixel-Flipping",
        "RegionPerturbation": "Region-Perturbation",
        "Monotonicity": "Monotonicity",
        "MonotonicityCorrelation": "Monotonicity",
        "Selectivity": "Selectivity",
        "SensitivityN": "Sensitivity-N",
        "IROF": "IROF",
        "ROAD": "ROAD",
        "Infidelity": "Infidelity",
        "Sufficiency": "Sufficiency",
    },
    EvaluationCategory.ROBUSTNESS: {
        "Continuity": "Continuity",
        "LocalLipschitzEstimate": "Local Lipschitz Estimate",
        "MaxSensitivity": "Max-Sensitivity",
        "AvgSensitivity": "Avg-Sensitivity",
        "Consistency": "Consistency",
        "RelativeInputStability": "Relative Input Stability",
        "RelativeOutputStability": "Relative Output Stability",
        "RelativeRepresentationStability": "Relative Representation Stability",
    },
    EvaluationCategory.LOCALISATION: {
        "PointingGame": "Pointing-Game",
        "TopKIntersection": "Top-K Intersection",
        "RelevanceMassAccuracy": "Relevance Mass Accuracy",
        "RelevanceRankAccuracy": "Relevance Rank Accuracy",
        "AttributionLocalisation": "Attribution Localisation",
        "AUC": "AUC",
        "Focus": "Focus",
    },
    EvaluationCategory.COMPLEXITY: {
        "Sparseness": "Sparseness",
        "Complexity": "Complexity",
        "EffectiveComplexity": "Effective Complexity",
    },
    EvaluationCategory.RANDOMISATION: {
        "MPRT": "Model Parameter Randomisation Test",
        "SmoothMPRT": "Smooth Model Parameter Randomisation Test",
        "EfficientMPRT": "Efficient Model Parameter Randomisation Test",
        "RandomLogit": "Random Logit",
    },
    EvaluationCategory.AXIOMATIC: {
        "Completeness": "Completeness",
        "NonSensitivity": "Non-Sensitivity",
        "InputInvariance": "Input Invariance",
    },
}
_IMAGES_ONLY = ("Continuity", "Focus", "IROF", "Infidelity", "ROAD", "RegionPerturbation", "Selectivity")
#: Classes that return flags of a metric whose lower values are better.
_FLAGS = ("Completeness", "InputInvariance")


def attributes(name: str, info: MetricInfo) -> dict[str, Any]:
    """Return the attributes of the class of this name, measured by a metric of the registry."""
    category, names = next((category, names) for category, names in _NAMES.items() if name in names)
    kinds = {DataType.IMAGE}
    if name not in _IMAGES_ONLY:
        kinds |= {DataType.TIMESERIES, DataType.TABULAR}
    is_higher = info.direction == "higher" or name in _FLAGS
    return {
        "name": names[name],
        "data_applicability": kinds,
        "model_applicability": {ModelType.TORCH, ModelType.TF},
        "score_direction": ScoreDirection.HIGHER if is_higher else ScoreDirection.LOWER,
        "evaluation_category": category,
    }


#: Classes by category, in the order of Quantus.
CATEGORIES = {category.value: list(names) for category, names in _NAMES.items()}
