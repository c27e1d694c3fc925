"""Queries over distributed rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from . import _native
from ._tables import batches, stream

#: Bytes of states that are sent as one piece: engines bound the size of a value.
_PIECE = 1 << 26


class TwoStages:
    """Query over one table whose rows are distributed over tasks of another engine or over
    machines.

    The first stage computes states for each part, a row per group; the second computes the
    result from the states. For our functions, the result is bit-for-bit that of all rows at
    once, for any division and order of parts. Instances can be pickled, and states can be sent
    as bytes.

    Attributes
    ----------
    schema : pyarrow.Schema
        The columns of the result.
    columns : list of str
        The columns of the rows that the query reads; others need not be sent.
    has_states : bool
        Whether the query aggregates: where it does not, the first stage gives rows of the result.
    state_schema : pyarrow.Schema
        The columns of the states: what the query groups by, then what the functions keep.
    n_keys : int
        How many columns the query groups by.

    Parameters
    ----------
    sql : str
        The query, with ``GROUP BY`` or without. What the result of parts does not tell is refused: ``ORDER BY``,
        ``LIMIT``, window functions, an aggregation of an aggregation. Order the result instead.
    schema : pyarrow.Schema
        The columns of the rows.
    table : str
        The name of the rows in the query.
    **others
        Small tables that the rows are joined with, whole in each process.

    Raises
    ------
    ValueError
        For what is no query, and for one whose result is not that of the results of parts.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from xai_metrics_sql import TwoStages
    >>> sql = "SELECT explainer, average_drop(base, masked) AS drop FROM rows GROUP BY explainer"
    >>> parts = [
    ...     pa.table({"explainer": ["a", "b"], "base": [0.5, 1.0], "masked": [0.5, 0.5]}),
    ...     pa.table({"explainer": ["a"], "base": [1.0], "masked": [0.5]}),
    ... ]
    >>> stages = TwoStages(sql, parts[0].schema)
    >>> states = [state for part in parts for _, state in stages.states_of(part)]  # anywhere
    >>> sorted((row["explainer"], round(row["drop"], 6)) for row in stages.result_of(states).to_pylist())
    [('a', 0.25), ('b', 0.5)]
    """

    def __init__(self, sql: str, schema: pa.Schema, table: str = "rows", **others: Any) -> None:
        kept = {name: pa.table(stream(other, name)[0]) for name, other in others.items()}
        self._made_of = (sql, schema, table, kept)
        given = [(name, other, True) for name, other in kept.items()]
        self._of = _native.TwoStages(sql, table, schema, given)
        self.schema: pa.Schema = self._of.schema
        self.columns: list[str] = self._of.columns
        self.has_states: bool = self._of.has_states
        self.state_schema: pa.Schema = self._of.state_schema
        self.n_keys: int = self._of.n_keys

    def partial(self, part: Any) -> Iterator[pa.RecordBatch]:
        """Compute the states of a part.

        A query without aggregation returns rows of the result.

        Parameters
        ----------
        part : object
            A table, a stream or batches, with the columns of the schema in any order.

        Returns
        -------
        iterator of pyarrow.RecordBatch
            States.
        """
        return self._of.partial(batches(part, self._made_of[1]))

    def divide(self, states: pa.RecordBatch, n: int) -> list[tuple[int, pa.RecordBatch]]:
        """Partition states by group.

        Parameters
        ----------
        states : pyarrow.RecordBatch
            States.
        n : int
            Number of partitions.

        Returns
        -------
        list of (int, pyarrow.RecordBatch)
            Partition numbers from 0 to ``n - 1`` with their states; equal groups have the same
            partition.
        """
        return self._of.divide(states, n)

    def finish(self, states: Any) -> Iterator[pa.RecordBatch]:
        """Compute the result from all states, or from all states of one partition.

        Parameters
        ----------
        states : object
            A table, a stream or batches of states.

        Returns
        -------
        iterator of pyarrow.RecordBatch
            Result.
        """
        return self._of.finish(batches(states, self.state_schema))

    def states_of(self, part: Any, n: int = 1) -> Iterator[tuple[int, bytes]]:
        """Compute the states of a part as bytes.

        Parameters
        ----------
        part : object
            A table, a stream or batches.
        n : int
            Number of partitions.

        Returns
        -------
        iterator of (int, bytes)
            Partition numbers from 0 to ``n - 1`` with pieces of states.
        """
        for batch in self.partial(part):
            for place, states in self.divide(batch, n) if n > 1 else [(0, batch)]:
                for piece in _pieces(states):
                    yield place, piece

    def result_of(self, states: Iterable[bytes]) -> pa.Table:
        """Compute the result from all pieces, or from all pieces of one partition.

        Parameters
        ----------
        pieces : iterable of bytes
            Pieces of :meth:`states_of`.

        Returns
        -------
        pyarrow.Table
            Result.
        """
        read = (batch for piece in states for batch in pa.ipc.open_stream(piece))
        return pa.Table.from_batches(self.finish(read), self.schema)

    def __reduce__(self) -> Any:
        return _made, self._made_of

    def __repr__(self) -> str:
        return f"TwoStages({self._made_of[0]!r})"


def _made(sql: str, schema: pa.Schema, table: str, others: dict[str, pa.Table]) -> TwoStages:
    return TwoStages(sql, schema, table, **others)


def _pieces(states: pa.RecordBatch) -> Iterator[bytes]:
    if states.nbytes > _PIECE and states.num_rows > 1:
        half = states.num_rows // 2
        yield from _pieces(states.slice(0, half))
        yield from _pieces(states.slice(half))
        return
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, states.schema) as writer:
        writer.write_batch(states)
    yield sink.getvalue().to_pybytes()
