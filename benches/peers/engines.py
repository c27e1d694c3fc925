"""A metric by explainer from the engines that take our functions, and by their own formulas: rows per second and memory.

    python engines.py [--metric average_drop] [--rows 50000000] [--rounds 3] [NAME ...]

The metric is Average Drop, or the exact AUROC against a ground truth (`groundtruth_auroc`), which scikit-learn has, too.

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
FUNCTIONS = {"average_drop": "average_drop(base, masked)", "groundtruth_auroc": "groundtruth_auroc(base, masked > 0.5)"}
FORMULA = "SELECT explainer, avg(greatest(0, base - masked) / (base + 1e-8)) AS value FROM rows GROUP BY explainer"
# With mean ranks of equal scores.
FORMULA_OF_AUROC = """
    SELECT explainer, (sum(place) FILTER (WHERE is_true) - n_true * (n_true + 1) / 2) / (n_true * (count(*) - n_true)) AS value
    FROM (
        SELECT explainer, masked > 0.5 AS is_true, CAST(count(*) FILTER (WHERE masked > 0.5) OVER (PARTITION BY explainer) AS DOUBLE) AS n_true,
            rank() OVER (PARTITION BY explainer ORDER BY base) + (count(*) OVER (PARTITION BY explainer, base) - 1) / 2.0 AS place
        FROM rows
    ) GROUP BY explainer, n_true"""

parser = argparse.ArgumentParser()
parser.add_argument("names", nargs="*")
parser.add_argument("--metric", choices=FUNCTIONS, default="average_drop")
parser.add_argument("--rows", type=int, default=50_000_000)
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("data"))
parser.add_argument("--list", action="store_true")
parser.add_argument("--one", help="run this engine here")
asked = parser.parse_args()
FOLDER = asked.data / f"engines-{asked.rows}"
FILES = f"{FOLDER}/*.parquet"
OURS = f"SELECT explainer, {FUNCTIONS[asked.metric]} AS value FROM rows GROUP BY explainer"


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
    return lambda: session.sql(FORMULA).to_arrow_table()


def in_duckdb(formula=FORMULA):
    import duckdb

    session = duckdb.connect(config={"threads": CORES, "enable_external_file_cache": False})
    return lambda: session.sql(formula.replace("FROM rows", f"FROM '{FILES}'")).to_arrow_table()


def in_polars():
    import polars

    base, masked = polars.col("base"), polars.col("masked")
    drops = (polars.max_horizontal(polars.lit(0.0), base - masked) / (base + 1e-8)).mean().alias("value")
    plan = polars.scan_parquet(FILES).group_by("explainer").agg(drops)
    return lambda: plan.collect(engine="streaming").to_arrow()


def in_pandas():
    import pandas

    def run():
        frame = pandas.read_parquet(FOLDER)
        frame["value"] = (frame.base - frame.masked).clip(lower=0) / (frame.base + 1e-8)
        return frame.groupby("explainer", as_index=False)["value"].mean()

    return run


def auroc_in_polars():
    import polars

    rank = polars.col("base").rank("average").over("explainer")
    is_true = polars.col("masked") > 0.5
    n_true = polars.col("is_true").sum().cast(polars.Float64)
    value = (polars.col("place").filter("is_true").sum() - n_true * (n_true + 1) / 2) / (n_true * (polars.len() - n_true))
    plan = polars.scan_parquet(FILES).select("explainer", place=rank, is_true=is_true).group_by("explainer").agg(value=value)
    return lambda: plan.collect(engine="streaming").to_arrow()


def in_sklearn():
    import pandas
    from sklearn.metrics import roc_auc_score

    def run():
        frame = pandas.read_parquet(FOLDER)
        frame["masked"] = frame.masked > 0.5
        groups = frame.groupby("explainer")
        return {"value": pandas.Series([roc_auc_score(rows.masked, rows.base) for _, rows in groups])}

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


def ours_on_spark_of_files():
    from xai_metrics import spark

    spark_rows()
    return lambda: spark.query(OURS, rows=FOLDER).toArrow()


def in_spark():
    session, rows = spark_rows()
    rows.createOrReplaceTempView("rows")
    return lambda: session.sql(FORMULA).toArrow()


OURS_IN = {
    "query() of files": ours_of_files,
    "query() of a pyarrow data set": ours_of_dataset,
    "query() of a DuckDB relation": ours_of_duckdb,
    "query() of a Polars plan": ours_of_polars,
    "register() in datafusion": ours_in_datafusion,
    "spark.query()": ours_on_spark,
    "spark.query() of files": ours_on_spark_of_files,
}
FORMULAS = {
    "formula in datafusion": in_datafusion,
    "formula in DuckDB": in_duckdb,
    "formula in Polars": in_polars,
    "formula in pandas": in_pandas,
    "formula in Spark": in_spark,
}
FORMULAS_OF_AUROC = {
    "formula in DuckDB": lambda: in_duckdb(FORMULA_OF_AUROC),
    "formula in Polars": auroc_in_polars,
    "scikit-learn, by groups of pandas": in_sklearn,
}
ENGINES = OURS_IN | (FORMULAS if asked.metric == "average_drop" else FORMULAS_OF_AUROC)


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
    values = answer["value"]
    values = sorted(values.tolist() if hasattr(values, "tolist") else values.to_pylist())
    print(json.dumps({"seconds": best, "bytes": most[0], "groups": len(values), "sum": sum(values)}))


unknown = [name for name in asked.names if name not in ENGINES]
if unknown:
    parser.error(f"no engine {unknown[0]!r}: see --list")
elif asked.list:
    print("\n".join(ENGINES))
elif asked.one:
    one(asked.one)
else:
    if not FOLDER.exists():
        make(FOLDER)
    expected = None
    print(f"| {asked.rows:,} rows, {CORES} cores | seconds | million rows a second | memory |\n|---|---:|---:|---:|")
    for name in asked.names or ENGINES:
        options = ["--metric", asked.metric, "--rows", str(asked.rows), "--rounds", str(asked.rounds)]
        options += ["--data", str(asked.data), "--one", name]
        done = subprocess.run([sys.executable, "-W", "ignore", __file__, *options], stdout=subprocess.PIPE, text=True, check=True)
        found = json.loads(done.stdout.splitlines()[-1])
        expected = expected or found
        assert found["groups"] == expected["groups"], name
        assert abs(found["sum"] - expected["sum"]) < 1e-9 * expected["sum"], name
        rate = asked.rows / found["seconds"] / 1e6
        print(f"| {name} | {found['seconds']:.2f} | {rate:.1f} | {found['bytes'] / 1e9:.2f} GB |", flush=True)
