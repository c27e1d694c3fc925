"""The interface of Quantus, and the numbers of its golden file."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xai_metrics import find
from xai_metrics.attribution import by_name, evaluate, metric_infos
from xai_metrics.compat import quantus
from xai_metrics.compat.quantus._metric import CLASSES
from xai_metrics.compat.quantus.helpers.enums import EvaluationCategory, ScoreDirection

#: Differences that are documented are no errors here, see the tests of the warning.
pytestmark = pytest.mark.filterwarnings("ignore::xai_metrics.compat.quantus.QuantusDifferenceWarning")

GOLDEN = Path(__file__).parents[2] / "xai-attribution/tests/golden/quantus.json"


def array(stored: dict[str, Any]) -> Any:
    return np.array(stored["data"], float).reshape(stored["shape"])


class Problem:
    def __init__(self, of: dict[str, Any]) -> None:
        self.of = of
        self.x = array(of["x"])
        self.y = np.array(of["targets"])
        self.masks = array(of["mask"]) if "mask" in of else None

    def __call__(self, batch: Any) -> Any:
        rows = batch.reshape(len(batch), -1)
        if "W1" in self.of:
            rows = np.maximum(rows @ array(self.of["W1"]) + array(self.of["b1"]), 0.0)
            return rows @ array(self.of["W2"]) + array(self.of["b2"])
        return rows @ array(self.of["W"]) + array(self.of["b"])


def cases(*names: str) -> list[Any]:
    if not GOLDEN.is_file():
        return []
    golden = json.loads(GOLDEN.read_text())
    problems = {name: Problem(of) for name, of in golden["problems"].items() if name != "conv"}
    return [
        pytest.param(problems[case["problem"]], case, id=f"{case['metric']}-{i}")
        for i, case in enumerate(golden["cases"])
        if case["metric"] in names and case["problem"] in problems and case.get("map")
    ]


def scores(problem: Problem, case: dict[str, Any], metric: Any) -> Any:
    maps = array(problem.of["maps"][case.get("map") or case["explainer"]])
    if metric.info.needs == ("explanations", "masks") and maps.ndim == 4:
        # Quantus takes masks with maps of one channel only.
        maps = maps[:, :1]
    softmax = case["softmax"] if isinstance(case.get("softmax"), bool) else None
    further = {"custom_batch": case["quadrants"]} if "quadrants" in case else {}
    return metric(
        problem, problem.x, problem.y, maps, problem.masks, True, softmax=softmax, **further
    )


def options(case: dict[str, Any], metric: str) -> dict[str, Any]:
    known = getattr(quantus, metric)().get_params
    return {name: value for name, value in case["params"].items() if name in known}


@pytest.mark.parametrize(
    ("problem", "case"),
    cases(
        "FaithfulnessEstimate",
        "Selectivity",
        "TopKIntersection",
        "RelevanceRankAccuracy",
        "AUC",
        "Focus",
    ),
)
def test_numbers_of_quantus(problem: Problem, case: dict[str, Any]) -> None:
    metric = getattr(quantus, case["metric"])(**options(case, case["metric"]))
    agree(scores(problem, case, metric), case)


@pytest.mark.parametrize(
    ("problem", "case"),
    cases(
        "PixelFlipping",
        "RelevanceMassAccuracy",
        "PointingGame",
        "Sparseness",
        "EffectiveComplexity",
        "Infidelity",
        "Completeness",
    ),
)
def test_numbers_of_quantus_with_compat(problem: Problem, case: dict[str, Any]) -> None:
    metric = getattr(quantus, case["metric"])(**options(case, case["metric"]), compat=True)
    agree(scores(problem, case, metric), case)


@pytest.mark.parametrize(("problem", "case"), cases("RegionPerturbation"))
def test_regions_in_the_order_of_the_map(problem: Problem, case: dict[str, Any]) -> None:
    if case["params"]["order"] == "random":
        pytest.skip("an order that was drawn elsewhere")
    metric = quantus.RegionPerturbation(**options(case, "RegionPerturbation"))
    agree(scores(problem, case, metric), case)
    drops = np.array(case["output"], float)
    # AOPC counts the start, where nothing has dropped.
    assert metric.get_auc_score == pytest.approx(np.mean(drops.sum(axis=1) / (drops.shape[1] + 1)))


@pytest.mark.parametrize(("problem", "case"), cases("NonSensitivity"))
def test_features_that_map_and_model_disagree_on(problem: Problem, case: dict[str, Any]) -> None:
    metric = quantus.NonSensitivity(**options(case, "NonSensitivity"))
    counts, size = scores(problem, case, metric), case["params"]["features_in_step"]
    if size == 1:
        agree(counts, case)
    # Else groups are features here, and elements are for Quantus.
    assert max(counts) <= problem.x[0].size / size


@pytest.mark.parametrize(("problem", "case"), cases("Complexity"))
def test_complexity_but_for_its_small_number(problem: Problem, case: dict[str, Any]) -> None:
    metric = quantus.Complexity(**options(case, "Complexity"))
    np.testing.assert_allclose(scores(problem, case, metric), case["output"], atol=1e-5)


@pytest.mark.parametrize("compat", [False, True])
def test_maps_of_one_channel_have_an_attribution_per_position(compat: bool) -> None:
    x, maps = np.ones((2, 3, 4, 4)), np.random.default_rng(0).random((2, 1, 4, 4))
    given = {"model": None, "x_batch": x, "y_batch": None, "a_batch": maps, "channel_first": True}
    shares = maps.reshape(2, -1) / maps.sum(axis=(1, 2, 3), keepdims=True).reshape(2, 1)
    entropy = -(shares * np.log(shares)).sum(axis=1)
    np.testing.assert_allclose(quantus.Complexity(compat=compat)(**given), entropy, rtol=1e-9)
    if compat:
        assert quantus.EffectiveComplexity(compat=True)(**given) == [16, 16]


def agree(ours: Any, case: dict[str, Any]) -> None:
    theirs = np.array(case["output"], float)
    np.testing.assert_allclose(np.asarray(ours, float), theirs, rtol=1e-6, atol=1e-8)


WEIGHTS = np.array([[2.0, 0.0], [0.0, 1.0], [1.0, -1.0], [0.5, 0.5]])
X = np.random.default_rng(2).random((5, 4))
Y = np.array([0, 1, 1, 0, 1])


def model(batch: Any) -> Any:
    return batch @ WEIGHTS


def explain(model: Any, inputs: Any, targets: Any, scale: float = 1.0) -> Any:
    return scale * inputs * WEIGHTS[:, targets].T


MAPS = explain(None, X, Y)


def test_monotonicity_puts_features_back() -> None:
    # Quantus answers True for any map.
    metric = quantus.Monotonicity(perturb_baseline=0.0)
    positive = np.array([[1.0, 2.0], [2.0, 1.0]])
    maps = np.array([[0.1, 0.2], [0.1, 0.2]])
    assert metric(lambda x: x, positive, [0, 0], maps, softmax=False) == [True, True]
    falling = metric(lambda x: x[:, :1] - 2.0 * x[:, 1:], positive, [0, 0], maps, softmax=False)
    assert falling == [False, False]


def test_maps_are_scaled_made_absolute_and_aggregated() -> None:
    seen = []

    def scale(a: Any, by: float) -> Any:
        seen.append(a.shape)
        return a / by

    metric = quantus.Complexity(
        normalise_func=scale,
        normalise_func_kwargs={"by": 4.0},
        return_aggregate=True,
        aggregate_func=max,
    )
    signed = MAPS * np.array([1.0, -1.0, 1.0, -1.0])
    assert metric(None, X, Y, signed) == pytest.approx(
        [max(quantus.Complexity()(None, X, Y, MAPS))]
    )
    assert seen == [(5, 4)]
    assert metric.evaluation_scores == metric.all_evaluation_scores
    metric(None, X, Y, MAPS)
    assert len(metric.all_evaluation_scores) == 2


def test_maps_are_asked_for_with_the_arguments_of_the_function() -> None:
    metric = quantus.FaithfulnessEstimate(perturb_baseline=0.0)
    call = {"explain_func": explain, "explain_func_kwargs": {"scale": -1.0}}
    assert metric(model, X, Y, **call) == pytest.approx([-1.0] * 5)


def test_targets_are_those_of_metrics_that_read_them() -> None:
    naive_bayes = pytest.importorskip("sklearn.naive_bayes")
    x = np.random.default_rng(0).random((8, 4))
    model = naive_bayes.GaussianNB().fit(x, np.array(["no", "yes"] * 4))
    targets = np.array([0, 1] * 4)
    maps = quantus.Sparseness()(None, x, targets, x)
    assert quantus.Sparseness()(model, x, targets, x) == maps
    assert quantus.Sparseness()(model, x, None, x) == maps
    with pytest.raises(ValueError, match=r"targets\[0\]: 0 is no class of the model"):
        quantus.PixelFlipping(features_in_step=2)(model, x, targets, x)
    asked = quantus.Sparseness()
    explain = {"explain_func": lambda model, inputs, targets: inputs}
    with pytest.raises(ValueError, match=r"targets\[0\]: 0 is no class of the model"):
        asked(model, x, targets, **explain)
    assert asked(model, x, np.where(targets, "yes", "no"), **explain) == maps


def test_random_choices_follow_the_seed_and_with_compat_the_global_generator() -> None:
    def of(**options: Any) -> Any:
        return quantus.MaxSensitivity(nr_samples=3, **options)(
            model, X, Y, MAPS, explain_func=explain
        )

    assert of(seed=3) == of(seed=3) != of(seed=4)
    np.random.seed(1)
    first = of(compat=True)
    np.random.seed(1)
    assert first == of(compat=True) != of(compat=True)


def test_neighbours_by_a_function_of_the_user() -> None:
    def perturb(arr: Any, indices: Any, by: float, **_: Any) -> Any:
        assert indices.shape == arr.shape
        return arr + by

    metric = quantus.MaxSensitivity(
        nr_samples=2, perturb_func=perturb, perturb_func_kwargs={"by": 0.5}
    )
    moved = explain(None, np.full_like(X, 0.5), Y)
    expected = np.linalg.norm(moved, axis=1) / np.linalg.norm(MAPS, axis=1)
    assert metric(model, X, Y, MAPS, explain_func=explain) == pytest.approx(expected.tolist())


def test_noise_is_of_the_law_that_was_asked_for() -> None:
    def of(word: str, **given: Any) -> Any:
        metric = quantus.MaxSensitivity(
            nr_samples=200, perturb_func=word, perturb_func_kwargs=given
        )
        return np.array(metric(model, X, Y, MAPS, explain_func=explain))

    # The largest of 200 uniform changes of at most 0.2, and of normal ones of a hundredth of that.
    assert (of("gaussian_noise", perturb_std=0.002) < 0.1 * of("uniform_noise")).all()


def test_maps_are_the_same_by_a_function_of_the_user() -> None:
    metric = quantus.Consistency(discretise_func=lambda a: int(a.argmax()), normalise=False)
    values = metric(model, X, Y, np.eye(4)[[0, 0, 1, 1, 2]])
    alike = (X @ WEIGHTS).argmax(axis=1)
    expected = [float(alike[i] == alike[j]) for i, j in ((0, 1), (1, 0), (2, 3), (3, 2))]
    assert values == pytest.approx([*expected, np.nan], nan_ok=True)


def test_one_map_does_not_depend_on_the_mini_batch_but_with_compat() -> None:
    def of(batch_size: int, compat: bool) -> Any:
        np.random.seed(0)
        metric = quantus.LocalLipschitzEstimate(nr_samples=2, compat=compat)
        return metric(model, X, Y, explain_func=explain, batch_size=batch_size)

    assert of(2, False) == of(64, False)
    assert of(2, True) != of(64, True)


def test_samples_without_a_value_are_nan_and_with_compat_what_quantus_has() -> None:
    masks = np.zeros((5, 4))
    assert np.isnan(quantus.PointingGame()(None, X, Y, MAPS, masks)).all()
    assert quantus.PointingGame(compat=True)(None, X, Y, MAPS, masks) == [True] * 5
    keys = quantus.Consistency(discretise_func="rank")
    assert keys(model, X[:2], Y[:2], MAPS[:2] + np.eye(2, 4)) == pytest.approx(
        [np.nan] * 2, nan_ok=True
    )


def test_layers_are_those_of_torch_only() -> None:
    with pytest.raises(TypeError, match="model: expected a torch module, got function"):
        quantus.MPRT()(model, X, Y, MAPS, explain_func=explain)


@pytest.mark.parametrize(
    ("options", "call", "message"),
    [
        ({"similarity_func": "cosine"}, {}, "similarity_func: expected one of correlation_pearson"),
        ({"similarity_func": np.dot}, {}, "functions of your own are not called, .* OwnMetric"),
        ({"perturb_func": np.tile}, {}, "perturb_func: .* say by perturb_baseline"),
        ({"perturb_func_kwargs": {"a": 1}}, {}, "perturb_func_kwargs: 'a' means nothing here"),
        ({"perturb_baseline": "neighbourhood_mean"}, {}, "perturb_baseline: expected one of black"),
        ({}, {"model_predict_kwargs": {"a": 1}}, "model_predict_kwargs: not passed on"),
        ({}, {"a_batch": None}, "a_batch: expected maps, or explain_func"),
        ({}, {"a_batch": MAPS[:, :3]}, "a_batch: expected maps of inputs"),
        ({}, {"model": None}, "model: needed"),
    ],
)
def test_what_means_nothing_here_is_refused(
    options: dict[str, Any], call: dict[str, Any], message: str
) -> None:
    metric = quantus.FaithfulnessEstimate(**options)
    with pytest.raises(ValueError, match=message):
        metric(**{"model": model, "x_batch": X, "y_batch": Y, "a_batch": MAPS, **call})


def test_an_option_of_no_meaning_is_named() -> None:
    with pytest.raises(TypeError, match="PixelFlipping has no option 'img_size'"):
        quantus.PixelFlipping(img_size=28)


def test_plots_are_those_of_the_user() -> None:
    drawn = []
    metric = quantus.Complexity(default_plot_func=lambda *of: drawn.append(of))
    metric.plot(None, False, None, [1.0])
    assert drawn == [([1.0],)]
    with pytest.raises(ValueError, match="plot_func"):
        quantus.Complexity().plot()


def test_evaluate_asks_all_metrics_of_all_explainers() -> None:
    metrics = {"a": quantus.Complexity(), "b": quantus.FaithfulnessEstimate()}
    told = []

    def by_method(model: Any, inputs: Any, targets: Any, method: str) -> Any:
        told.append(method)
        return explain(model, inputs, targets)

    found = quantus.evaluate(
        metrics, {"maps": MAPS, "function": by_method}, model, X, Y, agg_func=np.mean
    )
    assert found["maps"] == pytest.approx(found["function"])
    assert set(told) == {"function"}
    several = quantus.evaluate(
        metrics, {"maps": MAPS}, model, X, Y, call_kwargs={"p": {"softmax": True}, "q": {}}
    )
    assert set(several["maps"]["b"]) == {"p", "q"}
    assert several["maps"]["b"]["p"] != several["maps"]["b"]["q"]
    with pytest.raises(TypeError, match="xai_methods: expected maps or a function for 'Saliency'"):
        quantus.evaluate(metrics, {"Saliency": {"xai_lib": "captum"}}, model, X, Y)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("PixelFlipping", r"deletion \(quantus.PixelFlipping\)"),
        ("pixel-flipping", r"deletion \(quantus.PixelFlipping\)"),
        ("sensitivity_max", r"maximum_stability \(captum.sensitivity_max\)"),
        ("PGI", r"prediction_gap_important \(openxai.PGI\)"),
        ("MaxSensitivty", r"maximum_stability \(quantus.MaxSensitivity\)"),
        ("AverageDrop", "average_drop"),
    ],
)
def test_an_unknown_name_is_answered_with_those_of_other_packages(name: str, meant: str) -> None:
    for ask in (by_name, lambda name: evaluate(model, X, Y, {"m": MAPS}, [name])):
        with pytest.raises(ValueError, match=f"metric: got '{name}', did you mean {meant}"):
            ask(name)


def test_every_name_that_a_metric_has_in_quantus_is_a_class() -> None:
    theirs = {
        peer.removeprefix("quantus.")
        for info in metric_infos()
        for peer in info.elsewhere
        if peer.startswith("quantus.")
    }
    assert theirs <= set(quantus.__all__)


PAGE = Path(__file__).parents[3] / "docs/from-quantus.md"


@pytest.mark.skipif(not PAGE.is_file(), reason="the page is not here")
def test_the_page_for_users_of_quantus_runs() -> None:
    blocks = PAGE.read_text().split("```python\n")[1:]
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block.partition("```")[0], names)  # noqa: S102
    assert len(names["scores"]) == 8
    mine = names["table"]["deletion"]
    assert mine.ranking[0] == "mine"
    # Areas are those of the metric without the interface of Quantus, but for its steps.
    assert np.mean(names["scores"]) == pytest.approx(mine["mine"].value, abs=0.02)


@pytest.mark.parametrize("name", ["explain", "AVAILABLE_XAI_METHODS_CAPTUM", "AVAILABLE_XAI_METHODS_TF", "available_methods_captum"])
def test_there_are_no_explainers_and_it_is_said_what_to_give(name: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; there are no explainers here: give a metric explain_func"):
        getattr(quantus, name)


def test_modules_of_functions_and_metrics_have_their_names() -> None:
    assert quantus.Infidelity(loss_func=quantus.functions.loss_func.mse).loss_func == "mse"
    assert quantus.functions.similarity_func is quantus.similarity_func
    assert quantus.metrics.PixelFlipping is quantus.PixelFlipping
    assert issubclass(quantus.metrics.Sparseness, quantus.metrics.Metric)


def test_modules_of_quantus_can_be_imported_by_name() -> None:
    from xai_metrics.compat.quantus.functions import similarity_func
    from xai_metrics.compat.quantus.functions.loss_func import mse
    from xai_metrics.compat.quantus.metrics import PixelFlipping

    assert (mse, similarity_func.ssim, PixelFlipping) == ("mse", "ssim", quantus.PixelFlipping)


def test_classes_have_their_metrics_without_a_search_for_each() -> None:
    code = "import xai_metrics._native as n; del n.metrics_named; import xai_metrics.compat.quantus"
    subprocess.run([sys.executable, "-c", code], check=True)
    for name, kind in CLASSES.items():
        assert kind._measures == find(f"quantus.{kind._definition.like or name}").name


@pytest.fixture
def first_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xai_metrics.compat.quantus._switch._warned", set())


@pytest.mark.usefixtures("first_calls")
def test_the_first_number_that_differs_is_said_once_per_metric_and_why() -> None:
    masks = np.zeros((5, 4))
    masks[1:, 2] = 1.0

    def warned(metric: Any, *call: Any) -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            metric(*call)
        assert all(warning.category is quantus.QuantusDifferenceWarning for warning in caught)
        assert all(warning.filename == __file__ for warning in caught)
        return [str(warning.message) for warning in caught]

    full = (None, X, Y, MAPS, np.ones((5, 4)))
    # With masks that all have an object, the values are those of Quantus.
    assert warned(quantus.PointingGame(), *full) == []
    assert warned(quantus.PointingGame(compat=True), None, X, Y, MAPS, masks) == []
    # The option of Quantus is about other warnings.
    (text,) = warned(quantus.PointingGame(disable_warnings=True), None, X, Y, MAPS, masks)
    assert text.startswith("PointingGame: the number is not that of Quantus. An empty mask has no value;")
    assert "`compat=True`" in text
    assert warned(quantus.PointingGame(), None, X, Y, MAPS, masks) == []
    # Other metrics warn by themselves.
    assert len(warned(quantus.RelevanceMassAccuracy(), None, X, Y, -MAPS, masks)) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", quantus.QuantusDifferenceWarning)
        with pytest.raises(quantus.QuantusDifferenceWarning, match="AttributionLocalisation"):
            quantus.AttributionLocalisation(abs=False)(None, X, Y, -MAPS, masks)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=quantus.QuantusDifferenceWarning)
        quantus.RelevanceRankAccuracy()(None, X, Y, -MAPS, masks)


@pytest.mark.usefixtures("first_calls")
@pytest.mark.parametrize(
    ("metric", "differs"),
    [
        (quantus.FaithfulnessEstimate(perturb_baseline=0.0), False),
        (quantus.FaithfulnessCorrelation(subset_size=2, nr_runs=5), True),
        (quantus.PixelFlipping(), False),
        (quantus.PixelFlipping(return_auc_per_sample=True), True),
        (quantus.Sparseness(), False),
        (quantus.EffectiveComplexity(), True),
        (quantus.Consistency(discretise_func="top_n_sign"), True),
        (quantus.NonSensitivity(), False),
        (quantus.NonSensitivity(features_in_step=2), True),
        (quantus.Completeness(), True),
    ],
)
def test_calls_whose_numbers_differ(metric: Any, differs: bool) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        metric(model, X, Y, MAPS)
    assert len(caught) == int(differs)


def test_a_switch_for_all_metrics_without_an_option_of_their_own() -> None:
    masks = np.zeros((5, 4))
    metric, chosen = quantus.PointingGame(), quantus.PointingGame(compat=False)

    def hits(of: Any) -> list[Any]:
        return of(None, X, Y, MAPS, masks)  # type: ignore[no-any-return]

    with quantus.compat(True):
        assert hits(metric) == [True] * 5
        assert np.isnan(hits(chosen)).all()
        with quantus.compat(False):
            assert np.isnan(hits(metric)).all()
        assert metric.compat
    assert np.isnan(hits(metric)).all()
    switch = quantus.compat(True)
    assert hits(metric) == [True] * 5
    switch.__exit__()
    assert not metric.compat
    assert repr(chosen) == "PointingGame(compat=False)"
    assert repr(metric) == "PointingGame()"


def test_attributes_of_the_classes() -> None:
    kind = quantus.PixelFlipping
    assert (kind.name, kind.score_direction.value) == ("Pixel-Flipping", "lower")
    assert kind.evaluation_category is EvaluationCategory.FAITHFULNESS
    assert {item.value for item in quantus.IROF().data_applicability} == {"image"}
    assert {item.value for item in kind.model_applicability} == {"torch", "tensorflow"}
    # A flag is better if it is true, whatever the end of the gap it is made from.
    assert quantus.Completeness.score_direction is ScoreDirection.HIGHER
    assert "Better: higher." in str(quantus.Completeness.__doc__)
    assert quantus.AVAILABLE_METRICS["Faithfulness"]["Pixel-Flipping"] is kind
    classes = [of for metrics in quantus.AVAILABLE_METRICS.values() for of in metrics.values()]
    aliases = {"BatchSufficiency", "ModelParameterRandomisation"}
    assert {of.__name__ for of in classes} == {
        name for name in quantus.__all__ if issubclass_of_metric(getattr(quantus, name))
    } - aliases
    assert quantus.available_categories() == list(quantus.AVAILABLE_METRICS)
    assert "correlation_spearman" in quantus.available_similarity_functions()


def issubclass_of_metric(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, quantus.Metric) and value is not quantus.Metric


def test_infidelity_of_uniform_baselines_is_a_mean_over_their_draws() -> None:
    x = np.arange(16, dtype=float).reshape(1, 1, 4, 4) / 16
    a, y = np.linspace(-1.0, 2.0, 16).reshape(1, 1, 4, 4), np.zeros(1, int)
    weights = np.linspace(0.0, 1.0, 16)

    def score(batch: Any) -> Any:
        return batch.reshape(len(batch), -1) @ weights[:, None]

    def of(compat: bool, n: int = 3) -> Any:
        metric = quantus.Infidelity(
            perturb_baseline="uniform", perturb_patch_sizes=[2], n_perturb_samples=n, compat=compat, seed=4
        )
        return metric(score, x, y, a)[0]

    # By hand: a patch after the other is set to a number that is drawn for it, and stays so.
    np.random.seed(1)
    losses = []
    for _ in range(3):
        current, of_patches = x[0, 0].copy(), []
        for row in (0, 2):
            for column in (0, 2):
                current[row : row + 2, column : column + 2] = np.random.uniform(size=1)
                change = (x[0, 0] - current).ravel()
                of_patches.append((change @ weights - change @ a.ravel()) ** 2)
        losses.append(np.mean(of_patches))
    np.random.seed(1)
    assert of(True) == pytest.approx(np.mean(losses))
    # Without compat, patches go back, and draws follow the seed.
    fills = np.random.default_rng(4).uniform(size=(3, 1))
    losses = []
    for (fill,) in fills:
        for row in (0, 2):
            for column in (0, 2):
                change = np.zeros((4, 4))
                change[row : row + 2, column : column + 2] = x[0, 0, row : row + 2, column : column + 2] - fill
                losses.append((change.ravel() @ (weights - a.ravel())) ** 2)
    assert of(False) == pytest.approx(np.mean(losses))


def test_layers_start_with_the_original_which_an_average_leaves_out() -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.ReLU(), torch.nn.Linear(5, 2)).eval()

    def gradients(model: Any, inputs: Any, targets: Any) -> Any:
        x = torch.as_tensor(inputs, dtype=torch.float32).requires_grad_()
        scores = model(x)[torch.arange(len(x)), torch.as_tensor(targets)]
        return (x * torch.autograd.grad(scores.sum(), x)[0]).detach().numpy()

    call = (network, X, Y, gradients(network, X, Y))
    steps = quantus.MPRT()(*call, explain_func=gradients)
    assert list(steps) == ["original", "2", "0"]
    assert steps["original"] == pytest.approx([1.0] * 5)
    average = quantus.MPRT(return_average_correlation=True)(*call, explain_func=gradients)
    assert average == pytest.approx(np.mean([steps["2"], steps["0"]], axis=0))
    theirs = quantus.MPRT(return_average_correlation=True, compat=True)(*call, explain_func=gradients)
    assert theirs == pytest.approx(np.mean(list(steps.values()), axis=0))


def test_functions_that_quantus_names_are_words_and_what_is_not_here_is_told() -> None:
    assert quantus.similarity_func.difference == "difference"
    assert quantus.similarity_func.distance_euclidean == "distance_euclidean"
    with pytest.raises(AttributeError, match="'explain'; there are no explainers here: give a metric explain_func"):
        quantus.explain  # noqa: B018
    assert not hasattr(quantus, "Nothing")
