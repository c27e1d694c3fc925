"""SQL side by side: `xai-sql` as a process (its start included) beside DuckDB, Polars and scikit-learn in this one.

All read the same Parquet files and take turns; a time is the best of the rounds.

    python sql.py --xai-sql PATH [--throughput PATH] [--share 0.001] [--rounds 3] [NAME ...]

`--share` makes the data smaller, to try the script. NAME: drop auroc pairwise explain nearest throughput.
"""

import argparse
import itertools
import os
import pathlib
import platform
import subprocess
import sys
import time

CORES = 2
os.environ |= {"POLARS_MAX_THREADS": str(CORES), "OMP_NUM_THREADS": str(CORES), "OPENBLAS_NUM_THREADS": str(CORES)}

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import sklearn
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import NearestNeighbors

parser = argparse.ArgumentParser()
parser.add_argument("names", nargs="*")
parser.add_argument("--xai-sql", required=True)
parser.add_argument("--throughput", help="the example `throughput` of xai-datafusion")
parser.add_argument("--share", type=float, default=1.0)
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("data"))
asked = parser.parse_args()
DATA = asked.data / f"{asked.share:g}"
DATA.mkdir(parents=True, exist_ok=True)
# DuckDB keeps files in memory otherwise, which a new process cannot.
DUCK = duckdb.connect(config={"threads": CORES, "enable_external_file_cache": False})
RNG = np.random.default_rng(0)


def rows(n):
    return max(100, int(n * asked.share))


def once(path, make):
    """A file or folder that is made once; it is there when it is whole."""
    path = DATA / path
    if not path.exists():
        part = path.with_name("part-" + path.name)
        make(part)
        part.rename(path)
    return str(path)


