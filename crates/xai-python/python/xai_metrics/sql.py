"""The metrics as SQL functions: the package ``xai-metrics-sql`` by another name.

It is a package of its own because it carries a query engine: ``pip install 'xai-metrics[sql]'``.

========================  =======================================================================
function                  does
========================  =======================================================================
``query``                 answers a query over tables of pyarrow, pandas, Polars and DuckDB, and files
``register``              adds the functions to a session of the package ``datafusion``
``functions``             lists them, with what they say of themselves
``TwoStages``             a query whose rows lie in parts: for Dask, Ray and others
========================  =======================================================================
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["Function", "TwoStages", "functions", "query", "register"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        found = importlib.import_module("xai_metrics_sql")
    except ImportError as error:
        advice = "install it by: pip install 'xai-metrics[sql]'"
        raise ImportError(f"{error}; the SQL functions are a package of their own: {advice}") from error
    return getattr(found, name)


def __dir__() -> list[str]:
    return sorted(__all__)
