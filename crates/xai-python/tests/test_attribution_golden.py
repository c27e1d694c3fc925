"""The numbers of xplique and Quantus, as the golden files of the library have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xai_metrics.attribution import map_similarity, metrics, representativity
from xai_metrics.compat.xplique import metrics as xplique

GOLDEN = Path(__file__).parents[2] / "xai-attribution/tests/golden"
if not GOLDEN.is_dir():
    pytest.skip("the golden files are not here", allow_module_level=True)

XPLIQUE = json.loads((GOLDEN / "attribution.json").read_text())["cases"]
SIMILARITY = json.loads((GOLDEN / "similarity.json").read_text())
QUANTUS = json.loads((GOLDEN / "quantus.json").read_text())


class XpliqueCase:
    def __init__(self, case: dict[str, Any]) -> None:
        self.case = case
        self.x = np.array(case["x"], np.float32).reshape(case["shape"])
        self.maps = np.array(case["explanation"], np.float32).reshape(case["explanation_shape"])
        self.b = np.array(case["b"], np.float32)
        self.w = np.array(case["W"], np.float32).reshape(-1, len(self.b))
        self.targets = np.eye(case["n_classes"], dtype=np.float32)[case["targets"]]

    def model(self, batch: Any) -> Any:
        return batch.reshape(len(batch), -1) @ self.w + self.b

    def metric(self, kind: Any, **options: Any) -> Any:
        activation = self.case["activation"]
        arguments = {"activation": activation, "batch_size": 3, "compat": True, **options}
        return kind(self.model, self.x, self.targets, **arguments)


def close(ours: Any, peer: Any, tolerance: float = 2e-5) -> None:
    ours, peer = np.asarray(ours, float), np.asarray(peer, float)
    assert (np.abs(ours - peer) <= tolerance * np.maximum(np.abs(peer), 1.0)).all(), (ours, peer)


@pytest.mark.parametrize("index", range(len(XPLIQUE)))
def test_average_metrics_have_the_numbers_of_xplique(index: int) -> None:
    of = XpliqueCase(XPLIQUE[index])
    for name, kind in (
        ("average_drop", xplique.AverageDropMetric),
        ("average_increase", xplique.AverageIncreaseMetric),
        ("average_gain", xplique.AverageGainMetric),
    ):
        metric = of.metric(kind)
        close(metric(of.maps), of.case[name])
        per_sample = metric.detailed_evaluate(of.x, of.targets, of.maps)
        close(per_sample, of.case[f"{name}_per_sample"])


@pytest.mark.parametrize("compat", [True, False])
@pytest.mark.parametrize("index", range(len(XPLIQUE)))
def test_curves_have_the_numbers_of_xplique(index: int, compat: bool) -> None:
    of = XpliqueCase(XPLIQUE[index])
    maps = of.maps.reshape(len(of.maps), -1)
    if not maps.any(axis=1).all():
        if not compat:
            pytest.skip("a map of zeros is all ties, which the peer has in the opposite order")
        if np.argsort(maps[0] * 0).tolist() != list(range(maps.shape[1])):
            pytest.skip("the peer has ties as NumPy sorts them, which depends on its version and on the processor")
    for name, kind in (("deletion", xplique.Deletion), ("insertion", xplique.Insertion)):
        for steps, largest in ((4, 1.0), (-1, 0.5)):
            expected = of.case.get(f"{name}_steps{steps}_max{largest}")
            if expected is None:
                continue
            metric = of.metric(
                kind,
                baseline_mode=expected["baseline"],
                steps=steps,
                max_percentage_perturbed=largest,
                compat=compat,
            )
            close(metric(of.maps), expected["auc"])
            curve = metric.detailed_evaluate(of.maps)
            assert [str(n) for n in curve] == list(expected["curve"])
            close(list(curve.values()), list(expected["curve"].values()))


@pytest.mark.parametrize("index", range(len(XPLIQUE)))
def test_complexity_and_sparseness_have_the_numbers_of_xplique(index: int) -> None:
    of = XpliqueCase(XPLIQUE[index])
    for name, kind in (
        ("complexity", xplique.Complexity),
        ("sparseness", xplique.Sparseness),
    ):
        expected = of.case.get(f"{name}_per_sample")
        if expected is not None:
            close(kind(compat=True).detailed_evaluate(of.maps), expected)
            close(kind(compat=True)(of.maps), np.mean(expected))


@pytest.mark.parametrize("index", range(len(SIMILARITY["similarity"])))
def test_similarities_have_the_numbers_of_xplique(index: int) -> None:
    case = SIMILARITY["similarity"][index]
    a, b = (np.array(case[k], np.float32).reshape(case["shape"]) for k in "ab")
    close(map_similarity(a, b, "ssim"), case["ssim"], 1e-4)
    close(map_similarity(a, b, "spearman"), case["spearman"], 1e-4)


@pytest.mark.parametrize("index", range(len(SIMILARITY["mege"])))
def test_mege_and_reco_have_the_numbers_of_xplique(index: int) -> None:
    case = SIMILARITY["mege"][index]
    maps = np.array(case["maps"], np.float32).reshape(case["shape"])
    labels = np.array(case["labels"])
    predictions = np.array(case["predictions"]).reshape(len(maps), -1)
    folds = np.arange(len(labels)) // (len(labels) // len(maps))
    layout = {4: "tabular", 5: "channels-last"}.get(maps.ndim, "tabular")
    of_models = [m.reshape(len(m), -1) for m in maps] if layout == "tabular" else list(maps)
    of = representativity(
        of_models, predictions, labels, layout=layout, held_out_by=folds, peer_thresholds=True
    )
    assert (of.n_same, of.n_different) == (case["n_same"], case["n_different"])
    close(of.mege, case["mege"])
    close(of.reco, case["reco"], 1e-4)


class QuantusProblem:
    def __init__(self, name: str) -> None:
        problem = QUANTUS["problems"][name]
        self.name = name
        self.problem = problem
        self.x = array(problem["x"])
        self.targets = np.array(problem["targets"])
        self.layout = "channels-first" if self.x.ndim == 4 else None

    def model(self, batch: Any) -> Any:
        flat = batch.reshape(len(batch), -1)
        if self.name == "mlp":
            of = {k: array(self.problem[k]) for k in ("W1", "b1", "W2", "b2")}
            return np.maximum(flat @ of["W1"] + of["b1"], 0.0) @ of["W2"] + of["b2"]
        return flat @ array(self.problem["W"]) + array(self.problem["b"])

    def maps(self, name: str) -> Any:
        return array(self.problem["maps"][name])


def array(stored: dict[str, Any]) -> Any:
    return np.array(stored["data"], float).reshape(stored["shape"])


def quantus_cases(metric: str, *problems: str) -> list[Any]:
    wanted = problems or ("linear", "mlp", "tabular")
    found = [c for c in QUANTUS["cases"] if c["metric"] == metric and c["problem"] in wanted]
    assert found
    return [pytest.param(c, id=f"{c['problem']}-{i}") for i, c in enumerate(found)]


def flat(array: Any) -> Any:
    """Quantus flips single elements, of all channels by themselves: rows of a table."""
    return array.reshape(len(array), -1)


def black(case: dict[str, Any]) -> Any:
    baseline = case["params"]["perturb_baseline"]
    return "sample-min" if baseline == "black" else float(baseline)


def evaluate_flat(metric: Any, case: dict[str, Any]) -> Any:
    of = QuantusProblem(case["problem"])
    activation = "softmax" if case["softmax"] is True else None
    maps = flat(of.maps(case["map"]))
    return metric.evaluate(of.model, flat(of.x), of.targets, maps, activation=activation)


def agrees(ours: Any, case: dict[str, Any]) -> None:
    np.testing.assert_allclose(ours, np.array(case["output"], float), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("case", quantus_cases("FaithfulnessCorrelation"))
def test_faithfulness_correlation_of_quantus(case: Any) -> None:
    similarity = case["params"].get("similarity_func", "correlation_pearson")
    metric = metrics.MuFidelity(
        features="positions",
        correlation=similarity.removeprefix("correlation_"),
        baseline=black(case),
        draws=array(case["draws"]["subsets"]).astype(int),
    )
    agrees(evaluate_flat(metric, case).per_sample, case)


@pytest.mark.parametrize("case", quantus_cases("PixelFlipping"))
def test_pixel_flipping_of_quantus(case: Any) -> None:
    size = case["params"]["features_in_step"]
    metric = metrics.Deletion(steps=f"every:{size}", baseline=black(case))
    value = evaluate_flat(metric, case)
    if case["params"]["return_auc_per_sample"]:
        # Areas over steps: ours are shares of the features, and begin at the whole input.
        assert np.isfinite(value.per_sample).all()
        return
    curves = np.array(case["output"], float)
    np.testing.assert_allclose(value.curve.scores[1:], curves.mean(axis=0), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("case", quantus_cases("FaithfulnessEstimate"))
def test_faithfulness_estimate_of_quantus(case: Any) -> None:
    size = case["params"].get("features_in_step", 1)
    metric = metrics.FaithfulnessEstimate(group_size=size, baseline=black(case))
    if case["params"].get("similarity_func", "correlation_pearson") != "correlation_pearson":
        pytest.skip("another correlation")
    agrees(evaluate_flat(metric, case).per_sample, case)


@pytest.mark.parametrize("case", quantus_cases("Sparseness"))
def test_sparseness_of_quantus(case: Any) -> None:
    # Quantus adds 1e-7 to every attribution.
    maps = flat(QuantusProblem(case["problem"]).maps(case["map"]))
    maps = np.abs(maps)
    if case["params"]["normalise"]:
        maps = maps / maps.max(axis=1, keepdims=True)
    agrees(metrics.Sparseness().evaluate(maps + 1e-7).per_sample, case)


@pytest.mark.parametrize("case", quantus_cases("Complexity"))
def test_complexity_of_quantus_but_for_its_epsilon(case: Any) -> None:
    maps = flat(QuantusProblem(case["problem"]).maps(case["map"]))
    ours = metrics.Complexity().evaluate(maps).per_sample
    np.testing.assert_allclose(ours, case["output"], atol=1e-5)


@pytest.mark.parametrize("name", ["RelevanceRankAccuracy", "AUC"])
def test_localization_of_quantus(name: str) -> None:
    metric: Any = metrics.LocalizationAuroc() if name == "AUC" else metrics.RelevanceRankAccuracy()
    for parameter in quantus_cases(name):
        case = parameter.values[0]
        of = QuantusProblem(case["problem"])
        maps = of.maps(case["map"])
        maps = np.abs(maps) if case["params"]["abs"] else maps
        mask = array(of.problem["mask"])[:, 0] != 0
        value = metric.evaluate(maps[:, :1], mask, layout="channels-first")
        agrees(value.per_sample, case)
