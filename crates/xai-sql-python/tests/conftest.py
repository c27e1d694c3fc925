"""Rows, a local Spark cluster and its processes, shared by the tests."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest


def made_up(n: int = 20_000, seed: int = 7) -> pa.Table:
    """Scores, classes and truth of three explainers; some scores of one of them are missing."""
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.05, 1.0, n)
    masked = rng.uniform(0.0, 1.0, n)
    explainers = np.array(["gradients", "lime", "random"])[rng.choice(3, n, p=[0.9, 0.09, 0.01])]
    return pa.table(
        {
            "explainer": explainers,
            "base": base,
            "masked": pa.array(masked, mask=(explainers == "lime") & (rng.random(n) < 0.1)),
            "label": rng.integers(0, 4, n),
            "run_1": rng.integers(0, 4, n),
            "run_2": rng.integers(0, 4, n),
            "is_true": rng.random(n) < 0.3,
        }
    )


def by_explainer(table) -> dict:
    """The rows of a result, of Spark or of pyarrow, by their explainer."""
    rows = table.to_pylist() if isinstance(table, pa.Table) else [row.asDict(True) for row in table.collect()]
    return {row.pop("explainer"): row for row in rows}


def wait_until(condition: Callable[[], bool], otherwise: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, otherwise
        time.sleep(0.1)


@pytest.fixture(scope="session")
def scores() -> pa.Table:
    return made_up()


@pytest.fixture(scope="module")
def session(request):
    """A Spark session with two executors. Spark's own error says so if there is no Java runtime."""
    pyspark = pytest.importorskip("pyspark")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    # Workers cannot import the test's module, so its functions are pickled by value.
    pyspark.cloudpickle.register_pickle_by_value(request.module)
    from pyspark.sql import SparkSession

    made = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executor.memory", "512m")
        .config("spark.log.level", "OFF")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
        .getOrCreate()
    )
    yield made
    made.stop()


@pytest.fixture
def processes():
    """A function from a word to the processes below this one whose command line has it."""
    psutil = pytest.importorskip("psutil")

    def with_word(word: str) -> list:
        found = []
        for process in psutil.Process().children(recursive=True):
            try:
                if word in " ".join(process.cmdline()) and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
            except psutil.NoSuchProcess:
                pass
        return found

    return with_word
