"""The explainer: neighbours, correspondence, models, storage, audits."""

import json
import os
import pathlib
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xai_metrics.casebased import Audit, CaseExplainer, Explanation, NeighborSearch, distances

GOLDEN = pathlib.Path(__file__).parents[2] / "xai-casebased/tests/golden/casebased.json"
METRICS = [
    "euclidean",
    "squared-euclidean",
    "manhattan",
    "chebyshev",
    "minkowski:3",
    "cosine",
    "correlation",
    "canberra",
    "braycurtis",
    "hamming",
]


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(7)
    rows = random.standard_normal((600, 4)).round(2)
    return rows, (rows[:, 0] > 0).astype(int), random.standard_normal((40, 4)).round(2)


class Sign:
    """Predicts whether the first feature is positive, and counts its calls."""

    def __init__(self):
        self.calls = 0

    def predict(self, X):
        self.calls += 1
        return (np.asarray(X)[:, 0] > 0).astype(int)


def test_explanations_are_those_of_the_peer():
    train = {}
    for case in json.loads(GOLDEN.read_text())["explain"]:
        # Only the first case of a data set has its rows.
        for name in ("train_x", "train_y", "test_x"):
            if not isinstance(case[name], str):
                train[case["dataset"], name] = case[name]
        rows, labels, samples = (
            train[case["dataset"], name] for name in ("train_x", "train_y", "test_x")
        )
        weights = {int(label): w for label, w in (case["class_weights"] or {}).items()}
        explainer = CaseExplainer(
            rows,
            labels,
            k=case["k"],
            distance=case["metric"],
            scale=case["scale"],
            class_weights=weights,
        )
        found = explainer.explain_batch(samples, predictions=case["predicted"])
        assert len(found) == len(case["explanations"])
        for ours, peer in zip(found, case["explanations"]):
            assert ours.correspondence == pytest.approx(peer["correspondence"], rel=1e-9)
            far = [neighbor.distance for neighbor in ours.neighbors]
            assert far == pytest.approx(peer.get("distance", far), rel=1e-9)
            # Neighbours are those of the peer where no distances are equal.
            if "index" in peer and len(set(far)) == len(far):
                assert [neighbor.index for neighbor in ours.neighbors] == peer["index"]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("engine", ["auto", "brute", "brute-force", "kd_tree"])
def test_neighbors_are_those_of_a_scan(data, metric, engine):
    rows, labels, samples = data
    if engine == "kd_tree" and metric in METRICS[5:]:
        pytest.skip("no bound by boxes")
    found = CaseExplainer(
        rows, labels, k=7, distance=metric, engine=engine, scale=False
    ).explain_votes(samples)
    scan = distances(samples, rows, metric)
    # A stable sort: equal distances by lower row.
    expected = np.argsort(scan, axis=1, kind="stable")[:, :7]
    np.testing.assert_array_equal(found.indices, expected)
    np.testing.assert_array_equal(found.distances, np.take_along_axis(scan, expected, axis=1))


