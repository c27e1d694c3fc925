"""The metrics of metrics by name."""

from __future__ import annotations

from .. import _native
from .._described import MetricInfo, metrics_from_native


def metric_infos() -> list[MetricInfo]:
    """Return the descriptions of all metrics of metrics.

    Returns
    -------
    list of MetricInfo
        In the order of the documentation; the last of a function may be further numbers of its result.

    Examples
    --------
    >>> from xai_metrics.reliability import metric_infos
    >>> {info.name: info.range for info in metric_infos()}["kendall-w"]
    '[0, 1]'
    """
    return metrics_from_native(_native.reliability_metrics())
