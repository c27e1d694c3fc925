"""Metrics of training-data attribution: values of the peers, every kind of input, errors."""

from __future__ import annotations

import doctest
import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xai_metrics.casebased import CaseExplainer, ForestProximity, HiddenActivations
from xai_metrics.casebased import data_attribution as da

GOLDEN = Path(__file__).parents[2] / "xai-casebased/tests/golden/data_attribution.json"
NAMES = {"tau": "attributions", "tau_random": "random_attributions"}


def cases() -> list[Any]:
    if not GOLDEN.is_file():
        return []
    return [pytest.param(case, id=case["id"]) for case in json.loads(GOLDEN.read_text())["cases"]]


@pytest.mark.parametrize("case", cases())
def test_every_metric_has_the_value_of_the_peer_or_of_its_definition(case: dict[str, Any]) -> None:
    inputs = {NAMES.get(name, name): value for name, value in case["inputs"].items()}
    found = getattr(da, case["metric"].replace("-", "_"))(**inputs, **case["params"])
    for name, expected in case["expected"].items():
        ours = np.asarray(getattr(found, name), dtype=float)
        expected = np.asarray(expected, dtype=float)
        off = np.abs(ours - expected) > case["tolerance"] * np.maximum(np.abs(expected), 1)
        assert ours.shape == expected.shape and not off.any(), name
        assert (np.isnan(ours) == np.isnan(expected)).all(), name


FUNCTIONS = [info.name for info in da.metric_infos()]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_says_what_it_takes_and_its_example_runs(name: str) -> None:
    function = getattr(da, name)
    text = inspect.getdoc(function)
    assert text is not None
    for parameter in inspect.signature(function).parameters:
        assert f"\n{parameter} : " in text
    info = next(info for info in da.metric_infos() if info.name == name)
    flat = " ".join(text.split())
    for of in (info.formula, info.extremes, f"What it does not tell: {info.limits}", *info.elsewhere):
        assert " ".join(of.split()) in flat
    # The function is made when it is asked for, so that those who collect doctests do not find it.
    examples = doctest.DocTestParser().get_doctest(function.__doc__ or "", {}, name, None, None)
    assert doctest.DocTestRunner().run(examples).failed == 0 < len(examples.examples)


def attributions() -> Any:
    random = np.random.default_rng(1)
    return random.integers(-50, 50, (40, 300)) / 8


INPUTS: dict[str, Any] = {
    "train_labels": np.arange(300) % 4,
    "test_classes": np.arange(40) % 4,
    "flags": np.arange(300) % 7 == 0,
    "subsets": [np.arange(j, 300, j + 2) for j in range(9)],
    "outputs": np.arange(360).reshape(9, 40) * 37 % 101,
    "relevant": (np.arange(300) + np.arange(40)[:, None]) % 11 == 0,
    "keep": np.arange(40) % 5 != 1,
}


def values(of: da.AttributionTable) -> list[Any]:
    return [result.to_dict() for result in of.results["e"].values()]


def test_attributions_from_anywhere_give_the_same_numbers(tmp_path: Path) -> None:
    array = attributions()
    expected = da.compare({"e": array}, **INPUTS)
    assert len(expected.results["e"]) == 11
    np.save(tmp_path / "a.npy", array)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    ranges = []

    def read(start: int, stop: int) -> Any:
        ranges.append((start, stop))
        return array[start:stop].tolist()

    rows = da.AttributionRows(read, array.shape)
    for other in (mapped, array.astype(np.float32), np.asfortranarray(array), rows, array.tolist()):
        assert repr(values(da.compare({"e": other}, **INPUTS))) == repr(values(expected))
    # All metrics from one reading.
    assert sum(stop - start for start, stop in ranges) == 40
    assert repr(values(da.compare({"e": array}, n_jobs=1, **INPUTS))) == repr(values(expected))


def test_a_metric_beside_others_has_the_value_that_it_has_alone() -> None:
    table = da.compare({"e": attributions()}, ["class-detection(k=9)", "class_auroc"], **INPUTS)
    given = {name: INPUTS[name] for name in ("train_labels", "test_classes", "keep")}
    alone = da.class_detection(attributions(), **given, k=9)
    assert table.results["e"]["class-detection(k=9)"].value == alone.value
    assert alone.n_undefined == 8 and np.isnan(alone.per_sample[1])
    columns = table.columns()
    assert columns["metric"] == ["class-detection(k=9)", "class_auroc"]
    assert columns["better"] == ["higher", "higher"] and columns["n_undefined"] == [8, 8]
    assert table.to_csv().splitlines()[0] == "explainer,metric,value,low,high,rank,better,n_undefined"  # type: ignore[union-attr]


