"""Inputs, answers and explanations as they come: tables, several inputs, lists; and reference explainers."""

from __future__ import annotations

import datetime
import sys
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
import xai_metrics
from xai_metrics.attribution import (
    base_scores,
    evaluate,
    evaluate_part,
    evaluate_stream,
    explain,
    metrics,
)

RANDOM = np.random.default_rng(6)
X = RANDOM.random((10, 4))
W = RANDOM.normal(size=(4, 3))
TARGETS = RANDOM.integers(0, 3, 10)
PICKED = (X @ W)[np.arange(10), TARGETS]


def people(n: int = 120) -> tuple[Any, Any]:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "age": RANDOM.integers(18, 80, n),
            "city": RANDOM.choice(["Rome", "Oslo", "Lima"], n, p=[0.6, 0.3, 0.1]),
            "income": RANDOM.random(n).astype(np.float32),
            "plan": pandas.Categorical(RANDOM.choice(["free", "paid"], n, p=[0.3, 0.7])),
            "active": RANDOM.random(n) > 0.5,
        }
    )
    frame.loc[3, "city"] = None
    risk = (frame["age"] > 50) | (frame["city"] == "Oslo")
    return frame, np.where(risk, "high", "low")


def pipeline(frame: Any, y: Any) -> Any:
    compose = pytest.importorskip("sklearn.compose")
    linear = pytest.importorskip("sklearn.linear_model")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    encoded = preprocessing.OneHotEncoder(handle_unknown="ignore")
    columns = compose.ColumnTransformer(
        [
            ("words", encoded, ["city", "plan"]),
            ("numbers", preprocessing.StandardScaler(), ["age", "income"]),
        ],
        remainder="passthrough",
    )
    return (
        pytest.importorskip("sklearn.pipeline")
        .make_pipeline(columns, linear.LogisticRegression())
        .fit(frame, y)
    )


def test_a_pipeline_is_given_its_table_with_words() -> None:
    x, y = people()
    model = pipeline(x, y)
    expected = model.predict_proba(x)[np.arange(len(x)), (y == "low").astype(int)]
    np.testing.assert_allclose(base_scores(model, x, y), expected)
    columns = (y == "low").astype(int)
    # The columns of a method are the classes of its estimator; those of a function are numbers.
    np.testing.assert_allclose(base_scores(model.predict_proba, x, y), expected)
    with pytest.raises(TypeError, match="targets: .*numbers of the columns .* the estimator itself"):
        base_scores(lambda frame: model.predict_proba(frame), x, y)
    np.testing.assert_allclose(
        base_scores(lambda frame: model.predict_proba(frame), x, columns), expected
    )
    maps = RANDOM.normal(size=x.shape)
    table = evaluate(model, x, y, {"a": maps, "occlusion": "occlusion"}, replicates=0)
    assert table["deletion"]["occlusion"].value < table["deletion"]["a"].value
    # The baseline of a column of words is the word that occurs most.
    blank = x.copy()
    blank["city"], blank["plan"] = "Rome", "paid"
    blank[["age", "income", "active"]] = [0, 0.0, False]
    change = []
    for name in x.columns:
        changed = x.copy()
        changed[name] = blank[name].to_numpy()
        after = model.predict_proba(changed)[np.arange(len(x)), columns]
        change.append(expected - after)
    np.testing.assert_allclose(
        explain(model, x, y, "occlusion"), np.column_stack(change), atol=1e-12
    )
    typical = x.mode().iloc[0]
    value = metrics.Deletion(baseline=typical).evaluate(model, x, y, maps)
    order = typical[["plan", "age", "city", "income", "active"]]
    assert metrics.Deletion(baseline=order).evaluate(model, x, y, maps).value == value.value
    assert metrics.Deletion().evaluate(model, x, y, maps).value != value.value
    wrong = typical.copy()
    wrong["city"] = "Bern"
    with pytest.raises(
        ValueError, match=r"baseline\['city'\]: the column of the inputs has no 'Bern'"
    ):
        metrics.Deletion(baseline=wrong).evaluate(model, x, y, maps)


def test_values_of_encoded_columns_are_added_up_per_column() -> None:
    pandas = pytest.importorskip("pandas")
    x, y = people()
    model = pipeline(x, y)
    encoded = pandas.DataFrame(model[0].transform(x), columns=model[0].get_feature_names_out())
    assert "words__city_Rome" in encoded and "remainder__active" in encoded
    values = encoded * model[-1].coef_
    sources = [[name for name in encoded if f"__{column}" in name] for column in x.columns]
    sums = np.column_stack([values[of].sum(axis=1) for of in sources])
    of_class = {"replicates": 0, "explained_class": model.classes_[1]}
    table = evaluate(model, x, y, {"encoded": values, "sums": sums}, ["deletion"], **of_class)
    deletion = table["deletion"]
    np.testing.assert_allclose(deletion["encoded"].per_sample, deletion["sums"].per_sample)
    assert table.assumed["maps of encoded"].startswith("of encoded columns, added up per column of the inputs; ")
    assert table.assumed["maps of sums"].startswith("of class")
    # Columns that are named after none, or after two, are not guessed.
    components = pandas.DataFrame(np.ones((len(x), 7)), columns=[f"pca{i}" for i in range(7)])
    with pytest.raises(ValueError, match="values of 7 columns, 'pca0' for instance.*evaluate its last step alone"):
        evaluate(model, x, y, {"a": components}, ["deletion"])
    dropped = values.drop(columns="numbers__income")
    table = evaluate(model, x, y, {"a": dropped}, ["deletion"], **of_class)
    assert "; 0 of income, of which the model makes none; of class" in table.assumed["maps of a"]
    with pytest.raises(ValueError, match=r"explainers\['a'\]: expected the columns of the inputs"):
        evaluate(model, x, y, {"a": values.iloc[0]}, ["deletion"])
    with pytest.raises(ValueError, match="expected the columns of the inputs; 'plan' is missing"):
        evaluate(model, x, y, {"a": x[["age", "city", "income", "active"]]}, ["deletion"])


