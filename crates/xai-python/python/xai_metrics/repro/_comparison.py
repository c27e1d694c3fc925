"""Comparison of two groups of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from .. import _arrays, _native
from .._alignment import Alignment
from .._arguments import threads
from .._described import described
from .._display import Display
from .._results import Result, Table
from .._statistics import Summary
from ._inputs import coded, runs_of, stacked
from ._metrics import chosen

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._types import CompareGroupsParameters, PairMetricName


@dataclass(frozen=True, repr=False)
class GroupDifference(Result):
    """Difference between two groups of runs in one metric.

    Attributes
    ----------
    metric : str
        Name of the metric.
    first, second : Summary
        Distribution over the pairs within each group.
    difference : float or None
        Mean of the first group minus that of the second.
    p_value : float or None
        Probability of a difference at least this large by chance alone, in (0, 1].
    n_assignments : int
        Number of assignments of runs to groups that were evaluated.
    exact : bool
        Whether these were all possible assignments.
    """

    metric: str
    first: Summary
    second: Summary
    difference: float | None
    p_value: float | None
    n_assignments: int
    exact: bool

    def _display(self) -> Display:
        rows = [
            ("first group", self.first.mean),
            ("second group", self.second.mean),
            ("difference", self.difference),
            ("p", self.p_value),
        ]
        return Display(f"Means of {self.metric} over the pairs within two groups of runs", rows=rows, notes=_test_notes(self))


def _test_notes(difference: GroupDifference) -> list[str]:
    """Return how the p-value was computed as notes below a table."""
    kind = "all" if difference.exact else "random"
    return [f"p: permutation test over runs, {difference.n_assignments} assignments to groups ({kind})"]


class GroupComparison(Table, Sequence[GroupDifference]):
    """Differences between two groups of runs, one per metric, computed by :func:`compare_groups`.
    """

    def __init__(self, differences: Sequence[GroupDifference]) -> None:
        self._differences = tuple(differences)

    @overload
    def __getitem__(self, key: PairMetricName | str | int) -> GroupDifference: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[GroupDifference, ...]: ...
    def __getitem__(self, key: str | int | slice) -> GroupDifference | tuple[GroupDifference, ...]:
        """Return a difference by index, or by the name of a metric."""
        if isinstance(key, str):
            for difference in self._differences:
                if difference.metric == key:
                    return difference
            raise KeyError(key)
        return self._differences[key]

    def __len__(self) -> int:
        return len(self._differences)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return each difference as a dictionary, by metric.

        Returns
        -------
        dict of str to dict
            Fields by metric.
        """
        return {difference.metric: difference.to_dict() for difference in self._differences}

    def columns(self) -> dict[str, Any]:
        """Return the differences as columns, with one row per metric.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        rows = self._differences
        return {
            "metric": [row.metric for row in rows],
            "first": [row.first.mean for row in rows],
            "second": [row.second.mean for row in rows],
            "difference": [row.difference for row in rows],
            "p_value": [row.p_value for row in rows],
            "n_assignments": [row.n_assignments for row in rows],
            "exact": [row.exact for row in rows],
        }

    def _display(self) -> Display:
        rows = [
            (row.metric, row.first.mean, row.second.mean, row.difference, row.p_value, row.first.n_undefined + row.second.n_undefined)
            for row in self._differences
        ]
        header = ("metric", "first", "second", "difference", "p", "undefined")
        notes = _test_notes(self._differences[0]) if self._differences else []
        return Display("Means over the pairs within two groups of runs", header, rows, notes)


@described("repro.compare_groups")
def compare_groups(
    first: Any,
    second: Any,
    labels: Any,
    *,
    metrics: PairMetricName | str | Sequence[PairMetricName | str] | None = None,
    n_jobs: int | None = None,
    **parameters: Unpack[CompareGroupsParameters],
) -> GroupComparison:
    """Compare two groups of runs on the same samples with a permutation test over runs.

    Parameters
    ----------
    first, second : array_like or table or sequence of arrays
        Labels ``(n_runs, n_samples)`` of two methods, two schedules, two machines; at least two
        runs each.
    labels : array_like
        The true labels, ``(n_samples,)``.
    metrics : str or sequence of str, optional
        See :func:`pairwise`.
    {parameters}
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    GroupComparison
        One :class:`GroupDifference` per metric.

    Raises
    ------
    ValueError
        For fewer than two runs in a group, runs and labels of different lengths, and unknown
        metrics.

    Examples
    --------
    >>> import numpy as np
    >>> from xai_metrics.repro import compare_groups
    >>> labels = np.zeros(8, dtype=int)
    >>> steady = np.zeros((3, 8), dtype=int); steady[:, :2] = 1
    >>> random = np.eye(3, 8, k=3, dtype=int) + np.eye(3, 8, dtype=int)
    >>> difference = compare_groups(steady, random, labels)["ec_local"]
    >>> difference.first.mean, difference.second.mean, difference.exact
    (1.0, 0.0, True)
    """
    names = chosen(metrics)
    alignment = Alignment()
    labels = alignment.take(labels, "labels", "samples")
    groups = [stacked(runs_of(value, name, alignment), name) for name, value in (("first", first), ("second", second))]
    if groups[0].shape[1] != groups[1].shape[1]:
        raise ValueError(
            f"second: runs of {groups[1].shape[1]} samples, those of first have "
            f"{groups[0].shape[1]}"
        )
    n_first = len(groups[0])
    both, truth, _ = coded([*groups[0], *groups[1]], _arrays.to_numpy(labels, "labels"))
    runs = stacked(both)
    differences = _native.repro_compare(
        runs[:n_first], runs[n_first:], truth, list(names), parameters, threads(n_jobs)
    )
    return GroupComparison(
        [
            GroupDifference(
                **{
                    **fields,
                    "first": Summary(**fields["first"]),
                    "second": Summary(**fields["second"]),
                }
            )
            for fields in differences
        ]
    )