@pytest.mark.parametrize("n_jobs", [1, 2, None, -1])
def test_threads_change_nothing(data, n_jobs):
    rows, labels, samples = data
    found = CaseExplainer(rows, labels, n_jobs=n_jobs).explain_votes(samples)
    expected = CaseExplainer(rows, labels, n_jobs=1).explain_votes(samples)
    for name in ("indices", "distances", "correspondence", "predicted", "level_numbers"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_mahalanobis_whitens(data):
    rows, labels, samples = data
    of_train = CaseExplainer(rows, labels, distance="mahalanobis", scale=False)
    covariance = np.cov(rows.T)
    given = CaseExplainer(
        rows, labels, distance="mahalanobis", scale=False, covariance=covariance
    )
    a, b = of_train.explain_votes(samples), given.explain_votes(samples)
    np.testing.assert_array_equal(a.indices, b.indices)
    np.testing.assert_allclose(a.distances, b.distances, rtol=1e-9)


def test_approximate_search_says_its_recall(data):
    rows, labels, samples = data
    explainer = CaseExplainer(rows, labels, engine="hnsw:8,200,100")
    assert explainer.engine == "hnsw"
    assert 0.9 <= explainer.recall <= 1.0
    exact = CaseExplainer(rows, labels).explain_votes(samples)
    assert (explainer.explain_votes(samples).indices == exact.indices).mean() > 0.9


rows_and_labels = st.integers(1, 30).flatmap(
    lambda n: st.tuples(
        st.lists(
            st.lists(st.integers(-5, 5).map(float), min_size=2, max_size=2), min_size=n, max_size=n
        ),
        st.lists(st.sampled_from(["a", "b", "c"]), min_size=n, max_size=n),
        st.integers(1, 40),
    )
)


@given(rows_and_labels)
@settings(max_examples=60, deadline=None)
def test_laws_of_correspondence(case):
    rows, labels, k = case
    explainer = CaseExplainer(rows, labels, k=k)
    samples = [[0.5, 0.5], [3.0, -2.0]]
    shares = [
        explainer.explain_arrays(samples, predictions=[label] * 2).correspondence
        for label in sorted(set(labels))
    ]
    np.testing.assert_allclose(sum(shares), 1.0, rtol=1e-12)
    votes = explainer.explain_votes(samples)
    np.testing.assert_array_equal(votes.correspondence, np.max(shares, axis=0))
    assert votes.indices.shape == (2, min(k, len(rows)))
    assert (np.diff(votes.distances, axis=1) >= 0).all()


def test_k_and_weighting_of_one_call(data):
    rows, labels, samples = data
    explainer = CaseExplainer(rows, labels, k=5, class_weights={1: 2.0})
    other = CaseExplainer(rows, labels, k=9, class_weights={1: 2.0}, weighting="uniform")
    predicted = labels[: len(samples)]
    called = explainer.explain_arrays(samples, predictions=predicted, k=9, distance_weighted=False)
    fitted = other.explain_arrays(samples, predictions=predicted)
    np.testing.assert_array_equal(called.correspondence, fitted.correspondence)
    np.testing.assert_array_equal(called.indices, fitted.indices)


def test_arrays_and_objects_say_the_same(data):
    rows, labels, samples = data
    explainer = CaseExplainer(rows, labels, metadata={"id": [f"row {i}" for i in range(600)]})
    predicted = labels[: len(samples)]
    found = explainer.explain_arrays(samples, predicted, predicted)
    listed = explainer.explain_batch(samples, predicted, predicted)
    assert isinstance(listed, list) and len(listed) == len(found) == 40
    for i, explanation in enumerate(listed):
        assert isinstance(explanation, Explanation)
        assert explanation.test_index == i
        assert explanation.test_sample.tolist() == samples[i].tolist()
        assert explanation.correspondence == found.correspondence[i]
        assert explanation.correspondence_interpretation == found.levels[i]
        assert [n.index for n in explanation.neighbors] == found.indices[i].tolist()
        assert [n.distance for n in explanation.neighbors] == found.distances[i].tolist()
        assert [n.label for n in explanation.neighbors] == found.labels[i].tolist()
        for neighbor in explanation.neighbors:
            assert neighbor.features.tolist() == rows[neighbor.index].tolist()
            assert neighbor.metadata == {"id": f"row {neighbor.index}"}
        one = explainer.explain_instance(samples[i], predicted_class=predicted[i])
        assert one.correspondence == explanation.correspondence
        assert one.test_index is None
    assert found.is_correct.all()
    assert [e.test_index for e in found[2:6:2]] == [2, 4]
    assert found[-1].test_index == 39
    with pytest.raises(IndexError):
        found[40]
    plain = explainer.explain_batch(samples, predictions=predicted, return_provenance=False)
    assert plain[0].neighbors[0].metadata == {}


def test_a_model_is_asked_once_for_all_samples(data):
    rows, labels, samples = data
    model = Sign()
    found = CaseExplainer(rows, labels).explain_arrays(samples, model=model)
    assert model.calls == 1
    assert found.predicted.tolist() == (samples[:, 0] > 0).astype(int).tolist()
    as_function = CaseExplainer(rows, labels, model=model.predict).explain_arrays(samples)
    np.testing.assert_array_equal(as_function.correspondence, found.correspondence)


def test_a_model_of_one_row_at_a_time_is_asked_for_each(data):
    rows, labels, samples = data
    found = CaseExplainer(rows, labels).explain_arrays(samples, model=lambda X: [int(X[0, 0] > 0)])
    assert found.predicted.tolist() == (samples[:, 0] > 0).astype(int).tolist()


def test_what_a_model_raises_arrives_as_it_is(data):
    rows, labels, samples = data

    class Broken(Exception):
        pass

    def model(X):
        raise Broken("no")

    with pytest.raises(Broken) as raised:
        CaseExplainer(rows, labels).explain_batch(samples, model=model)
    assert raised.traceback[-1].name == "model"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.zeros(3), "expected one class for each of 40 samples"),
        (np.zeros((40, 2)), "expected one class for each of 40 samples"),
        (np.full(40, np.nan), "the label is missing"),
    ],
)
def test_wrong_answers_of_a_model_are_refused(data, answer, message):
    rows, labels, samples = data
    with pytest.raises(ValueError, match=message):
        CaseExplainer(rows, labels).explain_batch(samples, model=lambda X: answer)