def test_what_stands_for_removed_values_of_a_table_is_said() -> None:
    x, y = people()
    model, maps = pipeline(x, y), {"a": RANDOM.normal(size=x.shape)}
    table = evaluate(model, x, y, maps, ["deletion", "complexity"], replicates=0)
    assert table.assumed["baseline"] == "0.0"
    assert table.assumed["columns"] == "age: 0; city: 'Rome', the most frequent; income: 0; plan: 'paid', the most frequent; active: 0"
    assert table.rankings == {"deletion": ["a"], "complexity": ["a"]}
    # Words have no mean.
    mean = x.mode().iloc[0]
    numbers = ["age", "income", "active"]
    mean[numbers] = x[numbers].mean()
    by_word = metrics.Deletion(baseline="mean").evaluate(model, x, y, maps["a"])
    by_row = metrics.Deletion(baseline=mean).evaluate(model, x, y, maps["a"])
    np.testing.assert_allclose(by_word.per_sample, by_row.per_sample, rtol=1e-6)
    assert "; city: 'Rome', the most frequent; income: 0." in by_word.assumed["columns"]
    assert "baseline" not in by_word.assumed


def test_a_table_keeps_the_types_of_its_columns() -> None:
    x, _ = people()
    seen = []

    def model(frame: Any) -> Any:
        seen.append(frame)
        return frame["age"].to_numpy() * 1.0

    base_scores(model, x, batch_size=len(x))
    assert seen[0].dtypes.equals(x.dtypes) and seen[0].equals(x)
    with_halves = x.drop(columns=["city", "plan"])
    seen.clear()
    metrics.Deletion(baseline=0.5, steps="all").evaluate(
        model, with_halves, None, RANDOM.random(with_halves.shape), framework="pandas"
    )
    assert seen[0].dtypes.equals(with_halves.dtypes)
    # A type that cannot hold a baseline gives way.
    assert seen[-1].dtypes["age"] == np.float64 and seen[-1].dtypes["income"] == np.float32
    with pytest.raises(ValueError, match="framework: 'pandas' needs inputs that are a table"):
        base_scores(model, X, framework="pandas")


def test_columns_in_another_order_are_given_in_that_of_the_model() -> None:
    x, y = people()
    x = x.drop(columns=["city", "plan"])
    ensemble = pytest.importorskip("sklearn.ensemble")
    model = ensemble.RandomForestClassifier(5, random_state=0).fit(x, y)
    turned = x[x.columns[::-1]]
    for asked in (model, model.predict_proba):
        np.testing.assert_array_equal(base_scores(asked, turned, y), base_scores(model, x, y))
    maps = explain(model, x, y, "occlusion")
    np.testing.assert_array_equal(explain(model, turned, y, "occlusion"), maps[:, ::-1])
    # Explanations follow the inputs, or their names.
    # Of a generator of their own: of others, one in a hundred seems to explain the other class, with a warning.
    maps = np.random.default_rng(1).normal(size=x.shape)
    expected = metrics.Deletion(steps="all").evaluate(model, x, y, maps).value
    for given in (maps[:, ::-1], type(x)(maps, columns=x.columns)):
        value = metrics.Deletion(steps="all").evaluate(model, turned, y, given).value
        assert value == expected


@pytest.mark.parametrize("kind", ["pandas", "nullable", "polars", "arrays"])
def test_missing_numbers_are_kept_where_nothing_changes_them(kind: str) -> None:
    pandas, ensemble = pytest.importorskip("pandas"), pytest.importorskip("sklearn.ensemble")
    x = pandas.DataFrame(X, columns=list("abcd"))
    x["b"] = np.float32(x["b"])
    x.loc[[2, 5, 7], "b"] = np.nan
    x.loc[[0, 5], "d"] = np.nan
    forest = ensemble.HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=1)
    answered = forest.fit(x.to_numpy() if kind == "arrays" else x, TARGETS).predict_proba
    given = x.convert_dtypes() if kind == "nullable" else x
    if kind == "polars":
        given = pytest.importorskip("polars").DataFrame(x.to_dict("list"))
        given = given.with_columns(b=given["b"].fill_nan(None))

    def scores(frame: Any) -> Any:
        frame = frame.to_numpy() if kind == "arrays" else frame
        return answered(frame)[np.arange(10), TARGETS]

    expected = scores(x)
    np.testing.assert_array_equal(base_scores(forest, given, TARGETS), expected)
    changes = [expected - scores(x.assign(**{name: 0.0})) for name in x.columns]
    np.testing.assert_allclose(explain(forest, given, TARGETS, "occlusion"), np.stack(changes, 1))
    maps = RANDOM.normal(size=X.shape)
    table = evaluate(forest, given, TARGETS, {"a": maps}, ["deletion"])
    assert table.assumed["missing values"].startswith("kept where nothing changes them")
    # The mean of a column is that of the values that it has; one that is missing is a baseline, too.
    means, blank = x.mean(), x.iloc[5]
    for baseline, row in (("mean", means), (means, means), (blank, blank)):
        emptied = [x.assign(**{name: row[name]}) for name in x.columns]
        drops = np.stack([expected - scores(frame) for frame in emptied], 1)
        deletion = metrics.Deletion(steps=[0.25], baseline=baseline)
        of_first = np.zeros(X.shape)
        of_first[:, 1] = 1.0
        value = deletion.evaluate(forest, given, TARGETS, of_first)
        assert value.curve is not None
        np.testing.assert_allclose(value.curve.scores[-1], (expected - drops[:, 1]).mean())
    with pytest.raises(ValueError, match="missing values have the mean of all samples"):
        evaluate_stream(forest, [(given, TARGETS)], {"a": maps}, ["deletion"])


def test_rows_of_pandas_are_matched_by_their_index() -> None:
    pandas = pytest.importorskip("pandas")
    names = list("abcd")
    x = pandas.DataFrame(X, columns=names, index=np.arange(10, 20))
    y = pandas.Series(TARGETS, index=x.index)
    maps = pandas.DataFrame(RANDOM.normal(size=X.shape), columns=names, index=x.index)
    metric, turned = metrics.Deletion(), x.index[::-1]

    def model(x: Any) -> Any:
        return x @ W

    expected = metric.evaluate(model, X, TARGETS, maps.to_numpy())
    for targets, given in ((y[turned], maps), (y, maps.loc[turned]), (y[turned], maps.loc[turned])):
        value = metric.evaluate(model, x, targets, given)
        assert value.per_sample.tolist() == expected.per_sample.tolist()
    # An index that only counts says nothing of the order.
    value = metric.evaluate(model, x, y.reset_index(drop=True), maps.reset_index(drop=True))
    assert value.value == expected.value
    for name, targets, given in (
        ("targets", y.set_axis(np.arange(5, 15)), maps),
        ("explanations", y, maps.set_axis(np.arange(5, 15))),
    ):
        with pytest.raises(ValueError, match=f"{name}: its samples have other labels than those of inputs: there is no 15"):
            metric.evaluate(model, x, targets, given)


