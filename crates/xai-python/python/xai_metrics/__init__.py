"""Measures how good explanations of machine-learning predictions are.

========================  =======================================================================
module                    asks
========================  =======================================================================
:mod:`.casebased`         does a prediction agree with its nearest training cases?
:mod:`.attribution`       does the model still believe its answer on what an attribution map keeps?
:mod:`.graph`             is an explanatory subgraph sufficient and necessary?
:mod:`.repro`             do repeated trainings make the same predictions, and the same errors?
:mod:`.reliability`       can a metric be trusted on this data?
:mod:`.sql`               the metrics as functions of queries (a package of its own)
:mod:`.spark`             all of them over data frames of Spark
:mod:`.compat`            the interfaces of other packages, computed by ours
========================  =======================================================================

:class:`Report` puts results of any of them on one page.
:func:`.find` describes any metric by its name. :func:`.explain` makes maps of reference explainers, to compare others with.

Arrays come in as they are: NumPy arrays, tensors of torch and JAX on the host, columns and tables of
pandas, polars and pyarrow. All functions raise ``ValueError`` for values that have no meaning, and
``TypeError`` for what is no array of numbers; Ctrl-C ends any of them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._native import __version__

if TYPE_CHECKING:
    from . import attribution, casebased, compat, graph, reliability, repro, spark, sql
    from ._registry import find
    from ._report import Report, ReportDiff
    from .attribution import explain

__all__ = [
    "Report",
    "ReportDiff",
    "__version__",
    "attribution",
    "casebased",
    "compat",
    "explain",
    "find",
    "graph",
    "reliability",
    "repro",
    "spark",
    "sql",
]


def __getattr__(name: str) -> Any:
    # A family is read when it is first used: who needs one does not wait for four.
    if name.startswith("Report") and name in __all__:
        return getattr(importlib.import_module("._report", __name__), name)
    if name == "find":
        return importlib.import_module("._registry", __name__).find
    if name == "explain":
        return importlib.import_module(".attribution", __name__).explain
    if name in __all__:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
