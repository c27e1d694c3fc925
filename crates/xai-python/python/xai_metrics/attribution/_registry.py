"""What the registry knows about the metrics."""

from __future__ import annotations

import difflib
import textwrap
from functools import cache
from typing import Literal

from .. import _native
from .._described import MetricInfo, metrics_from_native


@cache
def _infos() -> dict[str, MetricInfo]:
    return {info.name: info for info in metrics_from_native(_native.attribution_metrics())}


def named(package: str, theirs: str) -> MetricInfo:
    """The metric that another package has under a name.

    >>> named("quantus", "PixelFlipping").name
    'deletion'
    """
    return next(info for info in _infos().values() if f"{package}.{theirs}" in info.elsewhere)


def meant_by(theirs: str) -> str | None:
    """Our name of the metric that another package has under a name, and which it is.

    >>> meant_by("PixelFlipping")
    'deletion (PixelFlipping of quantus)'
    """
    return _meant_by_names().get(_folded(theirs))


@cache
def _meant_by_names() -> dict[str, str]:
    """Our name of a metric by every name that is known, ours and those of other packages."""
    meant: dict[str, str] = {}
    for info in _infos().values():
        for peer in info.elsewhere:
            package, _, theirs = peer.partition(".")
            meant.setdefault(_folded(theirs), f"{info.name} ({theirs} of {package})")
    return {**meant, **{_folded(ours): ours for ours in _infos()}}


def _folded(name: str) -> str:
    """A name without what spellings differ in."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def metric_infos() -> list[MetricInfo]:
    """Return all metrics of attribution maps and explainers, in the order of the documentation.

    Returns
    -------
    list of MetricInfo

    Examples
    --------
    >>> [info.name for info in metric_infos()][:3]
    ['average_drop', 'average_increase', 'average_gain']
    """
    return list(_infos().values())


def metric_info(name: str) -> MetricInfo:
    """One metric by its name.

    Parameters
    ----------
    name : str
        ``average_drop`` or ``average-drop``.

    Returns
    -------
    MetricInfo

    Raises
    ------
    ValueError
        For a name that no metric has; it names the near ones.

    Examples
    --------
    >>> metric_info("mu-fidelity").direction
    'higher'
    >>> metric_info("PixelFlipping")
    Traceback (most recent call last):
    ValueError: metric: got 'PixelFlipping', did you mean deletion (PixelFlipping of quantus)?
    """
    infos = _infos()
    info = infos.get(name.replace("-", "_"))
    if info is None:
        meant = _meant_by_names()
        # A name that another package has needs no guess.
        exact = [_folded(name)] if _folded(name) in meant else []
        near = [meant[of] for of in exact or difflib.get_close_matches(_folded(name), meant)]
        if near:
            raise ValueError(f"metric: got {name!r}, did you mean {' or '.join(near)}?")
        known = textwrap.fill(", ".join(infos), 100)
        raise ValueError(f"metric: got {name!r}, expected one of\n{known}")
    return info
