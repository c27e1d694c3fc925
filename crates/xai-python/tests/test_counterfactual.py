"""Metrics of counterfactuals: stored values, every kind of table, errors."""

from __future__ import annotations

import doctest
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from xai_metrics import counterfactual as cf
from xai_metrics import find, graph
from xai_metrics.compat.ceval import CEval
from xai_metrics.counterfactual import Feature, Schema

GOLDEN = Path(__file__).parents[2] / "xai-counterfactual/tests/golden/counterfactual.json"


def cases() -> list[Any]:
    if not GOLDEN.is_file():
        return []
    stored = json.loads(GOLDEN.read_text("utf-8"))
    return [pytest.param(case, stored["models"], id=case["id"]) for case in stored["cases"]]


def linear(model: dict[str, Any]) -> Callable[[Any], Any]:
    return lambda rows: np.argmax(rows @ np.array(model["weights"]).T + np.array(model["bias"]), axis=1)


@pytest.mark.parametrize(("case", "models"), cases())
def test_every_metric_has_the_stored_values(case: dict[str, Any], models: dict[str, Any]) -> None:
    inputs = dict(case["inputs"])
    if inputs.get("model") is not None:
        inputs["model"] = linear(models[inputs["model"]])
    module = graph if case["metric"] == "edit-size" else cf
    name = case["metric"].replace("-", "_")
    assert find(f"{module.__name__.split('.')[-1]}.{case['metric']}").name == name
    found = getattr(module, name)(**inputs, **case["params"])
    for name, expected in case["expected"].items():
        ours = getattr(found, name)
        if isinstance(expected, dict):
            assert ours.keys() == {int(group) for group in expected}
            ours, expected = list(ours.values()), list(expected.values())
        if expected is None:
            assert ours is None, name
            continue
        numbers = np.asarray(ours, float)
        wanted = np.asarray(expected, float)
        off = np.abs(numbers - wanted) > case["tolerance"] * np.maximum(np.abs(wanted), 1)
        assert numbers.shape == wanted.shape and not off.any(), name
        assert (np.isnan(numbers) == np.isnan(wanted)).all(), name


FUNCTIONS = [info.name for info in cf.metric_infos() if info.name not in ("group_gap", "edit_distance")]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_says_what_it_takes_and_its_example_runs(name: str) -> None:
    function = getattr(cf, name)
    text = inspect.getdoc(function)
    assert text is not None
    for parameter in inspect.signature(function).parameters:
        assert f"\n{parameter} : " in text
    info = next(info for info in cf.metric_infos() if info.name == name)
    flat = " ".join(text.split())
    for of in (info.formula, info.extremes, f"What it does not tell: {info.limits}", *info.elsewhere):
        assert " ".join(of.split()) in flat
    # The function is made when it is asked for, so that those who collect doctests do not find it.
    examples = doctest.DocTestParser().get_doctest(function.__doc__ or "", {}, name, None, None)
    assert doctest.DocTestRunner().run(examples).failed == 0 < len(examples.examples)


pandas = pytest.importorskip("pandas")

TRAIN = pandas.DataFrame(
    {
        "age": [20, 25, 30, 40, 50, 60],
        "job": ["cook", "cook", "clerk", "clerk", "judge", "judge"],
        "income": ["low", "low", "low", "high", "high", "high"],
    }
)
QUERIES = pandas.DataFrame({"age": [22, 28], "job": ["cook", "clerk"]}, index=["ann", "bob"])
FOUND = pandas.DataFrame({"age": [45, 36, 29], "job": ["clerk", "cook", "judge"]}, index=["bob", "ann", "bob"])


def older(rows: Any) -> list[str]:
    return ["high" if age > 35 else "low" for age in rows["age"]]


