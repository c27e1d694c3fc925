"""Metrics of counterfactuals, which ``__getattr__`` of the package creates. Written by ``cargo xtask stubs``; do not edit."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .._types import Bool, Float, Int, Listed
from ._schema import Schema
from ._values import CounterfactualValue, CoverageValue

__all__: list[str] = [
    "coverage", "validity", "target_confidence", "proximity", "sparsity", "diversity", "dpp_diversity",
    "distinct_changes", "nearest_distance", "ynn", "local_outlier_factor", "connectedness", "relative_distance",
    "neighbor_ratio", "trust_score", "im1", "im2", "in_domain", "constraint_violation", "causal_consistency", "cost",
    "redundancy", "noise_invalidation", "model_validity", "set_distance", "change_agreement", "discriminative_power"
]

def coverage(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, score: Literal["value", "success", "fill"] = "value",
    n_jobs: int | None = None
) -> CoverageValue:
    """Share of the queries that have a counterfactual."""

def validity(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, distinct: Bool = False, n_jobs: int | None = None
) -> CounterfactualValue:
    """Share of a query's counterfactuals that the model assigns to the wanted class."""

def target_confidence(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, score: Literal["value", "gain"] = "value",
    rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean", n_jobs: int | None = None
) -> CounterfactualValue:
    """Probability of the target class at the counterfactual."""

def proximity(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None,
    distance: Literal["gower", "mad", "heom", "manhattan", "euclidean", "squared-euclidean", "squared_euclidean", "chebyshev", "mahalanobis", "changed"] = "gower",
    zero_scale: Literal["undefined", "one", "skip"] = "undefined", scale: Literal["sum", "mean"] = "sum",
    rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean", n_jobs: int | None = None
) -> CounterfactualValue:
    """Distance between a query and its counterfactual."""

def sparsity(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, score: Literal["share", "count"] = "share",
    tolerance: Float = 0.0, rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean",
    n_jobs: int | None = None
) -> CounterfactualValue:
    """Share of the features that a counterfactual changes."""

def diversity(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None,
    distance: Literal["gower", "mad", "heom", "manhattan", "euclidean", "squared-euclidean", "squared_euclidean", "chebyshev", "mahalanobis", "changed"] = "gower",
    zero_scale: Literal["undefined", "one", "skip"] = "undefined", scale: Literal["sum", "mean"] = "sum",
    rows: Literal["valid", "all"] = "valid", n_jobs: int | None = None
) -> CounterfactualValue:
    """Mean distance between the counterfactuals of a query."""

def dpp_diversity(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None,
    distance: Literal["gower", "mad", "heom", "manhattan", "euclidean", "squared-euclidean", "squared_euclidean", "chebyshev", "mahalanobis", "changed"] = "gower",
    zero_scale: Literal["undefined", "one", "skip"] = "undefined", scale: Literal["sum", "mean"] = "sum",
    rows: Literal["valid", "all"] = "valid", n_jobs: int | None = None
) -> CounterfactualValue:
    """Determinant of the similarities of a query's counterfactuals."""

def distinct_changes(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None,
    score: Literal["feature-sets", "feature_sets", "rows", "jaccard"] = "feature-sets",
    rows: Literal["valid", "all"] = "valid", n_jobs: int | None = None
) -> CounterfactualValue:
    """Share of a query's counterfactuals that change other features than the rest."""

def nearest_distance(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, k: Int = 5, among: Literal["class", "all"] = "class",
    reduce: Literal["mean", "last"] = "mean",
    distance: Literal["gower", "mad", "heom", "manhattan", "euclidean", "squared-euclidean", "squared_euclidean", "chebyshev", "mahalanobis", "changed"] = "gower",
    zero_scale: Literal["undefined", "one", "skip"] = "undefined", scale: Literal["sum", "mean"] = "sum",
    rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean", n_jobs: int | None = None
) -> CounterfactualValue:
    """Mean distance of a counterfactual to its nearest training rows."""

def ynn(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, k: Int = 5,
    distance: Literal["gower", "mad", "heom", "manhattan", "euclidean", "squared-euclidean", "squared_euclidean", "chebyshev", "mahalanobis", "changed"] = "gower",
    zero_scale: Literal["undefined", "one", "skip"] = "undefined", scale: Literal["sum", "mean"] = "sum",
    rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean", n_jobs: int | None = None
) -> CounterfactualValue:
    """Share of the nearest training rows with the class of the counterfactual."""

def local_outlier_factor(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, k: Int = 20, score: Literal["lof", "inlier"] = "lof",
    threshold: Float = 1.5, epsilon: Float = 0.0,
    distance: Literal["gower", "mad", "heom", "manhattan", "euclidean", "squared-euclidean", "squared_euclidean", "chebyshev", "mahalanobis", "changed"] = "gower",
    zero_scale: Literal["undefined", "one", "skip"] = "undefined", scale: Literal["sum", "mean"] = "sum",
    rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean", n_jobs: int | None = None
) -> CounterfactualValue:
    """Local sparsity of the training data around a counterfactual relative to its neighbours."""

def connectedness(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, quantile: Float = 0.9,
    radius: Literal["quantile"] | Float = "quantile", min_size: Int = 2,
    distance: Literal["gower", "mad", "heom", "manhattan", "euclidean", "squared-euclidean", "squared_euclidean", "chebyshev", "mahalanobis", "changed"] = "gower",
    zero_scale: Literal["undefined", "one", "skip"] = "undefined", scale: Literal["sum", "mean"] = "sum",
    rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean", n_jobs: int | None = None
) -> CounterfactualValue:
    """Share of the counterfactuals that lie near a connected group of training rows of their class."""

