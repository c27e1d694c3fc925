"""Metrics of training-data attribution, which ``__getattr__`` of the package creates. Written by ``cargo xtask stubs``; do not edit."""

from typing import Any, Literal

from ..._types import Int
from ._values import AttributionValue, Brittleness, Cardinality, Mislabeling

__all__: list[str] = [
    "linear_datamodeling_score", "leave_one_out_correlation", "class_detection", "subclass_detection", "class_auroc",
    "class_recall", "mislabeling_detection", "shortcut_detection", "mixed_datasets", "top_k_cardinality",
    "attribution_randomization", "mean_reciprocal_rank", "hit_at_k", "recall_at_k", "tail_patch", "brittleness"
]

def linear_datamodeling_score(
    attributions: Any, subsets: Any, outputs: Any = None, *, logits: Any = None, targets: Any = None, keep: Any = None,
    correlation: Literal["spearman", "pearson", "kendall"] = "spearman", n_jobs: int | None = None
) -> AttributionValue:
    """Rank correlation of summed attributions and outputs of models trained on subsets."""

def leave_one_out_correlation(
    attributions: Any, removed: Any, drops: Any, *, keep: Any = None,
    correlation: Literal["spearman", "pearson", "kendall"] = "pearson", n_jobs: int | None = None
) -> AttributionValue:
    """Correlation of attributions and output drops when single training rows are left out."""

def class_detection(
    attributions: Any, train_labels: Any, test_classes: Any, *, keep: Any = None, k: Int = 1, n_jobs: int | None = None
) -> AttributionValue:
    """Share of the top-k training rows with the class of the test row."""

def subclass_detection(
    attributions: Any, train_labels: Any, test_classes: Any, *, keep: Any = None, k: Int = 1, n_jobs: int | None = None
) -> AttributionValue:
    """Share of the top-k training rows with the subclass of the test row."""

def class_auroc(
    attributions: Any, train_labels: Any, test_classes: Any, *, keep: Any = None, n_jobs: int | None = None
) -> AttributionValue:
    """Probability that a training row of the test row's class has a larger attribution than one of another class (AUROC)."""

def class_recall(
    attributions: Any, train_labels: Any, test_classes: Any, *, keep: Any = None, n_jobs: int | None = None
) -> AttributionValue:
    """Share of the test row's class among as many top training rows as the class has."""

def mislabeling_detection(scores: Any, flags: Any, *, n_jobs: int | None = None) -> Mislabeling:
    """Probability that a mislabeled training row scores above a correctly labeled one (AUROC)."""

def shortcut_detection(
    attributions: Any, flags: Any, *, keep: Any = None, n_jobs: int | None = None
) -> AttributionValue:
    """Average precision of the attributions for finding training rows with the shortcut."""

def mixed_datasets(
    attributions: Any, flags: Any, *, keep: Any = None, n_jobs: int | None = None
) -> AttributionValue:
    """Average precision of the attributions for finding the adversarial training rows."""

def top_k_cardinality(attributions: Any, *, keep: Any = None, k: Int = 1, n_jobs: int | None = None) -> Cardinality:
    """Share of distinct training rows among the top-k attributions of all test rows."""

def attribution_randomization(
    attributions: Any, random_attributions: Any, *, keep: Any = None,
    correlation: Literal["spearman", "pearson", "kendall"] = "spearman", n_jobs: int | None = None
) -> AttributionValue:
    """Similarity of the attributions of the trained model and of a randomized model."""

def mean_reciprocal_rank(
    attributions: Any, relevant: Any, *, keep: Any = None, n_jobs: int | None = None
) -> AttributionValue:
    """Reciprocal rank of the first relevant training row."""

def hit_at_k(
    attributions: Any, relevant: Any, *, keep: Any = None, k: Int = 10, n_jobs: int | None = None
) -> AttributionValue:
    """Whether a relevant training row is among the k largest attributions."""

def recall_at_k(
    attributions: Any, relevant: Any, *, keep: Any = None, k: Int = 10, n_jobs: int | None = None
) -> AttributionValue:
    """Share of the relevant training rows among the k largest attributions."""

def tail_patch(
    log_prob: Any, log_prob_after: Any, *,
    scale: Literal["probability", "log-probability", "log_probability"] = "probability", n_jobs: int | None = None
) -> AttributionValue:
    """Mean rise of the target's probability after one training step on a top training row."""

def brittleness(ks: Any, predictions: Any, *, n_jobs: int | None = None) -> Brittleness:
    """Median number of top training rows to leave out before the prediction changes."""
