"""Average Drop by explainer from the engines that take our functions, and by their own formulas: rows per second and memory.

    python engines.py [--rows 50000000] [--rounds 3] [NAME ...]

Each engine runs in a process of its own, on two cores, over the same Parquet files; a time is the best of the rounds, without the start
of the engine. Memory is the most that the process and its children held together. NAME: one of `--list`.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

CORES = 2
FORMULA = "avg(greatest(0, base - masked) / (base + 1e-8))"
OURS = "SELECT explainer, average_drop(base, masked) AS drop FROM rows GROUP BY explainer"

parser = argparse.ArgumentParser()
parser.add_argument("names", nargs="*")
parser.add_argument("--rows", type=int, default=50_000_000)
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("data"))
parser.add_argument("--list", action="store_true")
parser.add_argument("--one", help="run this engine here")
asked = parser.parse_args()
FOLDER = asked.data / f"engines-{asked.rows}"
FILES = f"{FOLDER}/*.parquet"


def make(folder):
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    names = pa.array([f"explainer-{i:04}" for i in range(1000)])
    part = folder.with_name(f"part-{folder.name}")
    part.mkdir(parents=True, exist_ok=True)
    for file in range(16):
        n = asked.rows // 16
        codes = pa.DictionaryArray.from_arrays(pa.array(rng.integers(0, 1000, n, dtype=np.int32)), names)
        table = pa.table({"explainer": codes.cast(pa.string()), "base": rng.random(n), "masked": rng.random(n)})
        pq.write_table(table, part / f"{file:02}.parquet")
    part.rename(folder)


def ours_of_dataset():
    import pyarrow.dataset
    from xai_metrics_sql import query

    return lambda: query(OURS, rows=pyarrow.dataset.dataset(FOLDER), threads=CORES)


def ours_of_files():
    from xai_metrics_sql import query

    return lambda: query(OURS.replace("rows", f"'{FOLDER.absolute()}/'"), threads=CORES)


def ours_of_duckdb():
    import duckdb
    from xai_metrics_sql import query

    session = duckdb.connect(config={"threads": CORES})
    return lambda: query(OURS, rows=session.sql(f"SELECT explainer, base, masked FROM '{FILES}'"), threads=CORES)


def ours_of_polars():
    import polars
    from xai_metrics_sql import query

    return lambda: query(OURS, rows=polars.scan_parquet(FILES), threads=CORES)


def datafusion_session():
    import datafusion

    session = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(CORES))
    session.register_parquet("rows", str(FOLDER))
    return session


def ours_in_datafusion():
    from xai_metrics_sql import register

    session = datafusion_session()
    register(session)
    return lambda: session.sql(OURS).to_arrow_table()


def in_datafusion():
    session = datafusion_session()
    return lambda: session.sql(OURS.replace("average_drop(base, masked)", FORMULA)).to_arrow_table()


def in_duckdb():
    import duckdb

    session = duckdb.connect(config={"threads": CORES, "enable_external_file_cache": False})
    sql = OURS.replace("average_drop(base, masked)", FORMULA).replace("FROM rows", f"FROM '{FILES}'")
    return lambda: session.sql(sql).to_arrow_table()


def in_polars():
    import polars

    base, masked = polars.col("base"), polars.col("masked")
    drops = (polars.max_horizontal(polars.lit(0.0), base - masked) / (base + 1e-8)).mean().alias("drop")
    plan = polars.scan_parquet(FILES).group_by("explainer").agg(drops)
    return lambda: plan.collect(engine="streaming").to_arrow()


def in_pandas():
    import pandas

    def run():
        frame = pandas.read_parquet(FOLDER)
        frame["drop"] = (frame.base - frame.masked).clip(lower=0) / (frame.base + 1e-8)
        return frame.groupby("explainer", as_index=False)["drop"].mean()

    return run


def spark_rows():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master(f"local[{CORES}]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "4g")
        .config("spark.log.level", "OFF")
        .getOrCreate()
    )
    return session, session.read.parquet(str(FOLDER))


def ours_on_spark():
    from xai_metrics import spark

    _, rows = spark_rows()
    return lambda: spark.query(OURS, rows=rows).toArrow()


def in_spark():
    session, rows = spark_rows()
    rows.createOrReplaceTempView("rows")
    return lambda: session.sql(OURS.replace("average_drop(base, masked)", FORMULA)).toArrow()


ENGINES = {
    "query() of files": ours_of_files,
    "query() of a pyarrow data set": ours_of_dataset,
    "query() of a DuckDB relation": ours_of_duckdb,
    "query() of a Polars plan": ours_of_polars,
    "register() in datafusion": ours_in_datafusion,
    "spark.query()": ours_on_spark,
    "formula in datafusion": in_datafusion,
    "formula in DuckDB": in_duckdb,
    "formula in Polars": in_polars,
    "formula in pandas": in_pandas,
    "formula in Spark": in_spark,
}


def held(process):
    """The bytes that a process and its children hold."""
    total = 0
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents = folder.joinpath("stat").read_text().rpartition(")")[2].split()
            below, at = {int(folder.name)}, int(parents[1])
            while at not in (0, 1) and at not in below and process not in below:
                below.add(at)
                at = int(pathlib.Path(f"/proc/{at}/stat").read_text().rpartition(")")[2].split()[1])
            if process in below | {at}:
                total += int(folder.joinpath("statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            continue
    return total


def one(name):
    """Runs an engine, and prints its best time, its memory and a mean of its answers."""
    run, most = ENGINES[name](), [0]

    def watch():
        while True:
            most[0] = max(most[0], held(os.getpid()))
            time.sleep(0.05)

    threading.Thread(target=watch, daemon=True).start()
    best = float("inf")
    for at_round in range(asked.rounds + 1):
        start = time.perf_counter()
        answer = run()
        if at_round or not asked.rounds:
            best = min(best, time.perf_counter() - start)
    drops = sorted(answer["drop"].tolist() if hasattr(answer["drop"], "tolist") else answer["drop"].to_pylist())
    print(json.dumps({"seconds": best, "bytes": most[0], "groups": len(drops), "sum": sum(drops)}))


if asked.list:
    print("\n".join(ENGINES))
elif asked.one:
    one(asked.one)
else:
    if not FOLDER.exists():
        make(FOLDER)
    expected = None
    print(f"| {asked.rows:,} rows, {CORES} cores | seconds | million rows a second | memory |\n|---|---:|---:|---:|")
    for name in asked.names or ENGINES:
        options = ["--rows", str(asked.rows), "--rounds", str(asked.rounds), "--data", str(asked.data), "--one", name]
        done = subprocess.run([sys.executable, "-W", "ignore", __file__, *options], stdout=subprocess.PIPE, text=True, check=True)
        found = json.loads(done.stdout.splitlines()[-1])
        expected = expected or found
        assert found["groups"] == expected["groups"], name
        assert abs(found["sum"] - expected["sum"]) < 1e-9 * expected["sum"], name
        rate = asked.rows / found["seconds"] / 1e6
        print(f"| {name} | {found['seconds']:.2f} | {rate:.1f} | {found['bytes'] / 1e9:.2f} GB |", flush=True)