def test_an_index_that_only_counts_contradicts_one_in_another_order() -> None:
    pandas = pytest.importorskip("pandas")
    names, shuffled = list("abcd"), np.roll(np.arange(10), 1)
    x = pandas.DataFrame(X, columns=names)
    y = pandas.Series(TARGETS)
    maps = pandas.DataFrame(RANDOM.normal(size=X.shape), columns=names)
    metric = metrics.Deletion()

    def model(x: Any) -> Any:
        return x @ W

    expected = metric.evaluate(model, X, TARGETS, maps.to_numpy()).value
    for name, inputs, targets, given in (
        ("targets", x, y.set_axis(shuffled), maps),
        ("explanations", x, y, maps.set_axis(shuffled)),
        # The rows of the inputs were shuffled; whether those of the others were, too, nobody can say.
        ("explanations", x.set_axis(shuffled), y.set_axis(shuffled), maps),
    ):
        with pytest.raises(ValueError, match=f"{name}: .* in another order, as its index says.*reset_index"):
            metric.evaluate(model, inputs, targets, given)
    for index in (range(10), list(range(10)), range(1, 11), [*range(9), 11]):
        assert metric.evaluate(model, x, y.set_axis(index), maps.set_axis(index)).value == expected


def test_tables_of_polars_are_given_back_as_such() -> None:
    polars = pytest.importorskip("polars")
    x = polars.DataFrame({"n": [1, 2, 3], "word": ["a", "b", "a"], "r": [0.5, 0.25, 0.125]})
    seen = []

    def model(frame: Any) -> Any:
        seen.append(frame)
        return (frame["n"] + (frame["word"] == "a")).to_list()

    np.testing.assert_array_equal(base_scores(model, x, batch_size=3), [2, 2, 4])
    assert seen[0].equals(x) and seen[0].schema == x.schema
    np.testing.assert_allclose(
        explain(model, x, [0] * 3, "occlusion"), [[1, 0, 0], [2, -1, 0], [3, 0, 0]]
    )


def test_other_inputs_go_along_row_by_row() -> None:
    scale = RANDOM.random(10)

    def model(x: Any, scale: Any) -> Any:
        return {"scores": (x @ W * scale[:, None]).tolist(), "scale": scale}

    for inputs in ((X, scale), {"x": X, "scale": scale}):
        scores = base_scores(model, inputs, TARGETS, output="scores", batch_size=3)
        np.testing.assert_allclose(scores, PICKED * scale)
        maps = explain(model, inputs, TARGETS, "occlusion", output="scores", batch_size=4)
        np.testing.assert_allclose(maps, X * W.T[TARGETS] * scale[:, None])
        given = {"a": "occlusion", "maps": maps}
        table = evaluate(
            model, inputs, TARGETS, given, ["completeness"], output="scores", progress=False
        )
        for name in given:
            np.testing.assert_allclose(table["completeness"][name].per_sample, 0.0, atol=1e-12)
        parts = [
            evaluate_part(
                model,
                (X[i:j], scale[i:j]),
                TARGETS[i:j],
                {"a": maps[i:j]},
                ["mu_fidelity"],
                first_sample=i,
                output="scores",
            )
            for i, j in ((0, 4), (4, 10))
        ]
        joined = parts[0].merge(parts[1]).table(replicates=0)["mu_fidelity"]["a"].per_sample
        whole = evaluate(model, inputs, TARGETS, {"a": maps}, ["mu_fidelity"], output="scores")
        np.testing.assert_allclose(joined, whole["mu_fidelity"]["a"].per_sample)
    with pytest.raises(TypeError, match="representation: is given one array of inputs"):
        asked = {"metrics": ["deletion"], "representation": lambda x: x}
        evaluate(model, inputs, TARGETS, {"a": (maps, "occlusion")}, **asked, output="scores")


@pytest.mark.parametrize("shape", [(10,), (10, 1), (10, 3)])
def test_a_score_stands_for_all_targets_or_for_each(shape: Any) -> None:
    def model(batch: Any) -> Any:
        return (batch @ W)[:, :, None] * np.ones(5)

    def score(maps: Any) -> Any:
        means = maps.mean(axis=2)
        return means if shape == (10, 3) else means.sum(axis=1).reshape(len(maps), *shape[1:])

    expected = PICKED if shape == (10, 3) else (X @ W).sum(axis=1)
    np.testing.assert_allclose(base_scores(model, X, TARGETS, score=score), expected)
    value = metrics.Deletion().evaluate(model, X, TARGETS, X, score=score)
    assert (
        value.value
        == evaluate(model, X, TARGETS, {"a": X}, ["deletion"], score=score)["deletion"]["a"].value
    )
    if shape != (10, 3):
        np.testing.assert_allclose(base_scores(model, X, None, score=score), expected)
        np.testing.assert_allclose(
            base_scores(model, X, np.full((10, 1), 2.0), score=score), 2 * expected
        )


def test_what_is_wrong_says_what_to_do() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(
        TypeError, match=r"inputs: the matrix is sparse; make it dense by `.toarray\(\)`"
    ):
        base_scores(lambda x: x @ W, sparse.csr_matrix(X), TARGETS)
    with pytest.raises(
        ValueError, match="targets: expected whole numbers, .* a regressor for instance, give None"
    ):
        base_scores(lambda x: x.sum(axis=1), X, X.sum(axis=1))
    with pytest.raises(TypeError, match="a list of batches .* evaluate_stream"):
        evaluate(lambda x: x @ W, [(X[:5], TARGETS[:5]), (X[5:], TARGETS[5:])], None, {"a": X})

    class Mine:
        def attribute(self, inputs: Any, target: Any) -> Any:
            return inputs

    with pytest.raises(TypeError, match=r"got the class Mine; give an object of it, Mine\(…\)"):
        evaluate(lambda x: x @ W, X, TARGETS, {"a": Mine}, ["deletion"])
    with pytest.raises(ValueError, match="targets: 7 is no output of the model, which has 3"):
        evaluate(lambda x: x @ W, X, [7] * 10, {"a": Mine()}, ["deletion"])
    with pytest.raises(AttributeError) as raised:
        evaluate(lambda x: x.relu(), X, TARGETS, {"a": X}, ["deletion"])
    if sys.version_info >= (3, 11):
        assert 'framework="torch"' in raised.value.__notes__[0]


