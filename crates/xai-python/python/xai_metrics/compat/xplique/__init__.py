"""Drop-in replacement for the metrics of ``xplique``."""

from . import metrics

__all__ = ["metrics"]
