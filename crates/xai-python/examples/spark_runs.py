"""Error consistency over a table of Spark, a column a run, by `mapInArrow`.

Each task folds its batches into a state, and gives the state as a row; the driver merges them. The
result is that of one process, to the last bit, however the table is partitioned.

Needs `pip install pyspark pyarrow` and a Java runtime.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql import SparkSession

from xai_metrics import repro

N_RUNS, N_SAMPLES = 5, 20_000


def table() -> pd.DataFrame:
    """The labels, and the predictions of each run."""
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 4, N_SAMPLES)
    is_hard = rng.random(N_SAMPLES) < 0.3
    columns = {"label": labels}
    for run in range(N_RUNS):
        columns[f"run_{run}"] = np.where(is_hard, rng.integers(0, 4, N_SAMPLES), labels)
    return pd.DataFrame(columns)


def states(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The state of a task's batches as one row."""
    state = repro.PairwiseAccumulator(n_jobs=1)
    for batch in batches:
        runs = [batch.column(f"run_{run}").to_numpy() for run in range(N_RUNS)]
        state.update(runs, batch.column("label").to_numpy())
    yield pa.RecordBatch.from_pydict({"state": [pickle.dumps(state)]})


def main() -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (
        SparkSession.builder.master("local[2]")
        .appName("error consistency")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .getOrCreate()
    )
    data = table()
    rows = spark.createDataFrame(data).repartition(4).mapInArrow(states, "state binary").collect()
    spark.stop()

    merged = repro.PairwiseAccumulator()
    for row in rows:
        merged.merge(pickle.loads(bytes(row.state)))
    runs = merged.finish()
    here = repro.pairwise(data.drop(columns="label"), data["label"])
    assert runs.n_samples == N_SAMPLES
    for name in here.metrics:
        assert runs.pairs(name).tobytes() == here.pairs(name).tobytes(), name
        print(f"{name:16} {runs.summary(name).mean:.4f}")
    print(f"{len(rows)} states, the same bits as in one process")


if __name__ == "__main__":
    main()