def xai_sql(*arguments):
    done = subprocess.run([asked.xai_sql, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def ours(query, *arguments):
    """A query by our program, its rows as a table."""
    out = DATA / "ours.parquet"
    out.unlink(missing_ok=True)
    xai_sql("sql", query, "--out", out, *arguments)
    return pq.read_table(out)


def duck(query):
    return DUCK.sql(query).to_arrow_table()


def turns(work, sides, tolerance=1e-9, compared=None):
    """Times each side in turns; each answers with numbers, which are compared with those of the first."""
    best, answers = {}, {}
    for at_round in range(-1, asked.rounds):
        for name, run in sides.items():
            time.sleep(0.3)
            start = time.perf_counter()
            answer = run()
            took = time.perf_counter() - start
            answers[name] = np.asarray(answer)
            # The first run fills the cache of files and is not counted, but where there is no other.
            if at_round >= 0 or asked.rounds == 0:
                best[name] = min(best.get(name, np.inf), took)
    first, *_ = sides
    fastest = min((t for name, t in best.items() if not name.startswith("ours")), default=None)
    print(f"\n{work}")
    for name, took in best.items():
        a, b = answers[name], answers[first]
        if a.dtype.kind in "iu" and a.shape == b.shape:
            verdict = f"{(a == b).mean():.4%} equal"
        else:
            verdict = f"within {np.abs(a - b).max():.1e}" if a.shape == b.shape else f"DIFFERS: {a.shape}, {b.shape}"
            if a.shape == b.shape and not np.allclose(a, b, rtol=tolerance, atol=tolerance):
                verdict = "DIFFERS: " + verdict
        ratio = f"{fastest / took:6.2f}x the best peer" if name.startswith("ours") and fastest else ""
        print(f"  {name:<40} {took:8.3f} s  {verdict:<24} {ratio}", flush=True)


def start_of_process():
    turns("fixed cost: SELECT 1", {"ours": lambda: ours("SELECT 1 AS x")["x"].to_numpy()})


def scores(folder, n, n_files=4):
    """Random scores of at most 1 000 explainers, whose names are stored as a dictionary."""
    folder.mkdir()
    names = pa.array([f"explainer-{at:04}" for at in range(min(1000, n))])
    for at in range(n_files):
        size = n * (at + 1) // n_files - n * at // n_files
        explainers = pa.DictionaryArray.from_arrays(RNG.integers(0, len(names), size, dtype=np.int32), names)
        columns = {"explainer": explainers, "base": 1 - RNG.random(size), "masked": RNG.random(size)}
        stored = {"compression": "none", "use_dictionary": ["explainer"]}
        pq.write_table(pa.table(columns), folder / f"part-{at:05}.parquet", **stored)


def drop():
    n = rows(50_000_000)
    folder = once("scores", lambda part: scores(part, n))
    formula = "avg(greatest(0, base - masked) / (base + 1e-8))"
    drops = (pl.max_horizontal(pl.lit(0.0), pl.col("base") - pl.col("masked")) / (pl.col("base") + 1e-8)).mean()
    in_polars = pl.scan_parquet(f"{folder}/*.parquet").group_by("explainer").agg(drops.alias("drop"))


    def in_order(table):
        names = table["explainer"].cast(pa.string()).to_numpy(zero_copy_only=False).astype(str)
        return table["drop"].to_numpy()[np.argsort(names)]

    turns(f"average_drop of {n:,} rows by explainer, 4 files, {min(1000, n)} groups", {
        "ours": lambda: in_order(ours(f"SELECT explainer, average_drop(base, masked) AS drop FROM '{folder}' GROUP BY explainer")),
        "duckdb": lambda: in_order(duck(f"SELECT explainer, {formula} AS drop FROM '{folder}/*.parquet' GROUP BY explainer")),
        "polars": lambda: in_polars.collect().sort("explainer")["drop"].to_numpy(),
        "polars streaming": lambda: in_polars.collect(engine="streaming").sort("explainer")["drop"].to_numpy(),
    })


def auroc():
    n = rows(10_000_000)

    def make(part):
        truth = RNG.random(n) < 0.3
        pq.write_table(pa.table({"mask": RNG.random(n) * 0.8 + 0.2 * truth, "truth": truth}), part)

    file = once("auroc.parquet", make)
    # The scores are all different, so ranks need no means over ties.
    ranks = f"SELECT truth, row_number() OVER (ORDER BY mask) AS r FROM '{file}'"
    in_duck = f"""SELECT (sum(r) FILTER (truth) - count(*) FILTER (truth) * (count(*) FILTER (truth) + 1) / 2)
                         / (count(*) FILTER (truth)::DOUBLE * count(*) FILTER (NOT truth)) AS a FROM ({ranks})"""

    def in_polars():
        table = pl.scan_parquet(file).select(pl.col("truth"), pl.col("mask").rank("ordinal").alias("r"))
        p, r, n_all = table.select(pl.col("truth").sum().alias("p"), pl.col("r").filter(pl.col("truth")).cast(pl.Int64).sum().alias("s"), pl.len()).collect().row(0)
        return [(r - p * (p + 1) / 2) / (p * (n_all - p))]

    def in_sklearn():
        table = pd.read_parquet(file)
        return [roc_auc_score(table["truth"], table["mask"])]

    turns(f"exact AUROC of {n:,} rows", {
        "ours": lambda: ours(f"SELECT groundtruth_auroc(mask, truth) AS a FROM '{file}'")["a"].to_numpy(),
        "duckdb": lambda: [float(x) for x in duck(in_duck)["a"].to_pylist()],
        "polars": in_polars,
        "scikit-learn": in_sklearn,
    })


def pairwise():
    n, n_runs = rows(2_000_000), 5

    def make(part):
        label = RNG.integers(0, 10, n)
        wrong = RNG.random((n, n_runs)) < 0.15
        runs = np.where(wrong, RNG.integers(0, 10, (n, n_runs)), label[:, None])
        lists = pa.ListArray.from_arrays(np.arange(0, n * n_runs + 1, n_runs, dtype=np.int32), runs.ravel())
        pq.write_table(pa.table({"label": label, "predictions": lists}), part)

    file = once("runs.parquet", make)
    pairs = list(itertools.combinations(range(n_runs), 2))
    # Both formulas of each pair, of errors that are computed once per row.
    errors = ", ".join(f"predictions[{i + 1}] <> label AS e{i}, predictions[{i + 1}] AS p{i}" for i in range(n_runs))
    local = [f"count(*) FILTER (e{i} AND e{j})::DOUBLE / count(*) FILTER (e{i} OR e{j})" for i, j in pairs]
    same = [f"count(*) FILTER (p{i} = p{j})::DOUBLE / count(*)" for i, j in pairs]
    mean = lambda formulas: f"({' + '.join(formulas)}) / {len(pairs)}"
    in_duck = f"SELECT {mean(local)} AS l, {mean(same)} AS s FROM (SELECT {errors} FROM '{file}')"

    def in_polars():
        get = [pl.col("predictions").list.get(i).alias(f"p{i}") for i in range(n_runs)]
        table = pl.scan_parquet(file).select("label", *get).with_columns([(pl.col(f"p{i}") != pl.col("label")).alias(f"e{i}") for i in range(n_runs)])
        of_pairs = []
        for i, j in pairs:
            e, f = pl.col(f"e{i}"), pl.col(f"e{j}")
            of_pairs += [((e & f).sum() / (e | f).sum()).alias(f"l{i}{j}"), (pl.col(f"p{i}") == pl.col(f"p{j}")).mean().alias(f"s{i}{j}")]
        values = table.select(of_pairs).collect().row(0)
        return [np.mean(values[::2]), np.mean(values[1::2])]

    def in_ours():
        of_all = ours(f"SELECT pairwise_reproducibility(label, predictions) AS r FROM '{file}'")["r"][0].as_py()
        return [of_all["ec_local"]["mean"], of_all["pa_acc"]["mean"]]

    turns(f"pairwise reproducibility of {n_runs} runs, {n:,} rows (ours: all metrics of pairs; peers: EC_local and agreement)", {
        "ours": in_ours,
        "duckdb": lambda: [duck(in_duck)[c][0].as_py() for c in "ls"],
        "polars": in_polars,
    })


FEATURES, K = 8, 5


def tables_of_cases():
    """Training rows and samples as pandas writes them, without and with a column `id`; the features as columns."""
    n, n_test = rows(1_000_000), rows(10_000)

    def frame(n_rows, target, with_id):
        rng = np.random.default_rng(n_rows)
        table = pd.DataFrame(rng.standard_normal((n_rows, FEATURES)) * np.arange(1, FEATURES + 1), columns=[f"f{i}" for i in range(FEATURES)])
        table[target] = rng.integers(0, 3, n_rows)
        return table.assign(id=np.arange(n_rows)) if with_id else table

    def files(with_id):
        end = "-id" if with_id else ""
        train = once(f"train{end}.parquet", lambda part: frame(n, "label", with_id).to_parquet(part))
        test = once(f"test{end}.parquet", lambda part: frame(n_test, "predicted", with_id).to_parquet(part))
        return train, test

    return n, n_test, files(False), files(True)


def neighbors_in_sklearn(train, test, algorithm, n_jobs=CORES):
    columns = [f"f{i}" for i in range(FEATURES)]
    train, test = (pd.read_parquet(file, columns=columns).to_numpy() for file in (train, test))
    center, spread = train.mean(0), train.std(0)
    search = NearestNeighbors(n_neighbors=K, algorithm=algorithm, n_jobs=n_jobs).fit((train - center) / spread)
    return search.kneighbors((test - center) / spread, return_distance=False)


def ids_of(file):
    return np.stack(pq.read_table(file).sort_by("id")["nearest"].combine_chunks().field("ids").to_numpy(zero_copy_only=False))


def explain():
    n, n_test, plain, with_id = tables_of_cases()
    groups = pq.ParquetFile(plain[0]).metadata.num_row_groups

    def in_ours(files):
        out = DATA / "explained.parquet"
        out.unlink(missing_ok=True)
        xai_sql("explain", "--train", files[0], "--test", files[1], "--out", out, "-k", K)
        return ids_of(out)

    turns(f"the {K} nearest of {n:,} x {FEATURES} for {n_test:,} samples, {groups} row group (ours: explained and written)", {
        "ours, rows numbered": lambda: in_ours(plain),
        "ours, a column id": lambda: in_ours(with_id),
        "scikit-learn kd_tree, 2 jobs": lambda: neighbors_in_sklearn(*plain, "kd_tree"),
        "scikit-learn kd_tree, 1 job": lambda: neighbors_in_sklearn(*plain, "kd_tree", 1),
    })


def nearest():
    n, n_test = rows(1_000_000), 100

    def make(n_rows, target):
        def write(part):
            rng = np.random.default_rng(n_rows + 1)
            values = rng.standard_normal((n_rows, FEATURES))
            lists = pa.ListArray.from_arrays(np.arange(0, n_rows * FEATURES + 1, FEATURES, dtype=np.int32), values.ravel())
            columns = {f"f{i}": values[:, i] for i in range(FEATURES)}
            pq.write_table(pa.table({"id": np.arange(n_rows), target: rng.integers(0, 3, n_rows), "features": lists, **columns}), part)
        return write

    train = once("lists-train.parquet", make(n, "label"))
    test = once("lists-test.parquet", make(n_test, "predicted"))
    far = "+".join(f"(s.f{i} - t.f{i}) * (s.f{i} - t.f{i})" for i in range(FEATURES))
    by_columns = f"SELECT s.id AS id, arg_min(t.id, {far}, {K}) AS ids FROM '{test}' s CROSS JOIN '{train}' t GROUP BY s.id ORDER BY s.id"
    by_lists = by_columns.replace(far, "list_distance(s.features, t.features)")
    in_ours = f"SELECT s.id AS id, nearest_cases(t.id, t.label, feature_distance(s.features, t.features), {K}) AS nearest FROM '{test}' AS s CROSS JOIN '{train}' AS t GROUP BY s.id ORDER BY s.id"
    ids = lambda table: np.array(table["ids"].to_pylist())

    def in_explain():
        out = DATA / "explained.parquet"
        out.unlink(missing_ok=True)
        xai_sql("explain", "--train", train, "--test", test, "--out", out, "-k", K, "--features", "features", "--scale", "false")
        return ids_of(out)

    def in_sklearn(algorithm):
        values = lambda file: pq.read_table(file, columns=["features"])["features"].combine_chunks().flatten().to_numpy().reshape(-1, FEATURES)
        return NearestNeighbors(n_neighbors=K, algorithm=algorithm, n_jobs=CORES).fit(values(train)).kneighbors(values(test), return_distance=False)

    def sql():
        out = DATA / "nearest.parquet"
        out.unlink(missing_ok=True)
        xai_sql("sql", in_ours, "--out", out)
        return ids_of(out)

    turns(f"nearest cases in SQL: the {K} nearest of {n:,} x {FEATURES} for {n_test} samples", {
        "ours, SQL": sql,
        "ours, explain": in_explain,
        "duckdb arg_min of columns": lambda: ids(duck(by_columns)),
        "duckdb arg_min of lists": lambda: ids(duck(by_lists)),
        "scikit-learn kd_tree": lambda: in_sklearn("kd_tree"),
        "scikit-learn brute": lambda: in_sklearn("brute"),
    })


def throughput():
    if asked.throughput is None:
        return print("\nthroughput: left out, --throughput names the example", flush=True)
    millions = str(max(1, round(8 * asked.share)))
    done = subprocess.run([asked.throughput, millions, str(CORES)], capture_output=True, text=True, check=True)
    print("\nfunctions over rows in memory, time of a core per row; before: correspondence 240, feature_distance 110, pos_fidelity of lists 41")
    for line in done.stdout.splitlines()[1:]:
        rate = float(line.split(" M rows/s")[0].split()[-1])
        print(f"  {line.strip():<110} {1e3 / rate:8.1f} ns a row")


def main():
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    print(f"{cpu}, {os.cpu_count()} threads; duckdb {duckdb.__version__}, polars {pl.__version__}, scikit-learn {sklearn.__version__}, {time.strftime('%F')}")
    works = {"start": start_of_process, "drop": drop, "auroc": auroc, "pairwise": pairwise, "explain": explain, "nearest": nearest, "throughput": throughput}
    for name, run in works.items():
        if not asked.names or name in asked.names:
            run()


main()
