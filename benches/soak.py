"""Calls the package for Python many times in one process, from one thread, from 64 that share an explainer and a model, and
from forked processes; and says whether memory, threads and open files grow.

    python soak.py [--calls 1000000]

Ends with 1 where after the first tenth of the calls more than 8 MB, an open file, or more threads than those of the pools that
are kept come in addition. Linux alone.
"""

import argparse
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
from xai_metrics import attribution, casebased, graph, repro

MOST_GROWTH = 8 << 20
# Four pools are kept for work that calls Python, each of a thread per core; how many there are depends on how many calls met
# so far. A leak would be a thread or more for each of a thousand calls.
MOST_THREADS = 4 * (os.cpu_count() or 1)

N_THREADS = 64


def state():
    """Bytes in memory, threads, and open files."""
    with open("/proc/self/status") as status:
        text = status.read()
    memory, threads = (int(re.search(name + r":\s+(\d+)", text)[1]) for name in ("VmRSS", "Threads"))
    return 1024 * memory, threads, len(os.listdir("/proc/self/fd"))


def calls():
    """A call of each family, of small data, and the share of its calls: of long ones there are fewer."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 4)), rng.integers(0, 3, 60)
    explainer = casebased.CaseExplainer(x, y, k=5)
    predictions = rng.integers(0, 3, (4, 60))
    scores, truth = rng.random(60), rng.integers(0, 2, 60).astype(float)
    maps = rng.normal(size=(5, 4))
    model = lambda rows: rows.sum(1)

    def fails():
        try:
            repro.pairwise(predictions, y[:10])
        except ValueError:
            return
        raise AssertionError("labels of another length are an error")

    explain = lambda: explainer.explain_batch(x[:5], predictions=y[:5])
    deletion = lambda: attribution.Deletion(steps=2).evaluate(model, x[:5], None, maps)
    expected = (repr(explain()), repr(deletion()))
    # It makes a thread where none is idle: all of them at once, before anything is counted.
    pool, together = ThreadPoolExecutor(N_THREADS), Barrier(N_THREADS)
    list(pool.map(lambda _: together.wait(), range(N_THREADS)))

    def shares(_):
        assert (repr(explain()), repr(deletion())) == expected, "an answer depends on other threads"

    def forks():
        child = os.fork()
        if child == 0:
            # No exception may reach the code of the parent.
            try:
                code = int((repr(explain()), repr(deletion())) != expected)
            except BaseException:
                code = 2
            os._exit(code)
        _, status = os.waitpid(child, 0)
        assert status == 0, f"a forked process ended with {status}"

    return {
        "explanations": (explain, 1),
        "fits": (lambda: casebased.CaseExplainer(x, y, k=5), 1),
        "pairs of runs": (lambda: repro.pairwise(predictions, y), 1),
        "ground truth": (lambda: graph.ground_truth(scores, truth), 1),
        "complexity": (lambda: attribution.Complexity().evaluate(maps), 1),
        "deletion": (deletion, 1),
        "errors": (fails, 1),
        "reports": (lambda: repro.pairwise(predictions, y).report().html, 0.1),
        "64 threads": (lambda: list(pool.map(shares, range(N_THREADS))), 0.01),
        "forks": (forks, 0.002),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1_000_000)
    asked = parser.parse_args()
    failed = False
    kinds = calls()
    each = max(20, round(asked.calls / sum(share for _, share in kinds.values())))
    for name, (call, share) in kinds.items():
        n_calls = max(20, round(each * share))
        for _ in range(n_calls // 10):
            call()
        before, start = state(), time.perf_counter()
        for _ in range(n_calls - n_calls // 10):
            call()
        took = time.perf_counter() - start
        after = state()
        memory, threads, files = (new - old for new, old in zip(after, before, strict=True))
        grows = memory > MOST_GROWTH or threads > MOST_THREADS or files > 0
        failed |= grows
        print(
            f"{name:14} {n_calls:9} calls  {1e6 * took / (n_calls - n_calls // 10):8.1f} us each  "
            f"{after[0] / 1e6:6.1f} MB ({memory / 1e6:+.1f})  {after[1]} threads ({threads:+})  "
            f"{after[2]} files ({files:+}){'  GROWS' if grows else ''}",
            flush=True,
        )
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
