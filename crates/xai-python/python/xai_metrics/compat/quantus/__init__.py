"""Drop-in replacement for ``quantus`` 0.6: its metrics with its call interface.

>>> import numpy as np
>>> from xai_metrics.compat import quantus
>>> weights = np.array([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
>>> x = np.random.default_rng(0).random((4, 3))
>>> metric = quantus.FaithfulnessEstimate(perturb_baseline=0.0)
>>> maps = x * weights[:, 0]
>>> scores = metric(lambda x: x @ weights, x, np.zeros(4, int), a_batch=maps)
>>> round(scores[0], 6) # the terms of a sum
1.0

Every class has the name, the options and the call signature of its counterpart in Quantus, and
returns lists as Quantus does; the implementation is :mod:`xai_metrics.attribution`. Options are
keyword arguments. Features are single elements, separately for each channel. Where the value of
Quantus differs from the definition in the paper, ours follows the paper; the class documents the
difference, and ``compat=True`` gives the value of Quantus where that can be computed, for all
metrics after :class:`quantus.compat(True) <compat>`. The first call of a metric whose number differs
warns of it, with the reason (:class:`QuantusDifferenceWarning`). With ``compat=True`` random choices
come from the global generator of NumPy, in the order of Quantus: after ``numpy.random.seed`` the
values of one mini-batch are the same.

=================  =========================================================================
function           here
=================  =========================================================================
``evaluate``       :func:`evaluate`
``explain``        not available: ``explain_func`` is your own function, for example Captum
similarities       names: ``similarity_func.correlation_spearman`` or the name as text; other
                   functions raise an error
perturbations      names for baselines and noise; for neighbours also your own function
normalisations     :func:`normalise_by_max` and others, or your own function
=================  =========================================================================
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from ._evaluate import evaluate
from ._metric import CLASSES, Metric
from ._switch import QuantusDifferenceWarning, compat
from ._words import (
    functions,
    loss_func,
    module,
    norm_func,
    normalise_by_average_second_moment_estimate,
    normalise_by_max,
    normalise_by_negative,
    normalise_func,
    perturb_func,
    similarity_func,
)
from .helpers.constants import (
    AVAILABLE_METRICS,
    AVAILABLE_NORMALISATION_FUNCTIONS,
    AVAILABLE_PERTURBATION_FUNCTIONS,
    AVAILABLE_SIMILARITY_FUNCTIONS,
    available_categories,
    available_metrics,
    available_normalisation_functions,
    available_perturbation_functions,
    available_similarity_functions,
)

__all__ = [
    "AVAILABLE_METRICS",
    "AVAILABLE_NORMALISATION_FUNCTIONS",
    "AVAILABLE_PERTURBATION_FUNCTIONS",
    "AVAILABLE_SIMILARITY_FUNCTIONS",
    "Metric",
    "QuantusDifferenceWarning",
    "available_categories",
    "available_metrics",
    "available_normalisation_functions",
    "available_perturbation_functions",
    "available_similarity_functions",
    "compat",
    "evaluate",
    "functions",
    "loss_func",
    "metrics",
    "norm_func",
    "normalise_by_average_second_moment_estimate",
    "normalise_by_max",
    "normalise_by_negative",
    "normalise_func",
    "perturb_func",
    "similarity_func",
]

#: Counterpart of the module of Quantus with the classes.
metrics: ModuleType = module("metrics", Metric=Metric, **CLASSES)

if TYPE_CHECKING:
    from . import _classes
    from ._classes import *

    __all__ += _classes.__all__
else:
    globals().update(CLASSES)
    __all__ += list(CLASSES)

    #: Explainers and their lists.
    _METHODS = (
        "explain",
        "AVAILABLE_XAI_METHODS_CAPTUM",
        "AVAILABLE_XAI_METHODS_TF",
        "DEPRECATED_XAI_METHODS_CAPTUM",
        "DEPRECATED_XAI_METHODS_TF",
        "available_methods_captum",
        "available_methods_tf_explain",
    )

    def __getattr__(name):
        message = f"module {__name__!r} has no attribute {name!r}"
        if name in _METHODS:
            message += "; there are no explainers here: give a metric explain_func(model=…, inputs=…, targets=…) -> maps, by "
            message += "captum for instance"
        raise AttributeError(message)
