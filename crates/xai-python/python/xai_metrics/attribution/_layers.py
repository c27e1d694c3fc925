"""Layers of a torch module, and what they are when they forget what they have learnt."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np


class Layers:
    """The layers of a torch module that hold parameters, the one at the output first.

    Parameters
    ----------
    module : torch module
        Its layers are the modules within it that have parameters of their own, in the order in which they
        are registered: of most modules that from input to output.
    seed : int
        What the new parameters depend on, with the place of the layer.

    Raises
    ------
    ValueError
        For a module without parameters.
    """

    def __init__(self, module: Any, seed: int) -> None:
        self.module = module
        self.seed = seed
        own = [(name, of) for name, of in module.named_modules() if of._parameters]
        found = [(name, of) for name, of in own if any(p is not None for p in of._parameters.values())]
        if not found:
            raise ValueError("model: it has no layers with parameters")
        self.names = tuple(name or type(of).__name__ for name, of in reversed(found))
        self.layers = [of for _, of in reversed(found)]

    @contextlib.contextmanager
    def randomized(self, numbers: Sequence[int]) -> Iterator[None]:
        """Within it, some layers have new parameters and buffers; then all are as they were.

        The module itself is changed, so that explainers that refer to it explain the changed one. A layer's
        new values depend on seed and layer alone. They are those of its ``reset_parameters``, which also
        sets buffers (running means, for instance) back; a layer without it has its own values in
        random order.
        """
        import torch

        kept = [
            (tensor, tensor.detach().clone())
            for number in numbers
            for tensor in (*self.layers[number].parameters(False), *self.layers[number].buffers(False))
        ]
        try:
            devices = {tensor.device for tensor, _ in kept if tensor.device.type == "cuda"}
            with torch.random.fork_rng(devices), torch.no_grad():
                for number in numbers:
                    sequence = np.random.SeedSequence([self.seed, number])
                    torch.manual_seed(int(sequence.generate_state(1)[0]))
                    _reinitialize(self.layers[number])
            yield
        finally:
            with torch.no_grad():
                for tensor, values in kept:
                    tensor.copy_(values)


def is_torch_module(model: Any) -> bool:
    """Whether a model is a module of torch; torch is not loaded for it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)


@contextlib.contextmanager
def multiplied(module: Any, std: float, seed: int) -> Iterator[None]:
    """Within it, every weight of a torch module is multiplied by a draw of N(1, std); then all are as they were."""
    import torch

    generator = torch.Generator().manual_seed(seed % 2**63)
    kept = [(of, of.detach().clone()) for of in module.parameters() if of.is_floating_point()]
    try:
        with torch.no_grad():
            for of, values in kept:
                factors = torch.empty(of.shape, dtype=torch.float64).normal_(1.0, std, generator=generator)
                of.copy_(values * factors.to(of))
        yield
    finally:
        with torch.no_grad():
            for of, values in kept:
                of.copy_(values)


def _reinitialize(layer: Any) -> None:
    import torch

    # `MultiheadAttention` has the second name.
    for name in ("reset_parameters", "_reset_parameters"):
        reset = getattr(layer, name, None)
        if callable(reset):
            reset()
            return
    for tensor in (*layer.parameters(False), *layer.buffers(False)):
        places = torch.randperm(tensor.numel(), device=tensor.device)
        tensor.copy_(tensor.flatten()[places].view_as(tensor))
