"""Axes to draw on."""

from __future__ import annotations

from typing import Any


def axes(ax: Any = None) -> Any:
    """The given axes of matplotlib, or new ones.

    Raises ``ImportError`` where matplotlib is not installed.
    """
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot needs matplotlib: install it by `pip install matplotlib`") from None
    # Long names are not cut.
    return pyplot.subplots(layout="constrained")[1]
