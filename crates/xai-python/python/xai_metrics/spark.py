"""Metrics for Spark data frames and for files that Spark's workers read, computed on Arrow batches.

======================  =========================================================================
function                task
======================  =========================================================================
:func:`query`           runs a query with the SQL functions of :mod:`xai_metrics.sql`
:func:`accumulate`      feeds rows to any accumulator of this package, one per group
:func:`explain`         explains each row by its nearest training cases
======================  =========================================================================

Each task computes states for its own rows, so that large groups are spread over all machines;
states of equal groups are then collected and merged. States add up exactly: the result is
bit-for-bit that of a single process, however Spark divides the rows, also after workers were
lost and restarted.

Rows are a data frame, or paths of files: a file, a folder, a pattern as in ``"runs/*.parquet"``, or
a list of these, on disk or in an object store (``"s3://bucket/runs"``), in Parquet, CSV or Arrow
format. Prefer paths if the rows are already stored in files: the tasks of the active session then
read the files themselves, and no rows are sent from the JVM to Python. Large Parquet files are
divided by row groups. Every worker needs access to the files, with the
credentials in its environment.

Requires pyspark with pyarrow, and this package on the workers. Tested with pyspark 4.3; Spark
Connect data frames are supported.
"""

from __future__ import annotations

import inspect
import math
import pickle
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ._table_files import TableFiles, are_paths

if TYPE_CHECKING:
    from .casebased import CaseExplainer

__all__ = ["accumulate", "explain", "query"]

Accumulator = TypeVar("Accumulator")
_Work = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

#: Number of partitions for states of groups. Spark reads small ones together.
_PLACES = 256
_STATES = pa.schema([("place", pa.int32()), ("states", pa.binary())])


