"""What users hand in: arrays of all kinds, tables, labels, and what is wrong with them."""

import pickle

import numpy as np
import pytest
from xai_metrics.casebased import CaseExplainer, NeighborSearch, distances

ROWS = np.array([[0.0, 1.0], [0.5, 0.5], [4.0, 5.0], [5.0, 4.0]])
LABELS = np.array([0, 0, 1, 1])
SAMPLES = np.array([[0.2, 0.9], [4.4, 4.4]])
PREDICTED = np.array([0, 1])


def found_by(rows=ROWS, labels=LABELS, samples=SAMPLES, predicted=PREDICTED, **choices):
    explainer = CaseExplainer(rows, labels, k=3, **choices)
    return explainer.explain_arrays(samples, predictions=predicted)


def read_only(array):
    array = array.copy()
    array.setflags(write=False)
    return array


FORMS = {
    "list": lambda a: a.tolist(),
    "fortran order": np.asfortranarray,
    "every other column": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "backwards": lambda a: np.ascontiguousarray(a[::-1])[::-1],
    "read-only": read_only,
    "byte-swapped": lambda a: a.astype(a.dtype.newbyteorder()),
    "long double": lambda a: a.astype(np.longdouble),
    "numbers as objects": lambda a: a.astype(object),
    "unaligned": lambda a: (
        np.frombuffer(b"x" + a.tobytes(), dtype=np.uint8)[1:].view(a.dtype).reshape(a.shape)
    ),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_of_an_array_gives_the_same(form):
    expected, found = found_by(), found_by(form(ROWS), samples=form(SAMPLES))
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)
    np.testing.assert_array_equal(found.correspondence, expected.correspondence)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint32, np.int64, bool])
def test_every_type_of_number_gives_what_its_values_give(dtype):
    rows, samples = ROWS.astype(dtype), SAMPLES.astype(dtype)
    expected = found_by(rows.astype(float), samples=samples.astype(float))
    np.testing.assert_array_equal(found_by(rows, samples=samples).distances, expected.distances)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (dict(rows=[["a", "b"]] * 4), TypeError, "X_train"),
        (dict(rows=ROWS.astype(complex)), TypeError, "X_train"),
        (dict(rows=np.array([[0, None]] * 4)), TypeError, "X_train"),
        (dict(rows=ROWS[:0], labels=LABELS[:0]), ValueError, "train"),
        (dict(rows=ROWS[:, :0]), ValueError, "train"),
        (dict(rows=ROWS[0], labels=LABELS[:2]), ValueError, "2 axes"),
        (dict(rows=np.where(ROWS == 4.0, np.nan, ROWS)), ValueError, r"train\[2, 0\]"),
        (dict(rows=np.where(ROWS == 4.0, np.inf, ROWS)), ValueError, r"train\[2, 0\]"),
        (dict(samples=SAMPLES * np.nan), ValueError, r"samples\[0, 0\]"),
        (dict(samples=SAMPLES[:0], predicted=PREDICTED[:0]), ValueError, "samples"),
        (dict(samples=SAMPLES[:, :1]), ValueError, "1 features, expected 2"),
        (dict(samples=[["a", "b"]]), TypeError, "X_test"),
        (dict(predicted=PREDICTED[:1]), ValueError, "expected 2 labels, got 1"),
        (dict(predicted=[0, None]), ValueError, r"predictions\[1\]: the label is missing"),
        (dict(labels=[0, 1, None, 1]), ValueError, r"y_train\[2\]: the label is missing"),
        (dict(labels=[0.0, 1.0, np.nan, 1.0]), ValueError, r"y_train\[2\]: the label is missing"),
        (dict(labels=LABELS[:3]), ValueError, "same length"),
        (dict(labels=ROWS), ValueError, "one label per row"),
        (dict(rows=object()), TypeError, "X_train: expected an array"),
    ],
)
def test_what_is_wrong_is_said(change, error, message):
    with pytest.raises(error, match=message):
        found_by(**change)


