"""ARCC: coherency, simplicity and ROAD in one number.

With ``compat=True``, small numbers are added to the divisors, as in pytorch-grad-cam: a constant
map has coherency 0.5, and maps outside [0, 1] are accepted. By default a constant map has no
coherency, NaN, and ``ARCC`` refuses maps outside [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from xai_metrics._arrays import reals

from .perturbation_confidence import maps_of
from .road import ROADCombined

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

__all__ = ["ARCC", "Coherency", "Complexity", "batch_pearson_coherency"]

#: Number that pytorch-grad-cam adds to divisors.
_EPSILON = 1e-8


def batch_pearson_coherency(A: Any, B: Any, *, compat: bool = False) -> Array:  # noqa: N803
    """Compute Pearson's correlation of two sets of maps, map by map.

    Parameters
    ----------
    A, B : array_like
        Maps ``(n, height, width)``.
    compat : bool
        Whether a constant map has correlation 0 rather than NaN.

    Returns
    -------
    numpy.ndarray
        Correlations ``(n,)``.

    Examples
    --------
    >>> batch_pearson_coherency([[[1.0, 2.0, 3.0]]], [[[3.0, 2.0, 1.0]]]).tolist()
    [-1.0]
    """
    a, b = (np.asarray(reals(maps, "maps"), float).reshape(len(maps), -1) for maps in (A, B))
    a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    deviations = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    if compat:
        deviations += _EPSILON * (a.shape[1] - 1)
    with np.errstate(invalid="ignore"):
        return np.asarray((a * b).sum(axis=1) / deviations)


class Complexity:
    """Mean magnitude of the attributions of each map; lower is simpler.

    Examples
    --------
    >>> Complexity()([[[0.0, 0.5], [0.0, 1.0]]]).tolist()
    [0.375]
    """

    def __call__(self, grayscale_cams: Any) -> Array:
        """Compute the means of maps ``(n, height, width)``."""
        maps = reals(grayscale_cams, "grayscale_cams", 3)
        return np.asarray(np.abs(maps).mean(axis=(1, 2)))


class Coherency:
    """Correlation of each map with the map of the image multiplied by it, scaled to [0, 1].

    Parameters
    ----------
    compat : bool
        Whether to return the value of pytorch-grad-cam for constant maps.

    Examples
    --------
    ::

        values = Coherency()(images, cams, targets, model, base_method=GradCAM(model, layers))
    """

    def __init__(self, *, compat: bool = False) -> None:
        self.compat = compat

    def __call__(
        self,
        input_tensor: Any,
        grayscale_cams: Any,
        targets: Sequence[Callable[[Any], Any]],
        model: Any,
        base_method: Callable[..., Any],
    ) -> Array:
        """Compute one value per image.

        Parameters
        ----------
        input_tensor, grayscale_cams, targets
            See :class:`.PerturbationConfidenceMetric`.
        model
            Not read, as in pytorch-grad-cam: ``base_method`` knows its model.
        base_method : callable
            ``base_method(input_tensor=…, targets=…)`` returns the maps of images, such as
            ``GradCAM(model, layers)``.

        Returns
        -------
        numpy.ndarray
            Values ``(n,)``.
        """
        import torch

        maps = maps_of(grayscale_cams, input_tensor)
        masks = torch.from_numpy(maps)[:, None].to(input_tensor.device, input_tensor.dtype)
        again = base_method(input_tensor=input_tensor * masks, targets=targets)
        return (batch_pearson_coherency(again, maps, compat=self.compat) + 1) / 2


class ARCC:
    """Harmonic mean of coherency, simplicity and ROAD.

    ``3 / (1 / coherency + 1 / (1 - complexity) + 1 / road)``, where ``road`` is twice
    :class:`.ROADCombined`, cut to [0, 1]; 0 if one of them is 0. Higher is better. Scores should
    be probabilities: ROAD of logits has no such range.

    Parameters
    ----------
    base_method : callable
        See :class:`Coherency`.
    road_percentiles : sequence of float
        Percentiles of ROAD.
    seed, compat
        See :class:`.ROADMostRelevantFirst` and :mod:`~xai_metrics.compat.pytorch_grad_cam.metrics.arcc`.

    References
    ----------
    arXiv 2605.14641, which names the geometric mean; the package computes the harmonic one.

    Examples
    --------
    ::

        values = ARCC(base_method=cam)(images, cam(images, targets), targets, model)
    """

    def __init__(
        self,
        base_method: Callable[..., Any],
        road_percentiles: Sequence[Any] = (20, 40, 60, 80),
        *,
        seed: int = 1,
        compat: bool = False,
    ) -> None:
        self.complexity = Complexity()
        self.coherency = Coherency(compat=compat)
        self.road = ROADCombined(road_percentiles, seed=seed, compat=compat)
        self.base_method = base_method
        self.compat = compat

    def __call__(
        self,
        input_tensor: Any,
        grayscale_cams: Any,
        targets: Sequence[Callable[[Any], Any]],
        model: Callable[[Any], Any],
    ) -> Array:
        """Compute one value per image; see :class:`.PerturbationConfidenceMetric`."""
        maps = maps_of(grayscale_cams, input_tensor)
        if not self.compat and maps.size and (maps.min() < 0 or maps.max() > 1):
            raise ValueError(
                f"grayscale_cams: expected values in [0, 1], got {maps.min()} to {maps.max()}; divide the maps by their maximum"
            )
        coherency = self.coherency(input_tensor, maps, targets, model, self.base_method)
        road = (2 * self.road(input_tensor, maps, targets, model)).clip(0, 1)
        parts = np.array([coherency, 1 - self.complexity(maps), road], float)
        with np.errstate(divide="ignore"):
            # The limit is 0 where a part is 0.
            return np.asarray(3 / (1 / (parts + (_EPSILON if self.compat else 0))).sum(axis=0))
