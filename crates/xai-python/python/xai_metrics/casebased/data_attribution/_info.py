"""Descriptions of the metrics of training-data attribution."""

from __future__ import annotations

from functools import cache

from ..._described import MetricInfo
from ..._registry import metrics_of


@cache
def infos_by_name() -> dict[str, MetricInfo]:
    """Return the metrics by the names of their functions."""
    return {info.name: info for info in metrics_of("casebased") if info.kind == "data attribution"}


def metric_infos() -> list[MetricInfo]:
    """Return the descriptions of all metrics of training-data attribution, in the order of the
    documentation.

    Returns
    -------
    list of MetricInfo
        Descriptions.

    Examples
    --------
    >>> [info.name for info in metric_infos()][:2]
    ['linear_datamodeling_score', 'leave_one_out_correlation']
    """
    return list(infos_by_name().values())
