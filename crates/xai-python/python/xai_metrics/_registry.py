"""The metrics of all families by name."""

from __future__ import annotations

import difflib
import textwrap
from functools import cache

from . import _native
from ._described import MetricInfo, metrics_from_native

#: What the native part says of the metrics of each family.
_FAMILIES = {
    "attribution": _native.attribution_metrics,
    "casebased": _native.casebased_metrics,
    "graph": _native.graph_metrics,
    "repro": _native.repro_metrics,
    "reliability": _native.reliability_metrics,
}


#: By a name without what spellings differ in: the metrics that have it, each by what to call it in a message.
_Index = dict[str, dict[str, MetricInfo]]


@cache
def metrics_of(family: str) -> tuple[MetricInfo, ...]:
    """The metrics of a family, in the order of the documentation.

    >>> metrics_of("graph")[0].name
    'pos_fidelity'
    """
    return tuple(metrics_from_native(_FAMILIES[family](), family))


def find(name: str) -> MetricInfo:
    """The description of a metric of any family.

    Parameters
    ----------
    name : str
        Its name, ``mu_fidelity`` or ``mu-fidelity``, or its name in another package, ``PixelFlipping`` or
        ``quantus.PixelFlipping``: the numbers of the two may differ. The family stands before a name that several families
        have: ``repro.krippendorff_alpha``.

    Returns
    -------
    MetricInfo

    Raises
    ------
    ValueError
        For a name that no metric has, with the near ones of all families, and for a name that several have.

    Examples
    --------
    >>> from xai_metrics import find
    >>> find("kendall-w").family, find("lds").name, find("quantus.PixelFlipping").name
    ('reliability', 'linear_datamodeling_score', 'deletion')
    >>> find("kendal_w")
    Traceback (most recent call last):
    ValueError: metric: got 'kendal_w', did you mean reliability.kendall_w?
    """
    own, elsewhere = _metrics_by_name()
    known = own.get(_folded(name)) or elsewhere.get(_folded(name), {})
    if len(known) > 1:
        raise ValueError(f"metric: {name!r} is the name of several: {' or '.join(known)}")
    for info in known.values():
        return info
    near = near_names(name)
    if near:
        raise ValueError(f"metric: got {name!r}, did you mean {' or '.join(near)}?")
    modules = ", ".join(_FAMILIES)
    raise ValueError(f"metric: got {name!r}, expected a name that metric_infos() of a module has: {modules}")


@cache
def metric_of(family: str, name: str) -> MetricInfo:
    """The metric of a family by its own name.

    >>> metric_of("attribution", "PixelFlipping")
    Traceback (most recent call last):
    ValueError: metric: got 'PixelFlipping', did you mean deletion (quantus.PixelFlipping)?
    """
    infos = {info.name: info for info in metrics_of(family)}
    info = infos.get(name.replace("-", "_"))
    if info is not None:
        return info
    near = near_names(name, family)
    if near:
        raise ValueError(f"metric: got {name!r}, did you mean {' or '.join(near)}?")
    raise ValueError(f"metric: got {name!r}, expected one of\n{textwrap.fill(', '.join(infos), 100)}")


def near_names(name: str, family: str | None = None) -> list[str]:
    """What may be meant by a name that a family has not: what has exactly this name, else those with names like it.

    >>> near_names("PixelFlipping", "attribution"), near_names("kendal_w")
    (['deletion (quantus.PixelFlipping)'], ['reliability.kendall_w'])
    """
    own, elsewhere = _metrics_by_name()
    index, folded = {**elsewhere, **own}, _folded(name)
    names = [folded] if folded in index else difflib.get_close_matches(folded, index, cutoff=0.7)
    labels = dict.fromkeys(label for known in names for label in index[known])
    return [label.removeprefix(f"{family}.") for label in labels]


@cache
def _metrics_by_name() -> tuple[_Index, _Index]:
    """The metrics by their own names, and by those of other packages.

    The latter go to the metrics that list them first under ``elsewhere``, and else to the others that list them.
    """
    own: _Index = {}
    first: _Index = {}
    later: _Index = {}
    for info in (info for family in _FAMILIES for info in metrics_of(family)):
        label = f"{info.family}.{info.name}"
        for name in (info.name, label):
            own.setdefault(_folded(name), {})[label] = info
        for place, peer in enumerate(info.elsewhere):
            for name in (peer, peer.rpartition(".")[2]):
                names = later if place else first
                names.setdefault(_folded(name), {})[f"{label} ({peer})"] = info
    return own, {**later, **first}


def _folded(name: str) -> str:
    """A name without what spellings differ in."""
    return "".join(letter for letter in name.lower() if letter.isalnum())
