"""Axes to draw on."""

from __future__ import annotations

from typing import Any

from ._results import pyplot


def axes(ax: Any = None) -> Any:
    """The given axes of matplotlib, or new ones.

    Raises ``ImportError`` where matplotlib is not installed.
    """
    if ax is not None:
        return ax
    # Long names are not cut.
    return pyplot().subplots(layout="constrained")[1]
