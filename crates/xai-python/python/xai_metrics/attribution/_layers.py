"""Randomization of the layers of a torch module."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np


class Layers:
    """Layers of a torch module that have parameters, starting at the output.

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
        own = [(name, value) for name, value in module.named_modules() if value._parameters]
        found = [(name, item) for name, item in own if any(p is not None for p in item._parameters.values())]
        if not found:
            raise ValueError("model: it has no layers with parameters")
        self.names = tuple(name or type(element).__name__ for name, element in reversed(found))
        self.layers = [entry for _, entry in reversed(found)]

    @contextlib.contextmanager
    def randomized(self, numbers: Sequence[int]) -> Iterator[None]:
        """Randomize the parameters and buffers of some layers within a ``with`` block, and restore
        them afterwards.

        The module itself is changed, so that explainers that refer to it explain the randomized
        one. New values depend on seed and layer only. They come from the layer's
        ``reset_parameters``, which also resets buffers (for example running means); without that
        method, the existing values are permuted.
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
    """Return whether a model is a torch module, without importing torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)


@contextlib.contextmanager
def multiplied(module: Any, std: float, seed: int) -> Iterator[None]:
    """Multiply every weight of a torch module by a draw from N(1, std²) within a ``with`` block,
    and restore them afterwards.
    """
    import torch

    generator = torch.Generator().manual_seed(seed % 2**63)
    kept = [(item, item.detach().clone()) for item in module.parameters() if item.is_floating_point()]
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
