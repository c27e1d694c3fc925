"""Queries with the SQL functions on a cluster of Dask.

:func:`query` is the counterpart of :func:`xai_metrics.spark.query`: each task turns its rows into
states, which are merged in this process. The result is bit-for-bit that of a single process, also
after workers were lost.

Requires dask, pyarrow and this package on the workers.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ._table_files import TableFiles, are_paths

__all__ = ["query"]


def query(sql: str, /, **tables: Any) -> pa.Table:
    """Run a query over files or a Dask data frame with the functions of :mod:`xai_metrics.sql`.

    It runs on the workers of the current ``dask.distributed.Client``, or else on those of Dask's
    default scheduler.

    Parameters
    ----------
    sql : str
        The query, in the dialect of DataFusion. Sort and limit the result instead.
    **tables
        Tables by their names in the query: a Dask data frame, or paths of files as for
        :func:`xai_metrics.spark.query`, which the workers read; and small tables (pyarrow, pandas,
        Polars, mappings of columns) to join with, which are sent to each task. Columns of objects of a
        Dask data frame are read as text.

    Returns
    -------
    pyarrow.Table
        Result.

    Raises
    ------
    ValueError
        If the query is invalid, or if its result cannot be computed from results of parts.
    FileNotFoundError
        If there are no files.
    OSError
        If a worker cannot read a file; the message names both.

    Examples
    --------
    ::

        from xai_metrics import dask

        dask.query(
            "SELECT explainer, exact_avg(drop) AS drop FROM scores GROUP BY explainer",
            scores="s3://experiments/scores",
        )
    """
    from dask import compute, delayed

    from .sql import TwoStages

    large = [name for name, table in tables.items() if hasattr(table, "to_delayed") or are_paths(table)]
    if len(large) != 1:
        raise ValueError(
            f"tables: expected one data frame of Dask, or paths of files, got {len(large)}: give small tables as "
            "tables of pandas or pyarrow"
        )
    (name,) = large
    others = {other: table for other, table in tables.items() if other != name}
    rows = tables[name]
    if are_paths(rows):
        files = TableFiles.find(rows, name)
        read = TwoStages(sql, files.schema, name, **others).columns
        files = files.select([column for column in files.schema.names if column in read] or files.schema.names[:1])
        stages = TwoStages(sql, files.schema, name, **others)
        shared = delayed((stages, files), traverse=False)
        states = [delayed(_of_files)(shared, task) for task in range(len(files.tasks))]
    else:
        stages = TwoStages(sql, _schema(rows), name, **others)
        shared = delayed(stages, traverse=False)
        states = [delayed(_of_rows)(shared, part) for part in rows.to_delayed()]
    found = [piece for pieces in compute(*states) for piece in pieces]
    if stages.has_states:
        return stages.result_of(found)
    return pa.Table.from_batches((batch for piece in found for batch in pa.ipc.open_stream(piece)), stages.schema)


def _schema(rows: Any) -> pa.Schema:
    """Return the Arrow types of the columns of a Dask data frame."""
    # Without rows, Arrow does not know what objects are; Dask takes them for text, too.
    schema = pa.Schema.from_pandas(rows._meta, preserve_index=False)
    return pa.schema([field.with_type(pa.string()) if pa.types.is_null(field.type) else field for field in schema])


def _of_files(shared: tuple[Any, TableFiles], task: int) -> list[bytes]:
    stages, files = shared
    return _of_rows(stages, files.batches(task))


def _of_rows(stages: Any, rows: Any) -> list[bytes]:
    return [piece for _, piece in stages.states_of(rows)]
