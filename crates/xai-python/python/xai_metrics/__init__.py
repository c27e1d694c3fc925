"""Metrics for the quality of explanations of machine-learning predictions.

========================  =======================================================================
module                    question
========================  =======================================================================
:mod:`.casebased`         does a prediction agree with its nearest training cases?
:mod:`.attribution`       are attribution maps faithful, robust, localized and concise?
:mod:`.counterfactual`    are counterfactuals valid, near, plausible and possible?
:mod:`.graph`             is an explanatory subgraph sufficient and necessary?
:mod:`.repro`             do repeated trainings make the same predictions and the same errors?
:mod:`.reliability`       can a metric be trusted on this data?
:mod:`.sql`               the metrics as SQL functions (a separate package)
:mod:`.spark`             all of them for Spark data frames and files
:mod:`.dask`              queries on the workers of Dask
:mod:`.compat`            the interfaces of other packages, with our implementations
========================  =======================================================================

:class:`Report` combines results of any of them on one page. :func:`.find` describes any metric
by its name. :func:`.explain` computes maps of reference explainers, for comparison with others.

Arrays can be NumPy arrays, tensors of torch and JAX in host memory, and columns and tables of
pandas, polars and pyarrow. All functions raise ``ValueError`` for meaningless values and
``TypeError`` for arguments that are not arrays of numbers; Ctrl-C stops any of them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ._native import __version__

if TYPE_CHECKING:
    from . import attribution, casebased, compat, counterfactual, dask, graph, reliability, repro, spark, sql
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
    "counterfactual",
    "dask",
    "explain",
    "find",
    "graph",
    "reliability",
    "repro",
    "spark",
    "sql",
]


if not TYPE_CHECKING:

    def __getattr__(name):
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
