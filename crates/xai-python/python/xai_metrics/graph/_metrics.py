"""The metrics by name."""

from __future__ import annotations

from .. import _native
from .._statistics import MetricInfo, infos_of


def metrics() -> list[MetricInfo]:
    """Every metric of graphs: its question, direction, range, needs and source.

    Examples
    --------
    >>> from xai_metrics.graph import metrics
    >>> {info.name: info.direction for info in metrics()}["neg_fidelity"]
    'lower'
    """
    return infos_of(_native.graph_metrics())
