"""Complexity of maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from xai_metrics._arrays import reals
from xai_metrics.attribution import metrics
from xai_metrics.attribution._layout import channels_axis
from xai_metrics.attribution._metric import Metric

from .base import BaseComplexityMetric

if TYPE_CHECKING:
    import numpy.typing as npt


#: Constant that xplique adds to sums of attributions, and inside logarithms.
_EPSILON = 1e-8


class _MapMetric(BaseComplexityMetric):
    """Metric with another value in xplique, at least for maps of zeros."""

    _registered: type[Metric]

    def _xplique_values(self, sizes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Compute the values of xplique from magnitudes of attributions, ``(n, positions)``."""
        raise NotImplementedError

    def evaluate(self, explanations: Any) -> float:
        """Compute the mean over the maps."""
        if self.compat:
            return float(self.detailed_evaluate(explanations).mean())
        return float(self._measure_maps(self._registered(), explanations))

    def detailed_evaluate(self, explanations: Any) -> npt.NDArray[np.float64]:
        """Compute one value per map; NaN where undefined."""
        if not self.compat:
            return self._measure_maps(self._registered(), explanations).per_sample
        sizes = np.abs(reals(explanations, "explanations").astype(np.float64, copy=False))
        if sizes.ndim == 4:
            sizes = sizes.mean(axis=channels_axis(self.layout))
        return self._xplique_values(sizes.reshape(len(sizes), -1))


class Complexity(_MapMetric):
    """Complexity: over how many positions is the attribution spread (entropy in nats)?

    Better: lower. Range: [0, ln n_positions]. A map of zeros has no entropy, and does not
    count. xplique, and ``compat=True``, add 1e-8 to the sum of the attributions and under the
    logarithm: a map of zeros has 0, and maps of tiny attributions have less than they should.

    References
    ----------
    Bhatt et al., Evaluating and Aggregating Feature-based Model Explanations, 2020.

    Examples
    --------
    >>> round(Complexity().evaluate([[1.0, 1.0, -1.0, 1.0]]), 4) # ln 4
    1.3863
    """

    _registered = metrics.Complexity

    def _xplique_values(self, sizes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        shares = sizes / (sizes.sum(axis=1, keepdims=True) + _EPSILON)
        entropy: npt.NDArray[np.float64] = -(shares * np.log(shares + _EPSILON)).sum(axis=1)
        return entropy


class Sparseness(_MapMetric):
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

    def _xplique_values(self, sizes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        n = sizes.shape[1]
        values = np.full(len(sizes), -(n + 1) / max(n, 1))
        has_some = sizes.any(axis=1)
        if has_some.any():
            of_some = metrics.Sparseness().evaluate(sizes[has_some], n_jobs=self.n_jobs)
            values[has_some] = of_some.per_sample
        return values
