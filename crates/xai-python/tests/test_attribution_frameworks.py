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