def test_answers_may_be_lists() -> None:
    np.testing.assert_allclose(base_scores(lambda x: (x @ W).tolist(), X, TARGETS), PICKED)
    np.testing.assert_allclose(base_scores(lambda x: [row @ W for row in x], X, TARGETS), PICKED)
    by_class = base_scores(lambda x: [dict(enumerate(row @ W)) for row in x], X, TARGETS)
    np.testing.assert_allclose(by_class, PICKED)


def test_maps_by_class_are_those_of_the_target() -> None:
    maps = RANDOM.normal(size=(10, 4, 3))
    expected = metrics.Deletion().evaluate(
        lambda x: x @ W, X, TARGETS, maps[np.arange(10), :, TARGETS]
    )
    given = metrics.Deletion().evaluate(lambda x: x @ W, X, TARGETS, maps)
    np.testing.assert_array_equal(given.per_sample, expected.per_sample)
    predicted = np.argmax(X @ W, axis=1)
    given = metrics.Deletion().evaluate(lambda x: x @ W, X, None, maps)
    expected = metrics.Deletion().evaluate(
        lambda x: x @ W, X, predicted, maps[np.arange(10), :, predicted]
    )
    np.testing.assert_array_equal(given.per_sample, expected.per_sample)
    with pytest.raises(
        ValueError, match=r"shape \(10, 4, 5\) has an axis more than the inputs.*`.sum\(-1\)`"
    ):
        metrics.Deletion().evaluate(lambda x: x @ W, X, TARGETS, np.zeros((10, 4, 5)))


def test_maps_of_less_resolution_are_upsampled() -> None:
    x = RANDOM.random((3, 8, 12, 3))

    def model(batch: Any) -> Any:
        return batch.mean(axis=(1, 2))

    # A plane keeps its slope between the centres of the pixels at the edge.
    small = np.arange(4)[:, None] * 2.0 + np.arange(3) * np.ones((3, 1, 1))
    rows, columns = (np.arange(8) + 0.5) / 2 - 0.5, (np.arange(12) + 0.5) / 4 - 0.5
    large = rows.clip(0, 3)[:, None] * 2.0 + columns.clip(0, 2) * np.ones((3, 1, 1))
    explainers = {"small": small, "channel": small[..., None], "large": large}
    table = evaluate(model, x, [0, 1, 2], explainers, ["deletion"], layout="channels-last")
    for name in explainers:
        np.testing.assert_allclose(
            table["deletion"][name].per_sample, table["deletion"]["large"].per_sample
        )
    assert table.assumed.pop("ties") == (
        "96 % of the features of `small`, 96 % of the features of `channel` and 96 % of the features of `large` have the same "
        "attribution as another one and are removed in index order (ties=random shuffles them)"
    )
    drawn = metrics.Deletion(ties="random")
    assert "ties" not in evaluate(model, x, [0, 1, 2], explainers, [drawn], layout="channels-last").assumed
    assert table.assumed == {
        "maps of small": "upsampled bilinearly from 4 × 3",
        "maps of channel": "upsampled bilinearly from 4 × 3",
    }
    grey = evaluate(
        lambda x: x.mean(axis=(1, 2, 3)), x[..., :1], None, {"a": small[..., None]}, ["deletion"]
    )
    assert grey.assumed["maps of a"] == "upsampled bilinearly from 4 × 3"
    with pytest.raises(ValueError, match="explanations"):
        evaluate(
            model, x, [0, 1, 2], {"a": np.zeros((3, 16, 16))}, ["deletion"], layout="channels-last"
        )


def test_reference_explainers() -> None:
    assert xai_metrics.explain is explain

    def model(batch: Any) -> Any:
        return batch @ W

    terms = X * W.T[TARGETS]
    np.testing.assert_allclose(explain(model, X, TARGETS, "occlusion"), terms)
    np.testing.assert_allclose(explain(model, X, TARGETS, "input_x_gradient"), terms, rtol=1e-6)
    moved = explain(model, X, TARGETS, "occlusion", baseline=X.mean(axis=0))
    np.testing.assert_allclose(moved, (X - X.mean(axis=0)) * W.T[TARGETS])
    np.testing.assert_array_equal(explain(model, X, TARGETS, "constant"), np.ones_like(X))
    random = explain(model, X, TARGETS, "random", batch_size=3)
    np.testing.assert_array_equal(random[::-1], explain(model, X[::-1], TARGETS, "random"))
    assert not np.array_equal(random, explain(model, X, TARGETS, "random", seed=2))
    assert (
        abs(random.mean()) < 0.5
        and 0.5 < random.std() < 1.5
        and len(np.unique(random)) == random.size
    )
    activated = explain(model, X, TARGETS, "occlusion", activation="softmax")
    assert np.abs(activated).max() <= 1.0 and not np.allclose(activated, terms)
    rows = np.eye(3)[TARGETS] * 2.0
    np.testing.assert_allclose(explain(model, X, rows, "occlusion"), 2 * terms)
    for wrong, error, message in (
        (("edges", {}), ValueError, "edges: needs images or time series"),
        (
            ("occlusion", {"size": 3}),
            TypeError,
            "occlusion: has no option 'size'; it has patch, baseline",
        ),
        (
            ("occlusions", {}),
            ValueError,
            "expected maps, an explainer, or one of the words random, constant, edges",
        ),
    ):
        with pytest.raises(error, match=message):
            evaluate(model, X, TARGETS, {"a": wrong}, ["average_stability"])


def test_edges_are_where_values_change() -> None:
    x = np.zeros((1, 5, 6, 3))
    x[:, :, 3:] = 1.0
    columns = explain(
        lambda batch: batch.mean(axis=(1, 2)), x, [0], "edges", layout="channels-last"
    )
    np.testing.assert_array_equal(
        columns, np.broadcast_to([0.0, 0.0, 4.0, 4.0, 0.0, 0.0], (1, 5, 6))
    )
    rows = explain(
        lambda batch: batch.mean(axis=(2, 3)),
        np.moveaxis(x, 3, 1).swapaxes(2, 3),
        [0],
        "edges",
        layout="channels-first",
    )
    np.testing.assert_array_equal(rows[0], columns[0].T)
    series = np.array([[[0.0], [1.0], [4.0], [4.0]]])
    np.testing.assert_array_equal(
        explain(lambda batch: batch.mean(axis=1), series, [0], "edges"),
        [[[0.5], [2.0], [1.5], [0.0]]],
    )


