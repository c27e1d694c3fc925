"""Explainers of PyTorch Geometric, and what looks like them."""

from __future__ import annotations

import math
from enum import Enum
from types import SimpleNamespace

import numpy as np
import pytest
from xai_metrics import graph
from xai_metrics.compat.torch_geometric import explain

EDGES = np.array([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])


class Mode(Enum):
    multiclass_classification = "multiclass_classification"
    binary_classification = "binary_classification"
    regression = "regression"


class Kind(Enum):
    model = "model"
    phenomenon = "phenomenon"


class Explanation(dict):
    """Answers as PyTorch Geometric's does."""

    _model_args = ("scale",)

    def __getattr__(self, name):
        return self[name]


class Explainer:
    """Answers as PyTorch Geometric's does: the outputs are the masked features."""

    def __init__(self, mode="multiclass_classification", kind="model", return_type="raw"):
        self.model_config = SimpleNamespace(mode=Mode(mode), return_type=return_type)
        self.explanation_type = Kind(kind)
        self.node_mask_type = "attributes"

    def get_prediction(self, x, edge_index, scale):
        return self.form(x * scale)

    def get_masked_prediction(self, x, edge_index, node_mask, edge_mask, scale):
        return self.form(x * scale if node_mask is None else x * node_mask * scale)

    def form(self, outputs):
        if self.model_config.return_type == "raw":
            return outputs
        probs = np.exp(outputs) / np.exp(outputs).sum(axis=1, keepdims=True)
        return probs if self.model_config.return_type == "probs" else np.log(probs)

    def get_target(self, outputs):
        if self.model_config.mode is Mode.binary_classification:
            return (outputs > 0).astype(np.int64).reshape(-1)
        return outputs.argmax(axis=-1)


def explained(explainer, seed=0, columns=4, **more):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(8, columns))
    given = {"x": x, "edge_index": EDGES, "node_mask": rng.random(x.shape), "scale": 2.0, **more}
    given.setdefault("target", explainer.get_target(x))
    return Explanation(given)


def peers_fidelity(explainer, explanation):
    """The peer's definition, by NumPy."""
    at = explanation.get("index", slice(None))
    x, mask, scale = explanation.x, explanation.node_mask, explanation.scale
    labels = {
        name: np.atleast_1d(explainer.get_target(explainer.form(rows))[at])
        for name, rows in {
            "full": x * scale,
            "kept": x * mask * scale,
            "complement": x * (1 - mask) * scale,
        }.items()
    }
    y = np.atleast_1d(explanation.target[at])
    if explainer.explanation_type is Kind.model:
        return (labels["complement"] != y).mean(), (labels["kept"] != y).mean()
    right = (labels["full"] == y).astype(float)
    return tuple(np.abs(right - (labels[part] == y)).mean() for part in ("complement", "kept"))


@pytest.mark.parametrize("kind", ["model", "phenomenon"])
@pytest.mark.parametrize("mode", ["multiclass_classification", "binary_classification"])
@pytest.mark.parametrize("index", [None, np.arange(4), 3])
@pytest.mark.parametrize("seed", range(5))
def test_fidelity(kind, mode, index, seed):
    explainer = Explainer(mode, kind)
    columns = 1 if mode == "binary_classification" else 4
    more = {} if index is None else {"index": index}
    if kind == "phenomenon":
        more["target"] = np.random.default_rng(seed + 99).integers(0, max(columns, 2), 8)
    explanation = explained(explainer, seed, columns, **more)
    ours = explain.fidelity(explainer, explanation)
    assert ours == pytest.approx(peers_fidelity(explainer, explanation))
    assert isinstance(ours, tuple) and all(type(score) is float for score in ours)


def softmax(rows):
    return np.exp(rows) / np.exp(rows).sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("return_type", ["raw", "probs", "log_probs"])
@pytest.mark.parametrize("top_k", [None, 2])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("index", [None, np.arange(4), 3])
def test_unfaithfulness(return_type, top_k, known, index):
    explainer = Explainer(return_type=return_type)
    explanation = explained(explainer, **({} if index is None else {"index": index}))
    x, mask, scale = explanation.x, explanation.node_mask, explanation.scale
    if known:
        explanation["prediction"] = explainer.form(x * scale)
    if top_k is not None:
        chosen = np.sort(np.argsort(-mask.sum(axis=0))[:top_k])
        assert graph.top_k_features(mask, top_k) == chosen.tolist()
        mask = np.zeros_like(mask)
        mask[:, chosen] = 1
    at = slice(None) if index is None else index
    p, q = softmax(x * scale)[at], softmax(x * mask * scale)[at]
    forward = (p * np.log(p / q)).sum() / (len(p) if p.ndim == 2 else 1)
    ours = explain.unfaithfulness(explainer, explanation, top_k)
    assert type(ours) is float and ours == pytest.approx(1 - math.exp(-forward))
    # The peer's code, with its mean over what it takes for the batch.
    reverse = (q * (np.log(q) - np.log(p))).sum() / len(p)
    compat = explain.unfaithfulness(explainer, explanation, top_k, compat=True)
    assert compat == pytest.approx(1 - math.exp(-reverse))


