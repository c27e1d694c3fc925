"""Drop-in replacement for the metrics of ``torchcam``."""

from . import metrics

__all__ = ["metrics"]
