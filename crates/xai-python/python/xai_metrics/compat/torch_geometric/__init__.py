"""Drop-in replacement for the explanation metrics of ``torch_geometric``."""

from . import explain

__all__ = ["explain"]
