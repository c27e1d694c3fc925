"""Stands in for ``torch_geometric``: the metrics of its explanations."""

from . import explain

__all__ = ["explain"]
