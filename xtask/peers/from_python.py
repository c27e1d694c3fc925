"""The peers and ours from Python, in turns, in one process, conversion included.

Usage: from_python.py ROUNDS [WORKLOAD ...]. Each workload makes its data once; then the peer and ours
are called in turns, and the best time of each counts. The answers are compared. A ratio is of these
two times; beside it stands the ratio that ours has to reach, 20 % less than that of the Rust crates.
"""

from __future__ import annotations

import gc
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

warnings.filterwarnings("ignore")


class Workload(NamedTuple):
    name: str
    peer_name: str
    peer: Callable[[], Any]
    ours: Callable[[], Any]
    #: How many units of work one call of each does: the peer may get fewer.
    units: tuple[int, int]
    unit: str
    #: What the ratio has to reach in the Rust crates.
    target: float
    agree: Callable[[Any, Any], bool]


def close(tolerance: float) -> Callable[[Any, Any], bool]:
    return lambda a, b: bool(np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True))


def cases(rng: np.random.Generator) -> Iterator[Workload]:
    from case_explainer import CaseExplainer as Peer
    from sklearn.neighbors import NearestNeighbors

    from xai_metrics.casebased import CaseExplainer, NeighborSearch

    n, d, q, asked = 56_959, 5, 2000, 100
    rows, queries = rng.standard_normal((n, d)), rng.standard_normal((q, d))
    labels, predicted = rng.integers(0, 2, n), rng.integers(0, 2, q)
    peer, ours = Peer(rows, labels, k=5), CaseExplainer(rows, labels, k=5)
    yield Workload(
        "explain 56 959 x 5",
        "case-explainer",
        lambda: [e.correspondence for e in peer.explain_batch(queries[:asked], predictions=predicted[:asked])],
        lambda: [e.correspondence for e in ours.explain_batch(queries, predictions=predicted)],
        (asked, q),
        "explanation",
        3000,
        lambda a, b: close(1e-9)(a, b[:asked]),
    )
    tree = NearestNeighbors(n_neighbors=5, algorithm="kd_tree", n_jobs=-1).fit(rows)
    search = NeighborSearch(rows, k=5)
    yield Workload(
        "5 neighbours, 56 959 x 5",
        "scikit-learn kd-tree",
        lambda: tree.kneighbors(queries)[0],
        lambda: search.query(queries)[0],
        (q, q),
        "query",
        3,
        close(1e-9),
    )
    n, d, q = 284_807, 30, 500
    wide, wide_queries = rng.standard_normal((n, d)), rng.standard_normal((q, d))
    brute = NearestNeighbors(n_neighbors=5, algorithm="brute", n_jobs=-1).fit(wide)
    wide_search = NeighborSearch(wide, k=5)
    yield Workload(
        "5 neighbours, 284 807 x 30",
        "scikit-learn brute",
        lambda: brute.kneighbors(wide_queries)[0],
        lambda: wide_search.query(wide_queries)[0],
        (q, q),
        "query",
        3,
        close(1e-6),
    )


