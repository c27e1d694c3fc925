"""Results of the metrics of counterfactuals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._display import Display, Estimate, count
from .._results import Result

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, eq=False, repr=False)
class CounterfactualValue(Result):
    """Value of a metric for all queries, for each one and for each counterfactual; ``float()`` returns the value.

    Attributes
    ----------
    value : float or None
        Mean over the queries that have a value.
    pooled : float or None
        Mean over the counterfactuals that have a value, which other packages report: it weighs a query by the number of its
        counterfactuals. ``None`` for metrics of sets of counterfactuals.
    per_query : numpy.ndarray of shape (n,)
        Value of each query; NaN if it is undefined, or if no counterfactual of the query counts.
    per_counterfactual : numpy.ndarray of shape (N,) or None
        Value of each counterfactual; ``None`` for metrics of sets of counterfactuals.
    n_undefined : int
        Number of queries without a value.
    """

    value: float | None
    pooled: float | None
    per_query: npt.NDArray[np.float64]
    per_counterfactual: npt.NDArray[np.float64] | None
    n_undefined: int

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value

    def columns(self) -> dict[str, Any]:
        """Return queries and their values as columns.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        return {"query": list(range(len(self.per_query))), "value": self.per_query.tolist()}

    def _display(self) -> Display:
        undefined = f", {self.n_undefined} of them undefined" if self.n_undefined else ""
        notes = [] if self.pooled is None else [f"mean over all counterfactuals: {self.pooled:.4g}"]
        return Display(f"{Estimate(self.value)} over {_queries(len(self.per_query))}{undefined}", notes=notes)


@dataclass(frozen=True, eq=False, repr=False)
class CoverageValue(CounterfactualValue):
    """Coverage with all its scores.

    Attributes
    ----------
    success : float or None
        Share of the queries with a valid counterfactual; ``None`` if validity is not known.
    fill : float or None
        Mean share of the requested counterfactuals; ``None`` if their number is not known.
    counts : numpy.ndarray of shape (n,)
        Number of counterfactuals of each query.
    """

    success: float | None
    fill: float | None
    counts: npt.NDArray[np.int64]

    def _display(self) -> Display:
        rows = [
            ("queries with a counterfactual", self.value),
            ("queries with a valid counterfactual", self.success),
            ("counterfactuals per requested one", self.fill),
        ]
        notes = [f"{count(int(self.counts.sum()), 'counterfactual')} of {_queries(len(self.counts))}"]
        return Display("Coverage", rows=[(name, value) for name, value in rows if value is not None], notes=notes)


@dataclass(frozen=True, repr=False)
class GroupGap(Result):
    """Means of groups, and how far they are apart.

    Attributes
    ----------
    means : dict
        Mean of each group; ``None`` if none of its values is defined.
    gap : float or None
        Largest mean minus the smallest; ``None`` for fewer than two means.
    ratio : float or None
        Smallest mean divided by the largest; ``None`` for fewer than two means, a negative one, or a largest of 0.
    """

    means: dict[Any, float | None]
    gap: float | None
    ratio: float | None

    def _display(self) -> Display:
        rows = [(str(group), mean) for group, mean in self.means.items()]
        notes = [f"largest minus smallest: {Estimate(self.gap)}, smallest divided by largest: {Estimate(self.ratio)}"]
        return Display("Means of groups", ("group", "mean"), rows, notes)


@dataclass(frozen=True, eq=False, repr=False)
class EditDistances(Result):
    """Edits from texts to their counterfactuals.

    Attributes
    ----------
    counts : numpy.ndarray of shape (n,)
        Number of insertions, deletions and replacements of each text.
    per_query : numpy.ndarray of shape (n,)
        Number relative to the longer text.
    value : float or None
        Mean of ``per_query``.
    """

    counts: npt.NDArray[np.int64]
    per_query: npt.NDArray[np.float64]
    value: float | None

    def _display(self) -> Display:
        edits = count(int(self.counts.sum()), "edit")
        title = f"{Estimate(self.value)} edits relative to the longer text, {edits} of {count(len(self.counts), 'pair')} of texts"
        return Display(title)


def _queries(n: int) -> str:
    return f"{n} quer{'y' if n == 1 else 'ies'}"


def value_of(outcome: Mapping[str, Any], kept: npt.NDArray[np.bool_]) -> CounterfactualValue:
    """Create the result of a metric; ``kept`` are the rows of counterfactuals that exist."""
    fields = dict(outcome["values"])
    fields["per_query"] = _array(fields["per_query"])
    if fields["per_counterfactual"] is not None:
        values = np.full(len(kept), np.nan)
        values[kept] = _array(fields["per_counterfactual"])
        fields["per_counterfactual"] = values
    coverage = outcome["coverage"]
    if coverage is None:
        return CounterfactualValue(**fields)
    counts = np.asarray(coverage["counts"], np.int64)
    return CoverageValue(**fields, success=coverage["success"], fill=coverage["fill"], counts=counts)


def _array(values: list[float | None]) -> npt.NDArray[np.float64]:
    # None is NaN.
    return np.asarray(values, np.float64)