def test_random_attributions_belong_to_an_explainer() -> None:
    array = attributions()
    table = da.compare({"e": array}, random_attributions={"e": -array})
    assert table.results["e"]["attribution_randomization"].value == -1.0
    with pytest.raises(ValueError, match="random_attributions: expected those of e, got f"):
        da.compare({"e": array}, random_attributions={"f": array})


def test_labels_are_of_any_type() -> None:
    array = attributions()
    words = np.array(["cat", "dog", "eel", "fox"])
    of_words = da.class_auroc(array, words[INPUTS["train_labels"]], list(words[INPUTS["test_classes"]]))
    of_numbers = da.class_auroc(array, INPUTS["train_labels"], INPUTS["test_classes"])
    assert (of_words.per_sample == of_numbers.per_sample).all()
    with pytest.raises(TypeError, match="train_labels has text .* and test_classes numbers"):
        da.class_auroc(array, words[INPUTS["train_labels"]], INPUTS["test_classes"])
    assert da.brittleness([0, 1], [["a", "b"], ["a", "a"]]).share_flipped == 0.5


def test_subsets_are_lists_or_booleans() -> None:
    array = attributions()
    lists = INPUTS["subsets"]
    masks = np.zeros((9, 300), bool)
    for mask, cases_of in zip(masks, lists):
        mask[cases_of] = True
    of_lists = da.linear_datamodeling_score(array, lists, INPUTS["outputs"])
    of_masks = da.linear_datamodeling_score(array, masks, INPUTS["outputs"])
    assert (of_lists.per_sample == of_masks.per_sample).all()
    with pytest.raises(ValueError, match=r"subsets\[0, 1\] = 300: expected a training case, 0 to 299"):
        da.linear_datamodeling_score(array, [[0, 300]], INPUTS["outputs"][:1])
    with pytest.raises(ValueError, match=r"subsets\[0, 1\] = -1: expected a training case, 0 to 299"):
        da.linear_datamodeling_score(array, [[0, -1]], INPUTS["outputs"][:1])


def test_what_does_not_fit_is_named() -> None:
    array = attributions()
    with pytest.raises(ValueError, match=r"flags: expected shape \(300\), got \(2\)"):
        da.shortcut_detection(array, [True, False])
    with pytest.raises(ValueError, match="k = 0: expected a whole number, at least 1"):
        da.top_k_cardinality(array, k=0)
    with pytest.raises(ValueError, match="outputs: needed, but not given"):
        da.linear_datamodeling_score(array, INPUTS["subsets"])
    with pytest.raises(TypeError, match=r"top_k_cardinality\(\): got an unexpected keyword argument 'flags'"):
        da.top_k_cardinality(array, flags=[True])
    with pytest.raises(TypeError, match="missing a required argument: 'flags'"):
        da.shortcut_detection(array)
    with pytest.raises(TypeError, match=r"give AttributionRows\(function, shape\)"):
        da.top_k_cardinality(lambda start, stop: array[start:stop])
    with pytest.raises(ValueError, match="metric: got 'class_detections', did you mean class_detection"):
        da.compare({"e": array}, "class_detections", **INPUTS)
    array[3, 17] = np.nan
    with pytest.raises(ValueError, match=r"attributions\[3, 17\]: not a finite number"):
        da.top_k_cardinality(array)


def test_what_a_reader_raises_is_raised() -> None:
    def read(start: int, stop: int) -> Any:
        raise LookupError(f"no rows {start} to {stop}")

    with pytest.raises(LookupError, match="no rows 0 to 3"):
        da.top_k_cardinality(da.AttributionRows(read, (3, 4)))
    short = da.AttributionRows(lambda start, stop: np.zeros((stop - start, 3)), (3, 4))
    with pytest.raises(ValueError, match=r"attributions: expected shape \(3, 4\), got \(3, 3\)"):
        da.top_k_cardinality(short)


def test_an_undefined_value_is_no_number() -> None:
    of = da.mislabeling_detection([0.5, 0.25], [False, False])
    assert of.value is None and of.curve is None
    assert np.isnan(float(of))
    assert float(da.mislabeling_detection([0.5, 0.25], [True, False])) == 1.0


