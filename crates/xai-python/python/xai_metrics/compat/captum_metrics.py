"""Drop-in replacement for ``captum.metrics`` 0.9: its two metrics with its arguments.

Inputs are torch tensors, one or a tuple of several, as in Captum, and so are those of the user's
functions. Sums are computed in double precision.
:class:`~xai_metrics.attribution.metrics.Infidelity` and
:class:`~xai_metrics.attribution.metrics.MaximumStability` are the same metrics for use with
:func:`~xai_metrics.attribution.evaluate`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from xai_metrics._arguments import whole
from xai_metrics._frameworks import Tensors

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

__all__ = [
    "default_perturb_func",
    "infidelity",
    "infidelity_perturb_func_decorator",
    "sensitivity_max",
]


class _Samples:
    """Samples in one tensor or in several of one length."""

    def __init__(self, inputs: Any) -> None:
        self.given = _tuple_of(inputs)
        self.n = len(self.given[0])
        if any(len(tensor) != self.n for tensor in self.given):
            raise ValueError("inputs: expected tensors of one length, got several")

    def repeated(self, n_draws: int, largest: int | None) -> Iterator[tuple[slice, Array, Any]]:
        """Iterate over slices of draws, the sample of every row, and the rows; each call gets as
        many draws as fit.
        """
        import torch

        size = n_draws if largest is None else max(1, min(largest // max(self.n, 1), n_draws))
        for first in range(0, n_draws, size):
            n = min(size, n_draws - first)
            parts = [torch.repeat_interleave(tensor, n, dim=0) for tensor in self.given]
            rows = parts[0] if len(parts) == 1 else tuple(parts)
            yield slice(first, first + n), np.repeat(np.arange(self.n), n), rows

    def rows(self, tensors: Any, n: int, name: str) -> Array:
        """Concatenate tensors with the shapes of the inputs to an array of ``n`` rows."""
        parts = _tuple_of(tensors)
        shapes = [(n, *item.shape[1:]) for item in self.given]
        if [tuple(entry.shape) for entry in parts] != shapes:
            expected = ", ".join(map(str, shapes))
            raise ValueError(f"{name}: expected tensors shaped as the inputs, {expected}")
        return _rows(parts)

    def values(self, per_sample: Array) -> Any:
        """Convert values per sample to a tensor, as Captum returns them."""
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
    """Compute infidelity, the mean over draws of ``(sum(I * a) - (f(x) - f(x')))**2``.

    Lower is better. The values are those of Captum, except that with ``normalize=True`` the
    value is NaN if all sums are 0.

    Parameters
    ----------
    forward_func : callable
        ``forward_func(*inputs, *additional_forward_args)`` returns one row of outputs per row of
        inputs.
    perturb_func : callable
        ``perturb_func(inputs)`` or ``perturb_func(inputs, baselines)`` returns the perturbations I
        and the perturbed inputs x'; its inputs are repeated for each draw.
    inputs, attributions : tensor or tuple of tensors
        Inputs and attributions of the same shapes.
    baselines, additional_forward_args, target, n_perturb_samples, max_examples_per_batch, normalize
        See Captum.

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
    samples = _Samples(inputs)
    n = samples.n
    maps = samples.rows(attributions, n, "attributions")
    # What maps say of each change, and what the model does.
    shape = whole("n_perturb_samples", n_perturb_samples, 1), n
    expected_changes, actual_changes = np.empty(shape), np.empty(shape)

    def scores(tensors: Any, of: Array) -> Array:
        further = _tuple_of(_select_samples(additional_forward_args, of, n))
        answer = forward_func(*_tuple_of(tensors), *further)
        return _selected(answer, _select_samples(target, of, n)).astype(np.float64)

    with Tensors.for_model(forward_func, "torch", None).calling():
        whole_scores = scores(inputs, np.arange(n))
        for draws, of, repeated in samples.repeated(n_perturb_samples, max_examples_per_batch):
            of_rows = () if baselines is None else (_select_samples(baselines, of, n),)
            changes, perturbed = perturb_func(repeated, *of_rows)
            rows = samples.rows(changes, len(of), "perturb_func")
            sums = np.einsum("ij,ij->i", rows, maps[of], dtype=np.float64)
            expected_changes[draws] = sums.reshape(n, -1).T
            actual_changes[draws] = (whole_scores[of] - scores(perturbed, of)).reshape(n, -1).T
    if normalize:
        squares = (expected_changes * expected_changes).sum(axis=0)
        with np.errstate(invalid="ignore"):
            # The factor with which the maps say it best; there is none where they say nothing.
            expected_changes *= (expected_changes * actual_changes).sum(axis=0) / squares
    return samples.values(((expected_changes - actual_changes) ** 2).mean(axis=0))


def default_perturb_func(inputs: Any, perturb_radius: float = 0.02) -> Any:
    """Add uniform noise of at most ``perturb_radius`` to each element, from the generator of torch.

    Parameters
    ----------
    inputs : tensor or tuple of tensors
        Inputs.
    perturb_radius : float
        Largest change of an element.

    Returns
    -------
    tuple of tensors
        Perturbed inputs.
    """
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
    """Compute max-sensitivity: the largest change of the map when the input changes a little.

    The norm of the difference of the maps is divided by that of the original map. Lower is
    better. For a map of zeros the value is NaN; Captum divides by 1, as does ``compat=True``.

    Parameters
    ----------
    explanation_func : callable
        ``explanation_func(inputs, **kwargs)`` returns maps, for example the method ``attribute`` of
        Captum.
    inputs : tensor or tuple of tensors
        Inputs to explain.
    perturb_func : callable
        ``perturb_func(inputs)`` or ``perturb_func(inputs, perturb_radius)`` returns perturbed
        inputs.
    perturb_radius, n_perturb_samples, max_examples_per_batch : float, optional
        See Captum.
    norm_ord : {"fro"} or number
        Order of the norm, see ``numpy.linalg.norm`` for vectors.
    compat : bool
        Whether to return the value of Captum for maps of zeros.
    **kwargs
        Keyword arguments of ``explanation_func``; those with one entry per sample are repeated with
        the samples.

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
    samples = _Samples(inputs)
    n = samples.n
    takes_radius = len(inspect.signature(perturb_func).parameters) > 1
    radius = (perturb_radius,) if takes_radius else ()

    def explained(tensors: Any, of: Array) -> Array:
        arguments = {name: _select_samples(value, of, n) for name, value in kwargs.items()}
        return samples.rows(explanation_func(tensors, **arguments), len(of), "explanation_func")

    maps = explained(inputs, np.arange(n))
    moved = np.empty((whole("n_perturb_samples", n_perturb_samples, 1), n))
    for draws, of, repeated in samples.repeated(n_perturb_samples, max_examples_per_batch):
        near = explained(perturb_func(repeated, *radius), of)
        moves = np.subtract(near, maps[of], dtype=np.float64)
        moved[draws] = _norms(moves, norm_ord).reshape(n, -1).T
    sizes = _norms(maps, norm_ord)
    sizes[sizes == 0.0] = 1.0 if compat else np.nan
    return samples.values(moved.max(axis=0) / sizes)


def infidelity_perturb_func_decorator(multiply_by_inputs: bool = True) -> Callable[..., Any]:
    """Convert a function that returns perturbed inputs to one for :func:`infidelity`.

    The perturbations are the differences of the inputs. For attributions that are multiplied by
    the inputs, they are divided by the inputs minus their baselines.

    Parameters
    ----------
    multiply_by_inputs : bool
        Whether attributions are multiplied by the inputs.

    Returns
    -------
    callable
        Decorator for a function of the inputs (and baselines).
    """

    def decorated(perturb_func: Callable[..., Any]) -> Callable[..., Any]:
        def perturb(inputs: Any, baselines: Any = None) -> tuple[Any, Any]:
            import torch

            near = perturb_func(inputs) if baselines is None else perturb_func(inputs, baselines)
            given, moved = _tuple_of(inputs), _tuple_of(near)
            origin = (0.0,) * len(given) if baselines is None else _tuple_of(baselines)
            changes = [x - x_moved for x, x_moved in zip(given, moved)]
            if multiply_by_inputs:
                spans = [x - value for x, value in zip(given, origin)]
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


def _norms(rows: Array, order: Any) -> Array:
    """Compute the norm of every row."""
    norms: Array
    if order in ("fro", 2):
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    else:
        norms = np.linalg.norm(rows.astype(np.float64), order, axis=1)
    return norms


def _rows(tensors: tuple[Any, ...]) -> Array:
    parts = [tensor.detach().cpu().reshape(len(tensor), -1).numpy() for tensor in tensors]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _select_samples(values: Any, samples: Array, n: int) -> Any:
    """Select the entry of each row's sample if there is one per sample, otherwise return the value.
    """
    if isinstance(values, tuple):
        return tuple(_select_samples(value, samples, n) for value in values)
    if isinstance(values, list) and len(values) == n:
        return [values[sample] for sample in samples]
    if getattr(values, "ndim", 0) > 0 and len(values) == n:
        return values[samples]
    return values


def _selected(outputs: Any, target: Any) -> Array:
    """Select the explained output of each row."""
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
