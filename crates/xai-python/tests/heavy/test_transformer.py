"""A small transformer of integer tokens as an ONNX file: a removed token becomes another one, or is cut out."""

from typing import Any

import numpy as np
import pytest

from xai_metrics.attribution import Comprehensiveness, Deletion, MaskedModel, evaluate

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

PAD, N_TOKENS, WIDTH, LENGTH = 0, 20, 8, 10


def transformer() -> Any:
    """One layer of attention over embeddings, a mean over tokens, and two classes; of any length."""
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(11)
    weights = {
        "table": rng.normal(size=(N_TOKENS, WIDTH)),
        "query": rng.normal(size=(WIDTH, WIDTH)),
        "key": rng.normal(size=(WIDTH, WIDTH)),
        "value": rng.normal(size=(WIDTH, WIDTH)),
        "head": rng.normal(size=(WIDTH, 2)),
        "scale": np.array(WIDTH**-0.5),
    }
    nodes = [
        helper.make_node("Gather", ["table", "tokens"], ["x"]),
        *(helper.make_node("MatMul", ["x", name], [name[0]]) for name in ("query", "key", "value")),
        helper.make_node("Transpose", ["k"], ["kt"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["q", "kt"], ["products"]),
        helper.make_node("Mul", ["products", "scale"], ["scaled"]),
        helper.make_node("Softmax", ["scaled"], ["attention"], axis=-1),
        helper.make_node("MatMul", ["attention", "v"], ["mixed"]),
        helper.make_node("Add", ["x", "mixed"], ["residual"]),
        helper.make_node("ReduceMean", ["residual"], ["mean"], axes=[1], keepdims=0),
        helper.make_node("MatMul", ["mean", "head"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["p"], axis=-1),
    ]
    constants = [numpy_helper.from_array(np.asarray(of, np.float32), name) for name, of in weights.items()]
    inputs = [helper.make_tensor_value_info("tokens", TensorProto.INT64, ["n", "length"])]
    outputs = [helper.make_tensor_value_info("p", TensorProto.FLOAT, ["n", 2])]
    graph = helper.make_graph(nodes, "transformer", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def texts() -> Any:
    return np.random.default_rng(2).integers(1, N_TOKENS, size=(12, LENGTH))


def test_a_removed_token_becomes_the_token_of_the_baseline() -> None:
    session, tokens = transformer(), texts()
    target = session.run(None, {"tokens": tokens})[0].argmax(1)
    maps = np.random.default_rng(4).normal(size=tokens.shape)

    def padded(samples: Any, kept: Any) -> Any:
        return session.run(None, {"tokens": np.where(kept, tokens[samples], PAD)})[0]

    by_masks = MaskedModel(padded, n_features=[LENGTH] * len(tokens))
    for metric in (Deletion(baseline=PAD, steps=None), Comprehensiveness(baseline=PAD)):
        of_tokens = metric.evaluate(session, tokens, target, maps).per_sample
        of_masks = type(metric)(**({"steps": None} if metric.info.name == "deletion" else {})).evaluate(
            by_masks, None, target, maps
        )
        np.testing.assert_allclose(of_tokens, of_masks.per_sample, atol=1e-6)
    explainers = {"occlusion": ("occlusion", {"baseline": PAD}), "random": "random"}
    table = evaluate(session, tokens, target, explainers, [Deletion(baseline=PAD), Comprehensiveness(baseline=PAD)])
    assert table["comprehensiveness"].is_better("occlusion", than="random")


def test_a_removed_token_is_cut_out() -> None:
    session, tokens = transformer(), texts()
    target = session.run(None, {"tokens": tokens})[0].argmax(1)
    lengths = []

    def cut(samples: Any, kept: Any) -> Any:
        answers = []
        for sample, row in zip(samples, np.asarray(kept)):
            left = tokens[sample][row]
            # A text without a token is padding alone.
            left = left if len(left) else np.array([PAD])
            lengths.append(len(left))
            answers.append(session.run(None, {"tokens": left[None]})[0][0])
        return np.array(answers)

    drops = np.empty(tokens.shape)
    for token in range(LENGTH):
        kept = np.ones(tokens.shape, bool)
        kept[:, token] = False
        drops[:, token] = session.run(None, {"tokens": tokens})[0][np.arange(12), target]
        drops[:, token] -= cut(range(12), kept)[np.arange(12), target]
    maps = {"left out": drops, "random": np.random.default_rng(1).normal(size=tokens.shape)}
    model = MaskedModel(cut, n_features=[LENGTH] * len(tokens))
    table = evaluate(model, None, target, maps, ["comprehensiveness", "faithfulness_estimate", "deletion"])
    assert table["faithfulness_estimate"]["left out"].value == pytest.approx(1.0, abs=1e-6)
    assert table["comprehensiveness"].is_better("left out", than="random")
    assert {1, LENGTH - 1, LENGTH} <= set(lengths)