def query(sql: str, /, **tables: Any) -> Any:
    """Run a query over a Spark data frame or files with the functions of :mod:`xai_metrics.sql`.

    Parameters
    ----------
    sql : str
        The query, in the dialect of DataFusion. Sort and limit the result in Spark:
        ``result.orderBy(…)``.
    **tables
        Tables by their names in the query: one Spark data frame or paths of files, and small tables
        (pyarrow, pandas, Polars, mappings of columns) to join with, which are sent to each task.

    Returns
    -------
    pyspark.sql.DataFrame
        Result, computed lazily. Unsigned integers become wider signed ones.

    Raises
    ------
    ValueError
        If the query is invalid, or if its result cannot be computed from results of parts.
    FileNotFoundError
        If there are no files. A file that a worker cannot read is an error of Spark when the result
        is computed, which names the file and the worker.

    Examples
    --------
    ::

        from xai_metrics import spark

        sql = "SELECT explainer, exact_avg(drop) AS drop FROM scores GROUP BY explainer"
        drops = spark.query(sql, scores="scores/*.parquet")
        drops.select("explainer", "drop.mean", "drop.low", "drop.high").show()
        spark.query(sql, scores=session.table("scores").where("split = 'test'"))
    """
    from .sql import TwoStages

    large = [name for name, table in tables.items() if hasattr(table, "mapInArrow") or are_paths(table)]
    if len(large) != 1:
        raise ValueError(
            f"tables: expected one data frame of Spark, or paths of files, got {len(large)}: join them in Spark, "
            "or give small ones as tables, such as frame.toArrow()"
        )
    (name,) = large
    rows = _rows(tables[name], name)
    others = {other: table for other, table in tables.items() if other != name}
    read = TwoStages(sql, rows.schema, name, **others).columns
    # Sending or reading rows is most of the time, so what the query does not read stays where it is.
    rows = rows.select([column for column in rows.schema.names if column in read] or rows.schema.names[:1])
    stages = TwoStages(sql, rows.schema, name, **others)
    result = pa.schema([field.with_type(_signed(field.type)) for field in stages.schema])

    def whole(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from _as(stages.partial(batches), result)

    def first(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for place, states in stages.states_of(batches, _PLACES if stages.n_keys else 1):
            yield _piece(place, states)

    def last(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from _as(stages.result_of(_pieces(batches)).to_batches(), result)

    if not stages.has_states:
        return rows.map(whole, result)
    return _map(_together(rows.map(first, _STATES), stages.n_keys > 0), last, result)


def accumulate(
    rows: Any,
    new: Callable[[], Accumulator],
    update: Callable[[Accumulator, pa.RecordBatch], object],
    *,
    by: str | Sequence[str] = (),
) -> Any:
    """Feed the rows of a Spark data frame or of files to an accumulator, or to one per group.

    Parameters
    ----------
    rows : pyspark.sql.DataFrame, path or list of paths
        The rows.
    new : callable
        Creates an empty accumulator: :class:`.PairwiseAccumulator`, :class:`.Audit`,
        :class:`.GroundTruthAccumulator` or similar, or any object that has a method ``merge`` and
        can be pickled.
    update : callable
        ``update(accumulator, batch)`` adds a ``pyarrow.RecordBatch`` to an accumulator.
    by : str or sequence of str
        Columns to group by; none by default.

    Returns
    -------
    accumulator, or dict
        Without ``by``, the accumulator of all rows. With ``by``, a dictionary of accumulators by
        the value of the column, or by the tuple of values of the columns; missing values are
        ``None``.

    Raises
    ------
    ValueError
        If a column does not exist.
    TypeError
        For other rows than a Spark data frame or paths.

    Examples
    --------
    ::

        from xai_metrics import spark
        from xai_metrics.graph import GroundTruthAccumulator

        def update(state, batch):
            state.update(batch["score"].to_numpy(), batch["is_true"].to_numpy(zero_copy_only=False))

        by_explainer = spark.accumulate("edges", GroundTruthAccumulator, update, by="explainer")
        {explainer: state.finish().auroc for explainer, state in by_explainer.items()}
    """
    columns = [by] if isinstance(by, str) else list(by)
    given = _rows(rows, "rows")
    _check_columns(given, columns)

    def first(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        states: dict[tuple[Any, ...], Accumulator] = {}
        for batch in batches:
            for key, part in _groups(batch, columns):
                if key not in states:
                    states[key] = new()
                update(states[key], part)
        for key, state in states.items():
            stored = pickle.dumps((key, state))
            yield _piece(zlib.crc32(repr(key).encode()) % _PLACES, stored)

    def last(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for key, state in _merged(_pieces(batches)).items():
            yield _piece(0, pickle.dumps((key, state)))

    states = _map(_together(given.map(first, _STATES), bool(columns)), last, _STATES)
    merged = _merged(bytes(row.states) for row in states.collect())
    if not columns:
        return merged[()] if merged else new()
    if isinstance(by, str):
        return {value: state for (value,), state in merged.items()}
    return merged


def explain(
    rows: Any, explainer: CaseExplainer, *, features: str | Sequence[str], predicted: str
) -> Any:
    """Explain the prediction of each row by the nearest training cases of an explainer.

    The explainer, with its training rows, is sent to each task once.

    Parameters
    ----------
    rows : pyspark.sql.DataFrame, path or list of paths
        Features and predicted classes.
    explainer : CaseExplainer
        Fitted on the training rows.
    features : str or sequence of str
        The columns of the features in the order of the training rows, or the one column of lists.
    predicted : str
        The column of the predicted class.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns of the rows; then ``correspondence`` in [0, 1] and ``level``, missing and ``undefined`` where neighbours have no vote;
        and for each of the ``k`` neighbours ``neighbor_1``, … (numbers of training rows) and ``distance_1``, …

    Raises
    ------
    ValueError
        For columns that the rows do not have, or have already.
    TypeError
        For other rows than a Spark data frame or paths.

    Examples
    --------
    ::

        from xai_metrics import spark
        from xai_metrics.casebased import CaseExplainer

        explainer = CaseExplainer(train[["age", "income"]].to_numpy(), train["risk"], k=3)
        explained = spark.explain("predictions/*.parquet", explainer, features=["age", "income"], predicted="risk")
        explained.where("level = 'low'").select("neighbor_1", "distance_1").show()
    """
    listed = [features] if isinstance(features, str) else list(features)
    ranks = range(1, explainer.k + 1)
    added = {"correspondence": pa.float64(), "level": pa.string()}
    added |= {f"neighbor_{rank}": pa.int64() for rank in ranks}
    added |= {f"distance_{rank}": pa.float64() for rank in ranks}
    given = _rows(rows, "rows")
    _check_columns(given, [*listed, predicted])
    schema = pa.schema([field.with_type(_signed(field.type)) for field in given.schema])
    if twice := [name for name in added if name in schema.names]:
        raise ValueError(f"rows: column {twice[0]} exists already; rename it")
    result = pa.schema([*schema, *(pa.field(name, kind) for name, kind in added.items())])

    def explained(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if not batch.num_rows:
                continue
            found = explainer.explain_arrays(
                _matrix(batch, listed),
                predictions=batch.column(predicted).to_numpy(zero_copy_only=False),
                return_provenance=False,
            )
            made = found.columns()
            columns = [
                pa.array(made[name], kind, mask=_no_value(made[name])) for name, kind in added.items()
            ]
            yield from _as([pa.RecordBatch.from_arrays([*batch.columns, *columns], names=result.names)], result)

    return given.map(explained, result)


class _FrameRows:
    """Rows of a Spark data frame."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self.schema = _arrow_schema(frame)

    def select(self, columns: list[str]) -> _FrameRows:
        """Return the rows with some of their columns."""
        return _FrameRows(self.frame.select(*("`" + column.replace("`", "``") + "`" for column in columns)))

    def map(self, work: _Work, result: pa.Schema) -> Any:
        """Return a data frame with the results of ``work`` on the batches of each task."""
        return _map(self.frame, work, result)


class _FileRows:
    """Rows of files, which the tasks of the active session read."""

    def __init__(self, files: TableFiles) -> None:
        self.files = files
        self.schema = files.schema

    def select(self, columns: list[str]) -> _FileRows:
        """Return the rows with some of their columns."""
        return _FileRows(self.files.select(columns))

    def map(self, work: _Work, result: pa.Schema) -> Any:
        """Return a data frame with the results of ``work`` on the batches of each task."""
        from pyspark.sql import SparkSession

        files = self.files

        def read(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            tasks = (task for batch in numbers for task in batch.column(0).to_pylist())
            yield from work(batch for task in tasks for batch in files.batches(task))

        n_tasks = len(files.tasks)
        return _map(SparkSession.active().range(0, n_tasks, 1, n_tasks), read, result)


def _rows(rows: Any, name: str) -> _FrameRows | _FileRows:
    if are_paths(rows):
        return _FileRows(TableFiles.find(rows, name))
    if not hasattr(rows, "mapInArrow"):
        raise TypeError(f"{name}: expected a data frame of Spark, or paths of files, got {type(rows).__name__}")
    return _FrameRows(rows)


def _map(
    rows: Any,
    work: _Work,
    result: pa.Schema,
) -> Any:
    """Call ``rows.mapInArrow``, also for column names with a dot, which Spark would read as field
    access.
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    names = rows.columns

    def named(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from work(pa.RecordBatch.from_arrays(it.columns, names=names) for it in batches)

    return rows.toDF(*(f"column_{at}" for at in range(len(names)))).mapInArrow(named, from_arrow_schema(result))


def _check_columns(rows: _FrameRows | _FileRows, names: list[str]) -> None:
    there = rows.schema.names
    if missing := [name for name in names if name not in there]:
        raise ValueError(f"rows: no column {missing[0]}; there are {', '.join(there)}")


def _no_value(values: Any) -> Any:
    """Return a mask of undefined correspondences, distances or neighbours."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    return values < 0 if values.dtype.kind == "i" else None


def _matrix(batch: pa.RecordBatch, features: list[str]) -> Any:
    columns = [batch.column(name) for name in features]
    if len(columns) == 1 and pa.types.is_nested(columns[0].type):
        (lists,) = columns
        lengths = pc.list_value_length(lists).to_pylist()
        for row, length in enumerate(lengths):
            if length is None or length != lengths[0]:
                what = "is missing" if length is None else f"has {length} numbers, others {lengths[0]}"
                raise ValueError(f"{features[0]}: a list {what}; leave such rows out (row {row} of a batch)")
        return lists.flatten().to_numpy(zero_copy_only=False).reshape(len(lists), -1)
    return np.column_stack([column.to_numpy(zero_copy_only=False) for column in columns])


def _groups(
    batch: pa.RecordBatch, by: list[str]
) -> Iterator[tuple[tuple[Any, ...], pa.RecordBatch]]:
    """Split the rows of a batch by the values of some columns, in sorted order."""
    if not batch.num_rows:
        return
    if not by:
        yield (), batch
        return
    numbers = np.zeros(batch.num_rows, dtype=np.int64)
    for name in by:
        coded = batch.column(name).dictionary_encode(null_encoding="encode")
        codes = coded.indices.to_numpy(zero_copy_only=False)
        numbers = np.unique(numbers * len(coded.dictionary) + codes, return_inverse=True)[1]
    order = np.argsort(numbers, kind="stable")
    rows = batch.take(pa.array(order))
    starts = [0, *(np.flatnonzero(np.diff(numbers[order])) + 1).tolist(), len(order)]
    for start, end in zip(starts, starts[1:]):
        key = tuple(_value(rows.column(name)[start].as_py()) for name in by)
        yield key, rows.slice(start, end - start)


def _value(value: Any) -> Any:
    """Replace NaN by ``math.nan``, because dictionaries find NaN only by identity."""
    return math.nan if isinstance(value, float) and math.isnan(value) else value


def _merged(pieces: Iterable[bytes]) -> dict[tuple[Any, ...], Any]:
    merged: dict[tuple[Any, ...], Any] = {}
    for piece in pieces:
        key, state = pickle.loads(piece)
        key = tuple(map(_value, key))
        if key in merged:
            merged[key].merge(state)
        else:
            merged[key] = state
    return merged


def _piece(place: int, states: bytes) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"place": [place], "states": [states]}, _STATES)


def _pieces(batches: Iterator[pa.RecordBatch]) -> Iterator[bytes]:
    return (piece.as_py() for batch in batches for piece in batch.column("states"))


def _together(states: Any, by_place: bool) -> Any:
    """Move states of one partition to one task; without groups, all states."""
    return states.repartition("place") if by_place else states.repartition(1)


def _as(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield from pa.Table.from_batches([batch]).cast(schema).to_batches()


def _signed(kind: pa.DataType) -> pa.DataType:
    """Return the Spark type for a type of the query engine."""
    wider = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.float16(): pa.float32()}
    wider |= {pa.uint32(): pa.int64(), pa.uint64(): pa.int64(), pa.string_view(): pa.string()}
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_signed(field.type)) for field in kind])
    if pa.types.is_dictionary(kind):
        return _signed(kind.value_type)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return pa.list_(kind.value_field.with_type(_signed(kind.value_type)))
    if pa.types.is_large_string(kind):
        return pa.string()
    return wider.get(kind, kind)


def _arrow_schema(rows: Any) -> pa.Schema:
    from pyspark.sql.pandas.types import to_arrow_schema

    if "timezone" in inspect.signature(to_arrow_schema).parameters:
        zone = rows.sparkSession.conf.get("spark.sql.session.timeZone")
        return to_arrow_schema(rows.schema, timezone=zone)
    return to_arrow_schema(rows.schema)
