"""Result of one metric for one explainer."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._arrays import reals
from .._display import Display, Shown, count
from .._frameworks import outside
from .._results import axes
from .._results import pandas_library as pandas

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd


def with_remarks(assumed: dict[str, str], remarks: list[tuple[str, str]]) -> dict[str, str]:
    """Add the assumptions of the native part.

    Their subjects are ``answers`` (how the outputs of the model were interpreted),
    ``explained_class`` (which class the maps explain) and ``ties`` (the order of features with
    equal attributions).
    """
    return {**assumed, **by_subject(remarks)}


def by_subject(remarks: list[tuple[str, str]]) -> dict[str, str]:
    """Group remarks by subject.

    Examples
    --------
    >>> by_subject([("answers", "as logits"), ("ties", "by index"), ("answers", "as probabilities")])
    {'answers': 'as logits; as probabilities', 'ties': 'by index'}
    """
    grouped: dict[str, list[str]] = {}
    for about, text in remarks:
        grouped.setdefault(about, []).append(text)
    return {about: "; ".join(texts) for about, texts in grouped.items()}


def noted(assumed: Mapping[str, str], warned: Mapping[str, str], skipped: Mapping[str, str] | None = None) -> list[str]:
    """Return warnings, assumptions and the number of skipped metrics as notes below a table.

    Examples
    --------
    >>> noted({"layout": "tabular"}, {"maps of `shap`": "sums differ"}, {"deletion": "needs a model"})
    ['warning: maps of `shap`: sums differ', 'layout: tabular', '1 metric skipped: see `skipped`']
    """
    notes = [f"warning: {about}: {text}" for about, text in warned.items()]
    notes += [f"{about}: {text}" for about, text in assumed.items()]
    return [*notes, f"{count(len(skipped), 'metric')} skipped: see `skipped`"] if skipped else notes


def pairs_of(remarks: list[dict[str, str]]) -> list[tuple[str, str]]:
    """Convert the remarks of a table to ``(subject, text)`` pairs."""
    return [(remark["about"], remark["text"]) for remark in remarks]


def warn(remarks: list[tuple[str, str]]) -> dict[str, str]:
    """Emit warnings about suspicious inputs, and return them by subject."""
    for about, text in remarks:
        warnings.warn(f"{about}: {text}", stacklevel=outside())
    return by_subject(remarks)


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Shown):
    """Mean score as a function of the number of changed features.

    Examples
    --------
    >>> import numpy as np
    >>> Curve(np.array([0, 1, 2]), np.array([1.0, 0.5, 0.0])).to_dict()
    {'n_features': [0, 1, 2], 'scores': [1.0, 0.5, 0.0]}
    """

    #: Number of changed features at each point.
    n_features: npt.NDArray[np.int64]
    #: Mean score over the samples at each point.
    scores: npt.NDArray[np.float64]
    #: Score of every sample at each point, ``(n, points)``, NaN where undefined; only from a
    #: metric's own ``evaluate``, tables keep only the means.
    per_sample: npt.NDArray[np.float64] | None = None

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the points of the mean curve as lists.

        Returns
        -------
        dict of str to list
            ``n_features`` and ``scores``.
        """
        return {"n_features": self.n_features.tolist(), "scores": self.scores.tolist()}

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Plot the curve with :func:`.plot_curves`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.
        **style
            Keyword arguments for :func:`.plot_curves`.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        from ._plots import plot_curves

        return plot_curves({"mean of the samples": self}, ax=ax, **style)

    def _display(self) -> Display:
        rows = list(zip(self.n_features.tolist(), self.scores.tolist()))
        return Display("Mean scores by the number of changed features", ("features", "score"), rows)

    def _in_cell(self) -> str:
        return count(len(self.scores), "point")


