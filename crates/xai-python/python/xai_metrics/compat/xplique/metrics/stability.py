"""Stability of maps under small changes of the inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from xai_metrics.attribution import metrics
from xai_metrics.attribution._metric import Metric

from .base import ExplainerMetric, How

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack


class AverageStability(ExplainerMetric):
    """Average Stability: how far does the map move on average when the input moves a little?

    Better: lower. Range: [0, inf). Every element of the input grows by a uniform number below
    ``radius``. Each sample has noise of its own here; in xplique all samples share theirs, so that
    their values depend on each other: ``compat=True`` draws as it does.

    Parameters
    ----------
    radius : float
        The largest change of an element.
    distance : {"l2", "l1", "relative"} or callable
        Distance of two maps; a function receives both flattened.
    nb_samples : int
        Neighbours per sample.
    seed : int
        Seed of the neighbours.

    References
    ----------
    Bhatt et al., Evaluating and Aggregating Feature-based Model Explanations, 2020.

    Examples
    --------
    >>> metric = AverageStability(None, [[1.0, 2.0]], [0])
    >>> metric(lambda inputs, targets: inputs * 0.0 + 1.0) # a map that never moves
    0.0
    """

    def __init__(
        self,
        model: Any,
        inputs: Any,
        targets: Any = None,
        batch_size: int | None = 64,
        radius: float = 0.1,
        distance: str | Callable[[Any, Any], float] = "l2",
        nb_samples: int = 20,
        *,
        seed: int = 1,
        **how: Unpack[How],
    ) -> None:
        super().__init__(model, inputs, targets, batch_size, **how)
        self.radius = radius
        self.distance = distance
        self.nb_samples = nb_samples
        self.seed = seed
        self._metric()

    @property
    def noisy_masks(self) -> npt.NDArray[np.float64]:
        """Noise ``(nb_samples, …)`` shared by all samples, as drawn by ``compat=True``."""
        shape = (self.nb_samples, *self.inputs.shape[1:])
        return np.random.default_rng(self.seed).uniform(0.0, self.radius, shape)

    def _metric(self) -> Metric:
        noise = None
        if self.compat:
            noise = np.repeat(self.noisy_masks[:, None], len(self.inputs), axis=1)
        return metrics.AverageStability(
            radius=self.radius,
            n_neighbors=self.nb_samples,
            distance=self.distance,
            seed=self.seed,
            draws=noise,
        )

    def evaluate(self, explainer: Any, base_explanations: Any = None) -> float:
        """Compute the mean distance.

        Parameters
        ----------
        explainer : callable
            Explainer.
        base_explanations : array_like, optional
            Maps of the inputs, if they exist.

        Returns
        -------
        float
            Mean distance.
        """
        of = {"explainer": explainer, "explanations": base_explanations}
        return float(self._measure(self._metric(), **of))
