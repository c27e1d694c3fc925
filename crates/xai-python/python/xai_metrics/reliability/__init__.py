"""Meta-evaluation: can a metric be trusted on this data?

All functions take tables of values of any metric, from this or another package: ``(n_explainers,
n_samples)``, with NaN (or ``None``) where a metric is undefined.

=========================================  =====================================================
you have                                   use
=========================================  =====================================================
the values                                 :func:`kendall_w`, :func:`krippendorff_alpha`: do
                                           samples agree? :func:`rank_stability`: would other
                                           samples? :func:`inter_method_reliability`
those of two metrics                       :func:`internal_consistency_reliability`
those under several settings               :func:`parameter_sensitivity`
those after inputs or the model were       :func:`intra_consistency`, :func:`inter_consistency`,
perturbed                                  :func:`meta_consistency`
a table of :func:`.evaluate`               :meth:`.EvaluationTable.reliability`: a row per metric
=========================================  =====================================================

Limits: a metric that samples agree on may still measure the wrong thing on all of them, and if
explainers are alike, no metric can rank them reliably.
"""

from .._described import MetricInfo
from .._registry import metrics_of
from ._agreement import (
    InterMethodReliability,
    InternalConsistencyReliability,
    KendallW,
    KrippendorffAlpha,
    inter_method_reliability,
    internal_consistency_reliability,
    kendall_w,
    krippendorff_alpha,
)
from ._perturbed import (
    InterConsistency,
    IntraConsistency,
    MetaConsistency,
    inter_consistency,
    intra_consistency,
    intra_consistency_effect,
    meta_consistency,
)
from ._rankings import (
    ParameterSensitivity,
    RankStability,
    parameter_sensitivity,
    rank_stability,
)

__all__ = [
    "InterConsistency",
    "InterMethodReliability",
    "InternalConsistencyReliability",
    "IntraConsistency",
    "KendallW",
    "KrippendorffAlpha",
    "MetaConsistency",
    "MetricInfo",
    "ParameterSensitivity",
    "RankStability",
    "inter_consistency",
    "inter_method_reliability",
    "internal_consistency_reliability",
    "intra_consistency",
    "intra_consistency_effect",
    "kendall_w",
    "krippendorff_alpha",
    "meta_consistency",
    "metric_infos",
    "parameter_sensitivity",
    "rank_stability",
]


def metric_infos() -> list[MetricInfo]:
    """Return the descriptions of all metrics of metrics.

    Returns
    -------
    list of MetricInfo
        Descriptions, in the order of the documentation; functions with several results have one
        entry per result.

    Examples
    --------
    >>> from xai_metrics.reliability import metric_infos
    >>> {info.name: info.range for info in metric_infos()}["kendall_w"]
    '[0, 1]'
    """
    return list(metrics_of("reliability"))