@pytest.mark.parametrize(
    ("choices", "error", "message"),
    [
        (dict(distance="euclidian"), ValueError, "euclidean"),
        (dict(distance=max), ValueError, "distance"),
        (dict(distance="minkowski:0.5"), ValueError, "at least 1"),
        (dict(distance="cosine", scale=False, metadata={"x": [0]}), ValueError, "Metadata"),
        (dict(engine="fastest"), ValueError, "engine"),
        (dict(engine="kd-tree", distance="cosine"), ValueError, 'engine="brute-force"'),
        (dict(engine="hnsw:4"), ValueError, "EF_SEARCH"),
        (dict(engine="hnsw:1,200,64"), ValueError, "connections"),
        (dict(distance="euclidean", covariance=[[1.0]]), ValueError, "mahalanobis"),
        (dict(metric="euclidean"), TypeError, "one of k, distance, engine"),
        (dict(high=0.5, medium=0.7), ValueError, "medium"),
        (dict(class_weights={0: -1.0}), ValueError, "at least 0"),
        (dict(feature_names=["only"]), ValueError, "feature names"),
        (dict(feature_names=["same", "same"]), ValueError, "same"),
        (dict(redact=["nothing"]), ValueError, "nothing"),
        (dict(aggregate_only=1), ValueError, "at least 2"),
        (dict(similarity="leaves"), ValueError, "Unknown similarity"),
        (dict(similarity=3), TypeError, "strategy object"),
        (dict(weighting=3), ValueError, "weighting"),
        (dict(n_jobs=0), ValueError, "n_jobs"),
    ],
)
def test_wrong_choices_are_refused(choices, error, message):
    with pytest.raises(error, match=message):
        CaseExplainer(ROWS, LABELS, k=2, **choices)


@pytest.mark.parametrize(("k", "error"), [(0, ValueError), (-1, ValueError), (2.5, TypeError)])
def test_k_is_a_number_of_neighbors(k, error):
    with pytest.raises(error, match="k"):
        CaseExplainer(ROWS, LABELS, k=k)
    with pytest.raises(error, match="k"):
        CaseExplainer(ROWS, LABELS).explain_arrays(SAMPLES, predictions=PREDICTED, k=k)


LABEL_FORMS = {
    "integers": [0, 1],
    "far integers": [-(10**12), 10**15],
    "booleans": [False, True],
    "words": ["ham", "spam"],
    "floats": [0.5, 1.5],
    "whole floats": [0.0, 1.0],
}


@pytest.mark.parametrize("names", LABEL_FORMS.values(), ids=LABEL_FORMS)
@pytest.mark.parametrize("holder", [list, np.array, lambda a: np.array(a, dtype=object)])
def test_labels_of_any_type(names, holder):
    labels = holder([names[i] for i in LABELS])
    found = CaseExplainer(ROWS, labels, k=3, class_weights={names[1]: 2.0}).explain_batch(
        SAMPLES, y_test=holder([names[0], names[0]]), predictions=holder([names[0], names[1]])
    )
    expected = found_by(class_weights={1: 2.0})
    assert [e.correspondence for e in found] == expected.correspondence.tolist()
    assert [e.predicted_class for e in found] == [names[0], names[1]]
    assert type(found[0].predicted_class) is type(names[0])
    assert type(found[0].neighbors[0].label) is type(names[0])
    assert [e.is_correct() for e in found] == [True, False]


def test_objects_as_labels():
    names = np.empty(4, dtype=object)
    names[:] = [("a", 1), ("a", 1), ("b", 2), ("b", 2)]
    explainer = CaseExplainer(ROWS, names, k=2)
    explanation = explainer.explain_instance(SAMPLES[0], predicted_class=("a", 1))
    assert explanation.correspondence == 1.0
    assert explanation.neighbors[0].label == ("a", 1)
    assert explainer.explain_votes(SAMPLES).predicted.tolist() == [("a", 1), ("b", 2)]
    mixed = np.array([0, 0, "b", "b"], dtype=object)
    assert CaseExplainer(ROWS, mixed, k=2).explain_votes(SAMPLES).predicted.tolist() == [0, "b"]


WORDS = np.array(["no", "yes"])


@pytest.mark.parametrize(
    ("labels", "predicted", "error", "message"),
    [
        (LABELS, [7, 0], ValueError, r"predictions: 7 is not among the classes of y_train \(0, 1\)"),
        (LABELS, [np.inf, 0], ValueError, "predictions: inf is not among"),
        (LABELS, [0.25, 0.75], ValueError, "not among the classes .* look like probabilities: give the predicted classes"),
        (LABELS, ["0", "1"], TypeError, r"y_train has numbers \(0, 1\) and predictions text \('0'"),
        (LABELS, [b"0", b"1"], TypeError, r"y_train has numbers \(0, 1\) and predictions bytes \(b'0'"),
        (LABELS.astype(str), [0, 1], TypeError, r"y_train has text \('0', '1'\) and predictions numbers \(0"),
        (WORDS[LABELS], ["No", "yes"], ValueError, r"predictions: 'No' is not among the classes .*\('no', 'yes'\)"),
    ],
)
def test_predicted_classes_are_those_of_the_training_rows(labels, predicted, error, message):
    explainer = CaseExplainer(ROWS, labels, k=3)
    with pytest.raises(error, match=message):
        explainer.explain_arrays(SAMPLES, predictions=predicted)
    with pytest.raises(error, match=message):
        explainer.explain_instance(SAMPLES[0], predicted_class=predicted[0])
    with pytest.raises(error, match=message):
        explainer.audit(SAMPLES, predictions=predicted)
    with pytest.raises(error, match=message):
        explainer.attributions(SAMPLES, predictions=predicted)


