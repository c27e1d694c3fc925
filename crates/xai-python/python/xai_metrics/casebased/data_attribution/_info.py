"""What the library knows about the metrics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from ... import _native
from ..._described import Parameter


@dataclass(frozen=True)
class MetricInfo:
    """A metric of training-data attribution: what it is called, asks and needs.

    >>> metric_infos()[2].question
    'Do the training cases with the largest attributions have the class of the test case?'
    """

    #: The name of the function: ``class_detection``.
    name: str
    #: The name in texts: ``Class detection``.
    title: str
    question: str
    #: Which end of its scale is the good one.
    direction: Literal["higher", "lower", "none"]
    range: str
    #: What it needs: ``attributions``, ``train_labels``, …
    needs: tuple[str, ...]
    #: What it takes beside that, or in its place.
    also: tuple[str, ...]
    source: str
    #: The value of one test case, with the defaults of all parameters.
    formula: str
    #: What the ends of the range mean.
    extremes: str
    #: What the number does not tell.
    limits: str
    #: What other packages call the same quantity: ``quanda.ClassDetectionMetric``.
    peers: tuple[str, ...]
    #: The value in the example of the documentation.
    example: float
    parameters: tuple[Parameter, ...]


@cache
def infos_by_name() -> dict[str, MetricInfo]:
    """The metrics by the names of their functions."""
    infos = {}
    for metric in _native.data_attribution_metrics():
        words = [{**one, "words": tuple(one["words"])} for one in metric["parameters"]]
        metric["parameters"] = [Parameter(**one) for one in words]
        lists = ("needs", "also", "peers", "parameters")
        infos[metric["name"]] = MetricInfo(**{**metric, **{name: tuple(metric[name]) for name in lists}})
    return infos


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