def test_tables_of_every_library_have_the_values_of_arrays() -> None:
    polars = pytest.importorskip("polars")
    schema = Schema.from_frame(TRAIN, exclude=["income"])
    query = [1, 0, 1]
    # Categories in the order in which the training rows have them.
    codes = {"cook": 0.0, "clerk": 1.0, "judge": 2.0}
    train, queries, rows = (table.assign(job=table["job"].map(codes)).drop(columns="income", errors="ignore") for table in (TRAIN, QUERIES, FOUND))
    numeric = Schema((Feature("age", low=20.0, high=60.0, columns=(0,)), Feature("job", "categorical", (1,))), (0, 1))
    expected = cf.proximity(queries.to_numpy(), rows.to_numpy(), query, schema=numeric, train=train.to_numpy())
    for convert in (lambda table: table, polars.from_pandas):
        frames = [convert(table) for table in (QUERIES, FOUND, TRAIN)]
        found = cf.proximity(frames[0], frames[1], query, schema=schema, train=frames[2])
        assert found.per_counterfactual is not None and expected.per_counterfactual is not None
        assert found.per_counterfactual.tolist() == expected.per_counterfactual.tolist()
        assert found.per_counterfactual.tolist() == pytest.approx([17 / 80, 14 / 80, 0.5 + 1 / 80])


def test_rows_belong_to_the_queries_that_index_key_or_column_name() -> None:
    by_index = cf.proximity(QUERIES, FOUND, train=TRAIN)
    keyed = [table.rename_axis("id").reset_index() for table in (QUERIES, FOUND)]
    of_key = cf.evaluate(keyed[0], {"mine": keyed[1]}, "proximity", key="id", train=TRAIN)
    numbered = FOUND.reset_index(drop=True).assign(query=[1, 0, 1])
    of_column = cf.proximity(QUERIES, numbered, train=TRAIN)
    assert by_index.per_query.tolist() == of_column.per_query.tolist() == of_key["mine"]["proximity"].per_query.tolist()
    one_each = FOUND.iloc[:2]
    assert cf.sparsity(QUERIES, one_each).per_query.tolist() == [0.5, 0.5]
    with pytest.raises(ValueError, match=r"row 0 belongs to 'eve', which is no query"):
        cf.sparsity(QUERIES, one_each.rename(index={"bob": "eve"}))
    with pytest.raises(ValueError, match=r"has 3 rows for 2 queries; give the query of each by `query`"):
        cf.sparsity(QUERIES.to_numpy()[:, :1].astype(float), FOUND[["age"]].to_numpy())
    with pytest.raises(ValueError, match=r"in another order, as its index says"):
        cf.sparsity(QUERIES.reset_index(drop=True), FOUND.iloc[:2].set_axis([1, 0]))
    with pytest.raises(ValueError, match=r"query\[1\]: expected the row number of one of 2 queries, from 0, got 2"):
        cf.sparsity(QUERIES, FOUND.reset_index(drop=True), [0, 2, 1])


def test_methods_are_compared_with_nearest_unlike_neighbours() -> None:
    schema = Schema.from_frame(TRAIN, exclude=["income"], immutable=["job"])
    table = cf.evaluate(QUERIES, {"mine": FOUND}, train=TRAIN, label="income", model=older, schema=schema)
    assert list(table.results) == ["mine", "nearest unlike neighbours"]
    assert {"validity", "proximity", "ynn", "redundancy", "constraint_violation"} <= table["mine"].keys()
    assert table["mine"]["validity"].per_query.tolist() == [1.0, 0.5]
    assert table.success == {"mine": 1.0, "nearest unlike neighbours": 1.0}
    one = cf.evaluate(QUERIES, {"mine": FOUND}, "relative_distance", train=TRAIN, label="income", model=older, requested=1)
    assert one["nearest unlike neighbours"]["relative_distance"].per_query.tolist() == pytest.approx([1.0, 1.0])
    # Two rows per query, as `mine` gives at most: of clerks and judges above 35.
    coverage = table["nearest unlike neighbours"]["coverage"]
    assert isinstance(coverage, cf.CoverageValue) and coverage.counts.tolist() == [2, 2]
    assert table.assumed["train_labels"] == "predictions of the model" and table.model_rows > 0
    frame = table.to_pandas()
    assert set(frame.columns) >= {"explainer", "metric", "value", "low", "high", "rank", "better", "pooled", "success"}
    assert "queries with a valid counterfactual: mine 1" in repr(table)
    gaps = table.group_gaps(["f", "m"])["mine"]["proximity"]
    assert gaps.means.keys() == {"f", "m"} and gaps.gap is not None
    without = cf.evaluate(QUERIES, {"mine": FOUND}, ["proximity"], train=TRAIN, reference=False)
    assert list(without.results) == ["mine"]


