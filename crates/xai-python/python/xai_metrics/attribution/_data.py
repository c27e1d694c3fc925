"""The arguments of a run, as the native part reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from .. import _native
from .._arrays import booleans, integers, reals, to_numpy
from . import _models

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._models import Framework
    from ._registry import MetricInfo

#: The activations that scores may be taken after.
ACTIVATIONS = ("none", "softmax", "sigmoid", "log-softmax")
LAYOUTS = ("tabular", "time-series", "channels-last", "channels-first")


class Asked(Protocol):
    """What a run reads of a metric."""

    #: Parameters that are not at their defaults.
    parameters: dict[str, Any]
    #: Arrays and functions, which the native part takes beside the parameters.
    arrays: dict[str, Any]

    @property
    def info(self) -> MetricInfo:
        """The description of the metric."""


@dataclass
class Sides:
    """What some metrics need beside inputs, targets, maps and model."""

    masks: Any = None
    mosaic: Any = None
    segments: Any = None
    reference_maps: Any = None
    second_maps: Any = None
    representation: Any = None

    def given(self) -> set[str]:
        """By the names that metrics list among their needs."""
        names = {
            "masks": self.masks if self.mosaic is None else self.mosaic,
            "segments": self.segments,
            "reference maps": self.reference_maps,
            "second maps": self.second_maps,
            "representation": self.representation,
        }
        return {name for name, value in names.items() if value is not None}


@dataclass
class Run:
    """A run: its data and how scores are taken."""

    model: Any = None
    inputs: Any = None
    targets: Any = None
    #: ``(name, maps or None, explainer or None)``
    explainers: list[tuple[str, Any, Any]] = field(default_factory=list)
    #: The metrics and what they are called in the result.
    metrics: list[tuple[str, Asked]] = field(default_factory=list)
    sides: Sides = field(default_factory=Sides)
    operator: Any = None
    #: Where one output of the model stands for so many.
    n_outputs: int | None = None
    activation: str | None = None
    batch_size: int | None = None
    allow_batch_dependence: bool = False
    layout: str | None = None
    framework: Framework | None = None
    device: Any = None
    curves: bool = False
    first_sample: int = 0
    progress: Any = None

    def request(self) -> dict[str, Any]:
        """The dictionary that the native functions take."""
        inputs = None if self.inputs is None else reals(self.inputs, "inputs")
        tensors = _models.Tensors.of(self.model, self.framework, self.device)
        explainers = [self._explained(entry, tensors, inputs) for entry in self.explainers]
        n = self._n_samples(inputs, explainers)
        batch_size = None if self.batch_size is None else int(self.batch_size)
        if batch_size is not None and batch_size < 1:
            raise ValueError(f"batch_size: expected at least 1, got {self.batch_size}")
        function = None
        if self.model is not None and self.operator is None:
            function = _models.model_function(
                self.model, self.framework, self.device, self.n_outputs
            )
        targets = None if self.targets is None else targets_of(self.targets, n)
        if targets is None and function is not None and inputs is not None:
            targets = predicted_classes(function, inputs, batch_size)
        if targets is None and any("targets" in metric.info.needs for _, metric in self.metrics):
            raise ValueError("targets: needed where there is no model to predict them")
        if self.operator is not None:
            if targets is None:
                raise ValueError("targets: needed by an operator")
            rows = targets
            if rows.ndim == 2 and inputs is not None:
                # Frameworks want one precision.
                rows = rows.astype(inputs.dtype)
            function = _models.operator_function(  # type: ignore[assignment]
                self.model, self.operator, rows, self.activation, self.framework, self.device
            )
            targets = np.ones((n, 1))
        metrics, draws = self._metrics(inputs)
        return {
            "model": function,
            "of_samples": self.operator is not None,
            "inputs": inputs,
            "targets": targets,
            "explainers": explainers,
            "metrics": metrics,
            "sides": self._sides(tensors, inputs, explainers, n, draws),
            "activation": "none" if self.operator is not None else activation_of(self.activation),
            "batch_size": batch_size,
            "allow_batch_dependence": self.allow_batch_dependence,
            "layout": layout_of(self.layout),
            "curves": self.curves,
            "first_sample": self.first_sample,
            "progress": self.progress,
        }

    def _explained(self, entry: tuple[str, Any, Any], tensors: _models.Tensors, inputs: Any) -> Any:
        name, maps, explainer = entry
        if maps is not None:
            maps = reals(maps, "explanations")
            if inputs is None and maps.ndim == 3 and (self.layout or "").startswith("channels"):
                # Maps of images that have no channels, and no inputs that would say so.
                maps = maps[..., None] if self.layout == "channels-last" else maps[:, None]
        function = None if explainer is None else _models.explainer_function(explainer, tensors)
        if function is not None and inputs is None:
            raise ValueError("inputs: needed by an explainer")
        return name, maps, function

    @staticmethod
    def _n_samples(inputs: Any, explainers: Sequence[Any]) -> int:
        arrays = [inputs, *(maps for _, maps, _ in explainers)]
        n = next((len(a) for a in arrays if a is not None and a.ndim > 0), None)
        if n is None:
            raise ValueError("inputs: expected inputs, or maps")
        return n

    def _metrics(self, inputs: Any) -> tuple[list[Any], dict[str, Any]]:
        """The metrics, and the arrays that they take."""
        metrics = []
        draws: dict[str, Any] = {"baselines": []}
        for name, metric in self.metrics:
            parameters = dict(metric.parameters)
            baseline = metric.arrays.get("baseline")
            if baseline is not None:
                parameters["baseline"] = f"given:{len(draws['baselines'])}"
                draws["baselines"].append(baseline_of(baseline, inputs))
            given = metric.arrays.get("draws")
            if given is not None:
                key = str(metric.info.draws)
                if draws.setdefault(key, given) is not given:
                    raise ValueError(f"draws: the metrics of one run share their {key}")
            asked = {
                "metric": metric.info.name,
                "name": name,
                "parameters": list(parameters.items()),
                "distance": _distance(metric.arrays.get("distance")),
                "draws_are_given": given is not None,
            }
            metrics.append(asked)
        return metrics, draws

    def _sides(
        self,
        tensors: _models.Tensors,
        inputs: Any,
        explainers: Sequence[Any],
        n: int,
        draws: Mapping[str, Any],
    ) -> dict[str, Any]:
        sides = self.sides
        maps = next((m for _, m, _ in explainers if m is not None), None)
        shape = inputs.shape if inputs is not None else None if maps is None else maps.shape
        second = sides.second_maps
        if second is not None:
            second = (
                _models.explainer_function(second, tensors)
                if _models.is_explainer(second)
                else reals(second, "second_maps")
            )
        segments = None
        if sides.segments is not None:
            segments = (planes(integers(sides.segments, "segments"), shape, n), n)
        return {
            "masks": None
            if sides.masks is None
            else planes(booleans(sides.masks, "masks"), shape, n),
            "mosaic": None if sides.mosaic is None else self._mosaic(shape),
            "segments": segments,
            "reference_maps": None
            if sides.reference_maps is None
            else reals(sides.reference_maps, "reference_maps"),
            "second_maps": second,
            "baselines": draws["baselines"],
            "subsets": _or_none(integers, draws, "subsets"),
            "orders": _or_none(integers, draws, "orders"),
            "neighbors": _or_none(reals, draws, "neighbours"),
            "values": _or_none(reals, draws, "given values"),
            "other_targets": None
            if "other targets" not in draws
            else targets_of(draws["other targets"], n),
            "representation": None
            if sides.representation is None
            else _models.model_function(sides.representation, tensors.framework, tensors.device),
        }

    def _mosaic(self, shape: Any) -> Any:
        if shape is None:
            raise ValueError("mosaic: needs inputs or maps")
        cells = booleans(self.sides.mosaic, "mosaic", 3)
        layout = self.layout or {4: "channels-last"}.get(len(shape))
        height, width = shape[2:] if layout == "channels-first" else (*shape[1:3], 1)[:2]
        return cells, int(height), int(width)


def targets_of(targets: Any, n: int) -> npt.NDArray[Any]:
    """Classes ``(n,)``, or rows of weights ``(n, n_outputs)``.

    >>> targets_of([2, 0, 1], 3)
    array([2, 0, 1])
    >>> targets_of([[0, 1], [1, 0]], 2)
    array([[0., 1.],
           [1., 0.]])
    """
    array = to_numpy(targets, "targets")
    if array.ndim == 1:
        classes = integers(array, "targets")
        _check_n("targets", classes, n)
        return np.ascontiguousarray(classes)
    rows = np.ascontiguousarray(reals(array, "targets", (1, 2)), dtype=np.float64)
    _check_n("targets", rows, n)
    return rows


def predicted_classes(
    function: Any, inputs: npt.NDArray[Any], batch_size: int | None
) -> npt.NDArray[Any]:
    """The class of the largest output for every input, the lowest of equal ones."""
    if batch_size is None:
        batch_size = _native.attribution_rows_per_call(inputs.nbytes // max(len(inputs), 1))
    classes = []
    for first in range(0, len(inputs), batch_size):
        batch = np.array(inputs[first : first + batch_size], order="C")
        classes.append(np.argmax(function(batch), axis=1))
    return np.concatenate(classes).astype(np.int64) if classes else np.zeros(0, np.int64)


def baseline_of(baseline: Any, inputs: Any) -> npt.NDArray[Any]:
    """Baselines ``(n, …)``, or ``(1, …)`` for one that all samples share."""
    if callable(baseline):
        if inputs is None:
            raise ValueError("baseline: a function needs inputs")
        array = reals(baseline(inputs), "baseline")
        return np.broadcast_to(array, inputs.shape) if array.ndim < inputs.ndim else array
    array = reals(baseline, "baseline")
    if inputs is not None and array.shape == inputs.shape[1:]:
        array = array[None]
    return array


def planes(array: npt.NDArray[Any], shape: Any, n: int) -> npt.NDArray[Any]:
    """One value per position as ``(n, height, width)``; an axis of one channel is left out."""
    if array.ndim == 4 and 1 in (array.shape[1], array.shape[3]):
        array = array[:, 0] if array.shape[1] == 1 else array[..., 0]
    if shape is not None and len(shape) == 2 and array.shape == (n, shape[1]):
        # Tables: one row of positions per sample.
        array = array[:, None]
    return array


def activation_of(activation: str | None) -> str:
    """The activation by its name."""
    name = "none" if activation is None else str(activation).replace("_", "-")
    if name not in ACTIVATIONS:
        known = ", ".join(ACTIVATIONS)
        raise ValueError(f"activation: expected None or one of {known}, got {activation!r}")
    return name


def layout_of(layout: str | None) -> str | None:
    """The layout by its name.

    >>> layout_of("channels_first")
    'channels-first'
    """
    if layout is None:
        return None
    name = str(layout).replace("_", "-")
    if name not in LAYOUTS:
        raise ValueError(f"layout: expected one of {', '.join(LAYOUTS)}, got {layout!r}")
    return name


def _distance(distance: Any) -> Any:
    if distance is None:
        return None
    return lambda a, b: float(distance(a, b))


def _check_n(name: str, array: npt.NDArray[Any], n: int) -> None:
    if len(array) != n:
        raise ValueError(f"{name}: expected one per sample, {n}, got shape {array.shape}")


def _or_none(convert: Any, arrays: Mapping[str, Any], name: str) -> Any:
    return convert(arrays[name], "draws") if name in arrays else None
