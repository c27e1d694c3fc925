"""Every metric of attribution maps and explainers, by its name in the registry.

A metric is an object with options. :func:`~xai_metrics.attribution.evaluate` takes any number of
them for any number of explainers; ``evaluate`` of the metric itself asks for one explainer what
the metric needs.

This file is written by ``tools/metric_classes.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ._options import Distance, Metric
from ._value import MetricValue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._models import Framework

__all__ = [
    "Metric",
    "by_name",
    "AverageDrop",
    "AverageIncrease",
    "AverageGain",
    "Adcc",
    "Deletion",
    "Insertion",
    "SymmetricRelevanceGain",
    "RegionPerturbation",
    "Comprehensiveness",
    "RationaleSufficiency",
    "Naopc",
    "RandomOrderReference",
    "Monotonicity",
    "Irof",
    "FFidelity",
    "FFidelityPositive",
    "FFidelityNegative",
    "Road",
    "RoadMostRelevantFirst",
    "RoadLeastRelevantFirst",
    "FaithfulnessEstimate",
    "Violations",
    "SensitivityN",
    "MonotonicityCorrelation",
    "Infidelity",
    "MuFidelity",
    "PredictionGapImportant",
    "PredictionGapUnimportant",
    "Sufficiency",
    "Consistency",
    "PointingGame",
    "AttributionLocalization",
    "TopKIntersection",
    "RelevanceRankAccuracy",
    "RelevanceMassAccuracy",
    "LocalizationAuroc",
    "LocalizationAveragePrecision",
    "LocalizationIou",
    "Focus",
    "Complexity",
    "Sparseness",
    "EffectiveComplexity",
    "NonzeroFeatures",
    "MstCompactness",
    "FeatureAgreement",
    "RankAgreement",
    "SignAgreement",
    "SignedRankAgreement",
    "RankCorrelation",
    "PairwiseRankAgreement",
    "Completeness",
    "NonSensitivity",
    "InputInvariance",
    "AverageStability",
    "MaximumStability",
    "LocalLipschitz",
    "Continuity",
    "RelativeInputStability",
    "RelativeOutputStability",
    "RelativeRepresentationStability",
    "AttributionStability",
    "RandomLogit",
    "EfficientRandomization",
]


class AverageDrop(Metric):
    """Average Drop: how much of the score is lost when only what the map marks is kept?

    Better: lower. Range: [0, 1] for scores in (0, 1].
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    base_score_policy : {"error", "as-is", "skip"}, default "error"
        What to do with base scores that the formula cannot divide by.

    References
    ----------
    Chattopadhay et al., Grad-CAM++, 2018.

    Examples
    --------
    >>> AverageDrop().info.direction
    'lower'
    """

    name: ClassVar[str] = "average_drop"

    def __init__(self, *, base_score_policy: Literal["error", "as-is", "skip"] = "error") -> None:
        super().__init__(base_score_policy=base_score_policy)

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class AverageIncrease(Metric):
    """Average Increase: how often does the score rise when only what the map marks is kept?

    Better: higher. Range: [0, 1].
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    base_score_policy : {"error", "as-is", "skip"}, default "error"
        What to do with base scores that the formula cannot divide by.

    References
    ----------
    Chattopadhay et al., Grad-CAM++, 2018.

    Examples
    --------
    >>> AverageIncrease().info.direction
    'higher'
    """

    name: ClassVar[str] = "average_increase"

    def __init__(self, *, base_score_policy: Literal["error", "as-is", "skip"] = "error") -> None:
        super().__init__(base_score_policy=base_score_policy)

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class AverageGain(Metric):
    """Average Gain.

    How far towards certainty does the score rise when only what the map marks is kept?

    Better: higher. Range: [0, 1] for scores in [0, 1].
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    base_score_policy : {"error", "as-is", "skip"}, default "error"
        What to do with base scores that the formula cannot divide by.

    References
    ----------
    Zhang et al., Opti-CAM, 2023.

    Examples
    --------
    >>> AverageGain().info.direction
    'higher'
    """

    name: ClassVar[str] = "average_gain"

    def __init__(self, *, base_score_policy: Literal["error", "as-is", "skip"] = "error") -> None:
        super().__init__(base_score_policy=base_score_policy)

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class Adcc(Metric):
    """ADCC: is the map coherent and simple, and does the model keep its answer on what it keeps?

    Better: higher. Range: [0, 1] for scores in (0, 1].
    Needs: model, explainer, inputs, targets.

    Parameters
    ----------
    base_score_policy : {"error", "as-is", "skip"}, default "error"
        What to do with base scores that the formula cannot divide by.

    References
    ----------
    Poppi et al., Revisiting the Evaluation of Class Activation Mapping, 2021.

    Examples
    --------
    >>> Adcc().info.direction
    'higher'
    """

    name: ClassVar[str] = "adcc"

    def __init__(self, *, base_score_policy: Literal["error", "as-is", "skip"] = "error") -> None:
        super().__init__(base_score_policy=base_score_policy)

    def evaluate(
        self,
        model: Any,
        explainer: Any,
        inputs: Any,
        targets: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        """
        return self._measure(locals())


