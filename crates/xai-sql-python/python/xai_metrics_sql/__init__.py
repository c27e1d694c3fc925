"""Metrics of explanations as SQL functions over Python tables.

========================  =======================================================================
function                  task
========================  =======================================================================
:func:`query`             runs a query over pyarrow, pandas, Polars and DuckDB tables, and files
:func:`register`          adds the functions to a session of the package ``datafusion``
:func:`functions`         lists the functions with their descriptions
:class:`TwoStages`        runs a query over distributed rows: for Spark, Dask, Ray and others
========================  =======================================================================

If ``xai-metrics`` is installed, this package is also available as ``xai_metrics.sql``.
"""

from ._functions import functions, register
from ._native import Function, __version__
from ._query import query
from ._stages import TwoStages

__all__ = ["Function", "TwoStages", "__version__", "functions", "query", "register"]
