"""User-defined metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, Union

import numpy as np

from .._arrays import reals
from .._described import MetricInfo
from ._layout import WORDS
from ._metric import Metric

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    import numpy.typing as npt

    from .._types import AttributionMetricName

#: Fields of a batch, and the inputs of the run that each requires.
_NEEDS = {
    "inputs": ("inputs",),
    "targets": ("targets",),
    "explanations": ("explanations",),
    "outputs": ("model", "inputs"),
    "base_scores": ("model", "inputs", "targets"),
    "masked_scores": ("model", "inputs", "targets", "explanations"),
}


@dataclass(frozen=True, eq=False)
class Batch:
    """Samples of a run, as passed to :meth:`per_sample` of a user-defined metric.

    Fields that the metric does not list in ``reads`` are ``None``.

    Examples
    --------
    >>> import numpy as np
    >>> Batch(first_sample=0, n_samples=2, base_scores=np.array([0.5, 1.0])).base_scores.tolist()
    [0.5, 1.0]
    """

    #: Index of the first sample in the data set.
    first_sample: int
    n_samples: int
    #: Inputs ``(batch, …)`` in the form that the model receives.
    inputs: npt.NDArray[Any] | None = None
    #: Output indices ``(batch,)``, or rows of weights ``(batch, n_outputs)``.
    targets: npt.NDArray[Any] | None = None
    #: Maps of one explainer, ``(batch, …)``; an axis of one channel may be missing.
    explanations: npt.NDArray[Any] | None = None
    #: Model outputs before the activation, ``(batch, n_outputs)``.
    outputs: npt.NDArray[np.float64] | None = None
    #: Scores of the targets, ``(batch,)``.
    base_scores: npt.NDArray[np.float64] | None = None
    #: Scores of the masked inputs, see :func:`mask_inputs`, ``(batch,)``; NaN for a constant map.
    masked_scores: npt.NDArray[np.float64] | None = None
    #: Scores of the inputs returned by ``changes`` of the metric, ``(changes, batch)``.
    changed_scores: npt.NDArray[np.float64] | None = None


if TYPE_CHECKING:

    class PerSample(Protocol):
        """User-defined metric, see :class:`OwnMetric`."""

        @property
        def reads(self) -> Collection[str]: ...

        def per_sample(self, batch: Batch, /) -> Any: ...

    MetricChoice = Union[
        AttributionMetricName, Literal["standard", "all"], str, Metric, PerSample, type[Metric], type[PerSample]
    ]
    #: Metrics as :func:`evaluate` accepts them.
    Metrics = Union[MetricChoice, Iterable[MetricChoice], Mapping[str, MetricChoice]]


class OwnMetric(Metric):
    """User-defined metric.

    :func:`~xai_metrics.attribution.evaluate` wraps each metric that has a method ``per_sample``
    in this class. The metric shares model outputs with the other metrics, so that the model is
    called only once for them.

    Parameters
    ----------
    metric : object
        Object with a method ``per_sample(batch)``, which receives a :class:`Batch` and returns one
        number per sample (NaN where undefined), and an attribute ``reads`` with the names of the
        batch fields it reads. Optional attributes are ``name`` (default: the class name) and
        ``direction`` (``"higher"``, ``"lower"`` or ``"none"``, the default). If it has a method
        ``changes(batch)`` that returns changed inputs ``(changes, batch, …)``, their scores are
        computed in batches of the run. The first line of its docstring is the summary of the
        metric.

    Raises
    ------
    TypeError
        For an object without ``per_sample`` or ``reads``.
    ValueError
        For a name in ``reads`` that is none of a batch, and for another direction.

    Examples
    --------
    >>> import numpy as np
    >>> from xai_metrics.attribution import evaluate
    >>> class Kept:
    ...     '''What share of the score is left when only what the map marks is kept?'''
    ...     name, direction = "kept", "higher"
    ...     reads = ("base_scores", "masked_scores")
    ...     def per_sample(self, batch):
    ...         return batch.masked_scores / batch.base_scores
    >>> x = np.array([[4.0, 1.0], [1.0, 2.0]])
    >>> table = evaluate(lambda x: x, x, [0, 1], {"first": [[1.0, 0.0]] * 2}, [Kept(), "average_drop"])
    >>> table["kept"]["first"].per_sample.round(6).tolist(), table.model_rows # both read the same 4 rows
    ([1.0, 0.0], 4)

    The fall of the score without the feature of the largest attribution:

    >>> class TopDrop:
    ...     reads = ("inputs", "explanations", "base_scores")
    ...     def changes(self, batch):
    ...         changed = batch.inputs.copy()
    ...         np.put_along_axis(changed, batch.explanations.argmax(axis=1)[:, None], 0.0, axis=1)
    ...         return changed[None]
    ...     def per_sample(self, batch):
    ...         return batch.base_scores - batch.changed_scores[0]
    >>> table = evaluate(lambda x: x, x, [0, 1], {"first": [[1.0, 0.0]] * 2}, [TopDrop()])
    >>> table["TopDrop"]["first"].per_sample.tolist()
    [4.0, 0.0]
    """

    def __init__(self, metric: Any) -> None:
        kind = type(metric).__name__
        if not callable(getattr(metric, "per_sample", None)):
            raise TypeError(f"metric: expected an object with per_sample(batch), got {kind}")
        reads = getattr(metric, "reads", None)
        if not isinstance(reads, (tuple, list, set, frozenset)):
            raise TypeError(f"metric: {kind} needs `reads`, a tuple of some of {', '.join(_NEEDS)}")
        unknown = next((name for name in reads if name not in _NEEDS), None)
        if unknown is not None:
            raise ValueError(f"metric: {kind}.reads: expected some of {', '.join(_NEEDS)}, got {unknown!r}")
        direction: Any = getattr(metric, "direction", "none")
        if direction not in ("higher", "lower", "none"):
            raise ValueError(
                f"metric: {kind}.direction: expected higher, lower or none, got {direction!r}"
            )
        self.metric = metric
        self.name: str = str(getattr(metric, "name", kind))
        self.given: dict[str, Any] = {}
        self.arrays: dict[str, Any] = {}
        self.parameters: dict[str, Any] = {}
        summary, *_ = (type(metric).__doc__ or "").strip().splitlines() or [""]
        self._changes = getattr(metric, "changes", None)
        read = [*reads, *(["base_scores"] if self._changes else [])]
        needs = {need for name in read for need in _NEEDS[name]}
        self._reads = list(reads)
        self._info = MetricInfo(
            name=self.name,
            title=self.name,
            family="attribution",
            summary=summary,
            direction=direction,
            needs=tuple(need for need in _NEEDS["masked_scores"] if need in needs),
            layouts=tuple(WORDS["layout"]),
        )

    @property
    def info(self) -> MetricInfo:
        """Description of the metric."""
        return self._info

    @property
    def direction(self) -> Literal["higher", "lower", "none"]:
        """Better end of the scale."""
        return self.info.direction

    @property
    def functions(self) -> dict[str, Any]:
        """Functions that the native part calls."""
        own = {
            "function": self._values,
            "changes": self._changed if self._changes else None,
            "direction": self.info.direction,
            "reads": self._reads,
        }
        return {**super().functions, "own": own}

    def _changed(self, batch: dict[str, Any]) -> npt.NDArray[Any]:
        return reals(self.metric.changes(Batch(**batch)), f"{self.name}.changes")

    def _values(self, batch: dict[str, Any]) -> npt.NDArray[np.float64]:
        values = self.metric.per_sample(Batch(**batch))
        array = np.ascontiguousarray(reals(values, self.name, 1), dtype=np.float64)
        if len(array) != batch["n_samples"]:
            raise ValueError(
                f"{self.name}: expected one value per sample, {batch['n_samples']}, got shape {array.shape}"
            )
        return array

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnMetric) and self.metric is other.metric

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return repr(self.metric)
