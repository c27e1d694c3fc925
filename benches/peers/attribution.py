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


WORKLOADS = {"mask": mask, "numpy_model": numpy_model}
