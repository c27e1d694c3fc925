"""Maps of time series and of text against the truth, as the golden file of the library has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xai_metrics.attribution import metrics

GOLDEN = Path(__file__).parents[2] / "xai-attribution/tests/golden/next_maps.json"
if not GOLDEN.is_file():
    pytest.skip("the golden files are not here", allow_module_level=True)

FILE = json.loads(GOLDEN.read_text())


def cases(*names: str) -> list[Any]:
    found = [case for case in FILE["cases"] if case["metric"] in names]
    assert {case["metric"] for case in found} == set(names)
    return [pytest.param(case, id=f"{case['id']}-{case['metric']}") for case in found]


def check(case: dict[str, Any], ours: Any) -> None:
    """Compares a value with one number, or with those of all samples."""
    expected = case["expected"]
    if not isinstance(expected, dict):
        expected = {"value": expected}
    if expected["value"] is not None:
        assert ours.value == pytest.approx(expected["value"], abs=case["tolerance"], rel=case["tolerance"])
    if "per_sample" in expected:
        theirs = np.array(expected["per_sample"], dtype=float)
        np.testing.assert_allclose(ours.per_sample, theirs, case["tolerance"], case["tolerance"])
        assert ours.n_undefined == expected["n_undefined"]


#: Our class for each metric of masks.
MASKS = {
    "area-under-precision": metrics.AreaUnderPrecision,
    "area-under-recall": metrics.AreaUnderRecall,
    "mask-information": metrics.MaskInformation,
    "mask-entropy": metrics.MaskEntropy,
    "mask-mae": metrics.MaskMae,
    "mask-mse": metrics.MaskMse,
    "mask-rmse": metrics.MaskRmse,
    "mask-auroc": metrics.LocalizationAuroc,
    "mask-average-precision": metrics.LocalizationAveragePrecision,
}


@pytest.mark.parametrize("case", cases(*MASKS))
def test_masks_of_time_series(case: dict[str, Any]) -> None:
    params, inputs = case["params"], case["inputs"]
    rule = params.get("rule")
    settings = {"pooled": rule in ("trapezoid", "peer") if rule else params.get("pooled", True)}
    if "normalize" in params:
        settings["normalize"] = params["normalize"]
    if rule == "trapezoid":
        settings["rule"] = rule
    metric = MASKS[case["metric"]](**settings)
    if isinstance(case["expected"], dict) and case["expected"]["value"] is None:
        with pytest.raises(ValueError, match="undefined"):
            metric.evaluate(inputs["maps"], inputs["truth"])
        return
    check(case, metric.evaluate(inputs["maps"], inputs["truth"]))


def test_truth_may_be_a_number() -> None:
    value = metrics.MaskMae().evaluate([[0.5, 0.0]], [[0.9, 0.0]])
    assert value.value == pytest.approx(0.2)
    with pytest.raises(ValueError, match="^masks: expected booleans, or numbers from 0 to 1"):
        metrics.MaskMae().evaluate([[0.5, 0.0]], [[1.5, 0.0]])
    with pytest.raises(ValueError, match="normalize=True"):
        metrics.MaskInformation(normalize=False).evaluate([[1.5, 0.0]], [[1, 0]])
