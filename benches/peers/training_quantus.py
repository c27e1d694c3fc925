"""Attributions to training cases: quanda."""
import numpy as np
import torch

from absent import bare, stand_for
from compare import Peer, close

stand_for("datasets", "lightning", "transformers", "kronfluence", "trak", "annoy", "torchvision", "tiktoken", "dattri", "yaml")
bare("quanda", "quanda.explainers", "quanda.metrics")
from quanda.metrics.downstream_eval.class_detection import ClassDetectionMetric  # noqa: E402
from quanda.metrics.downstream_eval.mislabeling_detection import MislabelingDetectionMetric  # noqa: E402
from quanda.metrics.downstream_eval.mrr import MRRMetric  # noqa: E402
from quanda.metrics.downstream_eval.recall_at_k import RecallAtKMetric  # noqa: E402
from quanda.metrics.downstream_eval.shortcut_detection import ShortcutDetectionMetric  # noqa: E402
from quanda.metrics.ground_truth.linear_datamodeling import LinearDatamodelingMetric  # noqa: E402
from quanda.metrics.heuristics.mixed_datasets import MixedDatasetsMetric  # noqa: E402
from quanda.metrics.heuristics.model_randomization import ModelRandomizationMetric  # noqa: E402
from quanda.metrics.heuristics.top_k_cardinality import TopKCardinalityMetric  # noqa: E402
from quanda.utils.functions.correlations import correlation_functions  # noqa: E402

VERSIONS = ["quanda", "torchmetrics", "torch", "numpy"]
N_TEST, N_TRAIN, CLASSES, SUBSETS = 1000, 50_000, 10, 100


class Model(torch.nn.Module):
    """No model: its outputs are given."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1))


class Given:
    """An explainer whose attributions are given."""

    def __init__(self, attributions):
        self.attributions = attributions

    def explain(self, test_data, targets):
        return self.attributions


def quanda(data):
    """Attributions that know the class, with tails as influences have them."""
    rng = data.rng
    labels, classes = rng.integers(0, CLASSES, N_TRAIN), rng.integers(0, CLASSES, N_TEST)
    tau = rng.standard_t(3, (N_TEST, N_TRAIN)).astype("float32") + (labels == classes[:, None]).astype("float32")
    other = rng.standard_t(3, tau.shape).astype("float32")
    # Of one class, as the peer asks.
    flags = (labels == 1) & (rng.random(N_TRAIN) < 0.5)
    relevant = rng.random(tau.shape) < 0.001
    subsets = [np.sort(rng.permutation(N_TRAIN)[: N_TRAIN // 2]) for _ in range(SUBSETS)]
    logits = rng.standard_normal((SUBSETS, N_TEST, CLASSES)).astype("float32")
    chosen = np.take_along_axis(logits, classes[None, :, None], 2)[..., 0]
    rest = np.where(np.arange(CLASSES) == classes[:, None], -np.inf, logits)
    outputs = chosen - torch.logsumexp(torch.from_numpy(rest), 2).numpy()
    # Far apart, for the peer adds 1e-4 of the index of each.
    scores = 100.0 * rng.permutation(N_TRAIN) + 50.0 * flags
    cases = [(torch.zeros(1), int(label)) for label in labels]
    t, o, c, r = map(torch.from_numpy, (tau, other, classes, relevant))
    marked = np.flatnonzero(flags).tolist()

    def class_detection():
        metric = ClassDetectionMetric(Model(), cases, s=5)
        metric.update(t, c)
        return torch.cat(metric.scores).numpy()

    def datamodeling():
        given = dict(subset_ids=[of.tolist() for of in subsets], subset_ckpt_filenames=[""] * SUBSETS, m=SUBSETS)
        metric = LinearDatamodelingMetric(Model(), cases, correlation_fn="spearman", **given)
        of_subsets = {j: torch.from_numpy(of) for j, of in enumerate(logits)}
        metric.update(t, test_targets=c, test_data=None, subset_logits=of_subsets)
        return torch.cat(metric.results["scores"]).numpy()

    def shortcut():
        metric = ShortcutDetectionMetric(
            Model(), cases, marked, 1, filter_by_non_shortcut=False, filter_by_shortcut_pred=False
        )
        metric.update(t)
        return np.array([float(of) for of in metric.auprc_scores])

    def mixed():
        metric = MixedDatasetsMetric(Model(), cases, flags.astype(int).tolist())
        metric.update(t)
        return np.array([float(of) for of in metric.auprc_scores])

    def cardinality():
        metric = TopKCardinalityMetric(Model(), cases, top_k=5)
        metric.update(t)
        return [metric.compute()["score"]]

    def randomization():
        metric = object.__new__(ModelRandomizationMetric)
        metric.device, metric.results, metric.corr_measure = "cpu", {"scores": []}, correlation_functions["spearman"]
        metric.rand_explainer = Given(o)
        metric.update(t, torch.zeros(N_TEST, 1))
        return torch.cat(metric.results["scores"]).numpy()

    def reciprocal_rank():
        metric = MRRMetric(Model(), cases)
        metric.update(t, r)
        return torch.cat(metric.reciprocal_ranks).numpy()

    def hit():
        metric = RecallAtKMetric(Model(), cases, k=10)
        metric.update(t, r)
        return torch.cat(metric.recalls).numpy()

    def mislabeling():
        suspicious = torch.from_numpy(scores).float()
        metric = MislabelingDetectionMetric(Model(), cases, marked, precomputed_self_influence=suspicious)
        # Its curve has no first step from (0, 0).
        return [metric.compute()["score"] + 0.5 * float(flags[scores.argmax()]) / flags.sum() / N_TRAIN]

    from xai_metrics.casebased import data_attribution as ours

    values = lambda of: np.asarray(of.per_sample)
    peers = []
    for name, theirs, own, tolerance in [
        ("class_detection", class_detection, lambda: values(ours.class_detection(tau, labels, classes, k=5)), 1e-6),
        ("datamodeling", datamodeling, lambda: values(ours.linear_datamodeling_score(tau, subsets, outputs)), 1e-2),
        ("shortcut_detection", shortcut, lambda: values(ours.shortcut_detection(tau, flags)), 1e-4),
        ("mixed_datasets", mixed, lambda: values(ours.mixed_datasets(tau, flags)), 1e-4),
        ("top_k_cardinality", cardinality, lambda: [ours.top_k_cardinality(tau, k=5).value], 1e-6),
        ("model_randomization", randomization, lambda: values(ours.attribution_randomization(tau, other)), 1e-4),
        ("reciprocal_rank", reciprocal_rank, lambda: values(ours.mean_reciprocal_rank(tau, relevant)), 1e-6),
        ("hit_at_k", hit, lambda: values(ours.hit_at_k(tau, relevant, k=10)), 1e-6),
        ("mislabeling_detection", mislabeling, lambda: [ours.mislabeling_detection(scores, flags).area], 1e-4),
    ]:
        timed = lambda own=own: lambda: {"values": own()}
        data.package[name] = (timed, 1)
        compare = lambda answer, of, tolerance=tolerance: close(answer, of("values"), 0.0, tolerance)
        peers.append(Peer(f"quanda {name}", theirs, 1, {name: compare}, slow=True))
    return peers


WORKLOADS = {"quanda": quanda}