def test_neither_prediction_nor_model():
    explainer = CaseExplainer([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="predicted_class or model"):
        explainer.explain_instance([0.0])


def test_zero_weights_are_undefined():
    explainer = CaseExplainer([[0.0], [1.0]], [0, 1], k=1, class_weights={0: 0.0})
    found = explainer.explain_arrays([[0.1]], predictions=[0])
    assert np.isnan(found.correspondence[0]) and found.levels[0] == "undefined"
    assert found[0].correspondence == 0.0
    assert found[0].correspondence_interpretation == "undefined"


def test_scaling_by_population_deviation(data):
    rows, labels, _ = data
    explainer = CaseExplainer(np.column_stack([rows, np.full(600, 3.0)]), labels)
    np.testing.assert_allclose(explainer.scaler.mean_[:4], rows.mean(axis=0), atol=1e-15)
    np.testing.assert_allclose(explainer.scaler.scale_[:4], rows.std(axis=0), rtol=1e-12)
    assert explainer.scaler.scale_[4] == 1.0
    scaled = explainer.X_train_scaled
    np.testing.assert_allclose(explainer.scaler.inverse_transform(scaled)[:, :4], rows, atol=1e-12)
    assert CaseExplainer(rows, labels, scale=False).scaler is None


@pytest.mark.parametrize(
    "labels", [[3, 3, 9], ["x", "x", "y"], [True, True, False], [0.5, 0.5, 2.5]]
)
def test_explainers_pickle(labels):
    explainer = CaseExplainer(
        [[0.0, 1.0], [1.0, 2.0], [5.0, 0.0]],
        labels,
        k=2,
        feature_names=["a", "b"],
        class_names={labels[0]: "first"},
        class_weights={labels[0]: 0.5},
        metadata={"note": [object, 1, "text"]},
        distance="manhattan",
        weighting="gaussian:2",
        high=0.9,
        medium=0.2,
    )
    again = pickle.loads(pickle.dumps(explainer))
    a = explainer.explain_arrays([[0.4, 0.2]], predictions=[labels[0]])
    b = again.explain_arrays([[0.4, 0.2]], predictions=[labels[0]])
    assert a.to_dict() == b.to_dict()
    assert again.get_training_info() == explainer.get_training_info()
    assert b[0].to_dict() == a[0].to_dict()
    # One explanation is complete without its batch.
    assert pickle.loads(pickle.dumps(a[0])).to_dict() == a[0].to_dict()


def test_explainers_in_files(tmp_path, data):
    rows, labels, samples = data
    numbers = CaseExplainer(rows, labels, k=3, class_names={0: "no", 1: "yes"})
    numbers.save(tmp_path / "numbers")
    again = CaseExplainer.load(tmp_path / "numbers")
    np.testing.assert_array_equal(
        again.explain_votes(samples).distances, numbers.explain_votes(samples).distances
    )
    assert again.class_names == {0: "no", 1: "yes"}
    words = CaseExplainer(rows, np.where(labels == 1, "yes", "no"), k=3)
    words.save(tmp_path / "words")
    again = CaseExplainer.load(tmp_path / "words", labels="names")
    assert (again.explain_votes(samples).predicted == words.explain_votes(samples).predicted).all()
    assert again.get_training_info()["class_counts"] == words.get_training_info()["class_counts"]
    pickled = pickle.loads(pickle.dumps(again))
    assert (
        pickled.explain_votes(samples).predicted == words.explain_votes(samples).predicted
    ).all()

    known = CaseExplainer(
        rows[:3],
        [0, 1, 1],
        k=2,
        class_weights={1: 2.0},
        metadata={"id": [7, 8, 9], "x": [1.5, None, "?"]},
    )
    known.save(tmp_path / "known")
    again = CaseExplainer.load(tmp_path / "known")
    assert again.class_weights == {1: 2.0}
    # Columns of several types are stored as text.
    assert again.metadata == {"id": [7, 8, 9], "x": ["1.5", "None", "?"]}
    a, b = (e.explain_instance(rows[1], predicted_class=1) for e in (known, again))
    assert a.correspondence == b.correspondence
    assert b.neighbors[0].metadata == {"id": 8, "x": "None"}

    damaged = bytearray((tmp_path / "words").read_bytes())
    damaged[40] ^= 1
    (tmp_path / "damaged").write_bytes(damaged)
    with pytest.raises(ValueError, match="checksum"):
        CaseExplainer.load(tmp_path / "damaged")
    (tmp_path / "foreign").write_bytes(b"something else")
    with pytest.raises(ValueError, match="not a stored explainer"):
        CaseExplainer.load(tmp_path / "foreign")
    with pytest.raises(OSError):
        CaseExplainer.load(tmp_path / "nothing")


def test_redacted_columns_are_shown_nowhere(tmp_path):
    secret = 123.456
    explainer = CaseExplainer(
        [[0.0, secret], [1.0, secret + 1]],
        [0, 1],
        k=2,
        feature_names=["age", "income"],
        metadata={"name": ["Ada", "Bob"], "town": ["Ulm", "Bonn"]},
        redact=["income", "name"],
    )
    explanation = explainer.explain_instance([0.2, secret], predicted_class=0)
    assert explanation.feature_names == ["age"]
    assert explanation.neighbors[0].features.tolist() == [0.0]
    assert explanation.neighbors[0].metadata == {"town": "Ulm"}
    for said in (explanation.summary(), explanation._repr_html_(), repr(explanation.to_dict())):
        assert "123.4" not in said and "Ada" not in said
    with pytest.raises(ValueError, match="redacted"):
        explainer.X_train_original
    with pytest.raises(ValueError, match="redacted"):
        explainer.scaler
    path = tmp_path / "cases"
    for store in (lambda: explainer.save(path), lambda: pickle.dumps(explainer)):
        with pytest.raises(ValueError, match=r"redacted features \(income\)"):
            store()
    assert not path.exists()
    explainer.save(path, store_redacted=True)
    again = CaseExplainer.load(path)
    assert again.file_holds_redacted and not explainer.file_holds_redacted
    assert (
        again.explain_instance([0.2, secret], predicted_class=0).to_dict() == explanation.to_dict()
    )


def test_aggregates_alone():
    explainer = CaseExplainer(
        [[0.0], [0.0], [1.0], [2.0]], ["a", "a", "a", "b"], k=3, aggregate_only=2
    )
    with pytest.raises(ValueError, match="aggregate"):
        explainer.explain_instance([0.0], predicted_class="a")
    (released,) = explainer.aggregate([[1.5]], predictions=["a"])
    assert released.class_shares == {"a": 2 / 3, "b": 1 / 3}
    assert released.n_distinct == 3
    assert explainer.aggregate([[0.0]], predictions=["a"])[0].predicted == "a"


def test_the_audit_counts_what_the_explanations_say(data):
    rows, labels, samples = data
    truth, predicted = (samples[:, 0] > 0.1).astype(int), (samples[:, 0] > 0).astype(int)
    explainer = CaseExplainer(rows, labels)
    report = explainer.audit(samples, truth, predicted)
    found = explainer.explain_arrays(samples, truth, predicted)
    right = found.is_correct
    assert report.n_samples == 40
    assert report.mean_correspondence == pytest.approx(found.correspondence.mean(), rel=1e-14)
    assert report.accuracy == right.mean()
    for name, level in report.by_level.items():
        there = found.levels == name
        assert (level.n, level.n_right) == (there.sum(), (there & right).sum())
        if there.any():
            assert level.accuracy == right[there].mean()
            assert level.accuracy_interval[0] <= level.accuracy <= level.accuracy_interval[1]
    assert list(report.by_level) == ["high", "medium", "low", "undefined"]
    assert sum(group["n"] for group in report.by_class.values()) == 40
    least = report.least_supported[0]
    assert least["correspondence"] == found.correspondence.min()
    assert sum(one["n"] for one in report.reliability) == 40
    assert report.right["mean_correspondence"] == pytest.approx(found.correspondence[right].mean())
    assert sum(report.right["counts"]) == right.sum()
    json.dumps(report.to_dict())


@given(st.lists(st.integers(1, 39), max_size=4, unique=True), st.randoms(use_true_random=False))
@settings(max_examples=15, deadline=None)
def test_audits_of_parts_merge_to_the_same_bits(cuts, random):
    generator = np.random.default_rng(1)
    rows, samples = generator.standard_normal((50, 2)), generator.standard_normal((40, 2))
    words = np.array(["no", "yes"])
    labels, truth = words[(rows[:, 0] > 0).astype(int)], words[(samples[:, 1] > 0).astype(int)]
    predicted = words[(samples[:, 0] > 0).astype(int)]
    explainer = CaseExplainer(rows, labels, k=3)
    ends = [0, *sorted(cuts), 40]
    parts = []
    for start, end in zip(ends, ends[1:]):
        part = Audit(explainer, first_sample=start)
        part.update(samples[start:end], truth[start:end], predicted[start:end])
        parts.append(pickle.loads(pickle.dumps(part)))
    random.shuffle(parts)
    merged = parts[0]
    for part in parts[1:]:
        merged.merge(part)
    assert merged.finish() == explainer.audit(samples, truth, predicted)


def test_an_audit_without_truth_knows_no_accuracy(data):
    rows, labels, samples = data
    report = CaseExplainer(rows, labels).audit(samples, model=Sign())
    assert report.accuracy is None and report.auroc_of_right is None
    assert report.by_level["high"].n_judged == 0


def test_audits_of_different_lengths_of_lists_do_not_merge(data):
    rows, labels, _ = data
    explainer = CaseExplainer(rows, labels)
    with pytest.raises(ValueError, match="n_least_supported = 3: expected 20"):
        Audit(explainer).merge(Audit(explainer, n_least_supported=3))


def test_search_alone_pickles(data):
    rows, _, samples = data
    search = NeighborSearch(rows, distance="chebyshev", engine="kd-tree")
    assert search.engine == "kd-tree" and search.recall is None
    distances, indices = pickle.loads(pickle.dumps(search)).query(samples, k=3)
    again, rows_found = search.query(samples, k=3)
    np.testing.assert_array_equal(indices, rows_found)
    np.testing.assert_array_equal(distances, again)


def test_the_interpreter_runs_on_meanwhile():
    random = np.random.default_rng(0)
    explainer = CaseExplainer(
        random.standard_normal((20_000, 40)), np.zeros(20_000, int), engine="brute-force"
    )
    samples, seen = random.standard_normal((300, 40)), []
    thread = threading.Thread(target=lambda: explainer.explain_votes(samples))
    thread.start()
    while thread.is_alive():
        seen.append(len(seen))
        time.sleep(0.001)
    assert len(seen) > 1


def searching():
    random = np.random.default_rng(0)
    explainer = CaseExplainer(
        random.standard_normal((30_000, 60)),
        np.zeros(30_000, int),
        distance="minkowski:3",
        engine="brute-force",
    )
    samples = random.standard_normal((3000, 60))
    return lambda: explainer.explain_votes(samples)


def linking():
    rows = np.random.default_rng(0).standard_normal((60_000, 20))
    return lambda: CaseExplainer(rows, np.zeros(60_000, int), engine="hnsw")


@pytest.mark.skipif(os.name == "nt", reason="sends a signal")
@pytest.mark.parametrize("work", [searching, linking])
def test_ctrl_c_ends_it(work):
    work = work()
    sent = []

    def send():
        time.sleep(0.3)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send).start()
    with pytest.raises(KeyboardInterrupt):
        work()
    # Generously above the 100 ms that are promised, for machines that do something else meanwhile.
    assert time.perf_counter() - sent[0] < 10.0


