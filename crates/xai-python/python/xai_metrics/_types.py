"""Names of metrics, words of arguments, and parameters, for type checkers and editors.

Written by ``cargo xtask stubs``; do not edit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol, TypedDict, Union

import numpy as np

# Array libraries have numbers of their own.
Int = Union[int, np.integer[Any]]
Float = Union[float, np.floating[Any], np.integer[Any]]
Bool = Union[bool, np.bool_]


class Listed(Protocol):
    """Array of any library that converts to a list."""

    def tolist(self) -> Any: ...


class Shaped(Protocol):
    """Array or table of any library."""

    @property
    def shape(self) -> Any: ...


AttributionMetricName = Literal[
    "average_drop", "average_increase", "average_gain", "adcc", "deletion", "insertion", "symmetric_relevance_gain",
    "region_perturbation", "comprehensiveness", "rationale_sufficiency", "naopc", "random_order_reference",
    "monotonicity", "irof", "f_fidelity", "f_fidelity_positive", "f_fidelity_negative", "road",
    "road_most_relevant_first", "road_least_relevant_first", "faithfulness_estimate", "violations", "sensitivity_n",
    "monotonicity_correlation", "infidelity", "mu_fidelity", "prediction_gap_important", "prediction_gap_unimportant",
    "log_odds", "cross_entropy", "masked_accuracy", "output_mae", "output_mse", "pointing_game",
    "attribution_localization", "top_k_intersection", "relevance_rank_accuracy", "relevance_mass_accuracy",
    "localization_auroc", "localization_average_precision", "localization_iou", "focus", "area_under_precision",
    "area_under_recall", "mask_information", "mask_entropy", "mask_mae", "mask_mse", "mask_rmse", "rationale_auprc",
    "token_f1", "token_iou", "complexity", "sparseness", "effective_complexity", "nonzero_features", "mst_compactness",
    "sufficiency", "consistency", "feature_agreement", "rank_agreement", "sign_agreement", "signed_rank_agreement",
    "rank_correlation", "pairwise_rank_agreement", "completeness", "non_sensitivity", "input_invariance",
    "average_stability", "maximum_stability", "local_lipschitz", "continuity", "relative_input_stability",
    "relative_output_stability", "relative_representation_stability", "attribution_stability", "random_logit",
    "efficient_randomization"
]
CounterfactualMetricName = Literal[
    "coverage", "validity", "target_confidence", "proximity", "sparsity", "diversity", "dpp_diversity",
    "distinct_changes", "nearest_distance", "ynn", "local_outlier_factor", "connectedness", "relative_distance",
    "neighbor_ratio", "trust_score", "im1", "im2", "in_domain", "constraint_violation", "causal_consistency", "cost",
    "redundancy", "noise_invalidation", "model_validity", "set_distance", "change_agreement", "discriminative_power",
    "group_gap", "edit_distance"
]
CasebasedMetricName = Literal[
    "correspondence", "mean_correspondence", "expected_calibration_error", "accuracy", "auroc_of_right"
]
DataAttributionMetricName = Literal[
    "linear_datamodeling_score", "leave_one_out_correlation", "class_detection", "subclass_detection", "class_auroc",
    "class_recall", "mislabeling_detection", "shortcut_detection", "mixed_datasets", "top_k_cardinality",
    "attribution_randomization", "mean_reciprocal_rank", "hit_at_k", "recall_at_k", "tail_patch", "brittleness"
]
GraphMetricName = Literal[
    "pos_fidelity", "neg_fidelity", "characterization", "robust_pos_fidelity", "robust_neg_fidelity",
    "robust_fidelity_delta", "robust_pos_probability", "robust_neg_probability", "robust_probability_delta",
    "fidelity_auc", "unfaithfulness", "accuracy", "recall", "precision", "f1_score", "auroc", "average_precision",
    "jaccard", "size", "sparsity", "entropy", "component_share", "component_ratio", "components_per_node", "edit_size"
]
PairMetricName = Literal[
    "ec_local", "ec_global", "ec_acc", "ec_corr", "ec_kappa", "pa_acc", "pa_kappa", "pa_cramers_v", "ec_matthews",
    "pa_disagreement", "pa_nmi"
]
AllRunsMetricName = Literal["fleiss_kappa", "krippendorff_alpha", "gwet_ac1"]
RegressionMetricName = Literal[
    "ec_ratio", "ec_ratio_signed", "ec_ratio_diff", "ec_ratio_diff_signed", "concordance", "pearson", "mae"
]
Layout = Literal[
    "tabular", "time-series", "time_series", "channels-last", "channels_last", "channels-first", "channels_first"
]
Activation = Literal["none", "softmax", "sigmoid", "log-softmax", "log_softmax"]
Similarity = Literal["ssim", "spearman", "pearson", "jaccard"]
ClassDistribution = Literal["flat", "balanced", "uniform", "exponential", "multimodal", "multi-modal", "step"] | str
CounterfactualDistance = Literal["gower", "mad", "heom", "manhattan", "euclidean", "squared-euclidean", "squared_euclidean", "chebyshev", "mahalanobis", "changed"]
Distance = Literal["euclidean", "squared-euclidean", "squared_euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "canberra", "braycurtis", "bray-curtis", "hamming"] | str | Literal["mahalanobis"]
Removal = Literal["weight", "remove"]
ReturnType = Literal["logits", "raw", "probs", "log-probs", "log_probs"]


class DataAttributionInputs(TypedDict, total=False):
    train_labels: Any
    test_classes: Any
    subsets: Any
    outputs: Any
    logits: Any
    targets: Any
    removed: Any
    drops: Any
    relevant: Any
    flags: Any
    log_prob: Any
    ks: Any
    keep: Any


class SearchParameters(TypedDict, total=False):
    k: Int
    distance: Literal["euclidean", "squared-euclidean", "squared_euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "canberra", "braycurtis", "bray-curtis", "hamming"] | str
    engine: Literal["auto", "brute-force", "brute_force", "brute", "kd-tree", "kd_tree", "hnsw"] | str


class SweepParameters(TypedDict, total=False):
    removal: Literal["weight", "remove"]
    undirected: Bool
    return_type: Literal["logits", "raw", "probs", "log-probs", "log_probs"]
    output_distribution: Literal["categorical", "bernoulli"]
    kl_direction: Literal["forward", "reverse"]


class RobustFidelityParameters(TypedDict, total=False):
    alpha_pos: Float
    alpha_neg: Float
    n_draws: Int
    seed: Int
    removal: Literal["weight", "remove"]
    undirected: Bool


class ExplainerParameters(TypedDict, total=False):
    k: Int
    distance: Literal["euclidean", "squared-euclidean", "squared_euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "correlation", "canberra", "braycurtis", "bray-curtis", "hamming"] | str | Literal["mahalanobis"]
    engine: Literal["auto", "brute-force", "brute_force", "brute", "kd-tree", "kd_tree", "hnsw"] | str
    scale: Bool
    weighting: Literal["inverse-cube", "inverse_cube", "uniform"] | str | Mapping[str, Any] | Callable[[Any], Any]
    high: Float
    medium: Float
    aggregate_only: Literal["off"] | Int


class CorrespondenceParameters(TypedDict, total=False):
    weighting: Literal["inverse-cube", "inverse_cube", "uniform"] | str | Mapping[str, Any] | Callable[[Any], Any]
    high: Float
    medium: Float


class AuditParameters(TypedDict, total=False):
    n_least_supported: Int


class CharacterizationParameters(TypedDict, total=False):
    pos_weight: Float
    neg_weight: Float


class UnfaithfulnessParameters(TypedDict, total=False):
    return_type: Literal["logits", "raw", "probs", "log-probs", "log_probs"]
    output_distribution: Literal["categorical", "bernoulli"]
    kl_direction: Literal["forward", "reverse"]


class GroundTruthParameters(TypedDict, total=False):
    threshold: Float
    selection: Int | Literal["threshold", "truth-size", "truth_size"]
    zero_division: Literal["undefined", "zero", 0, "one", 1]
    logits: Bool


class MaskPropertiesParameters(TypedDict, total=False):
    threshold: Float


class PairwiseParameters(TypedDict, total=False):
    empty_union: Literal["undefined", "nan", "zero", 0, "one", 1, "drop", "error"]


class IntervalParameters(TypedDict, total=False):
    interval: Literal["jackknife", "bca"]
    n_replicates: Int
    seed: Int


class CompareGroupsParameters(TypedDict, total=False):
    empty_union: Literal["undefined", "nan", "zero", 0, "one", 1, "drop", "error"]
    n_assignments: Int
    seed: Int


class ClassDistributionParameters(TypedDict, total=False):
    reversed: Bool
    seed: Int


class SimulatePredictionsParameters(TypedDict, total=False):
    error_set: Literal["fixed", "variable"]
    copied: Literal["independent"] | Float


class StudyParameters(TypedDict, total=False):
    seed: Int
    n_samples: Int
    n_runs: Int
    max_classes: Int
