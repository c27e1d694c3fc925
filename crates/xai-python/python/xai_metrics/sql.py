"""Metrics as SQL functions, re-exported from the package ``xai-metrics-sql``.

It is a separate package because it contains a query engine: ``pip install 'xai-metrics-py[sql]'``.

========================  =======================================================================
function                  task
========================  =======================================================================
``query``                 runs a query over pyarrow, pandas, Polars and DuckDB tables, and files
``register``              adds the functions to a session of the package ``datafusion``
``functions``             lists the functions with their descriptions
``TwoStages``             runs a query over distributed rows: for Dask, Ray and others
========================  =======================================================================
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

__all__ = ["Function", "TwoStages", "functions", "query", "register"]


if TYPE_CHECKING:
    from xai_metrics_sql import Function, TwoStages, functions, query, register
else:

    def __getattr__(name):
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        try:
            found = importlib.import_module("xai_metrics_sql")
        except ImportError as error:
            advice = "install it by: pip install 'xai-metrics-py[sql]'"
            raise ImportError(f"{error}; the SQL functions are a package of their own: {advice}") from error
        return getattr(found, name)


def __dir__() -> list[str]:
    return sorted(__all__)
