"""Baselines of evaluations: one for all metrics, background rows, and columns that are not numbers."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pytest
from xai_metrics.attribution import (
    Background,
    Deletion,
    MaskedModel,
    base_scores,
    evaluate,
    evaluate_part,
    evaluate_stream,
    explain,
)

RANDOM = np.random.default_rng(8)
X = RANDOM.random((20, 4))
W = np.array([1.0, -2.0, 3.0, 0.5])
TERMS = X * W
BACKGROUND = 5.0 + RANDOM.random((7, 4))


def model(x: Any) -> Any:
    return x @ W


def last_score(baseline: Any, **how: Any) -> Any:
    """Score of each sample without any of its features."""
    value = Deletion(baseline=baseline, steps="all").evaluate(model, X, None, TERMS, **how)
    assert value.curve is not None and value.curve.per_sample is not None
    return value.curve.per_sample[:, -1]


def test_one_baseline_is_that_of_all_metrics_that_were_given_none() -> None:
    asked = ["deletion", "insertion", Deletion(baseline=0.0, steps=4), "complexity"]
    table = evaluate(model, X, None, {"a": TERMS}, asked, baseline="mean", replicates=0)
    assert table.metrics == ["deletion", "insertion", "deletion(baseline=0.0, steps=4)", "complexity"]
    for name, of in (("deletion", "mean"), ("deletion(baseline=0.0, steps=4)", 0.0)):
        steps = 4 if of == 0.0 else 10
        assert table[name]["a"].value == Deletion(baseline=of, steps=steps).evaluate(model, X, None, TERMS).value
    parts = [
        evaluate_part(model, X[of], None, {"a": TERMS[of]}, ["deletion"], baseline=2.0, first_sample=of.start)
        for of in (slice(0, 8), slice(8, 20))
    ]
    expected = Deletion(baseline=2.0).evaluate(model, X, None, TERMS).value
    assert parts[0].merge(parts[1]).table(replicates=0)["deletion"]["a"].value == expected
    stream = evaluate_stream(model, X, {"a": lambda x, y: x * W}, ["deletion"], baseline=2.0, replicates=0)
    assert stream["deletion"]["a"].value == pytest.approx(expected)


def test_occlusion_has_the_baseline_of_the_run() -> None:
    row = np.array([1.0, 2.0, 3.0, 4.0])
    for baseline, blank in ((2.0, 2.0), (row, row), ("mean", X.mean(axis=0)), (Background(BACKGROUND, "mean"), BACKGROUND.mean(axis=0))):
        maps = {"word": "occlusion", "terms": (X - blank) * W, "own": ("occlusion", {"baseline": 0.0}), "zero": TERMS}
        table = evaluate(model, X, None, maps, ["complexity"], baseline=baseline, replicates=0)["complexity"]
        assert table["word"].value == pytest.approx(table["terms"].value)
        assert table["own"].value == pytest.approx(table["zero"].value)
    with pytest.raises(ValueError, match="'blur:2' is only supported by metrics; give the explainer a number"):
        evaluate(model, X, None, {"a": "occlusion"}, ["complexity"], baseline="blur:2")


def test_occlusion_replaces_channels_by_a_number_each() -> None:
    images, colors = RANDOM.random((2, 3, 4, 4)), np.array([0.5, 0.25, 0.125])

    def bright(x: Any) -> Any:
        return (x * [[[1.0]], [[2.0]], [[4.0]]]).sum(axis=(1, 2, 3))

    maps = explain(bright, images, None, "occlusion", layout="channels-first", patch=1, baseline=colors)
    expected = ((images - colors[:, None, None]) * np.array([1.0, 2.0, 4.0])[:, None, None]).sum(axis=1)
    np.testing.assert_allclose(maps, expected)


def test_background_rows_are_drawn_averaged_or_paired() -> None:
    scores = model(BACKGROUND)
    drawn = last_score(Background(BACKGROUND, "random"))
    assert set(np.round(drawn, 9)) <= set(np.round(scores, 9)) and len(set(np.round(drawn, 9))) > 2
    np.testing.assert_array_equal(last_score(Background(BACKGROUND, "random", seed=1)), drawn)
    assert (last_score(Background(BACKGROUND, "random", seed=2)) != drawn).any()
    np.testing.assert_allclose(last_score(Background(BACKGROUND, "mean")), scores.mean())
    paired = RANDOM.random(X.shape)
    np.testing.assert_allclose(last_score(Background(paired, "paired")), model(paired))


def test_random_rows_belong_to_samples_and_follow_the_seed() -> None:
    background = Background(BACKGROUND, "random")
    whole = evaluate(model, X, None, {"a": TERMS}, ["deletion"], baseline=background, seed=3, replicates=0)
    parts = [
        evaluate_part(
            model, X[of], None, {"a": TERMS[of]}, ["deletion"], baseline=background, seed=3, first_sample=of.start
        )
        for of in (slice(0, 5), slice(5, 20))
    ]
    merged = parts[0].merge(parts[1]).table(replicates=0)
    np.testing.assert_array_equal(whole["deletion"]["a"].per_sample, merged["deletion"]["a"].per_sample)
    other = evaluate(model, X, None, {"a": TERMS}, ["deletion"], baseline=background, seed=4, replicates=0)
    assert (other["deletion"]["a"].per_sample != whole["deletion"]["a"].per_sample).any()
    # The occlusion of a sample has the row that the metrics have.
    table = evaluate(
        model, X, None, {"a": "occlusion"}, ["completeness"], baseline=background, replicates=0
    )
    np.testing.assert_allclose(table["completeness"]["a"].per_sample, 0.0, atol=1e-9)


@pytest.mark.parametrize(
    ("baseline", "message"),
    [
        (BACKGROUND, "an array of 7 rows may be background data"),
        (X[:, :3], r"expected a number, .* one sample \(4,\) or \(1, 4\), .* rows \(m, 4\); got shape \(20, 3\)"),
        ([[[1.0]]], r"one sample \(4,\) or \(1, 4\), .* got shape \(1, 1, 1\)"),
        ([1.0, 2.0], "2 numbers: expected 4, one per feature"),
        (Background(BACKGROUND[:, :2], "mean"), r"rows of the background: expected shape \(m, 4\) .* got \(7, 2\)"),
        (Background(BACKGROUND[:0], "random"), "with at least one row"),
        (Background(BACKGROUND, "paired"), "expected 20 paired rows, one per sample, got 7"),
        (Background([[1.0, np.nan, 0.0, 0.0]], "mean"), "row 0 has a value that is missing or infinite"),
    ],
)
def test_a_wrong_shape_lists_the_accepted_ones(baseline: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"(?s)baseline.*{message}"):
        evaluate(model, X, None, {"a": TERMS}, ["deletion"], baseline=baseline)


def test_a_table_of_many_rows_is_background_also_with_missing_values() -> None:
    pd = pytest.importorskip("pandas")
    x = pd.DataFrame({"a": [0.0, 1.0], "b": [1.0, 2.0]})
    background = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "b": pd.array([1, 2, 3, None], dtype="Int64")})
    with pytest.raises(ValueError, match=r'baseline: an array of 4 rows .* Background\(rows, "mean"\)'):
        evaluate(lambda x: x, x, [0, 1], {"a": x.to_numpy()}, "deletion", baseline=background)


def test_an_array_with_a_row_for_each_sample_is_reported() -> None:
    given = evaluate(model, X, None, {"a": TERMS}, ["deletion"], baseline=X[::-1], replicates=0)
    paired = evaluate(model, X, None, {"a": TERMS}, ["deletion"], baseline=Background(X[::-1], "paired"), replicates=0)
    np.testing.assert_array_equal(given["deletion"]["a"].per_sample, paired["deletion"]["a"].per_sample)
    assert given.assumed["baseline"] == "row i of the array for sample i"


@pytest.mark.parametrize("as_background", [True, False])
def test_paired_rows_follow_their_index(as_background: bool) -> None:
    pd = pytest.importorskip("pandas")
    x = pd.DataFrame({"a": [1.0, 2.0]}, index=["p", "q"])
    rows = pd.DataFrame({"a": [30.0, 40.0]}, index=["q", "p"])
    baseline = Background(rows, "paired") if as_background else rows
    maps = explain(lambda x: x.sum(axis=1), x, None, ("occlusion", {"baseline": baseline}), framework="numpy")
    assert maps.tolist() == [[1.0 - 40.0], [2.0 - 30.0]]
    curve = Deletion(baseline=baseline).evaluate(lambda x: x.sum(axis=1), x, None, x, framework="numpy").curve
    assert curve is not None and curve.per_sample is not None
    assert curve.per_sample[:, -1].tolist() == [40.0, 30.0]


def test_functions_answer_rows_or_a_number() -> None:
    x = np.array([[1.0, 3.0, 5.0], [2.0, 4.0, 9.0]])

    def last(baseline: Any, inputs: Any = x) -> list[float]:
        curve = Deletion(baseline=baseline).evaluate(lambda x: x.sum(axis=1), inputs, None, inputs).curve
        assert curve is not None and curve.per_sample is not None
        return list(curve.per_sample[:, -1])

    assert last(lambda v: 2.0) == [6.0, 6.0]
    assert last(lambda v: v.min(axis=0)) == last(lambda v: v.min(axis=0, keepdims=True)) == [9.0, 9.0]
    assert last(lambda v: 2 * v) == [18.0, 30.0]
    for of_samples in (lambda v: v.mean(axis=1), lambda v: v.mean(axis=1, keepdims=True)):
        with pytest.raises(ValueError, match=r"baseline: (expected a number|an array of 2 rows)"):
            last(of_samples)
    with pytest.raises(ValueError, match=r"baseline: .* one per sample or one per feature; return shape \(1, 2\)"):
        last(lambda v: v.mean(axis=1), x[:, :2])


def test_a_row_with_names_is_described_by_its_values() -> None:
    pd = pytest.importorskip("pandas")
    x = pd.DataFrame({"a": [1.0, 2.0], "city": ["Rome", "Oslo"]})
    row = pd.Series({"a": 0.5, "city": "Oslo"})
    maps = np.array([[1.0, 2.0], [2.0, 1.0]])
    table = evaluate(lambda x: x["a"].to_numpy(), x, None, {"m": maps}, ["deletion"], baseline=row, replicates=0)
    assert table.assumed["columns"] == "a: 0.5; city: 'Oslo'"


def test_stability_needs_a_baseline_that_all_samples_share() -> None:
    explainers = {"o": ("occlusion", {"baseline": Background(BACKGROUND, "random")})}
    with pytest.raises(ValueError, match=r"maximum_stability: .*no row in the baseline of 'o'.* Background\(rows, \"mean\"\)"):
        evaluate(model, X, None, explainers, "maximum_stability")
    table = evaluate(model, X, None, explainers, "all", replicates=0)
    assert "one row for each sample" in table.skipped["maximum_stability"] and "deletion" in table.metrics
    with pytest.raises(ValueError, match="maximum_stability: .* several inputs, padding"):
        evaluate(lambda a, b: model(a), (X, X), None, {"o": "occlusion"}, "maximum_stability")


def test_a_baseline_function_is_called_once() -> None:
    calls: list[int] = []

    def mean(inputs: Any) -> Any:
        calls.append(len(inputs))
        return inputs.mean(axis=0)

    evaluate(model, X, None, {"o": "occlusion"}, "deletion, insertion", baseline=mean, replicates=0)
    assert calls == [len(X)]


def test_what_background_rows_are_for_is_named() -> None:
    with pytest.raises(ValueError, match="use: expected one of 'random', 'mean', 'paired', got 'randon'; did you mean 'random'"):
        Background(BACKGROUND, "randon")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="baseline: expected None: a masked model"):
        evaluate(MaskedModel(lambda i, kept: kept.sum(axis=1)), None, None, {"a": [[1.0, 2.0]]}, ["deletion"], baseline=0.0)


def orders(n: int = 60) -> Any:
    """A table with a column of each kind that a pipeline may handle."""
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(3)
    days = random.integers(0, 2000, n)
    frame = pandas.DataFrame(
        {
            "amount": random.random(n),
            "since": pandas.Timestamp("2020-01-01", tz="Europe/Rome") + pandas.to_timedelta(days, "D"),
            "city": pandas.array(random.choice(["Rome", "Oslo"], n, p=[0.7, 0.3]), dtype="string"),
            "plan": pandas.Categorical(random.choice(["free", "paid"], n, p=[0.3, 0.7]), ["paid", "free", "team"]),
            "active": random.random(n) > 0.4,
            "visits": pandas.array(random.integers(0, 9, n), dtype="Int64"),
            "vip": pandas.array(random.random(n) > 0.5, dtype="boolean"),
            "day": [datetime.date(2020, 1, 1) + datetime.timedelta(int(day)) for day in days],
            "took": pandas.to_timedelta(random.integers(1, 9, n), "h"),
            "tags": [["a"] * int(k) for k in random.integers(0, 3, n)],
        }
    )
    frame.loc[[1, 4], "visits"] = pandas.NA
    frame.loc[2, "vip"] = pandas.NA
    frame.loc[3, "city"] = pandas.NA
    frame.loc[5, "since"] = pandas.NaT
    return frame


def score_of_orders(frame: Any) -> Any:
    """A score that reads every column in its own type."""
    year = frame["since"].dt.year.fillna(2020).to_numpy(float) - 2020
    city = (frame["city"] == "Oslo").fillna(False).to_numpy(float)
    return (
        frame["amount"].to_numpy()
        + year
        + 3 * city
        + 5 * (frame["plan"] == "free").to_numpy(float)
        + frame["active"].to_numpy(float)
        + frame["visits"].fillna(7).to_numpy(float)
        + 2 * frame["vip"].astype("Float64").fillna(0.0).to_numpy(float)
        + np.array([day.month for day in frame["day"]]) / 4
        + frame["took"].dt.total_seconds().to_numpy() / 3600
        + np.array([len(tags) for tags in frame["tags"]])
    )


def test_a_table_arrives_as_it_is() -> None:
    x = orders()
    seen: list[Any] = []

    def seeing(frame: Any) -> Any:
        seen.append(frame)
        return score_of_orders(frame)

    np.testing.assert_allclose(base_scores(seeing, x, batch_size=len(x)), score_of_orders(x))
    pandas = pytest.importorskip("pandas")
    pandas.testing.assert_frame_equal(seen[0], x)


def test_each_column_is_replaced_by_what_the_result_says() -> None:
    x = orders()
    typical = {
        "amount": 0.0,
        "since": x["since"].dropna().sort_values().iloc[(x["since"].notna().sum() - 1) // 2],
        "city": "Rome",
        "plan": "paid",
        "active": False,
        "visits": 0,
        "vip": False,
        "day": sorted(x["day"])[(len(x) - 1) // 2],
        "took": x["took"].sort_values().iloc[(len(x) - 1) // 2],
    }
    changes = []
    for name in x.columns:
        changed = x.assign(**{name: typical[name]}).astype({name: x.dtypes[name]}) if name in typical else x
        changes.append(score_of_orders(x) - score_of_orders(changed))
    maps = explain(score_of_orders, x, None, "occlusion")
    np.testing.assert_allclose(maps, np.column_stack(changes), atol=1e-9)
    assert (maps[:, -1] == 0).all() and (maps[:, :-1] != 0).any(axis=0).all()
    table = evaluate(score_of_orders, x, None, {"a": maps}, ["deletion", "average_gain"], replicates=0)
    said = table.assumed["columns (deletion)"]
    assert said == (
        f"amount: 0; since: {typical['since']}, the median; city: 'Rome', the most frequent; plan: 'paid', the most frequent; "
        f"active, visits, vip: 0; day: {typical['day']}, the median; took: {typical['took']}, the median; tags: left alone"
    )
    assert "nearest code" in table.assumed["columns (average_gain)"]


def test_background_tables_may_have_values_that_the_inputs_have_not() -> None:
    pandas = pytest.importorskip("pandas")
    x = orders()
    background = orders(9)[x.columns[::-1]]
    background["city"] = pandas.array(["Lima"] * 8 + ["Rome"], dtype="string")
    background["since"] = pandas.Timestamp("2031-05-06", tz="Europe/Rome")
    background["plan"] = pandas.Categorical(["team"] * 9, ["paid", "free", "team"])
    background["tags"] = x["tags"].iloc[0:9]
    maps = RANDOM.random(x.shape)
    kept = x["tags"].map(len).to_numpy()
    for use in ("random", "mean"):
        metric = Deletion(baseline=Background(background, use), steps="all")
        value = metric.evaluate(score_of_orders, x, None, maps)
        assert value.curve is not None and value.curve.per_sample is not None
        last = value.curve.per_sample[:, -1] - kept
        if use == "random":
            own = score_of_orders(background) - background["tags"].map(len).to_numpy()
            assert set(np.round(last, 9)) <= set(np.round(own, 9))
            assert "amount, since, city, plan, active, visits, vip, day, took: the value of a row of each sample" in value.assumed["columns"]
        else:
            assert len(set(np.round(last, 9))) == 1
            assert "city: 'Lima'" in value.assumed["columns"] and "2031-05-06" in value.assumed["columns"]
            assert "plan: 'team'" in value.assumed["columns"]
    background["plan"] = pandas.Categorical(["gold"] * 9)
    with pytest.raises(ValueError, match=r"background\['plan'\]: expected values of the type category"):
        evaluate(score_of_orders, x, None, {"a": maps}, ["deletion"], baseline=Background(background, "mean"))
    with pytest.raises(TypeError, match="expected a table with the columns of the inputs, some of which are not numbers"):
        evaluate(score_of_orders, x, None, {"a": maps}, ["deletion"], baseline=Background(maps, "mean"))
    for baseline in ("sample-mean", tuple(range(10))):
        with pytest.raises(ValueError, match="baseline: expected a number, 'mean', a row .*not numbers, 'since', 'city'"):
            evaluate(score_of_orders, x, None, {"a": maps}, ["deletion"], baseline=baseline)


def test_a_table_of_polars_arrives_as_it_is() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(
        {
            "amount": [0.5, None, 1.5, 2.0],
            "since": [datetime.date(2020, 1, 3), None, datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)],
            "at": polars.Series([3, 1, 2, 5], dtype=polars.Datetime("ns", "UTC")),
            "city": ["Rome", "Oslo", "Rome", None],
            "plan": polars.Series(["a", "b", "b", "b"], dtype=polars.Enum(["a", "b", "c"])),
            "active": [True, None, False, True],
            "visits": polars.Series([1, 2, None, 4], dtype=polars.Int8),
            "tags": [["x"], [], ["y"], ["z", "z"]],
        }
    )
    seen: list[Any] = []

    def score(table: Any) -> Any:
        seen.append(table)
        return table["at"].to_physical().to_numpy() + 10.0 * (table["city"] == "Oslo").fill_null(False).to_numpy()

    base_scores(score, frame, batch_size=4)
    assert seen[0].equals(frame) and seen[0].schema == frame.schema
    table = evaluate(score, frame, None, {"a": np.ones((4, 8))}, ["deletion"], replicates=0)
    assert table.assumed["columns"].startswith("amount: 0; since: 2020-01-02, the median; at: 1970-01-01 00:00:00")
    assert "plan: 'b', the most frequent; active, visits: 0; tags: left alone" in table.assumed["columns"]


def test_a_pipeline_of_scikit_learn_reads_dates_and_words() -> None:
    compose = pytest.importorskip("sklearn.compose")
    pandas = pytest.importorskip("pandas")
    linear = pytest.importorskip("sklearn.linear_model")
    pipelines = pytest.importorskip("sklearn.pipeline")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    x = orders(120).drop(columns=["tags", "visits", "vip", "day", "took"])
    x["since"] = x["since"].ffill()
    y = np.where((x["since"].dt.year > 2022) | (x["city"] == "Oslo").fillna(False), "late", "early")
    years = preprocessing.FunctionTransformer(lambda of: of.apply(lambda column: column.dt.year), feature_names_out="one-to-one")
    columns = compose.ColumnTransformer(
        [
            ("dates", years, ["since"]),
            ("words", preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["city", "plan"]),
        ],
        remainder="passthrough",
    )
    pipeline = pipelines.make_pipeline(columns, preprocessing.StandardScaler(), linear.LogisticRegression())
    pipeline.fit(x.astype({"city": object}).fillna({"city": "none"}), y)
    x = x.astype({"city": object}).fillna({"city": "none"})
    background = Background(x.sample(30, random_state=1), "random")
    explainers = {"occlusion": "occlusion", "random": "random"}
    table = evaluate(pipeline, x, y, explainers, ["deletion", "comprehensiveness"], baseline=background, replicates=0)
    assert table["comprehensiveness"]["occlusion"].value > table["comprehensiveness"]["random"].value
    assert isinstance(x["since"].iloc[0], pandas.Timestamp)
