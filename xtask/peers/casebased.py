"""Nearest training rows: case-explainer, scikit-learn, faiss."""
import faiss
import numpy as np
from case_explainer import CaseExplainer
from sklearn.neighbors import NearestNeighbors

from serve import Peer, close

VERSIONS = ["case-explainer", "scikit-learn", "faiss-cpu", "numpy"]
K = 5
EXPLAINED = 100  # case-explainer answers one at a time; ours is asked for all queries


def search(data, n, d, q, algorithms, explained):
    train, queries = data.rng.standard_normal((n, d)), data.rng.standard_normal((q, d))
    labels, predicted = data.rng.integers(0, 2, n), data.rng.integers(0, 2, q)
    data.save(train=train, queries=queries, labels=labels, predicted=predicted)
    work = data.name
    peers = []

    def against_f64(answer, ours):
        distances, neighbors = answer
        return same_neighbors(train, queries, distances, neighbors, ours("distances"), ours("neighbors"))

    for algorithm in algorithms:
        index = NearestNeighbors(n_neighbors=K, algorithm=algorithm, n_jobs=-1).fit(train)
        peers.append(Peer("sklearn " + algorithm, lambda index=index: index.kneighbors(queries), q, "query", {work: against_f64}))

    flat = faiss.IndexFlatL2(d)
    flat.add(train.astype(np.float32))
    queries32 = queries.astype(np.float32)

    def against_f32(answer, ours):
        # In f32 rounding decides the order of near ties: most neighbours must still be the same.
        share = float((answer[1] == ours("neighbors")).mean())
        return share >= 0.99, f"{share:.2%} of neighbours the same"

    peers.append(Peer("faiss flat f32", lambda: flat.search(queries32, K), q, "query", {work: against_f32}))

    if explained:
        explainer = CaseExplainer(train, labels, k=K)

        def correspondences(answer, ours):
            return close([e.correspondence for e in answer], ours("correspondence")[:EXPLAINED], 1e-9)

        peers.append(
            Peer(
                "case-explainer",
                lambda: explainer.explain_batch(queries[:EXPLAINED], predictions=predicted[:EXPLAINED]),
                EXPLAINED,
                "explanation",
                {work + "_explain": correspondences},
            )
        )
    return peers


def same_neighbors(train, queries, their_distances, theirs, our_distances, ours):
    """Our distances are those of our neighbours, and the neighbours are the peer's except where distances tie."""
    if ours.shape != theirs.shape:
        return False, f"shape {ours.shape} instead of {theirs.shape}"
    true = np.sqrt(((train[ours] - queries[:, None, :]) ** 2).sum(-1))
    if not np.allclose(true, our_distances, rtol=1e-12, atol=0):
        return False, "our distances are not those of our neighbours"
    if (np.diff(our_distances, axis=1) < 0).any() or any(len(set(row)) < len(row) for row in ours):
        return False, "our neighbours are not distinct and ascending"
    # The peer computes |x|^2 + |y|^2 - 2xy for brute force, which rounds differently.
    if not np.allclose(their_distances, our_distances, rtol=1e-9, atol=0):
        return False, "distances differ"
    # Distances agree, so where the neighbours are not the same they are equally near.
    swapped = int((ours != theirs).sum())
    return True, f"{ours.size} neighbours the same" + (f" but {swapped} at equal distances" if swapped else "")


WORKLOADS = {
    "knn_5d": lambda data: search(data, 56_959, 5, 2000, ["kd_tree", "brute"], explained=True),
    "knn_30d": lambda data: search(data, 284_807, 30, 1000, ["brute"], explained=True),
    "knn_784d": lambda data: search(data, 60_000, 784, 1000, ["brute"], explained=False),
}
