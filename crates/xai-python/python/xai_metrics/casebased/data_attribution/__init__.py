"""Metrics of training-data attribution: explanations by training cases.

Training-data attribution estimates how much each training case raised the output for each test
case: by influence functions, gradients, representations, or neighbours. The attributions are an
array of shape ``(n_test, n_train)``, positive if the case raised the output; flip the sign of
attributions of a *loss* first. Each metric is a function with the name in the documentation, and
:func:`compare` computes several metrics for several explainers, reading each explainer once.

==========================================================  ========================================
available                                                   function
==========================================================  ========================================
models trained on subsets                                   :func:`linear_datamodeling_score`
models trained without single cases, or the top ones        :func:`leave_one_out_correlation`,
                                                            :func:`brittleness`
one training step after the training                        :func:`tail_patch`
classes, or finer ones                                      :func:`class_detection`,
                                                            :func:`subclass_detection`,
                                                            :func:`class_auroc`, :func:`class_recall`
labels that were flipped, a shortcut, other data put in     :func:`mislabeling_detection`,
                                                            :func:`shortcut_detection`,
                                                            :func:`mixed_datasets`
training cases that are known to be relevant                :func:`mean_reciprocal_rank`,
                                                            :func:`hit_at_k`, :func:`recall_at_k`
the same explainer for a model with random weights          :func:`attribution_randomization`
nothing else                                                :func:`top_k_cardinality`
==========================================================  ========================================

The metrics of the first two rows measure whether attributions predict the effect of training;
they need many trainings. The others check for something that good attributions should find: an
explainer that finds it need not be faithful.

Attributions are arrays, also ``np.memmap``, or :class:`AttributionRows`, read block by block. In
a truncated ranking (the top ``k``), ties go to the lower case; in rank statistics, tied
attributions share their mean rank.

Examples
--------
>>> from xai_metrics.casebased.data_attribution import class_detection
>>> attributions = [[0.9, 0.1, 0.4], [0.2, 0.3, 0.8]]
>>> class_detection(attributions, ["cat", "dog", "dog"], ["cat", "cat"]).per_sample
array([1., 0.])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._described import MetricInfo
from ._functions import function_of
from ._info import metric_infos
from ._inputs import AttributionRows
from ._table import AttributionTable, compare
from ._values import AttributionValue, Brittleness, Cardinality, Mislabeling

__all__ = [
    "AttributionRows",
    "AttributionTable",
    "AttributionValue",
    "Brittleness",
    "Cardinality",
    "MetricInfo",
    "Mislabeling",
    "compare",
    "metric_infos",
]

if TYPE_CHECKING:
    from . import _metrics
    from ._metrics import *

    __all__ += _metrics.__all__
else:
    __all__ += [info.name for info in metric_infos()]

    def __getattr__(name):
        if name in __all__:
            # Made when it is asked for: their documentation takes longer than the rest of an import.
            return globals().setdefault(name, function_of(name, __name__))
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *__all__})
