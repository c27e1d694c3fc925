"""Graph explanations: PyTorch Geometric's metrics and what they compute with torch."""
import os

import torch
import torch.nn.functional as F
from torch_geometric.explain.metric import groundtruth_metrics

from compare import Peer, close

VERSIONS = ["torch", "torch_geometric", "torchmetrics"]
torch.set_num_threads(os.cpu_count())
ROWS, CLASSES = 1_000_000, 10


def tensor(array):
    return torch.from_numpy(array)


def groundtruth(data):
    predicted = data.rng.random(5_000_000, dtype="float32")
    # Edges of the true explanation have higher scores more often than not.
    target = (data.rng.random(len(predicted)) < 0.1 + 0.4 * predicted).astype("float32")
    data.save(predicted=predicted, target=target)
    p, t = tensor(predicted), tensor(target)

    def ours():
        from xai_metrics.compat.torch_geometric.explain import groundtruth_metrics as our_metrics

        return lambda: {"metrics": our_metrics(p, t)}

    data.package["groundtruth"] = (ours, 1)
    compare = lambda answer, ours: close(answer, ours("metrics"), 1e-4)
    return [Peer("PyG + torchmetrics", lambda: groundtruth_metrics(p, t), 1, {"groundtruth": compare})]


def gef(data):
    a, b = (data.rng.standard_normal((ROWS, CLASSES), dtype="float32") for _ in range(2))
    data.save(a=a, b=b)
    a, b = tensor(a), tensor(b)

    def with_torch():
        return [1 - float(torch.exp(-F.kl_div(a.softmax(-1).log(), b.softmax(-1), reduction="batchmean")))]

    def ours():
        from xai_metrics.graph import unfaithfulness

        return lambda: {"value": [unfaithfulness(a, b, direction="reverse").value]}

    data.package["gef"] = (ours, 1)
    compare = lambda answer, ours: close(answer, ours("value"), 1e-4)
    return [Peer("torch as in PyG", with_torch, 1, {"gef": compare})]


def fidelity(data):
    full = data.rng.standard_normal((ROWS, CLASSES), dtype="float32")
    kept, complement = (full + s * data.rng.standard_normal((ROWS, CLASSES), dtype="float32") for s in (0.3, 2.0))
    data.save(full=full, kept=kept, complement=complement)
    full, kept, complement = tensor(full), tensor(kept), tensor(complement)

    def both():
        y = full.argmax(-1)
        positive = 1.0 - (complement.argmax(-1) == y).float().mean()
        negative = 1.0 - (kept.argmax(-1) == y).float().mean()
        return [float(positive), float(negative)]

    def ours():
        from xai_metrics.graph import fidelity as our_fidelity

        return lambda: {"fidelity": [(found := our_fidelity(full, kept, complement)).pos, found.neg]}

    data.package["fidelity"] = (ours, 1)
    compare = lambda answer, ours: close(answer, ours("fidelity"), 1e-4)
    return [Peer("torch as in PyG", both, 1, {"fidelity": compare})]


WORKLOADS = {"groundtruth": groundtruth, "gef": gef, "fidelity": fidelity}