def test_predicted_classes_are_checked_after_load(tmp_path):
    CaseExplainer(ROWS, WORDS[LABELS], k=3).save(tmp_path / "cases.xai")
    loaded = CaseExplainer.load(tmp_path / "cases.xai")
    with pytest.raises(TypeError, match=r"numbers \(0, 1\) and predictions text \('no', 'yes'\).*labels=\"names\""):
        loaded.explain_arrays(SAMPLES, predictions=["no", "yes"])
    named = CaseExplainer.load(tmp_path / "cases.xai", labels="names")
    assert named.explain_arrays(SAMPLES, predictions=["no", "yes"]).correspondence.min() > 0.5
    with pytest.raises(TypeError, match="predictions numbers"):
        named.explain_arrays(SAMPLES, predictions=[0, 1])


def test_true_classes_may_be_new_but_not_all_of_them():
    explainer = CaseExplainer(ROWS, WORDS[LABELS], k=3)
    judged = explainer.explain_arrays(SAMPLES, ["no", "perhaps"], predictions=["no", "yes"])
    assert judged.is_correct.tolist() == [True, False]
    with pytest.raises(ValueError, match="y_test: 'No', 'Yes' are not among the classes of y_train"):
        explainer.explain_arrays(SAMPLES, ["No", "Yes"], predictions=["no", "yes"])
    with pytest.raises(TypeError, match="y_test numbers"):
        explainer.audit(SAMPLES, [0, 1], predictions=["no", "yes"])


@pytest.mark.parametrize("of", ["class_weights", "class_names"])
def test_keys_of_mappings_are_classes_of_the_training_rows(of):
    value = 2.0 if of == "class_weights" else "a name"
    with pytest.raises(TypeError, match=f"{of} text"):
        CaseExplainer(ROWS, LABELS, **{of: {"0": value}})
    with pytest.raises(ValueError, match=f"{of}: 7 is not among the classes of y_train"):
        CaseExplainer(ROWS, LABELS, **{of: {7: value}})
    CaseExplainer(ROWS, LABELS, **{of: {7: value, 0.0: value}})


def test_equal_labels_of_different_types_are_one_class():
    for predicted in ([0, 1], [0.0, 1.0], [False, True], np.array([0, 1], dtype=np.uint8)):
        assert (found_by(predicted=predicted).correspondence == found_by().correspondence).all()


def test_pandas_gives_the_names_of_features():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(ROWS, columns=["age", "income"]).astype({"age": "int64"})
    labels = pandas.Series(["no", "no", "yes", "yes"], index=[5, 6, 7, 8])
    explainer = CaseExplainer(table, labels, k=2)
    assert explainer.feature_names == ["age", "income"]
    samples = pandas.DataFrame(SAMPLES, columns=["age", "income"])
    found = explainer.explain_batch(
        samples, labels.iloc[:2], predictions=pandas.Series(["no", "yes"])
    )
    assert [e.correspondence for e in found] == [1.0, 1.0]
    assert found[0].true_class == "no"
    numbered = CaseExplainer(pandas.DataFrame(ROWS), LABELS, k=1, redact=["1"])
    assert numbered.feature_names == [0, 1] and numbered.shown_feature_names == [0]
    categories = CaseExplainer(table, labels.astype("category"), k=2)
    assert categories.explain_instance(samples.iloc[0], predicted_class="no").correspondence == 1.0


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_tables_of_arrow(library):
    module = pytest.importorskip(library)
    table = module.DataFrame if library == "polars" else module.table
    rows = table({"age": ROWS[:, 0], "income": ROWS[:, 1]})
    samples = table({"age": SAMPLES[:, 0], "income": SAMPLES[:, 1]})
    explainer = CaseExplainer(rows, LABELS, k=3)
    assert explainer.feature_names == ["age", "income"]
    found = explainer.explain_arrays(samples, predictions=PREDICTED)
    assert found.to_dict() == found_by().to_dict()


