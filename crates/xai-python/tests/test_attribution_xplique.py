"""xplique's names with its arguments in its order, and what its users rely on."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from xai_metrics.compat.xplique.metrics import (
    AverageDropMetric,
    AverageGainMetric,
    AverageIncreaseMetric,
    AverageStability,
    Complexity,
    Deletion,
    Insertion,
    MeGe,
    ModelRandomizationMetric,
    ModelRandomizationStrategy,
    MuFidelity,
    ProgressiveLayerRandomization,
    RandomLogitMetric,
    Sparseness,
)

RANDOM = np.random.default_rng(3)
AVERAGE = [AverageDropMetric, AverageIncreaseMetric, AverageGainMetric]


def data(shape: tuple[int, ...], n_classes: int, n: int) -> tuple[Any, Any]:
    x = RANDOM.random((n, *shape)).astype(np.float32)
    return x, np.eye(n_classes, dtype=np.float32)[RANDOM.integers(0, n_classes, n)]


def network(shape: tuple[int, ...], n_classes: int) -> Any:
    weights = RANDOM.normal(size=(int(np.prod(shape)), n_classes)).astype(np.float32)

    def model(batch: Any) -> Any:
        logits = batch.reshape(len(batch), -1) @ weights
        scores = np.exp(logits - logits.max(axis=1, keepdims=True))
        return scores / scores.sum(axis=1, keepdims=True)

    return model


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        (AverageDropMetric, "model inputs targets batch_size operator activation"),
        (
            MuFidelity,
            "model inputs targets batch_size grid_size subset_percent baseline_mode nb_samples "
            "operator activation",
        ),
        (
            Deletion,
            "model inputs targets batch_size baseline_mode steps max_percentage_perturbed operator "
            "activation",
        ),
        (
            Insertion,
            "model inputs targets batch_size baseline_mode steps max_percentage_perturbed operator "
            "activation",
        ),
        (Complexity, "batch_size"),
        (Sparseness, "batch_size"),
        (AverageStability, "model inputs targets batch_size radius distance nb_samples"),
        (RandomLogitMetric, "model inputs targets batch_size activation seed"),
        (
            ModelRandomizationMetric,
            "model inputs targets randomization_strategy batch_size activation seed",
        ),
        (ProgressiveLayerRandomization, "stop_layer reverse seed"),
        (MeGe, "learning_algorithm inputs targets batch_size k_splits"),
    ],
)
def test_arguments_are_in_their_order(kind: Any, arguments: str) -> None:
    parameters = inspect.signature(kind).parameters.values()
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert positional == arguments.split()


@pytest.mark.parametrize("grid_size", [None, 5])
@pytest.mark.parametrize("subset_percent", [0.1, 0.9])
@pytest.mark.parametrize("baseline_mode", [0.0, lambda x: x - 0.5])
@pytest.mark.parametrize("compat", [False, True])
def test_mu_fidelity_of_noise_is_no_extreme(
    grid_size: Any, subset_percent: float, baseline_mode: Any, compat: bool
) -> None:
    x, y = data((16, 16, 3), 10, 8)
    maps = RANDOM.random((8, 16, 16, 1))
    score = MuFidelity(
        network((16, 16, 3), 10),
        x,
        y,
        grid_size=grid_size,
        subset_percent=subset_percent,
        baseline_mode=baseline_mode,
        nb_samples=10,
        compat=compat,
    )(maps)
    assert -1.0 < score < 1.0


def summed(x: Any) -> Any:
    return x.reshape(len(x), -1).sum(axis=1)[:, None].repeat(2, axis=1)


@pytest.mark.parametrize("batch_size", [1, 4, 9, None])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_mu_fidelity_of_a_sum_is_perfect(batch_size: int | None, sign: float) -> None:
    x = RANDOM.random((3, 5, 5, 1))
    y = np.eye(2)[[1, 1, 1]]
    metric = MuFidelity(
        summed, x, y, grid_size=None, subset_percent=0.2, batch_size=batch_size, nb_samples=7
    )
    assert metric(sign * x) == pytest.approx(sign)
    assert metric.detailed_evaluate(sign * x) == pytest.approx(sign)


@pytest.mark.parametrize("steps", [-1, 5, 10])
@pytest.mark.parametrize("baseline_mode", [0.0, lambda x: x - 0.5])
def test_curves_are_within_the_scores(steps: int, baseline_mode: Any) -> None:
    x, y = data((10, 10, 3), 10, 20)
    model, maps = network((10, 10, 3), 10), RANDOM.random((20, 10, 10, 1))
    for kind in (Deletion, Insertion):
        metric = kind(model, x, y, baseline_mode=baseline_mode, steps=steps)
        assert 0.0 <= metric(maps) <= 1.0
        curve = metric.detailed_evaluate(maps)
        scores = list(curve.values())
        areas = [(a + b) / 2 for a, b in zip(scores, scores[1:])]
        assert metric.evaluate(maps) == pytest.approx(np.mean(areas))
    assert list(curve) == list(range(101)) if steps == -1 else len(curve) == steps + 1


def test_one_output_stands_for_all_classes() -> None:
    x, y = data((16, 16, 1), 2, 20)

    def all_there(x: Any) -> Any:
        return 1.0 - (x == 0.0).max(axis=(1, 2)).astype(np.float32)

    def any_there(x: Any) -> Any:
        return (x != 0.0).max(axis=(1, 2)).astype(np.float32)

    assert Deletion(all_there, x, y, steps=256)(x) == pytest.approx(0.0, abs=1e-2)
    assert Insertion(any_there, x, y, steps=256)(x) == pytest.approx(1.0, abs=1e-2)


def test_ties_are_in_their_order_when_asked() -> None:
    x = np.array([[1.0, 2.0, 4.0]])
    metric = Deletion(lambda b: b.sum(axis=1), x, [[1.0]], steps=-1)
    assert list(metric.detailed_evaluate(np.ones((1, 3))).values()) == [7.0, 6.0, 4.0, 0.0]
    metric = Deletion(lambda b: b.sum(axis=1), x, [[1.0]], steps=-1, compat=True)
    assert list(metric.detailed_evaluate(np.ones((1, 3))).values()) == [7.0, 3.0, 1.0, 0.0]


def test_scores_that_cannot_be_divided_by() -> None:
    x, maps = np.array([[-1.0, 4.0]]), np.array([[0.0, 1.0]])
    with pytest.raises(ValueError, match=r"(?s)scores\[0\] = -1: .* base_score_policy=.* or as-is"):
        AverageDropMetric(lambda b: b, x, [[1, 0]])(maps)
    # The quotient of what is lost, -1 - 0, by the score -1.
    assert AverageDropMetric(lambda b: b, -x, [[0, 1]], compat=True)(maps) <= 0.0
    value = AverageDropMetric(lambda b: -b, x, [[0, 1]], compat=True)
    assert value(1.0 - maps) == pytest.approx(0.0)


def test_operators_score_rows_by_their_targets() -> None:
    x, y = data((4, 4, 1), 3, 6)
    maps = RANDOM.random(x.shape)
    seen = []

    def operator(model: Any, inputs: Any, targets: Any) -> Any:
        seen.append(targets)
        return (model(inputs) * targets).sum(axis=-1)

    model = network((4, 4, 1), 3)
    for kind in (*AVERAGE, Deletion, Insertion):
        plain = kind(model, x, y, batch_size=4)(maps)
        own = kind(model, x, y, batch_size=4, operator=operator)(maps)
        assert own == pytest.approx(plain, abs=1e-6)
        assert kind(model, x, y, operator="classification")(maps) == pytest.approx(plain, abs=1e-6)
        softmax = kind(model, x, y, activation="softmax")(maps)
        own = kind(model, x, y, operator=operator, activation="softmax")(maps)
        assert own == pytest.approx(softmax, abs=1e-6)
    assert all(len(targets[0]) == 3 for targets in seen)
    with pytest.raises(ValueError, match="operator: expected classification or regression"):
        AverageDropMetric(model, x, y, operator="object detection")
    with pytest.raises(ValueError, match=r"operator: expected scores of shape \(6,\)"):
        AverageDropMetric(model, x, y, operator=lambda m, i, t: t)(maps)


def test_an_operator_that_is_constant_yields_zero() -> None:
    x, y = data((8, 8, 1), 2, 6)
    maps = RANDOM.normal(size=x.shape)
    for kind in AVERAGE:
        metric = kind(network((8, 8, 1), 2), x, y, 3, lambda m, i, t: np.ones(len(i)))
        assert metric(maps) == pytest.approx(0.0, abs=1e-6)


def test_average_drop_of_the_mean_of_inputs() -> None:
    x = RANDOM.uniform(0.1, 1.0, (4, 4, 4, 1)).astype(np.float32)
    y = np.eye(2, dtype=np.float32)[np.zeros(4, int)]
    maps = RANDOM.random(x.shape).astype(np.float32)

    def mean(model: Any, inputs: Any, targets: Any) -> Any:
        return inputs.reshape(len(inputs), -1).mean(axis=1)

    metric = AverageDropMetric(network((4, 4, 1), 2), x, y, 2, operator=mean)
    base = mean(None, x, y)
    after = mean(None, metric._perturb_with_mask(x, maps), y)
    expected = np.maximum(base - after, 0.0) / (base + 1e-8)
    assert metric(maps) == pytest.approx(expected.mean(), abs=1e-5)
    assert metric.detailed_evaluate(x[:2], y[:2], maps[:2]) == pytest.approx(expected[:2], abs=1e-5)


@pytest.mark.parametrize("shape", [(20,), (20, 10), (20, 16, 3), (28, 28, 1)])
def test_inputs_of_any_layout(shape: tuple[int, ...]) -> None:
    x, y = data(shape, 5, 15)
    model, maps = network(shape, 5), RANDOM.normal(size=(15, *shape)).astype(np.float32)
    scores = [kind(model, x, y)(maps) for kind in AVERAGE]
    scores += [kind(model, x, y, steps=3)(maps) for kind in (Deletion, Insertion)]
    scores.append(MuFidelity(model, x, y, nb_samples=3, grid_size=None, subset_percent=0.9)(maps))
    stability = AverageStability(model, x, y, nb_samples=3)
    scores.append(stability(lambda inputs, targets: inputs * 2.0))
    assert all(type(score) is float for score in scores)


@pytest.mark.parametrize("compat", [False, True])
def test_average_stability(compat: bool) -> None:
    x, y = data((8, 8, 1), 2, 10)
    same = AverageStability(None, x, y, compat=compat)
    assert same(lambda inputs, targets: np.ones(inputs.shape)) == 0.0

    def worst(inputs: Any, targets: Any) -> Any:
        original = [any((one == given).all() for given in x) for one in inputs]
        return np.ones(inputs.shape) * np.array(original)[:, None, None, None]

    assert same(worst) == pytest.approx(8.0)
    assert same.evaluate(worst, np.ones(x.shape)) == pytest.approx(8.0)

    def explainer(inputs: Any, targets: Any) -> Any:
        assert targets.shape == (len(inputs), 2)
        return inputs

    by = {
        d if isinstance(d, str) else "largest": AverageStability(
            None, x, y, distance=d, nb_samples=5, compat=compat
        )(explainer)
        for d in ("l1", "l2", lambda a, b: np.max(np.abs(a - b)))
    }
    assert by["largest"] <= by["l2"] <= by["l1"] and by["largest"] <= 0.1
    noise = [AverageStability(None, x, y, radius=10.0**i).noisy_masks.mean() for i in range(-4, 4)]
    assert noise == sorted(noise)
    with pytest.raises(ValueError, match="distance"):
        AverageStability(None, x, y, distance="l3")


def test_random_logit() -> None:
    x, y = data((16, 16, 3), 5, 6)

    class Scaled:
        def explain(self, inputs: Any, targets: Any) -> Any:
            scale = (np.argmax(targets, axis=-1) + 1.0) / 5
            return inputs * scale[:, None, None, None]

    metric = RandomLogitMetric(network((16, 16, 3), 5), x, y, 2)
    assert metric(lambda inputs, targets: inputs) == pytest.approx(1.0)
    assert 0.0 <= metric(Scaled()) < 1.0
    assert metric.evaluate(Scaled()) == RandomLogitMetric(None, x, y).evaluate(Scaled())
    classes = RandomLogitMetric(network((16, 16, 3), 5), x, np.argmax(y, axis=1))
    assert classes.n_classes == 5
    assert RandomLogitMetric(network((16, 16, 3), 5), x).n_classes == 5
    with pytest.raises(ValueError, match="targets: expected rows"):
        RandomLogitMetric(None, x)


class Layer:
    def __init__(self, name: str, weights: Any) -> None:
        self.name, self._weights = name, [weights] if weights is not None else []

    def get_weights(self) -> Any:
        return self._weights

    def set_weights(self, weights: Any) -> None:
        self._weights = weights


class Layered:
    """A model with layers as Keras has them."""

    def __init__(self) -> None:
        shapes: Any = {"first": (12, 6), "activation": None, "second": (6, 4), "last": (4, 3)}
        self.layers = [
            Layer(n, None if s is None else RANDOM.normal(size=s)) for n, s in shapes.items()
        ]

    def weights(self) -> Any:
        return [layer.get_weights()[0] for layer in self.layers if layer.get_weights()]

    def __call__(self, batch: Any) -> Any:
        for weights in self.weights():
            batch = batch @ weights
        return batch


class OfModel:
    def __init__(self, model: Any) -> None:
        self.model = model

    def explain(self, inputs: Any, targets: Any) -> Any:
        first, second, last = self.model.weights()
        weights = (first @ second @ last).T[np.argmax(targets, axis=1)]
        return inputs * weights


@pytest.mark.parametrize(
    ("stop_layer", "reverse", "changed"),
    [
        ("first", True, [False, True, True]),
        ("last", True, [False, False, False]),
        (2, False, [True, True, False]),
        (0.5, True, [False, False, True]),
        (9, True, [True, True, True]),
    ],
)
def test_layers_are_randomized_up_to_one(stop_layer: Any, reverse: bool, changed: Any) -> None:
    model = Layered()
    before = model.weights()
    assert ProgressiveLayerRandomization(stop_layer, reverse).randomize(model) is model
    is_other = [not (a == b).all() for a, b in zip(before, model.weights())]
    assert is_other == changed


def test_stop_layers_are_checked() -> None:
    for share in (1.5, -0.1):
        with pytest.raises(ValueError, match="share"):
            ProgressiveLayerRandomization(share)
    with pytest.raises(TypeError, match="stop_layer"):
        ProgressiveLayerRandomization({"not": "allowed"})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not found"):
        ProgressiveLayerRandomization("none").randomize(Layered())
    with pytest.raises(TypeError, match="torch module or a Keras model"):
        ProgressiveLayerRandomization(1).randomize(lambda x: x)


@pytest.mark.parametrize("compat", [False, True])
def test_model_randomization(compat: bool) -> None:
    x, y = data((12,), 3, 20)
    model = Layered()
    explainer = OfModel(model)

    class Same(ModelRandomizationStrategy):
        def randomize(self, model: Any) -> Any:
            return model

    same = ModelRandomizationMetric(model, x, y, Same(), compat=compat)
    assert same(explainer) == pytest.approx(1.0)
    strategy = ProgressiveLayerRandomization(1.0)
    random = ModelRandomizationMetric(model, x, y, strategy, compat=compat)
    assert random(explainer) < 0.9
    assert explainer.model is model
    with pytest.raises(TypeError, match="an attribute `model`"):
        same(lambda inputs, targets: inputs)


def test_mege_trains_a_model_for_every_split() -> None:
    x, y = data((8, 8, 1), 4, 16)
    trained = []

    def train(x_train: Any, y_train: Any, x_test: Any, y_test: Any) -> Any:
        trained.append((len(x_train), len(x_test)))
        assert (len(y_train), len(y_test)) == trained[-1]
        return network((8, 8, 1), 4)

    metric = MeGe(train, x, y, k_splits=4)
    assert trained == [(12, 4)] * 4
    mege, _ = metric.evaluate(lambda model, scale: lambda i, t: scale * i, {"scale": 2.0})
    # Maps that are the same for all models have no distance, but for rounding of the correlation.
    assert mege == pytest.approx(1.0, abs=1e-6) or np.isnan(mege)
    with pytest.raises(ValueError, match="k_splits"):
        MeGe(train, x, y, k_splits=3)


def test_data_sets_of_pairs_are_unzipped() -> None:
    x, y = data((4, 4, 1), 3, 6)

    class Pairs:
        _batch_size = 2

        def unbatch(self) -> Any:
            return self

        def as_numpy_iterator(self) -> Any:
            return zip(x, y)

    model, maps = network((4, 4, 1), 3), RANDOM.random(x.shape)
    pairs = Deletion(model, Pairs())(maps)
    assert pairs == Deletion(model, x, y)(maps)


def test_subclasses_of_their_bases() -> None:
    from xai_metrics.compat.xplique.metrics.base import (
        BaseComplexityMetric,
        ExplainerMetric,
        ExplanationMetric,
    )

    class Summed(BaseComplexityMetric):
        def detailed_evaluate(self, explanations: Any) -> Any:
            return explanations.sum(axis=(1, 2))

    maps = np.arange(24.0).reshape(2, 3, 4)
    for batch_size in (1, 2, 4, None):
        assert Summed(batch_size)(maps) == Summed(batch_size).evaluate(maps) == maps.sum() / 2
    x, y = data((4,), 2, 3)
    metric = Deletion(network((4,), 2), x, y)
    assert isinstance(metric, ExplanationMetric)
    assert isinstance(AverageStability(None, x, y), ExplainerMetric)
    scores = metric.batch_inference_function(metric.model, x, y, 2)
    np.testing.assert_allclose(scores, (metric.model(x) * y).sum(axis=1), rtol=1e-6)


def test_activations_have_names() -> None:
    x, y = data((4,), 2, 3)
    with pytest.raises(ValueError, match="activation: expected None, sigmoid or softmax"):
        Deletion(network((4,), 2), x, y, activation="relu")
    with pytest.raises(ValueError, match="explanations: expected one per input, 3"):
        Deletion(network((4,), 2), x, y)(x[:2])


def test_constant_maps_count_in_xplique_only() -> None:
    x = np.array([[0.5, 1.0], [1.0, 0.5]], np.float32)
    y = np.ones((2, 1), np.float32)

    def model(batch: Any) -> Any:
        return batch.sum(axis=1, keepdims=True)

    maps = np.array([[0.0, 1.0], [0.25, 0.25]], np.float32)
    ours, theirs = (AverageDropMetric(model, x, y, compat=compat) for compat in (False, True))
    per_sample = ours.detailed_evaluate(x, y, maps)
    assert np.isnan(per_sample[1]) and ours(maps) == pytest.approx(1 / 3)
    assert theirs.detailed_evaluate(x, y, maps) == pytest.approx([1 / 3, 1.0])
    # The scale of a map matters to its epsilon alone.
    assert ours(maps * np.float32(2.0**-40)) == ours(maps)
    assert theirs(maps * np.float32(1e-9)) > theirs(maps) + 0.1
    assert Complexity().evaluate(maps * np.float32(2.0**-40)) == Complexity().evaluate(maps)
    assert Complexity(compat=True).evaluate(maps * np.float32(1e-12)) < 0.01
