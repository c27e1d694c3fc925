"""Explainer objects of pytorch-grad-cam, TorchCAM, zennit and shapiq as functions of inputs and
targets.

None of these packages is imported before one of its objects is given.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from .._frameworks import Tensors, is_from_package, is_torch_module

#: Function of inputs and targets, both tensors, that returns maps.
Explain = Callable[[Any, Any], Any]


def is_object_of_package(value: Any) -> bool:
    """Return whether a value explains by an interface of one of the packages.

    Examples
    --------
    >>> is_object_of_package(len)
    False
    """
    return _adapter(value) is not None


def explain_function(explainer: Any, options: dict[str, Any], tensors: Tensors) -> Explain | None:
    """Return an object of one of the packages as a function; ``None`` for other explainers.

    ``options`` are keyword arguments of its call, ``tensors`` the conversion for the model of the
    run.
    """
    adapter = _adapter(explainer)
    return None if adapter is None else adapter(explainer, options, tensors)


def tensors_of(explainer: Any, tensors: Tensors) -> Tensors:
    """Return the conversion of arrays for an explainer, which may know its own torch module."""
    if isinstance(explainer, tuple):
        explainer = explainer[0]
    if is_from_package(explainer, "shapiq"):
        return Tensors("numpy")
    module = _module_of(explainer) if _adapter(explainer) is not None else None
    return tensors if module is None else Tensors.for_model(module, None, tensors.device)


def assumption(explainer: Any) -> str | None:
    """Return what was assumed about an explainer, for the results."""
    explainer, options = explainer if isinstance(explainer, tuple) else (explainer, {})
    if _adapter(explainer) is _zennit and "attr_output" not in options:
        return "of a relevance of 1 at the target"
    return None


def explains_one_class(explainer: Any) -> bool:
    """Return whether an explainer was made for one class, whatever the targets."""
    return _adapter(explainer) is _shapiq


def _adapter(value: Any) -> Callable[[Any, dict[str, Any], Tensors], Explain] | None:
    if is_from_package(value, "pytorch_grad_cam") and _grad_cams(value):
        return _grad_cam
    if is_from_package(value, "torchcam") and hasattr(value, "fuse_cams"):
        return _torchcam
    if is_from_package(value, "zennit") and (hasattr(value, "attr_output_fn") or hasattr(value, "module_map")):
        return _zennit
    if is_from_package(value, "shapiq") and hasattr(value, "explain_X"):
        return _shapiq
    return None


def _module_of(explainer: Any) -> Any:
    """Return the torch module that an explainer knows."""
    owner = next(iter(_grad_cams(explainer)), explainer)
    module = getattr(owner, "model", None)
    return module if is_torch_module(module) else None


def _grad_cams(explainer: Any) -> list[Any]:
    """Return the objects of pytorch-grad-cam with hooks that an explainer is or is built on."""
    parts = getattr(explainer, "base_cam_per_layer", [getattr(explainer, "base_cam", explainer)])
    return [part for part in parts if hasattr(part, "activations_and_grads")]


def _grad_cam(cam: Any, options: dict[str, Any], tensors: Tensors) -> Explain:
    def explain(inputs: Any, targets: Any) -> Any:
        for part in _grad_cams(cam):
            _check_hooks(cam, getattr(part.activations_and_grads, "handles", True))
        return cam(inputs, targets=_functions(targets), **options)

    return explain


def _torchcam(cam: Any, options: dict[str, Any], tensors: Tensors) -> Explain:
    def explain(inputs: Any, targets: Any) -> Any:
        _check_hooks(cam, getattr(getattr(cam, "base_cam", cam), "hook_handles", True))
        scores = cam.model(inputs)
        of = {"class_idx": targets.tolist()} if targets.ndim == 1 else {"targets": _functions(targets)}
        maps = cam.fuse_cams(cam(scores=scores, **of, **options))
        # Else the graph of the last batch is kept.
        cam.reset_hooks()
        return maps

    return explain


def _check_hooks(cam: Any, handles: Any) -> None:
    if not handles:
        kind = type(cam).__name__
        raise ValueError(
            f"explainer: the hooks of {kind} are removed from its model, as at the end of `with {kind}(…) as cam:`; evaluate "
            "within this block, or create it without `with`"
        )


def _functions(targets: Any) -> list[Callable[[Any], Any]]:
    """Return functions from the outputs for one sample to the score of its class or weights."""
    if targets.ndim == 1:
        return [itemgetter((..., k)) for k in targets.tolist()]
    return [partial(_weighted, row) for row in targets]


def _weighted(weights: Any, outputs: Any) -> Any:
    return (outputs * weights.to(outputs)).sum()


def _zennit(explainer: Any, options: dict[str, Any], tensors: Tensors) -> Explain:
    relevance = options.get("attr_output", lambda outputs, weights: weights)
    others = sorted(set(options) - {"attr_output"})
    if others:
        raise TypeError(f"explainer: zennit takes no {others[0]!r} here, but attr_output, a function of outputs and weights")
    attribution = importlib.import_module("zennit.attribution")
    if hasattr(explainer, "module_map"):
        if not is_torch_module(tensors.module):
            raise TypeError(
                "explainer: a composite of zennit needs a torch module as the model; give an attributor, "
                "zennit.attribution.Gradient(module, composite)"
            )
        explainer = attribution.Gradient(tensors.module, explainer)
    elif explainer.attr_output_fn is not attribution.identity:
        raise ValueError(
            f"explainer: {type(explainer).__name__} has an attr_output of its own, which does not know the targets; leave it out, "
            'or give a pair (attributor, {"attr_output": function}) of a function of outputs and weights of the targets'
        )

    def explain(inputs: Any, targets: Any) -> Any:
        def weighted(outputs: Any) -> Any:
            weights = targets
            if targets.ndim == 1:
                weights = outputs.new_zeros(outputs.shape).scatter_(1, targets[:, None], 1)
            return relevance(outputs.detach(), weights.to(outputs))

        return explainer(inputs, weighted)[1]

    return explain


def _shapiq(explainer: Any, options: dict[str, Any], tensors: Tensors) -> Explain:
    return lambda inputs, targets: explainer.explain_X(np.asarray(inputs), **options)


def first_order_values(given: Any, name: str) -> np.ndarray[Any, Any]:
    """Convert ``shapiq.InteractionValues``, one per sample, to an array ``(n, players)``.

    Raises
    ------
    ValueError
        For interactions of several players.
    """
    for sample, one in enumerate(given):
        if one.max_order > 1:
            raise ValueError(
                f"{name}[{sample}]: has interactions of up to {one.max_order} players, a map has one value per feature; explain with "
                "max_order=1, or take the part of order one, [values.get_n_order(1) for values in …]"
            )
    return np.stack([one.get_n_order_values(1) for one in given])
