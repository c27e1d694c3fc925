"""Similarity strategies in the form of the native part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._arrays import reals
from ..._frameworks import on_arrays
from .._extractors import (
    ActivationExtractor,
    CallableActivationExtractor,
    SklearnMLPActivationExtractor,
)
from .._strategies import (
    Blend,
    CustomActivations,
    Features,
    ForestProximity,
    HiddenActivations,
    TreeLeaf,
)
from .classes import Classes

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]


@dataclass
class Space:
    """Space in which rows are compared."""

    mode: str = "features"
    #: Similarity in the form of the native part; ``None`` for features.
    choice: Any = None
    #: Function that computes activations or leaves of rows.
    row_function: Callable[[Array], Array] | None = None
    extractor: ActivationExtractor | None = None
    model: Any = None
    feature_share: float = 0.0
    #: Transformation of rows before prediction.
    input_transform: Any = None
    #: Classes that a prediction may have, if each has a space of its own.
    known_classes: list[Any] = field(default_factory=list)

    def native_input(self, rows: Array) -> Array | None:
        """Compute what the native part needs for rows, with one call of the model."""
        return None if self.row_function is None else self.row_function(rows)


def strategy_of(similarity: Any, model: Any) -> Any:
    """Return the strategy object for a user argument; ``None`` for features."""
    if similarity is None or isinstance(similarity, Features):
        return None
    if isinstance(similarity, str):
        name = similarity.strip().lower()
        if name in ("features", "feature"):
            return None
        if name in ("activations", "activation", "hidden"):
            if model is None:
                raise ValueError("similarity='activations' requires model= to be set")
            return HiddenActivations(model)
        raise ValueError(
            f"Unknown similarity {similarity!r}; expected 'features', 'activations', or a strategy "
            "object"
        )
    known = (HiddenActivations, CustomActivations, TreeLeaf, ForestProximity, Blend)
    if not isinstance(similarity, known):
        raise TypeError(
            "similarity must be a strategy object (Features, HiddenActivations, "
            "CustomActivations, TreeLeaf, ForestProximity, Blend) or a string"
        )
    return similarity


def space_of(strategy: Any, rows: Array, classes: Classes) -> Space:
    """Fit the space of a strategy to training rows."""
    share = 0.0
    if isinstance(strategy, Blend):
        share = float(strategy.features)
        strategy = strategy.strategy
        if not isinstance(strategy, (HiddenActivations, CustomActivations)):
            raise TypeError("Blend wraps HiddenActivations or CustomActivations")
    if strategy is None:
        return Space()
    if isinstance(strategy, TreeLeaf):
        return _tree_leaf(strategy)
    if isinstance(strategy, ForestProximity):
        return _forest_proximity(strategy)
    if isinstance(strategy, CustomActivations):
        return _activations(_extractor(strategy.extractor), strategy.model, rows, share)
    if not hasattr(strategy.model, "coefs_") and callable(strategy.model):
        extractor = CallableActivationExtractor(lambda layer, X: on_arrays(layer)(X))
        space = _activations(extractor, strategy.model, rows, share)
        # A layer is no model that predicts.
        space.model = strategy.model if hasattr(strategy.model, "predict") else None
        return space
    return _hidden_layers(strategy, rows, share, classes)


def _extractor(extractor: Any) -> ActivationExtractor:
    if isinstance(extractor, ActivationExtractor):
        return extractor
    if callable(extractor):
        return CallableActivationExtractor(extractor)
    # Another library's extractor of the same form.
    if hasattr(extractor, "fit_transform") and hasattr(extractor, "transform"):
        return extractor  # type: ignore[no-any-return]
    raise TypeError(
        "CustomActivations: expected an ActivationExtractor or a function of model and rows, got "
        f"{type(extractor).__qualname__}"
    )


def _activations(
    extractor: ActivationExtractor,
    model: Any,
    rows: Array,
    share: float,
    class_weights: list[tuple[int, list[float]]] | None = None,
) -> Space:
    extractor.fit(model, rows)
    ready = bool(getattr(extractor, "metric_ready", False))
    parameters = {
        "standardize": not ready,
        "feature_share": share,
        "weights": None,
        "class_weights": class_weights or [],
    }
    return Space(
        mode="features"
        if share == 1.0
        else f"hybrid(alpha={share:.2f})"
        if share
        else "activations",
        choice={"activations": parameters},
        row_function=lambda rows: _check_activations(extractor.transform(rows), len(rows)),
        extractor=extractor,
        model=model,
        feature_share=share,
    )


def _hidden_layers(
    strategy: HiddenActivations, rows: Array, share: float, classes: Classes
) -> Space:
    model, weighting = strategy.model, strategy.output_weighting
    by_class = weighting == "predicted_class"
    extractor = SklearnMLPActivationExtractor(
        strategy.layer, weighting == "mean_abs", strategy.input_transform
    )
    class_weights = []
    known: list[Any] = []
    if by_class:
        if not hasattr(model, "classes_"):
            raise TypeError("predicted_class output weighting requires an MLPClassifier")
        known = np.asarray(model.classes_).tolist()
        extractor.fit(model, rows)
        n_outputs = model.coefs_[-1].shape[1]
        if n_outputs not in (1, len(known)):
            raise ValueError("MLP output columns do not match model classes")
        n_units = extractor.transform(rows[:1]).shape[1]
        for index, label in enumerate(known):
            weights = np.ones(n_units)
            if strategy.layer in ("last_hidden", "all_hidden"):
                importance = extractor.importance(0 if n_outputs == 1 else index)
                weights[n_units - len(importance) :] = importance
            class_weights.append((classes.number(label), weights.tolist()))
    space = _activations(extractor, model, rows, share, class_weights)
    space.input_transform = strategy.input_transform
    space.known_classes = known
    return space


def _tree_leaf(strategy: TreeLeaf) -> Space:
    model = strategy.model
    if not hasattr(model, "apply") or hasattr(model, "estimators") or _is_regressor(model):
        raise TypeError("TreeLeaf requires a fitted sklearn decision tree classifier")
    if not hasattr(model, "tree_"):
        raise ValueError("TreeLeaf model must be fitted")
    if strategy.overflow not in ("truncate", "nearest"):
        raise ValueError("overflow must be 'truncate' or 'nearest'")
    if strategy.within_leaf != "feature_distance":
        raise ValueError("within_leaf must be 'feature_distance'")
    choice = {"tree-leaf": {"fill_from_other_leaves": strategy.overflow == "nearest"}}
    return Space("tree_leaf", choice, lambda rows: _leaves(model, rows), model=model)


def _forest_proximity(strategy: ForestProximity) -> Space:
    model = strategy.model
    if _is_regressor(model) or not (hasattr(model, "apply") and hasattr(model, "estimators_")):
        if hasattr(model, "n_estimators") and not _is_regressor(model):
            raise ValueError("ForestProximity model must be fitted")
        raise TypeError("ForestProximity requires a fitted sklearn random forest classifier")
    return Space(
        "forest_proximity", "forest-proximity", lambda rows: _leaves(model, rows), model=model
    )


def _is_regressor(model: Any) -> bool:
    """Return whether ``model`` is a scikit-learn regressor."""
    return any(base.__name__ == "RegressorMixin" for base in type(model).__mro__)


def _leaves(model: Any, rows: Array) -> Array:
    leaves = np.asarray(model.apply(rows)).reshape(len(rows), -1)
    return np.ascontiguousarray(leaves, dtype=np.uint32)


def _check_activations(values: Any, n_rows: int) -> Array:
    """Validate activations of ``n_rows`` rows."""
    array = np.ascontiguousarray(reals(values, "the activations", 2), dtype=np.float64)
    if len(array) != n_rows:
        raise ValueError(f"the activations: expected {n_rows} rows, got shape {array.shape}")
    wrong = np.argwhere(~np.isfinite(array))
    if len(wrong):
        raise ValueError(f"the activations{wrong[0].tolist()}: not a finite number")
    return array
