"""Remove and debias (ROAD): changes of scores when relevant pixels are imputed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from xai_metrics import _native
from xai_metrics._arguments import number, seed_of
from xai_metrics._arrays import reals

from .perturbation_confidence import (
    PERCENTILES,
    AveragerAcrossThresholds,
    PerturbationConfidenceMetric,
    RemoveLeastRelevantFirst,
    RemoveMostRelevantFirst,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

__all__ = [
    "NoisyLinearImputer",
    "ROADCombined",
    "ROADLeastRelevantFirst",
    "ROADLeastRelevantFirstAverage",
    "ROADMostRelevantFirst",
    "ROADMostRelevantFirstAverage",
    "neighbors_weights",
]

#: Offsets and weights of the neighbours of a pixel.
neighbors_weights = [
    ((down, right), (1 if down and right else 2) / 12)
    for down in (-1, 0, 1)
    for right in (-1, 0, 1)
    if down or right
]


class NoisyLinearImputer:
    """Imputer that sets missing pixels to the weighted mean of their neighbours, plus noise.

    Parameters
    ----------
    noise : float
        Standard deviation of the noise; 0 for none.
    weighting : list of ((int, int), float)
        Weights of the neighbours; only :data:`neighbors_weights`, which pytorch-grad-cam uses
        whatever the argument.
    seed : int
        Seed of the noise; each image of a batch has its own stream.
    compat : bool
        Whether noise is drawn from torch's global generator, as in pytorch-grad-cam.

    Examples
    --------
    ::

        imputed = NoisyLinearImputer(noise=0.0)(image, known)
    """

    def __init__(
        self, noise: float = 0.01, weighting: Any = neighbors_weights, *, seed: int = 1, compat: bool = False
    ) -> None:
        if sorted(weighting) != sorted(neighbors_weights):
            raise ValueError("weighting: expected neighbors_weights, other weights are not supported")
        self.noise = number("noise", noise)
        self.weighting = neighbors_weights
        self.seed = seed_of(seed)
        self.compat = compat

    def __call__(self, img: Any, mask: Any) -> Any:
        """Impute an image ``(channels, height, width)`` where ``mask`` ``(height, width)`` is 0."""
        return self.impute(img[None], reals(mask, "mask", 2)[None] == 0)[0]

    def impute(self, images: Any, missing: npt.NDArray[np.bool_]) -> Any:
        """Impute images.

        Parameters
        ----------
        images : tensor
            Images ``(n, channels, height, width)``.
        missing : numpy.ndarray of bool
            Pixels to impute, ``(n, height, width)``.

        Returns
        -------
        tensor
            Images of the same type and device.

        Raises
        ------
        ValueError
            For an image without a known pixel.
        """
        import torch

        array = np.ascontiguousarray(reals(images.detach().cpu(), "input_tensor", 4))
        empty = next((sample for sample, of in enumerate(missing) if of.all()), None)
        if empty is not None:
            raise ValueError(
                f"cams[{empty}]: all pixels are removed, and there is nothing to impute from; without compat=True, equal "
                "values of a map are removed one by one"
            )
        imputed = _native.attribution_impute(array, missing, "channels-first")
        for sample, of in enumerate(missing if self.noise else ()):
            imputed[sample][:, of] += self.noise * self._noise(len(imputed[sample]), int(of.sum()), sample)
        return torch.from_numpy(imputed).to(images.device, images.dtype)

    def _noise(self, channels: int, n: int, sample: int) -> Array:
        if not self.compat:
            return np.random.default_rng([self.seed, sample]).standard_normal((channels, n))
        import torch

        return np.asarray(torch.randn(channels, n))


class ROADMostRelevantFirst(PerturbationConfidenceMetric):
    """Change of the score of each image when its most relevant pixels are imputed.

    Lower is better.

    Parameters
    ----------
    percentile : float or "auto"
        See :class:`.RemoveMostRelevantFirst`: 20 % of the pixels are removed for 80.
    seed : int
        Seed of the noise.
    compat : bool
        Whether to return the values of pytorch-grad-cam, see
        :mod:`~xai_metrics.compat.pytorch_grad_cam.metrics`.

    Examples
    --------
    ::

        changes, imputed = ROADMostRelevantFirst(percentile=75)(
            images, cams, targets, model, return_visualization=True
        )
    """

    def __init__(self, percentile: float | str = 80, *, seed: int = 1, compat: bool = False) -> None:
        imputer = NoisyLinearImputer(seed=seed, compat=compat)
        super().__init__(RemoveMostRelevantFirst(percentile, imputer, compat=compat))


class ROADLeastRelevantFirst(PerturbationConfidenceMetric):
    """Change of the score of each image when its least relevant pixels are imputed.

    Higher is better.

    Parameters
    ----------
    percentile : float or "auto"
        See :class:`.RemoveLeastRelevantFirst`: 80 % of the pixels are removed for 20.
    seed, compat
        See :class:`ROADMostRelevantFirst`.

    Examples
    --------
    ::

        changes = ROADLeastRelevantFirst(percentile=20)(images, cams, targets, model)
    """

    def __init__(self, percentile: float | str = 20, *, seed: int = 1, compat: bool = False) -> None:
        imputer = NoisyLinearImputer(seed=seed, compat=compat)
        super().__init__(RemoveLeastRelevantFirst(percentile, imputer, compat=compat))


class ROADMostRelevantFirstAverage(AveragerAcrossThresholds):
    """Mean of :class:`ROADMostRelevantFirst` over percentiles.

    Parameters
    ----------
    percentiles : sequence of float
        Percentiles.
    seed, compat
        See :class:`ROADMostRelevantFirst`.

    Examples
    --------
    ::

        changes = ROADMostRelevantFirstAverage([20, 40, 60, 80])(images, cams, targets, model)
    """

    def __init__(self, percentiles: Sequence[Any] = PERCENTILES, *, seed: int = 1, compat: bool = False) -> None:
        super().__init__(partial(ROADMostRelevantFirst, seed=seed, compat=compat), percentiles)


class ROADLeastRelevantFirstAverage(AveragerAcrossThresholds):
    """Mean of :class:`ROADLeastRelevantFirst` over percentiles.

    Parameters
    ----------
    percentiles : sequence of float
        Percentiles.
    seed, compat
        See :class:`ROADMostRelevantFirst`.

    Examples
    --------
    ::

        changes = ROADLeastRelevantFirstAverage([20, 40, 60, 80])(images, cams, targets, model)
    """

    def __init__(self, percentiles: Sequence[Any] = PERCENTILES, *, seed: int = 1, compat: bool = False) -> None:
        super().__init__(partial(ROADLeastRelevantFirst, seed=seed, compat=compat), percentiles)


class ROADCombined:
    """Half the difference between :class:`ROADLeastRelevantFirstAverage` and :class:`ROADMostRelevantFirstAverage`.

    Higher is better.

    Parameters
    ----------
    percentiles : sequence of float
        Percentiles.
    seed, compat
        See :class:`ROADMostRelevantFirst`.

    Examples
    --------
    ::

        values = ROADCombined(percentiles=[20, 40, 60, 80])(images, cams, targets, model)
    """

    def __init__(self, percentiles: Sequence[Any] = PERCENTILES, *, seed: int = 1, compat: bool = False) -> None:
        self.percentiles = list(percentiles)
        self.morf_averager = ROADMostRelevantFirstAverage(percentiles, seed=seed, compat=compat)
        self.lerf_averager = ROADLeastRelevantFirstAverage(percentiles, seed=seed, compat=compat)

    def __call__(
        self,
        input_tensor: Any,
        cams: Any,
        targets: Sequence[Callable[[Any], Any]],
        model: Callable[[Any], Any],
    ) -> Array:
        """Compute one value per image; see :class:`.PerturbationConfidenceMetric`."""
        least = self.lerf_averager(input_tensor, cams, targets, model)
        most = self.morf_averager(input_tensor, cams, targets, model)
        return np.asarray((least - most) / 2)