def test_metrics_of_top_cases_have_an_array_of_each_explainer() -> None:
    explainers = {"a": attributions()[:2], "b": -attributions()[:2]}
    after = {"a": np.log([[0.5, 0.5], [0.25, 0.5]]), "b": np.log([[0.25, 0.25], [0.125, 0.125]])}
    predictions = {"a": [["no", "yes"], ["no", "no"]], "b": [["no", "no"], ["no", "no"]]}
    given: dict[str, Any] = {"log_prob": np.log([0.25, 0.25]), "ks": [0, 10]}
    table = da.compare(explainers, log_prob_after=after, predictions=predictions, **given)
    for name in explainers:
        alone = da.tail_patch(given["log_prob"], after[name])
        np.testing.assert_equal(table.results[name]["tail_patch"].to_dict(), alone.to_dict())
        alone = da.brittleness(given["ks"], predictions[name])
        np.testing.assert_equal(table.results[name]["brittleness"].to_dict(), alone.to_dict())
    with pytest.raises(TypeError, match="predictions: expected a mapping, predictions for each name"):
        da.compare(explainers, ["brittleness"], predictions=predictions["a"], **given)
    with pytest.raises(ValueError, match="log_prob_after: expected those of a, b, got a"):
        da.compare(explainers, ["tail_patch"], log_prob_after={"a": after["a"]}, **given)


def test_subsets_of_zeros_and_ones_are_a_mask() -> None:
    mask = np.arange(300) % 7 < np.arange(2, 6)[:, None]
    outputs = np.arange(160).reshape(4, 40) * 37 % 101
    expected = da.linear_datamodeling_score(attributions(), subsets=mask, outputs=outputs).to_dict()
    for subsets in (mask.astype(int), mask.astype(float), list(mask.astype(int))):
        found = da.linear_datamodeling_score(attributions(), subsets=subsets, outputs=outputs)
        assert found.to_dict() == expected
    with pytest.raises(ValueError, match="may also be a mask"):
        da.linear_datamodeling_score(attributions(), subsets=mask[:, :299].astype(int), outputs=outputs)


def test_retrievals_are_compared_as_attributions() -> None:
    random = np.random.default_rng(0)
    train, labels = random.normal(size=(60, 3)), np.array(["no", "yes"])[np.arange(60) % 2]
    test, predicted = random.normal(size=(7, 3)), np.array(["yes", "no", "no", "yes", "no", "yes", "yes"])
    explainers = {
        "features": CaseExplainer(train, labels, k=5),
        "activations": CaseExplainer(train, labels, k=5, similarity=HiddenActivations(lambda x: x[:, :2] * 2)),
    }
    rows = {name: of.attributions(test, predicted, signed=False) for name, of in explainers.items()}
    table = da.compare(rows, ["class_detection(k=5)"], train_labels=labels, test_classes=predicted)
    for name, of in explainers.items():
        shown = of.explain_arrays(test, predictions=predicted)
        same = (labels[shown.indices] == predicted[:, None]).mean(axis=1)
        assert np.allclose(table.results[name]["class_detection(k=5)"].per_sample, same)
        signed = of.attributions(test, predicted)
        assert ((signed > 0) == (labels == predicted[:, None])).all()
    with pytest.raises(ValueError, match="weighting: expected a name"):
        CaseExplainer(train, labels, weighting=lambda d: 1 / (1 + d)).attributions(test, predicted)


def test_retrievals_find_the_digits_whose_labels_were_flipped() -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    from sklearn.decomposition import PCA
    from sklearn.ensemble import RandomForestClassifier

    digits = datasets.load_digits()
    images, truth = digits.data[:800], digits.target[:800]
    random = np.random.default_rng(1)
    flags = np.zeros(len(truth), dtype=bool)
    flags[random.choice(len(truth), 40, replace=False)] = True
    labels = np.where(flags, (truth + random.integers(1, 10, len(truth))) % 10, truth)
    forest = RandomForestClassifier(50, min_samples_leaf=3, random_state=0).fit(images, labels)
    retrievals = {
        "features": CaseExplainer(images, labels, scale=False),
        "activations": CaseExplainer(images, labels, similarity=HiddenActivations(PCA(20).fit(images).transform)),
        "leaves": CaseExplainer(images, labels, similarity=ForestProximity(forest)),
    }
    for name, retrieval in retrievals.items():
        rows = retrieval.attributions(images, labels)
        np.fill_diagonal(rows, 0.0)  # a case says nothing about itself
        rows /= np.abs(rows).sum(axis=1, keepdims=True)  # dense regions count no more than others
        found = da.mislabeling_detection(-rows.sum(axis=1), flags)
        assert found.auroc > 0.9, (name, found)
        # Of the first tenth that is inspected most were flipped.
        assert found.curve[80] > 0.7, (name, found.curve[80])