def runs(rng: np.random.Generator) -> Iterator[Workload]:
    from itertools import combinations

    from numba import njit, prange
    from scipy.stats.contingency import association, crosstab
    from sklearn.metrics import cohen_kappa_score

    from xai_metrics import repro

    @njit(parallel=True)  # type: ignore[misc]
    def error_consistency(errors: Any) -> Any:
        k = len(errors)
        matrix = np.full((k, k), np.nan)
        for i in prange(k):
            for j in range(i + 1, k):
                union = np.sum(errors[i] | errors[j])
                both = np.sum(errors[i] & errors[j])
                matrix[i, j] = both / union if union else 0.0
        return matrix

    k, n = 200, 100_000
    truth = rng.integers(0, 2, n)
    predictions = np.where(rng.random((k, n)) < 0.2, 1 - truth, truth)
    errors = predictions != truth
    above = np.triu_indices(k, 1)
    packed = repro.PackedRuns(predictions, truth)
    yield Workload(
        "error consistency, packed runs",
        "numba",
        lambda: error_consistency(errors)[above],
        lambda: repro.pairwise(packed, metrics="ec_local").pairs("ec_local"),
        (len(above[0]), len(above[0])),
        "pair of 100 000 samples",
        100,
        close(1e-12),
    )
    votes = rng.integers(0, 10, (6, n))
    right = rng.integers(0, 10, n)
    pairs = list(combinations(range(6), 2))
    many = repro.PackedRuns(rng.integers(0, 10, (60, n)), right)
    few = repro.PackedRuns(votes, right)
    n_many = 60 * 59 // 2

    def ours(metric: str) -> Callable[[], Any]:
        def call() -> Any:
            repro.pairwise(many, metrics=metric)
            return repro.pairwise(few, metrics=metric).pairs(metric)

        return call

    for name, metric, target, peer in (
        ("percent agreement", "pa_acc", 30, lambda a, b: np.mean(a == b)),
        ("Cohen's kappa", "pa_kappa", 400, cohen_kappa_score),
        (
            "Cramer's V",
            "pa_cramers_v",
            250,
            lambda a, b: association(crosstab(a, b).count, correction=False),
        ),
    ):
        yield Workload(
            f"{name}, 10 classes",
            "numpy, scikit-learn or scipy",
            lambda peer=peer: [peer(votes[i], votes[j]) for i, j in pairs],
            ours(metric),
            (len(pairs), n_many + len(pairs)),
            "pair of 100 000 samples",
            target,
            close(1e-9),
        )


def study(rng: np.random.Generator) -> Iterator[Workload]:
    from itertools import combinations

    from scipy.stats.contingency import association, crosstab
    from sklearn.metrics import cohen_kappa_score

    from xai_metrics import repro

    n = 1000

    def draw() -> list[Any]:
        c = int(rng.integers(2, 50))
        law = rng.random(c)
        law /= law.sum()
        truth = rng.choice(c, n, p=law)
        runs = [truth.copy() for _ in range(5)]
        most, share = int(np.ceil(rng.random() * n)), rng.random()
        for run in runs:
            wrong = rng.permutation(n)[: int(np.ceil(share * most))]
            run[wrong] = rng.choice(c, len(wrong), p=law)
        errors = [truth != run for run in runs]
        of_runs, of_errors = list(combinations(runs, 2)), list(combinations(errors, 2))
        return [
            np.mean([np.mean(a == b) for a, b in of_runs]),
            np.mean([cohen_kappa_score(a, b) for a, b in of_runs]),
            np.mean([association(crosstab(a, b).count, correction=False) for a, b in of_runs]),
            np.mean([np.corrcoef(a, b)[0, 1] for a, b in of_errors]),
            np.mean([np.mean(a == b) for a, b in of_errors]),
            np.mean([np.mean(a & b) for a, b in of_errors]),
            np.mean([(a & b).sum() / max(1, (a | b).sum()) for a, b in of_errors]),
        ]

    yield Workload(
        "simulation study",
        "numpy, scikit-learn and scipy",
        lambda: [draw() for _ in range(20)],
        lambda: repro.SimulationStudy(2000),
        (20, 2000),
        "draw (1000 samples, 5 runs)",
        250,
        # Each draws by its own stream.
        lambda a, b: True,
    )


