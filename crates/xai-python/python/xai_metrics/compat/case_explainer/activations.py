"""Drop-in replacement for ``case_explainer.activations``: similarity strategies and their former
versions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from xai_metrics.casebased import _strategies as _ours
from xai_metrics.casebased._strategies import *

__all__ = [
    "CustomActivationRetrieval",
    "ForestProximityRetrieval",
    "HiddenActivationRetrieval",
    "TreeLeafRetrieval",
]
__all__ += _ours.__all__


@dataclass(frozen=True)
class HiddenActivationRetrieval:
    """Former version of :class:`HiddenActivations` and :class:`Blend`."""

    model: Any
    layer: Literal["last_hidden", "all_hidden"] | int = "last_hidden"
    use_output_weights: bool = True
    output_weighting: Literal["mean_abs", "predicted_class", "none"] = "mean_abs"
    blend_alpha: float = 0.0
    input_transform: Any | None = None


@dataclass(frozen=True)
class CustomActivationRetrieval:
    """Former version of :class:`CustomActivations` and :class:`Blend`."""

    model: Any
    extractor: Any
    blend_alpha: float = 0.0


@dataclass(frozen=True)
class TreeLeafRetrieval:
    """Former version of :class:`TreeLeaf`."""

    model: Any
    overflow: Literal["truncate", "nearest"] = "truncate"
    within_leaf: Literal["feature_distance"] = "feature_distance"


@dataclass(frozen=True)
class ForestProximityRetrieval:
    """Former version of :class:`ForestProximity`."""

    model: Any


def from_former(retrieval: Any) -> Any:
    """Convert a former strategy to a current one; other values are returned unchanged."""
    if isinstance(retrieval, HiddenActivationRetrieval):
        weighting = retrieval.output_weighting if retrieval.use_output_weights else "none"
        strategy: Any = HiddenActivations(
            retrieval.model, retrieval.layer, weighting, retrieval.input_transform
        )
    elif isinstance(retrieval, CustomActivationRetrieval):
        if not isinstance(retrieval.extractor, ActivationExtractor):
            raise TypeError(
                "CustomActivationRetrieval extractor must implement ActivationExtractor"
            )
        strategy = CustomActivations(retrieval.model, retrieval.extractor)
    elif isinstance(retrieval, TreeLeafRetrieval):
        return TreeLeaf(retrieval.model, retrieval.overflow, retrieval.within_leaf)
    elif isinstance(retrieval, ForestProximityRetrieval):
        return ForestProximity(retrieval.model)
    elif isinstance(retrieval, Blend):
        return replace(retrieval, strategy=from_former(retrieval.strategy))
    else:
        return retrieval
    if not 0.0 <= retrieval.blend_alpha <= 1.0:
        raise ValueError(f"blend_alpha must be in [0, 1], got {retrieval.blend_alpha}")
    return Blend(strategy, retrieval.blend_alpha) if retrieval.blend_alpha else strategy
