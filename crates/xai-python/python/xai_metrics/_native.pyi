"""The kernels, as the modules of this package call them."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__version__: str

_Array = npt.NDArray[Any]
_Floats = npt.NDArray[np.float64]
_Integers = npt.NDArray[np.int64]
_Booleans = npt.NDArray[np.bool_]

def n_threads(n_jobs: int | None = None) -> int: ...
def arrow_columns(values: Any, name: str) -> list[Any]: ...

# casebased

def casebased_correspondence(
    distances: list[float],
    labels: list[int],
    predicted: int,
    kernel: Any,
    class_weights: list[tuple[int, float]],
    thresholds: tuple[float, float],
) -> tuple[float | None, str]: ...
def casebased_weigh(
    weights: npt.NDArray[np.float64],
    labels: npt.NDArray[np.int64],
    predicted: npt.NDArray[np.int64] | None,
    class_weights: list[tuple[int, float]],
    thresholds: tuple[float, float],
    n_jobs: int | None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.int8]]: ...
def casebased_kernel(name: str) -> Any: ...
def casebased_euclidean(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> float: ...
def casebased_distances(
    queries: npt.NDArray[np.float64],
    rows: npt.NDArray[np.float64],
    name: str,
    covariance: npt.NDArray[np.float64] | None,
    n_jobs: int | None,
) -> npt.NDArray[np.float64]: ...

class CasebasedExplainer:
    @staticmethod
    def fit(
        rows: Any,
        labels: npt.NDArray[np.int64],
        choices: dict[str, Any],
        covariance: npt.NDArray[np.float64] | None,
        given: Any,
        n_jobs: int | None,
    ) -> CasebasedExplainer: ...
    @staticmethod
    def load(stored: bytes, n_jobs: int | None) -> CasebasedExplainer: ...
    def save(self) -> bytes: ...
    def explain(
        self,
        samples: Any,
        predicted: npt.NDArray[np.int64] | None,
        k: int | None,
        kernel: Any,
        given: Any,
        n_jobs: int | None,
    ) -> tuple[
        npt.NDArray[np.int64],
        npt.NDArray[np.float64],
        npt.NDArray[np.int64],
        npt.NDArray[np.float64],
        npt.NDArray[np.int8],
        bool,
    ]: ...
    def aggregate(
        self, samples: Any, predicted: npt.NDArray[np.int64] | None, given: Any, n_jobs: int | None
    ) -> list[Any]: ...
    def compare_features(
        self, samples: Any, predicted: npt.NDArray[np.int64] | None, given: Any, n_jobs: int | None
    ) -> list[list[dict[str, Any]]]: ...
    def metadata(self) -> list[tuple[str, dict[str, list[Any]]]]: ...
    def class_weights(self) -> list[tuple[int, float]]: ...
    def info(self) -> dict[str, Any]: ...
    def engine(self) -> str: ...
    def feature_names(self) -> list[str]: ...
    def labels(self) -> npt.NDArray[np.int64]: ...
    def rows(self) -> npt.NDArray[np.float64]: ...
    def shown_features(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]: ...
    def scaling(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None: ...

class CasebasedSearch:
    engine: str
    recall: float | None
    def __init__(
        self,
        rows: Any,
        distance_name: str,
        covariance: npt.NDArray[np.float64] | None,
        engine: Any,
        k: int,
        n_jobs: int | None,
    ) -> None: ...
    def query(
        self, queries: Any, k: int, n_jobs: int | None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]: ...

class CasebasedAudit:
    def __init__(self, n_least_supported: int, first_sample: int) -> None: ...
    def update(
        self,
        predicted: npt.NDArray[np.int64],
        truth: npt.NDArray[np.int64] | None,
        correspondence: npt.NDArray[np.float64],
        levels: npt.NDArray[np.int8],
    ) -> None: ...
    def merge(self, other: CasebasedAudit) -> None: ...
    def finish(self) -> tuple[dict[str, Any], list[Any]]: ...
    def state(self) -> bytes: ...
    @staticmethod
    def of_state(stored: bytes) -> CasebasedAudit: ...

# graph: `_Reading` is return type, distribution and direction; `_Choices` are threshold, selection, k,
# value of undefined statistics, and whether scores are logits; `_Graph` is features, edge index, edge
# weight and batch; `_Edges` are removal and whether directions go together.

_Reading = tuple[str, str, str]
_Choices = tuple[float, str, int, float, bool]
_Graph = tuple[_Array, _Integers, _Array | None, _Integers | None]
_Edges = tuple[str, bool]

class GraphState:
    @staticmethod
    def fidelity(over_graphs: bool) -> GraphState: ...
    @staticmethod
    def unfaithfulness(reading: _Reading, over_graphs: bool) -> GraphState: ...
    @staticmethod
    def ground_truth(choices: _Choices, single: bool, over_graphs: bool) -> GraphState: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> GraphState: ...
    def to_bytes(self) -> bytes: ...
    def update_fidelity(
        self,
        full: _Array,
        kept: _Array,
        complement: _Array,
        target: _Array | None = None,
        index: _Integers | None = None,
        n_jobs: int | None = None,
    ) -> None: ...
    def update_probabilities(
        self,
        full: _Array,
        kept: _Array,
        complement: _Array,
        returns: str,
        target: _Array | None = None,
        index: _Integers | None = None,
        n_jobs: int | None = None,
    ) -> None: ...
    def update_unfaithfulness(
        self, full: _Array, kept: _Array, n_jobs: int | None = None
    ) -> None: ...
    def update_ground_truth(
        self, predicted: _Array, target: _Array, n_jobs: int | None = None
    ) -> None: ...
    def merge(self, other: GraphState) -> None: ...
    def finish(self, n_jobs: int | None = None) -> dict[str, Any]: ...
    def curves(
        self, n_points: int | None = None, n_jobs: int | None = None
    ) -> dict[str, dict[str, Any]]: ...

def graph_micro_intervals(
    states: Sequence[GraphState], n_jobs: int | None = None
) -> list[dict[str, Any]]: ...
def graph_fidelity(
    full: _Array,
    kept: _Array,
    complement: _Array,
    target: _Array | None = None,
    index: _Integers | None = None,
    n_jobs: int | None = None,
) -> dict[str, Any]: ...
def graph_fidelity_by_probability(
    full: _Array,
    kept: _Array,
    complement: _Array,
    returns: str,
    target: _Array | None = None,
    index: _Integers | None = None,
    n_jobs: int | None = None,
) -> dict[str, Any]: ...
def graph_characterization(
    pos_fidelity: _Floats, neg_fidelity: _Floats, pos_weight: float, neg_weight: float
) -> _Floats: ...
def graph_fidelity_curve_auc(pos_fidelity: _Floats, neg_fidelity: _Floats, x: _Floats) -> float: ...
def graph_unfaithfulness(
    full: _Array,
    kept: _Array,
    reading: _Reading,
    index: _Integers | None = None,
    n_jobs: int | None = None,
) -> dict[str, Any]: ...
def graph_unfaithfulness_rows(
    full: _Array,
    kept: _Array,
    reading: _Reading,
    index: _Integers | None = None,
    n_jobs: int | None = None,
) -> _Floats: ...
def graph_kl(p: _Floats, q: _Floats, from_logs: bool) -> float: ...
def graph_ground_truth(
    predicted: _Array, target: _Array, choices: _Choices, n_jobs: int | None = None
) -> dict[str, Any]: ...
def graph_best_of_truths(
    predicted: _Array, truths: _Array, choices: _Choices, n_jobs: int | None = None
) -> dict[str, Any]: ...
def graph_per_element(
    predicted: _Array, target: _Array, choices: _Choices, n_jobs: int | None = None
) -> tuple[_Booleans, _Booleans]: ...
def graph_roc_and_pr(
    predicted: _Array,
    target: _Array,
    choices: _Choices,
    n_points: int | None = None,
    n_jobs: int | None = None,
) -> dict[str, dict[str, Any]]: ...
def graph_mask_properties(
    mask: _Array,
    threshold: float,
    edge_index: _Integers | None = None,
    n_nodes: int = 0,
    n_jobs: int | None = None,
) -> dict[str, Any]: ...
def graph_sparsify(
    mask: _Array,
    kind: str,
    level: float,
    edge_index: _Integers | None = None,
    n_jobs: int | None = None,
) -> _Array: ...
def graph_top_k_features(node_mask: _Array, k: int) -> list[int]: ...
def graph_top_k_feature_mask(node_mask: _Array, k: int) -> _Array: ...
def graph_sweep(
    full: _Array,
    kept: _Array,
    complement: _Array,
    levels: _Floats,
    reading: _Reading,
    target: _Array | None = None,
    index: _Integers | None = None,
    n_jobs: int | None = None,
) -> dict[str, Any]: ...
def graph_sweep_model(
    model: Any,
    graph: _Graph,
    mask: _Array,
    kind: str,
    levels: list[float],
    edges: _Edges,
    reading: _Reading,
    target: _Array | None = None,
    index: _Integers | None = None,
    n_jobs: int | None = None,
) -> dict[str, Any]: ...
def graph_robust_fidelity(
    model: Any,
    graph: _Graph,
    explanation: _Array,
    alphas: tuple[float, float],
    n_draws: int,
    seed: int,
    edges: _Edges,
    probabilities: str | None = None,
    target: _Array | None = None,
    index: _Integers | None = None,
    n_jobs: int | None = None,
) -> dict[str, Any]: ...
def graph_explained_outputs(
    model: Any,
    graph: _Graph,
    edge_mask: _Array | None,
    node_mask: _Array | None,
    edges: _Edges,
    n_jobs: int | None = None,
) -> tuple[_Array, _Array, _Array]: ...
def graph_metrics() -> list[dict[str, Any]]: ...

# repro

class ReproPackedRuns:
    @staticmethod
    def of_array(
        metrics: list[str], predictions: _Array, labels: _Integers, n_jobs: int | None = None
    ) -> ReproPackedRuns: ...
    @staticmethod
    def of_runs(
        metrics: list[str], runs: Iterable[_Array], labels: _Integers, n_jobs: int | None = None
    ) -> ReproPackedRuns: ...
    @property
    def n_runs(self) -> int: ...
    @property
    def n_samples(self) -> int: ...
    @property
    def classes(self) -> list[int]: ...

class ReproErrorSets:
    def __init__(self, packed: ReproPackedRuns) -> None: ...
    def accuracy(self) -> _Floats: ...
    def always_wrong(self) -> _Integers: ...
    def ever_wrong(self) -> _Integers: ...
    def n_always_and_ever_wrong(self) -> tuple[int, int]: ...
    def leave_one_out_consistency(self) -> _Floats: ...

class ReproPairwiseState:
    def __init__(self, metrics: list[str], empty_union: str) -> None: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> ReproPairwiseState: ...
    def to_bytes(self) -> bytes: ...
    def update(self, predictions: _Array, labels: _Integers, n_jobs: int | None = None) -> None: ...
    def merge(self, other: ReproPairwiseState) -> None: ...
    @property
    def n_runs(self) -> int: ...
    @property
    def n_samples(self) -> int: ...
    def finish(
        self, metrics: list[str], n_jobs: int | None = None
    ) -> tuple[list[_Floats], dict[str, Any]]: ...

class ReproStudy:
    @staticmethod
    def simulate(
        first: int,
        last: int,
        seed: int,
        n_samples: int,
        n_runs: int,
        max_classes: int,
        n_jobs: int | None = None,
    ) -> ReproStudy: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> ReproStudy: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_csv(text: bytes) -> ReproStudy: ...
    def to_csv(self) -> bytes: ...
    def __len__(self) -> int: ...
    def followed_by(self, other: ReproStudy) -> ReproStudy: ...
    def draws(self) -> list[dict[str, Any]]: ...
    def summary(self, n_jobs: int | None) -> dict[str, Any]: ...
    def profiles(self, n_bins: int) -> list[dict[str, Any]]: ...

def repro_pairwise(
    packed: ReproPackedRuns, metrics: list[str], empty_union: str, n_jobs: int | None = None
) -> tuple[list[_Floats], ReproErrorSets]: ...
def repro_summaries(
    packed: ReproPackedRuns,
    metrics: list[str],
    empty_union: str,
    level: float,
    n_jobs: int | None = None,
) -> tuple[list[tuple[dict[str, Any], dict[str, Any] | None]], ReproErrorSets]: ...
def repro_pair_summary(n_runs: int, values: _Floats) -> dict[str, Any]: ...
def repro_pair_interval(
    n_runs: int,
    values: _Floats,
    statistic: str,
    quantile: float,
    method: str,
    n_replicates: int,
    seed: int,
    level: float,
    n_jobs: int | None = None,
) -> dict[str, Any] | None: ...
def repro_wilson(successes: int, n: int, level: float) -> dict[str, Any]: ...
def repro_metrics() -> list[dict[str, Any]]: ...
def repro_agreement(packed: ReproPackedRuns, n_jobs: int | None = None) -> dict[str, Any]: ...
def repro_agreement_interval(
    packed: ReproPackedRuns,
    coefficient: str,
    method: str,
    n_replicates: int,
    seed: int,
    level: float,
    n_jobs: int | None = None,
) -> dict[str, Any] | None: ...
def repro_gwet_ac2(
    predictions: _Array,
    weights: str,
    matrix: _Floats | None = None,
    n_jobs: int | None = None,
) -> float | None: ...
def repro_sample_consistency(predictions: _Array, n_jobs: int | None = None) -> dict[str, Any]: ...
def repro_votes(predictions: _Array, sample: int) -> list[tuple[int, int]]: ...
def repro_compare(
    first: _Array,
    second: _Array,
    labels: _Integers,
    metrics: list[str],
    empty_union: str,
    n_assignments: int,
    seed: int,
    n_jobs: int | None = None,
) -> list[dict[str, Any]]: ...
def repro_regression(
    predictions: _Array, targets: _Array, n_jobs: int | None = None
) -> tuple[list[_Floats], _Floats]: ...
def repro_class_distribution(
    kind: str, n_classes: int, lowest: float, seed: int, item: int
) -> _Floats: ...
def repro_labels(
    probabilities: _Floats, n_samples: int, every_class: bool, seed: int, item: int
) -> _Integers: ...
def repro_predictions(
    labels: npt.NDArray[np.uint32],
    n_runs: int,
    error_probabilities: _Floats,
    max_error_share: float,
    error_set: str,
    copied: float | None,
    seed: int,
    item: int,
) -> _Integers: ...
def repro_study_metrics() -> list[str]: ...
def repro_mean_metrics(
    predictions: _Array, labels: _Integers, n_jobs: int | None = None
) -> dict[str, Any]: ...

# attribution

def attribution_metrics() -> list[dict[str, Any]]: ...
def attribution_check_metric(name: str, options: list[tuple[str, str]]) -> None: ...
def attribution_evaluate(
    request: dict[str, Any], n_jobs: int | None = None
) -> AttributionValues: ...
def attribution_measure(
    request: dict[str, Any], n_jobs: int | None = None
) -> list[dict[str, Any]]: ...
def attribution_scores(
    request: dict[str, Any], n_jobs: int | None = None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64] | None]: ...
def attribution_of_scores(
    metric: str, policy: str, base: npt.NDArray[np.float64], masked: npt.NDArray[np.float64]
) -> tuple[float, npt.NDArray[np.float64]]: ...
def attribution_activated(outputs: Any, activation: str) -> npt.NDArray[np.float64]: ...
def attribution_mask_inputs(
    inputs: Any, maps: Any, layout: str | None = None, n_jobs: int | None = None
) -> npt.NDArray[Any]: ...
def attribution_similarity(
    a: Any, b: Any, similarity: str, layout: str, n_jobs: int | None = None
) -> npt.NDArray[np.float64]: ...
def attribution_smoothed(
    explainer: Any,
    inputs: Any,
    targets: Any,
    n_copies: int,
    magnitude: float,
    seed: int,
    n_jobs: int | None = None,
) -> npt.NDArray[np.float64]: ...
def attribution_model_randomization(
    request: dict[str, Any],
    explainer_of: Any,
    n_layers: int,
    order: str,
    similarity: str,
    n_jobs: int | None = None,
) -> dict[str, Any]: ...
def attribution_representativity(
    maps: list[Any],
    predictions: npt.NDArray[np.int64],
    labels: npt.NDArray[np.int64],
    layout: str,
    held_out_by: list[int] | None,
    peer_thresholds: bool,
    n_jobs: int | None = None,
) -> dict[str, Any]: ...

class AttributionValues:
    n_samples: int
    explainers: list[str]
    metrics: list[str]
    model_calls: tuple[int, int]
    def per_sample(self, metric: str) -> npt.NDArray[np.float64]: ...
    def curves(self, metric: str) -> list[tuple[Any, Any] | None]: ...
    def merged(self, next: AttributionValues) -> AttributionValues: ...
    def table(
        self, level: float, replicates: int, seed: int, n_jobs: int | None = None
    ) -> dict[str, Any]: ...