def test_a_comparison_has_intervals_ranks_and_tests() -> None:
    rng = np.random.default_rng(2)
    labels, classes = rng.integers(3, size=30), rng.integers(3, size=20)
    flags = rng.random(30) < 0.2
    same = classes[:, None] == labels
    explainers = {"good": same + rng.random(same.shape), "random": rng.random(same.shape)}
    given = {"train_labels": labels, "test_classes": classes, "flags": flags}
    metrics = ["class_auroc", "class_detection(k=3)", "top_k_cardinality", "mislabeling_detection"]
    found = da.compare(explainers, metrics, **given)
    auroc = found.table["class_auroc"]
    assert auroc.is_better("good", than="random") and auroc["good"].rank == 1.0
    assert auroc["good"].value == found.results["good"]["class_auroc"].value
    low, high = auroc["random"].interval.low, auroc["random"].interval.high
    assert low < auroc["random"].value < high
    assert found.table.metrics == ["class_auroc", "class_detection(k=3)"]
    # Without scores they are the negative means; the AUROC has an interval of its own.
    means = {name: -rows.mean(axis=0) for name, rows in explainers.items()}
    scored = da.compare(explainers, "mislabeling_detection", scores=means, flags=flags)
    alone = da.mislabeling_detection(means["good"], flags)
    for of in (found, scored):
        assert of.results["good"]["mislabeling_detection"].auroc == alone.auroc
        assert of.results["good"]["mislabeling_detection"].interval == alone.interval
    columns = found.columns()
    at = columns["metric"].index("mislabeling_detection")
    assert columns["low"][at] == alone.interval.low and np.isnan(columns["rank"][at])
    assert columns["rank"][columns["metric"].index("class_auroc")] == 1.0
    with pytest.raises(ValueError, match="scores: expected those of good, random, got good"):
        da.compare(explainers, metrics, scores={"good": means["good"]}, **given)
    with pytest.raises(ValueError, match="explainers: expected the same test cases, got 2 and 3 of them"):
        da.compare({"a": np.eye(3)[:2], "b": np.eye(3)}, "shortcut_detection", flags=[True, False, False])


def test_a_comparison_says_over_which_cases_values_are() -> None:
    rng = np.random.default_rng(3)
    explainers, flags = {"a": rng.random((5, 12)), "b": rng.random((5, 12))}, np.arange(12) < 4
    alone = da.compare(explainers, "mislabeling_detection", flags=flags)
    assert "5 test cases" in repr(alone)
    assert "mislabeling_detection: AUROC over 12 training cases, 4 of them flagged" in repr(alone)
    # By default attributions are read once.
    assert "mislabeling_detection" not in da.compare(explainers, flags=flags).results["a"]
    assert "AUROC" not in repr(da.compare(explainers, "shortcut_detection", flags=flags))


def test_text_names_several_metrics() -> None:
    explainers, given = {"a": attributions()}, {"train_labels": INPUTS["train_labels"], "test_classes": INPUTS["test_classes"]}
    found = da.compare(explainers, "class_detection(k=5), class_auroc", **given)
    assert list(found.results["a"]) == ["class_detection(k=5)", "class_auroc"]
    expected = da.compare(explainers, ["class_detection(k=5)", "class_auroc"], **given)
    assert found.columns() == expected.columns()
    with pytest.raises(ValueError, match="metrics: expected names with commas between them, got 'class_auroc,'"):
        da.compare(explainers, "class_auroc,", **given)


def test_an_unknown_metric_gets_the_list_of_those_that_judge_attributions() -> None:
    with pytest.raises(ValueError, match="expected one of\nlinear_datamodeling_score") as told:
        da.compare({"a": attributions()}, "wat")
    listed = str(told.value).partition("\n")[2].replace("\n", " ").split(", ")
    assert listed == [info.name for info in da.metric_infos()]
