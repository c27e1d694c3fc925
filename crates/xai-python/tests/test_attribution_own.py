"""Metrics and parameters of the user's own, and what is kept of single samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xai_metrics.attribution import (
    Batch,
    OwnMetric,
    base_scores,
    evaluate,
    evaluate_part,
    maps_within,
    masked_scores,
    metrics,
    smoothed,
)

RANDOM = np.random.default_rng(5)
X = RANDOM.random((12, 6))
W = RANDOM.random((6, 3))
TARGETS = RANDOM.integers(0, 3, 12)
MAPS = X * W[:, TARGETS].T


def model(batch: Any) -> Any:
    return batch @ W


class Kept:
    """What share of the score is left when only what the map marks is kept?"""

    name = "kept"
    direction = "higher"
    reads = ("base_scores", "masked_scores")

    def per_sample(self, batch: Batch) -> Any:
        assert batch.inputs is None and batch.explanations is None and batch.outputs is None
        assert batch.masked_scores is not None
        return batch.masked_scores / batch.base_scores


class Everything:
    reads = ("inputs", "targets", "explanations", "outputs", "base_scores", "masked_scores")

    def __init__(self) -> None:
        self.batches: list[Batch] = []

    def per_sample(self, batch: Batch) -> Any:
        self.batches.append(batch)
        return np.arange(batch.first_sample, batch.first_sample + batch.n_samples)


def test_a_metric_of_ones_own_reads_the_scores_that_others_read() -> None:
    explainers = {"terms": MAPS, "noise": RANDOM.random(X.shape)}
    alone = evaluate(model, X, TARGETS, explainers, ["average_drop"], batch_size=5)
    both = evaluate(model, X, TARGETS, explainers, ["average_drop", Kept()], batch_size=5)
    assert both.model_rows == alone.model_rows == 12 * 3
    assert both["kept"].direction == "higher"
    for name, maps in explainers.items():
        scores = masked_scores(model, X, TARGETS, maps)
        expected = scores.masked / scores.base
        np.testing.assert_array_equal(both["kept"][name].per_sample, expected)
        assert both["kept"][name].value == pytest.approx(expected.mean())
    assert both["kept"].ranking[0] == both["average_drop"].ranking[0]


def test_a_batch_holds_what_the_metric_reads() -> None:
    metric = Everything()
    value = OwnMetric(metric).evaluate(model, X.astype(np.float32), TARGETS, MAPS, batch_size=7)
    np.testing.assert_array_equal(value.per_sample, np.arange(12))
    assert value.metric == "Everything" and value.direction == "none"
    first, second = sorted(metric.batches, key=lambda batch: batch.first_sample)
    assert (first.first_sample, first.n_samples, second.first_sample, second.n_samples) == (0, 7, 7, 5)
    joined = [np.concatenate([getattr(b, of) for b in (first, second)]) for of in Everything.reads]
    inputs, targets, maps, outputs, base, masked = joined
    assert inputs.dtype == np.float32
    np.testing.assert_array_equal(inputs, X.astype(np.float32))
    np.testing.assert_array_equal(targets, TARGETS)
    np.testing.assert_allclose(maps, MAPS)
    np.testing.assert_allclose(outputs, X @ W, rtol=1e-5)
    np.testing.assert_array_equal(base, outputs[np.arange(12), TARGETS])
    assert (masked <= base).all()


def test_parts_join_and_samples_without_a_value_are_left_out() -> None:
    class Halves:
        reads = ("explanations",)

        def per_sample(self, batch: Batch) -> Any:
            places = batch.first_sample + np.arange(batch.n_samples)
            return [float(place) if place % 2 else np.nan for place in places]

    parts = [
        evaluate_part(None, None, None, {"mine": MAPS[a:b]}, [Halves()], first_sample=a)
        for a, b in ((0, 5), (5, 12))
    ]
    result = parts[0].merge(parts[1]).table()["Halves"]["mine"]
    # A part counts its own samples: the place in the whole is the caller's.
    assert result.n_undefined in (6, 7) and len(result.per_sample) == 12
    named = evaluate(None, None, None, {"mine": MAPS}, {"odd": Halves()})
    assert named["odd"]["mine"].n_undefined == 6 and named["odd"]["mine"].value == 6.0


@pytest.mark.parametrize(
    ("own", "error", "message"),
    [
        (type("M", (), {"per_sample": len}), TypeError, "metric: M needs `reads`"),
        (type("M", (), {"per_sample": len, "reads": "inputs"})(), TypeError, "M needs `reads`"),
        (type("M", (), {"per_sample": len, "reads": ["maps"]})(), ValueError, "M.reads: .* 'maps'"),
        (
            type("M", (), {"per_sample": len, "reads": [], "direction": "up"})(),
            ValueError,
            "M.direction: expected higher, lower or none, got 'up'",
        ),
        (type("M", (), {"per_sample": 1, "reads": []})(), TypeError, "object with per_sample"),
    ],
)
def test_an_object_that_is_no_metric_is_refused(own: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        evaluate(model, X, TARGETS, {"mine": MAPS}, [own])


def test_what_a_metric_of_ones_own_needs_is_checked_and_what_it_answers() -> None:
    with pytest.raises(ValueError, match="kept: needs model, inputs, targets"):
        evaluate(None, None, None, {"mine": MAPS}, [Kept()])

    def answering(answer: Any) -> Any:
        own = type("M", (), {"reads": (), "per_sample": lambda self, batch: answer})
        return evaluate(model, X, TARGETS, {"mine": MAPS}, [own()])

    with pytest.raises(ValueError, match="M: expected one value per sample, 12, got shape"):
        answering([1.0])
    with pytest.raises(ValueError, match="not a finite number"):
        answering([np.inf] * 12)
    with pytest.raises(TypeError, match="M: expected real numbers"):
        answering(["a"] * 12)

    class Broken(Kept):
        def per_sample(self, batch: Batch) -> Any:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as raised:
        evaluate(model, X, TARGETS, {"mine": MAPS}, ["average_drop", Broken()])
    completed = {score for _, score, _ in raised.value.completed_scores}
    assert completed == {"base", "masked", "average_drop"}


@pytest.mark.parametrize("name", ["deletion", "insertion", "irof", "sensitivity_n"])
def test_the_curve_of_every_sample_is_kept_of_one_metric(name: str) -> None:
    metric = metrics.by_name(name)()
    sides = {"segments": np.array([[0, 0, 1, 1, 2, 2]])} if name == "irof" else {}
    value = metric.evaluate(model, X, TARGETS, MAPS, batch_size=5, **sides)
    curve = value.curve
    assert curve is not None and curve.per_sample is not None
    assert curve.per_sample.shape == (12, len(curve.n_features))
    np.testing.assert_allclose(curve.per_sample.mean(axis=0), curve.scores, rtol=1e-12)
    if name in ("deletion", "insertion"):
        whole = curve.per_sample[:, 0 if name == "deletion" else -1]
        np.testing.assert_array_equal(whole, base_scores(model, X, TARGETS))
        areas = (curve.per_sample[:, 1:] + curve.per_sample[:, :-1]).mean(axis=1) / 2
        np.testing.assert_allclose(areas, value.per_sample, rtol=1e-12)


def test_what_a_key_of_ones_own_makes_equal_is_one_explanation() -> None:
    ours = metrics.Consistency(discretizer="top:1").evaluate(model, X, TARGETS, MAPS)
    for key in (
        lambda a: int(np.argmax(np.abs(a))),
        lambda a: f"position {np.argmax(np.abs(a))}",
        lambda a: np.argmax(np.abs(a), keepdims=True),
        lambda a: [bool(x) for x in np.abs(a) == np.abs(a).max()],
    ):
        theirs = metrics.Consistency(discretizer=key).evaluate(model, X, TARGETS, MAPS)
        np.testing.assert_array_equal(theirs.per_sample, ours.per_sample)
    table = evaluate(model, X, TARGETS, {"mine": MAPS}, [metrics.Consistency(discretizer=len)])
    classes = np.argmax(X @ W, axis=1)
    alike = [(np.sum(classes == c) - 1) / 11 for c in classes]
    np.testing.assert_allclose(table["consistency"]["mine"].per_sample, alike)
    with pytest.raises(ZeroDivisionError):
        metrics.Consistency(discretizer=lambda a: 1 // 0).evaluate(model, X, TARGETS, MAPS)


def test_maps_are_near_element_by_element() -> None:
    other = X.copy()
    other[3, 2] += 1e-3
    assert maps_within(X, other).tolist() == [i != 3 for i in range(12)]
    assert maps_within(X, other, absolute=2e-3).all()
    assert maps_within(X.astype(np.float32), X).all()
    expected = np.isclose(X, X[::-1], rtol=0.5, atol=0.1).all(axis=1)
    assert maps_within(X, X[::-1], 0.1, 0.5).tolist() == expected.tolist()
    with pytest.raises(ValueError, match="absolute: expected a finite number, at least 0"):
        maps_within(X, X, -1.0)
    with pytest.raises(ValueError, match="explanations"):
        maps_within(X, X[:, :3])


def test_noise_that_is_given_is_multiplied_by_the_range_of_each_input() -> None:
    noise = RANDOM.normal(size=(4, *X.shape))
    maps = smoothed(lambda x, y: x**2, magnitude=0.3, noise=noise)(X, TARGETS)
    sigma = 0.3 * (X.max(axis=1) - X.min(axis=1))[:, None]
    np.testing.assert_allclose(maps, ((X + sigma * noise) ** 2).mean(axis=0))
    with pytest.raises(ValueError, match="noise: expected .*12 samples in one call"):
        smoothed(lambda x, y: x, noise=noise[:, :5])(X, TARGETS)


def test_relative_stability_element_by_element_and_of_all_neighbours() -> None:
    noise = RANDOM.normal(0.0, 0.3, size=(6, *X.shape))
    explainer = lambda x, y: x**2  # noqa: E731
    maps = explainer(X, TARGETS)
    moved = explainer(X + noise, TARGETS)
    options = {"draws": noise, "elementwise": 1e-6, "same_prediction": False}
    ours = metrics.RelativeInputStability(**options).evaluate(model, explainer, X, TARGETS)
    change = np.linalg.norm((maps - moved) / maps, axis=2)
    reference = np.linalg.norm(noise / X, axis=2)
    np.testing.assert_allclose(ours.per_sample, (change / reference).max(axis=0), rtol=1e-9)
    whole = metrics.RelativeInputStability(draws=noise, same_prediction=False)
    change = np.linalg.norm(maps - moved, axis=2) / np.linalg.norm(maps, axis=1)
    reference = np.linalg.norm(noise, axis=2) / np.linalg.norm(X, axis=1)
    value = whole.evaluate(model, explainer, X, TARGETS)
    np.testing.assert_allclose(value.per_sample, (change / reference).max(axis=0), rtol=1e-9)
    kept = metrics.RelativeInputStability(draws=noise).evaluate(model, explainer, X, TARGETS)
    same = np.argmax((X + noise) @ W, axis=2) == np.argmax(X @ W, axis=1)
    expected = np.where(same, change / reference, -np.inf).max(axis=0)
    np.testing.assert_allclose(kept.per_sample, np.where(same.any(axis=0), expected, np.nan))


def test_samples_have_weights() -> None:
    table = evaluate(model, X, TARGETS, {"mine": MAPS}, [metrics.Deletion(), Kept()])
    weights = RANDOM.random(12)
    for result in table["deletion"], table["kept"]:
        expected = np.average(result["mine"].per_sample, weights=weights)
        assert result["mine"].weighted(weights) == pytest.approx(expected, rel=1e-12)
        assert result["mine"].weighted(np.ones(12)) == pytest.approx(result["mine"].value)
    alone = metrics.Deletion().evaluate(model, X, TARGETS, MAPS)
    assert alone.weighted(weights) == table["deletion"]["mine"].weighted(weights)
    for wrong, message in (
        (weights[:3], "one per sample, 12, got 3"),
        (-weights, "finite numbers, at least 0"),
        (np.zeros(12), "a weight above 0"),
    ):
        with pytest.raises(ValueError, match=f"sample_weights: expected .*{message}"):
            alone.weighted(wrong)


class Drops:
    """How far does the score fall without each of the two largest attributions?"""

    reads = ("inputs", "explanations", "base_scores")

    def changes(self, batch: Batch) -> Any:
        assert batch.inputs is not None and batch.explanations is not None
        assert batch.changed_scores is None
        places = np.argsort(-batch.explanations, axis=1)[:, :2]
        changed = np.stack([batch.inputs, batch.inputs])
        for change, rows in enumerate(changed):
            np.put_along_axis(rows, places[:, change, None], 0.0, axis=1)
        return changed

    def per_sample(self, batch: Batch) -> Any:
        assert batch.changed_scores is not None and batch.changed_scores.shape == (2, batch.n_samples)
        return (batch.base_scores - batch.changed_scores).sum(axis=0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("batch_size", [None, 1, 5])
def test_inputs_that_a_metric_changes_are_scored_by_the_run(dtype: Any, batch_size: Any) -> None:
    x = X.astype(dtype)
    rows = []

    def counted(batch: Any) -> Any:
        assert batch.dtype == dtype and len(batch) <= (batch_size or 16_384)
        rows.append(len(batch))
        return batch @ W

    table = evaluate(
        counted, x, TARGETS, {"a": MAPS}, [Drops()], batch_size=batch_size, activation="softmax",
        allow_batch_dependence=True,
    )  # fmt: skip
    assert table.model_rows == sum(rows) == 12 * 3

    def scores(x: Any) -> Any:
        return base_scores(lambda b: b @ W, x, TARGETS, activation="softmax")

    expected = np.zeros(12)
    for change in Drops().changes(Batch(0, 12, inputs=x, explanations=MAPS)):
        expected += scores(x) - scores(change)
    np.testing.assert_allclose(table["Drops"]["a"].per_sample, expected, rtol=1e-6)


def test_changes_of_another_shape_are_refused() -> None:
    class Wrong(Drops):
        def changes(self, batch: Batch) -> Any:
            assert batch.inputs is not None
            return batch.inputs[None, :, :3]

    with pytest.raises(ValueError, match=r"changes: expected shape \(1, 12, 6\), got \(1, 12, 3\)"):
        evaluate(model, X, TARGETS, {"mine": MAPS}, [Wrong()])
    with pytest.raises(ValueError, match="Wrong: needs model"):
        evaluate(None, X, TARGETS, {"mine": MAPS}, [Wrong()])
