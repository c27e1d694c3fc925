"""Base classes of the metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from xai_metrics import _native
from xai_metrics._arguments import threads, whole_or_none
from xai_metrics._arrays import reals
from xai_metrics._frameworks import is_torch_module
from xai_metrics.attribution._data import Run, targets_of
from xai_metrics.attribution._layout import WORDS, layout_of
from xai_metrics.attribution._metric import Metric
from xai_metrics.attribution._value import MetricValue

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack

    from xai_metrics._arrays import Reals
    from xai_metrics._frameworks import Framework
    from xai_metrics._types import Layout

#: Activations of xplique, and one that it does not have.
_ACTIVATIONS = (None, *(word for word in WORDS["activation"] if word != "none"))
#: Arguments that a metric passes on unchanged.
_HOW = ("activation", "layout", "framework", "device", "n_jobs", "allow_batch_dependence")
_HELD = ("model", "inputs", "targets", "batch_size", *_HOW)
#: Tasks whose score is the sum of the outputs weighted by the target.
_TASKS = ("classification", "regression")


class How(TypedDict, total=False):
    """Keyword arguments of every metric, see :class:`BaseAttributionMetric`."""

    compat: bool
    layout: Layout | None
    framework: Framework | None
    device: Any
    n_jobs: int | None
    allow_batch_dependence: bool


class BaseAttributionMetric:
    """Metric of one model on one data set, for any number of explanations.

    Parameters
    ----------
    model, inputs, targets, batch_size, activation
        See :func:`~xai_metrics.attribution.evaluate`. ``inputs`` may also be a TensorFlow data set
        of pairs of input and target.
    compat : bool
        Whether to return the value of xplique where the default differs; each class documents why.
    layout, framework, device, n_jobs, allow_batch_dependence
        See :func:`~xai_metrics.attribution.evaluate`; images have channels last, as in xplique,
        unless they are for torch.
    """

    def __init__(
        self,
        model: Any,
        inputs: Any,
        targets: Any = None,
        batch_size: int | None = 64,
        activation: str | None = None,
        *,
        compat: bool = False,
        layout: Layout | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
        allow_batch_dependence: bool = False,
    ) -> None:
        if activation not in _ACTIVATIONS:
            raise ValueError(f"activation: expected None, sigmoid or softmax, got {activation!r}")
        inputs, targets = unzipped(inputs, targets)
        self.model = model
        self.inputs: Reals = reals(inputs, "inputs")
        self.targets: npt.NDArray[Any] | None = None if targets is None else targets_of(targets, len(self.inputs))
        if compat:
            # The peer computes in single precision.
            self.inputs = self.inputs.astype(np.float32, copy=False)
        self.batch_size: int | None = whole_or_none("batch_size", batch_size, 1)
        self.activation = activation
        self.compat = compat
        is_torch = framework == "torch" or is_torch_module(model)
        self.layout = layout_of_images(layout, self.inputs, is_torch)
        self.framework = framework
        self.device = device
        self.n_jobs: int | None = threads(n_jobs)
        self.allow_batch_dependence = allow_batch_dependence

    def _measure(self, metric: Metric, **of: Any) -> MetricValue:
        """Compute a metric for the stored model and data, and some further arguments."""
        run = {name: getattr(self, name) for name in _HELD}
        if self.targets is not None and self.targets.ndim == 2:
            # One output of the model stands for all classes, as in the peer.
            run["n_outputs"] = self.targets.shape[1]
        return metric._measure({**run, **of})


class ExplanationMetric(BaseAttributionMetric):
    """Metric of maps.

    ``operator`` is a score ``operator(model, inputs, targets)`` of every row, which replaces the
    sum of the outputs weighted by the target; ``"classification"`` and ``"regression"`` select
    that sum.
    """

    def __init__(
        self,
        model: Any,
        inputs: Any,
        targets: Any = None,
        batch_size: int | None = 64,
        operator: str | Callable[[Any, Any, Any], Any] | None = None,
        activation: str | None = None,
        **how: Unpack[How],
    ) -> None:
        super().__init__(model, inputs, targets, batch_size, activation, **how)
        if isinstance(operator, str):
            if operator not in _TASKS:
                expected = f"{' or '.join(_TASKS)}, or a function of model, inputs and targets"
                raise ValueError(f"operator: expected {expected}, got {operator!r}")
            operator = None
        if operator is not None and not callable(operator):
            raise TypeError(f"operator: expected a function, got {type(operator).__name__}")
        self.operator = operator

    def inference_function(self, model: Any, inputs: Any, targets: Any) -> npt.NDArray[Any]:
        """Compute the scores of inputs in one batch.

        Parameters
        ----------
        model, inputs, targets
            See :class:`BaseAttributionMetric`.

        Returns
        -------
        numpy.ndarray
            Scores ``(n,)``.
        """
        return self.batch_inference_function(model, inputs, targets)

    def batch_inference_function(
        self, model: Any, inputs: Any, targets: Any, batch_size: int | None = None
    ) -> npt.NDArray[Any]:
        """Compute the scores of inputs batch by batch.

        Parameters
        ----------
        model, inputs, targets
            See :class:`BaseAttributionMetric`.
        batch_size : int, optional
            Largest number of rows per call.

        Returns
        -------
        numpy.ndarray
            Scores ``(n,)``.
        """
        held = {name: getattr(self, name) for name in _HOW if name != "n_jobs"}
        of = {"model": model, "inputs": inputs, "targets": targets, "batch_size": batch_size}
        run = Run.from_keywords(**of, **held, operator=self.operator)
        scores: npt.NDArray[np.float64] = _native.attribution_scores(run.request(), self.n_jobs)[0]
        return scores

    def _measure_maps(self, metric: Metric, explanations: Any, **of: Any) -> MetricValue:
        maps = reals(explanations, "explanations")
        if len(maps) != len(of.get("inputs", self.inputs)):
            n = len(of.get("inputs", self.inputs))
            raise ValueError(f"explanations: expected one per input, {n}, got shape {maps.shape}")
        if self.operator is not None:
            of = {"n_outputs": None, **of, "operator": self.operator}
        return self._measure(metric, explanations=maps, **of)

    def evaluate(self, explanations: Any) -> float:
        """Compute the metric for the maps of all inputs.

        Parameters
        ----------
        explanations : array_like
            Maps of all inputs.

        Returns
        -------
        float
            Value of the metric.
        """
        raise NotImplementedError

    def __call__(self, explanations: Any) -> float:
        """Call ``evaluate``."""
        return self.evaluate(explanations)


class ExplainerMetric(BaseAttributionMetric):
    """Metric that calls the explainer, ``explainer(inputs, targets) -> maps``."""

    def evaluate(self, explainer: Any) -> float:
        """Compute the metric for an explainer.

        Parameters
        ----------
        explainer : callable
            Explainer.

        Returns
        -------
        float
            Value of the metric.
        """
        raise NotImplementedError

    def __call__(self, explainer: Any) -> float:
        """Call ``evaluate``."""
        return self.evaluate(explainer)


class BaseComplexityMetric:
    """Metric of maps only.

    ``batch_size`` exists for compatibility: maps are processed without copies on all threads.
    """

    def __init__(
        self,
        batch_size: int | None = 32,
        *,
        compat: bool = False,
        layout: Layout | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.batch_size = batch_size
        self.compat = compat
        self.layout = layout
        self.n_jobs: int | None = threads(n_jobs)

    def _measure_maps(self, metric: Any, explanations: Any) -> MetricValue:
        maps = reals(explanations, "explanations")
        layout = layout_of_images(self.layout, maps)
        value: MetricValue = metric.evaluate(maps, layout=layout, n_jobs=self.n_jobs)
        return value

    def detailed_evaluate(self, explanations: Any) -> npt.NDArray[np.float64]:
        """Compute one value per map.

        Parameters
        ----------
        explanations : array_like
            Maps.

        Returns
        -------
        numpy.ndarray
            Values ``(n,)``.
        """
        raise NotImplementedError

    def evaluate(self, explanations: Any) -> float:
        """Compute the mean over the maps, calling ``detailed_evaluate`` batch by batch.

        Parameters
        ----------
        explanations : array_like
            Maps.

        Returns
        -------
        float
            Mean value.
        """
        maps = reals(explanations, "explanations")
        size = self.batch_size or max(len(maps), 1)
        batches = [maps[first : first + size] for first in range(0, len(maps), size)]
        return float(np.mean(np.concatenate([self.detailed_evaluate(b) for b in batches])))

    def __call__(self, explanations: Any, batch_size: int = 32) -> float:
        """Call ``evaluate``."""
        return self.evaluate(explanations)


def layout_of_images(layout: Layout | None, array: Any, is_torch: bool = False) -> Layout | None:
    """Return the given layout; by default for images channels last, as in xplique, or first for
    torch.
    """
    if layout is not None or array.ndim != 4:
        return layout_of(layout)
    return "channels-first" if is_torch else "channels-last"


def unzipped(inputs: Any, targets: Any) -> tuple[Any, Any]:
    """Split a TensorFlow data set of pairs into inputs and targets; other values are returned
    unchanged.
    """
    if not hasattr(inputs, "as_numpy_iterator"):
        return inputs, targets
    if hasattr(inputs, "_batch_size"):
        inputs = inputs.unbatch()
    pairs = list(inputs.as_numpy_iterator())
    return np.stack([pair[0] for pair in pairs]), np.stack([pair[1] for pair in pairs])
