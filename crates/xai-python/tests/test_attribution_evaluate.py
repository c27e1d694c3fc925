"""The table of explainers by metrics, and its parts."""

from __future__ import annotations

import json
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xai_metrics import find
from xai_metrics.attribution import (
    Background,
    STANDARD,
    EvaluationValues,
    evaluate,
    evaluate_part,
    metric_infos,
    metrics,
    model_randomization,
    smoothed,
)
from xai_metrics.compat import quantus

RANDOM = np.random.default_rng(7)
N = 24
IMAGES = RANDOM.random((N, 8, 8, 2))
WEIGHTS = RANDOM.normal(size=(128, 3))
TARGETS = RANDOM.integers(0, 3, N)
MASKS = RANDOM.random((N, 8, 8)) < 0.3
SEGMENTS = np.kron(np.arange(16).reshape(4, 4), np.ones((2, 2), int))


def model(batch: Any) -> Any:
    return batch.reshape(len(batch), -1) @ WEIGHTS


def gradient(inputs: Any, targets: Any) -> Any:
    classes = targets if targets.ndim == 1 else targets.argmax(axis=1)
    return inputs * WEIGHTS.T[classes].reshape(inputs.shape)


MAPS_OF_TABLES = np.linspace(0.01, 0.99, 18).reshape(6, 3)
GOOD = gradient(IMAGES, TARGETS)
EXPLAINERS = {"good": GOOD, "random": RANDOM.normal(size=GOOD.shape)}


def table(asked: Any = "standard", **options: Any) -> Any:
    options = {"activation": "softmax", **options}
    return evaluate(model, IMAGES, TARGETS, EXPLAINERS, asked, **options)


def test_the_standard_metrics_rank_the_terms_of_a_linear_model_first() -> None:
    of = table()
    assert tuple(of.metrics) == STANDARD and of.n_samples == N
    assert of["mu_fidelity"].ranking == ["good", "random"]
    assert of["deletion"].is_better("good", than="random")
    assert not of["deletion"].is_better("random", than="good")
    assert of.result("good", "deletion").rank == 1
    assert of["deletion"]["good"].curve is not None and of["complexity"]["good"].curve is None
    interval = of["deletion"]["good"].interval
    assert interval is not None and interval.low <= float(of["deletion"]["good"]) <= interval.high
    assert (interval.level, interval.n_units, interval.is_small_sample) == (0.95, N, False)
    comparison = of["deletion"].comparisons[0]
    assert comparison.first == "good" and comparison.p_corrected == comparison.p_value


def test_what_explainers_and_metrics_share_is_asked_once() -> None:
    seen = []

    def counted(batch: Any) -> Any:
        seen.append(len(batch))
        return model(batch)

    of = evaluate(
        counted, IMAGES, TARGETS, EXPLAINERS, ["average_increase", "average_increase"][:1]
    )
    # One row more shows that answers do not depend on the batch.
    assert of.model_rows == sum(seen) - 1 == N + 2 * N and of.model_calls == len(seen) - 1
    of = evaluate(
        counted,
        IMAGES,
        TARGETS,
        EXPLAINERS,
        {"a": "average_increase", "b": metrics.AverageIncrease()},
    )
    assert of.model_rows == 3 * N


def test_all_metrics_that_the_arguments_are_enough_for() -> None:
    of = table(
        "all",
        masks=MASKS,
        segments=SEGMENTS,
        reference_maps=GOOD,
        second_maps=EXPLAINERS["random"],
        replicates=50,
    )
    not_of_maps = {
        "adcc",
        "average_stability",
        "maximum_stability",
        "local_lipschitz",
        "continuity",
        "relative_input_stability",
        "relative_output_stability",
        "relative_representation_stability",
        "attribution_stability",
        "random_logit",
        "model_randomization",
        "representativity",
        "rationale_iou_f1",
        "rationale_token_f1",
        "context_lds",
    }
    assert set(of.metrics) == {info.name for info in metric_infos()} - not_of_maps
    json.dumps(of.to_dict())
    few = evaluate(None, None, None, {"a": GOOD}, "all")
    needs = {tuple(metrics.by_name(name)().info.needs) for name in few.metrics}
    assert needs == {("explanations",)}


