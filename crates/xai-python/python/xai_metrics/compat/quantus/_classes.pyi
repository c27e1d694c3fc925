"""Classes of ``quantus``, which the package creates. Written by ``cargo xtask stubs``; do not edit."""

from typing import Any

from ._metric import Metric

__all__: list[str] = [
    "FaithfulnessCorrelation", "FaithfulnessEstimate", "PixelFlipping", "Monotonicity", "MonotonicityCorrelation",
    "RegionPerturbation", "Selectivity", "SensitivityN", "IROF", "ROAD", "Infidelity", "Sufficiency",
    "LocalLipschitzEstimate", "MaxSensitivity", "Continuity", "Consistency", "RelativeInputStability", "PointingGame",
    "AttributionLocalisation", "TopKIntersection", "RelevanceRankAccuracy", "RelevanceMassAccuracy", "AUC", "Focus",
    "Sparseness", "Complexity", "EffectiveComplexity", "MPRT", "SmoothMPRT", "EfficientMPRT", "RandomLogit",
    "Completeness", "NonSensitivity", "InputInvariance", "AvgSensitivity", "RelativeOutputStability",
    "RelativeRepresentationStability", "BatchSufficiency", "ModelParameterRandomisation"
]

class FaithfulnessCorrelation(Metric):
    """FaithfulnessCorrelation of Quantus, measured by
    :class:`~xai_metrics.attribution.metrics.MuFidelity`: Correlation of summed attributions and
    score drops over random subsets of features."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = True, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1,
        similarity_func: Any = "correlation_pearson", nr_runs: Any = 100, subset_size: Any = 224, perturb_func: Any = None,
        perturb_baseline: Any = "black", perturb_func_kwargs: Any = None, compat: bool | None = None,
        n_jobs: int | None = None
    ) -> None: ...

class FaithfulnessEstimate(Metric):
    """FaithfulnessEstimate of Quantus, measured by
    :class:`~xai_metrics.attribution.metrics.FaithfulnessEstimate`: Correlation of attributions and
    score drops when features are removed one by one."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1,
        similarity_func: Any = "correlation_pearson", features_in_step: Any = 1, perturb_func: Any = None,
        perturb_baseline: Any = "black", perturb_func_kwargs: Any = None, compat: bool | None = None,
        n_jobs: int | None = None
    ) -> None: ...

class PixelFlipping(Metric):
    """PixelFlipping of Quantus, measured by :class:`~xai_metrics.attribution.metrics.Deletion`: Area
    under the score curve while the most important positions are removed first."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, features_in_step: Any = 1,
        return_auc_per_sample: Any = False, perturb_func: Any = None, perturb_baseline: Any = "black",
        perturb_func_kwargs: Any = None, compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class Monotonicity(Metric):
    """Monotonicity of Quantus, measured by :class:`~xai_metrics.attribution.metrics.Monotonicity`:
    Share of steps on which the score does not fall while features are restored, the least relevant
    first."""

    def __init__(
        self, *, abs: bool = True, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, features_in_step: Any = 1,
        perturb_func: Any = None, perturb_baseline: Any = "black", perturb_func_kwargs: Any = None,
        compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class MonotonicityCorrelation(Metric):
    """MonotonicityCorrelation of Quantus, measured by
    :class:`~xai_metrics.attribution.metrics.MonotonicityCorrelation`: Rank correlation of absolute
    attributions and mean squared score changes when the feature is replaced."""

    def __init__(
        self, *, abs: bool = True, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1,
        similarity_func: Any = "correlation_spearman", eps: Any = 1e-05, nr_samples: Any = 100, features_in_step: Any = 1,
        perturb_func: Any = None, perturb_baseline: Any = "uniform", perturb_func_kwargs: Any = None,
        compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class RegionPerturbation(Metric):
    """RegionPerturbation of Quantus, measured by
    :class:`~xai_metrics.attribution.metrics.RegionPerturbation`: Mean score drop while the most
    relevant features are removed (AOPC)."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, patch_size: Any = 8,
        order: Any = "morf", regions_evaluation: Any = 100, perturb_func: Any = None, perturb_baseline: Any = "black",
        perturb_func_kwargs: Any = None, compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class Selectivity(Metric):
    """Selectivity of Quantus, measured by :class:`~xai_metrics.attribution.metrics.Deletion`: Area
    under the score curve while the most important positions are removed first."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, patch_size: Any = 8,
        perturb_func: Any = None, perturb_baseline: Any = "black", perturb_func_kwargs: Any = None,
        compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class SensitivityN(Metric):
    """SensitivityN of Quantus, measured by :class:`~xai_metrics.attribution.metrics.SensitivityN`:
    Correlation of summed attributions and score drops over random subsets, averaged over subset
    sizes."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = True, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1,
        similarity_func: Any = "correlation_pearson", n_max_percentage: Any = 0.8, features_in_step: Any = 1,
        perturb_func: Any = None, perturb_baseline: Any = "black", perturb_func_kwargs: Any = None,
        compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class IROF(Metric):
    """IROF of Quantus, measured by :class:`~xai_metrics.attribution.metrics.Irof`: Area over the
    relative score curve while segments are removed, the most relevant first."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = True, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, segmentation_method: Any = "slic",
        perturb_func: Any = None, perturb_baseline: Any = "mean", perturb_func_kwargs: Any = None,
        compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class ROAD(Metric):
    """ROAD of Quantus, measured by :class:`~xai_metrics.attribution.metrics.RoadMostRelevantFirst`:
    Accuracy with the most relevant pixels imputed."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, percentages: Any = None,
        noise: Any = 0.01, perturb_func: Any = None, perturb_func_kwargs: Any = None, compat: bool | None = None,
        n_jobs: int | None = None
    ) -> None: ...

