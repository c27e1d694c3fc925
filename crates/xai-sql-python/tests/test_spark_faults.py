"""Queries on Spark while executors and Python workers fail, at random moments of a query.

Every query ends with the bits of one process, or with Spark's error. ``XAI_FAULTS`` sets the number of faults (default: one of each kind).
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections import Counter

import pyarrow.parquet as pq
import pytest
from conftest import by_explainer, made_up, wait_until

pyspark = pytest.importorskip("pyspark")
# pyspark warns about pandas 3 and leaves files open.
pytestmark = pytest.mark.filterwarnings("ignore")

N_FAULTS = int(os.environ.get("XAI_FAULTS", "4"))
EXECUTOR, WORKER = "CoarseGrainedExecutorBackend", "pyspark.daemon"

#: Seconds after which a query counts as hung. A stopped executor delays it by 8 seconds, a lost one by far less than a minute.
DEADLINE = 180

QUERY = (
    "SELECT explainer % 300 AS explainer, average_drop(base, masked) AS drop, exact_avg(masked) AS mean, count(*) AS n "
    "FROM scores GROUP BY explainer % 300"
)


def kill(processes):
    for process in processes:
        process.kill()
    return len(processes)


def an_executor_killed(rng, processes):
    return kill(rng.sample(processes(EXECUTOR), 1))


def both_executors_killed(rng, processes):
    return kill(processes(EXECUTOR))


def a_worker_killed(rng, processes):
    # The daemon is the parent of the workers, and has their command line.
    workers = [process for process in processes(WORKER) if WORKER in " ".join(process.parent().cmdline())]
    return kill(rng.sample(workers, 1) if workers else [])


def an_executor_stopped(rng, processes):
    (executor,) = rng.sample(processes(EXECUTOR), 1)
    executor.send_signal(signal.SIGSTOP)
    time.sleep(8)
    executor.send_signal(signal.SIGCONT)
    return 1


KINDS = [an_executor_killed, both_executors_killed, a_worker_killed, an_executor_stopped]


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Scores in eight files, so that a lost executor reads its part again."""
    folder = tmp_path_factory.mktemp("scores")
    n = 3_000_000 if N_FAULTS > len(KINDS) else 800_000
    scores = made_up(n).drop_columns(["explainer"]).append_column("explainer", [list(range(n))])
    for part in range(8):
        pq.write_table(scores.slice(part * n // 8, n // 8), folder / f"{part}.parquet")
    return folder, scores


def test_faults_change_no_bit(session, processes, rows, capsys):
    from xai_metrics import spark
    from xai_metrics_sql import query

    folder, scores = rows
    expected = by_explainer(query(QUERY, scores=scores))
    assert len(expected) == 300

    # By a data frame, and by files that the workers read.
    sources = [lambda: session.read.parquet(str(folder)), lambda: folder]

    def answer(source):
        return by_explainer(spark.query(QUERY, scores=source()))

    durations = []
    for source in sources:
        answer(source)  # the first query starts the Python workers
        start = time.monotonic()
        assert answer(source) == expected
        durations.append(time.monotonic() - start)

    outcomes = Counter()
    for number in range(N_FAULTS):
        rng = random.Random(number)
        kind = KINDS[number % len(KINDS)]
        # Each kind of fault meets both sources.
        at_source = (number + number // len(KINDS)) % len(sources)
        source, duration = sources[at_source], durations[at_source]
        moment = rng.uniform(0.05, 0.9) * duration
        found, errors = [], []

        def ask():
            try:
                found.append(answer(source))
            except Exception as error:
                errors.append(error)

        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        time.sleep(moment)
        n_hit = kind(rng, processes)
        asking.join(DEADLINE)
        what = f"fault {number}: {kind.__name__} after {moment:.2f} of {duration:.2f} s, source {at_source}"
        assert not asking.is_alive(), f"{what}: no answer after {DEADLINE} s"
        if errors:
            # Spark gives up after four failures of a task; anything else is ours.
            assert type(errors[0]).__module__.partition(".")[0] in ("pyspark", "py4j"), what
        else:
            assert found == [expected], what
        outcomes[kind.__name__, "error" if errors else "same bits" if n_hit else "no process was found"] += 1
        wait_until(lambda: len(processes(EXECUTOR)) == 2, f"{what}: the executors did not come back")
    with capsys.disabled():
        for (kind_name, outcome), times in sorted(outcomes.items()):
            print(f"\n{kind_name}: {outcome} {times} times", end="")
    assert not any(outcome == "no process was found" for _, outcome in outcomes), outcomes