def test_a_missing_value_of_a_table_is_named():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": [1.0, None], "b": [2.0, 3.0]})
    with pytest.raises(ValueError, match="X_train: the column 'a' has 1 value that is missing or infinite, the first in row 1"):
        CaseExplainer(table, [0, 1])
    for labels in (["a", None], pandas.array(["a", pandas.NA], dtype="string")):
        with pytest.raises(ValueError, match=r"y_train\[1\]: the (label|value) is missing"):
            CaseExplainer([[0.0], [1.0]], pandas.Series(labels))


def test_later_changes_of_the_arrays_change_nothing():
    rows, samples, labels = ROWS.copy(), SAMPLES.copy(), LABELS.copy()
    explainer = CaseExplainer(rows, labels, k=1)
    explanation = explainer.explain_batch(samples, predictions=PREDICTED)[0]
    rows[:], samples[:], labels[:] = 99.0, 99.0, 1
    assert explanation.test_sample.tolist() == SAMPLES[0].tolist()
    assert explanation.neighbors[0].features.tolist() == ROWS[0].tolist()
    assert explanation.neighbors[0].label == 0


def test_search_takes_what_the_explainer_takes():
    for form in FORMS.values():
        distances, indices = NeighborSearch(form(ROWS)).query(form(SAMPLES), k=2)
        assert indices.tolist() == [[0, 1], [2, 3]] or indices[0].tolist() == [0, 1]
        assert distances.shape == (2, 2)
    with pytest.raises(ValueError, match="queries"):
        NeighborSearch(ROWS).query(SAMPLES[:, :1])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_of_tables_are_matched_by_name(library, tmp_path):
    module = pytest.importorskip(library)
    table = module.table if library == "pyarrow" else module.DataFrame
    rows = table({"age": ROWS[:, 0], "income": ROWS[:, 1]})
    turned = table({"income": SAMPLES[:, 1], "age": SAMPLES[:, 0]})
    other = table({"height": SAMPLES[:, 1], "age": SAMPLES[:, 0]})
    fitted = CaseExplainer(rows, LABELS, k=3, redact=["age"])
    fitted.save(tmp_path / "cases", store_redacted=True)
    named = CaseExplainer(ROWS, LABELS, k=3, feature_names=["age", "income"])
    for explainer in (fitted, CaseExplainer.load(tmp_path / "cases"), named):
        found = explainer.explain_arrays(turned, predictions=PREDICTED)
        np.testing.assert_array_equal(found.distances, found_by().distances)
        with pytest.raises(ValueError, match="X_test: .*'income' is missing, 'height' is unknown"):
            explainer.explain_votes(other)
    # Columns without names are read in their order.
    plain = CaseExplainer(ROWS, LABELS, k=3).explain_votes(turned).distances
    np.testing.assert_array_equal(plain, found_by(samples=SAMPLES[:, ::-1]).distances)
    search = NeighborSearch(rows)
    for one in (search, pickle.loads(pickle.dumps(search))):
        np.testing.assert_array_equal(
            one.query(turned, k=2)[0], NeighborSearch(ROWS).query(SAMPLES, k=2)[0]
        )
        with pytest.raises(ValueError, match="X: expected the columns of the searched rows"):
            one.query(other)
    np.testing.assert_array_equal(distances(turned, rows), distances(SAMPLES, ROWS))


def test_a_row_of_a_table_is_matched_by_name():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(ROWS, columns=["age", "income"])
    trees = pytest.importorskip("sklearn.tree")
    model = trees.DecisionTreeClassifier(random_state=0).fit(table, LABELS)
    explainer = CaseExplainer(table, LABELS, k=1, model=model)
    turned = table[["income", "age"]]
    for row in (turned.iloc[2], turned.iloc[[2]]):
        found = explainer.explain_instance(row)
        assert found.neighbors[0].distance == 0.0 and found.predicted_class == 1
    found = explainer.explain_batch(turned)
    assert [one.predicted_class for one in found] == LABELS.tolist()
    with pytest.raises(ValueError, match="test_sample: expected the columns of X_train; 'age'"):
        explainer.explain_instance(turned.iloc[2].rename({"age": "height"}))


@pytest.mark.parametrize("kinds", [[-5, 5], [False, True], [np.int8(-5), True]])
def test_integers_that_are_objects_are_the_same_classes_in_a_file(kinds, tmp_path):
    labels = np.array(kinds, dtype=object)[LABELS]
    explainer = CaseExplainer(ROWS, labels, k=3)
    explainer.save(tmp_path / "cases")
    again = CaseExplainer.load(tmp_path / "cases")
    for of in (explainer, again):
        found = of.explain_arrays(SAMPLES, predictions=np.array(kinds, dtype=int))
        np.testing.assert_array_equal(found.correspondence, found_by().correspondence)
    far = np.array([2**70, 0], dtype=object)
    assert CaseExplainer(ROWS, far[LABELS], k=1).get_training_info()["classes"] == [0, 2**70]


