"""Models of scikit-learn, JAX and TensorFlow, each where it is installed."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from xai_metrics.attribution import base_scores, evaluate, metrics

RANDOM = np.random.default_rng(4)
X = RANDOM.random((12, 5)).astype(np.float32)
W = RANDOM.normal(size=(5, 3)).astype(np.float32)
TARGETS = RANDOM.integers(0, 3, 12)


def test_scikit_learn_classifiers_are_asked_for_probabilities() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    x = RANDOM.random((60, 4))
    y = (x[:, 0] > 0.5).astype(int) + (x[:, 1] > 0.5)
    forest = ensemble.RandomForestClassifier(10, random_state=0).fit(x, y)
    scores = base_scores(forest, x, y)
    np.testing.assert_array_equal(scores, forest.predict_proba(x)[np.arange(60), y])
    value = metrics.Deletion().evaluate(forest, x, y, x)
    assert value.value == metrics.Deletion().evaluate(forest.predict_proba, x, y, x).value
    linear = pytest.importorskip("sklearn.linear_model")
    regression = linear.LinearRegression().fit(x, x @ [1.0, 2.0, 3.0, 4.0])
    value = metrics.Completeness().evaluate(regression, x, np.zeros(60), x * regression.coef_)
    # The terms of a linear model add up to what it answers.
    np.testing.assert_allclose(value.per_sample, 0.0, atol=1e-9)


@pytest.mark.parametrize("labels", [[0, 2, 5], ["ant", "bee", "cat"], [False, True]])
def test_targets_are_classes_of_the_estimator(labels: Any) -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    columns = TARGETS % len(labels)
    y = np.array(labels)[columns]
    classifier = linear.LogisticRegression().fit(X, y)
    expected = classifier.predict_proba(X)[np.arange(12), columns]
    np.testing.assert_array_equal(base_scores(classifier, X, y), expected)
    np.testing.assert_array_equal(base_scores(classifier, X, list(y)), expected)
    seen = []

    def explainer(inputs: Any, targets: Any) -> Any:
        seen.append(targets)
        return inputs

    evaluate(classifier, X, y, {"a": explainer}, ["deletion"], batch_size=None)
    np.testing.assert_array_equal(seen[0], y)
    with pytest.raises(ValueError, match=r"targets\[0\]: .*is no class of the model; its classes_"):
        base_scores(classifier, X, [7] * 12)


def test_classifiers_without_probabilities_are_asked_for_decisions() -> None:
    svm = pytest.importorskip("sklearn.svm")
    classifier = svm.LinearSVC().fit(X, TARGETS)
    decisions = classifier.decision_function(X)
    odds = np.exp(decisions - decisions.max(axis=1, keepdims=True))
    expected = (odds / odds.sum(axis=1, keepdims=True))[np.arange(12), TARGETS]
    np.testing.assert_allclose(base_scores(classifier, X, TARGETS), expected, rtol=1e-12)
    raw = base_scores(classifier, X, TARGETS, activation="none")
    np.testing.assert_array_equal(raw, decisions[np.arange(12), TARGETS])
    table = evaluate(classifier, X, TARGETS, {"a": X}, replicates=0)
    assert table.assumed == {"layout": "tabular", "activation": "softmax"}
    assert table["average_gain"]["a"].value is not None
    two = svm.LinearSVC().fit(X, TARGETS > 0)
    raw = base_scores(two, X, TARGETS > 0, activation="none")
    signs = np.where(TARGETS > 0, 1.0, -1.0)
    np.testing.assert_array_equal(raw, signs * two.decision_function(X))
    pairs = svm.SVC(decision_function_shape="ovo").fit(
        np.vstack([X, X + 1.0]), np.arange(24) % 4
    )
    with pytest.raises(ValueError, match='decision_function_shape="ovr"'):
        base_scores(pairs, X, [0] * 12)
    ensemble = pytest.importorskip("sklearn.ensemble")
    votes = ensemble.VotingClassifier([("a", classifier)]).fit(X, TARGETS)
    with pytest.raises(TypeError, match="VotingClassifier answers classes"):
        base_scores(votes, X, TARGETS)


def test_columns_of_tables_are_matched_by_name() -> None:
    pandas = pytest.importorskip("pandas")
    ensemble = pytest.importorskip("sklearn.ensemble")
    names = ["a", "b", "c", "d", "e"]
    x = pandas.DataFrame(X, columns=names)
    # Fitted to a table: it would warn of arrays without names.
    forest = ensemble.RandomForestClassifier(5, random_state=0).fit(x, TARGETS)
    maps = pandas.DataFrame(RANDOM.normal(size=X.shape), columns=names)
    expected = metrics.Deletion().evaluate(forest, x, TARGETS, maps).per_sample
    assert not np.array_equal(expected, metrics.Deletion().evaluate(forest, x, TARGETS, -maps).per_sample)
    for same in (maps[names[::-1]], maps.to_numpy(), pandas.DataFrame(maps.to_numpy())):
        given = metrics.Deletion().evaluate(forest, x, TARGETS, same)
        np.testing.assert_array_equal(given.per_sample, expected)
    for other in (maps.rename(columns={"a": "z"}), maps[["a", "a", "b", "c", "d"]]):
        with pytest.raises(ValueError, match="explanations: expected the columns of the inputs"):
            metrics.Deletion().evaluate(forest, x, TARGETS, other)


def test_functions_of_jax_are_given_its_arrays() -> None:
    jax = pytest.importorskip("jax")
    numpy = jax.numpy

    def linear(batch: Any) -> Any:
        return numpy.asarray(batch) @ W

    model = jax.jit(linear)

    def gradient(inputs: Any, targets: Any) -> Any:
        assert isinstance(inputs, jax.Array) and isinstance(targets, jax.Array)
        return jax.grad(lambda x: numpy.take_along_axis(model(x), targets[:, None], 1).sum())(
            inputs
        )

    scores = base_scores(model, X, TARGETS, framework="jax")
    expected = base_scores(lambda b: b @ W, X, TARGETS)
    np.testing.assert_allclose(scores, expected, rtol=1e-5)
    device = jax.devices("cpu")[0]
    explainers = {"gradient": gradient}
    table = evaluate(model, X, TARGETS, explainers, ["deletion"], framework="jax", device=device)
    maps = W.T[TARGETS]
    np.testing.assert_allclose(
        float(table["deletion"]["gradient"]),
        metrics.Deletion().evaluate(lambda b: b @ W, X, TARGETS, maps).value,
        rtol=1e-5,
    )
    given = metrics.Deletion().evaluate(model, numpy.asarray(X), TARGETS, numpy.asarray(maps))
    assert np.isfinite(given.value)


def test_keras_models_are_given_tensors() -> None:
    tf = pytest.importorskip("tensorflow")
    layer = tf.keras.layers.Dense(3, use_bias=False)
    model = tf.keras.Sequential([tf.keras.layers.Input((5,)), layer])
    layer.set_weights([W])
    expected = base_scores(lambda b: b @ W, X, TARGETS)
    np.testing.assert_allclose(base_scores(model, X, TARGETS), expected, rtol=1e-5)
    np.testing.assert_allclose(
        base_scores(model, tf.constant(X), tf.constant(TARGETS), device="/CPU:0"),
        expected,
        rtol=1e-5,
    )

    def function(batch: Any) -> Any:
        assert tf.is_tensor(batch)
        return batch @ W

    scores = base_scores(function, X, TARGETS, framework="tensorflow")
    np.testing.assert_allclose(scores, expected, rtol=1e-5)


def test_any_thread_may_evaluate() -> None:
    threads, values = set(), []

    def model(batch: Any) -> Any:
        threads.add(threading.get_ident())
        return batch @ W

    def work() -> None:
        values.append(metrics.Deletion().evaluate(model, X, TARGETS, X).value)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(values) == 4 and len(set(values)) == 1
    assert threading.get_ident() not in threads


def test_columns_are_matched_wherever_tables_are_given() -> None:
    pandas = pytest.importorskip("pandas")
    from xai_metrics.attribution import map_similarity, mask_inputs, masked_scores, representativity

    x = pandas.DataFrame(RANDOM.normal(size=(12, 3)), columns=["a", "b", "c"])
    other = x[["c", "a", "b"]]
    np.testing.assert_array_equal(mask_inputs(x, other), mask_inputs(x, x))
    np.testing.assert_allclose(map_similarity(x, other, "spearman"), 1.0)
    same = masked_scores(lambda b: b, x, [0] * 12, other)
    np.testing.assert_array_equal(same.masked, masked_scores(lambda b: b, x, [0] * 12, x).masked)
    predictions = [[0] * 12, [0] * 11 + [1]]
    assert representativity([x, other], predictions, [0] * 12).mege == 1.0
    # Without inputs the first maps have the columns.
    assert np.isclose(metrics.RankCorrelation().evaluate(x, other).value, 1.0)
    assert metrics.InputInvariance().evaluate(x, other).value == 0.0
    maps = {"a": x, "b": other}
    table = evaluate(None, None, None, maps, ["rank_correlation"], reference_maps=other)
    assert [float(table["rank_correlation"][name]) for name in maps] == pytest.approx([1.0, 1.0])
    # The columns of numbers without names, in another order.
    counted = pandas.DataFrame(x.to_numpy())
    given = metrics.RankCorrelation().evaluate(counted, counted[[2, 0, 1]], inputs=counted)
    assert np.isclose(given.value, 1.0)
    masks = x.eq(x.max(axis=1), axis=0)
    assert metrics.PointingGame().evaluate(x, masks[["c", "a", "b"]], inputs=x).value == 1.0
    segments = pandas.DataFrame([[0, 0, 1]] * 12, columns=["a", "b", "c"])
    values = [
        metrics.Irof().evaluate(lambda b: b[:, :2] ** 2, x, [0] * 12, x, of).value
        for of in (segments, segments[["c", "a", "b"]])
    ]
    assert values[0] == values[1]
    means = x.mean()
    values = [
        metrics.Deletion(baseline=of).evaluate(lambda b: b @ W[:3], x, TARGETS, x).value
        for of in (means.to_numpy(), means, means[["c", "a", "b"]])
    ]
    assert values[0] == values[1] == values[2]
    message = (
        "b: expected the columns of a; 'a' is missing, 'z' is unknown; rename the columns, or give"
    )
    with pytest.raises(ValueError, match=message):
        map_similarity(x, x.rename(columns={"a": "z"}), "spearman")


def test_probabilities_of_an_estimator_are_read_as_such() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    x = np.random.default_rng(5).normal(size=(60, 4))
    y = (x[:, 0] + 0.5 * x[:, 1] > 0).astype(int)
    model = linear.LogisticRegression().fit(x, y)
    maps = x * model.coef_[0] * np.where(y == 1, 1.0, -1.0)[:, None]
    table = evaluate(model, x, y, {"lin": maps}, ["log_odds", "cross_entropy"])
    top = np.argsort(-maps, axis=1, kind="stable")[:, :1]
    removed = x.copy()
    np.put_along_axis(removed, top, 0.0, axis=1)
    rows = np.arange(60)
    before, after = (np.log(model.predict_proba(of)[rows, y]) for of in (x, removed))
    assert table["cross_entropy"]["lin"].value == pytest.approx(float(-after.mean()), rel=1e-9)
    assert table["log_odds"]["lin"].value == pytest.approx(float((after - before).mean()), rel=1e-9)