def test_progress_changes_nothing(capsys):
    pytest.importorskip("tqdm")
    random = np.random.default_rng(2)
    rows, samples = random.standard_normal((100, 2)), random.standard_normal((2500, 2))
    explainer = CaseExplainer(rows, (rows[:, 0] > 0).astype(int))
    plain = explainer.explain_arrays(samples, model=Sign())
    shown = explainer.explain_arrays(samples, model=Sign(), progress=True)
    assert plain.to_dict() == shown.to_dict()
    assert "2500" in capsys.readouterr().err
    truth = (samples[:, 1] > 0).astype(int)
    assert explainer.audit(samples, truth, model=Sign(), progress=True) == explainer.audit(
        samples, truth, model=Sign()
    )


def test_features_beside_those_of_the_neighbors():
    explainer = CaseExplainer(
        [[0.0, 7.0, 1.0], [2.0, 7.0, 5.0]], ["a", "b"], k=2, feature_names=["x", "same", "y"]
    )
    (compared,) = explainer.compare_features([[4.0, 9.0, 3.0]], predictions=["b"])
    assert [(one["feature"], one["value"], one["difference"]) for one in compared] == [
        ("x", 4.0, 3.0),
        ("y", 3.0, 0.0),
        ("same", 9.0, None),
    ]
    assert compared[0]["neighbors"] == [2.0, 0.0]


