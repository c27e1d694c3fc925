"""Drop-in replacement for ``case_explainer.explanation``."""

from __future__ import annotations

from typing import Any

from xai_metrics._results import pyplot
from xai_metrics.casebased import Explanation, Neighbor

__all__ = ["Explanation", "Neighbor"]


def __getattr__(name: str) -> Any:
    # Matplotlib is read when something is drawn.
    if name == "plt":
        return pyplot()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
