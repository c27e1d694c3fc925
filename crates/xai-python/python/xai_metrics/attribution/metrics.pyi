"""Metrics of attribution maps. Written by ``cargo xtask stubs``; do not edit."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from typing_extensions import Unpack

from .._types import AttributionMetricName, Bool, Float, Int, Layout, Listed, Shaped
from ._keywords import ModelKeywords
from ._metric import Metric as Metric
from ._value import MetricValue

def by_name(name: AttributionMetricName | str) -> type[Metric]: ...

__all__: list[str] = [
    "Metric", "by_name", "AverageDrop", "AverageIncrease", "AverageGain", "Adcc", "Deletion", "Insertion",
    "SymmetricRelevanceGain", "RegionPerturbation", "Comprehensiveness", "RationaleSufficiency", "Naopc",
    "RandomOrderReference", "Monotonicity", "Irof", "FFidelity", "FFidelityPositive", "FFidelityNegative", "Road",
    "RoadMostRelevantFirst", "RoadLeastRelevantFirst", "FaithfulnessEstimate", "Violations", "SensitivityN",
    "MonotonicityCorrelation", "Infidelity", "MuFidelity", "PredictionGapImportant", "PredictionGapUnimportant",
    "LogOdds", "CrossEntropy", "MaskedAccuracy", "OutputMae", "OutputMse", "PointingGame", "AttributionLocalization",
    "TopKIntersection", "RelevanceRankAccuracy", "RelevanceMassAccuracy", "LocalizationAuroc",
    "LocalizationAveragePrecision", "LocalizationIou", "Focus", "AreaUnderPrecision", "AreaUnderRecall",
    "MaskInformation", "MaskEntropy", "MaskMae", "MaskMse", "MaskRmse", "RationaleAuprc", "TokenF1", "TokenIou",
    "Complexity", "Sparseness", "EffectiveComplexity", "NonzeroFeatures", "MstCompactness", "Sufficiency",
    "Consistency", "FeatureAgreement", "RankAgreement", "SignAgreement", "SignedRankAgreement", "RankCorrelation",
    "PairwiseRankAgreement", "Completeness", "NonSensitivity", "InputInvariance", "AverageStability",
    "MaximumStability", "LocalLipschitz", "Continuity", "RelativeInputStability", "RelativeOutputStability",
    "RelativeRepresentationStability", "AttributionStability", "RandomLogit", "EfficientRandomization"
]

class AverageDrop(Metric):
    """Relative score drop when the input is multiplied by its map."""

    def __init__(self, *, base_score_policy: Literal["error", "as-is", "as_is", "skip"] = "error") -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class AverageIncrease(Metric):
    """Share of samples whose score rises when the input is multiplied by its map."""

    def __init__(self, *, base_score_policy: Literal["error", "as-is", "as_is", "skip"] = "error") -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class AverageGain(Metric):
    """Score gain, relative to the distance from certainty, when the input is multiplied by its map."""

    def __init__(self, *, base_score_policy: Literal["error", "as-is", "as_is", "skip"] = "error") -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class Adcc(Metric):
    """Harmonic mean of coherency, simplicity and the share of the score that is kept."""

    def __init__(self, *, base_score_policy: Literal["error", "as-is", "as_is", "skip"] = "error") -> None: ...
    def evaluate(
        self, model: Any, explainer: Any, inputs: Any, targets: Any, *, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class Deletion(Metric):
    """Area under the score curve while the most important positions are removed first."""

    def __init__(
        self, *, steps: Int | Sequence[Int] | Listed | Float | Sequence[Float] | Literal["all"] | str | None = 10,
        max_fraction: Float = 1.0,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions",
        score: Literal["target", "top-1", "top_1"] = "target",
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index", draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class Insertion(Metric):
    """Area under the score curve while the most important positions are restored first."""

    def __init__(
        self, *, steps: Int | Sequence[Int] | Listed | Float | Sequence[Float] | Literal["all"] | str | None = 10,
        max_fraction: Float = 1.0,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions",
        score: Literal["target", "top-1", "top_1"] = "target",
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index", draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class SymmetricRelevanceGain(Metric):
    """Area between the score curves of removal with the least and with the most relevant features first."""

    def __init__(
        self, *, steps: Int | Sequence[Int] | Listed | Float | Sequence[Float] | Literal["all"] | str | None = 10,
        max_fraction: Float = 1.0,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions",
        score: Literal["target", "top-1", "top_1"] = "target",
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index"
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class RegionPerturbation(Metric):
    """Mean score drop while the most relevant features are removed (AOPC)."""

    def __init__(
        self, *, steps: Int | Sequence[Int] | Listed | Float | Sequence[Float] | Literal["all"] | str | None = 10,
        max_fraction: Float = 1.0,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions",
        score: Literal["target", "top-1", "top_1"] = "target",
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index", draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class Comprehensiveness(Metric):
    """Mean score drop after removal of the most relevant 1 to 50 % of the features."""

    def __init__(
        self, *,
        steps: Int | Sequence[Int] | Listed | Float | Sequence[Float] | Literal["all"] | str | None = (0.01, 0.05, 0.1, 0.2, 0.5),
        max_fraction: Float = 1.0,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions",
        score: Literal["target", "top-1", "top_1"] = "target",
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index", positive_only: Bool = False,
        draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class RationaleSufficiency(Metric):
    """Mean score drop when only the most relevant 1 to 50 % of the features are kept."""

    def __init__(
        self, *,
        steps: Int | Sequence[Int] | Listed | Float | Sequence[Float] | Literal["all"] | str | None = (0.01, 0.05, 0.1, 0.2, 0.5),
        max_fraction: Float = 1.0,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions", positive_only: Bool = False,
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index"
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class Naopc(Metric):
    """Mean score drop of the map's order, normalized by the model's worst and best orders."""

    def __init__(
        self, *,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "grid:3", exact_up_to: Int = 12, beam: Int = 5,
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index"
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class RandomOrderReference(Metric):
    """Share of random removal orders whose area under the score curve is worse than that of the map."""

    def __init__(
        self, *, steps: Int | Sequence[Int] | Listed | Float | Sequence[Float] | Literal["all"] | str | None = 10,
        max_fraction: Float = 1.0, start: Literal["input", "blank"] = "input",
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions",
        score: Literal["target", "top-1", "top_1"] = "target", n_orders: Int = 20, scale: Literal["share", "z"] = "share",
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index", seed: Int = 1
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class Monotonicity(Metric):
    """Share of steps on which the score does not fall while features are restored, the least relevant first."""

    def __init__(
        self, *, steps: Int | Sequence[Int] | Listed | Float | Sequence[Float] | Literal["all"] | str | None = 10,
        max_fraction: Float = 1.0,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions",
        score: Literal["target", "top-1", "top_1"] = "target",
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index", tolerance: Float = 0.0,
        strict: Bool = False, draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class Irof(Metric):
    """Area over the relative score curve while segments are removed, the most relevant first."""

    def __init__(
        self, *, steps: Int | Sequence[Int] | Listed | Float | Sequence[Float] | Literal["all"] | str | None = "all",
        max_fraction: Float = 1.0,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "segments",
        score: Literal["target", "top-1", "top_1"] = "target",
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index",
        base_score_policy: Literal["error", "as-is", "as_is", "skip"] = "error", draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, segments: Any = None, *,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class FFidelity(Metric):
    """Score drop from removing random parts of the most relevant features, minus the drop for the least relevant."""

    def __init__(
        self, *, steps: Int | Sequence[Int] | Listed | Float | Sequence[Float] | Literal["all"] | str | None = 10,
        max_fraction: Float = 1.0, removed_share: Float = 0.1, n_draws: Int = 20,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions", seed: Int = 1,
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index"
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class FFidelityPositive(Metric):
    """Score drop from removing random parts of the most relevant features."""

    def __init__(
        self, *, steps: Int | Sequence[Int] | Listed | Float | Sequence[Float] | Literal["all"] | str | None = 10,
        max_fraction: Float = 1.0, removed_share: Float = 0.1, n_draws: Int = 20,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions", seed: Int = 1,
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index"
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class FFidelityNegative(Metric):
    """Score drop from removing random parts of the least relevant features."""

    def __init__(
        self, *, steps: Int | Sequence[Int] | Listed | Float | Sequence[Float] | Literal["all"] | str | None = 10,
        max_fraction: Float = 1.0, removed_share: Float = 0.1, n_draws: Int = 20,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions", seed: Int = 1,
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index"
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class Road(Metric):
    """Half the difference between the accuracy with the least and with the most relevant pixels imputed."""

    def __init__(
        self, *, percentages: Float | Sequence[Float] | Listed = (10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0),
        of: Literal["accuracy", "score"] = "accuracy", noise: Float = 0.01, seed: Int = 1,
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index", draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class RoadMostRelevantFirst(Metric):
    """Accuracy with the most relevant pixels imputed."""

    def __init__(
        self, *, percentages: Float | Sequence[Float] | Listed = (10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0),
        of: Literal["accuracy", "score"] = "accuracy", noise: Float = 0.01, seed: Int = 1,
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index", draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class RoadLeastRelevantFirst(Metric):
    """Accuracy with the least relevant pixels imputed."""

    def __init__(
        self, *, percentages: Float | Sequence[Float] | Listed = (10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0),
        of: Literal["accuracy", "score"] = "accuracy", noise: Float = 0.01, seed: Int = 1,
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index", draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class FaithfulnessEstimate(Metric):
    """Correlation of attributions and score drops when features are removed one by one."""

    def __init__(
        self, *,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions", group_size: Int = 1,
        correlation: Literal["spearman", "pearson", "kendall"] = "pearson"
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class Violations(Metric):
    """Share of the top features whose removal moves the score against the sign of their attribution."""

    def __init__(
        self, *,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions", k: Int | Float = 0.1,
        ties: Literal["expected", "lowest-index", "lowest_index"] = "expected"
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class SensitivityN(Metric):
    """Correlation of summed attributions and score drops over random subsets, averaged over subset sizes."""

    def __init__(
        self, *, sizes: Literal["auto"] | Int | Sequence[Int] | Listed = "auto",
        features: Literal["positions", "segments"] | str = "positions", n_subsets: Int = 100,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        seed: Int = 1
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class MonotonicityCorrelation(Metric):
    """Rank correlation of absolute attributions and mean squared score changes when the feature is replaced."""

    def __init__(
        self, *, features: Literal["positions", "segments"] | str = "positions", group_size: Int = 1,
        value_range: Float | Sequence[Float] | Listed | Literal["sample"] = "sample", n_values: Int = 10, draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class Infidelity(Metric):
    """Mean squared difference between the change that the map predicts and the change of the score."""

    def __init__(
        self, *, perturbation: Literal["positions", "segments"] | str = "patches:4",
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        map_kind: Literal["auto"] | Literal["gradient", "contribution"] = "auto",
        scaling: Literal["none", "optimal-beta", "optimal_beta"] = "none", n_draws: Int = 20, seed: Int = 1,
        draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class MuFidelity(Metric):
    """Correlation of summed attributions and score drops over random subsets of features."""

    def __init__(
        self, *, n_subsets: Int = 200, subset_size: Float | Int = 0.2,
        correlation: Literal["spearman", "pearson", "kendall"] = "spearman",
        features: Literal["positions", "segments"] | str = "grid:9",
        sampling: Literal["fixed-size", "fixed_size", "independent"] = "fixed-size",
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        seed: Int = 1, draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class PredictionGapImportant(Metric):
    """Score change under noise on the positions with the largest attributions."""

    def __init__(
        self, *, k: Int | Float = 0.1, radius: Float = 0.1, n_neighbors: Int = 20,
        neighborhood: Literal["above", "around", "gaussian"] = "gaussian", seed: Int = 1,
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index", draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class PredictionGapUnimportant(Metric):
    """Score change under noise on all but the positions with the largest attributions."""

    def __init__(
        self, *, k: Int | Float = 0.1, radius: Float = 0.1, n_neighbors: Int = 20,
        neighborhood: Literal["above", "around", "gaussian"] = "gaussian", seed: Int = 1,
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index", draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class LogOdds(Metric):
    """Change of the log-probability of the target when the top features are removed."""

    def __init__(
        self, *, answers: Literal["auto", "logits", "probabilities"] = "auto", top: Float = 0.2, keep: Bool = False,
        rounding: Literal["nearest", "down"] = "nearest",
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions",
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index"
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class CrossEntropy(Metric):
    """Cross-entropy of the target when the top features are removed, in nats."""

    def __init__(
        self, *, answers: Literal["auto", "logits", "probabilities"] = "auto", top: Float = 0.2, keep: Bool = False,
        rounding: Literal["nearest", "down"] = "nearest",
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions",
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index"
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class MaskedAccuracy(Metric):
    """Accuracy for the target after the top features are removed."""

    def __init__(
        self, *, answers: Literal["auto", "logits", "probabilities"] = "auto", threshold: Literal["none"] | Float = "none",
        top: Float = 0.2, keep: Bool = False, rounding: Literal["nearest", "down"] = "nearest",
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions",
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index"
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class OutputMae(Metric):
    """Sum of the absolute changes of the model's outputs after the top features are removed."""

    def __init__(
        self, *, of: Literal["all", "target"] = "all", top: Float = 0.2, keep: Bool = False,
        rounding: Literal["nearest", "down"] = "nearest",
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions",
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index"
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class OutputMse(Metric):
    """Sum of the squared changes of the model's outputs after the top features are removed."""

    def __init__(
        self, *, of: Literal["all", "target"] = "all", top: Float = 0.2, keep: Bool = False,
        rounding: Literal["nearest", "down"] = "nearest",
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions",
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index"
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class PointingGame(Metric):
    """Whether the largest attribution lies on the object."""

    def __init__(
        self, *, radius: Float = 0.0, ties: Literal["expected", "lowest-index", "lowest_index", "any"] = "expected",
        weighted: Bool = False,
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean"
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class AttributionLocalization(Metric):
    """Share of the relevance that lies within the object, optionally weighted by the object's size."""

    def __init__(
        self, *, relevance: Literal["positive", "absolute", "signed"] = "positive", weighted: Bool = False,
        max_size: Float = 1.0,
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean"
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class TopKIntersection(Metric):
    """Share of the k largest attributions that lie on the object."""

    def __init__(
        self, *, k: Int | Float = 0.1, capped: Bool = False, influence: Bool = False,
        ties: Literal["expected", "lowest-index", "lowest_index"] = "expected",
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean"
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class RelevanceRankAccuracy(Metric):
    """Share of the m largest attributions that are on the object, m the size of the object."""

    def __init__(
        self, *, ties: Literal["expected", "lowest-index", "lowest_index"] = "expected",
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean"
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class RelevanceMassAccuracy(Metric):
    """Share of the relevance that lies on the object."""

    def __init__(
        self, *, relevance: Literal["positive", "absolute", "signed"] = "positive",
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean"
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class LocalizationAuroc(Metric):
    """Probability that an attribution on the object exceeds one outside it (AUROC)."""

    def __init__(
        self, *,
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean",
        normalize: Bool = False, pooled: Bool = False
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class LocalizationAveragePrecision(Metric):
    """Average precision of the attributions as scores of the object's positions."""

    def __init__(
        self, *,
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean",
        normalize: Bool = False, pooled: Bool = False
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class LocalizationIou(Metric):
    """Intersection over union of the positions that the map marks and the object."""

    def __init__(
        self, *, threshold: Float = 0.5,
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean"
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class Focus(Metric):
    """Share of the positive relevance that lies on the mosaic cells of the target class."""

    def __init__(
        self, *,
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean"
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class AreaUnderPrecision(Metric):
    """Precision of a mask, averaged over all thresholds."""

    def __init__(
        self, *, rule: Literal["exact", "trapezoid"] = "exact",
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean",
        normalize: Bool = True, pooled: Bool = False
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class AreaUnderRecall(Metric):
    """Recall of a mask, averaged over all thresholds."""

    def __init__(
        self, *, rule: Literal["exact", "trapezoid"] = "exact",
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean",
        normalize: Bool = True, pooled: Bool = False
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class MaskInformation(Metric):
    """Information of a mask about the true positions, in bits."""

    def __init__(
        self, *,
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean",
        normalize: Bool = True, pooled: Bool = False
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class MaskEntropy(Metric):
    """Entropy of a mask at the true positions, in bits."""

    def __init__(
        self, *,
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean",
        normalize: Bool = True, pooled: Bool = False
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class MaskMae(Metric):
    """Mean absolute error of the map against the mask."""

    def __init__(
        self, *,
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean",
        normalize: Bool = False, pooled: Bool = False
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class MaskMse(Metric):
    """Mean squared error of the map against the mask."""

    def __init__(
        self, *,
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean",
        normalize: Bool = False, pooled: Bool = False
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class MaskRmse(Metric):
    """Root mean squared error of the map against the mask."""

    def __init__(
        self, *,
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean",
        normalize: Bool = False, pooled: Bool = False
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class RationaleAuprc(Metric):
    """Average precision of the attributions as scores of the rationale's tokens."""

    def __init__(
        self, *, area: Literal["average-precision", "average_precision", "trapezoid"] = "average-precision",
        positive_only: Bool = False,
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean"
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class TokenF1(Metric):
    """F1 score of the top tokens against the rationale."""

    def __init__(
        self, *, k: Int | Float = 5, positive_only: Bool = True,
        ties: Literal["expected", "lowest-index", "lowest_index"] = "expected",
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean"
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class TokenIou(Metric):
    """Intersection over union of the top tokens and the rationale."""

    def __init__(
        self, *, k: Int | Float = 5, positive_only: Bool = True,
        ties: Literal["expected", "lowest-index", "lowest_index"] = "expected",
        pool: Literal["mean", "positive-sum", "positive_sum", "max-norm", "max_norm", "l2-norm", "l2_norm"] = "mean"
    ) -> None: ...
    def evaluate(
        self, explanations: Any, masks: Any = None, *, inputs: Any = None, mosaic: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class Complexity(Metric):
    """Entropy of the absolute attributions over the positions, in nats."""

    def __init__(self) -> None: ...
    def evaluate(
        self, explanations: Any, *, inputs: Any = None, layout: Layout | None = None, n_jobs: int | None = None
    ) -> MetricValue: ...

class Sparseness(Metric):
    """Gini index of the absolute attributions."""

    def __init__(self) -> None: ...
    def evaluate(
        self, explanations: Any, *, inputs: Any = None, layout: Layout | None = None, n_jobs: int | None = None
    ) -> MetricValue: ...

class EffectiveComplexity(Metric):
    """Number of the largest attributions that the model needs to keep its score."""

    def __init__(
        self, *, steps: Int | Sequence[Int] | Listed | Float | Sequence[Float] | Literal["all"] | str | None = 10,
        max_fraction: Float = 1.0,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        features: Literal["positions", "segments"] | str = "positions",
        score: Literal["target", "top-1", "top_1"] = "target",
        ties: Literal["lowest-index", "lowest_index", "random"] | str = "lowest-index", tolerance: Float = 0.1,
        draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class NonzeroFeatures(Metric):
    """Number of attributions whose absolute value exceeds a threshold."""

    def __init__(self, *, threshold: Float | str = "of-largest:0.00001") -> None: ...
    def evaluate(
        self, explanations: Any, *, inputs: Any = None, layout: Layout | None = None, n_jobs: int | None = None
    ) -> MetricValue: ...

class MstCompactness(Metric):
    """Compactness of the positions that the map marks, from their minimum spanning tree."""

    def __init__(
        self, *, percentile: Float = 80.0, scaled: Bool = True, collinear: Literal["undefined", "diagonal"] = "undefined"
    ) -> None: ...
    def evaluate(
        self, explanations: Any, *, inputs: Any = None, layout: Layout | None = None, n_jobs: int | None = None
    ) -> MetricValue: ...

class Sufficiency(Metric):
    """Probability that two samples with similar maps have the same prediction."""

    def __init__(
        self, *,
        distance: Literal["euclidean", "squared-euclidean", "squared_euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "canberra", "braycurtis", "bray-curtis", "hamming"] | str = "euclidean",
        standardized: Bool = True, threshold: Float | str = "of-largest:0.6"
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class Consistency(Metric):
    """Probability that two samples with the same explanation have the same prediction."""

    def __init__(self, *, discretizer: str | Callable[[Any], Any] = "top-signed:5") -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class FeatureAgreement(Metric):
    """Share of the top-k features that the map and its reference have in common."""

    def __init__(
        self, *, k: Int | Float = 0.1, over_top: Bool = False,
        ties: Literal["expected", "lowest-index", "lowest_index"] = "expected"
    ) -> None: ...
    def evaluate(
        self, explanations: Any, reference_maps: Any, *, inputs: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class RankAgreement(Metric):
    """Share of the top-k features that have the same rank in the map and in its reference."""

    def __init__(
        self, *, k: Int | Float = 0.1, over_top: Bool = False,
        ties: Literal["expected", "lowest-index", "lowest_index"] = "expected"
    ) -> None: ...
    def evaluate(
        self, explanations: Any, reference_maps: Any, *, inputs: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class SignAgreement(Metric):
    """Share of the top-k features that the map and its reference have in common with the same sign."""

    def __init__(
        self, *, k: Int | Float = 0.1, over_top: Bool = False,
        ties: Literal["expected", "lowest-index", "lowest_index"] = "expected"
    ) -> None: ...
    def evaluate(
        self, explanations: Any, reference_maps: Any, *, inputs: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class SignedRankAgreement(Metric):
    """Share of the top-k features that have the same rank and sign in the map and in its reference."""

    def __init__(
        self, *, k: Int | Float = 0.1, over_top: Bool = False,
        ties: Literal["expected", "lowest-index", "lowest_index"] = "expected"
    ) -> None: ...
    def evaluate(
        self, explanations: Any, reference_maps: Any, *, inputs: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class RankCorrelation(Metric):
    """Rank correlation of the attributions of a map and of its reference."""

    def __init__(self, *, rank_ties: Literal["mid", "dense"] = "mid") -> None: ...
    def evaluate(
        self, explanations: Any, reference_maps: Any, *, inputs: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class PairwiseRankAgreement(Metric):
    """Share of the pairs of features that the map and its reference rank in the same order."""

    def __init__(self, *, rank_ties: Literal["mid", "dense"] = "mid") -> None: ...
    def evaluate(
        self, explanations: Any, reference_maps: Any, *, inputs: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class Completeness(Metric):
    """Relative difference between the sum of the attributions and the score gained over the baseline."""

    def __init__(
        self, *,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        gap: Literal["relative", "absolute"] = "relative"
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class NonSensitivity(Metric):
    """Number of features with an attribution that the model ignores, or without one that it uses."""

    def __init__(
        self, *,
        baseline: Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str | Sequence[Any] | Shaped | Callable[[Any], Any] = 0.0,
        more_baselines: Literal["none"] | Float | Sequence[Float | Sequence[Float] | Listed | Literal["mean", "sample-min", "sample_min", "sample-mean", "sample_mean", "sample-max", "sample_max", "linear-imputation", "linear_imputation", "given"] | str] | Listed = "none",
        features: Literal["positions", "segments"] | str = "positions", zero_threshold: Float | str = "of-largest:0.00001",
        change_threshold: Float = 1e-05, mismatch: Literal["both", "ignored", "silent"] = "both"
    ) -> None: ...
    def evaluate(
        self, model: Any, inputs: Any, targets: Any, explanations: Any, *, segments: Any = None,
        special_tokens: Any = False, n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class InputInvariance(Metric):
    """Largest change of the map, relative to its largest attribution, when inputs are shifted and the model compensates."""

    def __init__(self) -> None: ...
    def evaluate(
        self, explanations: Any, second_maps: Any, *, inputs: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...

class AverageStability(Metric):
    """Mean distance between the map of a sample and the maps of its random neighbours."""

    def __init__(
        self, *, radius: Float = 0.1, n_neighbors: Int = 20, neighborhood: Literal["above", "around", "gaussian"] = "above",
        seed: Int = 1, distance: Literal["l1", "l2", "relative"] | str | Callable[[Any, Any], Any] = "l2",
        same_prediction: Bool = False, draws: Any = None
    ) -> None: ...
    def evaluate(
        self, explainer: Any, inputs: Any, targets: Any, *, model: Any = None, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class MaximumStability(Metric):
    """Largest distance between the map of a sample and the maps of its random neighbours."""

    def __init__(
        self, *, radius: Float = 0.1, n_neighbors: Int = 20, neighborhood: Literal["above", "around", "gaussian"] = "above",
        seed: Int = 1, distance: Literal["l1", "l2", "relative"] | str | Callable[[Any, Any], Any] = "l2",
        same_prediction: Bool = False, draws: Any = None
    ) -> None: ...
    def evaluate(
        self, explainer: Any, inputs: Any, targets: Any, *, model: Any = None, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class LocalLipschitz(Metric):
    """Largest change of the map per change of the input among random neighbours."""

    def __init__(
        self, *, radius: Float = 0.1, n_neighbors: Int = 20,
        neighborhood: Literal["above", "around", "gaussian"] = "around", seed: Int = 1,
        distance: Literal["l1", "l2", "relative"] | str | Callable[[Any, Any], Any] = "l2", draws: Any = None
    ) -> None: ...
    def evaluate(
        self, explainer: Any, inputs: Any, targets: Any, *, model: Any = None, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class Continuity(Metric):
    """Largest change of the map per change of the input over small shifts."""

    def __init__(
        self, *, axes: Literal["both", "height", "width"] = "both", shifts: Int | Sequence[Int] | Listed = (-2, -1, 1, 2)
    ) -> None: ...
    def evaluate(
        self, explainer: Any, inputs: Any, targets: Any, *, model: Any = None, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class RelativeInputStability(Metric):
    """Largest relative change of the map per relative change of the input."""

    def __init__(
        self, *, radius: Float = 0.1, n_neighbors: Int = 20,
        neighborhood: Literal["above", "around", "gaussian"] = "around", seed: Int = 1,
        elementwise: Literal["none"] | Float = "none", floor: Float = 1e-06, same_prediction: Bool = True, draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, explainer: Any, inputs: Any, targets: Any, *, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class RelativeOutputStability(Metric):
    """Largest relative change of the map per relative change of the model's output."""

    def __init__(
        self, *, radius: Float = 0.1, n_neighbors: Int = 20,
        neighborhood: Literal["above", "around", "gaussian"] = "around", seed: Int = 1,
        elementwise: Literal["none"] | Float = "none", floor: Float = 1e-06, same_prediction: Bool = True, draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, explainer: Any, inputs: Any, targets: Any, *, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class RelativeRepresentationStability(Metric):
    """Largest relative change of the map per relative change of a layer's representation."""

    def __init__(
        self, *, radius: Float = 0.1, n_neighbors: Int = 20,
        neighborhood: Literal["above", "around", "gaussian"] = "around", seed: Int = 1,
        elementwise: Literal["none"] | Float = "none", floor: Float = 1e-06, same_prediction: Bool = True, draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, explainer: Any, inputs: Any, targets: Any, representation: Any, *, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class AttributionStability(Metric):
    """Similarity of the maps of a sample and of its neighbours with the same prediction."""

    def __init__(
        self, *, radius: Float = 0.1, n_neighbors: Int = 20,
        neighborhood: Literal["above", "around", "gaussian"] = "around", seed: Int = 1,
        similarity: Literal["ssim", "spearman", "pearson", "jaccard"] | str = "spearman", draws: Any = None
    ) -> None: ...
    def evaluate(
        self, model: Any, explainer: Any, inputs: Any, targets: Any, *, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class RandomLogit(Metric):
    """Similarity of the maps of the target class and of another class."""

    def __init__(
        self, *, n_classes: Literal["auto"] | Int = "auto", seed: Int = 1,
        similarity: Literal["ssim", "spearman", "pearson", "jaccard"] | str = "ssim", draws: Any = None
    ) -> None: ...
    def evaluate(
        self, explainer: Any, inputs: Any, targets: Any, *, model: Any = None, special_tokens: Any = False,
        n_jobs: int | None = None, **keywords: Unpack[ModelKeywords]
    ) -> MetricValue: ...

class EfficientRandomization(Metric):
    """Relative rise of the complexity of the map when the model is randomized."""

    def __init__(self, *, bins: Int | Literal["freedman-diaconis", "freedman_diaconis"] = 100) -> None: ...
    def evaluate(
        self, explanations: Any, second_maps: Any, *, inputs: Any = None, layout: Layout | None = None,
        n_jobs: int | None = None
    ) -> MetricValue: ...
