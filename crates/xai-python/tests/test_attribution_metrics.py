"""The classes of the metrics, as they are made from what the registry says."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from xai_metrics import attribution
from xai_metrics.attribution import (
    MaskedScores,
    Metric,
    base_scores,
    evaluate,
    mask_inputs,
    masked_scores,
    metric_infos,
    metrics,
)

BUILT = [info for info in metric_infos() if not info.has_call_of_its_own]
RANDOM = np.random.default_rng(11)
X = RANDOM.random((6, 10))
W = RANDOM.random((10, 2))
TARGETS = RANDOM.integers(0, 2, 6)
MAPS = RANDOM.normal(size=X.shape)


def model(batch: Any) -> Any:
    return batch @ W


@pytest.mark.parametrize("info", BUILT, ids=lambda info: info.name)
def test_every_metric_is_a_class_with_its_parameters(info: Any) -> None:
    kind = metrics.by_name(info.name)
    metric = kind()
    assert isinstance(metric, Metric) and metric.info is info
    assert metric.parameters == {} and repr(metric) == f"{kind.__name__}()"
    names = [parameter.name for parameter in info.parameters]
    parameters = inspect.signature(kind).parameters
    assert list(parameters) == names + ["draws"] * bool(info.draws)
    text = " ".join((kind.__doc__ or "").split())
    assert info.summary[1:] in text and info.source in text
    assert all(" ".join(p.doc.replace("`", "``").split()) in text for p in info.parameters)
    evaluated = inspect.signature(kind.evaluate).parameters
    assert list(evaluated)[1 : 1 + len(info.needs)] == [n.replace(" ", "_") for n in info.needs]
    assert list(info.to_dict()) == list(info.__dataclass_fields__)


@pytest.mark.parametrize("info", [i for i in BUILT if i.draws], ids=lambda info: info.name)
def test_draws_are_documented_with_what_they_hold_and_their_shape(info: Any) -> None:
    shapes = {
        "subsets": "Indices of features ``(draws, n, size)``,",
        "neighbours": "Noise to add ``(draws, n, …)``,",
        "given values": "Values ``(draws, n, features)``,",
        "orders": "Orders of removal ``(n, features)``,",
        "other targets": "Other classes ``(n,)``,",
    }
    text = " ".join((metrics.by_name(info.name).__doc__ or "").split())
    assert f"draws : array-like, optional {shapes[info.draws]} used instead of random draws." in text


def test_draws_of_neighbours_are_noise() -> None:
    noise = RANDOM.normal(size=(5, *X.shape))
    metric = metrics.MaximumStability(draws=noise)
    value = metric.evaluate(lambda x, _: x, X, TARGETS)
    np.testing.assert_allclose(value.per_sample, np.linalg.norm(noise, axis=2).max(axis=0))


@pytest.mark.parametrize(
    ("info", "parameter"),
    [(info, parameter) for info in BUILT for parameter in info.parameters],
    ids=lambda described: described.name,
)
def test_every_parameter_takes_its_default_and_refuses_what_is_no_value(
    info: Any, parameter: Any
) -> None:
    kind, name = metrics.by_name(info.name), parameter.name
    assert inspect.signature(kind).parameters[name].default == parameter.default
    assert kind(**{name: parameter.default}) == kind()
    for wrong in (object(), "no such word", float("nan"), [[1.0], "a"]):
        with pytest.raises(ValueError, match=name):
            kind(**{name: wrong})


def test_every_metric_is_at_the_top() -> None:
    for info in BUILT:
        kind = metrics.by_name(info.name)
        assert getattr(attribution, kind.__name__) is kind
        assert kind.__name__ in attribution.__all__
    for name in attribution.__all__:
        assert getattr(attribution, name).__doc__


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: metrics.Deletion(steps=0), "steps = 0: expected a whole number"),
        (lambda: metrics.Deletion(steps="every"), "steps = every: "),
        (lambda: metrics.Deletion(steps=True), "steps = true: "),
        (lambda: metrics.Deletion(baseline="black"), "baseline = black: "),
        (lambda: metrics.Deletion(max_fraction=2.0), "max_fraction = 2: "),
        (lambda: metrics.AverageStability(distance="l3"), "distance = l3: "),
        (lambda: metrics.Sufficiency(distance=max), "distance = <built-in function max>: "),
        (lambda: metrics.SensitivityN(sizes=[3, 2, "a"]), "sizes = 3,2,a: "),
    ],
)
def test_a_value_that_is_none_is_refused_at_once(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_parameters_are_keywords() -> None:
    with pytest.raises(TypeError):
        metrics.Deletion(5)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Deletion has no parameter 'step'; it has steps, max_"):
        metrics.Deletion(step=5)


def test_parameters_of_any_type_are_the_values_that_they_stand_for() -> None:
    assert (
        metrics.Deletion(steps=-1) == metrics.Deletion(steps=None) == metrics.Deletion(steps="all")
    )
    for sizes in ([1, 2], (1, 2), range(1, 3), np.array([1, 2]), "1,2"):
        assert metrics.SensitivityN(sizes=sizes).parameters == {"sizes": (1, 2)}
    for share in (0.5, np.float64(0.5), np.float32(0.5), np.array(0.5), "0.5"):
        assert metrics.MuFidelity(subset_size=share).parameters == {"subset_size": 0.5}
    # So many, and no share.
    assert metrics.MuFidelity(subset_size=np.int8(1)).parameters == {"subset_size": 1}
    for strict in (True, np.True_, "true"):
        assert metrics.Monotonicity(strict=strict).parameters == {"strict": True}
    assert metrics.MuFidelity(seed=2**64 - 1).parameters == {"seed": str(2**64 - 1)}
    assert metrics.MuFidelity(sampling="fixed_size") == metrics.MuFidelity()
    assert metrics.Deletion(max_fraction=1).parameters == {}
    assert metrics.Deletion(baseline=np.array([0.5, 0.25], np.float32)).parameters == {
        "baseline": (0.5, 0.25)
    }
    assert len({metrics.Deletion(), metrics.Deletion(steps=10), metrics.Deletion(steps=3)}) == 2
    assert metrics.Deletion() != metrics.Insertion()


def test_metrics_and_values_pickle() -> None:
    metric = metrics.Deletion(steps=3, baseline=np.zeros((1, 10)))
    other = pickle.loads(pickle.dumps(metric))
    value = metric.evaluate(model, X, TARGETS, MAPS)
    same = pickle.loads(pickle.dumps(other.evaluate(model, X, TARGETS, MAPS)))
    assert same.to_dict() == value.to_dict()


def test_a_metric_says_what_it_needs() -> None:
    with pytest.raises(ValueError, match="average_drop: needs model"):
        metrics.AverageDrop().evaluate(None, X, TARGETS, MAPS)
    with pytest.raises(ValueError, match="average_stability: needs explainer"):
        metrics.AverageStability().evaluate(None, X, TARGETS)
    with pytest.raises(ValueError, match="average_drop: needs explanations"):
        metrics.AverageDrop().evaluate(lambda x, y: x, X, TARGETS, None)
    with pytest.raises(ValueError, match="average_stability: needs targets"):
        metrics.AverageStability().evaluate(lambda x, y: x, X, None)
    with pytest.raises(ValueError, match="metric: got 'speed', expected one of") as error:
        metrics.by_name("speed")
    assert max(map(len, str(error.value).splitlines())) <= 100
    with pytest.raises(ValueError, match="metric: got 'delection', did you mean deletion"):
        metrics.by_name("delection")
    with pytest.raises(ValueError, match="a function of its own, representativity"):
        metrics.by_name("representativity")
    with pytest.raises(TypeError, match="missing a required argument: 'targets'"):
        metrics.AverageDrop().evaluate(model, X)
    takes = r"too many positional arguments; Complexity\(\).evaluate takes \(explanations, \*, "
    with pytest.raises(TypeError, match=takes):
        metrics.Complexity().evaluate(model, X, TARGETS, MAPS)
    with pytest.raises(ValueError, match=r"needs explainer; .* or a pair \(maps, explainer\)"):
        metrics.LocalLipschitz().evaluate(MAPS, X, TARGETS)


def test_an_explainer_may_stand_for_its_maps() -> None:
    value = metrics.Deletion().evaluate(model, X, TARGETS, lambda x, y: 2 * x)
    assert value.value == metrics.Deletion().evaluate(model, X, TARGETS, X).value


def test_values_are_numbers() -> None:
    value = metrics.Deletion().evaluate(model, X, TARGETS, MAPS)
    assert float(value) == value.value == pytest.approx(value.per_sample.mean())
    assert value.curve is not None and value.curve.n_features[0] == 0
    assert value.to_dict()["curve"]["scores"] == value.curve.scores.tolist()
    assert "6 samples" in repr(value) and "lower is better" in value._repr_html_()


def test_undefined_samples_are_nan() -> None:
    maps = np.array([[0.0, 0.0], [1.0, 0.0]])
    value = metrics.Sparseness().evaluate(maps)
    assert np.isnan(value.per_sample[0]) and value.n_undefined == 1 and value.value == 0.5
    assert value.to_dict()["per_sample"] == [None, 0.5]


@pytest.mark.parametrize("maps", [np.zeros((2, 10)), np.ones((2, 10))])
def test_where_nothing_is_defined_there_is_no_value_but_a_reason(maps: Any) -> None:
    x, targets = X[:2], TARGETS[:2]
    why = "every map is zero" if not maps.any() else "every map is constant"
    for metric, value in (
        ("average_drop", metrics.AverageDrop().evaluate(model, x, targets, maps)),
        ("feature_agreement", metrics.FeatureAgreement().evaluate(maps, maps)),
        ("mu_fidelity", metrics.MuFidelity().evaluate(model, x, targets, maps)),
    ):
        if value.value is not None:  # ties may have a rule
            continue
        assert value.metric == metric and value.n_undefined == 2
        assert np.isnan(value.per_sample).all() and np.isnan(float(value))
        assert value.undefined == f"undefined for all 2 samples: {why}" == value.to_dict()["undefined"]
        assert why in repr(value) and "undefined" in value._repr_html_()
    value = metrics.Sparseness().evaluate(np.zeros((2, 2)))
    assert value.value is None and value.undefined == "undefined for all 2 samples: every map is zero"
    table = attribution.evaluate(None, None, None, {"zero": np.zeros((2, 2))}, ["sparseness"])
    assert table["sparseness"]["zero"].value is None
    assert table["sparseness"].undefined == "undefined for all 2 samples" and "undefined for all samples: sparseness" in repr(table)
    ragged = metrics.TokenF1().evaluate([[0.0, 0.0], [0.0]], [[1, 0], [1]])
    assert ragged.value is None or ragged.undefined is None
    masked = attribution.MaskedModel(lambda samples, kept: kept.mean(axis=1))
    assert metrics.MuFidelity().evaluate(masked, None, None, np.zeros((2, 4))).value is None


def test_functions_of_single_calls() -> None:
    of = metrics.Complexity().evaluate(np.ones((2, 5, 5, 3)))
    assert of.value == pytest.approx(np.log(25))
    scores = base_scores(model, X, TARGETS)
    np.testing.assert_allclose(scores, model(X)[np.arange(6), TARGETS])
    both = masked_scores(model, X, TARGETS, MAPS)
    np.testing.assert_array_equal(both.base, scores)
    np.testing.assert_allclose(both.masked, base_scores(model, mask_inputs(X, MAPS), TARGETS))
    for name in ("average_drop", "average_increase", "average_gain"):
        metric: Any = metrics.by_name(name)(base_score_policy="as-is")
        value = metric.evaluate(model, X, TARGETS, MAPS)
        np.testing.assert_array_equal(both.measure(name, "as-is").per_sample, value.per_sample)
    with pytest.raises(
        ValueError, match=r"(?s)scores\[0\] = 0: .*\nchoose activation=\"softmax\""
    ) as caught:
        MaskedScores(np.array([0.0, 1.0]), np.array([0.0, 1.0])).measure("average_drop")
    assert str(caught.value).count("as-is") == 1
    assert mask_inputs(X.astype(np.float32), MAPS.astype(np.float32)).dtype == np.float32


def test_the_direction_is_that_of_the_settings() -> None:
    for kind in (metrics.LogOdds, metrics.CrossEntropy, metrics.MaskedAccuracy, metrics.OutputMae, metrics.OutputMse):
        removed, kept = kind(), kind(keep=True)
        assert {removed.direction, kept.direction} == {"higher", "lower"}
        assert removed.direction == removed.info.direction
        value = kept.evaluate(model, X, TARGETS, MAPS)
        assert value.direction == kept.direction
        table = evaluate(model, X, TARGETS, {"a": MAPS, "b": -MAPS}, [kept])
        result = table[table.metrics[0]]
        assert result.direction == kept.direction
        a, b = float(result["a"]), float(result["b"])
        if a != b:
            assert result.ranking[0] == ("a" if (a > b) == (kept.direction == "higher") else "b")


def test_ties_are_reported_and_may_be_random() -> None:
    maps = np.where(MAPS > 0, 1.0, 0.0)
    value = metrics.Deletion(steps="all").evaluate(model, X, TARGETS, maps)
    assert "%" in value.assumed["ties"]
    assert "ties" not in metrics.Deletion().evaluate(model, X, TARGETS, MAPS).assumed
    seeds = {metrics.Deletion(steps="all", ties=f"random:{s}").evaluate(model, X, TARGETS, maps).value for s in range(5)}
    assert len(seeds) > 1
    table = evaluate(model, X, TARGETS, {"a": maps, "b": MAPS}, ["deletion"])
    assert table["deletion"]["a"].tied_share > 0.5 and table["deletion"]["b"].tied_share == 0.0
    assert "features of `a` have the same attribution" in table.assumed["ties"]
    mask = [[[True, False, False]], [[False, False, True]]]
    mirrored = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    for kind in (metrics.PointingGame, metrics.RelevanceRankAccuracy):
        assert kind().evaluate(mirrored, mask).per_sample.tolist() == [0.5, 0.5]
        assert kind(ties="lowest-index").evaluate(mirrored, mask).per_sample.tolist() == [1.0, 0.0]
    with pytest.raises(ValueError, match="ties"):
        metrics.TopKIntersection(ties="any")
