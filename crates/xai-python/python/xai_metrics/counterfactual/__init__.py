"""Metrics of counterfactual explanations and recourse.

A counterfactual is a changed copy of a query that the model assigns to another class: "had your income been 5,000 higher, the
loan would have been granted". :func:`evaluate` compares methods by several metrics, each with an interval over queries, ranks and
paired tests; every metric is also a function with the name in the documentation.

==========================================================  ========================================
available                                                   function
==========================================================  ========================================
queries and counterfactuals                                 :func:`coverage`, :func:`proximity`,
                                                            :func:`sparsity`, :func:`diversity`,
                                                            :func:`dpp_diversity`,
                                                            :func:`distinct_changes`
predictions                                                 :func:`validity`,
                                                            :func:`target_confidence`
training rows                                               :func:`nearest_distance`, :func:`ynn`,
                                                            :func:`local_outlier_factor`,
                                                            :func:`connectedness`,
                                                            :func:`relative_distance`,
                                                            :func:`neighbor_ratio`,
                                                            :func:`trust_score`,
                                                            :func:`discriminative_power`
constraints of features (:class:`Schema`)                   :func:`constraint_violation`,
                                                            :func:`in_domain`,
                                                            :func:`causal_consistency`, :func:`cost`
the model                                                   :func:`redundancy`
predictions under noise, or by other models                 :func:`noise_invalidation`,
                                                            :func:`model_validity`
another run or method                                       :func:`set_distance`,
                                                            :func:`change_agreement`
reconstructions by autoencoders                             :func:`im1`, :func:`im2`
groups of queries                                           :func:`group_gap`
texts as tokens                                             :func:`edit_distance`
==========================================================  ========================================

If validity is known, only valid counterfactuals count (``rows="valid"``): the distance of a row that fails is no distance of a
counterfactual. Read every mean with the share of queries that have a valid row. A mean is one over queries; ``pooled``, the mean
over rows, is what most other packages report.

Examples
--------
>>> from xai_metrics.counterfactual import sparsity
>>> sparsity([[0, 0], [1, 1]], [[0, 3], [4, 3]], [0, 0]).per_counterfactual
array([0.5, 1. ])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._described import MetricInfo
from ._evaluate import CounterfactualTable, evaluate
from ._functions import edit_distance, function_of, group_gap, metric_infos
from ._readers import from_alibi, from_carla, from_dice
from ._schema import Feature, Schema
from ._values import CounterfactualValue, CoverageValue, EditDistances, GroupGap

__all__ = [
    "CounterfactualTable",
    "CounterfactualValue",
    "CoverageValue",
    "EditDistances",
    "Feature",
    "GroupGap",
    "MetricInfo",
    "Schema",
    "edit_distance",
    "evaluate",
    "from_alibi",
    "from_carla",
    "from_dice",
    "group_gap",
    "metric_infos",
]

if TYPE_CHECKING:
    from . import _metrics
    from ._metrics import *

    __all__ += _metrics.__all__
else:
    __all__ += [info.name for info in metric_infos() if info.name not in __all__]

    def __getattr__(name):
        if name in __all__:
            # Made when it is asked for: their documentation takes longer than the rest of an import.
            return globals().setdefault(name, function_of(name, __name__))
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *__all__})
