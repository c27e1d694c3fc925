"""The metrics of explanations as SQL functions, over tables that Python has.

========================  =======================================================================
function                  does
========================  =======================================================================
:func:`query`             answers a query over tables of pyarrow, pandas, Polars and DuckDB, and files
:func:`register`          adds the functions to a session of the package ``datafusion``
:func:`functions`         lists them, with what they say of themselves
:class:`TwoStages`        a query whose rows lie in parts: for Spark, Dask, Ray and others
========================  =======================================================================

With ``xai-metrics`` installed this package is ``xai_metrics.sql``.
"""

from ._functions import functions, register
from ._native import Function, __version__
from ._query import query
from ._stages import TwoStages

__all__ = ["Function", "TwoStages", "__version__", "functions", "query", "register"]
