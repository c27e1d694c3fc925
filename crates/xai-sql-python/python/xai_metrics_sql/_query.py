"""Queries in the current process."""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa

from . import _native
from ._tables import stream


def query(
    sql: str, /, *, threads: int | None = None, memory_limit: int | None = None, **tables: Any
) -> pa.Table:
    """Run a query over Python tables, with the metrics as functions.

    Rows are read in place, a batch at a time, and not copied. The result is bit-for-bit the same
    for any number of threads.

    Parameters
    ----------
    sql : str
        A query: SELECT, VALUES or EXPLAIN. Beside the tables that are given, a path in single quotes is
        a table: ``FROM 'scores.parquet'``, also of ``.csv``, ``.json`` (an object on each line) and ``.arrow``.
    threads : int, optional
        Number of threads, one per core by default.
    memory_limit : int, optional
        Number of bytes that the states of the query may take before they go to disk; not limited by default. A query
        with a limit runs in one partition, whatever ``threads`` is, because DataFusion 55.2 can wait forever when rows
        that are exchanged between partitions go to disk. ``EXPLAIN`` reports it.
    **tables
        Tables by the name that the query has for them: of pyarrow, pandas, Polars and DuckDB (whatever gives
        its rows by ``__arrow_c_stream__``), data sets of pyarrow, mappings of columns. A stream is read once.

    Returns
    -------
    pyarrow.Table
        ``.to_pandas()``, ``polars.from_arrow(…)`` and ``duckdb.sql("FROM result")`` take it from there.

    Raises
    ------
    ValueError
        For what is no query, and where the metrics refuse values.
    MemoryError
        Where the limit is too small.

    Examples
    --------
    >>> from xai_metrics_sql import query
    >>> scores = {"explainer": ["a", "a", "b"], "base": [0.5, 0.8, 0.5], "masked": [0.25, 0.9, 0.5]}
    >>> sql = "SELECT explainer, average_increase(base, masked) AS increase FROM scores GROUP BY explainer ORDER BY explainer"
    >>> query(sql, scores=scores).to_pylist()
    [{'explainer': 'a', 'increase': 0.5}, {'explainer': 'b', 'increase': 0.0}]
    """
    given = [(name, *stream(table, name)) for name, table in tables.items()]
    threads = _cores() if threads is None else threads
    if threads < 1:
        raise ValueError(f"threads: expected at least 1, got {threads}")
    schema, batches = _native.query(sql, given, threads, memory_limit)
    return pa.Table.from_batches(batches, schema)


def _cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
