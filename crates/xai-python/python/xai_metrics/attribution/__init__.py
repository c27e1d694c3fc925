"""Metrics of attribution maps: faithfulness, robustness, localization, complexity and others.

:func:`evaluate` computes any number of metrics for any number of explainers of one model;
:func:`evaluate_stream` does so for data that comes in batches. Each metric is a class with its
parameters, whose method ``evaluate`` computes it for one explainer. The classes of Xplique are
in :mod:`xai_metrics.compat.xplique`. :meth:`.EvaluationTable.report` writes the results as an
HTML page.

Models are functions from a batch to ``(batch, n_outputs)``: any callable on NumPy arrays, torch
modules, Keras models, scikit-learn estimators. Explainers are arrays of maps, or functions
``explainer(inputs, targets) -> maps``. Targets are classes ``(n,)`` or rows of weights ``(n,
n_outputs)``.

>>> import numpy as np
>>> from xai_metrics.attribution import Deletion, evaluate
>>> weights = np.array([[2.0, 0.0, 0.5], [0.0, 1.0, 0.5], [1.0, 1.0, 0.5]])
>>> model = lambda x: x @ weights
>>> x = np.random.default_rng(0).random((40, 3))
>>> maps = {"terms": x * weights[:, 0], "reversed": -x * weights[:, 0]}
>>> table = evaluate(model, x, np.zeros(40), maps, ["mu_fidelity", Deletion(steps=3)])
>>> table["mu_fidelity"].ranking, table["deletion"].is_better("terms", than="reversed")
(['terms', 'reversed'], True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._described import MetricInfo, Parameter
from .._registry import metrics_of
from .._statistics import Interval
from . import metrics
from ._baselines import Background
from ._evaluate import evaluate, evaluate_part, planned_calls
from ._explain import explain
from ._functions import (
    MaskedScores,
    MegeReco,
    RandomizationStep,
    RandomizationValues,
    base_scores,
    map_similarity,
    maps_within,
    mask_inputs,
    masked_scores,
    model_randomization,
    representativity,
    smoothed,
)
from ._masked import MaskedModel
from ._own import Batch, OwnMetric
from ._perturbed import PerturbedEvaluation, meta_consistency
from ._plots import plot_curves, plot_maps
from ._reliability import MetricReliability, Reliability
from ._selection import STANDARD
from ._stream import evaluate_stream
from ._table import Comparison, EvaluationTable, EvaluationValues, ExplainerValue, MetricResult
from ._texts import (
    SpanScore,
    SpanScores,
    context_lds,
    rationale_iou_f1,
    rationale_token_f1,
    sequence_score,
)
from ._value import Curve, MetricValue
from ._words import ColoredText, TextModel, Words, color_text, text_model

if TYPE_CHECKING:
    from .metrics import *
else:
    # The classes of the metrics are created on first use.

    def __getattr__(name):
        if name in metrics.__all__:
            return getattr(metrics, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *__all__})


__all__ = [
    "Background",
    "Batch",
    "ColoredText",
    "Comparison",
    "Curve",
    "EvaluationTable",
    "EvaluationValues",
    "ExplainerValue",
    "Interval",
    "MaskedModel",
    "MaskedScores",
    "MegeReco",
    "MetricInfo",
    "MetricReliability",
    "MetricResult",
    "MetricValue",
    "OwnMetric",
    "Parameter",
    "PerturbedEvaluation",
    "RandomizationStep",
    "RandomizationValues",
    "Reliability",
    "STANDARD",
    "SpanScore",
    "SpanScores",
    "TextModel",
    "Words",
    "base_scores",
    "color_text",
    "context_lds",
    "evaluate",
    "evaluate_part",
    "evaluate_stream",
    "explain",
    "map_similarity",
    "maps_within",
    "mask_inputs",
    "masked_scores",
    "meta_consistency",
    "metric_infos",
    "metrics",
    "model_randomization",
    "planned_calls",
    "plot_curves",
    "plot_maps",
    "rationale_iou_f1",
    "rationale_token_f1",
    "representativity",
    "sequence_score",
    "smoothed",
    "text_model",
]
__all__ += metrics.__all__


def metric_infos() -> list[MetricInfo]:
    """Return the descriptions of all metrics of attribution maps, in the order of the
    documentation.

    Returns
    -------
    list of MetricInfo
        Descriptions.

    Examples
    --------
    >>> from xai_metrics.attribution import metric_infos
    >>> [info.name for info in metric_infos()][:3]
    ['average_drop', 'average_increase', 'average_gain']
    """
    return list(metrics_of("attribution"))
