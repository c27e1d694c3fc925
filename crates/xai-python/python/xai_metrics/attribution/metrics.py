"""Metrics of attribution maps and explainers, by their names in the registry.

A metric is an object with parameters. :func:`~xai_metrics.attribution.evaluate` computes any
number of them for any number of explainers; the method ``evaluate`` of a metric computes it for
one explainer. The classes are created from the native registry, see
:func:`~xai_metrics.attribution.metric_infos`; ``help(Deletion)`` shows the parameters.

>>> from xai_metrics.attribution.metrics import Deletion
>>> Deletion.evaluate.__doc__.partition(".")[0]
'Compute the metric for one explainer'
"""

from __future__ import annotations

from typing import Any

from .._registry import metric_of, metrics_of
from ._classes import class_name, class_of
from ._metric import Metric


def by_name(name: str) -> type[Metric]:
    """Return the class of a metric.

    Parameters
    ----------
    name : str
        Name of the metric, as in tables or on the command line.

    Returns
    -------
    type
        A class of this module.

    Raises
    ------
    ValueError
        For a name that no metric has, and for a metric with a function of its own.

    Examples
    --------
    >>> by_name("mu_fidelity").__name__, by_name("average-drop").__name__
    ('MuFidelity', 'AverageDrop')
    """
    info = metric_of("attribution", name)
    if info.has_call_of_its_own:
        raise ValueError(f"{info.name}: it has a function of its own, {info.name}()")
    return class_of(info.name)


#: Names of the metrics by class name.
_METRICS = {class_name(info): info.name for info in metrics_of("attribution") if not info.has_call_of_its_own}

__all__ = ["Metric", "by_name", *_METRICS]


def __getattr__(name: str) -> Any:
    if name in _METRICS:
        return class_of(_METRICS[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
