"""Stands in for ``error_consistency``: the metrics of its functional interface."""

from . import functional

__all__ = ["functional"]
