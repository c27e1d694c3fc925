"""Comparison of two groups of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from .. import _arrays, _native
from .._alignment import Alignment
from .._arguments import looked_up, threads
from .._described import described
from .._display import Display
from .._results import Result, Table
from .._statistics import Summary
from . import _plots
from ._inputs import coded_parts, keys_of_runs, named_runs, runs_of, stacked
from ._metrics import chosen
from ._regression import numbers_of_runs

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._types import CompareGroupsParameters, PairMetricName, RegressionMetricName


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
    def __getitem__(self, key: PairMetricName | RegressionMetricName | str | int) -> GroupDifference: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[GroupDifference, ...]: ...
    def __getitem__(self, key: str | int | slice) -> GroupDifference | tuple[GroupDifference, ...]:
        """Return a difference by index, or by the name of a metric.

        Raises
        ------
        KeyError
            For a metric that was not compared; the message lists the metrics.
        """
        if isinstance(key, str):
            return looked_up({difference.metric: difference for difference in self._differences}, key, "metric")
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

    def plot(self, ax: Any = None) -> Any:
        """Plot the means of both groups for each metric with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        means = {side: [getattr(row, side).mean for row in self._differences] for side in ("first", "second")}
        return _plots.groups([row.metric for row in self._differences], means, ax)

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
    labels: Any = None,
    *,
    targets: Any = None,
    metrics: PairMetricName | RegressionMetricName | str | Sequence[PairMetricName | RegressionMetricName | str] | None = None,
    n_jobs: int | None = None,
    **parameters: Unpack[CompareGroupsParameters],
) -> GroupComparison:
    """Compare two groups of runs on the same samples with a permutation test over runs.

    Parameters
    ----------
    first, second : array_like or table or sequence or mapping of arrays
        Labels or numbers ``(n_runs, n_samples)`` predicted by two methods, two schedules, two machines;
        at least two runs each.
    labels : array_like, optional
        The true labels, ``(n_samples,)``, of runs that predict classes.
    targets : array_like, optional
        The true numbers, ``(n_samples,)``, of runs that predict numbers, instead of ``labels``.
    metrics : str or sequence of str, optional
        See :func:`pairwise`, with ``targets`` :func:`regression`; all by default.
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
        For fewer than two runs in a group, runs and labels of different lengths, unknown metrics, and
        both or none of ``labels`` and ``targets``.

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

    Runs that predict numbers:

    >>> steady, noisy = np.zeros((3, 8)), np.eye(3, 8)
    >>> compare_groups(steady, noisy, targets=np.zeros(8), metrics="mae")["mae"].second.mean
    0.25
    """
    if labels is None and targets is None:
        raise ValueError("labels: expected the true labels of predicted classes, or targets=… of predicted numbers")
    if labels is not None and targets is not None:
        raise ValueError(
            "labels: expected None with targets; give labels of predicted classes, or targets of predicted numbers"
        )
    if targets is not None:
        differences = _regressions(first, second, targets, metrics, parameters, threads(n_jobs))
    else:
        differences = _classes(first, second, labels, metrics, parameters, threads(n_jobs))
    return GroupComparison([_difference_from_native(fields) for fields in differences])


def _classes(
    first: Any, second: Any, labels: Any, metrics: Any, parameters: CompareGroupsParameters, n_jobs: int | None
) -> list[dict[str, Any]]:
    names = chosen(metrics)
    alignment = Alignment()
    labels = alignment.take(labels, "labels", "samples")
    groups = [_named_group(value, name, alignment) for name, value in (("first", first), ("second", second))]
    sizes = [len(next(iter(group.values()))) for group in groups]
    if sizes[0] != sizes[1]:
        raise ValueError(f"second: runs of {sizes[1]} samples, those of first have {sizes[0]}")
    n_first = len(groups[0])
    truth = _arrays.classes(labels, "labels")
    if len(truth) != sizes[0]:
        raise ValueError(f"labels: expected {sizes[0]}, one per sample, got {len(truth)}")
    # Stacked as codes: an array of numbers and words would be one of words.
    both, truth, _ = coded_parts(groups[0] | groups[1], truth)
    runs = stacked(both)
    differences: list[dict[str, Any]] = _native.repro_compare(
        runs[:n_first], runs[n_first:], truth, list(names), parameters, n_jobs
    )
    return differences


def _named_group(value: Any, name: str, alignment: Alignment) -> dict[str, Any]:
    """Return the runs of a group by their names in error messages."""
    runs = runs_of(value, name, alignment)
    if not len(runs):
        raise ValueError(f"{name}: no runs")
    return named_runs(runs, keys_of_runs(value, len(runs)), name)


def _regressions(
    first: Any, second: Any, targets: Any, metrics: Any, parameters: CompareGroupsParameters, n_jobs: int | None
) -> list[dict[str, Any]]:
    if "empty_union" in parameters:
        raise TypeError("empty_union: only for predicted classes, not with targets")
    wanted = chosen(metrics, "regression")
    alignment = Alignment()
    truth = _arrays.reals(alignment.take(targets, "targets", "samples"), "targets", ndim=1)
    groups = [numbers_of_runs(value, name, alignment) for name, value in (("first", first), ("second", second))]
    first, second = (group.astype(np.result_type(*groups), copy=False) for group in groups)
    differences = _native.repro_compare_regression(first, second, truth, parameters, n_jobs)
    by_name = {fields["metric"]: fields for fields in differences}
    return [by_name[name] for name in wanted]


def _difference_from_native(fields: dict[str, Any]) -> GroupDifference:
    summaries = {side: Summary(**fields[side]) for side in ("first", "second")}
    return GroupDifference(**{**fields, **summaries})
