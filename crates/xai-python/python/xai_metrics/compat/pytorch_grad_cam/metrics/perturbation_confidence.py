"""Changes of scores when images are perturbed according to their maps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from xai_metrics._arrays import reals
from xai_metrics._frameworks import Tensors

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

__all__ = [
    "AveragerAcrossThresholds",
    "PerturbationConfidenceMetric",
    "RemoveLeastRelevantFirst",
    "RemoveMostRelevantFirst",
]

#: Default percentiles of averages.
PERCENTILES = tuple(range(10, 100, 10))


class PerturbationConfidenceMetric:
    """Change of the score of each image under a perturbation.

    Parameters
    ----------
    perturbation : callable
        ``perturbation(image, cam)`` returns a perturbed image; its arguments are tensors
        ``(channels, height, width)`` and ``(height, width)`` in host memory.

    Examples
    --------
    ::

        blurred = PerturbationConfidenceMetric(lambda image, cam: torch.where(cam > 0.5, image, blur(image)))
        changes = blurred(images, cams, [ClassifierOutputTarget(k) for k in classes], model)
    """

    def __init__(self, perturbation: Callable[[Any, Any], Any]) -> None:
        self.perturbation = perturbation

    def __call__(
        self,
        input_tensor: Any,
        cams: Any,
        targets: Sequence[Callable[[Any], Any]],
        model: Callable[[Any], Any],
        return_visualization: bool = False,
        return_diff: bool = True,
    ) -> Any:
        """Compute the change of each score, ``after - before``.

        Parameters
        ----------
        input_tensor : tensor
            Images ``(n, channels, height, width)``.
        cams : array_like
            Maps ``(n, height, width)``.
        targets : sequence of callable
            Functions from the outputs for one image to its score, one per image.
        model : callable
            Torch module, or function of a batch.
        return_visualization : bool
            Whether to return the perturbed images, too.
        return_diff : bool
            Whether to return changes of scores rather than scores of the perturbed images.

        Returns
        -------
        numpy.ndarray or pair
            One number per image, ``(n,)``; with ``return_visualization`` also the tensor of
            perturbed images.

        Raises
        ------
        ValueError
            For maps or targets that do not fit the images.
        """
        maps = maps_of(cams, input_tensor)
        perturbed = self._perturbed(input_tensor, maps)
        batches = (perturbed, input_tensor) if return_diff else (perturbed,)
        result, *before = scores_of(model, targets, *batches)
        if return_diff:
            result = result - before[0]
        return (result, perturbed) if return_visualization else result

    def _perturbed(self, images: Any, maps: Array) -> Any:
        import torch

        if isinstance(self.perturbation, RemoveMostRelevantFirst):
            return self.perturbation.remove_all(images, maps)
        rows = zip(images.detach().cpu(), torch.from_numpy(maps))
        return torch.stack([self.perturbation(image, cam) for image, cam in rows]).to(images.device)


class RemoveMostRelevantFirst:
    """Perturbation that imputes the most relevant pixels of an image.

    Parameters
    ----------
    percentile : float or "auto"
        Percentile of the map: pixels from there on are removed, 10 % of them for 90. ``"auto"``
        removes those above Otsu's threshold of a map in [0, 1].
    imputer : callable
        ``imputer(image, known)`` returns the image without the pixels where ``known`` is 0.
    compat : bool
        Whether to remove the pixels that pytorch-grad-cam removes, see
        :mod:`~xai_metrics.compat.pytorch_grad_cam.metrics`.

    Examples
    --------
    ::

        remove = RemoveMostRelevantFirst(90, NoisyLinearImputer())
        imputed = remove(image, cam)
    """

    def __init__(self, percentile: float | str, imputer: Callable[[Any, Any], Any], *, compat: bool = False) -> None:
        if percentile != "auto" and (isinstance(percentile, str) or not 0 <= percentile <= 100):
            raise ValueError(f"percentile: expected a number from 0 to 100, or 'auto', got {percentile!r}")
        self.percentile = percentile
        self.imputer = imputer
        self.compat = compat

    def __call__(self, input_tensor: Any, mask: Any) -> Any:
        """Impute an image ``(channels, height, width)`` according to its map ``(height, width)``."""
        import torch

        known = ~self.removed(reals(mask, "mask", 2))
        return self.imputer(input_tensor, torch.from_numpy(np.float32(known)))

    def remove_all(self, images: Any, maps: Array) -> Any:
        """Impute images ``(n, channels, height, width)`` according to their maps.

        Parameters
        ----------
        images : tensor
            Images.
        maps : numpy.ndarray
            Maps ``(n, height, width)``.

        Returns
        -------
        tensor
            Images without the removed pixels.
        """
        import torch

        removed = np.stack([self.removed(cam) for cam in maps])
        impute = getattr(self.imputer, "impute", None)
        if impute is not None:
            return impute(images, removed)
        known = torch.from_numpy(np.float32(~removed))
        rows = zip(images.detach().cpu(), known)
        return torch.stack([self.imputer(image, of) for image, of in rows]).to(images.device)

    def removed(self, cam: Array) -> npt.NDArray[np.bool_]:
        """Return the pixels that are removed from the image of a map.

        Parameters
        ----------
        cam : numpy.ndarray
            Map ``(height, width)``.

        Returns
        -------
        numpy.ndarray of bool
            ``True`` for removed pixels.

        Raises
        ------
        ValueError
            For ``"auto"`` and a map that is not in [0, 1].

        Examples
        --------
        >>> import numpy as np
        >>> cam = np.array([[0.0, 0.2], [0.2, 0.4]])
        >>> RemoveMostRelevantFirst(50, None).removed(cam).tolist()
        [[False, True], [False, True]]
        >>> RemoveMostRelevantFirst(50, None, compat=True).removed(cam).tolist()
        [[False, True], [True, True]]
        """
        if self.percentile == "auto":
            is_high = _above_otsu(cam)
            return ~is_high if self.compat else is_high
        percentile = float(self.percentile)
        if self.compat:
            return np.asarray(~(cam < np.percentile(cam, percentile)))
        # As many as are removed from a map without equal values.
        ranks = np.arange(cam.size, dtype=cam.dtype)
        n_removed = int(np.count_nonzero(~(ranks < np.percentile(ranks, percentile))))
        return _largest(cam, n_removed)


class RemoveLeastRelevantFirst(RemoveMostRelevantFirst):
    """Perturbation that imputes the least relevant pixels of an image.

    Parameters
    ----------
    percentile : float or "auto"
        Percentile of ``1 - map``: 10 % of the pixels are removed for 90.
    imputer, compat
        See :class:`RemoveMostRelevantFirst`.

    Examples
    --------
    >>> import numpy as np
    >>> RemoveLeastRelevantFirst(50, None).removed(np.array([[0.0, 0.2], [0.3, 0.4]])).tolist()
    [[True, True], [False, False]]
    """

    def removed(self, cam: Array) -> npt.NDArray[np.bool_]:
        return super().removed(1 - cam)


class AveragerAcrossThresholds:
    """Mean of a metric over several percentiles.

    Parameters
    ----------
    imputer : callable
        Class of the metric, called with a percentile.
    percentiles : sequence of float
        Percentiles.

    Examples
    --------
    ::

        average = AveragerAcrossThresholds(ROADMostRelevantFirst, percentiles=[20, 40, 60, 80])
        changes = average(images, cams, targets, model)
    """

    def __init__(self, imputer: Callable[[Any], Any], percentiles: Sequence[Any] = PERCENTILES) -> None:
        self.imputer = imputer
        self.percentiles = list(percentiles)

    def __call__(
        self,
        input_tensor: Any,
        cams: Any,
        targets: Sequence[Callable[[Any], Any]],
        model: Callable[[Any], Any],
    ) -> Array:
        """Compute the mean change of each score; see :class:`PerturbationConfidenceMetric`.

        The images themselves are scored once.
        """
        metrics = [self.imputer(percentile) for percentile in self.percentiles]
        call = PerturbationConfidenceMetric.__call__
        if any(getattr(type(metric), "__call__", None) is not call for metric in metrics):
            changes = [metric(input_tensor, cams, targets, model) for metric in metrics]
            return np.asarray(np.mean(np.asarray(changes, np.float32), axis=0))
        (before,) = scores_of(model, targets, input_tensor)
        after = [metric(input_tensor, cams, targets, model, return_diff=False) for metric in metrics]
        return np.asarray(np.mean(np.stack(after) - before, axis=0))


def scores_of(model: Callable[[Any], Any], targets: Sequence[Callable[[Any], Any]], *batches: Any) -> list[Array]:
    """Compute the score of each image by its target, in single precision, for several batches of
    images.
    """

    def scores(images: Any) -> Array:
        if len(targets) != len(images):
            raise ValueError(f"targets: expected one per image, {len(images)}, got {len(targets)}")
        return np.array([float(target(row)) for target, row in zip(targets, model(images))], np.float32)

    with Tensors.for_model(model, "torch", None).calling():
        return [scores(images) for images in batches]


def maps_of(cams: Any, images: Any) -> Array:
    """Return the maps of images as an array ``(n, height, width)``."""
    maps: Array = reals(cams, "cams", 3)
    expected = (len(images), *images.shape[2:])
    if maps.shape != expected:
        raise ValueError(f"cams: expected one map per image, {expected}, got shape {maps.shape}")
    return maps


def _largest(cam: Array, n: int) -> npt.NDArray[np.bool_]:
    """Return the ``n`` largest pixels; of equal ones the first."""
    flat = cam.ravel()
    if n == 0:
        return np.zeros(cam.shape, bool)
    threshold = np.partition(flat, flat.size - n)[flat.size - n]
    largest: npt.NDArray[np.bool_] = flat > threshold
    largest[np.flatnonzero(flat == threshold)[: n - int(largest.sum())]] = True
    return largest.reshape(cam.shape)


def _above_otsu(cam: Array) -> npt.NDArray[np.bool_]:
    """Return the pixels above the threshold in 256 levels that separates two classes best.

    The best threshold has the largest variance between the classes (Otsu 1979).
    """
    if cam.min() < 0 or cam.max() > 1:
        raise ValueError(f"cams: 'auto' expects maps in [0, 1], got values from {cam.min()} to {cam.max()}")
    levels = (cam * 255).astype(np.uint8)
    counts = np.bincount(levels.ravel(), minlength=256).astype(float)
    n_low, sum_low = np.cumsum(counts), np.cumsum(counts * np.arange(256))
    n_high, sum_high = n_low[-1] - n_low, sum_low[-1] - sum_low
    gap = np.divide(sum_low, n_low, out=np.zeros(256), where=n_low > 0)
    gap -= np.divide(sum_high, n_high, out=np.zeros(256), where=n_high > 0)
    return np.asarray(levels > np.argmax(n_low * n_high * gap * gap))