def test_metrics_are_undefined_for_methods_without_their_inputs() -> None:
    queries, first, second = np.zeros((2, 2)), np.ones((2, 2)), np.array([[3.0, 0.0], [0.0, 5.0]])
    metric = "set_distance(distance=manhattan)"
    table = cf.evaluate(queries, {"one": first, "two": second}, ["sparsity", metric], others={"one": second})
    # Manhattan distances between the two sets: |1 - 3| + 1 and 1 + |1 - 5|.
    assert table["one"][metric].value == 4.0
    assert table["two"][metric].value is None
    assert table["two"]["sparsity"].value == 0.5
    assert table.table.skipped == {f"{metric} of two": "the method has no others"}
    with pytest.raises(ValueError, match="others: needed, but not given"):
        cf.evaluate(queries, {"one": first}, [metric])
    # By default all metrics whose inputs some method has.
    known = {"one": {"predicted": [1, 1]}}
    train = np.array([[0.0, 0.0], [5.0, 5.0]])
    table = cf.evaluate(queries, {"one": first, "two": second}, train=train, class_=[0, 1], inputs=known)
    assert table["one"]["validity"].value == 0.5
    assert table["two"]["validity"].value is None
    assert table.assumed["rows"] == "all counterfactuals of two, whose validity is not known; valid ones of the others"


def test_the_model_gets_tables_like_the_queries() -> None:
    seen = []

    def model(rows: Any) -> Any:
        seen.append(rows)
        return np.array([[0.25, 0.75] if age > 35 else [0.75, 0.25] for age in rows["age"]])

    found = {"mine": FOUND.assign(age=[45, 36, 41])}
    table = cf.evaluate(QUERIES, found, ["redundancy", "target_confidence"], model=model, target=1, class_=[0, 0])
    assert all(list(rows.columns) == ["age", "job"] and rows["age"].dtype == QUERIES["age"].dtype for rows in seen)
    assert {value for rows in seen for value in rows["job"]} == {"cook", "clerk", "judge"}
    assert table["mine"]["target_confidence"].value == 0.75
    # The age alone decides, and only it changes for ann.
    assert table["mine"]["redundancy"].per_query.tolist() == [0.0, 0.25]


def test_columns_of_predictions_are_inputs() -> None:
    found = FOUND.assign(predicted=["high", "high", "low"], model_0=["high", "low", "low"], model_1=["high"] * 3)
    table = cf.evaluate(QUERIES.assign(predicted="low"), {"mine": found}, train=TRAIN, label="income")
    assert table["mine"]["validity"].per_query.tolist() == [1.0, 0.5]
    assert table["mine"]["model_validity"].per_query.tolist() == [0.5, 1.0]
    assert table.assumed["train_labels"] == "the column 'income'"


def test_answers_that_do_not_exist_are_left_out() -> None:
    found = FOUND.astype({"age": float})
    found.loc["ann"] = [np.nan, None]
    sparsity = cf.sparsity(QUERIES, found)
    assert sparsity.per_counterfactual is not None
    assert np.isnan(sparsity.per_counterfactual).tolist() == [False, True, False]
    assert sparsity.n_undefined == 1
    found.loc["ann"] = [40.0, None]
    with pytest.raises(ValueError, match=r"counterfactuals\[1, 'job'\]: the value is missing; leave out rows of counterfactuals"):
        cf.sparsity(QUERIES, found)


@pytest.mark.parametrize(
    ("change", "error", "told"),
    [
        (lambda q: q.assign(job=["cook", "pilot"]), ValueError, r"queries\[1, 'job'\]: 'pilot' is not a category of job \('cook', "),
        (lambda q: q.assign(age=["22", "28"]), TypeError, r"queries\[0, 'age'\]: expected a number, got '22'"),
        (lambda q: q.assign(job=[1, 2]), TypeError, r"queries\[0, 'job'\]: got 1, but the categories are 'cook'"),
        (lambda q: q.assign(job=["cook", None]), ValueError, r"queries\[1, 'job'\]: the value is missing"),
        (lambda q: q.drop(columns="age"), ValueError, r"queries: has no column 'age', which is a feature; it has 'job'"),
    ],
)
def test_tables_that_do_not_fit_the_schema_are_refused(change: Any, error: type[Exception], told: str) -> None:
    schema = Schema.from_frame(TRAIN, exclude=["income"])
    with pytest.raises(error, match=told):
        cf.sparsity(change(QUERIES), FOUND, schema=schema)


