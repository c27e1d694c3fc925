"""What the library knows about the metrics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ... import _native
from ..._described import DescribedMetric, metrics_by_name


@dataclass(frozen=True)
class MetricInfo(DescribedMetric):
    """A metric of training-data attribution: what it is called, asks and needs.

    >>> metric_infos()[2].question
    'Do the training cases with the largest attributions have the class of the test case?'
    """

    #: What it takes beside what it needs, or in its place.
    also: tuple[str, ...]


@cache
def infos_by_name() -> dict[str, MetricInfo]:
    """The metrics by the names of their functions."""
    return metrics_by_name(MetricInfo, _native.data_attribution_metrics())


def metric_infos() -> list[MetricInfo]:
    """All metrics of training-data attribution, in the order of the documentation.

    Returns
    -------
    list of MetricInfo

    Examples
    --------
    >>> [info.name for info in metric_infos()][:2]
    ['linear_datamodeling_score', 'leave_one_out_correlation']
    """
    return list(infos_by_name().values())
