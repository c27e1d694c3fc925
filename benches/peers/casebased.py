"""Nearest training rows: case-explainer, scikit-learn, faiss."""
import faiss
import numpy as np
from case_explainer import CaseExplainer
from sklearn.datasets import load_digits
from sklearn.neighbors import NearestNeighbors

from compare import Peer, close

VERSIONS = ["case-explainer", "scikit-learn", "faiss-cpu", "numpy"]
K = 5
EXPLAINED = 100  # case-explainer answers one at a time; ours is asked for all queries


def normal(data, n, d, q, algorithms, explained):
    train, queries = data.rng.standard_normal((n, d)), data.rng.standard_normal((q, d))
    labels, predicted = data.rng.integers(0, 2, n), data.rng.integers(0, 2, q)
    data.save(train=train, queries=queries, labels=labels, predicted=predicted)
    work = data.name
    peers = [scikit_learn(work, train, queries, algorithm) for algorithm in algorithms]
    peers.append(faiss_flat(work, train, queries))
    data.package[work] = (lambda: ours(train, queries), q)
    if explained:
        data.package[work + "_explain"] = (lambda: our_explanations(train, labels, queries, predicted), q)
        explainer = CaseExplainer(train, labels, k=K)

        def correspondences(answer, ours):
            return close([e.correspondence for e in answer], ours("correspondence")[:EXPLAINED], 1e-9)

        peers.append(
            Peer(
                "case-explainer",
                lambda: explainer.explain_batch(queries[:EXPLAINED], predictions=predicted[:EXPLAINED]),
                EXPLAINED,
                {work + "_explain": correspondences},
            )
        )
    return peers


def ours(train, queries):
    from xai_metrics.casebased import NeighborSearch

    search = NeighborSearch(train, k=K)
    return lambda: dict(zip(("distances", "neighbors"), search.query(queries)))


def our_explanations(train, labels, queries, predicted):
    from xai_metrics.casebased import CaseExplainer as Ours

    explainer = Ours(train, labels, k=K)
    return lambda: {"correspondence": [e.correspondence for e in explainer.explain_batch(queries, predictions=predicted)]}


def scikit_learn(work, train, queries, algorithm, metric="euclidean", k=K):
    index = NearestNeighbors(n_neighbors=k, algorithm=algorithm, metric=metric, n_jobs=-1).fit(train)

    def compare(answer, ours):
        distances, neighbors = answer
        return same_neighbors(train, queries, distances, neighbors, ours("distances"), ours("neighbors"), metric)

    name = "sklearn " + algorithm + ("" if metric == "euclidean" else " " + metric)
    return Peer(name, lambda: index.kneighbors(queries), len(queries), {work: compare})


def faiss_flat(work, train, queries, k=K):
    flat = faiss.IndexFlatL2(train.shape[1])
    flat.add(train.astype(np.float32))
    queries32 = queries.astype(np.float32)

    def compare(answer, ours):
        # In f32 rounding decides the order of near ties: most neighbours must still be the same.
        share = float((answer[1] == ours("neighbors")).mean())
        return share >= 0.99, f"{share:.2%} of neighbours the same"

    return Peer("faiss flat f32", lambda: flat.search(queries32, k), len(queries), {work: compare})


def clusters(data):
    """200 000 rows of 12 features in 100 clusters of standard deviation 1."""
    centres = data.rng.uniform(-10, 10, (100, 12))
    train, queries = (centres[data.rng.integers(0, 100, n)] + data.rng.standard_normal((n, 12)) for n in (200_000, 1000))
    data.save(train=train, queries=queries)
    return [
        scikit_learn("clusters_chebyshev", train, queries, "kd_tree", "chebyshev"),
        scikit_learn("clusters_euclidean", train, queries, "kd_tree"),
    ]


def digits(data):
    """60 000 of scikit-learn's 1 797 scanned digits, each with normal noise of standard deviation 1."""
    images = load_digits().data
    train, queries = (images[data.rng.integers(0, len(images), n)] + data.rng.standard_normal((n, 64)) for n in (60_000, 1000))
    data.save(train=train, queries=queries)
    return [faiss_flat(data.name, train, queries)]


def uniform_20d(data):
    train, queries = data.rng.random((100_000, 20)), data.rng.random((1000, 20))
    data.save(train=train, queries=queries)
    return [faiss_flat(data.name, train, queries, 50)]


def uniform_3d(data):
    train, queries = data.rng.random((1_000_000, 3)), data.rng.random((2000, 3))
    data.save(train=train, queries=queries)
    return [scikit_learn(data.name, train, queries, "kd_tree", k=1)]


def same_neighbors(train, queries, their_distances, theirs, our_distances, ours, metric):
    """Our distances are those of our neighbours, and the neighbours are the peer's except where distances tie."""
    if ours.shape != theirs.shape:
        return False, f"shape {ours.shape} instead of {theirs.shape}"
    differences = train[ours] - queries[:, None, :]
    true = np.abs(differences).max(-1) if metric == "chebyshev" else np.sqrt((differences**2).sum(-1))
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
    "knn_5d": lambda data: normal(data, 56_959, 5, 2000, ["kd_tree", "brute"], explained=True),
    "knn_30d": lambda data: normal(data, 284_807, 30, 1000, ["brute"], explained=True),
    "knn_784d": lambda data: normal(data, 60_000, 784, 1000, ["brute"], explained=False),
    "clusters_12d": clusters,
    "digits_64d": digits,
    "uniform_20d": uniform_20d,
    "uniform_3d": uniform_3d,
}
