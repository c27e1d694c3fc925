"""Calls the package for Python many times in one process, and says whether memory and threads grow.

    python soak.py [--calls 1000000]

Ends with 1 where after the first tenth of the calls more than 8 MB or a thread come in addition. Linux alone.
"""

import argparse
import re
import sys
import time

import numpy as np
from xai_metrics import attribution, casebased, graph, repro

MOST_GROWTH = 8 << 20


def state():
    """Bytes in memory, and threads."""
    with open("/proc/self/status") as status:
        text = status.read()
    return 1024 * int(re.search(r"VmRSS:\s+(\d+)", text)[1]), int(re.search(r"Threads:\s+(\d+)", text)[1])


def calls():
    """A call of each family, of small data."""
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

    return {
        "explanations": lambda: explainer.explain_batch(x[:5], predictions=y[:5]),
        "fits": lambda: casebased.CaseExplainer(x, y, k=5),
        "pairs of runs": lambda: repro.pairwise(predictions, y),
        "ground truth": lambda: graph.ground_truth(scores, truth),
        "complexity": lambda: attribution.Complexity().evaluate(maps),
        "deletion": lambda: attribution.Deletion(steps=2).evaluate(model, x[:5], None, maps),
        "errors": fails,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1_000_000)
    asked = parser.parse_args()
    failed = False
    kinds = calls()
    each = max(10, asked.calls // len(kinds))
    for name, call in kinds.items():
        for _ in range(each // 10):
            call()
        (memory, threads), start = state(), time.perf_counter()
        for _ in range(each - each // 10):
            call()
        took = time.perf_counter() - start
        memory_after, threads_after = state()
        grown = memory_after - memory
        grows = grown > MOST_GROWTH or threads_after > threads
        failed |= grows
        print(
            f"{name:14} {each:9} calls  {1e6 * took / (each - each // 10):8.1f} us each  "
            f"{memory_after / 1e6:6.1f} MB ({grown / 1e6:+.1f})  {threads_after} threads ({threads_after - threads:+})"
            f"{'  GROWS' if grows else ''}",
            flush=True,
        )
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