def test_regions_of_images_are_occluded_with_their_channels() -> None:
    x = RANDOM.random((2, 5, 4, 3))
    for layout, images in (("channels-last", x), ("channels-first", np.moveaxis(x, 3, 1))):
        maps = explain(
            lambda batch: batch.sum(axis=(1, 2, 3)),
            images,
            [0, 0],
            "occlusion",
            patch=3,
            layout=layout,
        )
        assert maps.shape == (2, 5, 4)
        np.testing.assert_allclose(
            maps[:, :3, :3], np.broadcast_to(x[:, :3, :3].sum((1, 2, 3))[:, None, None], (2, 3, 3))
        )
        np.testing.assert_allclose(
            maps[:, 3:, 3:], np.broadcast_to(x[:, 3:, 3:].sum((1, 2, 3))[:, None, None], (2, 2, 1))
        )


def test_the_baseline_of_occlusion_is_matched_by_the_names_of_columns():
    pandas = pytest.importorskip("pandas")
    x = pandas.DataFrame({"n": [1.0, 2.0, 3.0], "m": [1.0, 2.0, 1.0]})
    rows = {
        "in order": pandas.Series({"n": 2.0, "m": 1.0}),
        "turned": pandas.Series({"m": 1.0, "n": 2.0}),
        "a table": pandas.DataFrame({"m": [1.0], "n": [2.0]}),
    }
    for name, baseline in rows.items():
        maps = explain(lambda x: x @ [[1.0], [10.0]], x, [0] * 3, "occlusion", baseline=baseline)
        np.testing.assert_array_equal(maps, [[-1, 0], [0, 10], [1, 0]], err_msg=name)


class Booster:
    """A model of two classes, whose first feature speaks for the second class."""

    classes_ = np.array(["no", "yes"])

    def predict(self, x: Any) -> Any:
        return self.classes_[self.predict_proba(x).argmax(axis=1)]

    def predict_proba(self, x: Any) -> Any:
        yes = 1 / (1 + np.exp(-np.asarray(x) @ np.array([3.0, -2.0, 1.0, 0.5])))
        return np.column_stack([1 - yes, yes])


def test_maps_of_one_of_two_classes_are_said_or_warned_of() -> None:
    rng = np.random.default_rng(7)
    x, model = rng.normal(size=(60, 4)), Booster()
    y = model.predict(x)
    of_yes = x * np.array([3.0, -2.0, 1.0, 0.5])
    of_targets = of_yes * np.where(y == "yes", 1.0, -1.0)[:, None]

    def asked(maps: Any, **how: Any) -> Any:
        return evaluate(model, x, y, {"shap": maps}, ["deletion"], replicates=0, **how)

    table = asked(of_targets)
    taken = "the maps were taken to explain the class of each sample's target"
    assert table.assumed["explained_class"] == taken and not table.warnings
    assert f"explained_class: {taken}" in " ".join(repr(table).split())
    with pytest.warns(UserWarning, match=r"maps of `shap`: .*\(rank correlation -.* set explained_class to it") as caught:
        warned = asked(of_yes)
    assert caught[0].filename == __file__
    assert warned.warnings["maps of `shap`"] in str(caught[0].message) and "warning: maps of `shap`" in repr(warned)
    with pytest.warns(UserWarning, match="set explained_class"):
        alone = metrics.Deletion().evaluate(model, x, y, of_yes)
    assert alone.assumed["explained_class"] == taken and list(alone.to_dict()["warnings"]) == ["maps of `explanations`"]
    batches = [(x[:20], y[:20]), (x[20:], y[20:])]
    with pytest.warns(UserWarning, match="over 31 samples") as caught:
        evaluate_stream(model, batches, {"shap": of_yes}, ["deletion"], replicates=0)
    assert len(caught) == 1
    said = asked(of_yes, explained_class="yes")
    assert "explained_class" not in said.assumed and not said.warnings
    assert said["deletion"]["shap"].per_sample.tolist() == table["deletion"]["shap"].per_sample.tolist()
    assert said.assumed["maps of shap"] == "of class 'yes', negated where the target is the other"
    single = metrics.Deletion().evaluate(model, x, y, -of_yes, explained_class="no")
    assert single.per_sample.tolist() == table["deletion"]["shap"].per_sample.tolist()
    # Too few samples tell nothing.
    evaluate(model, x[:5], y[:5], {"shap": of_yes[:5]}, ["deletion"], replicates=0)
    with pytest.raises(ValueError, match="explained_class: .* has an axis of classes"):
        asked(np.stack([-of_yes, of_yes], axis=-1), explained_class="yes")
    with pytest.raises(ValueError, match="'maybe' is no class of the model"):
        asked(of_yes, explained_class="maybe")
    with pytest.raises(ValueError, match="explained_class: .*a model of several outputs"):
        evaluate(lambda x: x[:, 0], x, None, {"shap": of_yes}, ["deletion"], explained_class=1)
    # Other numbers of classes have nothing to say.
    three = evaluate(lambda x: x[:, :3], x, None, {"shap": of_yes}, ["deletion"], replicates=0)
    assert "explained_class" not in three.assumed
    # Maps with an axis of classes are those of the targets.
    by_class = asked(np.stack([-of_yes, of_yes], axis=-1))
    assert "explained_class" not in by_class.assumed and not by_class.warnings


def test_the_check_of_the_explained_class_asks_the_model_nothing() -> None:
    x = np.random.default_rng(7).normal(size=(60, 4))
    asked = []

    def model(batch: Any) -> Any:
        asked.append(len(batch))
        yes = 1 / (1 + np.exp(-batch @ np.array([3.0, -2.0, 1.0, 0.5])))
        return np.column_stack([1 - yes, yes])

    y = (model(x)[:, 1] > 0.5).astype(int)
    for n_classes, maps in ((2, x * np.where(y == 1, 1.0, -1.0)[:, None]), (2, np.abs(x))):
        asked.clear()
        table = evaluate(model, x, y, {"maps": maps}, ["deletion"], replicates=0, allow_batch_dependence=True)
        assert sum(asked) == table.model_rows and len(asked) == table.model_calls, n_classes
        assert "explained_class" in table.assumed


class OneOutput:
    """A session of ONNX Runtime with one output."""

    __module__ = "onnxruntime.session"

    def get_inputs(self) -> Any:
        return [type("Input", (), {"name": "x", "shape": [None, 4], "type": "tensor(double)"})()]

    def get_outputs(self) -> Any:
        return [type("Output", (), {"name": "y"})()]

    def run(self, _: Any, feed: Any) -> Any:
        return [feed["x"] @ np.array([[3.0], [-2.0], [1.0], [0.5]])]


