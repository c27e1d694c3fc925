"""What the functions of reproducibility do with arrays of all sorts."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from xai_metrics import repro

PREDICTIONS = np.array([[0, 1, 0, 1, 1], [0, 0, 0, 0, 1], [0, 1, 1, 1, 1]])
LABELS = np.array([0, 1, 1, 0, 1])
EXPECTED = repro.pairwise(PREDICTIONS, LABELS)


def is_expected(predictions, labels=LABELS):
    ours = repro.pairwise(predictions, labels)
    for name in EXPECTED.metrics:
        np.testing.assert_array_equal(ours.pairs(name), EXPECTED.pairs(name))


@pytest.mark.parametrize(
    "kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "f2", "f4", "f8"]
)
@pytest.mark.parametrize("order", ["<", ">"])
def test_types_and_byte_orders(kind, order):
    dtype = np.dtype(kind).newbyteorder(order)
    is_expected(PREDICTIONS.astype(dtype), LABELS.astype(dtype))


def test_places_in_memory():
    wide = np.zeros((6, 10), dtype=np.int32)
    wide[::2, 1::2] = PREDICTIONS
    is_expected(wide[::2, 1::2])
    is_expected(np.asfortranarray(PREDICTIONS))
    is_expected(PREDICTIONS[:, ::-1][:, ::-1])
    is_expected([row for row in wide[::2, 1::2]])
    bytes_of = np.zeros(PREDICTIONS.nbytes + 1, dtype=np.uint8)
    unaligned = bytes_of[1:].view(np.int64).reshape(PREDICTIONS.shape)
    unaligned[...] = PREDICTIONS
    is_expected(unaligned)
    frozen = PREDICTIONS.copy()
    frozen.flags.writeable = False
    is_expected(frozen, LABELS[None, :])


def test_a_view_is_not_changed():
    predictions, labels = PREDICTIONS.copy(), LABELS.copy()
    repro.pairwise(predictions, labels)
    repro.sample_consistency(predictions)
    np.testing.assert_array_equal(predictions, PREDICTIONS)
    np.testing.assert_array_equal(labels, LABELS)


def test_wide_labels():
    far = np.array([-(2**63), 0, 2**63 - 1])
    is_expected(far[PREDICTIONS], far[LABELS])
    with pytest.raises(ValueError, match="64-bit"):
        repro.pairwise(np.full((2, 3), 2**64 - 1, dtype=np.uint64), [0, 0, 0])


@pytest.mark.parametrize(
    ("predictions", "labels", "said"),
    [
        (PREDICTIONS + 0.5, LABELS, "whole numbers"),
        (np.where(PREDICTIONS, np.nan, 1.0), LABELS, "whole numbers"),
        (PREDICTIONS, LABELS[:-1], "labels"),
        (PREDICTIONS[:1], LABELS, "at least 2"),
        (PREDICTIONS[:, :0], LABELS[:0], "samples"),
        (PREDICTIONS[0], LABELS, "n_runs, n_samples"),
        (np.zeros((0, 5), dtype=int), LABELS, "at least 2"),
        ([PREDICTIONS[0], PREDICTIONS[1][:-1]], LABELS, r"predictions\[1\]: expected"),
        (PREDICTIONS, PREDICTIONS, "1 axis"),
        (PREDICTIONS[None], LABELS, "shape"),
        (np.array([["a", None]] * 2, dtype=object), ["a", "b"], "missing"),
    ],
)
def test_wrong_values(predictions, labels, said):
    with pytest.raises(ValueError, match=said):
        repro.pairwise(predictions, labels)


@pytest.mark.parametrize(
    "predictions",
    [
        PREDICTIONS.astype(complex),
        PREDICTIONS.astype("datetime64[s]"),
        object(),
        np.array([object()] * 10, dtype=object).reshape(2, 5),
    ],
)
def test_wrong_types(predictions):
    with pytest.raises((TypeError, ValueError)):
        repro.pairwise(predictions, LABELS)


def test_wrong_choices():
    with pytest.raises(ValueError, match="metric"):
        repro.pairwise(PREDICTIONS, LABELS, metrics="accuracy")
    with pytest.raises(ValueError, match="twice"):
        repro.pairwise(PREDICTIONS, LABELS, metrics=["ec_acc", "ec_acc"])
    with pytest.raises(ValueError):
        repro.pairwise(PREDICTIONS, LABELS, metrics=[])
    with pytest.raises(ValueError, match="n_jobs"):
        repro.pairwise(PREDICTIONS, LABELS, n_jobs=0)
    packed = repro.PackedRuns(PREDICTIONS, LABELS, metrics="ec_acc")
    with pytest.raises(ValueError, match="pack"):
        repro.pairwise(packed, metrics="pa_kappa")
    with pytest.raises(ValueError, match="pack"):
        repro.agreement(packed)
    with pytest.raises(TypeError, match="labels"):
        repro.pairwise(packed, LABELS)


def test_regression_inputs():
    numbers = PREDICTIONS + 0.25
    targets = LABELS + 0.0
    expected = repro.regression(numbers, targets)

    def is_same(predictions, truth=targets):
        ours = repro.regression(predictions, truth)
        for name in expected.metrics:
            np.testing.assert_array_equal(ours.pairs(name), expected.pairs(name))

    is_same(np.asfortranarray(numbers))
    is_same(numbers.astype(">f8"), targets.astype(">f4"))
    is_same(numbers.astype(object), targets.astype(np.float32))
    is_same(numbers.astype(np.float16))
    is_same(numbers.tolist(), targets.tolist())
    is_same(numbers[:, ::-1][:, ::-1], LABELS)
    for wrong, said in [
        ((numbers[:1], targets), "at least 2"),
        ((numbers, targets[:-1]), "targets"),
        ((numbers[:, :0], targets[:0]), "samples"),
        ((numbers * math.inf, targets), "predictions"),
        ((numbers, targets * math.nan), "targets"),
        ((list(numbers[:1]) + [targets[:2]], targets), r"predictions\[1\]: expected 5 samples, as predictions\[0\], got 2"),
        ((numbers[0], targets), "axes"),
    ]:
        with pytest.raises(ValueError, match=said):
            repro.regression(*wrong)
    with pytest.raises(TypeError):
        repro.regression(numbers.astype("U5"), targets)


def test_tables_of_other_libraries():
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    columns = {f"run {i}": run for i, run in enumerate(PREDICTIONS)}
    is_expected(polars.DataFrame(columns), polars.Series(LABELS))
    is_expected(pyarrow.table(columns), pyarrow.array(LABELS))


def test_tensors():
    torch = pytest.importorskip("torch")
    is_expected(torch.from_numpy(PREDICTIONS), torch.from_numpy(LABELS))
    is_expected([torch.from_numpy(run) for run in PREDICTIONS])


def test_an_interrupt_ends_a_study():
    import _thread
    import threading

    threading.Timer(0.3, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        # More than an hour of work.
        repro.SimulationStudy(100_000_000)


def test_objects_are_no_labels_by_their_whole_parts():
    halves = np.array([[0.5, 1.5], [0.2, 1.9]], dtype=object)
    with pytest.raises(ValueError, match=r"expected whole numbers, got 0.5 at \[0, 0\]"):
        repro.error_sets(halves, [0, 1])
    with pytest.raises(TypeError, match=r"predictions\[0, 1\]: expected labels.*Decimal"):
        repro.pairwise(np.array([[0, Decimal("0.5")], [0, 1]], dtype=object), [0, 1])
    with pytest.raises(TypeError, match=r"predictions\[0\]\[1\]: expected labels .* got '1'"):
        repro.pairwise([[1, "1"], ["1", 1]], ["1", "1"])


def test_columns_of_one_name_are_named():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(PREDICTIONS.T, columns=["a", "b", "a"])
    with pytest.raises(ValueError, match="predictions: two runs are called 'a'; rename one of them"):
        repro.pairwise(table, LABELS)


ORDER = ["low", "mid", "high"]
ORDERED = {"a": ["low", "mid", "high", "low"], "b": ["low", "high", "high", "mid"]}
PLACES = [[0, 1, 2, 0], [0, 2, 2, 1]]


def ordered_tables():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    kind, enum = pandas.CategoricalDtype(ORDER, ordered=True), polars.Enum(ORDER)
    yield pandas.DataFrame(ORDERED).astype(kind)
    yield polars.DataFrame(ORDERED, schema=dict.fromkeys(ORDERED, enum))
    dictionary = pyarrow.array(ORDER)
    columns = [pyarrow.DictionaryArray.from_arrays(pyarrow.array(of), dictionary, ordered=True) for of in PLACES]
    yield pyarrow.table(columns, names=list(ORDERED))


def test_ordered_categories_are_the_scale_of_gwets_ac2():
    for weights in ("linear", "quadratic", "radical", "ordinal", "identity"):
        expected = repro.gwet_ac2(PLACES, weights)
        for table in ordered_tables():
            assert repro.gwet_ac2(table, weights) == expected


def test_categories_are_the_scale_of_gwets_ac2():
    matrix = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.75], [0.0, 0.75, 1.0]])
    words = [[ORDER[place] for place in run] for run in PLACES]
    for weights in ("linear", "quadratic", "radical", "ordinal", "identity", matrix):
        expected = repro.gwet_ac2(PLACES, weights)
        for runs in (words, np.array(words), ORDERED.values()):
            assert repro.gwet_ac2(runs, weights, categories=ORDER) == expected
    # Other orders are other scales; ascending numbers keep their distances.
    assert repro.gwet_ac2(words, categories=[ORDER[0], ORDER[2], ORDER[1]]) != repro.gwet_ac2(PLACES)
    assert repro.gwet_ac2([[1, 2, 9], [1, 9, 9]], categories=[1, 2, 9]) == repro.gwet_ac2([[1, 2, 9], [1, 9, 9]])
    # A class that does not occur does not count.
    assert repro.gwet_ac2([words[0][:2]] * 2, categories=ORDER) == repro.gwet_ac2([PLACES[0][:2]] * 2)
    wide = np.eye(4)
    wide[:3, :3] = matrix
    assert repro.gwet_ac2(words, wide, categories=[*ORDER, "none"]) == repro.gwet_ac2(PLACES, matrix)
    for weights in ("linear", "identity", matrix[:2, :2]):
        with pytest.raises(ValueError, match=f"predictions.*'{ORDER[2]}' is not among the categories"):
            repro.gwet_ac2(words, weights, categories=ORDER[:2])
    with pytest.raises(TypeError, match="predictions.* expected labels of one type, but categories has text"):
        repro.gwet_ac2(PLACES, categories=ORDER)
    with pytest.raises(ValueError, match="categories: 'a' occurs twice"):
        repro.gwet_ac2([["a", "b"], ["a", "a"]], categories=["a", "b", "a"])
    with pytest.raises(ValueError, match="weights: expected a row and a column for each of 3 categories"):
        repro.gwet_ac2(words, matrix[:2, :2], categories=ORDER)


def test_words_without_an_order_have_no_distances():
    pandas = pytest.importorskip("pandas")
    for runs in (ORDERED, {"a": ["1", "2", "10"], "b": ["1", "10", "10"]}):
        table = pandas.DataFrame(runs)
        assert repro.gwet_ac2(table, "identity") is not None
        hint = "numbers that are stored as text" if "1" in runs["a"] else "ordered categories"
        for weights in ("linear", "quadratic", "radical", "ordinal"):
            with pytest.raises(ValueError, match=f"distances between classes need an order.*{hint}"):
                repro.gwet_ac2(table, weights)
    table = pandas.DataFrame(ORDERED).astype(pandas.CategoricalDtype(ORDER, ordered=True))
    other = table.assign(b=table.b.astype(pandas.CategoricalDtype(ORDER[::-1], ordered=True)))
    with pytest.raises(ValueError, match="ordered categories, but not the same in all"):
        repro.gwet_ac2(other)
    assert repro.pairwise(other).values["pa_acc"].tolist() == [0.5]


def test_labels_of_runs_and_truth_have_one_type_and_some_class_in_common():
    labels = [0, 1, 1, 0]
    for runs, message in (
        ([["0", "1", "1", "0"], ["0", "0", "1", "0"]], r"labels has numbers \(0, 1\) and predictions\[0\] text \('0', '1'\)"),
        ([[0, 1, 1, 0], ["0", "0", "1", "0"]], r"labels has numbers \(0, 1\) and predictions\[1\] text \('0', '1'\)"),
    ):
        with pytest.raises(TypeError, match=message):
            repro.pairwise(runs, labels)
    for same in ([False, True, True, False], [0.0, 1.0, 1.0, 0.0], np.array(labels, np.uint8)):
        assert repro.error_sets([same, labels], labels).accuracy.tolist() == [1.0, 1.0]
    words = np.array(["cat", "dog"])[np.arange(12) % 2]
    with pytest.raises(ValueError, match="'Cat', 'Dog' are not among the true labels .*'cat', 'dog'"):
        repro.pairwise([np.char.title(words)] * 2, words)
    # Few samples may all be wrong.
    assert repro.error_sets([["cat"], ["cat"]], ["dog"]).accuracy.tolist() == [0.0, 0.0]
    state = repro.PairwiseAccumulator(classes=["cat", "dog"])
    assert state.update([["cat"] * 12] * 2, ["dog"] * 12).finish().accuracy.tolist() == [0.0, 0.0]


def test_a_table_of_numbers_has_a_column_a_run():
    pandas = pytest.importorskip("pandas")
    runs, targets = np.random.default_rng(2).normal(size=(3, 7)), np.arange(7.0)
    expected = repro.regression(runs, targets)
    rows = [f"s{i}" for i in range(7)]
    for table, of_rows in (
        (pandas.DataFrame(runs.T), targets),
        (pandas.DataFrame(runs.T, index=rows), pandas.Series(targets, index=rows)[::-1]),
        (pandas.DataFrame(runs.T, columns=list("abc")), targets),
        (list(runs), targets),
    ):
        found = repro.regression(table, of_rows)
        assert found.n_runs == 3
        for name in expected.metrics:
            np.testing.assert_array_equal(found.pairs(name), expected.pairs(name))


@pytest.mark.parametrize("given", [repro.pairwise, repro.summarize, repro.error_sets])
def test_a_run_of_another_length_is_named(given):
    with pytest.raises(ValueError, match=r"predictions\['seed b'\]: expected 2 samples, as predictions\['seed a'\], got 3"):
        given({"seed a": [0, 1], "seed b": [1, 1, 1]}, [0, 1])
    with pytest.raises(ValueError, match=r"predictions\['seed a'\]: expected 3 samples, as the labels, got 2"):
        given({"seed a": [0, 1], "seed b": [1, 1]}, [0, 1, 1])


def test_a_run_of_numbers_of_another_length_is_named():
    with pytest.raises(ValueError, match=r"predictions\['b'\]: expected 2 samples, as predictions\['a'\], got 3"):
        repro.regression({"a": [0.0, 1.0], "b": [1.0, 1.0, 1.0]}, [0.0, 1.0])
    with pytest.raises(ValueError, match=r"second\['b'\]: expected 2 samples, as second\['a'\], got 1"):
        repro.compare_groups([[0, 1], [1, 1]], {"a": [0, 1], "b": [1]}, [0, 1])


def test_unknown_metrics_get_a_suggestion():
    runs, labels = [[0, 1], [1, 1]], [0, 1]
    with pytest.raises(ValueError, match="metrics: got 'kappa', did you mean .*pa_kappa.*There are ec_local, "):
        repro.pairwise(runs, labels, metrics="kappa")
    with pytest.raises(ValueError, match="metrics: got 'ec_kapa', did you mean ec_kappa.* There are"):
        repro.PairwiseAccumulator("ec_kapa")
    with pytest.raises(ValueError, match="metrics: got 'qqqq', expected some of ec_ratio, "):
        repro.compare_groups(runs, runs, targets=labels, metrics="qqqq")
