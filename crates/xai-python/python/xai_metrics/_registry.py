"""Registry of the metrics of all families."""

from __future__ import annotations

import textwrap
from functools import cache

from . import _native
from ._described import MetricInfo, metric_from_native


@cache
def _metrics() -> tuple[MetricInfo, ...]:
    """Return the metrics of all families, in the order of the documentation."""
    return tuple(map(metric_from_native, _native.metrics()))


@cache
def metrics_of(family: str) -> tuple[MetricInfo, ...]:
    """Return the metrics of a family, in the order of the documentation.

    Examples
    --------
    >>> metrics_of("graph")[0].name
    'pos_fidelity'
    """
    return tuple(info for info in _metrics() if info.family == family)


def find(name: str) -> MetricInfo:
    """Return the description of a metric of any family.

    Parameters
    ----------
    name : str
        Name of the metric, ``mu_fidelity`` or ``mu-fidelity``, or its name in another package,
        ``PixelFlipping`` or ``quantus.PixelFlipping`` (whose values may differ). A name that
        several families have needs the family as a prefix: ``repro.krippendorff_alpha``.

    Returns
    -------
    MetricInfo
        Description of the metric.

    Raises
    ------
    ValueError
        If no metric has the name (the message suggests similar ones), or if several metrics have
        it.

    Examples
    --------
    >>> from xai_metrics import find
    >>> find("kendall-w").family, find("lds").name, find("quantus.PixelFlipping").name
    ('reliability', 'linear_datamodeling_score', 'deletion')
    >>> find("kendal_w")
    Traceback (most recent call last):
    ValueError: metric: got 'kendal_w', did you mean reliability.kendall_w?
    """
    are_exact, candidates = _native.metrics_named(name)
    if not are_exact:
        families = ", ".join(dict.fromkeys(info.family for info in _metrics()))
        expected = f"expected a name that metric_infos() of a module has: {families}"
        raise _unknown(name, near_names(name), expected)
    if len(candidates) > 1:
        raise ValueError(f"metric: {name!r} is the name of several: {' or '.join(near_names(name))}")
    family, own_name, _ = candidates[0]
    return metric_of(family, own_name)


@cache
def metric_of(family: str, name: str, unlisted: tuple[str, ...] = ()) -> MetricInfo:
    """Return the metric of a family by its own name.

    The message for an unknown name does not list ``unlisted`` metrics.

    Examples
    --------
    >>> metric_of("attribution", "PixelFlipping")
    Traceback (most recent call last):
    ValueError: metric: got 'PixelFlipping', did you mean deletion (quantus.PixelFlipping)?
    """
    infos = {info.name: info for info in metrics_of(family)}
    info = infos.get(name.replace("-", "_"))
    if info is not None:
        return info
    listed = ", ".join(known for known in infos if known not in unlisted)
    raise _unknown(name, near_names(name, family), f"expected one of\n{textwrap.fill(listed, 100)}")


def near_names(name: str, family: str | None = None) -> list[str]:
    """Return the metrics with exactly this name, otherwise those with similar names.

    Names of metrics of ``family`` have no prefix.

    Examples
    --------
    >>> near_names("PixelFlipping", "attribution"), near_names("kendal_w")
    (['deletion (quantus.PixelFlipping)'], ['reliability.kendall_w'])
    """
    _, candidates = _native.metrics_named(name)
    labels = [(f"{module}.{own}", peer) for module, own, peer in candidates]
    return [label.removeprefix(f"{family}.") + (f" ({peer})" if peer else "") for label, peer in labels]


def _unknown(name: str, near: list[str], expected: str) -> ValueError:
    return ValueError(f"metric: got {name!r}, " + (f"did you mean {' or '.join(near)}?" if near else expected))
