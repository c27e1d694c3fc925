"""Names of the functions that Quantus accepts as options.

An option is a name, or a function with that name, for example one of Quantus.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

CORRELATIONS = {
    "correlation_pearson": "pearson",
    "correlation_spearman": "spearman",
    "correlation_kendall_tau": "kendall",
}
SIMILARITIES = {
    "correlation_pearson": "pearson",
    "correlation_spearman": "spearman",
    "ssim": "ssim",
}
DISTANCES = {"distance_euclidean": "l2", "distance_manhattan": "l1"}
#: Functions that set features to a baseline.
REMOVALS = {
    "baseline_replacement_by_indices": "",
    "batch_baseline_replacement_by_indices": "",
    "baseline_replacement_by_mask": "",
}
IMPUTATION = {"noisy_linear_imputation": ""}
TRANSLATIONS = {"translation_x_direction": "width", "translation_y_direction": "height"}
NOISES = {
    "uniform_noise": "around",
    "batch_uniform_noise": "around",
    "gaussian_noise": "gaussian",
    "batch_gaussian_noise": "gaussian",
}
BASELINES = {"black": "sample-min", "white": "sample-max", "mean": "sample-mean"}


def name_of(function: Any) -> str | None:
    """Return the name of a function; a name is returned unchanged.

    Examples
    --------
    >>> name_of("ssim"), name_of(name_of)
    ('ssim', 'name_of')
    """
    if isinstance(function, str):
        return function
    return getattr(getattr(function, "func", function), "__name__", None)


def resolve(option: str, function: Any, words: Mapping[str, str]) -> str:
    """Return the native equivalent of a name or function.

    Examples
    --------
    >>> resolve("similarity_func", "correlation_pearson", CORRELATIONS)
    'pearson'
    """
    found = words.get(name_of(function) or "")
    if found is None:
        own = "; functions of your own are not called, a metric of your own is an OwnMetric of evaluate" * callable(function)
        raise ValueError(f"{option}: expected one of {', '.join(words)}, got {function!r}{own}")
    return found


def normalise_by_max(a: Any, normalise_axes: Any = None) -> npt.NDArray[Any]:
    """Divide maps by the largest magnitude of all of them, or along some axes.

    Parameters
    ----------
    a : array_like
        Maps.
    normalise_axes : sequence of int, optional
        Axes; all by default.

    Returns
    -------
    numpy.ndarray
        Scaled maps.

    Examples
    --------
    >>> normalise_by_max([[1.0, -4.0], [2.0, 0.0]]).tolist()
    [[0.25, -1.0], [0.5, 0.0]]
    """
    a = np.asarray(a)
    largest = np.abs(a).max(axis=_axes(normalise_axes), keepdims=True)
    return _divided(a, largest)


def normalise_by_negative(a: Any, normalise_axes: Any = None) -> npt.NDArray[Any]:
    """Divide positive values by the largest value, and negative ones by the magnitude of the
    smallest.

    Parameters
    ----------
    a : array_like
        Maps.
    normalise_axes : sequence of int, optional
        Axes; all by default.

    Returns
    -------
    numpy.ndarray
        Scaled maps.

    Examples
    --------
    >>> normalise_by_negative([[1.0, -4.0, 2.0]]).tolist()
    [[0.5, -1.0, 1.0]]
    """
    a = np.asarray(a)
    axes = _axes(normalise_axes)
    highest, lowest = a.max(axis=axes, keepdims=True), a.min(axis=axes, keepdims=True)
    return _divided(a, np.where(a > 0.0, highest, -lowest))


def normalise_by_average_second_moment_estimate(
    a: Any, normalise_axes: Any = None
) -> npt.NDArray[Any]:
    """Divide maps by their root mean square, of all of them or along some axes.

    Parameters
    ----------
    a : array_like
        Maps.
    normalise_axes : sequence of int, optional
        Axes; all by default.

    Returns
    -------
    numpy.ndarray
        Scaled maps.

    Examples
    --------
    >>> normalise_by_average_second_moment_estimate([[3.0, 4.0, 0.0, 0.0]]).tolist()
    [[1.2, 1.6, 0.0, 0.0]]
    """
    a = np.asarray(a)
    return _divided(a, np.sqrt(np.mean(a * a, axis=_axes(normalise_axes), keepdims=True)))


def _axes(axes: Any) -> tuple[int, ...] | None:
    return None if axes is None else tuple(axes)


def _divided(a: npt.NDArray[Any], by: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Divide; division by zero gives zero."""
    quotients = np.zeros(a.shape, np.result_type(a, by))
    np.divide(a, by, out=quotients, where=by != 0.0)
    return quotients


def module(name: str, **members: Any) -> ModuleType:
    """Return a module of this package with the members, which can also be imported by its name."""
    created = ModuleType(f"{__package__}.{name}", f"Counterpart of ``quantus.{name}``.")
    vars(created).update(members)
    sys.modules[created.__name__] = created
    return created


#: Counterparts of the modules of Quantus with such functions.
functions: ModuleType = module(
    "functions",
    similarity_func=module(
        "functions.similarity_func",
        **{word: word for word in [*CORRELATIONS, *DISTANCES, "difference", "lipschitz_constant", "ssim"]},
    ),
    perturb_func=module(
        "functions.perturb_func", **{word: word for word in [*REMOVALS, *IMPUTATION, *TRANSLATIONS, *NOISES]}
    ),
    norm_func=module("functions.norm_func", fro_norm="fro_norm"),
    loss_func=module("functions.loss_func", mse="mse"),
    normalise_func=module(
        "functions.normalise_func",
        normalise_by_max=normalise_by_max,
        normalise_by_negative=normalise_by_negative,
        normalise_by_average_second_moment_estimate=normalise_by_average_second_moment_estimate,
    ),
)
similarity_func: ModuleType = functions.similarity_func
perturb_func: ModuleType = functions.perturb_func
norm_func: ModuleType = functions.norm_func
loss_func: ModuleType = functions.loss_func
normalise_func: ModuleType = functions.normalise_func
