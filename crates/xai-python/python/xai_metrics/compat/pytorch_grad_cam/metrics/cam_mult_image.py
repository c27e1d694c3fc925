"""Changes of scores when images are multiplied by their maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .perturbation_confidence import PerturbationConfidenceMetric

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["CamMultImageConfidenceChange", "DropInConfidence", "IncreaseInConfidence", "multiply_tensor_with_cam"]


def multiply_tensor_with_cam(input_tensor: Any, cam: Any) -> Any:
    """Multiply an image ``(channels, height, width)`` by its map ``(height, width)``.

    Parameters
    ----------
    input_tensor, cam : tensor
        Image and map.

    Returns
    -------
    tensor
        The product, in the precision of the image.
    """
    return input_tensor * cam.to(input_tensor.dtype)


class CamMultImageConfidenceChange(PerturbationConfidenceMetric):
    """Change of the score of each image when it is multiplied by its map.

    Maps are used as they are; those of pytorch-grad-cam are in [0, 1].

    Examples
    --------
    ::

        changes = CamMultImageConfidenceChange()(images, cams, targets, model)
    """

    def __init__(self) -> None:
        super().__init__(multiply_tensor_with_cam)


class DropInConfidence(CamMultImageConfidenceChange):
    """Loss of score of each image when it is multiplied by its map, ``max(0, before - after)``.

    Average Drop, :class:`~xai_metrics.attribution.metrics.AverageDrop`, divides the loss by the
    score before.

    Examples
    --------
    ::

        drops = DropInConfidence()(images, cams, targets, model)
    """

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Compute the losses; see :class:`.PerturbationConfidenceMetric`."""
        return _changed(super().__call__(*arguments, **named), lambda changes: np.maximum(-changes, 0))


class IncreaseInConfidence(CamMultImageConfidenceChange):
    """Whether the score of each image rises when it is multiplied by its map, 1 or 0.

    Examples
    --------
    ::

        rises = IncreaseInConfidence()(images, cams, targets, model)
    """

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Compute the flags; see :class:`.PerturbationConfidenceMetric`."""
        return _changed(super().__call__(*arguments, **named), lambda changes: np.float32(changes > 0))


def _changed(result: Any, convert: Any) -> Any:
    """Convert changes of scores, which the perturbed images may accompany."""
    if isinstance(result, tuple):
        changes: npt.NDArray[np.float32] = convert(result[0])
        return changes, result[1]
    return convert(result)
