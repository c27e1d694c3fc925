"""Tables of other libraries as streams of Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa


def stream(table: Any, name: str) -> tuple[Any, bool]:
    """Return an object with the Arrow C stream interface for a table, and whether it can be read
    repeatedly.
    """
    if isinstance(table, Mapping):
        return pa.table(table), True
    # Of Polars: a plan, which has no rows yet.
    if hasattr(table, "collect") and hasattr(table, "collect_schema"):
        return table.collect(), True
    if hasattr(table, "__arrow_c_stream__"):
        return table, hasattr(table, "__len__") or hasattr(table, "num_rows")
    # Of pyarrow: a data set of files, of which each reading makes a stream.
    if hasattr(table, "scanner"):
        return table.scanner().to_reader(), False
    raise TypeError(
        f"{name}: expected a table (pyarrow, pandas 2.2, Polars, DuckDB) or a mapping of columns, "
        f"got {type(table).__name__}"
    )


def batches(part: Any, schema: pa.Schema) -> pa.RecordBatchReader:
    """Return a part of a table, or its batches, with these columns."""
    if hasattr(part, "__arrow_c_stream__") or not isinstance(part, Iterable) or isinstance(part, Mapping):
        part = pa.RecordBatchReader.from_stream(stream(part, "rows")[0])
        _check(part.schema, schema)
    return pa.RecordBatchReader.from_batches(schema, (_as(batch, schema) for batch in part))


def _check(given: pa.Schema, schema: pa.Schema) -> None:
    if missing := [name for name in schema.names if name not in given.names]:
        there = ", ".join(given.names)
        raise ValueError(f"rows: no column {missing[0]}; there are {there}")


def _as(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    if batch.schema.equals(schema, check_metadata=True):
        return batch
    _check(batch.schema, schema)
    # In the order of the plan, whichever the batch has.
    columns = [batch.column(name).cast(kind) for name, kind in zip(schema.names, schema.types)]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