def test_a_model_of_named_features_is_given_the_table():
    pandas = pytest.importorskip("pandas")

    class Named:
        feature_names_in_ = ["a", "b"]

        def predict(self, X):
            return (X["b"] > 0).astype(int)

    rows = pandas.DataFrame({"a": [0.0, 1.0], "b": [-1.0, 1.0]})
    found = CaseExplainer(rows, [0, 1], k=1, model=Named()).explain_arrays(rows)
    assert found.predicted.tolist() == [0, 1]
    one = CaseExplainer(rows, [0, 1], k=1, model=Named()).explain_instance(rows.iloc[1])
    assert one.predicted_class == 1
    as_array = CaseExplainer(rows, [0, 1], k=1).explain_arrays(rows, model=lambda X: X[:, 1] > 0)
    assert as_array.correspondence.tolist() == [1.0, 1.0]


def cubes(far):
    return 1 / (far + 1) ** 3


@given(rows_and_labels, st.booleans())
@settings(max_examples=40, deadline=None)
def test_a_function_weighs_as_the_kernel_that_it_is(case, vote):
    rows, labels, k = case
    own, kernel = (
        CaseExplainer(rows, labels, k=k, class_weights={labels[0]: 0.5}, weighting=weighting)
        for weighting in (cubes, "inverse-cube")
    )
    samples = [[0.5, 0.5], [3.0, -2.0], [0.0, 0.0]]
    found, expected = (
        e.explain_votes(samples) if vote else e.explain_arrays(samples, predictions=[labels[0], labels[-1], labels[0]])
        for e in (own, kernel)
    )
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_allclose(found.correspondence, expected.correspondence, rtol=1e-12)
    assert own.audit(samples, predictions=labels[:1] * 3).n_samples == 3
    again = pickle.loads(pickle.dumps(own))
    assert (again.explain_votes(samples).predicted == own.explain_votes(samples).predicted).all()


