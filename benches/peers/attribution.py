"""Attribution masks: torch."""
import os

import numpy as np
import torch

from compare import Peer, close

VERSIONS = ["torch"]
torch.set_num_threads(os.cpu_count())
SHAPE = (64, 224, 224, 3)


def mask(data):
    inputs, maps = data.rng.random(SHAPE, dtype="float32"), data.rng.standard_normal(SHAPE, dtype="float32")
    data.save(inputs=inputs, maps=maps)
    x, e = torch.from_numpy(inputs), torch.from_numpy(maps)

    def masked():
        m = e.abs().mean(-1)
        low, high = m.amin((1, 2), keepdim=True), m.amax((1, 2), keepdim=True)
        return x * ((m - low) / (high - low + 1e-8))[..., None]

    compare = lambda answer, ours: close(answer.numpy(), ours("masked"), 1e-5, 1e-6)
    return [Peer("torch", masked, 1, {"mask": compare})]


def numpy_model(data):
    """One whole metric of a model in Python, which takes most of the time of both: only the package has it."""
    inputs, explanations = data.rng.random((64, 64, 64, 3), dtype="float32"), data.rng.standard_normal((64, 64, 64, 3), dtype="float32")
    weights = data.rng.standard_normal((64 * 64 * 3, 10), dtype="float32")
    targets = np.eye(10, dtype="float32")[data.rng.integers(0, 10, 64)]

    def with_torch():
        # Deletion in 50 steps, written with torch as the peers write it.
        x, w = torch.from_numpy(inputs), torch.from_numpy(weights)
        order = torch.from_numpy(explanations).mean(-1).reshape(64, -1).argsort(1, descending=True)
        flat, label = x.reshape(64, -1, 3), torch.from_numpy(targets)
        scores = []
        for step in np.linspace(0, 64 * 64, 51).astype(int):
            changed = flat.clone()
            changed[torch.arange(64)[:, None], order[:, :step]] = 0.0
            scores.append(float(((changed.reshape(64, -1) @ w) * label).sum(1).mean()))
        return np.trapezoid(scores, dx=1 / 50)

    def ours():
        from xai_metrics.compat.xplique.metrics import Deletion

        metric = Deletion(lambda batch: np.reshape(batch, (len(batch), -1)) @ weights, inputs, targets, steps=50)
        return lambda: {"value": [metric.evaluate(explanations)]}

    data.package["numpy_model"] = (ours, 1)
    compare = lambda answer, ours: close([answer], ours("value"), 1e-3)
    return [Peer("torch, whole batches", with_torch, 1, {"numpy_model": compare})]


def torch_model(data):
    """Deletion of a CNN, against the loop that one writes by hand: batches of 64 images, a call per batch and step."""
    n, steps = 128, 32
    inputs = data.rng.random((n, 3, 32, 32), dtype="float32")
    maps = data.rng.standard_normal((n, 32, 32), dtype="float32")
    targets = data.rng.integers(0, 10, n)
    torch.manual_seed(0)
    layers = torch.nn
    cnn = layers.Sequential(
        layers.Conv2d(3, 32, 3, padding=1), layers.ReLU(), layers.Conv2d(32, 32, 3, padding=1), layers.ReLU(), layers.MaxPool2d(2),
        layers.Conv2d(32, 64, 3, padding=1), layers.ReLU(), layers.MaxPool2d(2), layers.Flatten(), layers.Linear(64 * 64, 10),
    ).eval()

    def by_hand():
        x, order = torch.from_numpy(inputs), torch.from_numpy(maps).reshape(n, -1).argsort(1, descending=True)
        areas = []
        with torch.no_grad():
            for first in range(0, n, 64):
                images, ranked = x[first : first + 64].reshape(64, 3, -1), order[first : first + 64]
                scores = []
                for n_removed in np.linspace(0, 32 * 32, steps + 1).astype(int):
                    changed = images.scatter(2, ranked[:, None, :n_removed].expand(-1, 3, -1), 0.0)
                    answer = cnn(changed.reshape(64, 3, 32, 32))
                    scores.append(answer[range(64), targets[first : first + 64]].numpy())
                areas.append(np.trapezoid(scores, dx=1 / steps, axis=0))
        return float(np.concatenate(areas).mean())

    def ours():
        from xai_metrics.attribution import evaluate

        metric = {"deletion": Deletion(steps=steps)}
        return lambda: {"value": [evaluate(cnn, inputs, targets, {"random": maps}, metric)["deletion"]["random"].value]}

    from xai_metrics.attribution.metrics import Deletion

    data.package["torch_model"] = (ours, 1)
    compare = lambda answer, ours: close([answer], ours("value"), 1e-3)
    return [Peer("a loop with batches of 64", by_hand, 1, {"torch_model": compare})]


WORKLOADS = {"mask": mask, "numpy_model": numpy_model, "torch_model": torch_model}
