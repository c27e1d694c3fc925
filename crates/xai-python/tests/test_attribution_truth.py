"""Maps of time series and of text against the truth, as the golden file of the library has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xai_metrics.attribution import (
    context_lds,
    metrics,
    rationale_iou_f1,
    rationale_token_f1,
    sequence_score,
)

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
        value = metric.evaluate(inputs["maps"], inputs["truth"])
        assert value.value is None and "undefined for" in str(value.undefined)
        return
    check(case, metric.evaluate(inputs["maps"], inputs["truth"]))


def test_truth_may_be_a_number() -> None:
    value = metrics.MaskMae().evaluate([[0.5, 0.0]], [[0.9, 0.0]])
    assert value.value == pytest.approx(0.2)
    with pytest.raises(ValueError, match="^masks: expected booleans, or numbers from 0 to 1"):
        metrics.MaskMae().evaluate([[0.5, 0.0]], [[1.5, 0.0]])
    with pytest.raises(ValueError, match="normalize=True"):
        metrics.MaskInformation(normalize=False).evaluate([[1.5, 0.0]], [[1, 0]])


@pytest.mark.parametrize("case", cases("rationale-auprc", "token-f1", "token-iou"))
def test_rationales_of_texts_of_different_lengths(case: dict[str, Any]) -> None:
    kind = metrics.by_name(case["metric"])
    metric = kind(**case["params"])
    maps, rationales = case["inputs"]["maps"], case["inputs"]["rationales"]
    if case["expected"]["value"] is None:
        value = metric.evaluate(maps, rationales)
        assert value.value is None and "undefined for" in str(value.undefined)
        return
    check(case, metric.evaluate([np.array(of) for of in maps], rationales))
    first, rationale = np.array(maps[:1]), np.array(rationales[:1])
    if rationale.any():
        alone = metric.evaluate(first, rationale).value
        assert alone == pytest.approx(case["expected"]["per_sample"][0])


@pytest.mark.parametrize("case", cases("rationale-iou-f1", "rationale-token-f1"))
def test_spans_of_rationales(case: dict[str, Any]) -> None:
    function = {"rationale-iou-f1": rationale_iou_f1, "rationale-token-f1": rationale_token_f1}
    scores = function[case["metric"]](**case["inputs"], **case["params"])
    for name, expected in case["expected"].items():
        ours = getattr(scores, name).to_dict()
        assert ours == {
            long: pytest.approx(expected[short]) if expected[short] is not None else None
            for long, short in (("precision", "p"), ("recall", "r"), ("f1", "f1"))
        }


@pytest.mark.parametrize("case", cases("context-lds"))
def test_linear_datamodeling_scores(case: dict[str, Any]) -> None:
    inputs = case["inputs"]
    arguments = inputs["maps"], inputs["masks"], inputs["outputs"]
    if case["expected"]["value"] is None:
        value = context_lds(*arguments)
        assert value.value is None and np.isnan(value.per_sample).all() and value.undefined
    else:
        check(case, context_lds(*arguments))


@pytest.mark.parametrize("case", cases("sequence-score"))
def test_scores_of_sequences(case: dict[str, Any]) -> None:
    scores = sequence_score(case["inputs"]["token_logit_probs"], case["params"]["output"])
    np.testing.assert_allclose(scores, case["expected"], case["tolerance"])


def test_what_does_not_fit_is_named_with_its_sample() -> None:
    maps = [[0.5, 0.25], [0.5]]
    with pytest.raises(ValueError, match="masks.*sample 1"):
        metrics.TokenF1().evaluate(maps, [[1, 0], [1, 0]])
    with pytest.raises(ValueError, match="needs masks"):
        metrics.TokenF1().evaluate(maps)
    with pytest.raises(ValueError, match="mosaic: expected None for maps of different sizes"):
        metrics.Focus().evaluate(maps, [[1, 0], [1]], mosaic=[[[True]]])
    with pytest.raises(ValueError, match=r"^gold\[0\]: expected pairs"):
        rationale_iou_f1([[3]], [[]])
    with pytest.raises(ValueError, match="predicted"):
        rationale_token_f1([[(0, 1)]], [[(3, 3)]])
    with pytest.raises(ValueError, match="kept.*sample 0"):
        context_lds([[1.0, 2.0, 3.0]], [[[True, False]]], [[1.0]])


SERIES = FILE["models"]["series"]
#: Our class for each metric of a model of time series.
OUTPUTS = {
    "log-odds": metrics.LogOdds,
    "cross-entropy": metrics.CrossEntropy,
    "masked-accuracy": metrics.MaskedAccuracy,
    "output-mae": metrics.OutputMae,
    "output-mse": metrics.OutputMse,
}
CURVES = {
    "series-comprehensiveness": metrics.Comprehensiveness,
    "series-sufficiency": metrics.RationaleSufficiency,
}


def linear(batch: Any) -> Any:
    return batch.reshape(len(batch), -1) @ np.array(SERIES["weights"]) + SERIES["bias"]


@pytest.mark.parametrize("case", cases(*OUTPUTS, *CURVES))
def test_models_of_time_series(case: dict[str, Any]) -> None:
    params, inputs = dict(case["params"]), case["inputs"]
    if "logits" in inputs:
        before, after = np.array(inputs["logits"]), np.array(inputs["logits_masked"])
        params["top"] = 1.0

        # A single cell, that is the sample it is of, or is removed.
        def model(batch: Any, table: Any = np.stack([after, before])) -> Any:
            kept = batch[:, 0] > 0
            sample = np.where(kept, batch[:, 0] - 1, 0).astype(int)
            return table[kept.astype(int), sample]

        for i, expected in enumerate(case["expected"]["per_sample"]):
            one = np.stack([after[i : i + 1], before[i : i + 1]])
            # Some of these logits could be probabilities.
            metric = OUTPUTS[case["metric"]](**params, answers="logits")
            found = metric.evaluate(
                lambda batch, one=one: model(batch, one), [[1.0]], inputs["targets"][i : i + 1], [[1.0]]
            )
            assert found.value == pytest.approx(expected, abs=1e-9)
        return
    if case["metric"] in CURVES:
        params = {"steps": [params.pop("top")]}
    if case["metric"].startswith("output") and inputs["targets"] is not None:
        params["of"] = "target"
    if inputs["baseline"] is not None:
        params["baseline"] = inputs["baseline"]
    metric = {**OUTPUTS, **CURVES}[case["metric"]](**params)
    x, maps = np.array(inputs["x"]), np.array(inputs["maps"])
    activation = "none" if case["metric"].startswith("output") else "softmax"
    check(case, metric.evaluate(linear, x, inputs["targets"], maps, activation=activation))
