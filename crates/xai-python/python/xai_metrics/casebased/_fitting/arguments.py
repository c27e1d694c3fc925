"""From the arguments of an explainer to what is fitted."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from .._extractors import SklearnMLPActivationExtractor
from ..activations import Blend, CustomActivations, of_former
from .choices import distance_name, engine_of, kernel_of, metadata_column
from .classes import Classes
from .similarity import strategy_of


def strategy_of_arguments(
    similarity: Any,
    model: Any,
    activation_extractor: Any,
    blend_alpha: float,
    activation_layer: Any,
    use_output_weights: bool,
    retrieval: Any,
) -> Any:
    """The strategy that the arguments ask for; case-explainer calls most of them deprecated."""
    legacy = activation_extractor is not None or activation_layer is not None
    chosen = similarity if similarity is not None else retrieval
    if similarity is not None and retrieval is not None:
        raise ValueError("Pass either similarity= or retrieval=, not both")
    if chosen is not None:
        name = "similarity" if similarity is not None else "retrieval"
        if legacy:
            raise ValueError(
                f"{name}= cannot be combined with the deprecated parameters "
                "activation_extractor and activation_layer"
            )
        if blend_alpha != 0.0 or use_output_weights is not True:
            raise ValueError(
                f"{name}= says itself how to blend and to weight: Blend(...), "
                "HiddenActivations(output_weighting=...)"
            )
        if retrieval is not None:
            _warn("retrieval= is deprecated; use similarity=")
            strategy = of_former(retrieval)
            if strategy is retrieval:
                raise TypeError("retrieval must be one of the *Retrieval classes; use similarity=")
            return strategy
        return strategy_of(similarity, model)
    if not 0.0 <= float(blend_alpha) <= 1.0:
        raise ValueError(f"blend_alpha must be in [0, 1], got {blend_alpha}")
    if not legacy:
        return None
    _warn(
        "activation_extractor= and activation_layer= are deprecated; use "
        "similarity=HiddenActivations(...) or CustomActivations(...)"
    )
    if activation_extractor is not None and activation_layer is not None:
        raise ValueError("Provide either activation_extractor or activation_layer, not both")
    if model is None:
        raise ValueError("model must be provided when activation_extractor is set")
    if activation_layer is not None:
        activation_extractor = SklearnMLPActivationExtractor(activation_layer, use_output_weights)
    strategy = CustomActivations(model, activation_extractor)
    return Blend(strategy, float(blend_alpha)) if blend_alpha else strategy


def _warn(message: str) -> None:
    # Through this function, the one above and the constructor, to the line of the user.
    warnings.warn(message, DeprecationWarning, stacklevel=4)


def checked_k(k: Any, name: str = "k") -> int:
    """A number of neighbours."""
    if isinstance(k, bool) or not hasattr(k, "__index__"):
        raise TypeError(f"{name}: expected a whole number, got {k!r}")
    if k < 1:
        raise ValueError(f"{name}: expected at least 1 neighbour, got {k}")
    return int(k)


def native_choices(
    *,
    k: int,
    feature_names: list[str],
    class_names: Mapping[Any, str],
    metric: str,
    metric_params: Mapping[str, Any] | None,
    algorithm: str,
    algorithm_params: Mapping[str, int] | None,
    scale: bool,
    class_weights: Mapping[Any, float],
    metadata: Mapping[str, Any],
    weighting: Any,
    thresholds: tuple[float, float],
    redact: list[str],
    aggregate_only: int | None,
    similarity: Any,
    classes: Classes,
) -> dict[str, Any]:
    """The choices as the native part reads them."""
    if classes.are_numbers:
        names = [(classes.number(label), str(name)) for label, name in class_names.items()]
    else:
        # The words themselves, so that a stored explainer knows them.
        names = [(classes.number(label), str(label)) for label in classes.labels]
    return {
        "k": k,
        "distance": distance_name(metric, metric_params),
        "engine": engine_of(algorithm, algorithm_params),
        "scale": bool(scale),
        # A function weighs what was found, in Python.
        "kernel": "uniform" if callable(weighting) else kernel_of(weighting),
        "class_weights": [
            (classes.number(label), float(weight)) for label, weight in class_weights.items()
        ],
        "thresholds": (float(thresholds[0]), float(thresholds[1])),
        "class_names": names,
        "feature_names": feature_names,
        "metadata": [metadata_column(values, name) for name, values in metadata.items()],
        "redact": list(redact),
        "aggregate_only": aggregate_only,
        "similarity": similarity,
    }