@pytest.mark.parametrize("activation", ["softmax", "log_softmax"])
@pytest.mark.parametrize("model", [OneOutput(), lambda x: x @ np.ones((4, 1)), lambda x: x.sum(axis=1)])
def test_a_softmax_of_one_output_is_refused(model: Any, activation: str) -> None:
    message = r'activation = .*the model has one output, whose softmax is constant.*activation="sigmoid"'
    with pytest.raises(ValueError, match=f"(?s){message}"):
        evaluate(model, X, None, {"maps": X}, ["deletion"], activation=activation)
    with pytest.raises(ValueError, match=f"(?s){message}"):
        metrics.Deletion().evaluate(model, X, None, X, activation=activation)
    with pytest.raises(ValueError, match=f"(?s){message}"):
        base_scores(model, X, None, activation=activation)
    assert 0.0 < base_scores(model, X, None, activation="sigmoid").min()


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((4, 10), r"expected maps of shape \(10, 4\), as the inputs, got \(4, 10\); they are transposed"),
        ((10, 5), r"got \(10, 5\); contributions of boosters end with a column of the expected value.*`\[:, :-1\]`"),
    ],
)
def test_maps_that_lie_across_the_inputs_or_have_a_column_more(shape: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate(lambda x: x @ W, X, TARGETS, {"a": np.ones(shape)}, ["deletion"])


def test_maps_of_fewer_samples_are_not_called_transposed() -> None:
    x = np.random.default_rng(0).random((16, 1, 16, 16))

    def model(images: Any) -> Any:
        return images.reshape(len(images), -1)[:, :3]

    for shape in ((15, 16, 16), (15, 1, 16, 16)):
        with pytest.raises(ValueError, match=r"`a`: explanations: expected shape 16 samples, .* got \(15, ") as told:
            evaluate(model, x, np.zeros(16, int), {"a": np.ones(shape)}, ["deletion"])
        assert "transposed" not in str(told.value)
    with pytest.raises(ValueError, match="transposed"):
        evaluate(model, np.ones((5, 4, 6)), np.zeros(5, int), {"a": np.ones((6, 4, 5))}, ["deletion"])
    # An explainer is asked for some of the samples at a time.
    table = evaluate(model, x, np.zeros(16, int), {"a": lambda x, y: x}, ["deletion"], batch_size=3, replicates=0)
    assert table.n_samples == 16


class LimeExplanation:
    """What an explanation of lime has."""

    __module__ = "lime.explanation"
    mode = "classification"

    def __init__(self, weights: dict[int, float], label: int, names: list[str]) -> None:
        self.local_exp = {label: list(weights.items())}
        self.domain_mapper = type("Mapper", (), {"feature_names": names})()


def test_features_of_lime_are_matched_by_name() -> None:
    pandas = pytest.importorskip("pandas")
    names = list("abcd")
    x = pandas.DataFrame(X, columns=names)
    maps = RANDOM.normal(size=X.shape)

    def model(x: Any) -> Any:
        return np.asarray(x) @ W

    def explained(columns: list[str], weights: Any) -> Any:
        rows = zip(weights, TARGETS)
        return [LimeExplanation(dict(enumerate(row)), int(target), columns) for row, target in rows]

    def values(given: Any, **how: Any) -> Any:
        return metrics.Deletion().evaluate(model, x, TARGETS, given, **how).per_sample.tolist()

    expected = values(maps)
    assert values(explained(names, maps)) == expected
    assert values(explained(names[::-1], maps[:, ::-1])) == expected
    # Columns made of words are added up.
    encoded = ["num__a", "cat__b_x", "cat__b_y", "num__c", "num__d"]
    halves = np.column_stack([maps[:, 0], maps[:, 1] - 0.25, np.full(len(x), 0.25), maps[:, 2:]])
    np.testing.assert_allclose(values(explained(encoded, halves)), expected)
    # Names that only count are places.
    assert values(explained(list("0123"), maps)) == expected
    with pytest.raises(ValueError, match=r"explanations\[0\]: has a weight of feature 4, the inputs have 4; .*feature_names="):
        values(explained(list("01234"), halves))


TOKENS = np.array([[5, 3, 2, 7], [4, 4, 0, 0], [9, 1, 6, 0], [8, 2, 3, 0]])
ATTENTION = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 0]])
TOKEN_MAPS = np.array([[4.0, 1.0, 2.0, 3.0], [1.0, 2.0, 0.0, 0.0], [3.0, 1.0, 2.0, 0.0], [0.5, 0.1, 0.7, 0.0]])
OF_TOKENS = np.linspace(-1.0, 1.0, 10) ** 3


def token_model(input_ids: Any, attention_mask: Any) -> Any:
    """Sums weights of the tokens that are no padding."""
    total = (OF_TOKENS[np.asarray(input_ids).astype(int)] * attention_mask).sum(axis=1)
    return np.column_stack([-total, total])


def padded(n: int, where: str) -> tuple[Any, Any]:
    """Tokens and maps with so much more padding, at one end or the other."""

    def pad(array: Any) -> Any:
        zeros = np.zeros((len(array), n), array.dtype)
        return np.hstack([array, zeros] if where == "right" else [zeros, array])

    return {"input_ids": pad(TOKENS), "attention_mask": pad(ATTENTION)}, pad(TOKEN_MAPS)


@pytest.mark.parametrize("name", ["deletion", "insertion", "sparseness", "complexity", "mu_fidelity", "comprehensiveness", "road"])
def test_padding_is_no_feature(name: str) -> None:
    metric: Any = metrics.by_name(name)()
    if "tabular" not in metric.info.layouts:
        return
    targets = np.array([0, 1, 0, 1])

    def values(inputs: Any, maps: Any) -> Any:
        table = evaluate(token_model, inputs, targets, {"mine": maps}, [metric], replicates=0)
        assert table.assumed["features"] == "the positions of the attention mask, the others are padding"
        alone = {"model": token_model, "targets": targets} if "model" in metric.info.needs else {}
        value = metric.evaluate(explanations=maps, inputs=inputs, **alone)
        np.testing.assert_array_equal(value.per_sample, table[name]["mine"].per_sample)
        assert value.value == table[name]["mine"].value
        return value.per_sample

    expected = values(*padded(0, "right"))
    for where in ("right", "left"):
        for n in (1, 9, 36):
            # The model adds up more zeros, in another order.
            np.testing.assert_allclose(values(*padded(n, where)), expected, rtol=1e-12)
    # Each sample has the value that it has by itself, without any padding.
    if name != "mu_fidelity":  # which draws subsets by the place of the sample
        for i, size in enumerate(ATTENTION.sum(axis=1)):
            inputs = {"input_ids": TOKENS[[i], :size], "attention_mask": ATTENTION[[i], :size]}
            table = evaluate(token_model, inputs, targets[[i]], {"mine": TOKEN_MAPS[[i], :size]}, [metric], replicates=0)
            np.testing.assert_allclose(table[name]["mine"].per_sample[0], expected[i], rtol=1e-12)
    # The same by the number of features.
    inputs, maps = padded(3, "right")
    ids = inputs["input_ids"]

    def model(batch: Any) -> Any:
        return token_model(batch, np.arange(batch.shape[1]) < 4)  # zeros have the weight of padding, but for sign

    OF_ZERO = OF_TOKENS[0]
    OF_TOKENS[0] = 0.0
    try:
        table = evaluate(
            model, ids, targets, {"mine": maps}, [metric], replicates=0, n_features=ATTENTION.sum(axis=1)
        )
        assert table.n_samples == 4 and "n_features" in table.assumed["features"]
    finally:
        OF_TOKENS[0] = OF_ZERO


