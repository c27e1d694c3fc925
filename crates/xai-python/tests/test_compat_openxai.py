"""The interface of OpenXAI, and the numbers of its golden cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xai_metrics.compat import openxai

GOLDEN = Path(__file__).parents[2] / "xai-attribution/tests/golden/quantus.json"
WORDS = {"FA": "overlap", "RA": "rank", "SA": "sign", "SRA": "ranksign"}


def array(stored: dict[str, Any]) -> Any:
    return np.array(stored["data"], float).reshape(stored["shape"])


def cases(*names: str) -> list[Any]:
    if not GOLDEN.is_file():
        return []
    golden = json.loads(GOLDEN.read_text())
    found = [(c["metric"].removeprefix("openxai."), c) for c in golden["cases"]]
    return [
        pytest.param(name, case, golden["problems"][case["problem"]], id=f"{name}-{i}")
        for i, (name, case) in enumerate(found)
        if case["metric"].startswith("openxai.") and name in names
    ]


def maps_of(case: dict[str, Any], problem: dict[str, Any]) -> Any:
    return array(problem["maps"][case["map"]])


def agree(values: tuple[Any, float], case: dict[str, Any]) -> None:
    np.testing.assert_allclose(values[0], np.array(case["output"], float), rtol=1e-6, atol=1e-8)
    assert values[1] == pytest.approx(np.mean(case["output"]))


@pytest.mark.parametrize(("name", "case", "problem"), cases("RC", "PRA"))
def test_ranks_of_all_features(name: str, case: dict[str, Any], problem: dict[str, Any]) -> None:
    maps, truth = maps_of(case, problem), array(case["ground_truth"])
    agree(openxai.metrics_dict[name](maps, truth, compat=True), case)


@pytest.mark.parametrize(("name", "case", "problem"), cases("FA", "RA", "SA", "SRA"))
def test_the_largest_attributions(name: str, case: dict[str, Any], problem: dict[str, Any]) -> None:
    class Model:
        def return_ground_truth_importance(self) -> Any:
            return array(case["ground_truth"])

    values = openxai.Evaluator(Model(), name).evaluate(
        explanations=maps_of(case, problem),
        predictions=case["predictions"],
        k=case["params"]["top"],
        AUC=case["params"].get("auc", False),
    )
    agree(values, case)


def test_numbers_of_features_are_counts_shares_and_all() -> None:
    maps, truth, classes = [[3.0, 2.0, 0.1, 1.0]], [1.0, 2.0, 3.0, 0.5], [1]

    def overlap(k: float) -> float:
        return openxai.eval_ground_truth_faithfulness(maps, truth, classes, k, "overlap")[1]

    assert overlap(2) == overlap(0.5) == overlap(0.3) == 0.5
    assert overlap(-1) == 1.0
    with pytest.raises(ValueError, match="k: expected a share"):
        overlap(1.5)


def test_ties_share_a_rank_and_with_compat_have_no_gaps() -> None:
    maps, truth = [[4.0, 1.0, 1.0, 2.0]], [1.0, 2.0, 3.0, 4.0]
    plain, peer = openxai.rankcorr(maps, truth)[1], openxai.rankcorr(maps, truth, compat=True)[1]
    assert plain == pytest.approx(-0.316228, abs=1e-6)
    assert peer == pytest.approx(-0.40452, abs=1e-6)


def test_evaluators_keep_their_parameters_to_themselves() -> None:
    first, second = (openxai.Evaluator(lambda x: x, "PGI") for _ in range(2))
    first.metrics_params["k"] = 3
    assert "k" not in second.metrics_params


@pytest.mark.parametrize(
    ("model", "metric", "message"),
    [
        (None, "XYZ", "metric: expected one of PRA"),
        (None, "FA", "model: FA needs its return_ground_truth_importance"),
    ],
)
def test_what_an_evaluator_cannot_be_is_refused(model: Any, metric: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        openxai.Evaluator(model, metric)


def test_words_are_refused() -> None:
    with pytest.raises(ValueError, match="metric: expected one of overlap"):
        openxai.eval_ground_truth_faithfulness([[1.0]], [1.0], [1], 1, "order")
    with pytest.raises(ValueError, match="metric: expected one of RIS"):
        openxai.eval_relative_stability(None, [[1.0]], None, None, None, "RMS")
    with pytest.raises(ValueError, match="p_norm: expected 2"):
        openxai.eval_relative_stability(None, [[1.0]], None, None, None, "RIS", p_norm=1)