def test_what_has_no_unfaithfulness():
    regression = Explainer("regression")
    explanation = explained(Explainer())
    for metric in (explain.fidelity, explain.unfaithfulness):
        with pytest.raises(ValueError, match="regression"):
            metric(regression, explanation)
    nodes = Explainer()
    nodes.node_mask_type = "object"
    with pytest.raises(ValueError, match="top_k"):
        explain.unfaithfulness(nodes, explanation, 2)
    with pytest.raises(ValueError, match="top_k"):
        explain.unfaithfulness(Explainer(), explanation, 5)
    without = Explanation(explanation)
    del without["node_mask"]
    assert explain.unfaithfulness(Explainer(), without, 2) == pytest.approx(0, abs=1e-12)


def test_a_single_score_is_a_yes_or_no():
    explainer = Explainer("binary_classification")
    explanation = explained(explainer, columns=1)
    x, mask = explanation.x * 2, explanation.node_mask
    p, q = 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(-x * mask))
    kl = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
    ours = explain.unfaithfulness(explainer, explanation)
    assert ours == pytest.approx(1 - math.exp(-kl.mean()))
    assert explain.unfaithfulness(explainer, explanation, compat=True) == 0.0


def test_the_area_of_one_point_is_an_error_and_in_the_peer_0():
    with pytest.raises(ValueError, match="at least 2"):
        graph.fidelity_curve_auc([0.5], [0.25], [1.0])
    assert explain.fidelity_curve_auc([0.5], [0.25], [1.0]) == 0.0
    with pytest.raises(ValueError, match="neg_fidelity"):
        explain.fidelity_curve_auc([0.5], [1.0], [1.0])


def test_torch_is_not_imported():
    import subprocess
    import sys

    code = (
        "import sys; from xai_metrics.compat.torch_geometric import explain;"
        "explain.groundtruth_metrics([0.4], [1]); explain.characterization_score([0.5], [0.5]);"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_tensors_in_and_out():
    torch = pytest.importorskip("torch")
    pos, neg = torch.tensor([1.0, 0.6, 0.5, 1.0]), torch.tensor([0.0, 0.2, 0.5, 1.0])
    scores = explain.characterization_score(pos, neg, 0.2, 0.8)
    assert scores.dtype == torch.float32 and scores.tolist() == [1.0, 0.75, 0.5, 0.0]
    area = explain.fidelity_curve_auc(pos[:3], neg[:3], torch.tensor([0, 1, 2]))
    assert area.ndim == 0 and area.dtype == torch.float32
    mask = torch.rand(10, requires_grad=True)
    assert explain.groundtruth_metrics(mask, mask.detach() > 0.5)[0] == 1.0
    model = graph.with_tensors(lambda x, edge_index, weight: x * weight[0])
    assert graph.sweep(model, np.eye(3), EDGES % 3, np.ones(6), top_k=[6]).n_samples == 3


@pytest.mark.parametrize("explanation_type", ["model", "phenomenon"])
@pytest.mark.parametrize("return_type", ["raw", "probs", "log_probs"])
def test_the_peer_s_own_numbers(explanation_type, return_type):
    torch = pytest.importorskip("torch")
    peer = pytest.importorskip("torch_geometric.explain")
    torch.manual_seed(0)

    class Model(torch.nn.Module):
        def forward(self, x, edge_index):
            return {"raw": x, "probs": x.softmax(-1), "log_probs": x.log_softmax(-1)}[return_type]

    for _ in range(20):
        x, edge_index = torch.randn(8, 4), torch.from_numpy(EDGES)
        explainer = peer.Explainer(
            Model(),
            algorithm=peer.DummyExplainer(),
            explanation_type=explanation_type,
            node_mask_type="attributes",
            edge_mask_type="object",
            model_config=dict(
                mode="multiclass_classification", return_type=return_type, task_level="node"
            ),
        )
        target = torch.randint(0, 4, (8,)) if explanation_type == "phenomenon" else None
        explanation = explainer(x, edge_index, target=target, index=torch.arange(4))
        ours = explain.fidelity(explainer, explanation)
        assert ours == pytest.approx(peer.fidelity(explainer, explanation), abs=1e-6)
        for top_k in (None, 2):
            ours = explain.unfaithfulness(explainer, explanation, top_k, compat=True)
            peers = peer.unfaithfulness(explainer, explanation, top_k)
            assert ours == pytest.approx(peers, abs=2e-6)
