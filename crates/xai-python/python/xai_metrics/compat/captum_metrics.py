"""Stands in for ``captum.metrics`` 0.9: its two metrics, with its arguments in its order.

Inputs are tensors of torch, one or a tuple of several, as in Captum; the numbers are computed by
:mod:`xai_metrics.attribution`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from xai_metrics.attribution import metrics

from ._per_sample import per_sample

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

__all__ = [
    "default_perturb_func",
    "infidelity",
    "infidelity_perturb_func_decorator",
    "sensitivity_max",
]


class _Columns:
    """Several tensors side by side, as rows of one array."""

    def __init__(self, tensors: Any, name: str = "inputs") -> None:
        self.given = _tuple_of(tensors)
        self.n = len(self.given[0])
        if any(len(tensor) != self.n for tensor in self.given):
            raise ValueError(f"{name}: expected tensors of one length, got several")
        self.array = _rows(self.given)

    def tensors(self, rows: Array) -> Any:
        """Rows as tensors like those that were given: one, or a tuple."""
        import torch

        parts, first = [], 0
        for given in self.given:
            n_columns = given[0].numel()
            part = torch.from_numpy(np.ascontiguousarray(rows[:, first : first + n_columns]))
            part = part.to(given.device, given.dtype)
            parts.append(part.reshape(-1, *given.shape[1:]))
            first += n_columns
        return parts[0] if len(parts) == 1 else tuple(parts)

    def repeated(self, n_draws: int, largest: int | None) -> Iterator[tuple[slice, int, Any]]:
        """Which draws, how many, and the inputs so many times each: as many as fit in a batch."""
        import torch

        size = n_draws if largest is None else max(1, min(largest // max(self.n, 1), n_draws))
        for first in range(0, n_draws, size):
            n = min(size, n_draws - first)
            parts = [torch.repeat_interleave(tensor, n, dim=0) for tensor in self.given]
            yield slice(first, first + n), n, parts[0] if len(parts) == 1 else tuple(parts)

    def drawn(self, tensors: Any, n_draws: int, name: str) -> Array:
        """What a function answers to repeated inputs, draws first."""
        rows = _rows(_tuple_of(tensors))
        if rows.shape != (self.n * n_draws, self.array.shape[1]):
            raise ValueError(f"{name}: expected tensors shaped as the inputs that it was given")
        return rows.reshape(self.n, n_draws, -1).swapaxes(0, 1)

    def values(self, per_sample: Array) -> Any:
        """Values of samples as Captum answers them."""
        import torch

        of = self.given[0]
        dtype = of.dtype if of.is_floating_point() else torch.get_default_dtype()
        return torch.from_numpy(per_sample).to(of.device, dtype)


def infidelity(
    forward_func: Callable[..., Any],
    perturb_func: Callable[..., Any],
    inputs: Any,
    attributions: Any,
    baselines: Any = None,
    additional_forward_args: Any = None,
    target: Any = None,
    n_perturb_samples: int = 10,
    max_examples_per_batch: int | None = None,
    normalize: bool = False,
) -> Any:
    """How far is what attributions say of a change of the input from what the model does?

    Infidelity, the mean over draws of ``(sum(I * a) - (f(x) - f(x')))**2``. Better: lower. The
    numbers are those of Captum; with ``normalize=True`` where all sums are 0 there is none, and
    NaN.

    Parameters
    ----------
    forward_func : callable
        ``forward_func(*inputs, *additional_forward_args)``, one row of outputs per row of inputs.
    perturb_func : callable
        ``perturb_func(inputs)`` or ``perturb_func(inputs, baselines)`` answers the perturbations I
        and the perturbed inputs x'; it is given inputs that are repeated for its draws.
    inputs, attributions : tensor or tuple of tensors
        Of one shape.
    baselines, additional_forward_args, target, n_perturb_samples, max_examples_per_batch, normalize
        As in Captum.

    Returns
    -------
    tensor
        One value per sample.

    Raises
    ------
    ValueError
        For tensors that do not fit each other, and without a target for several outputs.

    References
    ----------
    Yeh et al., On the (In)fidelity and Sensitivity of Explanations, 2019.

    Examples
    --------
    ::

        def perturb(inputs):
            noise = 0.1 * torch.randn_like(inputs)
            return noise, inputs - noise

        attributions = captum.attr.Saliency(network).attribute(images, target=classes, abs=False)
        infidelity(network, perturb, images, attributions, target=classes)
    """
    columns, maps = _Columns(inputs), _Columns(attributions, "attributions").array
    if maps.shape != columns.array.shape:
        raise ValueError("attributions: expected tensors shaped as the inputs")
    x, n_columns = columns.array, columns.array.shape[1]
    noise, told = np.empty((n_perturb_samples, *x.shape), x.dtype), []
    rounding = 4.0 * float(np.finfo(x.dtype).eps) * float(np.abs(x).max(initial=0.0))
    is_noise = True
    for draws, n_draws, repeated in columns.repeated(n_perturb_samples, max_examples_per_batch):
        if baselines is None:
            changes, perturbed = perturb_func(repeated)
        else:
            changes, perturbed = perturb_func(repeated, _by_sample(baselines, columns.n, n_draws))
        np.subtract(columns.drawn(perturbed, n_draws, "perturb_func"), x, out=noise[draws])
        told.append(columns.drawn(changes, n_draws, "perturb_func"))
        apart = float(np.abs(noise[draws] + told[-1]).max(initial=0.0))
        is_noise = is_noise and apart <= rounding
    if not is_noise:
        # What perturbations say of the inputs stands beside these, where only maps read it.
        x, maps = (np.hstack(pair) for pair in ((x, np.zeros_like(x)), (np.zeros_like(x), maps)))
        noise = np.concatenate([noise, -np.concatenate(told)], axis=2)

    def scores(_model: Any, rows: Array, samples: Array) -> Array:
        of = samples[:, 0].astype(int)
        parts = _tuple_of(columns.tensors(rows[:, :n_columns]))
        further = _tuple_of(_of_samples(additional_forward_args, of, columns.n))
        return _selected(forward_func(*parts, *further), _of_samples(target, of, columns.n))

    scaling = "optimal-beta" if normalize else "none"
    metric = metrics.Infidelity(map_kind="gradient", scaling=scaling, draws=noise)
    run = {
        "model": forward_func,
        "framework": "numpy",
        "operator": scores,
        "inputs": x,
        # Which sample a row is made of.
        "targets": np.arange(columns.n)[:, None],
        "explanations": maps,
        "layout": "tabular",
        "batch_size": max_examples_per_batch,
    }
    return columns.values(per_sample(metric, run))


def default_perturb_func(inputs: Any, perturb_radius: float = 0.02) -> Any:
    """Inputs each element of which moves by a uniform number of at most the radius, from the
    generator of torch."""
    import torch

    def moved(tensor: Any) -> Any:
        noise = torch.empty(tensor.size()).uniform_(-perturb_radius, perturb_radius)
        return tensor + noise.to(tensor.device)

    return tuple(moved(tensor) for tensor in _tuple_of(inputs))


def sensitivity_max(
    explanation_func: Callable[..., Any],
    inputs: Any,
    perturb_func: Callable[..., Any] = default_perturb_func,
    perturb_radius: float = 0.02,
    n_perturb_samples: int = 10,
    norm_ord: str | float = "fro",
    max_examples_per_batch: int | None = None,
    *,
    compat: bool = False,
    **kwargs: Any,
) -> Any:
    """Max-Sensitivity: how far does the map move at most when the input moves a little?

    The largest norm of the difference of two maps, in units of the norm of that of the input
    itself. Better: lower. A map of zeros has no norm to divide by, and the value is NaN; Captum
    divides by 1, as ``compat=True`` does.

    Parameters
    ----------
    explanation_func : callable
        ``explanation_func(inputs, **kwargs)`` answers maps: ``attribute`` of a method of Captum.
    inputs : tensor or tuple of tensors
        What is explained.
    perturb_func : callable
        ``perturb_func(inputs)`` or ``perturb_func(inputs, perturb_radius)`` answers inputs nearby.
    perturb_radius, n_perturb_samples, max_examples_per_batch
        As in Captum.
    norm_ord : {"fro"} or number
        The norm; of other than "fro" and 2 it is computed in Python.
    compat : bool
        Whether to give the number of Captum for maps of zeros.
    **kwargs
        Further arguments of ``explanation_func``; those with one entry per sample follow the
        samples.

    Returns
    -------
    tensor
        One value per sample.

    Raises
    ------
    ValueError
        For a function whose answers do not have the shape of the inputs.

    References
    ----------
    Yeh et al., On the (In)fidelity and Sensitivity of Explanations, 2019.

    Examples
    --------
    ::

        sensitivity_max(captum.attr.Saliency(network).attribute, images, target=classes)
    """
    columns = _Columns(inputs)
    takes_radius = len(inspect.signature(perturb_func).parameters) > 1
    noise = np.empty((n_perturb_samples, *columns.array.shape), columns.array.dtype)
    for draws, n_draws, repeated in columns.repeated(n_perturb_samples, max_examples_per_batch):
        radius = (perturb_radius,) if takes_radius else ()
        near = columns.drawn(perturb_func(repeated, *radius), n_draws, "perturb_func")
        np.subtract(near, columns.array, out=noise[draws])

    def explain(rows: Array, samples: Array) -> Array:
        arguments = {name: _of_samples(of, samples, columns.n) for name, of in kwargs.items()}
        return _rows(_tuple_of(explanation_func(columns.tensors(rows), **arguments)))

    def largest(distance: Any, rows: Array) -> Array:
        of_rows = noise if len(rows) == columns.n else np.ascontiguousarray(noise[:, rows])
        metric = metrics.MaximumStability(distance=distance, draws=of_rows)
        run = {
            "inputs": columns.array[rows],
            # Which sample a row is made of.
            "targets": rows,
            "explanations": maps[rows],
            "explainer": explain,
            "layout": "tabular",
            "batch_size": max_examples_per_batch,
        }
        return per_sample(metric, run)

    all_rows = np.arange(columns.n)
    maps = explain(columns.array, all_rows)
    is_zero = ~maps.any(axis=1)
    is_plain = norm_ord in ("fro", 2)
    order: Any = norm_ord
    values = np.full(columns.n, np.nan)
    if not is_zero.all():
        values[~is_zero] = largest(
            "relative"
            if is_plain
            else lambda a, b: np.linalg.norm(a - b, order) / np.linalg.norm(a, order),
            all_rows[~is_zero],
        )
    if compat and is_zero.any():
        of_zeros = "l2" if is_plain else lambda a, b: np.linalg.norm(a - b, order)
        # A map of zeros that stays one has not moved.
        values[is_zero] = np.nan_to_num(largest(of_zeros, all_rows[is_zero]))
    return columns.values(values)


def infidelity_perturb_func_decorator(multiply_by_inputs: bool = True) -> Callable[..., Any]:
    """Makes a function that answers perturbed inputs one that :func:`infidelity` takes.

    Its perturbations are the differences of the inputs, divided by the inputs (less their
    baselines) for attributions that are multiplied by these.
    """

    def decorated(perturb_func: Callable[..., Any]) -> Callable[..., Any]:
        def perturb(inputs: Any, baselines: Any = None) -> tuple[Any, Any]:
            import torch

            near = perturb_func(inputs) if baselines is None else perturb_func(inputs, baselines)
            given, moved = _tuple_of(inputs), _tuple_of(near)
            origin = (0.0,) * len(given) if baselines is None else _tuple_of(baselines)
            changes = [x - x_moved for x, x_moved in zip(given, moved)]
            if multiply_by_inputs:
                spans = [x - of for x, of in zip(given, origin)]
                changes = [
                    change / torch.where(span == 0.0, torch.ones_like(span), span)
                    for change, span in zip(changes, spans)
                ]
            return tuple(changes), moved

        return perturb

    return decorated


def _tuple_of(values: Any) -> tuple[Any, ...]:
    if values is None:
        return ()
    return tuple(values) if isinstance(values, tuple) else (values,)


def _rows(tensors: tuple[Any, ...]) -> Array:
    parts = [tensor.detach().cpu().reshape(len(tensor), -1).numpy() for tensor in tensors]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _of_samples(values: Any, samples: Array, n: int) -> Any:
    """What stands for each row where there is an entry per sample, else what was given."""
    if isinstance(values, tuple):
        return tuple(_of_samples(value, samples, n) for value in values)
    if isinstance(values, list) and len(values) == n:
        return [values[sample] for sample in samples]
    if getattr(values, "ndim", 0) > 0 and len(values) == n:
        return values[samples]
    return values


def _by_sample(baselines: Any, n: int, n_draws: int) -> Any:
    """Baselines, as often as inputs are repeated."""
    if isinstance(baselines, tuple):
        return tuple(_by_sample(baseline, n, n_draws) for baseline in baselines)
    return _of_samples(baselines, np.repeat(np.arange(n), n_draws), n)


def _selected(outputs: Any, target: Any) -> Array:
    """The output that each row is explained for."""
    import torch

    n = len(outputs)
    if target is None:
        scores = outputs.reshape(n, -1)
        if scores.shape[1] != 1:
            raise ValueError(f"target: needed for outputs of shape {tuple(outputs.shape)}")
        scores = scores[:, 0]
    elif isinstance(target, (int, tuple)):
        scores = outputs[(slice(None), *_tuple_of(target))]
    else:
        rows = torch.arange(n, device=outputs.device)
        places = torch.as_tensor(target, device=outputs.device).reshape(-1, outputs.ndim - 1)
        scores = outputs[(rows, *places.expand(n, -1).T)]
    chosen: Array = scores.detach().cpu().numpy()
    return chosen