def test_what_padding_excludes_is_said() -> None:
    inputs, maps = padded(2, "right")
    targets = np.array([0, 1, 0, 1])
    with pytest.raises(ValueError, match="sufficiency: relates all samples to each other.*the inputs have padding"):
        evaluate(token_model, inputs, targets, {"a": maps}, ["sufficiency"])
    table = evaluate(token_model, inputs, targets, {"a": maps, "random": "random"}, "standard", replicates=0)
    assert table.metrics and not np.isnan(table["deletion"]["random"].per_sample).any()
    for counts, message in (([4, 2, 3], "one number for each of 4"), ([4, 2, 0, 3], "from 1 to 6, got 0 to 4")):
        with pytest.raises(ValueError, match=f"n_features: expected .*{message}"):
            evaluate(token_model, inputs, targets, {"a": maps}, ["deletion"], n_features=counts)
    inputs["attention_mask"][1] = 0
    with pytest.raises(ValueError, match=r"attention_mask'\]: sample 1 has no feature; leave it out"):
        evaluate(token_model, inputs, targets, {"a": maps}, ["deletion"])


def test_the_token_in_the_place_of_removed_ones_is_said() -> None:
    inputs, targets = {"input_ids": TOKENS, "attention_mask": ATTENTION}, np.array([0, 1, 0, 1])

    def assumed(explainer: Any, name: str, **keywords: Any) -> Any:
        return evaluate(token_model, inputs, targets, {"mine": explainer}, [name], replicates=0, **keywords).assumed

    told = "0, the token id in the place of removed tokens"
    assert assumed(TOKEN_MAPS, "deletion")["baseline"] == assumed("occlusion", "sparseness")["baseline"] == told
    assert "baseline" not in assumed(TOKEN_MAPS, "deletion", baseline=4)
    assert "baseline" not in assumed(TOKEN_MAPS, "deletion(baseline=4)")
    assert "baseline" not in assumed(TOKEN_MAPS, "sparseness")
    for explainer, keywords in ((TOKEN_MAPS, {"baseline": "[MASK]"}), (("occlusion", {"baseline": "<mask>"}), {})):
        with pytest.raises(ValueError, match="is a token; give its id, such as tokenizer.mask_token_id"):
            assumed(explainer, "deletion", **keywords)


def test_tokens_of_different_lengths_need_padding() -> None:
    for inputs in ({"input_ids": [[5, 3, 2], [4]], "attention_mask": [[1, 1, 1], [1]]}, {"ids": TOKENS[:2], "mask": [[1], [1, 1]]}):
        with pytest.raises(ValueError, match=r"expected rows of one length, got .*; give tokens of one length, padded by tokenizer\(texts, padding=True\)"):
            evaluate(token_model, inputs, [0, 1], {"rnd": "random"}, ["deletion"], replicates=0)


def test_tokens_at_the_end_that_change_nothing_are_warned_of() -> None:
    ids, maps = padded(5, "right")[0]["input_ids"], padded(5, "right")[1]

    def deaf(batch: Any) -> Any:
        """Hears nothing behind the fourth token."""
        total = OF_TOKENS[batch[:, :4].astype(int)].sum(axis=1)
        return np.column_stack([-total, total, total * 0])

    with pytest.warns(UserWarning, match="inputs: the last positions of .* change nothing.*n_features=") as caught:
        evaluate(deaf, ids[[0]], None, {"a": maps[[0]]}, ["deletion"], replicates=0)
    assert caught[0].filename == __file__

    def hearing(batch: Any) -> Any:
        total = OF_TOKENS[batch.astype(int)].sum(axis=1)
        return np.column_stack([-total, total, total * 0])

    evaluate(hearing, ids, None, {"a": maps}, ["deletion"], replicates=0)
    evaluate(deaf, ids[[0]], None, {"a": maps[[0]]}, ["deletion"], replicates=0, n_features=[4])


def test_masks_in_the_place_of_subsets_are_read_as_such() -> None:
    rng = np.random.default_rng(2)
    places = np.stack([[rng.choice(4, 2, replace=False) for _ in X] for _ in range(6)])
    masks = np.zeros((6, len(X), 4), int)
    np.put_along_axis(masks, places, 1, axis=2)
    maps = rng.normal(size=X.shape)

    def values(draws: Any) -> Any:
        return metrics.MuFidelity(draws=draws).evaluate(lambda x: x @ W, X, TARGETS, maps).per_sample

    np.testing.assert_allclose(values(masks), values(places))
    masks[0, 0] = 1
    with pytest.raises(ValueError, match="draws: zeros and ones for each feature look like masks"):
        values(masks)


def test_intervals_unpack_as_their_ends() -> None:
    rng = np.random.default_rng(2)
    table = evaluate(None, None, None, {"a": rng.random((30, 4))}, ["sparseness"])
    value = table["sparseness"]["a"]
    low, high = value.interval
    assert (low, high) == (value.interval.low, value.interval.high)
    assert value.to_dict()["interval"] == [low, high]