@pytest.mark.parametrize("shape", [(6, 5), (6, 5, 2)])
def test_all_leaves_out_metrics_of_other_layouts_and_says_so(shape: tuple[int, ...]) -> None:
    x = RANDOM.random(shape)
    of = evaluate(
        lambda b: b.reshape(len(b), -1)[:, :3], x, [0] * 6, {"a": x}, "all", replicates=0
    )
    layout = "tabular" if len(shape) == 2 else "time-series"
    assert of.assumed["layout"] == layout
    assert of.assumed["answers"] == "outputs were read as logits: those of an input do not always add to 1"
    assert of.skipped["road"].endswith(f"these are {layout}")
    assert of.skipped["pointing_game"] == "needs masks"
    assert not set(of.skipped) & set(of.metrics)


def test_all_leaves_out_random_logit_of_tables_by_its_similarity_of_images() -> None:
    def softmax(b):
        return np.exp(b[:, :3]) / np.exp(b[:, :3]).sum(axis=1, keepdims=True)

    x, rows = RANDOM.random((6, 5)), np.eye(3)[[0, 1, 2, 0, 1, 2]]
    of = evaluate(softmax, x, rows, {"a": lambda x, y: x * 2.0}, "all", replicates=0)
    assert of.skipped["random_logit"].endswith("these are tabular")
    named = metrics.RandomLogit(similarity="spearman")
    assert "random_logit" in evaluate(softmax, x, rows, {"a": lambda x, y: x}, [named]).metrics
    assert set(of.skipped) | set(of.metrics) == {info.name for info in metric_infos()}
    assert "metrics skipped" in repr(of)
    assert of.to_dict()["skipped"] == pickle.loads(pickle.dumps(of)).skipped == of.skipped


def test_advice_names_arguments_that_there_are() -> None:
    with pytest.raises(ValueError, match=r'or AverageDrop\(base_score_policy="skip"\)'):
        evaluate(lambda b: b - 1.0, MAPS_OF_TABLES, [0] * 6, {"a": MAPS_OF_TABLES}, ["average_drop"])
    skipping = metrics.AverageDrop(base_score_policy="skip")
    x = MAPS_OF_TABLES
    of = evaluate(lambda b: b - np.array([0.5, 0.0, 0.0]), x, [0] * 6, {"a": x}, [skipping])
    assert 0 < of["average_drop"]["a"].n_undefined < 6


def test_metrics_of_explainers() -> None:
    def layer(batch: Any) -> Any:
        return batch.reshape(len(batch), -1)[:, :5]

    asked: list[Any] = [
        "adcc",
        metrics.AverageStability(n_neighbors=3),
        metrics.MaximumStability(n_neighbors=3, distance=lambda a, b: float(np.abs(a - b).max())),
        "local_lipschitz",
        "continuity",
        "relative_input_stability",
        "relative_output_stability",
        "relative_representation_stability",
        "attribution_stability",
        metrics.RandomLogit(n_classes=3, similarity="spearman"),
    ]
    calls = []

    def explainer(inputs: Any, targets: Any) -> Any:
        calls.append(len(inputs))
        return gradient(inputs, targets)

    of = evaluate(
        model,
        IMAGES,
        TARGETS,
        {"asked": explainer, "with maps": (GOOD, explainer)},
        asked,
        activation="softmax",
        representation=layer,
        batch_size=16,
    )
    assert max(calls) <= 16
    for result in map(of.__getitem__, of):
        left, right = result["asked"].per_sample, result["with maps"].per_sample
        np.testing.assert_array_equal(left, right)
    assert float(of["maximum_stability"]["asked"]) > 0


def test_parts_join_to_the_whole() -> None:
    asked = ["deletion", "mu_fidelity", "average_drop"]
    whole = table(asked, batch_size=4)
    parts = [
        evaluate_part(
            model,
            IMAGES[first : first + 8],
            TARGETS[first : first + 8],
            {name: maps[first : first + 8] for name, maps in EXPLAINERS.items()},
            asked,
            first_sample=first,
            activation="softmax",
            batch_size=4,
        )
        for first in (0, 8, 16)
    ]
    sent = [pickle.loads(pickle.dumps(part)) for part in parts]
    joined = sent[0].merge(sent[1]).merge(sent[2])
    assert isinstance(joined, EvaluationValues) and joined.n_samples == N
    expected, actual = whole.to_dict(), joined.table().to_dict()
    for of in (*expected["metrics"].values(), *actual["metrics"].values()):
        for value in of["explainers"].values():
            del value["curve"]
    del expected["model_calls"], actual["model_calls"]
    assert actual == expected
    with pytest.raises(ValueError, match="explainers"):
        sent[0].merge(evaluate_part(None, None, None, {"a": GOOD}, ["complexity"]))
    with pytest.raises(ValueError, match="sufficiency"):
        one = evaluate_part(model, IMAGES, TARGETS, {"a": GOOD}, ["sufficiency"])
        one.merge(one)


