"""Drop-in replacement for ``case_explainer`` 0.2.0.

The implementation is :mod:`xai_metrics.casebased`, which has more distances, engines and
results.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from xai_metrics.casebased import _strategies as _ours
from xai_metrics.casebased._strategies import *

from . import activations as _activations
from .explainer import CaseExplainer
from .explanation import Explanation
from .metrics import compute_correspondence, euclidean_distance

__all__ = ["CaseExplainer", "Explanation", "compute_correspondence", "euclidean_distance"]
__all__ += _ours.__all__

#: Former names.
_FORMER = {
    "HiddenActivationRetrieval": "HiddenActivations",
    "CustomActivationRetrieval": "CustomActivations",
    "TreeLeafRetrieval": "TreeLeaf",
    "ForestProximityRetrieval": "ForestProximity",
}


if TYPE_CHECKING:
    from .activations import CustomActivationRetrieval as CustomActivationRetrieval
    from .activations import ForestProximityRetrieval as ForestProximityRetrieval
    from .activations import HiddenActivationRetrieval as HiddenActivationRetrieval
    from .activations import TreeLeafRetrieval as TreeLeafRetrieval
else:

    def __getattr__(name):
        if name in _FORMER:
            warnings.warn(
                f"{name} is deprecated; use {_FORMER[name]} with similarity=",
                DeprecationWarning,
                stacklevel=2,
            )
            return getattr(_activations, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
