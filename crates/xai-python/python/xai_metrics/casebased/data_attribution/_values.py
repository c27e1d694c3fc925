"""Results of the metrics of training-data attribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ..._results import Result
from ..._statistics import Interval, interval_of

if TYPE_CHECKING:
    import numpy.typing as npt


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


@dataclass(frozen=True, eq=False)
class AttributionValue(Result):
    """A metric's value for all test cases and for each; a number where one is wanted.

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
        """The test cases and their values."""
        return {"test_case": list(range(len(self.per_sample))), "value": self.per_sample.tolist()}


@dataclass(frozen=True)
class Cardinality(Result):
    """How many different training cases the explanations show.

    Attributes
    ----------
    value : float or None
        The share of different cases among all that are shown.
    unique : int
        How many different cases there are.
    scaled : float or None
        From 0, where all explanations show the same cases, to 1, where they show as many as they can.
        ``None`` where these are one.
    """

    value: float | None
    unique: int
    scaled: float | None

    def __float__(self) -> float:
        return _number(self.value)


@dataclass(frozen=True, eq=False)
class Mislabeling(Result):
    """How early flagged cases come.

    Attributes
    ----------
    auroc : float or None
        The chance that a flagged case has a higher score than another; ``None`` where nobody or everybody
        is flagged.
    interval : Interval or None
        Of the AUROC, covers 95 % (DeLong); it takes the cases for independent.
    area : float or None
        The area under the curve, in [M/2n, 1 - M/2n] for M of n flagged; ``None`` where nobody is.
    curve : numpy.ndarray of shape (n_train + 1,) or None
        The share of the flagged that is found after 0, 1, …, n inspected cases.
    n_flagged : int
        How many cases are flagged.
    """

    auroc: float | None
    interval: Interval | None
    area: float | None
    curve: npt.NDArray[np.float64] | None
    n_flagged: int

    @property
    def value(self) -> float | None:
        """The AUROC."""
        return self.auroc

    def __float__(self) -> float:
        return _number(self.auroc)


@dataclass(frozen=True, eq=False)
class Brittleness(Result):
    """How many top cases the predictions hang on.

    Attributes
    ----------
    ks : numpy.ndarray of shape (n_ks,)
        The numbers of top cases.
    first_k : numpy.ndarray of shape (n_test,)
        The least of them without which each prediction changes; NaN where it never does.
    curve : numpy.ndarray of shape (n_ks,)
        The share of predictions that differ at each number.
    share_flipped : float or None
        The share of predictions that change at all.
    median_k : float or None
        The median of ``first_k``, where never is more than any number; ``None`` where it is never.
    n_undefined : int
        How many predictions never change.
    """

    ks: npt.NDArray[np.int64]
    first_k: npt.NDArray[np.float64]
    curve: npt.NDArray[np.float64]
    share_flipped: float | None
    median_k: float | None
    n_undefined: int

    @property
    def value(self) -> float | None:
        """The median of the first numbers."""
        return self.median_k

    @property
    def per_sample(self) -> npt.NDArray[np.float64]:
        """The first number of each test case."""
        return self.first_k

    def __float__(self) -> float:
        return _number(self.median_k)


Outcome = Union[AttributionValue, Cardinality, Mislabeling, Brittleness]


def outcome_of(fields: Mapping[str, Any]) -> Outcome:
    """The result of which the native part has told the fields."""
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