def test_equal_values_share_a_rank() -> None:
    maps = {"worst": np.ones((9, 4)), "one": np.eye(9, 4) + 0.1, "other": np.eye(9, 4) + 0.1}
    asked = ["sparseness", "average_gain"]
    of = evaluate(lambda x: x + 2, np.ones((9, 4)), np.zeros(9), maps, asked)
    assert [value.rank for value in of["sparseness"].values.values()] == [3.0, 1.5, 1.5]
    assert of["average_gain"].undefined and of["average_gain"]["one"].rank is None
    (section,) = of.report().to_dict()["attribution"]
    for told in section["metrics"]:
        assert [of.result(e, told["metric"]).rank for e in maps] == told["ranks"]
    assert of.columns()["rank"][:3] == [3.0, 1.5, 1.5] and np.isnan(of.columns()["rank"][-1])
    latex = (of.to_latex() or "").splitlines()
    assert [row.count("textbf") for row in latex[4:7]] == [0, 1, 1]
    assert of._repr_html_().count("<strong>") == 2


def test_a_name_that_is_not_in_the_table_has_near_ones() -> None:
    of = table(["deletion", "insertion"])
    near = "metric: got 'delection', did you mean 'deletion'. There are 'deletion', 'insertion'"
    with pytest.raises(KeyError, match=near):
        of["delection"]
    with pytest.raises(KeyError, match=near):
        of.plot("delection")
    with pytest.raises(KeyError, match="explainer: got 'x', expected one of 'good', 'random'"):
        of.result("x", "deletion")


def test_tables_pickle() -> None:
    of = table(["deletion", "sparseness"])
    other = pickle.loads(pickle.dumps(of))
    assert other.to_dict() == of.to_dict()
    assert repr(other) == repr(of)


def test_how_a_table_looks() -> None:
    of = table(["deletion", "sparseness"])
    assert "deletion ↓" in repr(of) and "24 samples" in repr(of) and "* worse" in repr(of)
    lines = repr(table()).splitlines()
    assert all(sum(name in line.split() for line in lines) == 1 for name in STANDARD)
    # More metrics than fit side by side are listed below each other.
    assert lines[0].split() == ["good", "random"]
    html = of._repr_html_()
    assert html.startswith("<table>") and html.count("<tr>") == 3 and "<strong>" in html
    odd = evaluate(None, None, None, {"<a&b>": GOOD[:1]}, ["sparseness"])
    assert repr(odd).splitlines()[-2:] == ["1 sample; 0 rows of the model", "layout: channels-last"]
    assert "&lt;a&amp;b&gt;" in odd._repr_html_()


def test_data_frames() -> None:
    pytest.importorskip("pandas")
    of = table(["deletion", "sparseness"])
    frame = of.to_pandas()
    assert frame.shape == (2, 2) and frame.loc["good", "deletion"] == float(of["deletion"]["good"])
    long = of.to_pandas(long=True)
    assert list(long["rank"][:2]) == [1, 2] and (long["low"] <= long["value"]).all()
    value = metrics.Deletion().evaluate(model, IMAGES, TARGETS, GOOD)
    assert value.to_pandas().mean() == pytest.approx(value.value)


def test_plots() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    of = table(["deletion", "sparseness"])
    for drawn in (
        of.plot(),
        of.plot("deletion"),
        of["deletion"].plot_curves(),
        of["deletion"]["good"].curve.plot(),
        metrics.Deletion().evaluate(model, IMAGES, TARGETS, GOOD).plot(),
        metrics.Complexity().evaluate(GOOD).plot(),
    ):
        assert drawn.get_figure() is not None
    with pytest.raises(ValueError, match="no curve"):
        of["sparseness"].plot_curves()
    plt.close("all")