class Infidelity(Metric):
    """Infidelity of Quantus, measured by :class:`~xai_metrics.attribution.metrics.Infidelity`: Mean
    squared difference between the change that the map predicts and the change of the score."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = False, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, loss_func: Any = "mse",
        perturb_patch_sizes: Any = None, n_perturb_samples: Any = 10, perturb_func: Any = None,
        perturb_baseline: Any = "black", perturb_func_kwargs: Any = None, compat: bool | None = None,
        n_jobs: int | None = None
    ) -> None: ...

class Sufficiency(Metric):
    """Sufficiency of Quantus, measured by :class:`~xai_metrics.attribution.metrics.Sufficiency`:
    Probability that two samples with similar maps have the same prediction."""

    def __init__(
        self, *, abs: bool = True, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, threshold: Any = 0.6,
        distance_func: Any = "seuclidean", compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class LocalLipschitzEstimate(Metric):
    """LocalLipschitzEstimate of Quantus, measured by
    :class:`~xai_metrics.attribution.metrics.LocalLipschitz`: Largest change of the map per change
    of the input among random neighbours."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, similarity_func: Any = None,
        norm_numerator: Any = None, norm_denominator: Any = None, nr_samples: Any = 200, perturb_func: Any = None,
        perturb_func_kwargs: Any = None, return_nan_when_prediction_changes: Any = False, perturb_mean: Any = 0.0,
        perturb_std: Any = 0.1, compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class MaxSensitivity(Metric):
    """MaxSensitivity of Quantus, measured by
    :class:`~xai_metrics.attribution.metrics.MaximumStability`: Largest distance between the map of
    a sample and the maps of its random neighbours."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = False, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, similarity_func: Any = None,
        norm_numerator: Any = None, norm_denominator: Any = None, nr_samples: Any = 200, perturb_func: Any = None,
        perturb_func_kwargs: Any = None, return_nan_when_prediction_changes: Any = False, lower_bound: Any = 0.2,
        upper_bound: Any = None, compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class Continuity(Metric):
    """Continuity of Quantus, measured by :class:`~xai_metrics.attribution.metrics.Continuity`: Largest
    change of the map per change of the input over small shifts."""

    def __init__(
        self, *, abs: bool = True, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, nr_steps: Any = 28,
        perturb_func: Any = None, perturb_baseline: Any = "black", perturb_func_kwargs: Any = None,
        return_nan_when_prediction_changes: Any = False, compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class Consistency(Metric):
    """Consistency of Quantus, measured by :class:`~xai_metrics.attribution.metrics.Consistency`:
    Probability that two samples with the same explanation have the same prediction."""

    def __init__(
        self, *, abs: bool = True, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1,
        discretise_func: Any = "top_n_sign", compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class RelativeInputStability(Metric):
    """RelativeInputStability of Quantus, measured by
    :class:`~xai_metrics.attribution.metrics.RelativeInputStability`: Largest relative change of the
    map per relative change of the input."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = False, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, nr_samples: Any = 200,
        perturb_func: Any = None, perturb_func_kwargs: Any = None, return_nan_when_prediction_changes: Any = True,
        eps_min: Any = 1e-06, compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class PointingGame(Metric):
    """PointingGame of Quantus, measured by :class:`~xai_metrics.attribution.metrics.PointingGame`:
    Whether the largest attribution lies on the object."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, weighted: Any = False,
        compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class AttributionLocalisation(Metric):
    """AttributionLocalisation of Quantus, measured by
    :class:`~xai_metrics.attribution.metrics.AttributionLocalization`: Share of the relevance that
    lies within the object, optionally weighted by the object's size."""

    def __init__(
        self, *, abs: bool = True, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, weighted: Any = False,
        max_size: Any = 1.0, positive_attributions: Any = False, compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class TopKIntersection(Metric):
    """TopKIntersection of Quantus, measured by
    :class:`~xai_metrics.attribution.metrics.TopKIntersection`: Share of the k largest attributions
    that lie on the object."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, k: Any = 1000,
        concept_influence: Any = False, compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class RelevanceRankAccuracy(Metric):
    """RelevanceRankAccuracy of Quantus, measured by
    :class:`~xai_metrics.attribution.metrics.RelevanceRankAccuracy`: Share of the m largest
    attributions that are on the object, m the size of the object."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, compat: bool | None = None,
        n_jobs: int | None = None
    ) -> None: ...

