"""Names of the metrics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from .._arguments import check_distinct, names_in
from .._described import MetricInfo
from .._registry import metrics_of, near_names


def metric_infos() -> list[MetricInfo]:
    """Return the descriptions of all metrics of reproducibility.

    Returns
    -------
    list of MetricInfo
        Metrics of pairs of runs (``kind`` is ``pair``), of all runs at once (``all runs``), and of
        runs that predict numbers (``regression``).

    Examples
    --------
    >>> from xai_metrics.repro import metric_infos
    >>> {info.name: info.direction for info in metric_infos()}["ec_local"]
    'higher'
    """
    return list(metrics_of("repro"))


@cache
def names_of(kind: str) -> tuple[str, ...]:
    """Return the names of the metrics of a kind, in the order of reports."""
    return tuple(info.name for info in metrics_of("repro") if info.kind == kind)


@cache
def without_labels() -> tuple[str, ...]:
    """Return the metrics of pairs that need no true labels."""
    pairs = (info for info in metrics_of("repro") if info.kind == "pair")
    return tuple(info.name for info in pairs if "labels" not in info.needs)


def chosen(
    selected: str | Sequence[str] | None, kind: str = "pair", *, has_labels: bool = True
) -> tuple[str, ...]:
    """Validate requested metric names; by default all of the kind that can be computed."""
    if selected is None:
        return names_of(kind) if has_labels else without_labels()
    names = tuple(names_in(selected))
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"metrics: expected names, got {type(name).__name__}")
    names = tuple(name.replace("-", "_") for name in names)
    check_distinct(list(names))
    for name in names:
        if name not in names_of(kind):
            near = [known for known in near_names(name, "repro") if known.partition(" ")[0] in names_of(kind)]
            meant = f"did you mean {' or '.join(near)}? There are" if near else "expected some of"
            raise ValueError(f"metrics: got {name!r}, {meant} {', '.join(names_of(kind))}")
    if not has_labels:
        for name in names:
            if name in names_of("pair") and name not in without_labels():
                raise ValueError(f"metrics: {name} compares errors, which needs labels")
    return names