def graphs(rng: np.random.Generator) -> Iterator[Workload]:
    import torch
    import torch.nn.functional as F
    from torch_geometric.explain.metric import groundtruth_metrics as peer_metrics

    from xai_metrics import graph
    from xai_metrics.compat.torch_geometric import explain

    torch.set_num_threads(2)
    torch.manual_seed(0)
    mask, truth = torch.rand(5_000_000), (torch.rand(5_000_000) < 0.3).float()
    yield Workload(
        "ground truth, 5 metrics",
        "PyTorch Geometric",
        lambda: peer_metrics(mask, truth),
        lambda: explain.groundtruth_metrics(mask, truth),
        (1, 1),
        "5 000 000 edges",
        10,
        close(1e-4),
    )
    full, kept = torch.randn(1_000_000, 10), torch.randn(1_000_000, 10)

    def gef() -> float:
        divergence = F.kl_div(full.softmax(-1).log(), kept.softmax(-1), reduction="batchmean")
        return 1 - float(torch.exp(-divergence))

    yield Workload(
        "unfaithfulness",
        "torch as in PyTorch Geometric",
        gef,
        lambda: graph.unfaithfulness(full, kept, direction="reverse").value,
        (1, 1),
        "1 000 000 rows of 10",
        6,
        close(1e-4),
    )
    without = torch.randn(1_000_000, 10)

    def changed() -> tuple[float, float]:
        predicted = full.argmax(-1)
        pos = 1 - (predicted == without.argmax(-1)).float().mean()
        neg = 1 - (predicted == kept.argmax(-1)).float().mean()
        return float(pos), float(neg)

    def ours() -> tuple[float, float]:
        found = graph.fidelity(full, kept, without)
        return found.pos, found.neg

    yield Workload(
        "fidelity from three outputs",
        "torch as in PyTorch Geometric",
        changed,
        ours,
        (1, 1),
        "1 000 000 rows of 10",
        3,
        close(1e-6),
    )


def maps(rng: np.random.Generator) -> Iterator[Workload]:
    """One whole metric of Python models: the model takes most of the time of both."""
    import torch

    from xai_metrics.compat.xplique import metrics

    inputs = rng.random((64, 64, 64, 3), dtype=np.float32)
    weights = rng.standard_normal((64 * 64 * 3, 10)).astype(np.float32)
    targets = np.eye(10, dtype=np.float32)[rng.integers(0, 10, 64)]
    explanations = rng.standard_normal((64, 64, 64, 3)).astype(np.float32)

    def model(batch: Any) -> Any:
        return np.reshape(batch, (len(batch), -1)) @ weights

    def by_torch() -> float:
        # Deletion in 50 steps, written with torch as the peers write it.
        x, w = torch.from_numpy(inputs), torch.from_numpy(weights)
        order = torch.from_numpy(explanations).mean(-1).reshape(64, -1).argsort(1, descending=True)
        flat, label = x.reshape(64, -1, 3), torch.from_numpy(targets)
        scores = []
        for step in np.linspace(0, 64 * 64, 51).astype(int):
            changed = flat.clone()
            changed[torch.arange(64)[:, None], order[:, :step]] = 0.0
            scores.append(((changed.reshape(64, -1) @ w) * label).sum(1).mean())
        return float(np.trapezoid(scores, dx=1 / 50))

    metric = metrics.Deletion(model, inputs, targets, steps=50)
    yield Workload(
        "Deletion of a NumPy model",
        "torch, whole batches",
        by_torch,
        lambda: metric.evaluate(explanations),
        (1, 1),
        "64 images of 64 x 64 x 3",
        1,
        lambda a, b: True,
    )


FAMILIES = {
    "casebased": (cases,),
    "repro": (runs, study),
    "graph": (graphs,),
    "attribution": (maps,),
}


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    gc.collect()
    start = time.perf_counter()
    answer = call()
    return time.perf_counter() - start, answer


def main() -> int:
    rounds, wanted = int(sys.argv[1]), set(sys.argv[2:])
    print("| workload | peer | peer | ours | ratio | to reach | agree |")
    print("|---|---|---|---|---|---|---|")
    differ = 0
    for family, makers in FAMILIES.items():
        if wanted and family not in wanted:
            continue
        for work in chain.from_iterable(make(np.random.default_rng(0)) for make in makers):
            work.peer(), work.ours()
            best = [np.inf, np.inf]
            answers: list[Any] = [None, None]
            for _ in range(rounds):
                for i, call in enumerate((work.peer, work.ours)):
                    took, answers[i] = seconds(call)
                    best[i] = min(best[i], took / work.units[i])
            ratio = best[0] / best[1]
            agree = work.agree(*answers)
            differ += not agree
            print(
                f"| {work.name} | {work.peer_name} | {best[0] * 1e6:.4g} | {best[1] * 1e6:.4g} us per "
                f"{work.unit} | {ratio:.4g} | {0.8 * work.target:.4g} | {'yes' if agree else 'NO'} |",
                flush=True,
            )
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