def test_a_row_may_hold_booleans_beside_numbers() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"age": [0.0, 1.0, 2.0, 3.0], "smokes": [True, False, True, False]})
    explainer = CaseExplainer(table, ["x", "y", "x", "y"], k=1)
    found = [explainer.explain_instance(table.iloc[i], predicted_class="x") for i in range(4)]
    assert [one.correspondence for one in found] == [1.0, 0.0, 1.0, 0.0]


def people():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"age": [20.0, 30.0, 60.0, 70.0], "job": ["clerk", "clerk", "farmer", None]})
    return table.assign(size=pandas.Categorical(["S", "L", "M", "S"], ["S", "M", "L"], ordered=True))


@pytest.mark.parametrize(
    ("how", "names", "expected"),
    [
        (
            "one-hot",
            ["age", "job=clerk", "job=farmer", "job=missing", "size=S", "size=M", "size=L"],
            [[20, 1, 0, 0, 1, 0, 0], [30, 1, 0, 0, 0, 0, 1], [60, 0, 1, 0, 0, 1, 0], [70, 0, 0, 1, 1, 0, 0]],
        ),
        ("ordinal", ["age", "job", "size"], [[20, 0, 0], [30, 0, 2], [60, 1, 1], [70, 2, 0]]),
    ],
)
def test_columns_of_text_may_be_encoded(how, names, expected):
    table, labels = people(), np.array([0, 0, 1, 1])
    explainer = CaseExplainer(table, labels, encode=how, k=2)
    assert explainer.feature_names == names and explainer.X_train_original.tolist() == expected
    of_numbers = CaseExplainer(np.array(expected, float), labels, k=2)
    found = explainer.explain_arrays(table[table.columns[::-1]], predictions=labels)
    assert (found.distances == of_numbers.explain_arrays(expected, predictions=labels).distances).all()
    assert explainer.explain_instance(table.iloc[2], predicted_class=1).neighbors[0].index == 2
    again = pickle.loads(pickle.dumps(explainer))
    assert (again.explain_arrays(table, predictions=labels).indices == found.indices).all()
    with pytest.raises(ValueError, match=r"X_test\['job'\]: has a category that no training row has"):
        explainer.explain_arrays(table.assign(job="pilot"), predictions=labels)
    with pytest.raises(ValueError, match="X_test: the column 'age' has 4 values that are missing"):
        explainer.explain_arrays(table.assign(age=np.nan), predictions=labels)
    hidden = CaseExplainer(table, labels, encode=how, redact=["job"])
    assert not [name for name in hidden.shown_feature_names if name.startswith("job")]


def test_columns_of_text_are_refused_by_name():
    pandas = pytest.importorskip("pandas")
    table, labels = people().fillna({"job": "clerk"}), np.array([0, 0, 1, 1])
    with pytest.raises(ValueError, match=r"X_train\[3, 1\]: the value of the column 'job' is missing"):
        CaseExplainer(people().astype({"job": "string"}), labels)
    with pytest.raises(TypeError, match="X_train: the column 'job' has text.*get_dummies.*cat.codes.*encode=") as caught:
        CaseExplainer(table, labels)
    assert "clerk" not in str(caught.value)  # it may be one to redact
    days = table[["age"]].assign(day=pandas.Timestamp("2024-01-01"))
    with pytest.raises(TypeError, match="X_train: the column 'day' has dates or durations"):
        CaseExplainer(days, labels)
    with pytest.raises(TypeError, match="X_train: the column 'day' has dates or durations, .* `\\(table\\['day'\\]"):
        CaseExplainer(days, labels, encode="one-hot")
    with pytest.raises(ValueError, match="encode: expected 'one-hot' or 'ordinal', got 'label'"):
        CaseExplainer(table, labels, encode="label")
    with pytest.raises(TypeError, match="encode: needs a table"):
        CaseExplainer(ROWS, LABELS, encode="ordinal")
    for wrong, message in (
        ("[[1, 2]]", "X_train: expected an array or a table, got str that looks like JSON; read it by"),
        ({"age": [1.0]}, "got dict; make a table of its columns"),
        ([{"age": 1.0}], "got {'age': 1.0} of type dict; make a table of the records"),
        ([[1.0, 2.0], [1.0]], "X_train: expected rows of one length, got 2 values in row 0 and 1 values in row 1"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            CaseExplainer(wrong, LABELS)
