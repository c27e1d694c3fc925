"""Stands in for ``quantus`` 0.6: its metrics, and their calls.

>>> import numpy as np
>>> from xai_metrics.compat import quantus
>>> weights = np.array([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
>>> x = np.random.default_rng(0).random((4, 3))
>>> metric = quantus.FaithfulnessCorrelation(subset_size=1, perturb_baseline=0.0)
>>> maps = x * weights[:, 0]
>>> scores = metric(lambda x: x @ weights, x, np.zeros(4, int), a_batch=maps)
>>> round(scores[0], 6) # the terms of a sum
1.0

Every class has the name, the options and the call of that of Quantus, and answers lists as it does;
what is measured is that of :mod:`xai_metrics.attribution`. Options are keywords. Features are
elements: those of all channels by themselves. Where a number of Quantus is not what its paper
defines, ours is that of the paper; the class says so, and ``compat=True`` gives the number of
Quantus where that can be computed. Under ``compat=True`` random choices come from the global
generator of NumPy, in the order of Quantus: after ``numpy.random.seed`` the numbers of one
mini-batch are the same.

=================  =========================================================================
function           is here
=================  =========================================================================
``evaluate``       :func:`evaluate`
``explain``        not here: ``explain_func`` is yours, by captum for instance
similarities       words: ``similarity_func.correlation_spearman`` or the name as text; other
                   functions are refused
perturbations      those that set a baseline, and noise, are words; of neighbours also a
                   function of yours
normalisations     :func:`normalise_by_max` and others, or a function of yours
=================  =========================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._evaluate import evaluate
from ._metric import CLASSES, Metric
from ._words import (
    norm_func,
    normalise_by_average_second_moment_estimate,
    normalise_by_max,
    normalise_by_negative,
    normalise_func,
    perturb_func,
    similarity_func,
)

if TYPE_CHECKING:
    # The classes of the metrics are made when the module is read.
    def __getattr__(name: str) -> type[Metric]: ...
else:

    def __getattr__(name):
        told = f"module {__name__!r} has no attribute {name!r}"
        if name == "explain":
            told += "; give a metric explain_func(model=…, inputs=…, targets=…) -> maps, by captum for instance"
        raise AttributeError(told)


globals().update(CLASSES)

__all__ = [
    "Metric",
    "evaluate",
    "norm_func",
    "normalise_by_average_second_moment_estimate",
    "normalise_by_max",
    "normalise_by_negative",
    "normalise_func",
    "perturb_func",
    "similarity_func",
]
__all__ += list(CLASSES)
