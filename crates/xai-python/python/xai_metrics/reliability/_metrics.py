"""The metrics of metrics by name."""

from __future__ import annotations

from .. import _native
from .._statistics import MetricInfo, infos_of


def metrics() -> list[MetricInfo]:
    """Every metric of metrics: its question, direction, range, needs and source.

    Returns
    -------
    list of MetricInfo
        In the order of the documentation; the last of a function may be further numbers of its result.

    Examples
    --------
    >>> from xai_metrics.reliability import metrics
    >>> {info.name: info.range for info in metrics()}["kendall-w"]
    '[0, 1]'
    """
    return infos_of(_native.reliability_metrics())