def test_progress_counts_the_samples(capsys: Any) -> None:
    pytest.importorskip("tqdm")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table(["deletion"], progress=True, batch_size=5)
    assert f"{N}/{N}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"explainers": {}}, ValueError, "explainers: empty"),
        ({"explainers": [GOOD]}, TypeError, "explainers: expected a mapping"),
        ({"explainers": {"a": GOOD[:3]}}, ValueError, "explanations"),
        (
            {"explainers": {"a": np.stack([GOOD[:3]] * 2, -1)}},
            ValueError,
            rf"explainers\['a'\]: expected maps of {N} samples, got 3",
        ),
        (
            {"explainers": {"a": GOOD[0]}},
            ValueError,
            rf"explainers\['a'\]: expected a map for each of {N} samples, .* repeat it",
        ),
        ({"explainers": {"a": None}}, ValueError, r"explainers\['a'\]: expected maps or an explainer"),
        ({"explainers": {"a": []}}, ValueError, r"explainers\['a'\]: expected maps or an explainer"),
        (
            {"explainers": {"a": "randm"}},
            ValueError,
            r"explainers\['a'\]: .* one of the words random, .*, got 'randm'",
        ),
        ({"targets": [0]}, ValueError, r"targets: .*; a single sample .* inputs\[None\]"),
        ({"explainers": {"a": GOOD[..., :1, :, :]}}, ValueError, "explanations"),
        ({"explainers": {"a": np.full_like(GOOD, np.nan)}}, ValueError, "explanations"),
        ({"metrics": []}, ValueError, "metrics: empty"),
        ({"metrics": ["deletions"]}, ValueError, "metric: got 'deletions', did you mean deletion"),
        ({"metrics": ["pointing_game"]}, ValueError, "pointing_game: needs masks"),
        ({"metrics": ["average_stability"]}, ValueError, "average_stability: needs explainer"),
        ({"metrics": ["model_randomization"]}, ValueError, "a function of its own"),
        (
            {"metrics": [metrics.Deletion(baseline=IMAGES[:1]), metrics.Deletion(baseline=IMAGES[1:2])]},
            ValueError,
            r'metrics: .*, \{"first": Deletion\(baseline=...\), "second": Deletion\(baseline=...\)\}',
        ),
        ({"metrics": [3]}, TypeError, "metrics: expected names and metrics, got int$"),
        (
            {"metrics": [quantus.PixelFlipping()]},
            TypeError,
            r"got PixelFlipping; did you mean deletion \(quantus.PixelFlipping\)",
        ),
        (
            {"metrics": ["average_stability"]},
            ValueError,
            r"needs explainer; .* of 'good', 'random' there are only maps: .* or a pair \(maps, explainer\)",
        ),
        ({"activation": "relu"}, ValueError, "activation: expected None or one of"),
        ({"layout": "nchw"}, ValueError, "layout: expected one of"),
        ({"batch_size": 0}, ValueError, "batch_size"),
        ({"level": 1.0}, ValueError, "level"),
        ({"replicates": 10**9}, ValueError, "replicates"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
        ({"masks": MASKS[:, :4], "metrics": ["pointing_game"]}, ValueError, "masks"),
        (
            {"masks": 3.0 + IMAGES[..., 0], "metrics": ["pointing_game"]},
            ValueError,
            "masks: expected booleans",
        ),
        ({"segments": -SEGMENTS - 1, "metrics": ["irof"]}, ValueError, "segments"),
        ({"metrics": [metrics.Deletion(baseline=IMAGES[:2])]}, ValueError, "baseline"),
    ],
)
def test_what_is_wrong_is_said(arguments: Any, error: Any, message: str) -> None:
    given = {"targets": TARGETS, "explainers": EXPLAINERS, "metrics": ["deletion"], **arguments}
    with pytest.raises(error, match=message):
        evaluate(model, IMAGES, **given)


def test_a_base_score_that_cannot_be_divided_by_says_what_to_do() -> None:
    with pytest.raises(ValueError, match="(?s)average_drop of `good`.*choose activation="):
        evaluate(lambda b: model(b) - 100.0, IMAGES, TARGETS, EXPLAINERS, ["average_drop"])


def test_one_of_several_metrics_may_be_undefined() -> None:
    asked = ["average_drop", "sparseness"]
    of = evaluate(lambda b: model(b) - 100.0, IMAGES, TARGETS, EXPLAINERS, asked)
    reason = of["average_drop"].undefined
    assert reason is not None and "Average Drop divides by the base score" in reason
    assert of["average_drop"]["good"].value is None and of["sparseness"].undefined is None
    assert of["sparseness"]["good"].value is not None
    assert " ".join(repr(of).split()).count(reason) == 1
    assert of.to_dict()["metrics"]["average_drop"]["undefined"] == reason


