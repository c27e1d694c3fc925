"""Randomized and shifted models, and outputs of layers."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from xai_metrics._frameworks import Tensors, is_torch_module

if TYPE_CHECKING:
    import numpy.typing as npt


def layers_of(model: Any, order: str) -> list[str]:
    """Return the resettable layers of a torch module, in the order of randomization."""
    if not is_torch_module(model):
        raise TypeError(
            f"model: expected a torch module, got {type(model).__name__}; of other models take "
            "xai_metrics.attribution.model_randomization"
        )
    if order not in ("top_down", "bottom_up", "independent"):
        raise ValueError(f"layer_order: expected top_down, bottom_up or independent, got {order!r}")
    names = [name for name, value in model.named_modules() if hasattr(value, "reset_parameters")]
    return names[::-1] if order == "top_down" else names


def randomized(model: Any, layers: Sequence[str], seed: int) -> Any:
    """Return a copy of a torch module with some layers reinitialized."""
    import torch

    changed = copy.deepcopy(model)
    with torch.random.fork_rng():
        for name in layers:
            # Every layer begins with the numbers that Quantus gives it.
            torch.manual_seed(seed + 1)
            changed.get_submodule(name).reset_parameters()
    return changed


def shifted(model: Any, by: float) -> Any:
    """Return a model that undoes a shift of its inputs."""
    if not is_torch_module(model):
        return lambda batch: model(batch - by)
    import torch

    class Shifted(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, batch: Any) -> Any:
            return self.model(batch - by)

    return Shifted().train(model.training)


def outputs_of_layers(
    model: Any,
    tensors: Tensors,
    names: Sequence[str] | None,
    places: Sequence[int] | None,
) -> Callable[[npt.NDArray[Any]], npt.NDArray[Any]]:
    """Return a function that computes the concatenated outputs of some layers of a torch module.

    Layers are the non-containers in ``named_modules``, selected by name or index; all of them by
    default.
    """
    if not is_torch_module(model):
        raise TypeError(
            f"model: expected a torch module, got {type(model).__name__}; of other models give "
            "a representation to xai_metrics.attribution.RelativeRepresentationStability"
        )
    import torch

    containers = (type(model), torch.nn.Sequential)
    layers = [item for item in model.named_modules() if not isinstance(item[1], containers)]
    wanted = {index % len(layers) for index in places or ()}
    chosen = [
        layer
        for index, (name, layer) in enumerate(layers)
        if not (names or places) or name in (names or ()) or index in wanted
    ]
    if not chosen:
        raise ValueError(f"layer_names: no layer is called {', '.join(names or ())}")

    def outputs(batch: npt.NDArray[Any]) -> npt.NDArray[Any]:
        answers: list[npt.NDArray[Any]] = []

        def keep(_layer: Any, _inputs: Any, answer: Any) -> None:
            answers.append(tensors.array(answer, "the answer of a layer").reshape(len(batch), -1))

        hooks = [layer.register_forward_hook(keep) for layer in chosen]
        try:
            with tensors.calling():
                model(tensors.tensor(batch))
        finally:
            for hook in hooks:
                hook.remove()
        return np.concatenate(answers, axis=1)

    return outputs
