"""Faithfulness of maps to the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from xai_metrics._arrays import reals
from xai_metrics.attribution import metrics
from xai_metrics.attribution._functions import MaskedScores, mask_inputs
from xai_metrics.attribution._layout import channels_axis
from xai_metrics.attribution._metric import Metric

from .base import ExplanationMetric, How, layout_of_images

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack

    from xai_metrics.attribution._value import MetricValue

Operator = str | Callable[[Any, Any, Any], Any] | None


class BaseAverageXMetric(ExplanationMetric):
    """Base class of Average Drop, Increase and Gain, which use model scores of masked inputs.

    A constant map has no mask and is not counted. In xplique, and with ``compat=True``, it has a
    mask of zeros, and so the score of an input of zeros.
    """

    _registered: type[Metric]
    #: Name of the metric in :meth:`~xai_metrics.attribution.MaskedScores.measure`.
    _name: Literal["average_drop", "average_increase", "average_gain"]

    def _value(self, inputs: Any, targets: Any, explanations: Any) -> MetricValue:
        if not self.compat:
            return self._measure_maps(self._registered(), explanations, inputs=inputs, targets=targets)
        layout = layout_of_images(self.layout, inputs)
        masked = mask_inputs(inputs, explanations, scaling="xplique", layout=layout, n_jobs=self.n_jobs)
        base, kept = (
            self.batch_inference_function(self.model, batch, targets, self.batch_size)
            for batch in (inputs, masked)
        )
        # The peer divides by whatever the score is.
        return MaskedScores(base, kept).measure(self._name, "as-is")

    def evaluate(self, explanations: Any) -> float:
        """Compute the mean over all inputs.

        Parameters
        ----------
        explanations : array_like
            Maps of all inputs.

        Returns
        -------
        float
            Mean value.
        """
        return float(self._value(self.inputs, self.targets, explanations))

    def detailed_evaluate(
        self, inputs: Any, targets: Any, explanations: Any
    ) -> npt.NDArray[np.float64]:
        """Compute one value per sample; NaN where undefined.

        Parameters
        ----------
        inputs, targets, explanations : array_like
            Samples and their maps.

        Returns
        -------
        numpy.ndarray
            Values ``(n,)``.
        """
        return self._value(reals(inputs, "inputs"), targets, explanations).per_sample

    @staticmethod
    def _perturb_with_mask(inputs: Any, explanations: Any) -> npt.NDArray[Any]:
        images = reals(inputs, "inputs")
        layout = layout_of_images(None, images)
        return mask_inputs(images, explanations, scaling="xplique", layout=layout)


class AverageDropMetric(BaseAverageXMetric):
    """Average Drop: how much of the score is lost when only what the map marks is kept?

    Better: lower. Range: [0, 1] for scores in (0, 1].

    Where a score is 0 or less (logits are) the quotient has no meaning, and xplique answers, for
    instance, -3. That is an error here, which names the sample; take an activation, or
    ``compat=True`` for the peer's number.

    References
    ----------
    Chattopadhay et al., Grad-CAM++, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> metric = AverageDropMetric(lambda x: x, [[2.0, 1.0], [0.5, 0.1]], [[1, 0], [1, 0]])
    >>> round(metric.evaluate([[1.0, 0.0], [0.0, 1.0]]), 6)
    0.5
    """

    _registered = metrics.AverageDrop
    _name = "average_drop"


class AverageIncreaseMetric(BaseAverageXMetric):
    """Average Increase: how often does the score rise when only what the map marks is kept?

    Better: higher. Range: [0, 1].

    References
    ----------
    Chattopadhay et al., Grad-CAM++, 2018.

    Examples
    --------
    >>> metric = AverageIncreaseMetric(lambda x: x - x[:, ::-1], [[2.0, 1.0]], [0])
    >>> metric([[1.0, 0.0]])
    1.0
    """

    _registered = metrics.AverageIncrease
    _name = "average_increase"


class AverageGainMetric(BaseAverageXMetric):
    """Average Gain: how far towards certainty does the score rise on what the map keeps?

    Better: higher. Range: [0, 1] for scores in [0, 1].

    Where a score is above 1 the quotient has no meaning; that is an error here, and
    ``compat=True`` gives the number of xplique.

    References
    ----------
    Zhang et al., Opti-CAM, 2023.

    Examples
    --------
    >>> metric = AverageGainMetric(lambda x: 1 - x, [[0.5, 0.5]], [1])
    >>> round(metric([[1.0, 0.0]]), 6)
    1.0
    """

    _registered = metrics.AverageGain
    _name = "average_gain"


class CausalFidelity(ExplanationMetric):
    """Base class of Deletion and Insertion, with scores along a path between input and baseline.

    Parameters
    ----------
    baseline_mode : float, str, array-like or callable
        Value of removed features: a number, a baseline of
        :class:`~xai_metrics.attribution.metrics.Deletion`, an array, or a function of the inputs.
    steps : int
        Number of steps of the curve; -1 for one per feature.
    max_percentage_perturbed : float
        Share of the features that are changed at the last step, in (0, 1].
    """

    _registered: type[Metric]

    def __init__(
        self,
        model: Any,
        inputs: Any,
        targets: Any = None,
        batch_size: int | None = 64,
        baseline_mode: Any = 0.0,
        steps: int = 10,
        max_percentage_perturbed: float = 1.0,
        operator: Operator = None,
        activation: str | None = None,
        **how: Unpack[How],
    ) -> None:
        super().__init__(model, inputs, targets, batch_size, operator, activation, **how)
        self.baseline_mode = baseline_mode
        self.steps = steps
        self.max_percentage_perturbed = max_percentage_perturbed
        self._metric(None)

    def _metric(self, orders: Any) -> Metric:
        return self._registered(
            steps=self.steps,
            max_fraction=self.max_percentage_perturbed,
            baseline=self.baseline_mode,
            draws=orders,
        )

    def _orders(self, explanations: Any) -> npt.NDArray[np.int64] | None:
        """Return the order of the features in xplique, in which ties go to the later feature."""
        maps = reals(explanations, "explanations")
        if maps.ndim == 4:
            maps = maps.mean(axis=channels_axis(self.layout))
        return np.argsort(maps.reshape(len(maps), -1), axis=-1)[:, ::-1]

    def _value(self, explanations: Any) -> MetricValue:
        orders = self._orders(explanations) if self.compat else None
        return self._measure_maps(self._metric(orders), explanations)

    def evaluate(self, explanations: Any) -> float:
        """Compute the area under the curve.

        Parameters
        ----------
        explanations : array_like
            Maps of all inputs.

        Returns
        -------
        float
            Area.
        """
        return float(self._value(explanations))

    def detailed_evaluate(self, explanations: Any) -> dict[int, float]:
        """Compute the mean score by the number of changed features.

        Parameters
        ----------
        explanations : array_like
            Maps of all inputs.

        Returns
        -------
        dict of int to float
            Mean scores by number of features.
        """
        curve = self._value(explanations).curve
        if curve is None:
            raise ValueError("explanations: there is no curve")
        return dict(zip(curve.n_features.tolist(), curve.scores.tolist()))


class Deletion(CausalFidelity):
    """Deletion: how fast does the score fall when the most important positions are removed first?

    Better: lower. Range: that of the scores. Features with equal attributions go in their order,
    in xplique in the opposite one; ``compat=True`` gives its order.

    References
    ----------
    Petsiuk et al., RISE, 2018.

    Examples
    --------
    >>> metric = Deletion(lambda x: x.sum(axis=1), [[4.0, 2.0]], [[1.0]], steps=-1)
    >>> metric.detailed_evaluate([[1.0, 0.0]]), metric([[1.0, 0.0]])
    ({0: 6.0, 1: 2.0, 2: 0.0}, 2.5)
    """

    _registered = metrics.Deletion


class Insertion(CausalFidelity):
    """Insertion: how fast does the score rise when the most important positions come back first?

    Better: higher. Range: that of the scores. Ties as in :class:`Deletion`.

    References
    ----------
    Petsiuk et al., RISE, 2018.

    Examples
    --------
    >>> metric = Insertion(lambda x: x.sum(axis=1), [[4.0, 2.0]], [[1.0]], steps=-1)
    >>> metric.detailed_evaluate([[1.0, 0.0]]), metric([[1.0, 0.0]])
    ({0: 0.0, 1: 4.0, 2: 6.0}, 3.5)
    """

    _registered = metrics.Insertion


class MuFidelity(ExplanationMetric):
    """μFidelity: does the score fall as the attributions say when random subsets are removed?

    Better: higher. Range: [-1, 1].

    All subsets have the size that ``subset_percent`` says. In xplique every cell is in a subset by
    itself with that probability: sizes vary, and larger subsets both drop more and sum to more,
    which alone makes a correlation. It also counts a map without a correlation as 0.
    ``compat=True`` does both.

    Parameters
    ----------
    grid_size : int or None
        Cells along each side of the grid that subsets are made of; ``None`` for positions.
    subset_percent : float
        The share of the cells in a subset.
    baseline_mode : float, str, array-like or callable
        See :class:`Deletion`.
    nb_samples : int
        Random subsets per sample.
    seed : int
        Seed of the subsets.

    References
    ----------
    Bhatt et al., Evaluating and Aggregating Feature-based Model Explanations, 2020.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(1.0, 21.0).reshape(1, 20)
    >>> MuFidelity(lambda x: x.sum(axis=1), x, [[1.0]], grid_size=None)(x) # the terms of a sum
    1.0
    """

    def __init__(
        self,
        model: Any,
        inputs: Any,
        targets: Any = None,
        batch_size: int | None = 64,
        grid_size: int | None = 9,
        subset_percent: float = 0.2,
        baseline_mode: Any = 0.0,
        nb_samples: int = 200,
        operator: Operator = None,
        activation: str | None = None,
        *,
        seed: int = 1,
        **how: Unpack[How],
    ) -> None:
        super().__init__(
            model,
            inputs,
            targets,
            len(inputs) * nb_samples if batch_size is None else batch_size,
            operator,
            activation,
            **how,
        )
        self.grid_size = grid_size
        self.subset_percent = subset_percent
        self.baseline_mode = baseline_mode
        self.nb_samples = nb_samples
        self.seed = seed
        self._metric()

    def _metric(self) -> Metric:
        return metrics.MuFidelity(
            n_subsets=self.nb_samples,
            subset_size=float(self.subset_percent),
            features="positions" if self.grid_size is None else f"grid:{self.grid_size}",
            sampling="independent" if self.compat else "fixed-size",
            baseline=self.baseline_mode,
            seed=self.seed,
        )

    def evaluate(self, explanations: Any) -> float:
        """Compute the mean correlation over the inputs.

        Parameters
        ----------
        explanations : array_like
            Maps of all inputs.

        Returns
        -------
        float
            Mean correlation.
        """
        value = self._measure_maps(self._metric(), explanations)
        if not self.compat:
            return float(value)
        return float(np.nan_to_num(value.per_sample).mean())

    def detailed_evaluate(self, explanations: Any) -> npt.NDArray[np.float64]:
        """Compute the correlation of every input; NaN where undefined.

        Parameters
        ----------
        explanations : array_like
            Maps of all inputs.

        Returns
        -------
        numpy.ndarray
            Correlations ``(n,)``.
        """
        return self._measure_maps(self._metric(), explanations).per_sample
