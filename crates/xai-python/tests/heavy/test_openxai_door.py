"""The metrics of OpenXAI that perturb inputs, on perturbations that its golden cases recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from xai_metrics.compat import openxai  # noqa: E402

GOLDEN = Path(__file__).parents[3] / "xai-attribution/tests/golden/quantus.json"


def array(stored: dict[str, Any]) -> Any:
    return np.array(stored["data"], float).reshape(stored["shape"])


class Recorded:
    """A way to perturb that answers what was recorded, input by input."""

    def __init__(self, noise: Any) -> None:
        self.noise = iter(noise)

    def get_perturbed_inputs(
        self, original_sample: Any, feature_mask: Any, num_samples: int, feature_metadata: Any
    ) -> Any:
        assert len(feature_mask) == len(feature_metadata) == len(original_sample)
        return original_sample + torch.from_numpy(next(self.noise)[:num_samples]).float()


class Linear:
    """The model of the golden cases."""

    def __init__(self, problem: dict[str, Any]) -> None:
        self.weights, self.bias = array(problem["W"]), array(problem["b"])

    def predict_with_logits(self, x: Any) -> Any:
        return np.asarray(x, float) @ self.weights + self.bias

    def __call__(self, x: Any) -> Any:
        logits = self.predict_with_logits(x)
        return np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)

    def gradients(self, inputs: Any, targets: Any) -> Any:
        return self.weights.T[np.asarray(targets)]


def case_of(name: str) -> tuple[dict[str, Any], Any, Linear, Any]:
    golden = json.loads(GOLDEN.read_text())
    (case,) = (c for c in golden["cases"] if c["metric"] == f"openxai.{name}")
    problem = golden["problems"][case["problem"]]
    return case, array(problem["x"]), Linear(problem), problem


def agree(values: tuple[Any, float], case: dict[str, Any]) -> None:
    np.testing.assert_allclose(values[0], np.array(case["output"], float), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", ["RIS", "ROS"])
def test_relative_stability(name: str) -> None:
    case, x, model, _ = case_of(name)
    noise = array(case["draws"]["noise"])

    def explain(inputs: Any, targets: Any) -> Any:
        maps = model.gradients(inputs, targets)
        return maps * inputs if case["explainer"] == "input_x_gradient" else maps

    values = openxai.eval_relative_stability(
        explain,
        x,
        model,
        Recorded(noise),
        ["c"] * x.shape[1],
        name,
        n_samples=noise.shape[1],
        n_perturbations=noise.shape[1],
    )
    agree(values, case)


@pytest.mark.parametrize("name", ["PGI", "PGU"])
def test_prediction_gaps(name: str) -> None:
    case, x, model, problem = case_of(name)
    noise = array(case["draws"]["noise"])
    evaluator = openxai.Evaluator(model, name)
    values = evaluator.evaluate(
        explanations=array(problem["maps"][case["map"]]),
        inputs=x,
        k=case["params"].get("k", case["params"].get("top")),
        perturb_method=Recorded(noise),
        feature_metadata=["c"] * x.shape[1],
        n_samples=noise.shape[1],
        compat=True,
    )
    agree(values, case)
