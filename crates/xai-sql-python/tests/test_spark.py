"""Metrics on Spark: two executors with a worker each, which are killed in the middle."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from conftest import by_explainer
from xai_metrics import _table_files, repro, spark
from xai_metrics.casebased import Audit, CaseExplainer
from xai_metrics.graph import GroundTruthAccumulator
from xai_metrics_sql import query

pytest.importorskip("pyspark")
# pyspark warns about pandas 3 and leaves files open.
pytestmark = pytest.mark.filterwarnings("ignore")

GROUPED = (
    "SELECT explainer, average_drop(base, masked) AS drop, exact_avg(masked) AS mean, "
    "groundtruth_auroc(masked, is_true) AS auroc, n_null(masked) AS missing FROM scores GROUP BY explainer"
)


@pytest.fixture(scope="module")
def frame(session, scores):
    return session.createDataFrame(scores).repartition(8).cache()


def test_queries_have_the_bits_of_one_process(frame, scores):
    result = spark.query(GROUPED, scores=frame)
    assert result.columns == ["explainer", "drop", "mean", "auroc", "missing"]
    assert by_explainer(result) == by_explainer(query(GROUPED, scores=scores))
    ordered = result.select("explainer", "mean.low").orderBy("explainer").limit(2).collect()
    assert [row.explainer for row in ordered] == ["gradients", "lime"]


def test_queries_without_groups_rows_and_aggregates(frame, scores):
    total = "SELECT exact_avg(base) AS mean, count(*) AS n FROM scores"
    ((mean, n),) = spark.query(total, scores=frame).collect()
    assert mean.asDict() == query(total, scores=scores).to_pylist()[0]["mean"] and n == scores.num_rows
    nothing = frame.where("base > 2")
    assert spark.query(total, scores=nothing).collect()[0].n == 0
    assert spark.query(GROUPED, scores=nothing).collect() == []
    rows = "SELECT feature_distance(make_array(base), make_array(masked)) AS d FROM scores WHERE masked > 0.5"
    found = np.sort([row.d for row in spark.query(rows, scores=frame).collect()])
    assert found.tolist() == np.sort(query(rows, scores=scores)["d"].to_numpy()).tolist()


def test_columns_that_are_not_read_are_not_sent(session):
    rows = session.sql("SELECT id AS other, id % 2 AS `a.b`, cast(id AS double) AS `x y` FROM range(100)")
    assert spark.query("SELECT exact_sum(other) AS s FROM rows", rows=rows).collect()[0].s == 4950.0
    sql = 'SELECT "a.b" AS explainer, exact_sum("x y") AS s FROM rows GROUP BY "a.b"'
    assert by_explainer(spark.query(sql, rows=rows)) == {0: {"s": 2450.0}, 1: {"s": 2500.0}}
    assert spark.query("SELECT count(*) AS n FROM rows", rows=rows).collect()[0].n == 100


@pytest.fixture(scope="module")
def folder(scores, tmp_path_factory):
    """The scores in five files, of four row groups each."""
    folder = tmp_path_factory.mktemp("scores")
    for at in range(5):
        n = scores.num_rows // 5
        pq.write_table(scores.slice(at * n, n), folder / f"{at}.parquet", row_group_size=n // 4)
    return folder


@pytest.mark.parametrize("task_bytes", [10_000, 1 << 25])
def test_tasks_read_files_with_the_bits_of_one_process(session, scores, folder, monkeypatch, task_bytes):
    monkeypatch.setattr(_table_files, "TASK_BYTES", task_bytes)
    expected = by_explainer(query(GROUPED, scores=scores))
    for paths in (folder, str(folder / "*.parquet"), [folder / f"{at}.parquet" for at in (3, 1, 0, 4, 2)]):
        assert by_explainer(spark.query(GROUPED, scores=paths)) == expected
    total = "SELECT exact_avg(base) AS mean, count(*) AS n FROM scores"
    ((mean, n),) = spark.query(total, scores=folder).collect()
    assert mean.asDict() == query(total, scores=scores).to_pylist()[0]["mean"] and n == scores.num_rows
    assert spark.query("SELECT count(*) AS n FROM scores", scores=folder).collect()[0].n == scores.num_rows
    names = {"explainer": ["lime", "random"], "kind": ["local", "none"]}
    rows = "SELECT kind, base FROM scores JOIN names USING (explainer) WHERE masked > 0.5"
    found = sorted(map(tuple, spark.query(rows, scores=folder, names=names).collect()))
    assert found == sorted(tuple(row.values()) for row in query(rows, scores=scores, names=names).to_pylist())


def test_files_of_other_formats_and_types(session, scores, tmp_path):
    typed = pa.table(
        {
            "word": pa.array(["a", "b", None] * 4).dictionary_encode(),
            "moment": pa.array(np.arange(12), pa.timestamp("ns", "UTC")).cast(pa.timestamp("us", "UTC"), safe=False),
            "few": pa.array([*range(11), 200], pa.uint8()),
            "x": np.arange(12.0),
        }
    )
    pq.write_table(typed, tmp_path / "a.parquet")
    sql = "SELECT word, few, max(moment) AS moment, exact_sum(x) AS s FROM rows GROUP BY word, few"
    found = {(row.word, row.few): row.s for row in spark.query(sql, rows=tmp_path).collect()}
    assert found == {(word, few): s for word, few, s in zip(typed["word"].to_pylist(), typed["few"].to_pylist(), np.arange(12.0))}
    kept = scores.select(["explainer", "base", "masked"])
    pyarrow.csv.write_csv(kept, tmp_path / "b.csv")
    sql = "SELECT explainer, average_drop(base, masked) AS drop FROM rows GROUP BY explainer"
    assert by_explainer(spark.query(sql, rows=tmp_path / "b.csv")) == by_explainer(query(sql, rows=kept))


def test_accumulators_and_explanations_of_files(session, scores, folder):
    def update(state, batch):
        state.update(batch["base"].to_numpy(), batch["is_true"].to_numpy(zero_copy_only=False))

    found = spark.accumulate(folder, GroundTruthAccumulator, update, by="explainer")
    for explainer, part in scores.to_pandas().groupby("explainer"):
        expected = GroundTruthAccumulator().update(part.base.to_numpy(), part.is_true.to_numpy())
        assert found[explainer].finish() == expected.finish()
    with pytest.raises(ValueError, match="no column kind; there are explainer"):
        spark.accumulate(folder, GroundTruthAccumulator, update, by="kind")
    train = np.random.default_rng(1).normal(size=(300, 2))
    explainer = CaseExplainer(train, np.arange(300) % 4, k=3)
    there = spark.explain(folder, explainer, features=["base", "label"], predicted="run_1")
    made = there.select("base", "correspondence").orderBy("base").toArrow()
    rows = scores.sort_by("base")
    here = explainer.explain_arrays(
        np.column_stack([rows["base"], rows["label"]]), predictions=rows["run_1"].to_numpy(), return_provenance=False
    )
    assert made["base"].to_pylist() == rows["base"].to_pylist()
    assert made["correspondence"].to_numpy().tobytes() == here.correspondence.tobytes()


def test_a_file_that_a_worker_cannot_read_is_named_with_the_worker(session, folder, tmp_path):
    with pytest.raises(FileNotFoundError, match="scores: there is no file"):
        spark.query(GROUPED, scores=tmp_path)
    for file in folder.iterdir():
        shutil.copy(file, tmp_path)
    result = spark.query(GROUPED, scores=tmp_path)
    (tmp_path / "3.parquet").unlink()
    with pytest.raises(Exception, match=rf"3\.parquet: cannot be read by the worker on {socket.gethostname()}"):
        result.collect()


def test_small_tables_go_to_each_task(frame, scores):
    names = {"explainer": ["lime", "random"], "kind": ["local", "none"]}
    sql = "SELECT kind AS explainer, average_drop(base, masked) AS drop FROM scores JOIN names USING (explainer) GROUP BY kind"
    assert by_explainer(spark.query(sql, scores=frame, names=names)) == by_explainer(
        query(sql, scores=scores, names=names)
    )


def test_keys_and_values_of_all_types_of_spark(session):
    typed = session.sql(
        "SELECT id % 3 = 0 AS b, cast(id % 4 AS tinyint) AS i, cast(id % 5 AS decimal(10, 2)) AS d, "
        "date_add(date'2026-01-01', cast(id % 2 AS int)) AS day, cast('2026-01-01' AS timestamp) AS moment, "
        "array(cast(id AS float), 0.5f) AS outputs, named_struct('x', id * 1.5d) AS nested, "
        "if(id % 2 = 0, 'even', null) AS word FROM range(1000)"
    )
    sql = (
        "SELECT b, i, d, day, moment, word, n_null(word) AS missing, unfaithfulness(outputs, outputs) AS u, "
        "exact_sum(nested['x']) AS s FROM rows GROUP BY b, i, d, day, moment, word"
    )
    found = spark.query(sql, rows=typed)
    assert found.count() == 2 * 4 * 5
    assert sum(row.s for row in found.collect()) == 1.5 * 999 * 500
    assert sum(row.missing for row in found.collect()) == 500


def test_wrong_queries_are_refused_before_anything_runs(frame):
    with pytest.raises(ValueError, match="ORDER BY or LIMIT is not possible"):
        spark.query(f"{GROUPED} ORDER BY explainer", scores=frame)
    with pytest.raises(ValueError, match="expected one data frame of Spark, or paths of files, got 2"):
        spark.query("SELECT 1 FROM a JOIN b ON true", a=frame, b=frame)
    with pytest.raises(ValueError, match="expected one data frame of Spark, or paths of files, got 0"):
        spark.query("SELECT 1 AS n")
    with pytest.raises(ValueError, match="No field named bas"):
        spark.query("SELECT exact_sum(bas) AS s FROM scores", scores=frame)


def test_accumulators_by_group(frame, scores):
    def update(state, batch):
        state.update(batch["base"].to_numpy(), batch["is_true"].to_numpy(zero_copy_only=False))

    found = spark.accumulate(frame, GroundTruthAccumulator, update, by="explainer")
    table = scores.to_pandas()
    assert sorted(found) == ["gradients", "lime", "random"]
    for explainer, part in table.groupby("explainer"):
        expected = GroundTruthAccumulator().update(part.base.to_numpy(), part.is_true.to_numpy())
        assert found[explainer].finish() == expected.finish()
    with pytest.raises(ValueError, match="no column kind; there are explainer"):
        spark.accumulate(frame, GroundTruthAccumulator, update, by="kind")
    pairs = spark.accumulate(frame, GroundTruthAccumulator, update, by=["explainer", "label"])
    assert len(pairs) == 12 and ("lime", 3) in pairs
    with_missing = frame.selectExpr("if(masked > 0.5, double('nan'), masked + null) as key", "base", "is_true")
    assert {repr(key) for key in spark.accumulate(with_missing, GroundTruthAccumulator, update, by="key")} == {"None", "nan"}


def test_runs_and_audits(session, frame, scores):
    def runs(state, batch):
        state.update([batch["run_1"].to_numpy(), batch["run_2"].to_numpy()], batch["label"].to_numpy())

    found = spark.accumulate(frame, repro.PairwiseAccumulator, runs).finish()
    table = scores.to_pandas()
    expected = repro.pairwise([table.run_1, table.run_2], table.label)
    for name in expected.metrics:
        assert found.pairs(name).tobytes() == expected.pairs(name).tobytes()
    empty = spark.accumulate(frame.where("base > 2"), repro.PairwiseAccumulator, runs)
    assert empty.n_samples == 0

    train = np.random.default_rng(1).normal(size=(300, 2))
    explainer = CaseExplainer(train, (train[:, 0] > 0).astype(int), k=3)

    def audited(audit, batch):
        rows = np.column_stack([batch["base"], batch["label"]])
        audit.update(rows, y_test=batch["run_1"].to_numpy() % 2, predictions=batch["run_2"].to_numpy() % 2)

    there = spark.accumulate(frame, lambda: Audit(explainer), audited).finish()
    here = Audit(explainer)
    for batch in scores.to_batches():
        audited(here, batch)
    here = here.finish()
    assert there.mean_correspondence == here.mean_correspondence
    assert there.by_level == here.by_level and there.n_samples == scores.num_rows


def test_explanations_by_nearest_cases(session):
    rng = np.random.default_rng(3)
    train, test = rng.normal(size=(500, 3)), rng.normal(size=(2000, 3))
    labels = np.where(train[:, 0] > 0, "yes", "no")
    explainer = CaseExplainer(train, labels, k=4)
    predicted = np.where(test[:, 0] > 0.2, "yes", "no")
    rows = pa.table({"id": np.arange(2000), "a": test[:, 0], "b": test[:, 1], "c": test[:, 2], "predicted": predicted})
    frame = session.createDataFrame(rows).repartition(3)
    found = spark.explain(frame, explainer, features=["a", "b", "c"], predicted="predicted").orderBy("id").toArrow()
    here = explainer.explain_arrays(test, predictions=predicted)
    assert found["correspondence"].to_numpy().tobytes() == here.correspondence.tobytes()
    assert found["level"].to_pylist() == here.levels.tolist()
    for rank in range(4):
        assert found[f"neighbor_{rank + 1}"].to_pylist() == here.indices[:, rank].tolist()
        assert found[f"distance_{rank + 1}"].to_numpy().tobytes() == here.distances[:, rank].tobytes()
    lists = frame.selectExpr("id", "array(a, b, c) as x", "predicted")
    again = spark.explain(lists, explainer, features="x", predicted="predicted").orderBy("id").toArrow()
    assert again["correspondence"] == found["correspondence"]
    uneven = frame.selectExpr("if(id = 7, array(a, b), if(id = 8, array(a, b, c, a), array(a, b, c))) as x", "predicted")
    with pytest.raises(Exception, match="x: a list has . numbers, others ."):
        spark.explain(uneven, explainer, features="x", predicted="predicted").collect()
    absent = frame.selectExpr("if(id = 7, null, array(a, b, c)) as x", "predicted")
    with pytest.raises(Exception, match="x: a list is missing"):
        spark.explain(absent, explainer, features="x", predicted="predicted").collect()
    with pytest.raises(ValueError, match="no column d"):
        spark.explain(frame, explainer, features=["d"], predicted="predicted")
    with pytest.raises(ValueError, match="column level exists already; rename it"):
        spark.explain(frame.withColumnRenamed("id", "level"), explainer, features=["a", "b", "c"], predicted="predicted")


def test_an_executor_that_is_killed_changes_no_bit(session, frame, scores, processes, tmp_path):
    """The first task to come kills its executor; the next ones go on."""
    from pyspark.sql.types import StructType

    mark = str(tmp_path / "killed")

    def slowly(batches):
        for number, batch in enumerate(batches):
            if number == 1:
                try:
                    os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    pass
                else:
                    # The daemon of the workers is the parent, and its parent the executor.
                    with open(f"/proc/{os.getppid()}/stat") as file:
                        executor = int(file.read().rpartition(")")[2].split()[1])
                    os.kill(executor, signal.SIGKILL)
                    time.sleep(60)
            yield batch

    before = {process.pid for process in processes("CoarseGrainedExecutorBackend")}
    assert len(before) == 2
    schema: StructType = frame.schema
    there = by_explainer(spark.query(GROUPED, scores=frame.mapInArrow(slowly, schema)))
    assert there == by_explainer(query(GROUPED, scores=scores))
    assert Path(mark).exists()
    assert {process.pid for process in processes("CoarseGrainedExecutorBackend")} != before