@pytest.mark.parametrize(
    ("weighting", "message"),
    [
        (lambda far: far[:1], "one weight for each of 4"),
        (lambda far: -far, "at least 0"),
        (lambda far: far * np.nan, "finite"),
    ],
)
def test_functions_that_give_no_weights(weighting, message, tmp_path):
    explainer = CaseExplainer([[0.0], [1.0]], [0, 1], k=2, weighting=weighting)
    with pytest.raises(ValueError, match=message):
        explainer.explain_votes([[0.2], [0.7]])
    with pytest.raises(ValueError, match="function cannot be stored"):
        explainer.save(tmp_path / "it")
    with pytest.raises(ValueError, match="not with functions"):
        explainer.aggregate([[0.2]], predictions=[0])


def test_audits_take_what_was_explained(data):
    rows, labels, samples = data
    explainer = CaseExplainer(rows, labels)
    truth, predicted = (samples[:, 1] > 0).astype(int), (samples[:, 0] > 0).astype(int)
    audit = Audit(explainer)
    audit.add(explainer.explain_arrays(samples[:10], truth[:10], predicted[:10]))
    audit.add(explainer.explain_arrays(samples[10:], truth[10:], predicted[10:]))
    assert audit.finish() == explainer.audit(samples, truth, predicted)


