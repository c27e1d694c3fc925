"""Case-based explanation: comparison of a prediction with its nearest training cases.

A case-based explanation shows the training rows nearest to a sample, its nearest cases, and the
correspondence: the share of the neighbours' weight that belongs to the predicted class.

==================================  =============================================================
part                                use
==================================  =============================================================
:class:`CaseExplainer`              from training rows to explanations: scaling, exact search and
                                    correspondence in one
:func:`compute_correspondence`      correspondence of neighbours from any index or database
:class:`Audit`                      report on a whole test set: accuracy by level, calibration
:class:`NeighborSearch`             nearest neighbours only
:mod:`.data_attribution`            quality of explanations by training cases, from any explainer
==================================  =============================================================

Agreement with the nearest cases is not correctness: they can agree with a wrong prediction. The
correspondence depends on the scales of the features, on the distance and on ``k``; compare only
values computed with the same settings.

Names and defaults are those of case-explainer 0.2.0; further parts of that package are in
:mod:`xai_metrics.compat.case_explainer`.

Examples
--------
>>> from xai_metrics.casebased import CaseExplainer
>>> explainer = CaseExplainer([[0.0], [1.0], [5.0]], ["no", "no", "yes"], k=2)
>>> explainer.explain_instance([0.5], predicted_class="no").correspondence
1.0
"""

from __future__ import annotations

from .._described import MetricInfo
from .._registry import metrics_of
from . import data_attribution
from ._audit import Audit, AuditReport, LevelAudit
from ._correspondence import compute_correspondence, distances
from ._explainer import CaseExplainer, Scaler
from ._explanation import Explanation, Neighbor
from ._explanations import Explanations
from ._reporting import AggregateExplanation
from ._search import NeighborSearch
from ._strategies import (
    ActivationExtractor,
    Blend,
    CallableActivationExtractor,
    CustomActivations,
    DecisionTreeActivationExtractor,
    Features,
    ForestProximity,
    HiddenActivations,
    Predictor,
    SimilarityStrategy,
    SklearnMLPActivationExtractor,
    TreeLeaf,
)

__all__ = [
    "ActivationExtractor",
    "AggregateExplanation",
    "Audit",
    "AuditReport",
    "Blend",
    "CallableActivationExtractor",
    "CaseExplainer",
    "CustomActivations",
    "DecisionTreeActivationExtractor",
    "Explanation",
    "Explanations",
    "Features",
    "ForestProximity",
    "HiddenActivations",
    "LevelAudit",
    "MetricInfo",
    "Neighbor",
    "NeighborSearch",
    "Predictor",
    "Scaler",
    "SimilarityStrategy",
    "SklearnMLPActivationExtractor",
    "TreeLeaf",
    "compute_correspondence",
    "data_attribution",
    "distances",
    "metric_infos",
]


def metric_infos() -> list[MetricInfo]:
    """Return the descriptions of all metrics of explanations by training cases.

    Returns
    -------
    list of MetricInfo
        Metrics of correspondence and audits, then those of :mod:`.data_attribution`.

    Examples
    --------
    >>> from xai_metrics.casebased import metric_infos
    >>> {info.name: info.range for info in metric_infos()}["correspondence"]
    '[0, 1]'
    """
    return list(metrics_of("casebased"))
