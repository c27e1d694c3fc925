"""The classes of the metrics, as they are made from the registry."""

from __future__ import annotations

import importlib.util
import inspect
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xai_metrics import attribution
from xai_metrics.attribution import (
    MaskedScores,
    Metric,
    base_scores,
    mask_inputs,
    masked_scores,
    metric_info,
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


def test_the_classes_are_those_of_the_registry() -> None:
    path = Path(__file__).parent.parent / "tools/metric_classes.py"
    spec = importlib.util.spec_from_file_location("metric_classes", path)
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    current = tool.FILE.read_text(encoding="utf-8")
    assert current == tool.generated(), "run tools/metric_classes.py --write"


@pytest.mark.parametrize("info", BUILT, ids=lambda info: info.name)
def test_every_metric_is_a_class_with_its_options(info: Any) -> None:
    kind = metrics.by_name(info.name)
    metric = kind()
    assert isinstance(metric, Metric) and metric.info is info
    assert metric.options == {} and repr(metric) == f"{kind.__name__}()"
    parameters = inspect.signature(kind.__init__).parameters
    arguments = [option.argument for option in info.options] + ["draws"] * bool(info.draws)
    assert list(parameters) == ["self", *arguments]
    for option in info.options:
        # The default of the signature is that of the registry.
        assert kind(**{option.argument: parameters[option.argument].default}) == metric
    text = " ".join((kind.__doc__ or "").split())
    assert info.question[1:] in text and info.source in text
    assert list(info.to_dict()) == list(info.__dataclass_fields__)


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
        (lambda: metrics.Deletion(steps=0), "steps"),
        (lambda: metrics.Deletion(steps="every"), "steps"),
        (lambda: metrics.Deletion(baseline="black"), "baseline: expected|baseline"),
        (lambda: metrics.Deletion(max_fraction=2.0), "max_fraction|expected"),
        (lambda: metrics.AverageStability(distance="l3"), "distance"),  # type: ignore[arg-type]
        (lambda: metrics.SensitivityN(sizes=[3, 2, "a"]), "sizes"),  # type: ignore[list-item]
    ],
)
def test_an_option_that_is_no_value_is_said_at_once(make: Any, message: str) -> None:
    try:
        metric = make()
    except ValueError as error:
        assert any(word in str(error) for word in message.split("|"))
    else:
        # Parameters that depend on the data are told when they meet it.
        with pytest.raises(ValueError):
            metric.evaluate(model, X, TARGETS, MAPS)


def test_options_are_keywords() -> None:
    with pytest.raises(TypeError):
        metrics.Deletion(5)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        metrics.Deletion(step=5)  # type: ignore[call-arg]


def test_options_of_any_type_become_text() -> None:
    assert (
        metrics.Deletion(steps=-1) == metrics.Deletion(steps=None) == metrics.Deletion(steps="all")
    )
    assert metrics.SensitivityN(sizes=[1, 2]).texts() == [("sizes", "1,2")]
    assert metrics.MuFidelity(grid=None).texts() == [("grid", "none")]
    assert metrics.MuFidelity(subset_fraction=np.float64(0.5)).texts() == [
        ("subset-fraction", "0.5")
    ]
    assert metrics.Monotonicity(strict=True).texts() == [("strict", "true")]
    assert metrics.Deletion(max_fraction=1).texts() == []
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
    with pytest.raises(ValueError, match="average_stability: needs targets"):
        metrics.AverageStability().evaluate(lambda x, y: x, X, None)
    with pytest.raises(ValueError, match="metric: expected one of"):
        metric_info("speed")


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
    with pytest.raises(ValueError, match="undefined"):
        metrics.Sparseness().evaluate(np.zeros((2, 2)))


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
        ValueError, match=r"(?s)scores\[0\] = 0: .*\ntake activation=\"softmax\""
    ) as caught:
        MaskedScores(np.array([0.0, 1.0]), np.array([0.0, 1.0])).measure("average_drop")
    assert str(caught.value).count("as-is") == 1
    assert mask_inputs(X.astype(np.float32), MAPS.astype(np.float32)).dtype == np.float32