def test_a_model_whose_answers_depend_on_the_batch_is_refused_unless_allowed() -> None:
    def normalised(batch: Any) -> Any:
        outputs = model(batch)
        return 5.0 + (outputs - outputs.mean(axis=0)) / (outputs.std(axis=0) + 1e-5)

    def of(**how: Any) -> Any:
        return evaluate(normalised, IMAGES, TARGETS, EXPLAINERS, ["average_increase"], **how)

    with pytest.raises(ValueError, match="(?s)normalisation.*allow_batch_dependence=True"):
        of()
    assert of(allow_batch_dependence=True)["average_increase"]["good"].value is not None
    assert of(batch_size=1)["average_increase"]["good"].value is not None


def test_baselines_may_be_arrays_and_functions() -> None:
    def value(baseline: Any) -> float:
        metric = metrics.Deletion(baseline=baseline, steps=4)
        return metric.evaluate(model, IMAGES, TARGETS, GOOD).value

    zeros = value(0.0)
    paired = Background(1 - IMAGES, "paired")
    for same in (np.zeros((8, 8, 2)), np.zeros((1, 8, 8, 2)), lambda x: x * 0, [0.0, 0.0]):
        assert value(same) == zeros
    assert value(lambda x: 1 - x) == value(paired) != zeros
    two = {
        "a": metrics.Deletion(baseline=np.zeros((8, 8, 2)), steps=4),
        "b": metrics.Deletion(baseline=paired, steps=4),
    }
    of = evaluate(model, IMAGES, TARGETS, {"good": GOOD}, two)
    assert float(of["a"]["good"]) == zeros and float(of["b"]["good"]) == value(paired)


def test_draws_made_elsewhere() -> None:
    orders = np.argsort(-GOOD.mean(axis=-1).reshape(N, -1), axis=1)
    own = metrics.Deletion().evaluate(model, IMAGES, TARGETS, GOOD)
    given = metrics.Deletion(draws=orders).evaluate(model, IMAGES, TARGETS, GOOD)
    np.testing.assert_array_equal(own.per_sample, given.per_sample)
    others = (TARGETS + 1) % 3
    metric = metrics.RandomLogit(n_classes=3, similarity="pearson", draws=others)
    value = metric.evaluate(gradient, IMAGES, TARGETS).per_sample
    means = [m.mean(axis=-1).reshape(N, -1) for m in (GOOD, gradient(IMAGES, others))]
    expected = [np.corrcoef(a, b)[0, 1] for a, b in zip(*means)]
    np.testing.assert_allclose(value, expected, atol=1e-9)


def test_channels_may_come_first() -> None:
    first = np.moveaxis(IMAGES, -1, 1), np.moveaxis(GOOD, -1, 1)

    def of_first(batch: Any) -> Any:
        return model(np.moveaxis(batch, 1, -1))

    last = metrics.Deletion().evaluate(model, IMAGES, TARGETS, GOOD).per_sample
    metric = metrics.Deletion()
    value = metric.evaluate(of_first, first[0], TARGETS, first[1], layout="channels-first")
    np.testing.assert_allclose(value.per_sample, last, rtol=1e-12)
    # Maps without channels are images where the inputs, or the layout, say so.
    maps, compact = GOOD.mean(axis=-1), metrics.MstCompactness()
    expected = compact.evaluate(maps, inputs=IMAGES).value
    for name in ("channels-last", "channels-first"):
        assert compact.evaluate(maps, layout=name).value == expected


def test_mosaics() -> None:
    mosaic = np.zeros((N, 2, 2), bool)
    mosaic[:, 0, 0] = True
    masks = np.zeros((N, 8, 8), bool)
    masks[:, :4, :4] = True
    metric = metrics.Focus()
    assert metric.evaluate(GOOD, mosaic=mosaic).value == metric.evaluate(GOOD, masks).value


