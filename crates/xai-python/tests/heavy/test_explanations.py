"""Explanations of other libraries, given as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xai_metrics.attribution import evaluate, explain, metrics, plot_maps

torch = pytest.importorskip("torch")

RANDOM = np.random.default_rng(9)
X = RANDOM.random((30, 4))
Y = (X[:, 0] > 0.5).astype(int) + (X[:, 1] > 0.5)


def of_targets(values: Any, y: Any) -> Any:
    return values[np.arange(len(y)), :, y]


def complexity(model: Any, x: Any, y: Any, maps: Any) -> Any:
    """Of the maps as the native part is given them."""
    table = evaluate(model, x, y, {"a": maps, "plain": "random"}, ["deletion"], replicates=0)
    return table["deletion"]["a"].per_sample


def test_shap_values_are_those_of_the_target() -> None:
    shap = pytest.importorskip("shap")
    pandas = pytest.importorskip("pandas")
    ensemble = pytest.importorskip("sklearn.ensemble")
    names = ["a", "b", "c", "d"]
    x = pandas.DataFrame(X, columns=names)
    words = np.array(["low", "mid", "top"])[Y]
    forest = ensemble.RandomForestClassifier(10, random_state=0).fit(x, words)
    explanation = shap.TreeExplainer(forest)(x)
    assert explanation.values.shape == (30, 4, 3)
    maps = of_targets(explanation.values, Y)
    # As the explainer answers, and by the names of its columns.
    turned = shap.TreeExplainer(forest)(x)
    turned.values, turned.feature_names = explanation.values[:, ::-1], names[::-1]
    expected = complexity(forest, x, words, maps)
    classes = [explanation.values[..., i] for i in range(3)]
    for given in (explanation, turned, explanation.values, classes, shap.TreeExplainer(forest)):
        np.testing.assert_array_equal(complexity(forest, x, words, given), expected)
    # Rows of weights add them up.
    rows = np.eye(3)[Y] - 1.0 / 3.0
    np.testing.assert_allclose(
        explain(forest, x, rows, shap.TreeExplainer(forest)),
        (explanation.values * rows[:, None]).sum(-1),
    )
    # Of one class alone they are those of its samples.
    top = Y == 2
    of_one = explanation[..., 2]
    np.testing.assert_array_equal(
        complexity(forest, x[top], words[top], of_one[np.flatnonzero(top)]), expected[top]
    )
    message = r"explainers\['a'\]: has values of the class .Output 2., .* the values of all classes"
    with pytest.raises(ValueError, match=message):
        complexity(forest, x, words, of_one)
    for place, called in ((0, "Output 0"), (1, "mid")):
        other = shap.Explanation(explanation.values[top, :, place], output_names=called)
        with pytest.raises(ValueError, match=f"has values of the class '{called}'"):
            complexity(forest, x[top], words[top], other)
    # Nobody's names are no names.
    unnamed = shap.TreeExplainer(forest)(x)
    unnamed.feature_names = [f"Feature {i}" for i in range(4)]
    np.testing.assert_array_equal(complexity(forest, x, words, unnamed), expected)
    with pytest.raises(ValueError, match="axis more than the inputs, and it is not the 3 outputs"):
        evaluate(forest, x, words, {"a": np.zeros((30, 4, 7))}, ["deletion"])


def test_shap_values_of_the_second_of_two_classes_are_turned_for_the_first() -> None:
    shap, xgboost = pytest.importorskip("shap"), pytest.importorskip("xgboost")
    y = (X[:, 0] > 0.5).astype(int)
    booster = xgboost.XGBClassifier(n_estimators=5).fit(X, y)
    explanation = shap.TreeExplainer(booster)(X)
    assert explanation.values.shape == X.shape
    signed = explanation.values * np.where(y == 1, 1.0, -1.0)[:, None]
    np.testing.assert_allclose(
        explain(booster, X, y, shap.TreeExplainer(booster)), signed, rtol=1e-6
    )
    table = evaluate(booster, X, y, {"trees": explanation}, ["deletion"])
    assert "negated where the target is the first" in table.assumed["maps of trees"]
    table = evaluate(booster, X, y, {"trees": signed}, ["deletion"])
    assert "maps of trees" not in table.assumed
    # The score of a class that was chosen stays as it is.
    ensemble = pytest.importorskip("sklearn.ensemble")
    forest = ensemble.RandomForestClassifier(5, random_state=0).fit(X, y)
    chosen = shap.TreeExplainer(forest)(X)[..., 0]
    assert "maps of a" not in evaluate(forest, X, y, {"a": chosen}, ["deletion"]).assumed


def network(n_outputs: int = 3) -> Any:
    torch.manual_seed(0)
    layers = [
        torch.nn.Conv2d(3, 6, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.AvgPool2d(4),
        torch.nn.Flatten(),
    ]
    return torch.nn.Sequential(*layers, torch.nn.Linear(96, n_outputs)).eval()


IMAGES = RANDOM.random((6, 3, 16, 16)).astype(np.float32)
CLASSES = np.array([0, 1, 2, 0, 1, 2])


def test_objects_of_captum_with_their_arguments() -> None:
    captum = pytest.importorskip("captum.attr")
    model = network()
    tensors, y = torch.from_numpy(IMAGES), torch.from_numpy(CLASSES)
    method = captum.IntegratedGradients(model)
    one_hot = np.eye(3)[CLASSES]
    for options in ({}, {"n_steps": 7}, {"n_steps": 7, "return_convergence_delta": True}):
        expected = method.attribute(tensors, target=y, n_steps=options.get("n_steps", 50))
        for targets in (CLASSES, one_hot):
            maps = explain(model, IMAGES, targets, method, **options)
            np.testing.assert_allclose(maps, expected.numpy(), atol=1e-7)
    with pytest.raises(ValueError, match="captum's methods explain one class"):
        explain(model, IMAGES, one_hot / 2, method)
    explainers = {
        "few": (method, {"n_steps": 5}),
        "both": (method.attribute(tensors, target=y), (method, {"n_steps": 5})),
        "saliency": captum.Saliency(model),
        "occlusion": (
            captum.Occlusion(model),
            {"sliding_window_shapes": (3, 4, 4), "strides": (3, 4, 4)},
        ),
    }
    table = evaluate(
        model, IMAGES, CLASSES, explainers, ["deletion", "average_stability"], replicates=0
    )
    values = table["average_stability"].values
    assert list(values) == list(explainers) and all(of.value is not None for of in values.values())
    # Few steps are another explainer than many.
    assert (
        values["few"].value
        != evaluate(model, IMAGES, CLASSES, {"few": method}, ["average_stability"], replicates=0)[
            "average_stability"
        ]["few"].value
    )


def test_maps_of_a_layer_are_upsampled() -> None:
    captum = pytest.importorskip("captum.attr")
    model = network()
    method = captum.LayerGradCam(model, model[2])
    tensors, y = torch.from_numpy(IMAGES), torch.from_numpy(CLASSES)
    small = method.attribute(tensors, target=y).detach()
    assert small.shape == (6, 1, 4, 4)
    expected = captum.LayerAttribution.interpolate(small, (16, 16), "bilinear").numpy()[:, 0]
    np.testing.assert_allclose(explain(model, IMAGES, CLASSES, method), expected, atol=1e-6)
    explainers = {"given": small, "asked": method, "whole": expected}
    table = evaluate(model, IMAGES, CLASSES, explainers, ["deletion", "complexity"])
    for name in ("given", "asked"):
        assert table.assumed[f"maps of {name}"] == "upsampled bilinearly from 4 × 4"
        np.testing.assert_allclose(
            table["complexity"][name].per_sample, table["complexity"]["whole"].per_sample, rtol=1e-4
        )
    assert "maps of whole" not in table.assumed


def test_explanations_of_lime() -> None:
    tabular = pytest.importorskip("lime.lime_tabular")
    linear = pytest.importorskip("sklearn.linear_model")
    y = (X[:, 0] > 0.5).astype(int)
    model = linear.LogisticRegression().fit(X, y)
    explainer = tabular.LimeTabularExplainer(X, discretize_continuous=False, random_state=0)
    both = [
        explainer.explain_instance(x, model.predict_proba, labels=(0, 1), num_samples=200)
        for x in X[:8]
    ]
    expected = np.array([[dict(one.local_exp[c])[j] for j in range(4)] for one, c in zip(both, y)])
    second = [explainer.explain_instance(x, model.predict_proba, num_samples=200) for x in X[:8]]
    found = evaluate(
        model, X[:8], y[:8], {"a": both, "b": second, "plain": expected}, ["complexity", "deletion"]
    )
    np.testing.assert_array_equal(
        found["deletion"]["a"].per_sample, found["deletion"]["plain"].per_sample
    )
    # Without the labels of all classes the other of two is turned.
    assert "maps of b" in found.assumed and "maps of a" not in found.assumed
    signs = [
        np.sign([dict(one.local_exp[1])[j] for j in range(4)]) * (1 if c else -1)
        for one, c in zip(second, y)
    ]
    assert (np.sign(expected)[:, 0] == np.array(signs)[:, 0]).all()
    three = linear.LogisticRegression().fit(X, Y)
    one = [
        explainer.explain_instance(x, three.predict_proba, labels=(1,), num_samples=50)
        for x in X[:8]
    ]
    with pytest.raises(
        ValueError, match=r"explainers\['a'\]\[\d\]: lime has explained the labels 1, the target"
    ):
        evaluate(three, X[:8], Y[:8], {"a": one}, ["deletion"])
    regression = linear.LinearRegression().fit(X, X @ [1.0, 2.0, 3.0, 4.0])
    explainer = tabular.LimeTabularExplainer(
        X, mode="regression", discretize_continuous=False, random_state=0
    )
    results = [explainer.explain_instance(x, regression.predict, num_samples=200) for x in X[:8]]
    table = evaluate(
        regression, X[:8], None, {"a": results, "true": X[:8] * 0 + regression.coef_}, ["deletion"]
    )
    np.testing.assert_allclose(
        table["deletion"]["a"].per_sample, table["deletion"]["true"].per_sample
    )


def test_superpixels_of_lime_and_others() -> None:
    image = pytest.importorskip("lime.lime_image")
    model = network()
    x = np.moveaxis(IMAGES, 1, 3).astype(np.float64)
    segments = (np.arange(16)[:, None] // 8 * 2 + np.arange(16) // 8) * np.ones((16, 16), int)

    def predict(batch: Any) -> Any:
        return model(torch.from_numpy(np.moveaxis(batch, 3, 1)).float()).softmax(1).detach().numpy()

    explainer = image.LimeImageExplainer(random_state=0)
    results = [
        explainer.explain_instance(
            one, predict, labels=(0, 1, 2), num_samples=40, segmentation_fn=lambda _: segments
        )
        for one in x
    ]
    values = np.array(
        [[dict(one.local_exp[c])[j] for j in range(4)] for one, c in zip(results, CLASSES)]
    )
    maps = values[:, segments]
    explainers = {
        "lime": results,
        "pair": (values, segments),
        "pair of all": (torch.from_numpy(values), np.stack([segments] * 6)),
        "maps": maps,
    }
    found = evaluate(predict, x, CLASSES, explainers, ["deletion"])["deletion"]
    for name in explainers:
        np.testing.assert_array_equal(found[name].per_sample, found["maps"].per_sample)
    given = metrics.Irof().evaluate(predict, x, CLASSES, values, segments=segments)
    np.testing.assert_array_equal(
        given.per_sample,
        metrics.Irof().evaluate(predict, x, CLASSES, maps, segments=segments).per_sample,
    )
    with pytest.raises(
        ValueError, match="has values of 3 segments, which are numbered from 0; .* 0 to 3"
    ):
        evaluate(predict, x, CLASSES, {"a": (values[:, :3], segments)}, ["deletion"])


def test_the_gradient_is_that_of_the_framework() -> None:
    captum = pytest.importorskip("captum.attr")
    model = network()
    expected = captum.InputXGradient(model).attribute(
        torch.from_numpy(IMAGES), target=torch.from_numpy(CLASSES)
    )
    maps = explain(model, IMAGES, CLASSES, "input_x_gradient", batch_size=4)
    np.testing.assert_allclose(maps, expected.detach().numpy(), atol=1e-6)
    tensors = explain(
        lambda x: torch.tanh(x @ torch.ones(4, 2).double()),
        X,
        [1] * 30,
        "input_x_gradient",
        framework="torch",
    )
    numbers = explain(lambda x: np.tanh(x @ np.ones((4, 2))), X, [1] * 30, "input_x_gradient")
    np.testing.assert_allclose(tensors, numbers, rtol=1e-4)
    jax = pytest.importorskip("jax")
    traced = jax.jit(lambda x: jax.numpy.tanh(x @ np.ones((4, 2))))
    np.testing.assert_allclose(explain(traced, X, [1] * 30, "input_x_gradient"), numbers, rtol=1e-3)
    embedding = torch.nn.Sequential(
        torch.nn.Embedding(9, 2), torch.nn.Flatten(), torch.nn.Linear(6, 2)
    )
    with pytest.raises(TypeError, match="inputs: have no gradient"):
        explain(embedding, np.ones((2, 3), int), [0, 1], "input_x_gradient")


def test_occlusion_is_that_of_captum() -> None:
    captum = pytest.importorskip("captum.attr")
    model = network()
    window = {"sliding_window_shapes": (3, 4, 4), "strides": (3, 4, 4)}
    expected = captum.Occlusion(model).attribute(
        torch.from_numpy(IMAGES), target=torch.from_numpy(CLASSES), baselines=0.5, **window
    )
    maps = explain(model, IMAGES, CLASSES, "occlusion", patch=4, baseline=0.5)
    np.testing.assert_allclose(maps, expected.detach().numpy()[:, 0], atol=1e-5)


def test_references_are_explainers_by_word() -> None:
    model = network()
    explainers = {
        "a": "random",
        "b": ("random", {"seed": 2}),
        "c": "edges",
        "d": "constant",
        "e": "occlusion",
    }
    table = evaluate(
        model, IMAGES, CLASSES, explainers, ["deletion", "maximum_stability"], replicates=0
    )
    assert table["maximum_stability"]["d"].value == 0.0
    for name, word in (("a", "random"), ("c", "edges"), ("e", "occlusion")):
        maps = explain(model, IMAGES, CLASSES, word)
        assert maps.shape == (6, 16, 16)
        value = metrics.Deletion().evaluate(model, IMAGES, CLASSES, maps)
        np.testing.assert_allclose(value.per_sample, table["deletion"][name].per_sample, rtol=1e-5)
    assert table["deletion"]["a"].value != table["deletion"]["b"].value


def test_tensors_of_images_are_drawn_with_their_channels_first() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    images = torch.from_numpy(RANDOM.random((3, 3, 32, 3))).requires_grad_()
    maps = {"ig": images * 2, "cam": images.mean(1)[:, ::8, :]}
    figure = plot_maps(images, maps)
    shown = [ax.images[-1].get_array() for ax in figure.axes[:3]]
    whole = images.detach().numpy()[0]
    np.testing.assert_allclose(shown[1], 2 * whole.mean(axis=0))
    assert shown[0].shape == (32, 3, 3) and shown[2].shape == (32, 3)
    with pytest.raises(ValueError, match=r"maps\['ig'\]: expected shape \(3, 3, 32\)"):
        plot_maps(images, {"ig": images.mean(1)}, layout="channels-last")
    matplotlib.pyplot.close("all")
