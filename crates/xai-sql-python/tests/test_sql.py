"""Queries over tables of Python, functions in sessions of DataFusion, and queries in two stages."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
import xai_metrics.sql
from xai_metrics import graph
from xai_metrics_sql import TwoStages, functions, query, register

GROUPED = (
    "SELECT explainer, average_drop(base, masked) AS drop, exact_avg(masked) AS mean, "
    "groundtruth_auroc(masked, is_true) AS auroc, pos_fidelity(label, run_1) AS fidelity, "
    "pairwise_reproducibility(label, make_array(run_1, run_2))['pa_kappa']['mean'] AS kappa, "
    "n_null(masked) AS missing FROM rows GROUP BY explainer"
)


def sorted_rows(table: pa.Table) -> list[dict]:
    return sorted(table.to_pylist(), key=lambda row: (row["explainer"], str(row)))


def test_numbers_are_those_of_the_library(scores):
    found = {row["explainer"]: row for row in query(GROUPED, rows=scores).to_pylist()}
    frame = scores.to_pandas()
    for explainer, part in frame.groupby("explainer"):
        row, known = found[explainer], part.dropna()
        drops = np.maximum(0, known.base - known.masked) / (known.base + 1e-8)
        assert row["drop"] == pytest.approx(drops.mean(), rel=1e-14)
        truth = graph.ground_truth(known.masked.to_numpy(), known.is_true.to_numpy())
        assert row["auroc"] == truth.auroc
        assert row["fidelity"] == pytest.approx((part.label != part.run_1).mean(), rel=1e-14)
        assert row["missing"] == row["mean"]["n_null"] == len(part) - len(known)
        assert row["mean"]["n"] == len(known)


def test_tables_of_all_libraries(scores, tmp_path):
    sql = "SELECT average_drop(base, masked) AS drop, count(*) AS n FROM t WHERE explainer = 'lime'"
    expected = query(sql, t=scores).to_pylist()
    assert expected[0]["n"] > 1000
    pyarrow.parquet.write_table(scores, tmp_path / "scores.parquet")
    relation = duckdb.sql(f"FROM '{tmp_path}/scores.parquet'")
    chunked = pa.concat_tables([scores.slice(0, 7), scores.slice(7, 9000), scores.slice(9007)])
    for table in [
        pl.from_arrow(scores),
        pl.from_arrow(scores).lazy(),
        relation,
        chunked,
        chunked.to_reader(),
        pyarrow.dataset.dataset(tmp_path / "scores.parquet"),
        {name: scores[name] for name in scores.column_names},
    ]:
        assert query(sql, t=table).to_pylist() == expected, type(table)
    # pandas has NaN where a number is missing: NULL, as its own interface says.
    frame = scores.to_pandas()
    assert query(sql, t=frame).to_pylist() == expected
    assert query(sql.replace(" t ", f" '{tmp_path}/scores.parquet' ")).to_pylist() == expected


def test_results_go_on_in_other_libraries():
    result = query("SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t(n, name) ORDER BY n")
    assert result.to_pandas()["n"].tolist() == [1, 2]
    assert pl.from_arrow(result)["name"].to_list() == ["a", "b"]
    assert duckdb.sql("SELECT sum(n) FROM result").fetchall() == [(3,)]
    empty = query("SELECT 1 AS n WHERE false")
    assert empty.column_names == ["n"] and empty.num_rows == 0


def test_one_table_twice_and_a_stream_once(scores):
    sql = "SELECT count(*) AS n FROM t a JOIN t b ON a.base = b.base AND a.masked = b.masked"
    assert query(sql, t=scores).to_pylist()[0]["n"] == scores.num_rows - scores["masked"].null_count
    with pytest.raises(ValueError, match="reads a stream more than once: give a table"):
        query(sql, t=scores.to_reader())


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_change_no_bit(scores, threads):
    expected = sorted_rows(query(GROUPED, rows=scores))
    assert sorted_rows(query(GROUPED, rows=scores, threads=threads)) == expected


@pytest.mark.parametrize(
    ("sql", "error", "message"),
    [
        ("SELECT average_drop(base) FROM t", ValueError, r"expected 2 to 3 arguments, got 1"),
        ("SELECT average_drop(base, explainer) FROM t", ValueError, "`masked` must be a number"),
        ("SELECT average_drop(base, masked, 'x') FROM t", ValueError, "as-is or skip"),
        ("SELECT exact_avg(base, masked) FROM t", ValueError, "must be a constant"),
        ("SELEC 1", ValueError, "SELEC"),
        ("SELECT a FROM t", ValueError, "No field named a"),
        ("SELECT 1 FROM u", ValueError, "'.*u' not found"),
        ("SELECT average_drop(-base, masked) FROM t", ValueError, "'as-is' or 'skip'"),
        ("DROP TABLE t", ValueError, "DDL not supported"),
        ("COPY t TO 'x.parquet'", ValueError, "DML not supported"),
    ],
)
def test_errors_say_what_is_wrong(scores, sql, error, message):
    with pytest.raises(error, match=message) as raised:
        query(sql, t=scores)
    for inside in ("DataFusion error", "Error during planning", "Execution error"):
        assert inside not in str(raised.value)


def test_wrong_tables_and_settings(scores):
    with pytest.raises(TypeError, match="t: expected a table"):
        query("SELECT 1", t=3)
    with pytest.raises(ValueError, match="threads: expected at least 1, got 0"):
        query("SELECT 1", threads=0)
    sql = "SELECT base, groundtruth_auroc_binned(masked, is_true, 0.5, 100000) FROM t GROUP BY base"
    with pytest.raises(MemoryError):
        query(sql, t=scores, memory_limit=100_000)


def test_a_query_with_a_memory_limit_ends():
    """In several partitions such queries wait forever (apache/datafusion#24883); the timeout only detects that."""
    program = """
import pyarrow as pa, xai_metrics_sql as s
rows = pa.table({"g": [i % 7 for i in range(40000)], "name": ["x" * 100 + str(i % 1000) for i in range(40000)]})
rows = pa.Table.from_batches(rows.to_batches(max_chunksize=64))
sql = "SELECT g, count(DISTINCT name) AS n FROM t GROUP BY g"
expected = s.query(sql, t=rows, threads=2).sort_by("g")
for _ in range(5):
    assert s.query(sql, t=rows, threads=2, memory_limit=4_000_000).sort_by("g") == expected
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)
    for explain in ("EXPLAIN SELECT 1", "EXPLAIN ANALYZE SELECT 1"):
        plan = query(explain, memory_limit=1_000_000)["plan"].to_pylist()
        assert "1000000 bytes, one partition" in plan[-1]
        assert "one partition" not in str(query(explain)["plan"].to_pylist())


def test_errors_of_a_stream_are_told(scores):
    def failing():
        yield scores.to_batches()[0]
        raise KeyError("the source is gone")

    reader = pa.RecordBatchReader.from_batches(scores.schema, failing())
    with pytest.raises(ValueError, match="the source is gone"):
        query("SELECT average_drop(base, masked) FROM t", t=reader)


def test_ctrl_c_ends_a_query():
    program = (
        "import xai_metrics_sql as s; print('on', flush=True); "
        "s.query('SELECT exact_sum(a.value * b.value) FROM range(1, 300000) a, range(1, 300000) b')"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None and running.stdout.readline() == "on\n"
    time.sleep(1)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=30)
    assert "KeyboardInterrupt" in errors and running.returncode != 0


def test_many_threads_and_a_fork(scores):
    expected = sorted_rows(query(GROUPED, rows=scores))
    found: list[list[dict]] = []
    threads = [
        threading.Thread(target=lambda: found.append(sorted_rows(query(GROUPED, rows=scores))))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8
    program = (
        "import os, xai_metrics_sql as s; q = lambda: s.query('SELECT exact_sum(value) AS x FROM range(9)')"
        ".to_pylist(); q(); child = os.fork()\n"
        "if child == 0: os._exit(0 if q() == [{'x': 36.0}] else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "0\n"


def test_functions_in_a_session_of_datafusion(scores):
    datafusion = pytest.importorskip("datafusion")
    ctx = datafusion.SessionContext()
    register(ctx)
    ctx.from_arrow(scores, name="rows")
    found = pa.Table.from_batches(ctx.sql(GROUPED).collect())
    assert sorted_rows(found) == sorted_rows(query(GROUPED, rows=scores))
    # Constants, lists, windows, and functions of one row.
    sql = (
        "SELECT exact_avg(base, 0.5)['high'] AS high, average_drop(base, masked, 'skip') AS skip, "
        "groundtruth_auroc_binned(masked, is_true, 0.5, 64)['auroc'] AS binned, "
        "exact_sum(correspondence([1.0, 2.0], [1, 2], 1)) AS correspondence, "
        "exact_sum(feature_distance([1.0, 2.0], [base, masked], 'manhattan')) AS distance, "
        "exact_sum(class_detection([base, masked], [1, 2], label % 2 + 1, 1)) AS detection FROM rows"
    )
    assert ctx.sql(sql).to_pylist() == query(sql, rows=scores).to_pylist()
    window = (
        "SELECT base, average_drop(base, masked) OVER (ORDER BY base ROWS 2 PRECEDING) AS drop FROM rows "
        "ORDER BY base LIMIT 50"
    )
    assert ctx.sql(window).to_pylist() == query(window, rows=scores).to_pylist()
    frame = ctx.table("rows").aggregate(
        [], [datafusion.udaf(next(it for it in functions() if it.name == "exact_sum"))(datafusion.col("base"))]
    )
    assert frame.to_pylist()[0].popitem()[1] == query("SELECT exact_sum(base) AS s FROM t", t=scores).to_pylist()[0]["s"]
    for wrong, message in [
        ("SELECT average_drop(base, explainer) FROM rows", "must be a number"),
        ("SELECT average_drop(base, masked, 'x') FROM rows", "skip"),
        ("SELECT average_drop(base, masked, explainer) FROM rows", "must be a constant"),
    ]:
        with pytest.raises(Exception, match=message):
            ctx.sql(wrong).collect()


def test_another_release_of_datafusion_is_refused(monkeypatch):
    datafusion = pytest.importorskip("datafusion")
    monkeypatch.setattr(datafusion, "__version__", "54.1.0")
    with pytest.raises(ImportError, match=r"the package datafusion is 54.1.0: pip install"):
        register(object())


def test_functions_say_what_they_are():
    names = [function.name for function in functions()]
    assert len(names) == len(set(names)) > 25
    for function in functions():
        assert function.usage.startswith(f"{function.name}(")
        assert function.description and function.arguments and function.example
        assert repr(function) == function.usage
    assert xai_metrics.sql.query is query


def parts_of(table: pa.Table, n: int) -> list[pa.Table]:
    size = -(-table.num_rows // n)
    return [table.slice(start, size) for start in range(0, table.num_rows, size)]


@pytest.mark.parametrize("n_places", [1, 3])
def test_stages_anywhere_have_the_bits_of_one_process(scores, n_places):
    stages = TwoStages(GROUPED, scores.schema)
    assert stages.has_states and stages.n_keys == 1
    places: dict[int, list[bytes]] = {}
    for part in [*parts_of(scores, 11), scores.slice(0, 0)]:
        # As a worker gets it.
        elsewhere = pickle.loads(pickle.dumps(stages))
        for place, states in elsewhere.states_of(part, n_places):
            places.setdefault(place, []).append(states)
    assert set(places) <= set(range(n_places))
    results = [stages.result_of(reversed(states)) for states in places.values()]
    assert results[0].schema == stages.schema == query(GROUPED, rows=scores).schema
    assert sorted_rows(pa.concat_tables(results)) == sorted_rows(query(GROUPED, rows=scores))


def test_stages_take_batches_and_columns_in_any_order(scores):
    sql = "SELECT exact_sum(base) AS s FROM rows"
    stages = TwoStages(sql, scores.schema)
    mixed = scores.select(scores.column_names[::-1])
    wide = mixed.set_column(0, "is_true", mixed["is_true"].cast(pa.int8()))
    for part in (scores.to_batches(), iter(scores.to_batches()), mixed, wide, scores.to_pandas()):
        states = [piece for _, piece in stages.states_of(part)]
        assert stages.result_of(states) == query(sql, rows=scores)
    with pytest.raises(ValueError, match="rows: no column base; there are explainer"):
        list(stages.states_of(scores.drop(["base"])))


def test_stages_with_small_tables_and_without_states(scores):
    names = pa.table({"explainer": ["lime", "random"], "kind": ["local", "none"]})
    sql = "SELECT kind, average_drop(base, masked) AS drop FROM rows JOIN names USING (explainer) GROUP BY kind"
    stages = pickle.loads(pickle.dumps(TwoStages(sql, scores.schema, names=names)))
    states = [piece for part in parts_of(scores, 5) for _, piece in stages.states_of(part)]
    expected = query(f"{sql} ORDER BY kind", rows=scores, names=names)
    assert stages.result_of(states).sort_by("kind") == expected
    each = TwoStages("SELECT base - masked AS d FROM rows WHERE label = 1", scores.schema)
    assert not each.has_states
    rows = pa.Table.from_batches(each.partial(scores), each.schema)
    assert rows.num_rows == np.count_nonzero(scores["label"].to_numpy() == 1)
    with pytest.raises(ValueError, match="ORDER BY or LIMIT is not possible"):
        TwoStages("SELECT base FROM rows ORDER BY base", scores.schema)


def test_large_states_are_sent_in_pieces(scores, monkeypatch):
    import xai_metrics_sql._stages as module

    monkeypatch.setattr(module, "_PIECE", 1000)
    sql = "SELECT label, explainer, groundtruth_auroc(masked, is_true) AS auroc FROM rows GROUP BY label, explainer"
    stages = TwoStages(sql, scores.schema)
    pieces = [piece for _, piece in stages.states_of(scores)]
    assert len(pieces) == 12
    order = [("label", "ascending"), ("explainer", "ascending")]
    assert stages.result_of(pieces).sort_by(order) == query(sql, rows=scores).sort_by(order)


def test_damaged_states_and_those_of_other_queries_are_refused(scores):
    stages = TwoStages("SELECT average_drop(base, masked) AS d FROM rows", scores.schema)
    other = TwoStages("SELECT groundtruth_f1(masked, is_true) AS f FROM rows", scores.schema)
    ((_, states),) = stages.states_of(scores)
    with pytest.raises((ValueError, KeyError)):
        other.result_of([states])
    with pytest.raises((ValueError, OSError)):
        stages.result_of([states[:-40]])


def test_queries_on_dask(scores, tmp_path):
    """Of files and of data frames, in two processes."""
    import dask as the_engine
    import pyarrow.parquet
    from dask import dataframe
    from xai_metrics import dask

    for at, part in enumerate(parts_of(scores, 4)):
        pyarrow.parquet.write_table(part, tmp_path / f"{at}.parquet")
    sql = "SELECT kind AS explainer, average_drop(base, masked) AS drop FROM rows JOIN names USING (explainer) GROUP BY kind"
    names = {"explainer": ["lime", "random"], "kind": ["local", "none"]}
    filtered = "SELECT explainer, base + masked AS total FROM rows WHERE masked > 0.999"
    with the_engine.config.set(scheduler="processes", num_workers=2):
        for rows in (str(tmp_path / "*.parquet"), dataframe.read_parquet(tmp_path)):
            assert sorted_rows(dask.query(GROUPED, rows=rows)) == sorted_rows(query(GROUPED, rows=scores))
            assert sorted_rows(dask.query(sql, rows=rows, names=names)) == sorted_rows(query(sql, rows=scores, names=names))
            assert sorted_rows(dask.query(filtered, rows=rows)) == sorted_rows(query(filtered, rows=scores))
            assert dask.query("SELECT count(*) AS n FROM rows", rows=rows)["n"].to_pylist() == [scores.num_rows]
    with pytest.raises(ValueError, match="expected one data frame of Dask, or paths of files, got 0"):
        dask.query("SELECT count(*) FROM names", names=names)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="reads /proc")
def test_memory_does_not_grow(scores):
    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    stages = TwoStages(GROUPED, scores.schema)
    small = scores.slice(0, 500)

    def calls() -> None:
        query("SELECT average_drop(base, masked) FROM t", t=small, threads=2)
        stages.result_of(piece for _, piece in stages.states_of(small))

    for _ in range(50):
        calls()
    before = resident()
    for _ in range(200):
        calls()
    assert resident() - before < 30e6