def test_smoothed_explainers_in_a_randomization_test() -> None:
    def explainer_of(layers: list[int]) -> Any:
        sign = -1.0 if layers else 1.0
        return smoothed(lambda x, y: sign * gradient(x, y), 3, 0.05)

    values = model_randomization(explainer_of, IMAGES, TARGETS, 2)
    assert [step.layers for step in values.steps] == [(0,), (0, 1)]
    assert values.average == pytest.approx(-1.0) and values.last == pytest.approx(-1.0)
    assert "<table>" in values._repr_html_() and len(values.to_dict()["steps"]) == 2

    def broken(layers: list[int]) -> Any:
        raise KeyError("no such layer")

    with pytest.raises(KeyError, match="no such layer"):
        model_randomization(broken, IMAGES, TARGETS, 2)


# Random maps may seem to explain the other class.
@pytest.mark.filterwarnings("ignore:maps of:UserWarning")
@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 12),
    st.integers(2, 9),
    st.integers(0, 2**32 - 1),
    st.sampled_from(["deletion", "insertion", "average_increase", "mu_fidelity", "sparseness"]),
    st.sampled_from([np.float32, np.float64]),
)
def test_the_table_has_the_values_of_the_metrics_themselves(
    n: int, size: int, seed: int, name: str, kind: Any
) -> None:
    random = np.random.default_rng(seed)
    x, maps = random.random((n, size)).astype(kind), random.normal(size=(n, size)).astype(kind)
    weights = random.normal(size=(size, 2)).astype(kind)
    targets = random.integers(0, 2, n)

    def linear(batch: Any) -> Any:
        return (batch[:, :, None] * weights).sum(axis=1)

    of = evaluate(linear, x, targets, {"a": maps}, [name], replicates=0)
    metric: Any = metrics.by_name(name)()
    if "model" in metric.info.needs:
        value = metric.evaluate(linear, x, targets, maps)
    else:
        value = metric.evaluate(maps)
    np.testing.assert_array_equal(of[name]["a"].per_sample, value.per_sample)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_mu_fidelity_of_the_terms_of_a_linear_model_is_one(size: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    x = random.random((3, size)) + 0.1
    weights = random.normal(size=size)
    metric = metrics.MuFidelity(features="positions", correlation="pearson", n_subsets=50)
    value = metric.evaluate(lambda b: b @ weights, x, np.zeros(3), x * weights)
    defined = value.per_sample[~np.isnan(value.per_sample)]
    np.testing.assert_allclose(defined, 1.0, atol=1e-6)


def test_a_difference_whose_p_value_is_below_all_numbers_counts() -> None:
    random = np.random.default_rng(0)
    maps = {
        "spread": np.ones((3000, 4)) + random.random((3000, 4)) / 100,
        "sharp": np.eye(4)[random.integers(0, 4, 3000)],
    }
    table = evaluate(None, None, None, maps, ["sparseness"], replicates=0)
    assert table["sparseness"].comparisons[0].p_corrected == 0.0
    assert table["sparseness"].is_better("sharp", than="spread")
    assert "*" in repr(table).splitlines()[1]


def test_a_table_that_is_not_computed_is_no_explainer() -> None:
    polars = pytest.importorskip("polars")
    with pytest.raises(TypeError, match="explanations: the LazyFrame .* collect it first"):
        metrics.Complexity().evaluate(polars.DataFrame({"a": [1.0]}).lazy())


def test_a_pickled_evaluation_keeps_its_settings() -> None:
    def part(steps: int) -> Any:
        return evaluate_part(model, IMAGES, TARGETS, EXPLAINERS, [metrics.Deletion(steps=steps)])

    few, many = part(2), part(3)
    stored = pickle.loads(pickle.dumps(few))
    for changed in (many.table().compare_with(few.table()), many.table().compare_with(stored.table())):
        assert changed.n_other_settings > 0 == changed.n_better + changed.n_worse
        assert all(of["outcome"] == "other_settings" for of in changed.figures if of["figure"].startswith("deletion"))
    with pytest.raises(ValueError, match="steps"):
        stored.merge(pickle.loads(pickle.dumps(many)))


def test_what_leaves_a_metric_as_it_is() -> None:
    deletion, mass = find("deletion"), find("relevance_mass_accuracy")
    assert (deletion.is_scale_free, deletion.mirror) == (True, "keeps-without-ties")
    assert mass.to_dict()["is_scale_free"] is True and mass.mirror == "keeps"
    assert {info.mirror for info in metric_infos()} == {"keeps", "keeps-without-ties", "changes"}
