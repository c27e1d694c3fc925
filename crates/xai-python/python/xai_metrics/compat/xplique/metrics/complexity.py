"""How complicated maps are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from xai_metrics._arrays import reals
from xai_metrics.attribution import metrics
from xai_metrics.attribution._metric import Metric

from .base import BaseComplexityMetric

if TYPE_CHECKING:
    import numpy.typing as npt


class _OfMaps(BaseComplexityMetric):
    """A metric that maps of zeros have a value by in the peer only."""

    _registered: type[Metric]

    def _of_zeros(self, n: int) -> float:
        """The peer's value of zeros in ``n`` positions."""
        raise NotImplementedError

    def evaluate(self, explanations: Any) -> float:
        """The mean over the maps."""
        if self.compat:
            return float(self.detailed_evaluate(explanations).mean())
        return self._of_maps(self._registered(), explanations).value

    def detailed_evaluate(self, explanations: Any) -> npt.NDArray[np.float64]:
        """One value per map; NaN where there is none."""
        if not self.compat:
            return self._of_maps(self._registered(), explanations).per_sample
        maps = reals(explanations, "explanations")
        sizes = maps.reshape(len(maps), -1)
        zero = ~sizes.any(axis=1)
        channels = maps.shape[1 if self.layout == "channels-first" else -1] if maps.ndim == 4 else 1
        n = sizes.shape[1] // max(channels, 1)
        values = np.full(len(maps), self._of_zeros(n))
        if not zero.all():
            values[~zero] = self._of_maps(self._registered(), maps[~zero]).per_sample
        return values


class Complexity(_OfMaps):
    """Complexity: over how many positions is the attribution spread (entropy in nats)?

    Better: lower. Range: [0, ln n_positions]. A map of zeros has no entropy, and does not
    count; in xplique, and with ``compat=True``, it has 0.

    References
    ----------
    Bhatt et al., Evaluating and Aggregating Feature-based Model Explanations, 2020.

    Examples
    --------
    >>> round(Complexity().evaluate([[1.0, 1.0, -1.0, 1.0]]), 4) # ln 4
    1.3863
    """

    _registered = metrics.Complexity

    def _of_zeros(self, n: int) -> float:
        return 0.0


class Sparseness(_OfMaps):
    """Sparseness: how unequal are the attributions (Gini index)?

    Better: higher. Range: [0, 1 - 1/n_positions]. A map of zeros has no Gini index, and does not
    count; the formula of xplique gives -(n + 1)/n, as ``compat=True`` does.

    References
    ----------
    Chalasani et al., Concise Explanations of Neural Networks using Adversarial Training, 2020.

    Examples
    --------
    >>> round(Sparseness().evaluate([[0.0, 5.0, 0.0, 0.0]]), 4)
    0.75
    """

    _registered = metrics.Sparseness

    def _of_zeros(self, n: int) -> float:
        return -(n + 1) / max(n, 1)
