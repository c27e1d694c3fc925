"""Explainer objects of other packages, by classes that look like theirs."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from xai_metrics.attribution import evaluate, explain

WEIGHTS = np.array([[2.0, -1.0], [0.5, 1.0], [1.0, 3.0]])
X = np.random.default_rng(3).random((4, 3))


def model(batch: Any) -> Any:
    return batch @ WEIGHTS


class InteractionValues:
    """As of shapiq: values of groups of players."""

    def __init__(self, values: dict[tuple[int, ...], float]) -> None:
        self.values = values
        self.max_order = max(map(len, values))

    def get_n_order_values(self, order: int) -> Any:
        assert order == 1
        row = np.zeros(3)
        for players, value in self.values.items():
            if len(players) == 1:
                row[players[0]] = value
        return row


class TabularExplainer:
    """As of shapiq: the terms of one output."""

    def __init__(self, class_index: int) -> None:
        self.weights = WEIGHTS[:, class_index]

    def explain(self, x: Any) -> Any:
        raise AssertionError("of a single sample")

    def explain_X(self, X: Any, scale: float = 1.0) -> list[Any]:  # noqa: N802, N803
        return [of_terms(scale * row * self.weights) for row in X]


for kind in (InteractionValues, TabularExplainer):
    kind.__module__ = "shapiq.interaction_values"


def of_terms(row: Any) -> InteractionValues:
    return InteractionValues({(): 7.0, **{(i,): float(value) for i, value in enumerate(row)}})


def drops(explainer: Any, targets: Any = 0, **settings: Any) -> Any:
    targets = np.broadcast_to(targets, 4)
    table = evaluate(model, X, targets, {"a": explainer}, ["completeness"], replicates=0, **settings)
    return table["completeness"]["a"].per_sample


def test_values_of_order_one_are_maps() -> None:
    values = [of_terms(row * WEIGHTS[:, 0]) for row in X]
    # They add up to the score: the value of no player is no attribution.
    np.testing.assert_allclose(drops(values), 0.0, atol=1e-12)
    np.testing.assert_allclose(drops(tuple(values)), 0.0, atol=1e-12)
    np.testing.assert_allclose(explain(model, X, [0] * 4, TabularExplainer(0)), X * WEIGHTS[:, 0])
    np.testing.assert_allclose(explain(model, X, [0] * 4, TabularExplainer(0), scale=2.0), 2 * X * WEIGHTS[:, 0])


def test_values_of_one_class_need_the_class_where_targets_differ() -> None:
    message = r"explainers\['a'\]: explains the class that it was made for, and there are targets of others; say which"
    with pytest.raises(ValueError, match=message):
        drops(TabularExplainer(1), [0, 1, 1, 0])
    table = evaluate(
        model, X, [0, 1, 1, 0], {"a": TabularExplainer(1)}, ["deletion"], replicates=0, explained_class=1
    )
    assert table.assumed["maps of a"] == "of class 1, negated where the target is the other"
    np.testing.assert_allclose(drops(TabularExplainer(1), 1), 0.0, atol=1e-12)


def test_interactions_are_refused_with_the_way_to_their_first_order() -> None:
    pairs = [InteractionValues({(0,): 1.0, (0, 1): 0.5}) for _ in X]
    with pytest.raises(ValueError, match=r"explainers\['a'\]\[0\]: has interactions of up to 2 players.*get_n_order\(1\)"):
        drops(pairs)
    with pytest.raises(ValueError, match="expected a list of InteractionValues, one per sample, got a single one"):
        drops(pairs[0])


torch: Any = None
with contextlib.suppress(ImportError):
    import torch
needs_torch = pytest.mark.skipif(torch is None, reason="torch is not installed")

IMAGES = np.random.default_rng(5).random((4, 2, 4, 4)).astype(np.float32)
CLASSES = np.array([0, 1, 2, 1])


def network() -> Any:
    torch.manual_seed(1)
    layers = [torch.nn.Conv2d(2, 3, 1), torch.nn.AvgPool2d(2), torch.nn.Flatten(), torch.nn.Linear(12, 3)]
    return torch.nn.Sequential(*layers).eval()


class Hooks:
    """As of pytorch-grad-cam: the activations of a layer since the last call."""

    def __init__(self, layer: Any) -> None:
        self.activations: list[Any] = []
        self.handles = [layer.register_forward_hook(self.save)]

    def save(self, layer: Any, inputs: Any, output: Any) -> None:
        self.activations.append(output)


class GradCAM:
    """As of pytorch-grad-cam: the mean activation of a layer, times the score of the target."""

    def __init__(self, model: Any, layer: Any) -> None:
        self.model = model
        self.activations_and_grads = Hooks(layer)

    def __call__(self, input_tensor: Any, targets: Any, scale: float = 1.0) -> Any:
        assert torch.is_grad_enabled()
        self.activations_and_grads.activations.clear()
        outputs = self.model(input_tensor)
        (activation,) = self.activations_and_grads.activations
        scores = torch.stack([target(row) for target, row in zip(targets, outputs)])
        return (scale * scores[:, None, None] * activation.mean(1)).detach().numpy()

    def __enter__(self) -> GradCAM:
        return self

    def __exit__(self, *_: object) -> None:
        hooks = self.activations_and_grads
        hooks.handles.pop().remove()


class LayerCAM:
    """As of torchcam: maps of a layer from the last forward pass, which a hook stores."""

    def __init__(self, model: Any, layer: Any) -> None:
        self.model = model
        self.hook_handles = [layer.register_forward_hook(self.save)]
        self.n_stored = 0
        self.stored: Any = None

    def save(self, layer: Any, inputs: Any, output: Any) -> None:
        # Fails without gradients, as the hooks of older versions do.
        output.register_hook(lambda gradient: gradient)
        self.stored, self.n_stored = output, self.n_stored + 1

    def reset_hooks(self) -> None:
        self.stored = None

    def __call__(self, class_idx: Any = None, scores: Any = None, targets: Any = None) -> Any:
        if targets is None:
            chosen = scores[torch.arange(len(scores)), torch.tensor(class_idx)]
        else:
            chosen = torch.stack([target(row) for target, row in zip(targets, scores)])
        return [chosen[:, None, None] * self.stored.mean(1)]

    @staticmethod
    def fuse_cams(maps: Any) -> Any:
        return maps[0]


Hooks.__module__ = GradCAM.__module__ = "pytorch_grad_cam.grad_cam"
LayerCAM.__module__ = "torchcam.methods.gradient"


def expected_maps(weights: Any) -> Any:
    net = network()
    with torch.no_grad():
        x = torch.from_numpy(IMAGES)
        return ((net(x) * torch.tensor(weights)).sum(1)[:, None, None] * net[:2](x).mean(1)).numpy()


@needs_torch
@pytest.mark.parametrize("kind", [GradCAM, LayerCAM])
def test_class_activation_maps_of_targets_and_of_rows_of_weights(kind: Any) -> None:
    net = network()
    cam = kind(net, net[1])
    weights = np.eye(3, dtype=np.float32)[CLASSES]
    table = evaluate(net, IMAGES, CLASSES, {"cam": cam, "maps": expected_maps(weights)}, ["deletion"], replicates=0)
    of_cam, of_maps = (table["deletion"][name].per_sample for name in ("cam", "maps"))
    np.testing.assert_allclose(of_cam, of_maps, rtol=1e-6)
    assert table.assumed["maps of cam"] == "upsampled bilinearly from 2 × 2"
    # The same from a function of the network, which has no tensors of its own.
    by_function = explain(lambda x: net(torch.from_numpy(x)).detach().numpy(), IMAGES, CLASSES, cam)
    np.testing.assert_allclose(by_function, explain(net, IMAGES, CLASSES, cam), rtol=1e-6)
    rows = np.array([[1.0, 0.5, 0.0]] * 4, np.float32)
    small = explain(net, IMAGES, rows, cam)[:, ::3, ::3]
    np.testing.assert_allclose(small[:, 0, 0], expected_maps(rows)[:, 0, 0], rtol=1e-5)


@needs_torch
def test_hooks_of_maps_store_nothing_of_other_calls_of_the_model() -> None:
    net = network()
    grad_cam, layer_cam = GradCAM(net, net[1]), LayerCAM(net, net[1])
    evaluate(net, IMAGES, CLASSES, {"a": grad_cam, "b": layer_cam, "c": "random"}, ["deletion"], replicates=0)
    assert layer_cam.stored is None
    # Each explains the samples in one call, in which the hooks of the other run, too.
    assert layer_cam.n_stored == 2
    net(torch.from_numpy(IMAGES))
    assert layer_cam.n_stored == 3
    # Arguments of the call come with the object.
    doubled = explain(net, IMAGES, CLASSES, grad_cam, scale=2.0)
    np.testing.assert_allclose(doubled, 2 * explain(net, IMAGES, CLASSES, grad_cam), rtol=1e-6)


@needs_torch
def test_an_object_whose_hooks_are_removed_is_refused() -> None:
    net = network()
    with GradCAM(net, net[1]) as cam:
        explain(net, IMAGES, CLASSES, cam)
    message = r"the hooks of GradCAM are removed from its model, .* evaluate within this block"
    with pytest.raises(ValueError, match=message):
        explain(net, IMAGES, CLASSES, cam)
