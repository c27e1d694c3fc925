"""From the arguments of an explainer to what is fitted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .choices import distance_name, engine_of, kernel_of, metadata_column
from .classes import Classes


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
