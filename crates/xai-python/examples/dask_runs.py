"""Error consistency over data in chunks, on two worker processes of dask.

Each worker folds the chunks it is given into a state; states come back by pickle and merge. The
result is that of one process, to the last bit, whatever the chunks and whoever had them.

Needs `pip install "dask[distributed]"`.
"""

from __future__ import annotations

import numpy as np
from distributed import Client, LocalCluster

from xai_metrics import graph, repro

N_RUNS, N_SAMPLES, CHUNK = 8, 40_000, 5_000


def chunk(start: int) -> tuple[np.ndarray, np.ndarray]:
    """Predictions of all runs and labels of some samples; elsewhere, a file or a table."""
    rng = np.random.default_rng(start)
    labels = rng.integers(0, 10, CHUNK)
    is_hard = rng.random(CHUNK) < 0.3
    guesses = rng.integers(0, 10, (N_RUNS, CHUNK))
    return np.where(is_hard, guesses, labels), labels


def counted(start: int) -> repro.PairwiseAccumulator:
    """The state of one chunk."""
    predictions, labels = chunk(start)
    return repro.PairwiseAccumulator(n_jobs=1).update(predictions, labels)


def masked(start: int) -> graph.GroundTruthAccumulator:
    """The state of the edge masks of some graphs against their truth."""
    rng = np.random.default_rng(start)
    truth = rng.random(CHUNK) < 0.2
    mask = np.clip(0.4 * truth + rng.random(CHUNK), 0, 1).astype(np.float32)
    return graph.GroundTruthAccumulator(n_jobs=1).update(mask, truth)


def merged(states: list) -> repro.PairwiseAccumulator | graph.GroundTruthAccumulator:
    """All states in one."""
    first, *others = states
    for other in others:
        first.merge(other)
    return first


def main() -> None:
    starts = range(0, N_SAMPLES, CHUNK)
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with cluster, Client(cluster) as client:
        runs = merged(client.gather(client.map(counted, starts))).finish()
        masks = merged(client.gather(client.map(masked, starts))).finish()

    chunks = [chunk(start) for start in starts]
    predictions = np.concatenate([predictions for predictions, _ in chunks], axis=1)
    labels = np.concatenate([labels for _, labels in chunks])
    here = repro.pairwise(predictions, labels)
    for name in here.metrics:
        assert runs.pairs(name).tobytes() == here.pairs(name).tobytes(), name
        summary = runs.summary(name)
        print(f"{name:16} {summary.mean:.4f} ± {summary.std:.4f}")
    assert masks == merged([masked(start) for start in starts]).finish()
    print(f"AUROC of the masks {masks.auroc:.4f}; the same bits as in one process")


if __name__ == "__main__":
    main()
