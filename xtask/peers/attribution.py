"""Attribution masks: torch."""
import os

import torch

from serve import Peer, close

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
    return [Peer("torch", masked, 1, "64 x 224 x 224 x 3", {"mask": compare})]


WORKLOADS = {"mask": mask}
