"""Random inputs beside xplique itself, which runs where it is installed: thousands of values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from xai_metrics.compat.xplique import metrics as ours

pytest.importorskip("tensorflow")
theirs = pytest.importorskip("xplique.metrics")

TOLERANCE = 2e-5
MANY = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


class Case:
    """A linear model of random inputs in single precision, as the peer computes."""

    def __init__(self, seed: int, shape: tuple[int, ...], n: int, n_classes: int) -> None:
        random = np.random.default_rng(seed)
        self.x = random.normal(size=(n, *shape)).astype(np.float32)
        map_shape = shape if len(shape) < 3 or seed % 2 else shape[:2]
        self.maps = random.normal(size=(n, *map_shape)).astype(np.float32)
        if seed % 5 == 0:
            self.maps[0] = 0.0
        size = int(np.prod(shape))
        self.w = (random.normal(size=(size, n_classes)) / np.sqrt(size)).astype(np.float32)
        self.y = np.eye(n_classes, dtype=np.float32)[random.integers(0, n_classes, n)]

    def model(self, batch: Any) -> Any:
        return np.asarray(batch).reshape(len(batch), -1) @ self.w


SHAPES = st.one_of(
    st.tuples(st.integers(2, 20)),
    st.tuples(st.integers(2, 6), st.integers(2, 5)),
    st.tuples(st.integers(2, 6), st.integers(2, 6), st.integers(1, 3)),
)
CASES = st.builds(Case, st.integers(0, 2**31), SHAPES, st.integers(2, 8), st.integers(2, 4))
ACTIVATIONS = st.sampled_from([None, "softmax", "sigmoid"])


def agree(own: Any, peer: Any) -> None:
    own, peer = np.asarray(own, float), np.asarray(peer, float)
    within = np.abs(own - peer) <= TOLERANCE * np.maximum(1.0, np.abs(peer))
    assert within.all(), (own, peer)


def both(name: str, case: Case, **options: Any) -> tuple[Any, Any]:
    arguments = (case.model, case.x, case.y)
    own = getattr(ours, name)(*arguments, compat=True, **options)
    return own, getattr(theirs, name)(*arguments, **options)


@pytest.mark.parametrize(
    "name", ["AverageDropMetric", "AverageIncreaseMetric", "AverageGainMetric"]
)
@MANY
@given(case=CASES, activation=ACTIVATIONS, batch_size=st.sampled_from([1, 3, 64, None]))
def test_average_metrics(name: str, case: Case, activation: Any, batch_size: Any) -> None:
    own, peer = both(name, case, activation=activation, batch_size=batch_size)
    if activation is None:
        # Quotients by what is nearly 0 hold no digits in single precision.
        scores = case.model(case.x)
        assume(np.abs(scores).min() > 1e-2 and np.abs(1.0 - scores).min() > 1e-2)
    agree(own(case.maps), peer(case.maps))


@pytest.mark.parametrize("name", ["Deletion", "Insertion"])
@MANY
@given(
    case=CASES,
    activation=ACTIVATIONS,
    steps=st.sampled_from([-1, 2, 3, 10]),
    largest=st.sampled_from([0.5, 0.8, 1.0]),
    baseline=st.sampled_from([0.0, 0.25, -1.0]),
)
def test_curves(
    name: str, case: Case, activation: Any, steps: int, largest: float, baseline: float
) -> None:
    assume(case.maps.ndim == case.x.ndim or case.x.ndim == 4)
    assume(not (steps == -1 and case.x[0].size * largest < 1))
    options = {"steps": steps, "max_percentage_perturbed": largest, "baseline_mode": baseline}
    own, peer = both(name, case, activation=activation, **options)
    curve, expected = own.detailed_evaluate(case.maps), peer.detailed_evaluate(case.maps)
    assert list(curve) == [int(n) for n in expected]
    agree(list(curve.values()), list(expected.values()))
    agree(own(case.maps), peer(case.maps))


@pytest.mark.parametrize("name", ["Complexity", "Sparseness"])
@MANY
@given(case=CASES)
def test_complexity_and_sparseness(name: str, case: Case) -> None:
    own, peer = getattr(ours, name)(compat=True), getattr(theirs, name)()
    agree(own.detailed_evaluate(case.maps), peer.detailed_evaluate(case.maps))
    agree(own(case.maps), peer(case.maps))


@MANY
@given(seed=st.integers(0, 2**31), n=st.integers(2, 6), size=st.integers(3, 14))
def test_random_logit_of_two_classes(seed: int, n: int, size: int) -> None:
    # With two classes there is one other, whatever is drawn.
    random = np.random.default_rng(seed)
    x = random.random((n, size, size, 1)).astype(np.float32)
    y = np.eye(2, dtype=np.float32)[random.integers(0, 2, n)]
    tint = random.random((2, size, size, 1)).astype(np.float32)

    class Explainer:
        def explain(self, inputs: Any, targets: Any) -> Any:
            return np.asarray(inputs) * tint[np.argmax(np.asarray(targets), axis=1)]

    own = ours.RandomLogitMetric(None, x, y).evaluate(Explainer())
    peer = theirs.RandomLogitMetric(lambda b: b, x, y).evaluate(Explainer())
    assert abs(own - peer) < 1e-4


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**31), compat=st.just(True))
def test_mu_fidelity_is_the_same_on_average(seed: int, compat: bool) -> None:
    # The peer draws by its own random numbers: means over many subsets are compared.
    random = np.random.default_rng(seed)
    x = random.normal(size=(4, 6)).astype(np.float32)
    w, maps = random.normal(size=(6, 1)).astype(np.float32), random.normal(size=(4, 6))
    arguments: Any = (lambda b: np.asarray(b) @ w, x, np.ones((4, 1), np.float32), 3000)
    options: Any = {"nb_samples": 3000, "subset_percent": 0.4}
    kind: Any = ours.MuFidelity
    own = kind(*arguments, None, compat=compat, **options)
    peer = theirs.MuFidelity(*arguments, **options)
    assert abs(own(maps) - peer(maps.astype(np.float32))) < 0.05
