"""Results of the metrics of training-data attribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ..._display import Display, Estimate, count
from ..._results import Result
from ..._statistics import Interval, interval_of

if TYPE_CHECKING:
    import numpy.typing as npt


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


@dataclass(frozen=True, eq=False, repr=False)
class AttributionValue(Result):
    """Value of a metric for all test cases and for each one; ``float()`` returns the mean.

    Attributes
    ----------
    value : float or None
        The mean over the test cases that have a value.
    per_sample : numpy.ndarray of shape (n_test,)
        One per test case; NaN where the metric is undefined, and where the test case does not count.
    n_undefined : int
        How many test cases have no value.
    """

    value: float | None
    per_sample: npt.NDArray[np.float64]
    n_undefined: int

    def __float__(self) -> float:
        return _number(self.value)

    def columns(self) -> dict[str, Any]:
        """Return test cases and their values as columns.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        return {"test_case": list(range(len(self.per_sample))), "value": self.per_sample.tolist()}

    def _display(self) -> Display:
        undefined = f", {self.n_undefined} of them undefined" if self.n_undefined else ""
        return Display(f"{Estimate(self.value)} over {count(len(self.per_sample), 'test case')}{undefined}")


@dataclass(frozen=True, repr=False)
class Cardinality(Result):
    """Number of different training cases that the explanations show.

    Attributes
    ----------
    value : float or None
        Share of different cases among all that are shown.
    unique : int
        Number of different cases.
    scaled : float or None
        0 if all explanations show the same cases, 1 if they show as many different ones as
        possible. ``None`` if these are the same number.
    """

    value: float | None
    unique: int
    scaled: float | None

    def __float__(self) -> float:
        return _number(self.value)


@dataclass(frozen=True, eq=False, repr=False)
class Mislabeling(Result):
    """Ranking quality of flagged (for example mislabeled) cases.

    Attributes
    ----------
    auroc : float or None
        Probability that a flagged case has a higher score than an unflagged one; ``None`` if no or
        every case is flagged.
    interval : Interval or None
        95 % interval of the AUROC (DeLong), which assumes independent cases.
    area : float or None
        Area under ``curve``, in [M/2n, 1 - M/2n] for M of n flagged cases; ``None`` if no case is
        flagged.
    curve : numpy.ndarray of shape (n_train + 1,) or None
        Share of the flagged cases that is found after 0, 1, …, n inspected cases.
    n_flagged : int
        Number of flagged cases.
    """

    auroc: float | None
    interval: Interval | None
    area: float | None
    curve: npt.NDArray[np.float64] | None
    n_flagged: int

    @property
    def value(self) -> float | None:
        """AUROC."""
        return self.auroc

    def _display(self) -> Display:
        rows = [("AUROC", Estimate(self.auroc, self.interval)), ("area under the curve", self.area)]
        notes = [f"{count(self.n_flagged, 'flagged case')}; intervals of 95 % assume independent cases"]
        return Display("Ranking of flagged cases", rows=rows, notes=notes)

    def __float__(self) -> float:
        return _number(self.auroc)


@dataclass(frozen=True, eq=False, repr=False)
class Brittleness(Result):
    """Number of top cases that predictions depend on.

    Attributes
    ----------
    ks : numpy.ndarray of shape (n_ks,)
        Numbers of removed top cases.
    first_k : numpy.ndarray of shape (n_test,)
        Smallest number whose removal changes each prediction; NaN if none does.
    curve : numpy.ndarray of shape (n_ks,)
        Share of predictions that differ at each number.
    share_flipped : float or None
        Share of predictions that change at any number.
    median_k : float or None
        Median of ``first_k``, where predictions that never change count as infinite; ``None`` if
        the median is infinite.
    n_undefined : int
        Number of predictions that never change.
    """

    ks: npt.NDArray[np.int64]
    first_k: npt.NDArray[np.float64]
    curve: npt.NDArray[np.float64]
    share_flipped: float | None
    median_k: float | None
    n_undefined: int

    @property
    def value(self) -> float | None:
        """Median of ``first_k``."""
        return self.median_k

    def _display(self) -> Display:
        rows = [(str(k), share) for k, share in zip(self.ks.tolist(), self.curve.tolist())]
        median = "more than are removed" if self.median_k is None else f"{self.median_k:g}"
        notes = [f"median number of removed cases that changes a prediction: {median}"]
        if self.n_undefined:
            notes.append(f"{count(self.n_undefined, 'prediction')} of {len(self.first_k)} never changed")
        return Display("Predictions that change without the top cases", ("removed cases", "changed"), rows, notes)

    @property
    def per_sample(self) -> npt.NDArray[np.float64]:
        """``first_k`` of each test case."""
        return self.first_k

    def __float__(self) -> float:
        return _number(self.median_k)


Outcome = Union[AttributionValue, Cardinality, Mislabeling, Brittleness]


def outcome_of(fields: Mapping[str, Any]) -> Outcome:
    """Create the result object for the fields of a native result."""
    kinds = (AttributionValue, Cardinality, Mislabeling, Brittleness)
    kind = next(kind for kind in kinds if fields.keys() == kind.__dataclass_fields__.keys())
    return kind(**{name: _array(value) for name, value in fields.items()})


def _array(value: Any) -> Any:
    if isinstance(value, dict):
        return interval_of(value)
    if not isinstance(value, list):
        return value
    if all(isinstance(item, int) for item in value) and value:
        return np.asarray(value, dtype=np.int64)
    # None is NaN.
    return np.asarray(value, dtype=np.float64)