def test_unknown_categories_of_counterfactuals_are_outside_the_domain() -> None:
    schema = Schema.from_frame(TRAIN, exclude=["income"])
    found = FOUND.assign(job=["clerk", "pilot", "judge"])
    assert cf.in_domain(QUERIES, found, schema=schema).per_query.tolist() == [0.0, 1.0]


def test_a_schema_has_the_kinds_of_columns_and_is_stored(tmp_path: Path) -> None:
    frame = TRAIN.assign(flag=[0, 1, 0, 1, 0, 1], a=[1, 0, 0, 1, 0, 0], b=[0, 1, 1, 0, 1, 1], weight=np.arange(6) / 4)
    schema = Schema.from_frame(
        frame,
        exclude=["income"],
        immutable=["job"],
        increase=["age"],
        one_hot={"hot": ["a", "b"]},
        costs={"hot": 3},
        steps={"weight": 0.25},
    )
    by_name = {feature.name: feature for feature in schema.features}
    kinds = {name: feature.kind for name, feature in by_name.items()}
    assert kinds == {"age": "ordinal", "job": "categorical", "flag": "categorical", "weight": "numeric", "hot": "one-hot"}
    assert by_name["job"].categories == ("cook", "clerk", "judge") and by_name["job"].change == "none"
    assert by_name["age"].change == "increase" and (by_name["age"].low, by_name["age"].high) == (20.0, 60.0)
    assert by_name["hot"].columns == ("a", "b") and by_name["hot"].cost == 3.0
    assert Schema.from_dict(schema.to_dict()).features == schema.features
    schema.to_toml(tmp_path / "schema.toml")
    tomllib = pytest.importorskip("tomllib")
    assert tomllib.loads((tmp_path / "schema.toml").read_text("utf-8"))["feature"][0]["name"] == "age"
    assert Schema.from_toml(tmp_path / "schema.toml").features == schema.features
    with pytest.raises(ValueError, match="changes: 'jbo' is not a column"):
        Schema.from_frame(frame, immutable=["jbo"])
    with pytest.raises(ValueError, match=r"table\['weight'\]\[0\]: the value is missing"):
        Schema.from_frame(frame.assign(weight=np.nan))
    with pytest.raises(ValueError, match="job: got increase|schema"):
        Schema.from_frame(frame, increase=["job"])


def test_labels_of_two_types_are_refused() -> None:
    with pytest.raises(TypeError, match="expected labels of one type"):
        cf.validity(QUERIES, FOUND, class_=["low", "low"], predicted=[1, 0, 1])
    with pytest.raises(ValueError, match="predicted: expected shape"):
        cf.validity(QUERIES, FOUND, class_=["low", "low"], predicted=["low"])


def test_methods_that_other_packages_run_are_read() -> None:
    one = SimpleNamespace(final_cfs_df=FOUND.assign(income=1), data_interface=SimpleNamespace(outcome_name="income"))
    none = SimpleNamespace(final_cfs_df=None)
    read = cf.from_dice(SimpleNamespace(cf_examples_list=[none, one]))
    assert read["query"].tolist() == [1, 1, 1] and read["predicted"].tolist() == [1, 1, 1]
    explanation = SimpleNamespace(cf={"X": np.array([[1.0, 2.0]]), "class": 1})
    assert cf.from_alibi([explanation, SimpleNamespace(cf=None), explanation])["query"].tolist() == [0, 2]
    together = SimpleNamespace(cf={"X": np.array([[1.0], [2.0]]), "class": np.array([[1], [0]])})
    assert cf.from_alibi(together)[["predicted", "query"]].to_numpy().tolist() == [[1, 0], [0, 1]]
    assert cf.from_carla(pandas.DataFrame({"a": [np.nan, 1.0]}))["query"].tolist() == [1]
    for read_from in (cf.from_dice, cf.from_alibi, cf.from_carla):
        with pytest.raises(TypeError, match="expected"):
            read_from([object()])


