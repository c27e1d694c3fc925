"""Drop-in replacements for the interfaces of other packages: to migrate, change the import.

==========================  ==========================================================
module                      replaces
==========================  ==========================================================
:mod:`.case_explainer`      ``case_explainer`` 0.2.0
:mod:`.ceval`               ``ceval`` 1.1: its class ``CEval``
:mod:`.quantus`             ``quantus`` 0.6: its metrics and ``evaluate``
:mod:`.captum_metrics`      ``captum.metrics`` 0.9
:mod:`.pytorch_grad_cam`    ``pytorch_grad_cam`` 1.5: its ``metrics``
:mod:`.torchcam`            ``torchcam`` 0.5: its ``metrics``
:mod:`.xplique`             ``xplique``: its ``metrics``
:mod:`.torch_geometric`     ``torch_geometric``: its ``explain.metric``
==========================  ==========================================================

Names, the order of arguments and the types of results are those of the other package, which is
never imported. Where its value differs from the definition of the metric, ours follows the
definition; the documentation of the function explains the difference and how to get the original
value.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import (
        captum_metrics,
        case_explainer,
        ceval,
        pytorch_grad_cam,
        quantus,
        torch_geometric,
        torchcam,
        xplique,
    )

__all__ = [
    "captum_metrics",
    "case_explainer",
    "ceval",
    "pytorch_grad_cam",
    "quantus",
    "torch_geometric",
    "torchcam",
    "xplique",
]


if not TYPE_CHECKING:

    def __getattr__(name):
        # One is read when it is first used.
        if name in __all__:
            return importlib.import_module(f".{name}", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