class RelevanceMassAccuracy(Metric):
    """RelevanceMassAccuracy of Quantus, measured by
    :class:`~xai_metrics.attribution.metrics.RelevanceMassAccuracy`: Share of the relevance that
    lies on the object."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, compat: bool | None = None,
        n_jobs: int | None = None
    ) -> None: ...

class AUC(Metric):
    """AUC of Quantus, measured by :class:`~xai_metrics.attribution.metrics.LocalizationAuroc`:
    Probability that an attribution on the object exceeds one outside it (AUROC)."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, compat: bool | None = None,
        n_jobs: int | None = None
    ) -> None: ...

class Focus(Metric):
    """Focus of Quantus, measured by :class:`~xai_metrics.attribution.metrics.Focus`: Share of the
    positive relevance that lies on the mosaic cells of the target class."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, mosaic_shape: Any = None,
        compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class Sparseness(Metric):
    """Sparseness of Quantus, measured by :class:`~xai_metrics.attribution.metrics.Sparseness`: Gini
    index of the absolute attributions."""

    def __init__(
        self, *, abs: bool = True, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, compat: bool | None = None,
        n_jobs: int | None = None
    ) -> None: ...

class Complexity(Metric):
    """Complexity of Quantus, measured by :class:`~xai_metrics.attribution.metrics.Complexity`: Entropy
    of the absolute attributions over the positions, in nats."""

    def __init__(
        self, *, abs: bool = True, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, compat: bool | None = None,
        n_jobs: int | None = None
    ) -> None: ...

class EffectiveComplexity(Metric):
    """EffectiveComplexity of Quantus, measured by
    :class:`~xai_metrics.attribution.metrics.NonzeroFeatures`: Number of attributions whose absolute
    value exceeds a threshold."""

    def __init__(
        self, *, abs: bool = True, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, eps: Any = 1e-05,
        tolerance: Any = 0.1, compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class MPRT(Metric):
    """MPRT of Quantus, measured by :func:`~xai_metrics.attribution.model_randomization`: Similarity of
    the maps before and after layers of the model are randomized."""

    def __init__(
        self, *, abs: bool = True, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 42,
        similarity_func: Any = "correlation_spearman", layer_order: Any = "top_down",
        return_average_correlation: Any = False, return_last_correlation: Any = False, skip_layers: Any = False,
        return_sample_correlation: Any = None, compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class SmoothMPRT(Metric):
    """SmoothMPRT of Quantus, measured by :func:`~xai_metrics.attribution.model_randomization`:
    Similarity of the maps before and after layers of the model are randomized."""

    def __init__(
        self, *, abs: bool = True, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 42,
        similarity_func: Any = "correlation_spearman", layer_order: Any = "bottom_up",
        return_average_correlation: Any = False, return_last_correlation: Any = False, skip_layers: Any = False,
        nr_samples: Any = 50, noise_magnitude: Any = 0.1, compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class EfficientMPRT(Metric):
    """EfficientMPRT of Quantus, measured by
    :class:`~xai_metrics.attribution.metrics.EfficientRandomization`: Relative rise of the
    complexity of the map when the model is randomized."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = False, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 42, complexity_func: Any = None,
        complexity_func_kwargs: Any = None, similarity_func: Any = None, layer_order: Any = "bottom_up",
        compute_extra_scores: Any = False, skip_layers: Any = True, compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class RandomLogit(Metric):
    """RandomLogit of Quantus, measured by :class:`~xai_metrics.attribution.metrics.RandomLogit`:
    Similarity of the maps of the target class and of another class."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 42, similarity_func: Any = "ssim",
        num_classes: Any = None, compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class Completeness(Metric):
    """Completeness of Quantus, measured by :class:`~xai_metrics.attribution.metrics.Completeness`:
    Relative difference between the sum of the attributions and the score gained over the baseline."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = False, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, perturb_func: Any = None,
        perturb_baseline: Any = "black", perturb_func_kwargs: Any = None, output_func: Any = None, tolerance: Any = 0.001,
        compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class NonSensitivity(Metric):
    """NonSensitivity of Quantus, measured by :class:`~xai_metrics.attribution.metrics.NonSensitivity`:
    Number of features with an attribution that the model ignores, or without one that it uses."""

    def __init__(
        self, *, abs: bool = True, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, eps: Any = 1e-05,
        features_in_step: Any = 1, perturb_func: Any = None, perturb_baseline: Any = "black",
        perturb_func_kwargs: Any = None, compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class InputInvariance(Metric):
    """InputInvariance of Quantus, measured by
    :class:`~xai_metrics.attribution.metrics.InputInvariance`: Largest change of the map, relative
    to its largest attribution, when inputs are shifted and the model compensates."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = False, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, input_shift: Any = -1,
        perturb_func: Any = None, perturb_func_kwargs: Any = None, tolerance: Any = 0.0001, compat: bool | None = None,
        n_jobs: int | None = None
    ) -> None: ...

class AvgSensitivity(Metric):
    """AvgSensitivity of Quantus, measured by
    :class:`~xai_metrics.attribution.metrics.AverageStability`: Mean distance between the map of a
    sample and the maps of its random neighbours."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = False, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, similarity_func: Any = None,
        norm_numerator: Any = None, norm_denominator: Any = None, nr_samples: Any = 200, perturb_func: Any = None,
        perturb_func_kwargs: Any = None, return_nan_when_prediction_changes: Any = False, lower_bound: Any = 0.2,
        upper_bound: Any = None, compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class RelativeOutputStability(Metric):
    """RelativeOutputStability of Quantus, measured by
    :class:`~xai_metrics.attribution.metrics.RelativeOutputStability`: Largest relative change of
    the map per relative change of the model's output."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = False, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, nr_samples: Any = 200,
        perturb_func: Any = None, perturb_func_kwargs: Any = None, return_nan_when_prediction_changes: Any = True,
        eps_min: Any = 1e-06, compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class RelativeRepresentationStability(Metric):
    """RelativeRepresentationStability of Quantus, measured by
    :class:`~xai_metrics.attribution.metrics.RelativeRepresentationStability`: Largest relative
    change of the map per relative change of a layer's representation."""

    def __init__(
        self, *, abs: bool = False, normalise: bool = False, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, nr_samples: Any = 200,
        perturb_func: Any = None, perturb_func_kwargs: Any = None, return_nan_when_prediction_changes: Any = True,
        eps_min: Any = 1e-06, layer_names: Any = None, layer_indices: Any = None, compat: bool | None = None,
        n_jobs: int | None = None
    ) -> None: ...

class BatchSufficiency(Metric):
    """BatchSufficiency of Quantus, measured by :class:`~xai_metrics.attribution.metrics.Sufficiency`:
    Probability that two samples with similar maps have the same prediction."""

    def __init__(
        self, *, abs: bool = True, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 1, threshold: Any = 0.6,
        distance_func: Any = "seuclidean", compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...

class ModelParameterRandomisation(Metric):
    """ModelParameterRandomisation of Quantus, measured by
    :func:`~xai_metrics.attribution.model_randomization`: Similarity of the maps before and after
    layers of the model are randomized."""

    def __init__(
        self, *, abs: bool = True, normalise: bool = True, normalise_func: Any = None, normalise_func_kwargs: Any = None,
        return_aggregate: bool = False, aggregate_func: Any = None, default_plot_func: Any = None,
        disable_warnings: bool = False, display_progressbar: bool = False, seed: int = 42,
        similarity_func: Any = "correlation_spearman", layer_order: Any = "top_down",
        return_average_correlation: Any = False, return_last_correlation: Any = False, skip_layers: Any = False,
        return_sample_correlation: Any = None, compat: bool | None = None, n_jobs: int | None = None
    ) -> None: ...
