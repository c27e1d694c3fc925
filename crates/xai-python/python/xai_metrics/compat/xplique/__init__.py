"""Stands in for ``xplique``: its metrics."""

from . import metrics

__all__ = ["metrics"]
