"""Reproducibility: do repeated trainings make the same predictions and the same errors?

``k`` runs of one method predict the same ``n`` samples. :func:`pairwise` computes every metric
for each of the ``k (k - 1) / 2`` pairs of runs; the result contains the distribution over pairs,
its summary, and intervals that account for pairs sharing runs.

===============================  ================================================================
you have                         use
===============================  ================================================================
predicted classes                :func:`pairwise`; :func:`summarize` for thousands of runs
... and want all runs at once    :func:`agreement`, :func:`gwet_ac2`, :func:`error_sets`
... and want it per sample       :func:`sample_consistency`, :func:`votes`
... in blocks or on machines     :class:`PairwiseAccumulator`
... of two groups of runs        :func:`compare_groups`
... many questions about them    :class:`PackedRuns`
predicted numbers                :func:`regression`; :func:`compare_groups` with ``targets``
no runs yet                      :func:`simulate_predictions`, :class:`SimulationStudy`
===============================  ================================================================

Limits: accurate models agree often, so read error consistency together with accuracy; kappa
corrects for the chance agreement of *independent* raters, which runs of one method are not; and
runs can share their mistakes.
"""

from .._described import MetricInfo
from .._statistics import Interval, Summary
from ._accumulator import PairwiseAccumulator, StreamedResult
from ._across import (
    Agreement,
    SampleConsistency,
    agreement,
    agreement_interval,
    gwet_ac2,
    sample_consistency,
    votes,
)
from ._comparison import GroupComparison, GroupDifference, compare_groups
from ._errors import ErrorSets, error_sets
from ._metrics import metric_infos
from ._packed import PackedRuns
from ._pairs import (
    PairwiseResult,
    PairwiseSummaries,
    pairwise,
    summarize,
)
from ._regression import RegressionResult, regression
from ._simulate import (
    CLASS_DISTRIBUTIONS,
    class_distribution,
    simulate_labels,
    simulate_predictions,
)
from ._study import MetricBehavior, SimulationStudy, StudySummary, mean_metrics

__all__ = [
    "CLASS_DISTRIBUTIONS",
    "Agreement",
    "ErrorSets",
    "GroupComparison",
    "GroupDifference",
    "Interval",
    "MetricBehavior",
    "MetricInfo",
    "PackedRuns",
    "PairwiseAccumulator",
    "PairwiseResult",
    "PairwiseSummaries",
    "RegressionResult",
    "SampleConsistency",
    "SimulationStudy",
    "StreamedResult",
    "StudySummary",
    "Summary",
    "agreement",
    "agreement_interval",
    "class_distribution",
    "compare_groups",
    "error_sets",
    "gwet_ac2",
    "mean_metrics",
    "metric_infos",
    "pairwise",
    "regression",
    "sample_consistency",
    "simulate_labels",
    "simulate_predictions",
    "summarize",
    "votes",
]