#: Columns of CEval by metric.
CEVAL = {
    "validity": "validity",
    "proximity": "proximity",
    "sparsity": "sparsity",
    "ynn": "yNN",
    "relative-distance": "relative_dist",
    "neighbor-ratio": "plausibility",
}


def ceval_cases() -> list[Any]:
    given = (case for case in cases() if "CEval" in case.values[0]["by"])  # type: ignore[attr-defined]
    return [case for case in given if case.values[0]["metric"] in (*CEVAL, "nearest-distance")]  # type: ignore[attr-defined]


@pytest.mark.parametrize(("case", "models"), ceval_cases())
def test_the_replacement_of_ceval_has_its_values(case: dict[str, Any], models: dict[str, Any]) -> None:
    inputs, params = case["inputs"], case["params"]
    if inputs.get("schema"):
        pytest.skip("columns without names of categories")

    def frame(rows: Any, labels: Any) -> Any:
        table = pandas.DataFrame(np.asarray(rows, float), columns=[f"f{j}" for j in range(np.shape(rows)[1])])
        return table.assign(label=labels)

    row_class = inputs.get("row_class") or inputs.get("predicted") or [1] * len(inputs["query"])
    found = frame(inputs["counterfactuals"], row_class).assign(instance=inputs["query"])
    known = {tuple(row): label for row, label in zip(inputs["counterfactuals"], row_class)}
    data = frame(inputs["train"], inputs["train_labels"]) if "train" in inputs else None
    ceval = CEval(
        frame(inputs["queries"], inputs.get("class") or [0] * len(inputs["queries"])),
        "label",
        data,
        model=lambda rows: [known.get(tuple(row), 0) for row in rows.to_numpy().tolist()],
        k_nn=params.get("k", 5),
        distance=params.get("distance"),
    )
    ceval.add_explainer("mine", found, "generated-cf", "1toN")
    nearest = "feasibility" if params.get("among") == "all" else "kNLN_dist"
    value = ceval.comparison_table.loc["mine", CEVAL.get(case["metric"], nearest)]
    assert value == pytest.approx(case["expected"]["pooled"], rel=1e-9)


def test_the_replacement_of_ceval_has_its_columns_and_errors() -> None:
    samples = pandas.DataFrame({"a": [0.0, 1.0], "b": ["x", "y"], "label": [0, 0]})
    ceval = CEval(samples, "label", constraints=["b"])
    ceval.add_explainer("mine", samples.assign(b=["x", "x"], label=[1, 1]), "generated-cf")
    row = ceval.comparison_table.loc["mine"]
    assert list(row.index) == ceval.metrics and row["validity"] == "-" and row["count"] == "-"
    assert row["sparsity"] == 0.25 and row["constraint_violation"] == 0.5
    with pytest.raises(ValueError, match="expected 2 rows, one per sample, got 1"):
        ceval.add_explainer("one", samples.iloc[:1], "generated-cf")
    with pytest.raises(ValueError, match="expected a column 'instance'"):
        ceval.add_explainer("many", samples, "generated-cf", "1toN")


def test_text_names_several_metrics() -> None:
    queries, rows = np.eye(3), {"a": np.eye(3) + 1}
    found = cf.evaluate(queries, rows, "proximity(distance=manhattan), sparsity")
    assert list(found["a"]) == ["proximity(distance=manhattan)", "sparsity"]
    assert found.columns() == cf.evaluate(queries, rows, ["proximity(distance=manhattan)", "sparsity"]).columns()


def test_functions_that_compare_no_methods_are_no_metrics() -> None:
    queries, rows = np.eye(3), {"a": np.eye(3) + 1}
    with pytest.raises(ValueError, match=r"group_gap is a function of its own; call group_gaps\(groups\) of the result"):
        cf.evaluate(queries, rows, "group_gap")
    with pytest.raises(ValueError, match=r"call edit_distance\(sequences\)"):
        cf.evaluate(queries, rows, "edit-distance")
    with pytest.raises(ValueError, match="expected one of\ncoverage") as told:
        cf.evaluate(queries, rows, "wat")
    assert "group_gap" not in str(told.value) and "edit_distance" not in str(told.value)
