"""Queries over rows that lie in parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from . import _native
from ._tables import batches, stream

#: Bytes of states that are sent as one piece: engines bound the size of a value.
_PIECE = 1 << 26


class TwoStages:
    """A query over one table whose rows lie in parts: in the tasks of another engine, or on many machines.

    The first stage makes of each part its states, a row for each group; the second makes the result of the states. The result is
    that of all rows at once, for our functions to the last bit, for any parts in any order. It pickles, and so do its
    pieces of states, which are bytes.

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
        """The states of a part: a table, a stream or batches, with the columns of the schema in any order.

        A query that does not aggregate has rows of the result here.
        """
        return self._of.partial(batches(part, self._made_of[1]))

    def divide(self, states: pa.RecordBatch, n: int) -> list[tuple[int, pa.RecordBatch]]:
        """States by the place that they go to, from 0 to ``n - 1``: those of equal groups to the same."""
        return self._of.divide(states, n)

    def finish(self, states: Any) -> Iterator[pa.RecordBatch]:
        """The result of states: of all, or of all that went to one place."""
        return self._of.finish(batches(states, self.state_schema))

    def states_of(self, part: Any, n: int = 1) -> Iterator[tuple[int, bytes]]:
        """The states of a part as bytes, each piece with the place that it goes to, from 0 to ``n - 1``."""
        for batch in self.partial(part):
            for place, states in self.divide(batch, n) if n > 1 else [(0, batch)]:
                for piece in _pieces(states):
                    yield place, piece

    def result_of(self, states: Iterable[bytes]) -> pa.Table:
        """The result of such pieces: of all, or of all that went to one place."""
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
