"""Explainer objects of pytorch-grad-cam, TorchCAM, zennit and shapiq, given as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xai_metrics.attribution import evaluate, explain

torch = pytest.importorskip("torch")

IMAGES = np.random.default_rng(0).random((6, 3, 16, 16)).astype(np.float32)
CLASSES = np.array([0, 1, 2, 0, 1, 2])
TENSORS = torch.from_numpy(IMAGES)


def network() -> Any:
    torch.manual_seed(0)
    layers = [
        torch.nn.Conv2d(3, 6, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(6, 8, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(),
    ]
    return torch.nn.Sequential(*layers, torch.nn.Linear(8, 3)).eval()


@pytest.mark.parametrize(
    "name", ["GradCAM", "GradCAMPlusPlus", "XGradCAM", "LayerCAM", "HiResCAM", "EigenCAM", "EigenGradCAM", "ScoreCAM"]
)
def test_maps_of_pytorch_grad_cam(name: str) -> None:
    cams = pytest.importorskip("pytorch_grad_cam")
    targets = pytest.importorskip("pytorch_grad_cam.utils.model_targets")
    net = network()
    with getattr(cams, name)(net, [net[3]]) as cam:
        expected = cam(TENSORS, [targets.ClassifierOutputTarget(k) for k in CLASSES])
        np.testing.assert_array_equal(explain(net, IMAGES, CLASSES, cam), expected)
        table = evaluate(net, IMAGES, CLASSES, {"cam": cam, "maps": expected}, ["deletion"], replicates=0)
        np.testing.assert_array_equal(*(table["deletion"][of].per_sample for of in ("cam", "maps")))
        # What the metric asks of the model is not stored.
        assert len(cam.activations_and_grads.activations) < 10
    with pytest.raises(ValueError, match=f"the hooks of {name} are removed"):
        explain(net, IMAGES, CLASSES, cam)


def test_maps_that_are_built_on_those_of_pytorch_grad_cam() -> None:
    pytest.importorskip("pytorch_grad_cam")
    from pytorch_grad_cam.finer_cam import FinerCAM
    from pytorch_grad_cam.refine_cam import RefineCAM
    from pytorch_grad_cam.utils.model_targets import ClassifierOutputTarget

    net = network()
    for cam in (RefineCAM(net, [net[0], net[3]]), FinerCAM(net, [net[3]])):
        expected = cam(TENSORS, [ClassifierOutputTarget(k) for k in CLASSES])
        np.testing.assert_array_equal(explain(net, IMAGES, CLASSES, cam), expected)
    smooth = explain(net, IMAGES, CLASSES, FinerCAM(net, [net[3]]), eigen_smooth=True)
    assert not np.array_equal(smooth, expected)


@pytest.mark.parametrize("name", ["GradCAM", "GradCAMpp", "XGradCAM", "LayerCAM", "ScoreCAM", "CAM"])
def test_maps_of_torchcam(name: str) -> None:
    methods = pytest.importorskip("torchcam.methods")
    net = network()
    layers = {"target_layer": "4", "fc_layer": "7"} if name == "CAM" else {"target_layer": "3"}
    with getattr(methods, name)(net, **layers) as cam:
        maps = cam.fuse_cams(cam(CLASSES.tolist(), net(TENSORS)))
        expected = torch.nn.functional.interpolate(maps[:, None], (16, 16), mode="bilinear")[:, 0].numpy()
        table = evaluate(net, IMAGES, CLASSES, {"cam": cam, "maps": expected}, ["average_drop"], replicates=0)
        np.testing.assert_allclose(
            *(table["average_drop"][of].per_sample for of in ("cam", "maps")), rtol=1e-5, atol=1e-6
        )
        assert table.assumed["maps of cam"] == "upsampled bilinearly from 8 × 8"
        np.testing.assert_allclose(explain(net, IMAGES, CLASSES, cam), expected, atol=1e-6)
    with pytest.raises(ValueError, match=f"the hooks of {name} are removed"):
        explain(net, IMAGES, CLASSES, cam)


def test_maps_of_several_layers_of_torchcam_are_fused() -> None:
    methods = pytest.importorskip("torchcam.methods")
    net = network()
    with methods.LayerCAM(net, ["0", "3"]) as cam:
        maps = cam.fuse_cams(cam(CLASSES.tolist(), net(TENSORS)))
        np.testing.assert_allclose(explain(net, IMAGES, CLASSES, cam), maps.numpy(), atol=1e-6)


def test_attributors_and_composites_of_zennit() -> None:
    zennit = pytest.importorskip("zennit.attribution")
    composites = pytest.importorskip("zennit.composites")
    net, composite = network(), composites.EpsilonPlus()
    with zennit.Gradient(network(), composite) as attributor:
        relevances = attributor(TENSORS.clone(), torch.eye(3)[CLASSES])[1].numpy()
    given = [composite, zennit.Gradient(net, composite)]
    for explainer in given:
        np.testing.assert_array_equal(explain(net, IMAGES, CLASSES, explainer), relevances)
    with zennit.Gradient(net, composite) as attributor:
        np.testing.assert_array_equal(explain(net, IMAGES, np.eye(3)[CLASSES], attributor), relevances)
    table = evaluate(net, IMAGES, CLASSES, {"lrp": composite, "ig": zennit.IntegratedGradients(net)}, ["deletion"])
    assert table.assumed["maps of ig"] == "of a relevance of 1 at the target"
    # Relevance that starts with the score is so many times as large.
    scores = net(TENSORS).detach().numpy()[np.arange(6), CLASSES]
    scaled = explain(net, IMAGES, CLASSES, composite, attr_output=lambda outputs, weights: outputs * weights)
    np.testing.assert_allclose(scaled, relevances * scores[:, None, None, None], rtol=1e-4, atol=1e-7)
    with pytest.raises(ValueError, match="Gradient has an attr_output of its own"):
        explain(net, IMAGES, CLASSES, zennit.Gradient(net, composite, attr_output=torch.eye(3)[CLASSES]))
    with pytest.raises(TypeError, match="a composite of zennit needs a torch module as the model"):
        explain(lambda x: x.reshape(len(x), -1)[:, :3], IMAGES, CLASSES, composite)


@pytest.mark.filterwarnings("ignore")
def test_values_of_shapiq() -> None:
    shapiq = pytest.importorskip("shapiq")
    ensemble = pytest.importorskip("sklearn.ensemble")
    x = np.random.default_rng(0).random((40, 5))
    y = (x[:, 0] + x[:, 1] > 1).astype(int)
    forest = ensemble.RandomForestClassifier(10, random_state=0).fit(x, y)
    trees = shapiq.TreeExplainer(forest, max_order=1, class_index=1)
    values = trees.explain_X(x)
    maps = np.array([[one[(i,)] for i in range(5)] for one in values])
    # Shapley values and the empty prediction add up to the probability.
    gaps = forest.predict_proba(x)[:, 1] - maps.sum(axis=1)
    np.testing.assert_allclose(gaps, values[0].baseline_value, atol=1e-9)
    settings = {"replicates": 0, "explained_class": 1}
    table = evaluate(forest, x, y, {"list": values, "object": trees, "array": maps}, ["deletion"], **settings)
    expected = table["deletion"]["array"].per_sample
    for of in ("list", "object"):
        np.testing.assert_allclose(table["deletion"][of].per_sample, expected)
        assert table.assumed[f"maps of {of}"] == "of class 1, negated where the target is the other"
    with pytest.raises(ValueError, match="explains the class that it was made for"):
        evaluate(forest, x, y, {"object": trees}, ["deletion"])
    pairs = shapiq.TreeExplainer(forest, max_order=2, class_index=1).explain_X(x[:3])
    with pytest.raises(ValueError, match=r"interactions of up to 2 players.*get_n_order\(1\)"):
        evaluate(forest, x[:3], y[:3], {"pairs": pairs}, ["deletion"])
    first = [one.get_n_order(1) for one in pairs]
    evaluate(forest, x[:3], y[:3], {"first": first}, ["deletion"], **settings)
