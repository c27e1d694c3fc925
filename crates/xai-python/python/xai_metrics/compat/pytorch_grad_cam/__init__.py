"""Drop-in replacement for the metrics of ``pytorch_grad_cam``."""

from . import metrics

__all__ = ["metrics"]
