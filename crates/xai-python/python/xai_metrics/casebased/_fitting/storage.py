"""Loading of explainers stored by the Rust library."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _native
from ..._arguments import threads
from .classes import Classes
from .similarity import Space


def attributes_from_file(stored: bytes, labels: str, n_jobs: int | None) -> dict[str, Any]:
    """Return the attributes of a stored explainer."""
    if labels not in ("numbers", "names"):
        raise ValueError(f"labels: expected 'numbers' or 'names', got {labels!r}")
    n_jobs = threads(n_jobs)
    native = _native.CasebasedExplainer.load(stored, n_jobs)
    info = native.info()
    numbers = native.labels()
    names = {int(number): name for number, name in info["class_names"].items()}
    y_train: Any = numbers
    classes = Classes(numbers)
    classes.has_names = bool(names)
    if labels == "names":
        unnamed = sorted(set(numbers.tolist()) - set(names))
        if unnamed:
            raise ValueError(f"labels='names': class {unnamed[0]} of the file has no name")
        y_train = np.array([names[number] for number in numbers.tolist()])
        classes = Classes.from_names(names)
    metadata = {}
    if info["aggregate_minimum"] is None:
        metadata = {name: next(iter(column.values())) for name, column in native.metadata()}
    return {
        "n_samples": info["n_rows"],
        "n_features": info["n_features"],
        "k": info["k"],
        "feature_names": info["feature_names"],
        "class_names": {} if labels == "names" else names,
        "distance": info["distance"],
        "scale": info["scaled"],
        "class_weights": {classes.label(n): weight for n, weight in native.class_weights()},
        "metadata": metadata,
        "n_jobs": n_jobs,
        "y_train": y_train,
        "_chosen": {},
        "_redact": info["redacted"],
        "_covariance": None,
        "_strategy": None,
        "_model": None,
        "_classes": classes,
        "_space": Space(),
        "_native": native,
    }
