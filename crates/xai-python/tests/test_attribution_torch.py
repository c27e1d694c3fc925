"""Models and explainers of torch, and the example of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xai_metrics import _native
from xai_metrics._frameworks import Tensors
from xai_metrics.attribution import base_scores, evaluate, metrics
from xai_metrics.compat.xplique.metrics import (
    MeGe,
    ModelRandomizationMetric,
    ProgressiveLayerRandomization,
)

torch = pytest.importorskip("torch")

RANDOM = np.random.default_rng(2)
X = RANDOM.random((8, 6)).astype(np.float32)
TARGETS = RANDOM.integers(0, 3, 8)


def network(**kind: Any) -> Any:
    torch.manual_seed(0)
    layers = [torch.nn.Linear(6, 5), torch.nn.ReLU(), torch.nn.Linear(5, 3)]
    return torch.nn.Sequential(*layers).to(**kind).eval()


def test_a_module_is_given_tensors_of_its_own_without_gradients() -> None:
    model = network(dtype=torch.float64)
    seen = []

    def watch(module: Any, arguments: Any) -> None:
        (batch,) = arguments
        seen.append((batch.dtype, batch.device.type, torch.is_grad_enabled()))

    model.register_forward_pre_hook(watch)
    scores = base_scores(model, X, TARGETS)
    assert set(seen) == {(torch.float64, "cpu", False)}
    assert torch.is_grad_enabled()
    expected = model(torch.from_numpy(X).double())[torch.arange(8), torch.from_numpy(TARGETS)]
    np.testing.assert_allclose(scores, expected.detach().numpy(), rtol=1e-12)


def test_a_module_on_another_device_is_given_tensors_there() -> None:
    model = network()
    meta = torch.nn.Linear(6, 3, device="meta").eval()
    with pytest.raises(NotImplementedError):
        base_scores(meta, X, TARGETS)  # a device without memory: torch says so itself
    scores = base_scores(model, X, TARGETS, device="cpu")
    np.testing.assert_array_equal(scores, base_scores(model, X, TARGETS))
    with pytest.raises(TypeError, match="inputs: the tensor is on meta"):
        base_scores(model, torch.zeros(8, 6, device="meta"), TARGETS)


def test_a_module_in_training_mode_is_asked_in_evaluation_mode_and_left_as_it_was() -> None:
    torch.manual_seed(0)
    layers = [torch.nn.Linear(6, 5), torch.nn.BatchNorm1d(5), torch.nn.Dropout(), torch.nn.Linear(5, 3)]
    model = torch.nn.Sequential(*layers)
    model[1].eval()
    statistics = {name: value.clone() for name, value in model.state_dict().items()}
    modes = [module.training for module in model.modules()]

    def explainer(inputs: Any, targets: Any) -> Any:
        assert not any(module.training for module in model.modules())
        return inputs

    table = evaluate(model, X, TARGETS, {"a": explainer}, ["deletion"])
    assert table.assumed["mode"] == "eval"
    assert [module.training for module in model.modules()] == modes
    assert all(torch.equal(value, statistics[name]) for name, value in model.state_dict().items())
    expected = evaluate(model.eval(), X, TARGETS, {"a": explainer}, ["deletion"])
    assert "mode" not in expected.assumed
    values = [of["deletion"]["a"].per_sample for of in (table, expected)]
    np.testing.assert_array_equal(*values)
    model.train()
    with pytest.raises(RuntimeError, match="mat1 and mat2"):
        base_scores(model, X[:, :3], TARGETS)
    assert all(module.training for module in model.modules())


def test_embeddings_and_devices_decide_the_batch_size() -> None:
    ids, targets = RANDOM.integers(0, 20, (100, 5)), [0] * 100
    tokens = torch.nn.Sequential(torch.nn.Embedding(20, 4), torch.nn.Flatten(), torch.nn.Linear(20, 2))
    numbers = torch.nn.Linear(5, 2)
    for module, expected in ((tokens, 64), (numbers, 16_384)):
        assert evaluate(module.eval(), ids, targets, {"a": ids}, ["deletion"]).batch_size == expected
    assert [Tensors.for_model(numbers, None, device).is_on_gpu for device in ("cuda", "mps", "cpu", None)] == [True, True, False, False]
    assert _native.attribution_rows_per_call((600, 5), 20, is_on_gpu=True) == 512
    assert _native.attribution_rows_per_call((600, 3, 512, 512), 1 << 20, is_on_gpu=True) == 256


def test_images_of_a_module_have_their_channels_first() -> None:
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.Flatten(), torch.nn.LazyLinear(2))
    x = RANDOM.random((4, 3, 6, 6)).astype(np.float32)
    model(torch.from_numpy(x))
    for maps in (x, x.mean(axis=1)):
        value = metrics.Deletion(steps="all").evaluate(model.eval(), x, [0, 1, 0, 1], maps)
        assert value.curve is not None and value.curve.n_features[-1] == 36
        assert value.assumed.pop("explained_class").endswith("each sample's target")
        assert value.assumed == {"layout": "channels-first"}
    small = RANDOM.random((4, 3, 3, 3)).astype(np.float32)
    flat = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(27, 2)).eval()
    table = evaluate(flat, small, [0, 1, 0, 1], {"a": small}, ["complexity"])
    assert table.assumed["layout"] == "channels-first"
    with pytest.raises(ValueError, match='layout="channels-first"'):
        evaluate(
            lambda b: flat(torch.from_numpy(b)).detach(), small, [0] * 4, {"a": small}, ["deletion"]
        )


def test_functions_are_given_tensors_on_request() -> None:
    model = network()

    def function(batch: Any) -> Any:
        assert isinstance(batch, torch.Tensor)
        return model(batch)

    scores = base_scores(function, X, TARGETS, framework="torch")
    np.testing.assert_array_equal(scores, base_scores(model, X, TARGETS))
    numpy = base_scores(
        lambda b: model(torch.from_numpy(b)).detach(), X, TARGETS, framework="numpy"
    )
    np.testing.assert_array_equal(scores, numpy)


def test_tensors_are_inputs_targets_and_maps() -> None:
    model = network()
    x, maps = torch.from_numpy(X), torch.from_numpy(X * 2).requires_grad_()
    given = metrics.Deletion().evaluate(model, x, torch.from_numpy(TARGETS), maps)
    assert given.value == metrics.Deletion().evaluate(model, X, TARGETS, X * 2).value
    half = metrics.Deletion().evaluate(network(dtype=torch.bfloat16), x.bfloat16(), TARGETS, x)
    assert np.isfinite(half.value)


def test_explainers_are_given_tensors_with_gradients() -> None:
    model = network()

    def gradient(inputs: Any, targets: Any) -> Any:
        assert inputs.dtype == torch.float32 and targets.dtype == torch.int64
        inputs = inputs.requires_grad_()
        model(inputs).gather(1, targets[:, None]).sum().backward()
        return inputs.grad

    table = evaluate(model, X, TARGETS, {"gradient": gradient}, ["deletion", "average_stability"])
    assert float(table["average_stability"]["gradient"]) >= 0.0
    rows = np.eye(3)[TARGETS]
    metrics.AverageStability().evaluate(lambda x, y: x * y.sum(), X, rows, framework="torch")


def test_the_exception_of_a_module_arrives_unchanged() -> None:
    with pytest.raises(RuntimeError, match="mat1 and mat2"):
        base_scores(network(), X[:, :3], TARGETS)


def test_layers_of_modules_are_randomized_in_a_copy() -> None:
    model = network()

    class Weights:
        def __init__(self, model: Any) -> None:
            self.model = model

        def explain(self, inputs: Any, targets: Any) -> Any:
            inputs = inputs.detach().requires_grad_()
            (self.model(inputs) * targets).sum().backward()
            return inputs.grad

    before = [p.clone() for p in model.parameters()]
    rows = np.eye(3)[TARGETS]
    strategy = ProgressiveLayerRandomization("0")
    score = ModelRandomizationMetric(model, X, rows, strategy)(Weights(model))
    assert -1.0 <= score < 1.0
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters()))


def test_mege_of_modules() -> None:
    def train(x_train: Any, y_train: Any, x_test: Any, y_test: Any) -> Any:
        return network()

    def explainer(model: Any) -> Any:
        return lambda inputs, targets: inputs

    mege, _ = MeGe(train, X, np.eye(3)[TARGETS], k_splits=2).evaluate(explainer)
    assert np.isnan(mege) or mege == pytest.approx(1.0, abs=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_the_example() -> None:
    path = Path(__file__).parent.parent / "examples/attribution_torch.py"
    spec = importlib.util.spec_from_file_location("attribution_torch", path)
    assert spec is not None and spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    table = example.main()
    assert table["relevance_mass_accuracy"].ranking[-1] == "chance"
    assert table["insertion"].is_better("gradient x input", than="chance")


@pytest.mark.parametrize("activation", ["softmax", "log_softmax"])
def test_a_softmax_of_a_module_with_one_output_is_refused(activation: str) -> None:
    torch.manual_seed(0)
    model = torch.nn.Linear(6, 1).eval()
    with pytest.raises(ValueError, match="(?s)the model has one output, whose softmax is constant"):
        evaluate(model, X, None, {"maps": X}, ["deletion"], activation=activation)
    with pytest.raises(ValueError, match="(?s)the model has one output, whose softmax is constant"):
        metrics.Deletion().evaluate(model, X, None, X, activation=activation)
    expected = torch.sigmoid(model(torch.from_numpy(X)))[:, 0].detach().numpy()
    np.testing.assert_allclose(base_scores(model, X, None, activation="sigmoid"), expected, rtol=1e-6)