def relative_distance(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None,
    distance: Literal["gower", "mad", "heom", "manhattan", "euclidean", "squared-euclidean", "squared_euclidean", "chebyshev", "mahalanobis", "changed"] = "gower",
    zero_scale: Literal["undefined", "one", "skip"] = "undefined", scale: Literal["sum", "mean"] = "sum",
    rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean", n_jobs: int | None = None
) -> CounterfactualValue:
    """Distance of a counterfactual relative to that of the nearest training row of the wanted class."""

def neighbor_ratio(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None,
    distance: Literal["gower", "mad", "heom", "manhattan", "euclidean", "squared-euclidean", "squared_euclidean", "chebyshev", "mahalanobis", "changed"] = "gower",
    zero_scale: Literal["undefined", "one", "skip"] = "undefined", scale: Literal["sum", "mean"] = "sum",
    rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean", n_jobs: int | None = None
) -> CounterfactualValue:
    """Distance of a counterfactual to its class relative to the distance of that class to others."""

def trust_score(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, k: Int = 1,
    score: Literal["share", "ratio"] = "share", reduce: Literal["mean", "last"] = "last",
    distance: Literal["gower", "mad", "heom", "manhattan", "euclidean", "squared-euclidean", "squared_euclidean", "chebyshev", "mahalanobis", "changed"] = "gower",
    zero_scale: Literal["undefined", "one", "skip"] = "undefined", scale: Literal["sum", "mean"] = "sum",
    rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean", n_jobs: int | None = None
) -> CounterfactualValue:
    """Distance to the nearest other class relative to that to the own class."""

def im1(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, epsilon: Float = 0.0,
    rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean", n_jobs: int | None = None
) -> CounterfactualValue:
    """Reconstruction error by the target class's autoencoder relative to that by the query class's."""

def im2(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, epsilon: Float = 0.0,
    rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean", n_jobs: int | None = None
) -> CounterfactualValue:
    """Difference between the reconstructions by the target class's autoencoder and by that of all data."""

def in_domain(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, score: Literal["rows", "features"] = "rows",
    rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean", n_jobs: int | None = None
) -> CounterfactualValue:
    """Share of the counterfactuals whose values are all possible."""

def constraint_violation(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, score: Literal["rows", "count", "features"] = "rows",
    tolerance: Float = 0.0, rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean",
    n_jobs: int | None = None
) -> CounterfactualValue:
    """Share of the counterfactuals that change a feature in a way that it cannot change."""

def causal_consistency(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, tolerance: Float = 0.0,
    rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean", n_jobs: int | None = None
) -> CounterfactualValue:
    """Share of the causal rules that a counterfactual triggers and keeps."""

def cost(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None,
    score: Literal["weighted", "percentile-max", "percentile_max", "percentile-sum", "percentile_sum"] = "weighted",
    rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean", n_jobs: int | None = None
) -> CounterfactualValue:
    """Cost of the changes from a query to its counterfactual."""

def redundancy(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, score: Literal["share", "count"] = "share",
    rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean", n_jobs: int | None = None
) -> CounterfactualValue:
    """Share of the changed features that could go back without another prediction."""

def noise_invalidation(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, rows: Literal["valid", "all"] = "valid",
    over: Literal["mean", "best"] = "mean", n_jobs: int | None = None
) -> CounterfactualValue:
    """Share of noisy copies of a counterfactual that lose its class."""

def model_validity(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, score: Literal["mean", "all"] = "mean",
    rows: Literal["valid", "all"] = "valid", over: Literal["mean", "best"] = "mean", n_jobs: int | None = None
) -> CounterfactualValue:
    """Share of other models that assign a counterfactual to its class."""

def set_distance(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, mode: Literal["mean", "hausdorff"] = "mean",
    distance: Literal["gower", "mad", "heom", "manhattan", "euclidean", "squared-euclidean", "squared_euclidean", "chebyshev", "mahalanobis", "changed"] = "gower",
    zero_scale: Literal["undefined", "one", "skip"] = "undefined", scale: Literal["sum", "mean"] = "sum",
    n_jobs: int | None = None
) -> CounterfactualValue:
    """Distance between two sets of counterfactuals of the same query."""

def change_agreement(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, score: Literal["jaccard", "direction"] = "jaccard",
    n_jobs: int | None = None
) -> CounterfactualValue:
    """Agreement of two methods on which features to change."""

def discriminative_power(
    queries: Any, counterfactuals: Any = None, query: Any = None, *, train: Any = None, train_labels: Any = None,
    class_: Any = None, target: Any = None, predicted: Any = None, valid: Any = None, row_class: Any = None,
    p_target: Any = None, p_target_query: Any = None, others: Any = None, other_query: Any = None,
    input_distance: Any = None, reconstruction_target: Any = None, reconstruction_origin: Any = None,
    reconstruction_all: Any = None, noisy_predictions: Any = None, model_predictions: Any = None,
    schema: Schema | Mapping[Any, Any] | None = None, requested: int | None = None, model: Any = None,
    constraints: Any = None, runs: Any = None, labels: Any = None, k: Int = 5,
    distance: Literal["gower", "mad", "heom", "manhattan", "euclidean", "squared-euclidean", "squared_euclidean", "chebyshev", "mahalanobis", "changed"] = "gower",
    zero_scale: Literal["undefined", "one", "skip"] = "undefined", scale: Literal["sum", "mean"] = "sum",
    rows: Literal["valid", "all"] = "valid", n_jobs: int | None = None
) -> CounterfactualValue:
    """Accuracy of a nearest-neighbour rule that knows only a query and its counterfactuals."""
