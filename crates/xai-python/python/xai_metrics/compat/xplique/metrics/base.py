"""What the metrics share."""

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

    from xai_metrics._frameworks import Framework

#: The activations that the peer has, and the one that it has not.
_ACTIVATIONS = (None, *(word for word in WORDS["activation"] if word != "none"))
#: Arguments that a metric hands on as it was given them.
_HOW = ("activation", "layout", "framework", "device", "n_jobs", "allow_batch_dependence")
_HELD = ("model", "inputs", "targets", "batch_size", *_HOW)
#: Tasks whose score is the sum of the outputs by the weights of the target.
_TASKS = ("classification", "regression")


class How(TypedDict, total=False):
    """The further arguments of every metric, see :class:`BaseAttributionMetric`."""

    compat: bool
    layout: str | None
    framework: Framework | None
    device: Any
    n_jobs: int | None
    allow_batch_dependence: bool


class BaseAttributionMetric:
    """A metric of one model on one data set, to be asked about any number of explanations.

    Parameters
    ----------
    model, inputs, targets, batch_size, activation
        As in :func:`~xai_metrics.attribution.evaluate`. ``inputs`` may also be a data set of
        TensorFlow that gives pairs of input and target.
    compat : bool
        Whether to give the number of xplique where the default differs; each class says why.
    layout, framework, device, n_jobs, allow_batch_dependence
        As in :func:`~xai_metrics.attribution.evaluate`; images have their channels last, as in
        xplique, unless they are those of torch.
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
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
        allow_batch_dependence: bool = False,
    ) -> None:
        if activation not in _ACTIVATIONS:
            raise ValueError(f"activation: expected None, sigmoid or softmax, got {activation!r}")
        inputs, targets = unzipped(inputs, targets)
        self.model = model
        self.inputs = reals(inputs, "inputs")
        self.targets = None if targets is None else targets_of(targets, len(self.inputs))
        if compat:
            # The peer computes in single precision.
            self.inputs = self.inputs.astype(np.float32, copy=False)
        self.batch_size = whole_or_none("batch_size", batch_size, 1)
        self.activation = activation
        self.compat = compat
        is_torch = framework == "torch" or is_torch_module(model)
        self.layout = layout_of_images(layout, self.inputs, is_torch)
        self.framework = framework
        self.device = device
        self.n_jobs = threads(n_jobs)
        self.allow_batch_dependence = allow_batch_dependence

    def _measure(self, metric: Metric, **of: Any) -> MetricValue:
        """The value of a metric for what this one holds, and some further arguments."""
        run = {name: getattr(self, name) for name in _HELD}
        if self.targets is not None and self.targets.ndim == 2:
            # One output of the model stands for all classes, as in the peer.
            run["n_outputs"] = self.targets.shape[1]
        return metric._measure({**run, **of})


class ExplanationMetric(BaseAttributionMetric):
    """A metric of maps.

    ``operator`` is a score ``operator(model, inputs, targets)`` of every row, instead of the sum
    of the outputs by the weights of the target; ``"classification"`` and ``"regression"`` are that
    sum.
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
        """The scores of some inputs, all at once."""
        return self.batch_inference_function(model, inputs, targets)

    def batch_inference_function(
        self, model: Any, inputs: Any, targets: Any, batch_size: int | None = None
    ) -> npt.NDArray[Any]:
        """The scores of some inputs, batch by batch."""
        held = {name: getattr(self, name) for name in _HOW if name != "n_jobs"}
        of = {"model": model, "inputs": inputs, "targets": targets, "batch_size": batch_size}
        run = Run.of(**of, **held, operator=self.operator)
        scores: npt.NDArray[np.float64] = _native.attribution_scores(run.request(), self.n_jobs)[0]
        return scores

    def _of_maps(self, metric: Metric, explanations: Any, **of: Any) -> MetricValue:
        maps = reals(explanations, "explanations")
        if len(maps) != len(of.get("inputs", self.inputs)):
            n = len(of.get("inputs", self.inputs))
            raise ValueError(f"explanations: expected one per input, {n}, got shape {maps.shape}")
        if self.operator is not None:
            of = {"n_outputs": None, **of, "operator": self.operator}
        return self._measure(metric, explanations=maps, **of)

    def evaluate(self, explanations: Any) -> float:
        """The value of the maps of all inputs."""
        raise NotImplementedError

    def __call__(self, explanations: Any) -> float:
        """As ``evaluate``."""
        return self.evaluate(explanations)


class ExplainerMetric(BaseAttributionMetric):
    """A metric that asks the explainer, ``explainer(inputs, targets) -> maps``, again."""

    def evaluate(self, explainer: Any) -> float:
        """The value of the explainer on the inputs."""
        raise NotImplementedError

    def __call__(self, explainer: Any) -> float:
        """As ``evaluate``."""
        return self.evaluate(explainer)


class BaseComplexityMetric:
    """A metric of maps alone.

    ``batch_size`` is taken for the peer's sake: maps are read where they lie, and all threads
    share them.
    """

    def __init__(
        self,
        batch_size: int | None = 32,
        *,
        compat: bool = False,
        layout: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.batch_size = batch_size
        self.compat = compat
        self.layout = layout
        self.n_jobs = threads(n_jobs)

    def _of_maps(self, metric: Any, explanations: Any) -> MetricValue:
        maps = reals(explanations, "explanations")
        layout = layout_of_images(self.layout, maps)
        value: MetricValue = metric.evaluate(maps, layout=layout, n_jobs=self.n_jobs)
        return value

    def detailed_evaluate(self, explanations: Any) -> npt.NDArray[np.float64]:
        """One value per map."""
        raise NotImplementedError

    def evaluate(self, explanations: Any) -> float:
        """The mean over the maps, of which ``detailed_evaluate`` is asked batch by batch."""
        maps = reals(explanations, "explanations")
        size = self.batch_size or max(len(maps), 1)
        batches = [maps[first : first + size] for first in range(0, len(maps), size)]
        return float(np.mean(np.concatenate([self.detailed_evaluate(b) for b in batches])))

    def __call__(self, explanations: Any, batch_size: int = 32) -> float:
        """As ``evaluate``."""
        return self.evaluate(explanations)


def layout_of_images(layout: str | None, array: Any, is_torch: bool = False) -> str | None:
    """The layout that was given; else of images the peer's, or that of torch."""
    if layout is not None or array.ndim != 4:
        return layout_of(layout)
    return "channels-first" if is_torch else "channels-last"


def unzipped(inputs: Any, targets: Any) -> tuple[Any, Any]:
    """Inputs and targets of a TensorFlow data set of pairs, and of everything else what they
    are."""
    if not hasattr(inputs, "as_numpy_iterator"):
        return inputs, targets
    if hasattr(inputs, "_batch_size"):
        inputs = inputs.unbatch()
    pairs = list(inputs.as_numpy_iterator())
    return np.stack([pair[0] for pair in pairs]), np.stack([pair[1] for pair in pairs])
