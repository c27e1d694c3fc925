"""Intervals and summaries shared by all families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ._display import Record, interval_text
from ._results import Result


@dataclass(frozen=True, repr=False)
class Interval(Record, Result):
    """A range that covers the estimated quantity with a given probability; it unpacks as ``low, high = interval``.

    Attributes
    ----------
    low, high : float
        Its ends. They may lie beyond the range of the metric.
    level : float
        The probability, 0.95 for instance.
    method : str
        How it was made: ``jackknife``, ``bootstrap-bca``, ``wilson``, ...
    n_units : int or None
        The number of units (runs, samples, graphs) it was made of.
    """

    low: float
    high: float
    level: float
    method: str
    n_units: int | None = None

    @property
    def is_small_sample(self) -> bool:
        """True if this is a BCa or Student's t interval of 20 units or fewer, whose actual coverage
        is below ``level``.
        """
        few = self.n_units is not None and self.n_units <= 20
        return self.method in ("bootstrap-bca", "student-t") and few

    def __iter__(self) -> Iterator[float]:
        yield self.low
        yield self.high

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def _in_cell(self) -> str:
        return interval_text(self).strip()


def interval_of(fields: Mapping[str, Any] | None) -> Interval | None:
    """Create an interval from its native description; ``None`` stays ``None``."""
    return None if fields is None else Interval(**fields)


@dataclass(frozen=True, repr=False)
class Summary(Record, Result):
    """Distribution of a set of values; undefined values are excluded and counted.

    Attributes
    ----------
    n_defined, n_undefined : int
        How many values are defined, and how many are not.
    mean, std, min, q25, median, q75, max : float or None
        Of the defined values; the deviation is with ``n - 1``, quantiles are linear. ``None`` where
        there are too few values, or where they were not kept (quantiles).
    """

    n_defined: int
    n_undefined: int
    mean: float | None
    std: float | None
    min: float | None
    q25: float | None
    median: float | None
    q75: float | None
    max: float | None

    def _in_cell(self) -> str:
        return "undefined" if self.mean is None else f"mean {self.mean:.4g}"
