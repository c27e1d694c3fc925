"""The metrics as SQL functions: the package ``xai-metrics-sql`` by another name.

``pip install 'xai-metrics[sql]'`` brings it; it is one of its own because it carries a query engine.
See :mod:`xai_metrics_sql` for what is in it: ``query``, ``register``, ``functions``, ``TwoStages``.
"""

try:
    from xai_metrics_sql import Function, TwoStages, functions, query, register
except ImportError as error:
    raise ImportError(
        f"{error}; xai_metrics.sql is the package xai-metrics-sql: pip install 'xai-metrics[sql]'"
    ) from error

__all__ = ["Function", "TwoStages", "functions", "query", "register"]