@dataclass(frozen=True, eq=False, repr=False)
class MetricValue(Shown):
    """Value of a metric for a data set and for each sample; ``float()`` returns the mean.

    Examples
    --------
    >>> import numpy as np
    >>> value = MetricValue("deletion", "lower", 0.25, np.array([0.5, 0.0]), 0)
    >>> float(value), value.per_sample.tolist()
    (0.25, [0.5, 0.0])
    """

    #: Name of the metric.
    metric: str
    #: Better end of the scale.
    direction: Literal["higher", "lower", "none"]
    #: Mean over the samples with a value; ``None`` if there are none.
    value: float | None
    #: Values of the samples; NaN where undefined.
    per_sample: npt.NDArray[np.float64]
    #: Number of samples without a value.
    n_undefined: int
    #: Curve whose area is the value, for metrics that have one.
    curve: Curve | None = None
    #: Values assumed for arguments that were not given, see :class:`.EvaluationTable`.
    assumed: dict[str, str] = field(default_factory=dict)
    #: Reason if no sample has a value.
    undefined: str | None = None
    #: Warnings about suspicious inputs, by subject.
    warnings: dict[str, str] = field(default_factory=dict)
    #: Largest number of rows per call of model and explainer; ``None`` if neither was called.
    batch_size: int | None = None

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value

    def weighted(self, sample_weights: Any) -> float:
        """Return the weighted mean over the samples, for example with survey weights.

        Parameters
        ----------
        sample_weights : array_like
            Weight of each sample, ``(n,)``, at least 0.

        Returns
        -------
        float
            Weighted mean of the defined values.

        Raises
        ------
        ValueError
            If a weight is negative or not finite, or if no defined value has a positive weight.

        Examples
        --------
        >>> import numpy as np
        >>> value = MetricValue("deletion", "lower", 0.25, np.array([0.5, 0.0]), 0)
        >>> value.weighted([3.0, 1.0])
        0.375
        """
        return weighted_mean(self.per_sample, sample_weights)

    def _display(self) -> Display:
        notes = noted(self.assumed, self.warnings)
        if self.value is None:
            return Display(f"{self.metric}: {self.undefined or why_undefined(len(self.per_sample))}", notes=notes)
        undefined = f", {self.n_undefined} of them undefined" if self.n_undefined else ""
        better = "" if self.direction == "none" else f", {self.direction} is better"
        samples = f"over {count(len(self.per_sample), 'sample')}{undefined}"
        return Display(f"{self.metric}: {self.value:.4g} {samples}{better}", notes=notes)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, with ``None`` for undefined samples.

        Returns
        -------
        dict
            Fields by name.
        """
        return {
            "metric": self.metric,
            "direction": self.direction,
            "value": self.value,
            "per_sample": none_for_nan(self.per_sample),
            "n_undefined": self.n_undefined,
            "curve": None if self.curve is None else self.curve.to_dict(),
            "assumed": dict(self.assumed),
            "undefined": self.undefined,
            "warnings": dict(self.warnings),
            "batch_size": self.batch_size,
        }

    def to_pandas(self) -> pd.Series[float]:
        """Return the values of the samples as a series.

        Returns
        -------
        pandas.Series
            Values by sample.
        """
        series = pandas().Series(self.per_sample, name=self.metric)
        series.index.name = "sample"
        return series

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Plot the curve, or a histogram of the values if there is no curve.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.
        **style
            Keyword arguments for matplotlib.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        if self.curve is not None:
            ax = self.curve.plot(ax, **style)
            ax.set_title(self.metric)
            return ax
        ax = axes(ax)
        defined = self.per_sample[self.per_sample == self.per_sample]
        ax.hist(defined, **style)
        ax.set_xlabel(self.metric)
        ax.set_ylabel("samples")
        return ax


def undefined_value(
    metric: str, direction: Any, n: int, maps: Any = None, assumed: dict[str, str] | None = None
) -> MetricValue:
    """Return the result of a metric that is undefined for all ``n`` samples, with the reason if the
    maps show it.
    """
    reason = why_undefined(n, maps)
    return MetricValue(metric, direction, None, np.full(n, np.nan), n, None, assumed or {}, reason)


def why_undefined(n: int, maps: Any = None) -> str:
    """Return why a metric is undefined for all ``n`` samples.

    Examples
    --------
    >>> why_undefined(2, np.zeros((2, 3))), why_undefined(2, np.eye(2))
    ('undefined for all 2 samples: every map is zero', 'undefined for all 2 samples')
    """
    message = f"undefined for all {n} samples" if n != 1 else "undefined for the only sample"
    rows = [np.asarray(row).reshape(-1) for row in maps] if maps is not None else []
    if rows and all(not row.any() for row in rows):
        return f"{message}: every map is zero"
    if rows and all((row == row[:1]).all() for row in rows):
        return f"{message}: every map is constant"
    return message


def weighted_mean(per_sample: npt.NDArray[np.float64], sample_weights: Any) -> float:
    """Return the mean of the defined values with weights ``(n,)`` of at least 0.

    Examples
    --------
    >>> import numpy as np
    >>> weighted_mean(np.array([1.0, 2.0, np.nan]), [1, 3, 100])
    1.75
    """
    weights = reals(sample_weights, "sample_weights", 1)
    if weights.shape != per_sample.shape:
        n = len(per_sample)
        raise ValueError(f"sample_weights: expected one per sample, {n}, got {len(weights)}")
    if not ((weights >= 0) & (weights < float("inf"))).all():
        raise ValueError("sample_weights: expected finite numbers, at least 0")
    defined = per_sample == per_sample
    total = weights[defined].sum()
    if not total > 0:
        raise ValueError("sample_weights: expected a sample with a value and a weight above 0")
    return float((per_sample[defined] * weights[defined]).sum() / total)


def none_for_nan(values: npt.NDArray[np.float64]) -> list[float | None]:
    """Convert numbers to a list with ``None`` for NaN."""
    return [None if value != value else value for value in values.tolist()]


def tied_share(value: dict[str, Any]) -> float | None:
    """Return the share of features with a tied attribution; ``None`` for metrics that remove no
    features.
    """
    tied = value.get("tied")
    return None if tied is None else tied["tied"] / max(tied["total"], 1)