def test_neighbours_have_the_labels_of_a_pandas_index() -> None:
    pandas = pytest.importorskip("pandas")
    rows = pandas.DataFrame({"x": [0.0, 1.0, 5.0]}, index=pandas.Index([17, 4, 90], name="patient"))
    labels = pandas.Series(["no", "no", "yes"], index=[90, 17, 4])
    explainer = CaseExplainer(rows, labels.loc[[17, 4, 90]], k=1, scale=False)
    neighbor = explainer.explain_instance([0.9], predicted_class="no").neighbors[0]
    assert (neighbor.index, neighbor.metadata) == (1, {"patient": 4})
    # Rows without labels, as scaling leaves them, and classes that kept theirs.
    dates = pandas.Series(["no", "no", "yes"], index=pandas.date_range("2026-01-01", periods=3))
    visits = {"visit": pandas.to_datetime(["2026-05-01", "2026-05-02", "2026-05-03"])}
    explainer = CaseExplainer(rows.to_numpy(), dates, k=1, scale=False, metadata=visits)
    found = explainer.explain_instance([0.9], predicted_class="no").neighbors[0].metadata
    assert {name: str(value)[:10] for name, value in found.items()} == {"index label": "2026-01-02", "visit": "2026-05-02"}
    hidden = CaseExplainer(rows, ["no", "no", "yes"], k=1, redact=["patient"])
    assert hidden.explain_instance([0.9], predicted_class="no").neighbors[0].metadata == {}
    counted = CaseExplainer(rows.reset_index(drop=True), ["no", "no", "yes"], k=1)
    assert counted.explain_instance([0.9], predicted_class="no").neighbors[0].metadata == {}