def test_what_is_wrong_with_models_masks_and_columns_is_said() -> None:
    pandas = pytest.importorskip("pandas")
    ensemble = pytest.importorskip("sklearn.ensemble")
    x = pandas.DataFrame(X, columns=list("abcd"))
    maps = np.ones(X.shape)

    def asked(model: Any, inputs: Any = x, **sides: Any) -> Any:
        return evaluate(model, inputs, TARGETS, {"a": maps}, ["deletion"], **sides)

    forest = ensemble.RandomForestClassifier
    with pytest.raises(ValueError, match="model: RandomForestClassifier is not fitted; call its `fit`"):
        asked(forest())
    with pytest.raises(TypeError, match="model: expected a model, got the class RandomForestClassifier; give an object"):
        asked(forest)
    with pytest.raises(TypeError, match="the column 'd' has dates or durations"):
        dates = x.assign(d=pandas.Timestamp("2024-01-01"))
        evaluate(lambda x: x, x, TARGETS, {"a": dates}, ["deletion"])
    images, masks = RANDOM.random((3, 5, 6)), RANDOM.random((3, 5, 6)) > 0.5
    mass = metrics.RelevanceMassAccuracy()
    assert mass.evaluate(images, masks[:, None]).value == mass.evaluate(images, masks).value
    with pytest.raises(ValueError, match="0 and 255 are the colours of an image: give `masks > 0`"):
        mass.evaluate(images, masks.astype(np.uint8) * 255)
    with pytest.raises(ValueError, match=r"if all samples have this one, repeat it: np.repeat\(\[mask\], 3, axis=0\)"):
        mass.evaluate(images, masks[0])


class Session:
    """A session of ONNX Runtime with two inputs."""

    __module__ = "onnxruntime.session"

    def get_inputs(self) -> Any:
        return [type("Input", (), {"name": name, "shape": [None, 4], "type": "tensor(double)"})() for name in ("x", "scale")]

    def get_outputs(self) -> Any:
        return [type("Output", (), {"name": "y"})()]

    def run(self, _: Any, feed: Any) -> Any:
        return [feed["x"] * feed["scale"]]


def test_a_model_with_several_inputs_names_them() -> None:
    with pytest.raises(ValueError, match="the model has the inputs 'x', 'scale', and there is nothing for 'scale'; give a mapping"):
        evaluate(Session(), X, TARGETS, {"a": X}, ["deletion"])
    both = {"x": X, "scale": X + 1.0}
    assert evaluate(Session(), both, TARGETS, {"a": X}, ["deletion"], replicates=0)["deletion"]["a"].value is not None


def shown(table: Any) -> Any:
    """Return the table that a model is given for the inputs as they are."""
    seen: list[Any] = []

    def model(rows: Any) -> Any:
        seen.append(rows)
        return np.zeros(len(rows))

    base_scores(model, table, framework=type(table).__module__.partition(".")[0], batch_size=len(table))
    return seen[0]


BEYOND = 2**53 + 1


def test_every_type_of_pandas_arrives_as_it_is() -> None:
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    numbers = [Decimal("1.10"), None, Decimal("2.50")]
    frame = pd.DataFrame(
        {
            "sparse": pd.arrays.SparseArray([0, 5, 0]),
            "decimal": pd.Series(numbers, dtype=object),
            "arrow": pd.array(numbers, dtype=pd.ArrowDtype(pa.decimal128(10, 2))),
            "month": pd.period_range("2020-01", "2020-03", freq="M")[[2, 0, 1]],
            "size": pd.Categorical(["S", "L", "S"], ["S", "M", "L"], ordered=True),
            "half": np.array([999.5, 1000.5, np.nan], dtype=np.float16),
            "id": np.array([BEYOND, BEYOND + 2, 5]),
            "number": pd.Series([1.0, None, 3.0], dtype=object),
            "mixed": pd.Series([datetime.date(2020, 1, 1), pd.Timestamp("2021-01-01"), datetime.date(2020, 1, 1)], dtype=object),
        }
    )
    pd.testing.assert_frame_equal(shown(frame), frame)
    maps = np.tile(np.arange(9.0), (3, 1))
    said = evaluate(lambda x: np.zeros(len(x)), frame, None, {"a": maps}, ["deletion"], replicates=0).assumed["columns"]
    assert "month: 2020-02, the median; size: 'S', the median" in said and "mixed: 2020-01-01, the most frequent" in said


def test_a_baseline_may_have_decimal_numbers() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [Decimal("1.5"), None, Decimal("2.5")], "b": [Decimal(1), Decimal(2), Decimal(4)]})
    row = pd.Series({"a": Decimal("0.25"), "b": Decimal("0.5")})

    def model(rows: Any) -> Any:
        return np.array([float(a or 0) + float(b) for a, b in zip(rows["a"], rows["b"])])

    table = pd.DataFrame([row] * 3, dtype=object)
    for baseline in (row, table):
        curve = metrics.Deletion(baseline=baseline).evaluate(model, frame, None, np.ones((3, 2)), framework="pandas").curve
        assert curve is not None and curve.per_sample is not None
        assert curve.per_sample[:, [0, -1]].tolist() == [[2.5, 0.75], [2.0, 0.75], [6.5, 0.75]]


def test_null_and_nan_of_polars_are_two_values() -> None:
    pl = pytest.importorskip("polars")
    numbers = [Decimal("1.10"), None, Decimal("2.50")]
    frame = pl.DataFrame({"x": [1.0, None, float("nan")], "decimal": numbers, "id": [BEYOND, BEYOND + 2, 5]})
    assert shown(frame).equals(frame)


def test_the_mean_of_half_precision_is_not_missing() -> None:
    pd = pytest.importorskip("pandas")
    seen: list[Any] = []

    def model(rows: Any) -> Any:
        seen.append(rows["a"].to_numpy(float))
        return np.zeros(len(rows))

    frame = pd.DataFrame({"a": np.array([999.5, 1000.5, np.nan], dtype=np.float16)})
    metrics.Deletion(baseline="mean").evaluate(model, frame, None, np.ones((3, 1)), framework="pandas")
    assert 1000.0 in np.concatenate(seen)


def test_changed_cells_of_large_integers_do_not_change_the_others() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"id": [BEYOND, BEYOND + 2], "x": [1.0, 2.0]})
    seen: list[int] = []

    def model(rows: Any) -> Any:
        seen.extend(rows["id"].tolist())
        return np.zeros(len(rows))

    metrics.Deletion(steps="all").evaluate(model, frame, None, np.array([[0.0, 1.0]] * 2), framework="pandas")
    assert set(seen) == {BEYOND, BEYOND + 2, 0}


def test_one_column_is_no_table_of_inputs() -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"inputs: expected shape \(n, features\), .* got \(2\)"):
        evaluate(lambda x: x, pd.Series([1.0, 2.0]), None, {"a": np.ones((2, 1))}, "deletion")
