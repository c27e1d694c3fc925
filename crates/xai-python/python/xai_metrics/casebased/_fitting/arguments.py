"""From the arguments of an explainer to what is fitted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .choices import metadata_column
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
    feature_names: list[str],
    class_names: Mapping[Any, str],
    class_weights: Mapping[Any, float],
    metadata: Mapping[str, Any],
    redact: list[str],
    kernel: Any,
    similarity: Any,
    classes: Classes,
) -> dict[str, Any]:
    """What is chosen beside the described parameters, as the native part reads it."""
    if classes.are_numbers:
        names = [(classes.number(label), str(name)) for label, name in class_names.items()]
    else:
        # The words themselves, so that a stored explainer knows them.
        names = [(classes.number(label), str(label)) for label in classes.labels]
    return {
        "kernel": kernel,
        "class_weights": [
            (classes.number(label), float(weight)) for label, weight in class_weights.items()
        ],
        "class_names": names,
        "feature_names": feature_names,
        "metadata": [metadata_column(values, name) for name, values in metadata.items()],
        "redact": list(redact),
        "similarity": similarity,
    }