class Deletion(Metric):
    """Deletion: how fast does the score fall when the most important positions are removed first?

    Better: lower. Range: that of the scores.
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    steps : int or str or None, default 10
        Steps of the curve, ``all`` for one per feature, or ``every:N`` for steps of N features.
        ``None`` or -1 for one per feature.
    max_fraction : float, default 1.0
        The share of features that the last step has flipped.
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    features : str, default "positions"
        Which positions go together: ``positions``, ``grid:CELLS``, ``patches:SIZE`` or
        ``segments``.
    curve_score : {"target", "top-1"}, default "target"
        What is read off the model's outputs: the score of the target, or whether it is the largest
        output.
    draws : array-like, optional
        Orders drawn elsewhere, instead of own ones.

    References
    ----------
    Petsiuk et al., RISE, 2018.

    Examples
    --------
    >>> Deletion().info.direction
    'lower'
    """

    name: ClassVar[str] = "deletion"

    def __init__(
        self,
        *,
        steps: int | str | None = 10,
        max_fraction: float = 1.0,
        baseline: Any = 0.0,
        features: str = "positions",
        curve_score: Literal["target", "top-1"] = "target",
        draws: Any = None,
    ) -> None:
        super().__init__(
            steps=steps,
            max_fraction=max_fraction,
            baseline=baseline,
            features=features,
            curve_score=curve_score,
            draws=draws,
        )

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class Insertion(Metric):
    """Insertion: how fast does the score rise when the most important positions come back first?

    Better: higher. Range: that of the scores.
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    steps : int or str or None, default 10
        Steps of the curve, ``all`` for one per feature, or ``every:N`` for steps of N features.
        ``None`` or -1 for one per feature.
    max_fraction : float, default 1.0
        The share of features that the last step has flipped.
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    features : str, default "positions"
        Which positions go together: ``positions``, ``grid:CELLS``, ``patches:SIZE`` or
        ``segments``.
    curve_score : {"target", "top-1"}, default "target"
        What is read off the model's outputs: the score of the target, or whether it is the largest
        output.
    draws : array-like, optional
        Orders drawn elsewhere, instead of own ones.

    References
    ----------
    Petsiuk et al., RISE, 2018.

    Examples
    --------
    >>> Insertion().info.direction
    'higher'
    """

    name: ClassVar[str] = "insertion"

    def __init__(
        self,
        *,
        steps: int | str | None = 10,
        max_fraction: float = 1.0,
        baseline: Any = 0.0,
        features: str = "positions",
        curve_score: Literal["target", "top-1"] = "target",
        draws: Any = None,
    ) -> None:
        super().__init__(
            steps=steps,
            max_fraction=max_fraction,
            baseline=baseline,
            features=features,
            curve_score=curve_score,
            draws=draws,
        )

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class SymmetricRelevanceGain(Metric):
    """Symmetric relevance gain.

    How much longer does the score last when the least relevant features go first?

    Better: higher. Range: (-inf, inf).
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    steps : int or str or None, default 10
        Steps of the curve, ``all`` for one per feature, or ``every:N`` for steps of N features.
        ``None`` or -1 for one per feature.
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    features : str, default "positions"
        Which positions go together: ``positions``, ``grid:CELLS``, ``patches:SIZE`` or
        ``segments``.
    curve_score : {"target", "top-1"}, default "target"
        What is read off the model's outputs: the score of the target, or whether it is the largest
        output.

    References
    ----------
    Blücher et al., Decoupling Pixel Flipping and Occlusion Strategy, 2024.

    Examples
    --------
    >>> SymmetricRelevanceGain().info.direction
    'higher'
    """

    name: ClassVar[str] = "symmetric_relevance_gain"

    def __init__(
        self,
        *,
        steps: int | str | None = 10,
        baseline: Any = 0.0,
        features: str = "positions",
        curve_score: Literal["target", "top-1"] = "target",
    ) -> None:
        super().__init__(steps=steps, baseline=baseline, features=features, curve_score=curve_score)

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class RegionPerturbation(Metric):
    """Region perturbation.

    How far does the score fall, on the average, while the most relevant features are removed?

    Better: higher. Range: (-inf, inf).
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    steps : int or str or None, default 10
        Steps of the curve, ``all`` for one per feature, or ``every:N`` for steps of N features.
        ``None`` or -1 for one per feature.
    max_fraction : float, default 1.0
        The share of features that the last step has flipped.
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    features : str, default "positions"
        Which positions go together: ``positions``, ``grid:CELLS``, ``patches:SIZE`` or
        ``segments``.
    curve_score : {"target", "top-1"}, default "target"
        What is read off the model's outputs: the score of the target, or whether it is the largest
        output.
    draws : array-like, optional
        Orders drawn elsewhere, instead of own ones.

    References
    ----------
    Samek et al., Evaluating the visualization of what a deep neural network has learned, 2017.

    Examples
    --------
    >>> RegionPerturbation().info.direction
    'higher'
    """

    name: ClassVar[str] = "region_perturbation"

    def __init__(
        self,
        *,
        steps: int | str | None = 10,
        max_fraction: float = 1.0,
        baseline: Any = 0.0,
        features: str = "positions",
        curve_score: Literal["target", "top-1"] = "target",
        draws: Any = None,
    ) -> None:
        super().__init__(
            steps=steps,
            max_fraction=max_fraction,
            baseline=baseline,
            features=features,
            curve_score=curve_score,
            draws=draws,
        )

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class Comprehensiveness(Metric):
    """Comprehensiveness.

    How far does the score fall without the most relevant 1 to 50 % of the features?

    Better: higher. Range: (-inf, inf).
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    features : str, default "positions"
        Which positions go together: ``positions``, ``grid:CELLS``, ``patches:SIZE`` or
        ``segments``.
    draws : array-like, optional
        Orders drawn elsewhere, instead of own ones.

    References
    ----------
    DeYoung et al., ERASER, 2020.

    Examples
    --------
    >>> Comprehensiveness().info.direction
    'higher'
    """

    name: ClassVar[str] = "comprehensiveness"

    def __init__(
        self,
        *,
        baseline: Any = 0.0,
        features: str = "positions",
        draws: Any = None,
    ) -> None:
        super().__init__(baseline=baseline, features=features, draws=draws)

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class RationaleSufficiency(Metric):
    """Rationale sufficiency.

    How far does the score fall with only the most relevant 1 to 50 % of the features?

    Better: lower. Range: (-inf, inf).
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    features : str, default "positions"
        Which positions go together: ``positions``, ``grid:CELLS``, ``patches:SIZE`` or
        ``segments``.

    References
    ----------
    DeYoung et al., ERASER, 2020.

    Examples
    --------
    >>> RationaleSufficiency().info.direction
    'lower'
    """

    name: ClassVar[str] = "rationale_sufficiency"

    def __init__(self, *, baseline: Any = 0.0, features: str = "positions") -> None:
        super().__init__(baseline=baseline, features=features)

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class Naopc(Metric):
    """NAOPC: where does the map's order of removal stand between the model's worst and best?

    Better: higher. Range: [0, 1].
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    ordered_features : str, default "grid:3"
        Which positions go together where orders are searched: ``grid:CELLS``, ``patches:SIZE``,
        ``positions`` or ``segments``.
    exact_up_to : int, default 12
        Up to how many features the best and the worst order are exact, at most 16.
    beam : int, default 5
        How many subsets of one size are kept where the best and the worst order are searched.

    References
    ----------
    Edin et al., Normalized AOPC, 2025.

    Examples
    --------
    >>> Naopc().info.direction
    'higher'
    """

    name: ClassVar[str] = "naopc"

    def __init__(
        self,
        *,
        baseline: Any = 0.0,
        ordered_features: str = "grid:3",
        exact_up_to: int = 12,
        beam: int = 5,
    ) -> None:
        super().__init__(
            baseline=baseline,
            ordered_features=ordered_features,
            exact_up_to=exact_up_to,
            beam=beam,
        )

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class RandomOrderReference(Metric):
    """Random-order reference: does the map's order remove the score faster than random orders do?

    Better: higher. Range: [0, 1]; z (-inf, inf).
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    steps : int or str or None, default 10
        Steps of the curve, ``all`` for one per feature, or ``every:N`` for steps of N features.
        ``None`` or -1 for one per feature.
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    features : str, default "positions"
        Which positions go together: ``positions``, ``grid:CELLS``, ``patches:SIZE`` or
        ``segments``.
    curve_score : {"target", "top-1"}, default "target"
        What is read off the model's outputs: the score of the target, or whether it is the largest
        output.
    random_orders : int, default 20
        Random orders per sample.
    reference_scale : {"share", "z"}, default "share"
        The share of random orders beaten, or the distance from their mean in standard deviations.
    seed : int, default 1
        What random choices depend on.

    References
    ----------
    Fisher, The Design of Experiments, 1935.

    Examples
    --------
    >>> RandomOrderReference().info.direction
    'higher'
    """

    name: ClassVar[str] = "random_order_reference"

    def __init__(
        self,
        *,
        steps: int | str | None = 10,
        baseline: Any = 0.0,
        features: str = "positions",
        curve_score: Literal["target", "top-1"] = "target",
        random_orders: int = 20,
        reference_scale: Literal["share", "z"] = "share",
        seed: int = 1,
    ) -> None:
        super().__init__(
            steps=steps,
            baseline=baseline,
            features=features,
            curve_score=curve_score,
            random_orders=random_orders,
            reference_scale=reference_scale,
            seed=seed,
        )

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class Monotonicity(Metric):
    """Monotonicity.

    Does the score rise with every feature that is put back, the least relevant first?

    Better: higher. Range: [0, 1].
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    steps : int or str or None, default 10
        Steps of the curve, ``all`` for one per feature, or ``every:N`` for steps of N features.
        ``None`` or -1 for one per feature.
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    features : str, default "positions"
        Which positions go together: ``positions``, ``grid:CELLS``, ``patches:SIZE`` or
        ``segments``.
    tolerance : float, default 0.0
        How much a score may differ and count as the same.
    strict : bool, default False
        Whether one step that falls makes the value 0.
    draws : array-like, optional
        Orders drawn elsewhere, instead of own ones.

    References
    ----------
    Arya et al., One Explanation Does Not Fit All, 2019.

    Examples
    --------
    >>> Monotonicity().info.direction
    'higher'
    """

    name: ClassVar[str] = "monotonicity"

    def __init__(
        self,
        *,
        steps: int | str | None = 10,
        baseline: Any = 0.0,
        features: str = "positions",
        tolerance: float = 0.0,
        strict: bool = False,
        draws: Any = None,
    ) -> None:
        super().__init__(
            steps=steps,
            baseline=baseline,
            features=features,
            tolerance=tolerance,
            strict=strict,
            draws=draws,
        )

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class Irof(Metric):
    """IROF: how fast does the score fall, as a share of itself, when segments are removed?

    Better: higher. Range: (-inf, 1].
    Needs: model, inputs, targets, explanations, segments.

    Parameters
    ----------
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    base_score_policy : {"error", "as-is", "skip"}, default "error"
        What to do with base scores that the formula cannot divide by.
    draws : array-like, optional
        Orders drawn elsewhere, instead of own ones.

    References
    ----------
    Rieger and Hansen, IROF, 2020.

    Examples
    --------
    >>> Irof().info.direction
    'higher'
    """

    name: ClassVar[str] = "irof"

    def __init__(
        self,
        *,
        baseline: Any = 0.0,
        base_score_policy: Literal["error", "as-is", "skip"] = "error",
        draws: Any = None,
    ) -> None:
        super().__init__(baseline=baseline, base_score_policy=base_score_policy, draws=draws)

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        segments: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class FFidelity(Metric):
    """F-Fidelity.

    How much further does the score fall without random parts of the most than of the least relevant
    features?

    Better: higher. Range: (-inf, inf).
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    steps : int or str or None, default 10
        Steps of the curve, ``all`` for one per feature, or ``every:N`` for steps of N features.
        ``None`` or -1 for one per feature.
    removed_share : float, default 0.1
        The random share of the ranked features that is removed at a time.
    n_draws : int, default 20
        Random draws per sample.
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    features : str, default "positions"
        Which positions go together: ``positions``, ``grid:CELLS``, ``patches:SIZE`` or
        ``segments``.
    seed : int, default 1
        What random choices depend on.

    References
    ----------
    Zheng et al., F-Fidelity, 2025.

    Examples
    --------
    >>> FFidelity().info.direction
    'higher'
    """

    name: ClassVar[str] = "f_fidelity"

    def __init__(
        self,
        *,
        steps: int | str | None = 10,
        removed_share: float = 0.1,
        n_draws: int = 20,
        baseline: Any = 0.0,
        features: str = "positions",
        seed: int = 1,
    ) -> None:
        super().__init__(
            steps=steps,
            removed_share=removed_share,
            n_draws=n_draws,
            baseline=baseline,
            features=features,
            seed=seed,
        )

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class FFidelityPositive(Metric):
    """F-Fidelity, positive.

    How far does the score fall without random parts of the most relevant features?

    Better: higher. Range: (-inf, inf).
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    steps : int or str or None, default 10
        Steps of the curve, ``all`` for one per feature, or ``every:N`` for steps of N features.
        ``None`` or -1 for one per feature.
    removed_share : float, default 0.1
        The random share of the ranked features that is removed at a time.
    n_draws : int, default 20
        Random draws per sample.
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    features : str, default "positions"
        Which positions go together: ``positions``, ``grid:CELLS``, ``patches:SIZE`` or
        ``segments``.
    seed : int, default 1
        What random choices depend on.

    References
    ----------
    Zheng et al., F-Fidelity, 2025.

    Examples
    --------
    >>> FFidelityPositive().info.direction
    'higher'
    """

    name: ClassVar[str] = "f_fidelity_positive"

    def __init__(
        self,
        *,
        steps: int | str | None = 10,
        removed_share: float = 0.1,
        n_draws: int = 20,
        baseline: Any = 0.0,
        features: str = "positions",
        seed: int = 1,
    ) -> None:
        super().__init__(
            steps=steps,
            removed_share=removed_share,
            n_draws=n_draws,
            baseline=baseline,
            features=features,
            seed=seed,
        )

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class FFidelityNegative(Metric):
    """F-Fidelity, negative.

    How far does the score fall without random parts of the least relevant features?

    Better: lower. Range: (-inf, inf).
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    steps : int or str or None, default 10
        Steps of the curve, ``all`` for one per feature, or ``every:N`` for steps of N features.
        ``None`` or -1 for one per feature.
    removed_share : float, default 0.1
        The random share of the ranked features that is removed at a time.
    n_draws : int, default 20
        Random draws per sample.
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    features : str, default "positions"
        Which positions go together: ``positions``, ``grid:CELLS``, ``patches:SIZE`` or
        ``segments``.
    seed : int, default 1
        What random choices depend on.

    References
    ----------
    Zheng et al., F-Fidelity, 2025.

    Examples
    --------
    >>> FFidelityNegative().info.direction
    'lower'
    """

    name: ClassVar[str] = "f_fidelity_negative"

    def __init__(
        self,
        *,
        steps: int | str | None = 10,
        removed_share: float = 0.1,
        n_draws: int = 20,
        baseline: Any = 0.0,
        features: str = "positions",
        seed: int = 1,
    ) -> None:
        super().__init__(
            steps=steps,
            removed_share=removed_share,
            n_draws=n_draws,
            baseline=baseline,
            features=features,
            seed=seed,
        )

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class Road(Metric):
    """ROAD.

    How much more often is the model right without the least than without the most relevant pixels,
    imputed?

    Better: higher. Range: [-0.5, 0.5].
    Needs: model, inputs, targets, explanations. Inputs: channels-last or channels-first.

    Parameters
    ----------
    percentages : Sequence[float] or str, default "10,20,30,40,50,60,70,80,90"
        How much is removed, in percent, separated by commas.
    of : {"accuracy", "score"}, default "accuracy"
        What the mean over percentages is of: right predictions, or the score.
    noise : float, default 0.01
        Standard deviation of the noise on imputed values.
    seed : int, default 1
        What random choices depend on.
    draws : array-like, optional
        Neighbours drawn elsewhere, instead of own ones.

    References
    ----------
    Rong et al., A Consistent and Efficient Evaluation Strategy (ROAD), 2022.

    Examples
    --------
    >>> Road().info.direction
    'higher'
    """

    name: ClassVar[str] = "road"

    def __init__(
        self,
        *,
        percentages: Sequence[float] | str = "10,20,30,40,50,60,70,80,90",
        of: Literal["accuracy", "score"] = "accuracy",
        noise: float = 0.01,
        seed: int = 1,
        draws: Any = None,
    ) -> None:
        super().__init__(percentages=percentages, of=of, noise=noise, seed=seed, draws=draws)

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class RoadMostRelevantFirst(Metric):
    """ROAD, most relevant first.

    How often is the model right without the most relevant pixels, imputed?

    Better: lower. Range: [0, 1].
    Needs: model, inputs, targets, explanations. Inputs: channels-last or channels-first.

    Parameters
    ----------
    percentages : Sequence[float] or str, default "10,20,30,40,50,60,70,80,90"
        How much is removed, in percent, separated by commas.
    of : {"accuracy", "score"}, default "accuracy"
        What the mean over percentages is of: right predictions, or the score.
    noise : float, default 0.01
        Standard deviation of the noise on imputed values.
    seed : int, default 1
        What random choices depend on.
    draws : array-like, optional
        Neighbours drawn elsewhere, instead of own ones.

    References
    ----------
    Rong et al., A Consistent and Efficient Evaluation Strategy (ROAD), 2022.

    Examples
    --------
    >>> RoadMostRelevantFirst().info.direction
    'lower'
    """

    name: ClassVar[str] = "road_most_relevant_first"

    def __init__(
        self,
        *,
        percentages: Sequence[float] | str = "10,20,30,40,50,60,70,80,90",
        of: Literal["accuracy", "score"] = "accuracy",
        noise: float = 0.01,
        seed: int = 1,
        draws: Any = None,
    ) -> None:
        super().__init__(percentages=percentages, of=of, noise=noise, seed=seed, draws=draws)

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class RoadLeastRelevantFirst(Metric):
    """ROAD, least relevant first.

    How often is the model right without the least relevant pixels, imputed?

    Better: higher. Range: [0, 1].
    Needs: model, inputs, targets, explanations. Inputs: channels-last or channels-first.

    Parameters
    ----------
    percentages : Sequence[float] or str, default "10,20,30,40,50,60,70,80,90"
        How much is removed, in percent, separated by commas.
    of : {"accuracy", "score"}, default "accuracy"
        What the mean over percentages is of: right predictions, or the score.
    noise : float, default 0.01
        Standard deviation of the noise on imputed values.
    seed : int, default 1
        What random choices depend on.
    draws : array-like, optional
        Neighbours drawn elsewhere, instead of own ones.

    References
    ----------
    Rong et al., A Consistent and Efficient Evaluation Strategy (ROAD), 2022.

    Examples
    --------
    >>> RoadLeastRelevantFirst().info.direction
    'higher'
    """

    name: ClassVar[str] = "road_least_relevant_first"

    def __init__(
        self,
        *,
        percentages: Sequence[float] | str = "10,20,30,40,50,60,70,80,90",
        of: Literal["accuracy", "score"] = "accuracy",
        noise: float = 0.01,
        seed: int = 1,
        draws: Any = None,
    ) -> None:
        super().__init__(percentages=percentages, of=of, noise=noise, seed=seed, draws=draws)

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class FaithfulnessEstimate(Metric):
    """Faithfulness estimate.

    Does the score drop as the attributions say without each feature by itself?

    Better: higher. Range: [-1, 1].
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    features : str, default "positions"
        Which positions go together: ``positions``, ``grid:CELLS``, ``patches:SIZE`` or
        ``segments``.
    group_size : int, default 1
        Groups of N positions that follow each other in the order of attributions, as features.
    drop_correlation : {"pearson", "spearman", "kendall"}, default "pearson"
        Which correlation of drops and attributions.

    References
    ----------
    Alvarez-Melis and Jaakkola, Towards Robust Interpretability, 2018.

    Examples
    --------
    >>> FaithfulnessEstimate().info.direction
    'higher'
    """

    name: ClassVar[str] = "faithfulness_estimate"

    def __init__(
        self,
        *,
        baseline: Any = 0.0,
        features: str = "positions",
        group_size: int = 1,
        drop_correlation: Literal["pearson", "spearman", "kendall"] = "pearson",
    ) -> None:
        super().__init__(
            baseline=baseline,
            features=features,
            group_size=group_size,
            drop_correlation=drop_correlation,
        )

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class Violations(Metric):
    """Violations.

    How often does removing a feature move the score against the sign of its attribution?

    Better: lower. Range: [0, 1].
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    features : str, default "positions"
        Which positions go together: ``positions``, ``grid:CELLS``, ``patches:SIZE`` or
        ``segments``.
    top_k : float, default 0.1
        How many positions are the top: a number, or a share such as 0.1.

    References
    ----------
    Liu et al., Rethinking Attention-Model Explainability, 2022.

    Examples
    --------
    >>> Violations().info.direction
    'lower'
    """

    name: ClassVar[str] = "violations"

    def __init__(
        self,
        *,
        baseline: Any = 0.0,
        features: str = "positions",
        top_k: float = 0.1,
    ) -> None:
        super().__init__(baseline=baseline, features=features, top_k=top_k)

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class SensitivityN(Metric):
    """Sensitivity-n.

    Does the score fall as the attributions say when subsets of each size are removed?

    Better: higher. Range: [-1, 1].
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    sizes : Sequence[int] or str, default "auto"
        Sizes of subsets, ascending, separated by commas, or ``auto`` for 12 from 1 to 80 % of the
        features.
    subsets_per_size : int, default 100
        Random subsets of each size, per sample.
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    features : str, default "positions"
        Which positions go together: ``positions``, ``grid:CELLS``, ``patches:SIZE`` or
        ``segments``.
    seed : int, default 1
        What random choices depend on.

    References
    ----------
    Ancona et al., Towards better understanding of gradient-based attribution methods, 2018.

    Examples
    --------
    >>> SensitivityN().info.direction
    'higher'
    """

    name: ClassVar[str] = "sensitivity_n"

    def __init__(
        self,
        *,
        sizes: Sequence[int] | str = "auto",
        subsets_per_size: int = 100,
        baseline: Any = 0.0,
        features: str = "positions",
        seed: int = 1,
    ) -> None:
        super().__init__(
            sizes=sizes,
            subsets_per_size=subsets_per_size,
            baseline=baseline,
            features=features,
            seed=seed,
        )

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class MonotonicityCorrelation(Metric):
    """Monotonicity correlation.

    Does the score depend most on the features with the largest attributions?

    Better: higher. Range: [-1, 1].
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    features : str, default "positions"
        Which positions go together: ``positions``, ``grid:CELLS``, ``patches:SIZE`` or
        ``segments``.
    group_size : int, default 1
        Groups of N positions that follow each other in the order of attributions, as features.
    value_range : str, default "sample"
        The range of values that a feature is set to: that of the ``sample``, or LOW:HIGH.
    n_values : int, default 10
        Values that a feature is set to.
    draws : array-like, optional
        Given values drawn elsewhere, instead of own ones.

    References
    ----------
    Nguyen and Martínez, On quantitative aspects of model interpretability, 2020.

    Examples
    --------
    >>> MonotonicityCorrelation().info.direction
    'higher'
    """

    name: ClassVar[str] = "monotonicity_correlation"

    def __init__(
        self,
        *,
        features: str = "positions",
        group_size: int = 1,
        value_range: str = "sample",
        n_values: int = 10,
        draws: Any = None,
    ) -> None:
        super().__init__(
            features=features,
            group_size=group_size,
            value_range=value_range,
            n_values=n_values,
            draws=draws,
        )

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class Infidelity(Metric):
    """Infidelity: how far is what a map says of a change of the input from what the model does?

    Better: lower. Range: [0, inf).
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    perturbation : str, default "patches:4"
        How inputs are changed: every feature of ``positions``, ``grid:CELLS`` or ``patches:SIZE``
        by itself, ``squares:LARGEST`` or ``gaussian:SIGMA``.
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    map_kind : {"auto", "gradient", "contribution"}, default "auto"
        What the values of a map stand for: contributions under removal and gradients under noise,
        or always one of them.
    scaling : {"none", "optimal-beta"}, default "none"
        What a map is multiplied by: nothing, or what makes its error least.
    n_draws : int, default 20
        Random draws per sample.
    seed : int, default 1
        What random choices depend on.
    draws : array-like, optional
        Neighbours drawn elsewhere, instead of own ones.

    References
    ----------
    Yeh et al., On the (In)fidelity and Sensitivity of Explanations, 2019.

    Examples
    --------
    >>> Infidelity().info.direction
    'lower'
    """

    name: ClassVar[str] = "infidelity"

    def __init__(
        self,
        *,
        perturbation: str = "patches:4",
        baseline: Any = 0.0,
        map_kind: Literal["auto", "gradient", "contribution"] = "auto",
        scaling: Literal["none", "optimal-beta"] = "none",
        n_draws: int = 20,
        seed: int = 1,
        draws: Any = None,
    ) -> None:
        super().__init__(
            perturbation=perturbation,
            baseline=baseline,
            map_kind=map_kind,
            scaling=scaling,
            n_draws=n_draws,
            seed=seed,
            draws=draws,
        )

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class MuFidelity(Metric):
    """μFidelity: does the score fall as the attributions say when random subsets are removed?

    Better: higher. Range: [-1, 1].
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    subsets : int, default 200
        Random subsets per sample.
    subset_fraction : float, default 0.2
        The share of the cells in a subset, such as 0.2, or their number.
    subset_correlation : {"spearman", "pearson", "kendall"}, default "spearman"
        Which correlation of drops and sums of attributions.
    grid : int or None, default 9
        Cells along each side of the grid that subsets are made of, or ``none``. ``None`` for none.
    sampling : {"fixed-size", "independent"}, default "fixed-size"
        Whether all subsets have one size, or each cell is drawn by itself.
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    seed : int, default 1
        What random choices depend on.
    draws : array-like, optional
        Subsets drawn elsewhere, instead of own ones.

    References
    ----------
    Bhatt et al., Evaluating and Aggregating Feature-based Model Explanations, 2020.

    Examples
    --------
    >>> MuFidelity().info.direction
    'higher'
    """

    name: ClassVar[str] = "mu_fidelity"

    def __init__(
        self,
        *,
        subsets: int = 200,
        subset_fraction: float = 0.2,
        subset_correlation: Literal["spearman", "pearson", "kendall"] = "spearman",
        grid: int | None = 9,
        sampling: Literal["fixed-size", "independent"] = "fixed-size",
        baseline: Any = 0.0,
        seed: int = 1,
        draws: Any = None,
    ) -> None:
        super().__init__(
            subsets=subsets,
            subset_fraction=subset_fraction,
            subset_correlation=subset_correlation,
            grid=grid,
            sampling=sampling,
            baseline=baseline,
            seed=seed,
            draws=draws,
        )

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class PredictionGapImportant(Metric):
    """Prediction gap, important (PGI).

    How far does the score move under noise on the positions with the largest attributions?

    Better: higher. Range: [0, inf).
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    top_k : float, default 0.1
        How many positions are the top: a number, or a share such as 0.1.
    radius : float, default 0.1
        The largest change of an element, in the unit of the inputs.
    neighbors : int, default 20
        Neighbours per sample.
    seed : int, default 1
        What random choices depend on.
    draws : array-like, optional
        Neighbours drawn elsewhere, instead of own ones.

    References
    ----------
    Agarwal et al., OpenXAI, 2022.

    Examples
    --------
    >>> PredictionGapImportant().info.direction
    'higher'
    """

    name: ClassVar[str] = "prediction_gap_important"

    def __init__(
        self,
        *,
        top_k: float = 0.1,
        radius: float = 0.1,
        neighbors: int = 20,
        seed: int = 1,
        draws: Any = None,
    ) -> None:
        super().__init__(top_k=top_k, radius=radius, neighbors=neighbors, seed=seed, draws=draws)

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class PredictionGapUnimportant(Metric):
    """Prediction gap, unimportant (PGU).

    How far does the score move under noise on all but the positions with the largest attributions?

    Better: lower. Range: [0, inf).
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    top_k : float, default 0.1
        How many positions are the top: a number, or a share such as 0.1.
    radius : float, default 0.1
        The largest change of an element, in the unit of the inputs.
    neighbors : int, default 20
        Neighbours per sample.
    seed : int, default 1
        What random choices depend on.
    draws : array-like, optional
        Neighbours drawn elsewhere, instead of own ones.

    References
    ----------
    Agarwal et al., OpenXAI, 2022.

    Examples
    --------
    >>> PredictionGapUnimportant().info.direction
    'lower'
    """

    name: ClassVar[str] = "prediction_gap_unimportant"

    def __init__(
        self,
        *,
        top_k: float = 0.1,
        radius: float = 0.1,
        neighbors: int = 20,
        seed: int = 1,
        draws: Any = None,
    ) -> None:
        super().__init__(top_k=top_k, radius=radius, neighbors=neighbors, seed=seed, draws=draws)

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class Sufficiency(Metric):
    """Sufficiency: do samples whose maps are near each other have the same prediction?

    Better: higher. Range: [0, 1].
    Needs: model, inputs, targets, explanations.

    It relates all samples to each other: parts of a data set do not join.

    Parameters
    ----------
    pair_distance : str, default "euclidean"
        The distance of the maps of two samples: ``euclidean``, ``manhattan``, ``chebyshev``,
        ``minkowski:P``, ``cosine``, ``correlation``, ``canberra``, ``braycurtis`` or ``hamming``.
    standardized : bool, default True
        Whether positions are in units of their standard deviation over the data set.
    near : float or str, default "0.6-of-largest"
        Up to which distance two maps are near: a distance, or a share of the largest.

    References
    ----------
    Dasgupta et al., Framework for Evaluating Faithfulness of Local Explanations, 2022.

    Examples
    --------
    >>> Sufficiency().info.direction
    'higher'
    """

    name: ClassVar[str] = "sufficiency"

    def __init__(
        self,
        *,
        pair_distance: str = "euclidean",
        standardized: bool = True,
        near: float | str = "0.6-of-largest",
    ) -> None:
        super().__init__(pair_distance=pair_distance, standardized=standardized, near=near)

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class Consistency(Metric):
    """Consistency: do samples with the same explanation have the same prediction?

    Better: higher. Range: [0, 1].
    Needs: model, inputs, targets, explanations.

    It relates all samples to each other: parts of a data set do not join.

    Parameters
    ----------
    same_explanation : str, default "top-signed:5"
        When two maps count as one explanation: the same largest attributions (``top:K``), also in
        sign (``top-signed:K``), or in order (``rank:K``), or all equal (``rounded:DECIMALS``).

    References
    ----------
    Dasgupta et al., Framework for Evaluating Faithfulness of Local Explanations, 2022.

    Examples
    --------
    >>> Consistency().info.direction
    'higher'
    """

    name: ClassVar[str] = "consistency"

    def __init__(self, *, same_explanation: str = "top-signed:5") -> None:
        super().__init__(same_explanation=same_explanation)

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class PointingGame(Metric):
    """Pointing game: does the largest attribution lie on the object?

    Better: higher. Range: [0, 1].
    Needs: explanations, masks.

    Parameters
    ----------
    hit_radius : int, default 0
        How far beside the object still counts.
    ties : {"lowest", "any"}, default "lowest"
        Which position counts where several share the largest attribution.
    weighted : bool, default False
        Whether the size of the object counts, which is easier to hit when it is large.
    pool : {"mean", "positive-sum", "max-norm", "l2-norm"}, default "mean"
        How the channels of a position become one attribution.

    References
    ----------
    Zhang et al., Top-Down Neural Attention by Excitation Backprop, 2018.

    Examples
    --------
    >>> PointingGame().info.direction
    'higher'
    """

    name: ClassVar[str] = "pointing_game"

    def __init__(
        self,
        *,
        hit_radius: int = 0,
        ties: Literal["lowest", "any"] = "lowest",
        weighted: bool = False,
        pool: Literal["mean", "positive-sum", "max-norm", "l2-norm"] = "mean",
    ) -> None:
        super().__init__(hit_radius=hit_radius, ties=ties, weighted=weighted, pool=pool)

    def evaluate(
        self,
        explanations: Any,
        masks: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class AttributionLocalization(Metric):
    """Attribution localization: what share of the relevance lies within the object, given its size?

    Better: higher. Range: [0, 1]; weighted [0, inf).
    Needs: explanations, masks.

    Parameters
    ----------
    relevance : {"positive", "absolute", "signed"}, default "positive"
        Which part of an attribution counts.
    weighted : bool, default False
        Whether the size of the object counts, which is easier to hit when it is large.
    max_size : float, default 1.0
        The largest share of the positions that an object may take; others have no value.
    pool : {"mean", "positive-sum", "max-norm", "l2-norm"}, default "mean"
        How the channels of a position become one attribution.

    References
    ----------
    Kohlbrenner et al., Towards Best Practice in Explaining Neural Network Decisions with LRP, 2020.

    Examples
    --------
    >>> AttributionLocalization().info.direction
    'higher'
    """

    name: ClassVar[str] = "attribution_localization"

    def __init__(
        self,
        *,
        relevance: Literal["positive", "absolute", "signed"] = "positive",
        weighted: bool = False,
        max_size: float = 1.0,
        pool: Literal["mean", "positive-sum", "max-norm", "l2-norm"] = "mean",
    ) -> None:
        super().__init__(relevance=relevance, weighted=weighted, max_size=max_size, pool=pool)

    def evaluate(
        self,
        explanations: Any,
        masks: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class TopKIntersection(Metric):
    """Top-k intersection: what share of the largest attributions lies on the object?

    Better: higher. Range: [0, 1]; with influence [0, inf).
    Needs: explanations, masks.

    Parameters
    ----------
    top_k : float, default 0.1
        How many positions are the top: a number, or a share such as 0.1.
    capped : bool, default False
        Whether an object smaller than the top can reach 1.
    influence : bool, default False
        Whether the share is in units of what a random map has.
    pool : {"mean", "positive-sum", "max-norm", "l2-norm"}, default "mean"
        How the channels of a position become one attribution.

    References
    ----------
    Theiner et al., Interpretable Semantic Photo Geolocation, 2021.

    Examples
    --------
    >>> TopKIntersection().info.direction
    'higher'
    """

    name: ClassVar[str] = "top_k_intersection"

    def __init__(
        self,
        *,
        top_k: float = 0.1,
        capped: bool = False,
        influence: bool = False,
        pool: Literal["mean", "positive-sum", "max-norm", "l2-norm"] = "mean",
    ) -> None:
        super().__init__(top_k=top_k, capped=capped, influence=influence, pool=pool)

    def evaluate(
        self,
        explanations: Any,
        masks: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class RelevanceRankAccuracy(Metric):
    """Relevance rank accuracy: how much of the object is among as many of the largest attributions?

    Better: higher. Range: [0, 1].
    Needs: explanations, masks.

    Parameters
    ----------
    pool : {"mean", "positive-sum", "max-norm", "l2-norm"}, default "mean"
        How the channels of a position become one attribution.

    References
    ----------
    Arras et al., CLEVR-XAI, 2022.

    Examples
    --------
    >>> RelevanceRankAccuracy().info.direction
    'higher'
    """

    name: ClassVar[str] = "relevance_rank_accuracy"

    def __init__(
        self,
        *,
        pool: Literal["mean", "positive-sum", "max-norm", "l2-norm"] = "mean",
    ) -> None:
        super().__init__(pool=pool)

    def evaluate(
        self,
        explanations: Any,
        masks: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class RelevanceMassAccuracy(Metric):
    """Relevance mass accuracy: what share of the relevance lies on the object?

    Better: higher. Range: [0, 1].
    Needs: explanations, masks.

    Parameters
    ----------
    relevance : {"positive", "absolute", "signed"}, default "positive"
        Which part of an attribution counts.
    pool : {"mean", "positive-sum", "max-norm", "l2-norm"}, default "mean"
        How the channels of a position become one attribution.

    References
    ----------
    Arras et al., CLEVR-XAI, 2022.

    Examples
    --------
    >>> RelevanceMassAccuracy().info.direction
    'higher'
    """

    name: ClassVar[str] = "relevance_mass_accuracy"

    def __init__(
        self,
        *,
        relevance: Literal["positive", "absolute", "signed"] = "positive",
        pool: Literal["mean", "positive-sum", "max-norm", "l2-norm"] = "mean",
    ) -> None:
        super().__init__(relevance=relevance, pool=pool)

    def evaluate(
        self,
        explanations: Any,
        masks: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class LocalizationAuroc(Metric):
    """Localization AUROC: are attributions on the object larger than beside it?

    Better: higher. Range: [0, 1].
    Needs: explanations, masks.

    Parameters
    ----------
    pool : {"mean", "positive-sum", "max-norm", "l2-norm"}, default "mean"
        How the channels of a position become one attribution.

    References
    ----------
    Fawcett, An introduction to ROC analysis, 2006.

    Examples
    --------
    >>> LocalizationAuroc().info.direction
    'higher'
    """

    name: ClassVar[str] = "localization_auroc"

    def __init__(
        self,
        *,
        pool: Literal["mean", "positive-sum", "max-norm", "l2-norm"] = "mean",
    ) -> None:
        super().__init__(pool=pool)

    def evaluate(
        self,
        explanations: Any,
        masks: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class LocalizationAveragePrecision(Metric):
    """Localization average precision.

    How pure are the largest attributions, at every size of the object found?

    Better: higher. Range: (0, 1].
    Needs: explanations, masks.

    Parameters
    ----------
    pool : {"mean", "positive-sum", "max-norm", "l2-norm"}, default "mean"
        How the channels of a position become one attribution.

    References
    ----------
    Manning et al., Introduction to Information Retrieval, 2008.

    Examples
    --------
    >>> LocalizationAveragePrecision().info.direction
    'higher'
    """

    name: ClassVar[str] = "localization_average_precision"

    def __init__(
        self,
        *,
        pool: Literal["mean", "positive-sum", "max-norm", "l2-norm"] = "mean",
    ) -> None:
        super().__init__(pool=pool)

    def evaluate(
        self,
        explanations: Any,
        masks: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class LocalizationIou(Metric):
    """Localization IoU: how well does what the map marks cover the object?

    Better: higher. Range: [0, 1].
    Needs: explanations, masks.

    Parameters
    ----------
    threshold : float, default 0.5
        From which share of the largest attribution on a position is marked.
    pool : {"mean", "positive-sum", "max-norm", "l2-norm"}, default "mean"
        How the channels of a position become one attribution.

    References
    ----------
    Zhou et al., Learning Deep Features for Discriminative Localization, 2016.

    Examples
    --------
    >>> LocalizationIou().info.direction
    'higher'
    """

    name: ClassVar[str] = "localization_iou"

    def __init__(
        self,
        *,
        threshold: float = 0.5,
        pool: Literal["mean", "positive-sum", "max-norm", "l2-norm"] = "mean",
    ) -> None:
        super().__init__(threshold=threshold, pool=pool)

    def evaluate(
        self,
        explanations: Any,
        masks: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class Focus(Metric):
    """Focus.

    In a mosaic, what share of the positive relevance lies on the cells of the target's class?

    Better: higher. Range: [0, 1].
    Needs: explanations, masks.

    Parameters
    ----------
    pool : {"mean", "positive-sum", "max-norm", "l2-norm"}, default "mean"
        How the channels of a position become one attribution.

    References
    ----------
    Arias-Duart et al., Focus! Rating XAI Methods and Finding Biases, 2022.

    Examples
    --------
    >>> Focus().info.direction
    'higher'
    """

    name: ClassVar[str] = "focus"

    def __init__(
        self,
        *,
        pool: Literal["mean", "positive-sum", "max-norm", "l2-norm"] = "mean",
    ) -> None:
        super().__init__(pool=pool)

    def evaluate(
        self,
        explanations: Any,
        masks: Any = None,
        *,
        inputs: Any = None,
        mosaic: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class Complexity(Metric):
    """Complexity: over how many positions is the attribution spread (entropy in nats)?

    Better: lower. Range: [0, ln n_positions].
    Needs: explanations.

    References
    ----------
    Bhatt et al., Evaluating and Aggregating Feature-based Model Explanations, 2020.

    Examples
    --------
    >>> Complexity().info.direction
    'lower'
    """

    name: ClassVar[str] = "complexity"

    def __init__(self) -> None:
        super().__init__()

    def evaluate(
        self,
        explanations: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class Sparseness(Metric):
    """Sparseness: how unequal are the attributions (Gini index)?

    Better: higher. Range: [0, 1 - 1/n_positions].
    Needs: explanations.

    References
    ----------
    Chalasani et al., Concise Explanations of Neural Networks using Adversarial Training, 2020.

    Examples
    --------
    >>> Sparseness().info.direction
    'higher'
    """

    name: ClassVar[str] = "sparseness"

    def __init__(self) -> None:
        super().__init__()

    def evaluate(
        self,
        explanations: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class EffectiveComplexity(Metric):
    """Effective complexity.

    How many of the largest attributions does the model need for its answer?

    Better: lower. Range: [0, n_features].
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    steps : int or str or None, default 10
        Steps of the curve, ``all`` for one per feature, or ``every:N`` for steps of N features.
        ``None`` or -1 for one per feature.
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    features : str, default "positions"
        Which positions go together: ``positions``, ``grid:CELLS``, ``patches:SIZE`` or
        ``segments``.
    score_tolerance : float, default 0.1
        By how much the score may differ from that of the whole input.
    draws : array-like, optional
        Orders drawn elsewhere, instead of own ones.

    References
    ----------
    Nguyen and Martínez, On quantitative aspects of model interpretability, 2020.

    Examples
    --------
    >>> EffectiveComplexity().info.direction
    'lower'
    """

    name: ClassVar[str] = "effective_complexity"

    def __init__(
        self,
        *,
        steps: int | str | None = 10,
        baseline: Any = 0.0,
        features: str = "positions",
        score_tolerance: float = 0.1,
        draws: Any = None,
    ) -> None:
        super().__init__(
            steps=steps,
            baseline=baseline,
            features=features,
            score_tolerance=score_tolerance,
            draws=draws,
        )

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class NonzeroFeatures(Metric):
    """Nonzero features: how many attributions are larger than a threshold?

    Better: lower. Range: [0, n_positions].
    Needs: explanations.

    Parameters
    ----------
    zero_threshold : float, default 1e-05
        Up to which size an attribution counts as zero.

    References
    ----------
    Quantus, as Effective Complexity.

    Examples
    --------
    >>> NonzeroFeatures().info.direction
    'lower'
    """

    name: ClassVar[str] = "nonzero_features"

    def __init__(self, *, zero_threshold: float = 1e-05) -> None:
        super().__init__(zero_threshold=zero_threshold)

    def evaluate(
        self,
        explanations: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class MstCompactness(Metric):
    """MST compactness: how close together are the positions that the map marks?

    Better: higher. Range: (0, inf).
    Needs: explanations. Inputs: channels-last or channels-first.

    Parameters
    ----------
    percentile : float, default 80.0
        From which percentile of a map on its positions are marked.
    scaled : bool, default True
        Whether compactness is in units of a hundredth of the diagonal of a map.
    collinear : {"undefined", "diagonal"}, default "undefined"
        What stands for the hull of positions in one line.

    References
    ----------
    Mesgari et al., arXiv:2603.29491, 2026.

    Examples
    --------
    >>> MstCompactness().info.direction
    'higher'
    """

    name: ClassVar[str] = "mst_compactness"

    def __init__(
        self,
        *,
        percentile: float = 80.0,
        scaled: bool = True,
        collinear: Literal["undefined", "diagonal"] = "undefined",
    ) -> None:
        super().__init__(percentile=percentile, scaled=scaled, collinear=collinear)

    def evaluate(
        self,
        explanations: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class FeatureAgreement(Metric):
    """Feature agreement: what share of the top features do map and reference have in common?

    Better: higher. Range: [0, 1].
    Needs: explanations, reference maps.

    Parameters
    ----------
    top_k : float, default 0.1
        How many positions are the top: a number, or a share such as 0.1.
    over_top : bool, default False
        Whether agreement is averaged over tops of 1 to ``top-k`` features.

    References
    ----------
    Krishna et al., The Disagreement Problem in Explainable Machine Learning, 2022.

    Examples
    --------
    >>> FeatureAgreement().info.direction
    'higher'
    """

    name: ClassVar[str] = "feature_agreement"

    def __init__(self, *, top_k: float = 0.1, over_top: bool = False) -> None:
        super().__init__(top_k=top_k, over_top=over_top)

    def evaluate(
        self,
        explanations: Any,
        reference_maps: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class RankAgreement(Metric):
    """Rank agreement: what share of the top features do map and reference have at the same rank?

    Better: higher. Range: [0, 1].
    Needs: explanations, reference maps.

    Parameters
    ----------
    top_k : float, default 0.1
        How many positions are the top: a number, or a share such as 0.1.
    over_top : bool, default False
        Whether agreement is averaged over tops of 1 to ``top-k`` features.

    References
    ----------
    Krishna et al., The Disagreement Problem in Explainable Machine Learning, 2022.

    Examples
    --------
    >>> RankAgreement().info.direction
    'higher'
    """

    name: ClassVar[str] = "rank_agreement"

    def __init__(self, *, top_k: float = 0.1, over_top: bool = False) -> None:
        super().__init__(top_k=top_k, over_top=over_top)

    def evaluate(
        self,
        explanations: Any,
        reference_maps: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class SignAgreement(Metric):
    """Sign agreement: what share of the top features do map and reference have with the same sign?

    Better: higher. Range: [0, 1].
    Needs: explanations, reference maps.

    Parameters
    ----------
    top_k : float, default 0.1
        How many positions are the top: a number, or a share such as 0.1.
    over_top : bool, default False
        Whether agreement is averaged over tops of 1 to ``top-k`` features.

    References
    ----------
    Krishna et al., The Disagreement Problem in Explainable Machine Learning, 2022.

    Examples
    --------
    >>> SignAgreement().info.direction
    'higher'
    """

    name: ClassVar[str] = "sign_agreement"

    def __init__(self, *, top_k: float = 0.1, over_top: bool = False) -> None:
        super().__init__(top_k=top_k, over_top=over_top)

    def evaluate(
        self,
        explanations: Any,
        reference_maps: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class SignedRankAgreement(Metric):
    """Signed rank agreement.

    What share of the top features do map and reference have at the same rank with the same sign?

    Better: higher. Range: [0, 1].
    Needs: explanations, reference maps.

    Parameters
    ----------
    top_k : float, default 0.1
        How many positions are the top: a number, or a share such as 0.1.
    over_top : bool, default False
        Whether agreement is averaged over tops of 1 to ``top-k`` features.

    References
    ----------
    Krishna et al., The Disagreement Problem in Explainable Machine Learning, 2022.

    Examples
    --------
    >>> SignedRankAgreement().info.direction
    'higher'
    """

    name: ClassVar[str] = "signed_rank_agreement"

    def __init__(self, *, top_k: float = 0.1, over_top: bool = False) -> None:
        super().__init__(top_k=top_k, over_top=over_top)

    def evaluate(
        self,
        explanations: Any,
        reference_maps: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class RankCorrelation(Metric):
    """Rank correlation: do map and reference rank the features alike?

    Better: higher. Range: [-1, 1].
    Needs: explanations, reference maps.

    Parameters
    ----------
    rank_ties : {"mid", "dense"}, default "mid"
        The ranks of attributions of one size: the mean of theirs, or one with no rank left out.

    References
    ----------
    Krishna et al., The Disagreement Problem in Explainable Machine Learning, 2022.

    Examples
    --------
    >>> RankCorrelation().info.direction
    'higher'
    """

    name: ClassVar[str] = "rank_correlation"

    def __init__(self, *, rank_ties: Literal["mid", "dense"] = "mid") -> None:
        super().__init__(rank_ties=rank_ties)

    def evaluate(
        self,
        explanations: Any,
        reference_maps: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class PairwiseRankAgreement(Metric):
    """Pairwise rank agreement.

    What share of the pairs of features do map and reference have in the same order?

    Better: higher. Range: [0, 1].
    Needs: explanations, reference maps.

    Parameters
    ----------
    rank_ties : {"mid", "dense"}, default "mid"
        The ranks of attributions of one size: the mean of theirs, or one with no rank left out.

    References
    ----------
    Krishna et al., The Disagreement Problem in Explainable Machine Learning, 2022.

    Examples
    --------
    >>> PairwiseRankAgreement().info.direction
    'higher'
    """

    name: ClassVar[str] = "pairwise_rank_agreement"

    def __init__(self, *, rank_ties: Literal["mid", "dense"] = "mid") -> None:
        super().__init__(rank_ties=rank_ties)

    def evaluate(
        self,
        explanations: Any,
        reference_maps: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class Completeness(Metric):
    """Completeness: do the attributions add up to what the score gained over the baseline?

    Better: lower. Range: [0, inf).
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    gap : {"relative", "absolute"}, default "relative"
        Whether the gap is in units of what the score gained, or of the score.

    References
    ----------
    Sundararajan et al., Axiomatic Attribution for Deep Networks, 2017.

    Examples
    --------
    >>> Completeness().info.direction
    'lower'
    """

    name: ClassVar[str] = "completeness"

    def __init__(
        self,
        *,
        baseline: Any = 0.0,
        gap: Literal["relative", "absolute"] = "relative",
    ) -> None:
        super().__init__(baseline=baseline, gap=gap)

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class NonSensitivity(Metric):
    """Non-sensitivity.

    How many features have an attribution though the model ignores them, or none though it does not?

    Better: lower. Range: [0, n_features].
    Needs: model, inputs, targets, explanations.

    Parameters
    ----------
    baseline : float, str, sequence or array-like, default 0.0
        What stands for absence: a number, one number per channel, ``mean`` of the data set,
        ``sample-min``, ``sample-mean``, ``sample-max``, ``linear-imputation`` or ``blur:SIGMA``. Or
        an array of the shape of one sample or of all inputs, or a function that is given the inputs
        and answers with such an array.
    features : str, default "positions"
        Which positions go together: ``positions``, ``grid:CELLS``, ``patches:SIZE`` or
        ``segments``.
    zero_threshold : float, default 1e-05
        Up to which size an attribution counts as zero.
    change_threshold : float, default 1e-05
        Below which change of the score a feature counts as ignored.
    mismatch : {"both", "ignored", "silent"}, default "both"
        Which features count: with an attribution though ignored, or silent though not.

    References
    ----------
    Nguyen and Martínez, On quantitative aspects of model interpretability, 2020.

    Examples
    --------
    >>> NonSensitivity().info.direction
    'lower'
    """

    name: ClassVar[str] = "non_sensitivity"

    def __init__(
        self,
        *,
        baseline: Any = 0.0,
        features: str = "positions",
        zero_threshold: float = 1e-05,
        change_threshold: float = 1e-05,
        mismatch: Literal["both", "ignored", "silent"] = "both",
    ) -> None:
        super().__init__(
            baseline=baseline,
            features=features,
            zero_threshold=zero_threshold,
            change_threshold=change_threshold,
            mismatch=mismatch,
        )

    def evaluate(
        self,
        model: Any,
        inputs: Any,
        targets: Any,
        explanations: Any,
        *,
        segments: Any = None,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class InputInvariance(Metric):
    """Input Invariance.

    Does the map move when the inputs are shifted and the model undoes the shift?

    Better: lower. Range: [0, inf).
    Needs: explanations, second maps.

    References
    ----------
    Kindermans et al., The (Un)reliability of Saliency Methods, 2017.

    Examples
    --------
    >>> InputInvariance().info.direction
    'lower'
    """

    name: ClassVar[str] = "input_invariance"

    def __init__(self) -> None:
        super().__init__()

    def evaluate(
        self,
        explanations: Any,
        second_maps: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


class AverageStability(Metric):
    """Average Stability: how far does the map move on average when the input moves a little?

    Better: lower. Range: [0, inf).
    Needs: explainer, inputs, targets.

    Parameters
    ----------
    radius : float, default 0.1
        The largest change of an element, in the unit of the inputs.
    neighbors : int, default 20
        Neighbours per sample.
    distance : {"l1", "l2", "relative"} or Distance, default "l2"
        How far apart two maps are; relative to the size of the first, or not. Or a function of two
        flattened maps.
    neighborhood : {"above", "around", "gaussian"}, default "above"
        Whether elements only grow, or move both ways.
    seed : int, default 1
        What random choices depend on.
    draws : array-like, optional
        Neighbours drawn elsewhere, instead of own ones.

    References
    ----------
    Bhatt et al., Evaluating and Aggregating Feature-based Model Explanations, 2020.

    Examples
    --------
    >>> AverageStability().info.direction
    'lower'
    """

    name: ClassVar[str] = "average_stability"

    def __init__(
        self,
        *,
        radius: float = 0.1,
        neighbors: int = 20,
        distance: Literal["l1", "l2", "relative"] | Distance = "l2",
        neighborhood: Literal["above", "around", "gaussian"] = "above",
        seed: int = 1,
        draws: Any = None,
    ) -> None:
        super().__init__(
            radius=radius,
            neighbors=neighbors,
            distance=distance,
            neighborhood=neighborhood,
            seed=seed,
            draws=draws,
        )

    def evaluate(
        self,
        explainer: Any,
        inputs: Any,
        targets: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        """
        return self._measure(locals())


class MaximumStability(Metric):
    """Maximum Stability: how far does the map move at most when the input moves a little?

    Better: lower. Range: [0, inf).
    Needs: explainer, inputs, targets.

    Parameters
    ----------
    radius : float, default 0.1
        The largest change of an element, in the unit of the inputs.
    neighbors : int, default 20
        Neighbours per sample.
    distance : {"l1", "l2", "relative"} or Distance, default "l2"
        How far apart two maps are; relative to the size of the first, or not. Or a function of two
        flattened maps.
    neighborhood : {"above", "around", "gaussian"}, default "above"
        Whether elements only grow, or move both ways.
    seed : int, default 1
        What random choices depend on.
    draws : array-like, optional
        Neighbours drawn elsewhere, instead of own ones.

    References
    ----------
    Yeh et al., On the (In)fidelity and Sensitivity of Explanations, 2019.

    Examples
    --------
    >>> MaximumStability().info.direction
    'lower'
    """

    name: ClassVar[str] = "maximum_stability"

    def __init__(
        self,
        *,
        radius: float = 0.1,
        neighbors: int = 20,
        distance: Literal["l1", "l2", "relative"] | Distance = "l2",
        neighborhood: Literal["above", "around", "gaussian"] = "above",
        seed: int = 1,
        draws: Any = None,
    ) -> None:
        super().__init__(
            radius=radius,
            neighbors=neighbors,
            distance=distance,
            neighborhood=neighborhood,
            seed=seed,
            draws=draws,
        )

    def evaluate(
        self,
        explainer: Any,
        inputs: Any,
        targets: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        """
        return self._measure(locals())


class LocalLipschitz(Metric):
    """Local Lipschitz estimate: how much faster than its input does a map move, at most?

    Better: lower. Range: [0, inf).
    Needs: explainer, inputs, targets.

    Parameters
    ----------
    radius : float, default 0.1
        The largest change of an element, in the unit of the inputs.
    neighbors : int, default 20
        Neighbours per sample.
    seed : int, default 1
        What random choices depend on.
    map_distance : {"l1", "l2"}, default "l2"
        How far apart two maps are.
    draws : array-like, optional
        Neighbours drawn elsewhere, instead of own ones.

    References
    ----------
    Alvarez-Melis and Jaakkola, On the Robustness of Interpretability Methods, 2018.

    Examples
    --------
    >>> LocalLipschitz().info.direction
    'lower'
    """

    name: ClassVar[str] = "local_lipschitz"

    def __init__(
        self,
        *,
        radius: float = 0.1,
        neighbors: int = 20,
        seed: int = 1,
        map_distance: Literal["l1", "l2"] = "l2",
        draws: Any = None,
    ) -> None:
        super().__init__(
            radius=radius,
            neighbors=neighbors,
            seed=seed,
            map_distance=map_distance,
            draws=draws,
        )

    def evaluate(
        self,
        explainer: Any,
        inputs: Any,
        targets: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        """
        return self._measure(locals())


class Continuity(Metric):
    """Continuity.

    How much faster than its input does a map move, at most, when the input is shifted?

    Better: lower. Range: [0, inf).
    Needs: explainer, inputs, targets. Inputs: time-series or channels-last or channels-first.

    Parameters
    ----------
    shifts : Sequence[int] or str, default "1,2"
        How many positions the inputs are moved by, both ways: ``1,2``.
    shift_axes : {"both", "height", "width"}, default "both"
        Along which axes the inputs are moved; of time series ``height`` is time.

    References
    ----------
    Montavon et al., Methods for interpreting and understanding deep neural networks, 2018.

    Examples
    --------
    >>> Continuity().info.direction
    'lower'
    """

    name: ClassVar[str] = "continuity"

    def __init__(
        self,
        *,
        shifts: Sequence[int] | str = "1,2",
        shift_axes: Literal["both", "height", "width"] = "both",
    ) -> None:
        super().__init__(shifts=shifts, shift_axes=shift_axes)

    def evaluate(
        self,
        explainer: Any,
        inputs: Any,
        targets: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        """
        return self._measure(locals())


class RelativeInputStability(Metric):
    """Relative input stability: how far does a map move for each share that its input moves?

    Better: lower. Range: [0, inf).
    Needs: model, explainer, inputs, targets.

    Parameters
    ----------
    radius : float, default 0.1
        The largest change of an element, in the unit of the inputs.
    neighbors : int, default 20
        Neighbours per sample.
    floor : float, default 1e-06
        The least relative change that is divided by.
    seed : int, default 1
        What random choices depend on.
    draws : array-like, optional
        Neighbours drawn elsewhere, instead of own ones.

    References
    ----------
    Agarwal et al., Rethinking Stability for Attribution-based Explanations, 2022.

    Examples
    --------
    >>> RelativeInputStability().info.direction
    'lower'
    """

    name: ClassVar[str] = "relative_input_stability"

    def __init__(
        self,
        *,
        radius: float = 0.1,
        neighbors: int = 20,
        floor: float = 1e-06,
        seed: int = 1,
        draws: Any = None,
    ) -> None:
        super().__init__(radius=radius, neighbors=neighbors, floor=floor, seed=seed, draws=draws)

    def evaluate(
        self,
        model: Any,
        explainer: Any,
        inputs: Any,
        targets: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        """
        return self._measure(locals())


class RelativeOutputStability(Metric):
    """Relative output stability.

    How far does a map move for each share that the model's output moves?

    Better: lower. Range: [0, inf).
    Needs: model, explainer, inputs, targets.

    Parameters
    ----------
    radius : float, default 0.1
        The largest change of an element, in the unit of the inputs.
    neighbors : int, default 20
        Neighbours per sample.
    floor : float, default 1e-06
        The least relative change that is divided by.
    seed : int, default 1
        What random choices depend on.
    draws : array-like, optional
        Neighbours drawn elsewhere, instead of own ones.

    References
    ----------
    Agarwal et al., Rethinking Stability for Attribution-based Explanations, 2022.

    Examples
    --------
    >>> RelativeOutputStability().info.direction
    'lower'
    """

    name: ClassVar[str] = "relative_output_stability"

    def __init__(
        self,
        *,
        radius: float = 0.1,
        neighbors: int = 20,
        floor: float = 1e-06,
        seed: int = 1,
        draws: Any = None,
    ) -> None:
        super().__init__(radius=radius, neighbors=neighbors, floor=floor, seed=seed, draws=draws)

    def evaluate(
        self,
        model: Any,
        explainer: Any,
        inputs: Any,
        targets: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        """
        return self._measure(locals())


class RelativeRepresentationStability(Metric):
    """Relative representation stability.

    How far does a map move for each share that a layer of the model moves?

    Better: lower. Range: [0, inf).
    Needs: model, explainer, inputs, targets, representation.

    Parameters
    ----------
    radius : float, default 0.1
        The largest change of an element, in the unit of the inputs.
    neighbors : int, default 20
        Neighbours per sample.
    floor : float, default 1e-06
        The least relative change that is divided by.
    seed : int, default 1
        What random choices depend on.
    draws : array-like, optional
        Neighbours drawn elsewhere, instead of own ones.

    References
    ----------
    Agarwal et al., Rethinking Stability for Attribution-based Explanations, 2022.

    Examples
    --------
    >>> RelativeRepresentationStability().info.direction
    'lower'
    """

    name: ClassVar[str] = "relative_representation_stability"

    def __init__(
        self,
        *,
        radius: float = 0.1,
        neighbors: int = 20,
        floor: float = 1e-06,
        seed: int = 1,
        draws: Any = None,
    ) -> None:
        super().__init__(radius=radius, neighbors=neighbors, floor=floor, seed=seed, draws=draws)

    def evaluate(
        self,
        model: Any,
        explainer: Any,
        inputs: Any,
        targets: Any,
        representation: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        """
        return self._measure(locals())


class AttributionStability(Metric):
    """Attribution Stability (FASS).

    How alike are the maps of neighbours that the model predicts the same for?

    Better: higher. Range: [-1, 1].
    Needs: model, explainer, inputs, targets.

    Parameters
    ----------
    radius : float, default 0.1
        The largest change of an element, in the unit of the inputs.
    neighbors : int, default 20
        Neighbours per sample.
    map_similarity : {"ssim", "spearman", "pearson", "jaccard"}, default "spearman"
        How alike two maps are; ``jaccard`` looks at the largest tenth of the attributions.
    seed : int, default 1
        What random choices depend on.
    draws : array-like, optional
        Neighbours drawn elsewhere, instead of own ones.

    References
    ----------
    Subramaniakuppusamy and Gajjar, Feature Attribution Stability Suite, 2026.

    Examples
    --------
    >>> AttributionStability().info.direction
    'higher'
    """

    name: ClassVar[str] = "attribution_stability"

    def __init__(
        self,
        *,
        radius: float = 0.1,
        neighbors: int = 20,
        map_similarity: Literal["ssim", "spearman", "pearson", "jaccard"] = "spearman",
        seed: int = 1,
        draws: Any = None,
    ) -> None:
        super().__init__(
            radius=radius,
            neighbors=neighbors,
            map_similarity=map_similarity,
            seed=seed,
            draws=draws,
        )

    def evaluate(
        self,
        model: Any,
        explainer: Any,
        inputs: Any,
        targets: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        """
        return self._measure(locals())


class RandomLogit(Metric):
    """Random Logit: does the map of another class look the same?

    Better: lower. Range: [-1, 1].
    Needs: explainer, inputs, targets.

    Parameters
    ----------
    classes : int or None, default None
        The number of classes, where the targets are class indices.
    similarity : {"ssim", "spearman", "pearson", "jaccard"}, default "ssim"
        How alike two maps are; ``jaccard`` looks at the largest tenth of the attributions.
    seed : int, default 1
        What random choices depend on.
    draws : array-like, optional
        Other targets drawn elsewhere, instead of own ones.

    References
    ----------
    Sixt et al., When Explanations Lie, 2020.

    Examples
    --------
    >>> RandomLogit().info.direction
    'lower'
    """

    name: ClassVar[str] = "random_logit"

    def __init__(
        self,
        *,
        classes: int | None = None,
        similarity: Literal["ssim", "spearman", "pearson", "jaccard"] = "ssim",
        seed: int = 1,
        draws: Any = None,
    ) -> None:
        super().__init__(classes=classes, similarity=similarity, seed=seed, draws=draws)

    def evaluate(
        self,
        explainer: Any,
        inputs: Any,
        targets: Any,
        *,
        activation: str | None = None,
        batch_size: int | None = 64,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        """
        return self._measure(locals())


class EfficientRandomization(Metric):
    """Efficient Randomization (eMPRT): does the map of a model of random numbers get more complex?

    Better: higher. Range: [-1, inf).
    Needs: explanations, second maps.

    Parameters
    ----------
    bins : int or str, default 100
        Bins of the histogram of a map: a number, or ``freedman-diaconis``.

    References
    ----------
    Hedström et al., Sanity Checks Revisited, 2023.

    Examples
    --------
    >>> EfficientRandomization().info.direction
    'higher'
    """

    name: ClassVar[str] = "efficient_randomization"

    def __init__(self, *, bins: int | str = 100) -> None:
        super().__init__(bins=bins)

    def evaluate(
        self,
        explanations: Any,
        second_maps: Any,
        *,
        inputs: Any = None,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> MetricValue:
        """The value of one explainer, and one value per sample.

        The arguments are those of :func:`~xai_metrics.attribution.evaluate`.
        Instead of maps, ``explanations`` may be an explainer that makes them.
        """
        return self._measure(locals())


_BY_NAME: dict[str, type[Metric]] = {
    metric.name: metric
    for metric in (
        AverageDrop,
        AverageIncrease,
        AverageGain,
        Adcc,
        Deletion,
        Insertion,
        SymmetricRelevanceGain,
        RegionPerturbation,
        Comprehensiveness,
        RationaleSufficiency,
        Naopc,
        RandomOrderReference,
        Monotonicity,
        Irof,
        FFidelity,
        FFidelityPositive,
        FFidelityNegative,
        Road,
        RoadMostRelevantFirst,
        RoadLeastRelevantFirst,
        FaithfulnessEstimate,
        Violations,
        SensitivityN,
        MonotonicityCorrelation,
        Infidelity,
        MuFidelity,
        PredictionGapImportant,
        PredictionGapUnimportant,
        Sufficiency,
        Consistency,
        PointingGame,
        AttributionLocalization,
        TopKIntersection,
        RelevanceRankAccuracy,
        RelevanceMassAccuracy,
        LocalizationAuroc,
        LocalizationAveragePrecision,
        LocalizationIou,
        Focus,
        Complexity,
        Sparseness,
        EffectiveComplexity,
        NonzeroFeatures,
        MstCompactness,
        FeatureAgreement,
        RankAgreement,
        SignAgreement,
        SignedRankAgreement,
        RankCorrelation,
        PairwiseRankAgreement,
        Completeness,
        NonSensitivity,
        InputInvariance,
        AverageStability,
        MaximumStability,
        LocalLipschitz,
        Continuity,
        RelativeInputStability,
        RelativeOutputStability,
        RelativeRepresentationStability,
        AttributionStability,
        RandomLogit,
        EfficientRandomization,
    )
}


def by_name(name: str) -> type[Metric]:
    """The class of a metric by its name in tables.

    >>> by_name("mu_fidelity").__name__
    'MuFidelity'
    """
    return _BY_NAME[name]
