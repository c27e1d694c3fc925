"""Results as pages, as differences between them, and as tables of other libraries."""

from __future__ import annotations

import csv
import json
import pickle
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xai_metrics
from xai_metrics import Report, casebased, counterfactual, find, graph, repro
from xai_metrics.attribution import EvaluationTable, EvaluationValues, base_scores, evaluate, meta_consistency
from xai_metrics.casebased import data_attribution

RANDOM = np.random.default_rng(5)
IMAGES = RANDOM.random((20, 6, 6, 1))
WEIGHTS = RANDOM.normal(size=(36, 3))
TARGETS = np.arange(20) % 3
LABELS = RANDOM.integers(0, 3, 60)


def model(x: Any) -> Any:
    return x.reshape(len(x), -1) @ WEIGHTS


def gradient(x: Any, y: Any) -> Any:
    return WEIGHTS.T[y].reshape(x.shape)


EXPLAINERS = {
    "gradient": gradient,
    "intensity": IMAGES,
    "<b>noise</b>": (RANDOM.random(IMAGES.shape), gradient),
}


@pytest.fixture(scope="module")
def table() -> EvaluationTable:
    return evaluate(
        model, IMAGES, TARGETS, EXPLAINERS, ["average_drop", "deletion", "sparseness"],
        activation="softmax", layout="channels-last", level=0.9, seed=3,
    )  # fmt: skip


@pytest.fixture(scope="module")
def runs() -> repro.PairwiseResult:
    wrong = RANDOM.random((4, 60)) < 0.2
    return repro.pairwise(np.where(wrong, (LABELS + 1) % 3, LABELS), LABELS)


@pytest.fixture(scope="module")
def audit() -> casebased.AuditReport:
    x = RANDOM.normal(size=(80, 2))
    y = np.where(x[:, 0] > 0, "yes", "no")
    explainer = casebased.CaseExplainer(x[:60], y[:60], k=3, feature_names=["a", "b"])
    guess = np.where(x[60:, 0] > 0.3, "yes", "no")
    return explainer.audit(x[60:], y_test=y[60:], predictions=guess)


def curve(seed: int) -> graph.SweepCurve:
    random = np.random.default_rng(seed)
    full, kept, rest = (random.dirichlet([1, 1, 1], shape) for shape in (30, (3, 30), (3, 30)))
    return graph.sweep_from_outputs(full, kept, rest, [0.1, 0.3, 0.5])


class Elements(HTMLParser):
    """Counts the elements of a page, and refuses those that would ask another place."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.n: dict[str, int] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.n[tag] = self.n.get(tag, 0) + 1
        for name, value in attrs:
            assert name not in ("src", "href") or value.startswith(("#", "data:", "report.json"))


def test_the_report_has_the_numbers_of_the_evaluation(table: EvaluationTable) -> None:
    (section,) = table.report().to_dict()["attribution"]
    assert section["explainers"] == table.explainers and section["seed"] == 3
    assert section["activation"] == "softmax" and section["level"] == 0.9
    assert section["model_rows"] == table.model_rows
    for metric in section["metrics"]:
        for name, ours in zip(table.explainers, metric["values"]):
            value = table.result(name, metric["metric"])
            assert ours["value"] == value.value and value.interval is not None
            assert ours["interval"] == [value.interval.low, value.interval.high]
    (deletion,) = [of for of in section["curves"] if of["metric"] == "deletion"]
    points = table["deletion"]["gradient"].curve
    assert points is not None
    assert [of["score"] for of in deletion["curves"][0]["points"]] == points.scores.tolist()


def test_what_was_assumed_and_left_out_is_on_the_page() -> None:
    table = evaluate(None, None, None, {"mine": RANDOM.random((9, 4))}, "standard")
    (section,) = table.report().to_dict()["attribution"]
    assert "layout: tabular, which was assumed" in section["remarks"]
    assert "deletion is left out: needs model, inputs, targets" in section["remarks"]


def test_a_page_shows_the_best_and_the_worst_maps(table: EvaluationTable) -> None:
    how: dict[str, Any] = {"activation": "softmax", "layout": "channels-last"}
    shown = table.with_maps(model, IMAGES, TARGETS, EXPLAINERS, **how)
    gallery = shown.report().to_dict()["attribution"][0]["gallery"]
    assert gallery["metric"] == "average_drop" and len(gallery["items"]) == 12
    drops = table.values.per_sample("average_drop")
    for item in gallery["items"]:
        place = table.explainers.index(item["explainer"])
        assert item["value"] == drops[place, item["sample"]]
        drop = max(item["score"] - item["score_masked"], 0.0) / item["score"]
        assert item["value"] == pytest.approx(drop, rel=1e-6)  # the metric adds a little to the score
        assert item["target"] == TARGETS[item["sample"]]
    best = [item["value"] for item in gallery["items"][:2]]
    assert best == sorted(drops[0])[:2]
    assert table.report().to_dict()["attribution"][0]["gallery"] is None
    assert Elements(shown.report().html).n["image"] == 36
    with pytest.raises(ValueError, match="explainers: expected all that the table has, .* missing"):
        table.with_maps(model, IMAGES, TARGETS, {}, **how)
    with pytest.raises(ValueError, match="inputs: expected the 20 samples of the table, got 3"):
        table.with_maps(model, IMAGES[:3], TARGETS[:3], EXPLAINERS, **how)
    with pytest.raises(ValueError, match=r"explainers\['intensity'\]: expected the 20 samples"):
        few = EXPLAINERS | {"intensity": IMAGES[:3]}
        table.with_maps(model, IMAGES, TARGETS, few, **how)
    with pytest.raises(ValueError, match="inputs: expected images"):
        flat = IMAGES.reshape(20, -1)
        of_rows = evaluate(model, flat, TARGETS, {"mine": flat}, ["deletion"])
        of_rows.with_maps(model, flat, TARGETS, {"mine": flat})


def test_maps_are_shown_in_every_form_that_evaluate_accepts(table: EvaluationTable) -> None:
    how: dict[str, Any] = {"activation": "softmax", "layout": "channels-last"}
    maps = RANDOM.normal(size=(20, 6, 6))
    segments = np.arange(36).reshape(6, 6) // 9

    def shown(given: Any, targets: Any = TARGETS, **more: Any) -> Any:
        with_maps = table.with_maps(model, IMAGES, targets, EXPLAINERS | {"gradient": given}, **how, **more)
        assert with_maps._pictures is not None
        return with_maps._pictures[1][0]

    x, plain, targets, scores, _ = shown(maps)
    rows = [int(np.argmin(np.abs(IMAGES - image).sum(axis=(1, 2, 3)))) for image in x]
    np.testing.assert_allclose(plain, maps[rows], rtol=1e-6)
    np.testing.assert_allclose(scores, base_scores(model, IMAGES, TARGETS, activation="softmax")[rows])
    assert targets == TARGETS[rows].tolist()
    for same in ((maps, gradient), maps.tolist(), maps[..., None]):
        np.testing.assert_allclose(np.reshape(shown(same)[1], plain.shape), plain)
    by_class = np.stack([maps[..., None] * (1.0 + label) for label in range(3)], axis=-1)
    np.testing.assert_allclose(shown(by_class)[1][..., 0], plain * (1.0 + TARGETS[rows])[:, None, None], rtol=1e-6)
    predicted = model(IMAGES).argmax(axis=1)[rows]
    assert shown(by_class, None)[2] == shown("random", None)[2] == predicted.tolist()
    values = RANDOM.random((20, 4))
    for given, more in (((values, segments), {}), (values, {"segments": segments})):
        np.testing.assert_allclose(shown(given, **more)[1], values[rows][:, segments], rtol=1e-6)
    assert shown(maps[:, ::2, ::2])[1].shape == shown(("occlusion", {"patch": 3}))[1].shape == plain.shape
    np.testing.assert_allclose(shown(gradient)[1], gradient(IMAGES, TARGETS)[rows], rtol=1e-6)


def test_each_family_has_a_section(
    table: EvaluationTable, runs: Any, audit: Any, tmp_path: Path
) -> None:
    study = repro.SimulationStudy(60, n_samples=40)
    results = {
        "Maps": table,
        "Seeds": runs,
        "Cases": audit,
        "Motifs": {"gnn": curve(0), "saliency": curve(1)},
        "One": curve(2),
        "Laws": study,
    }
    report = Report(results, title="All & <more>")
    held = report.to_dict()
    assert [of["name"] for of in held["graph"]] == ["Motifs", "One"]
    assert [of["name"] for of in held["graph"][0]["explainers"]] == ["gnn", "saliency"]
    points = held["graph"][0]["explainers"][1]["curve"]
    assert [of["unfaithfulness"] for of in points] == [of.unfaithfulness for of in curve(1).points]
    (seeds,) = held["repro"]
    assert (seeds["n_runs"], seeds["n_samples"]) == (4, 60)
    means = {of["metric"]: of["mean"]["value"] for of in seeds["metrics"]}
    assert means == {name: runs.summary(name).mean for name in runs.metrics}
    assert [of["value"] for of in seeds["accuracy"]] == runs.errors.accuracy.tolist()
    assert sum(vote["n"] for vote in seeds["most_inconsistent"][0]["votes"]) == 4
    (cases,) = held["casebased"]
    assert cases["accuracy"]["value"] == audit.accuracy and cases["n_train"] == 60
    assert cases["columns_used"] == ["a", "b"] and {of["class"] for of in cases["by_class"]} == {
        "yes",
        "no",
    }
    first, least = cases["least_supported"][0], audit.least_supported[0]
    for name in ("sample", "predicted", "correspondence", "true"):
        assert first["truth" if name == "true" and "truth" in first else name] == least[name]
    assert len(first["neighbors"]) == 3 and len(first["features"]) == 2
    assert {of["level"]: of["n"] for of in cases["levels"]} == {
        name: of.n for name, of in audit.by_level.items()
    }
    (laws,) = held["simulation"]
    assert laws["n_draws"] == 60
    n = Elements(report.html).n
    assert n["section"] >= 6 and n["svg"] > 10 and "<b>noise" not in report.html

    page = report.write(tmp_path / "made" / "here")
    assert page.read_text(encoding="utf-8") == report.html
    assert json.loads((page.parent / "report.json").read_text(encoding="utf-8")) == held
    assert sorted(of.name for of in page.parent.iterdir()) == ["index.html", "report.json"]
    again = Report.read(page.parent)
    assert again.to_dict() == held and again.compare_with(report).n_worse == 0
    frame = Elements(report._repr_html_()).n
    assert frame == {"iframe": 1}
    assert repr(report).startswith("All & <more>: Cases, Maps, Motifs, One, Seeds, Laws\n- ")


def test_files_that_no_report_wrote_are_kept(runs: Any, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine")
    with pytest.raises(FileExistsError, match="index.html' is there already"):
        runs.report(tmp_path)
    assert [of.name for of in tmp_path.iterdir()] == ["index.html"]
    runs.report(tmp_path, force=True)
    # Those of a report are replaced.
    runs.report(tmp_path, title="Again")
    assert Report.read(tmp_path / "report.json").to_dict()["title"] == "Again"


def test_results_are_compared_with_those_before(table: EvaluationTable, tmp_path: Path) -> None:
    worse = {name: -np.abs(RANDOM.random(IMAGES.shape)) for name in EXPLAINERS}
    settings = {"activation": "softmax", "layout": "channels-last"}
    other = evaluate(model, IMAGES, TARGETS, worse, list(table.metrics), level=0.9, **settings)
    table.report(tmp_path)
    for before in (table, table.report(), tmp_path, str(tmp_path / "report.json")):
        changed = other.compare_with(before)
        assert changed.n_worse > 0
        (drop,) = [of for of in changed.figures if of["figure"] == "average_drop / gradient"]
        assert drop["new"]["value"] == other["average_drop"]["gradient"].value
        assert drop["old"]["value"] == table["average_drop"]["gradient"].value
    assert table.compare_with(table).to_dict()["n_worse"] == 0
    frame = changed.to_pandas() if pytest.importorskip("pandas") is not None else None
    assert set(frame.outcome) >= {"worse"} and len(frame) == len(changed.figures)
    assert "worse beyond their intervals" in changed._repr_html_()


def test_what_a_report_has_no_section_for_is_refused(runs: Any, audit: Any, table: Any) -> None:
    with pytest.raises(TypeError, match="a report has no section for dict"):
        Report({"mine": {"a": {}}})
    gaps = repro.compare_groups([[0, 1], [1, 1]], [[0, 0], [1, 0]], [0, 1])
    with pytest.raises(TypeError, match=r"no section for GroupComparison; it takes the results of evaluate \(of attribution"):
        Report({"gaps": gaps})
    with pytest.raises(TypeError, match="results: expected a mapping by name"):
        Report(runs)
    with pytest.raises(TypeError, match="each PairwiseResult has a section of its own"):
        Report({"both": {"a": runs, "b": runs}})
    packed = repro.pairwise(repro.PackedRuns([[0, 1], [1, 1]], [0, 1]))
    with pytest.raises(ValueError, match="predictions: a report lists samples"):
        packed.report()
    # Results are sent about without the data that they were made from.
    assert pickle.loads(pickle.dumps(runs)).summary("pa_acc") == runs.summary("pa_acc")
    with pytest.raises(ValueError, match="audit: take its report where the audit was made"):
        pickle.loads(pickle.dumps(audit)).report()
    stored = pickle.loads(pickle.dumps(table))
    reports = [result.report().to_dict() for result in (stored, table)]
    for report in reports:
        for metric in report["attribution"][0]["metrics"]:
            metric.pop("settings", None)  # a pickle does not keep them
    assert reports[0] == reports[1]
    for junk in ("{}", "junk", '{"schema_version": 99}'):
        with pytest.raises(ValueError):
            xai_metrics._native.Report.read(junk.encode())  # type: ignore[attr-defined]


def test_a_report_of_words_and_of_an_audit_in_batches() -> None:
    words = repro.pairwise([["a", "b", "b"], ["a", "a", "b"], ["b", "b", "b"]], ["a", "b", "a"])
    (section,) = words.report().to_dict()["repro"]
    assert {vote["class"] for of in section["most_inconsistent"] for vote in of["votes"]} == {
        "a",
        "b",
    }
    assert {of["label"] for of in section["most_inconsistent"]} <= {"a", "b"}
    explainer = casebased.CaseExplainer([[0.0], [1.0]], [0, 1], k=1)
    state = casebased.Audit(explainer)
    state.update([[0.1], [0.9]], y_test=[0, 0], predictions=[0, 1])
    report = state.finish()
    state.update([[0.2]], y_test=[0], predictions=[0])
    # The report is of what the audit had then; without the rows no case is shown.
    (section,) = report.report().to_dict()["casebased"]
    assert section["n_test"] == 2 and section["least_supported"] == []


def test_tables_of_all_libraries_have_the_same_columns(
    table: EvaluationTable, runs: Any, audit: Any, tmp_path: Path
) -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for result in (table, runs, audit, curve(0), runs.errors, table.compare_with(table)):
        columns = result.columns()
        frame = result.to_polars()
        assert isinstance(frame, pl.DataFrame) and frame.columns == list(columns)
        text = result.to_csv()
        assert text is not None
        rows = list(csv.DictReader(text.splitlines()))
        assert len(rows) == len(frame) and list(rows[0]) == list(columns)
        for name, values in columns.items():
            for row, value in zip(rows, values):
                if isinstance(value, (float, np.floating)) and value == value:
                    assert float(row[name]) == value
        assert result.to_csv(tmp_path / "table.csv") is None
        assert (tmp_path / "table.csv").read_text(encoding="utf-8") == text
    long = table.to_pandas(long=True)
    assert isinstance(long, pd.DataFrame) and list(long.columns) == list(table.columns())


def test_latex_is_escaped_and_marks_the_best(table: EvaluationTable) -> None:
    text = table.to_latex(intervals=False)
    assert text is not None
    lines = text.splitlines()
    assert lines[0] == r"\begin{tabular}{lrrr}" and lines[-1] == r"\end{tabular}"
    assert (
        lines[2]
        == r" & average\_drop $\downarrow$ & deletion $\downarrow$ & sparseness $\uparrow$ \\"
    )
    best = table["deletion"].ranking[0]
    (row,) = [line for line in lines if line.startswith(best)]
    assert r"\textbf{" in row.split(" & ")[2]
    assert sum(line.count(r"\textbf") for line in lines) == 3
    assert "[" in str(table.to_latex())


def test_values_are_stored_to_the_last_bit(table: EvaluationTable) -> None:
    values = table.values
    stored = pickle.loads(pickle.dumps(values))
    assert isinstance(stored, EvaluationValues) and stored.activation == "softmax"
    for metric in values.metrics:
        np.testing.assert_array_equal(stored.per_sample(metric), values.per_sample(metric))
    assert stored.table().to_dict() == values.table().to_dict()
    content = bytes(values._native.to_bytes())
    with pytest.raises(ValueError, match="stored state"):
        type(values._native).from_bytes(content[:-3])


def compared_attributions() -> data_attribution.AttributionTable:
    rng = np.random.default_rng(2)
    labels, classes = np.array(["cat", "dog", "eel"])[np.arange(30) % 3], np.array(["cat", "dog"])[np.arange(8) % 2]
    same = (labels[None] == classes[:, None]).astype(float)
    explainers = {
        "good": same + 0.1 * rng.random((8, 30)),
        "<b>random</b>": data_attribution.AttributionRows(lambda start, stop: rng.random((stop - start, 30)), (8, 30)),
    }
    given: dict[str, Any] = {"train_labels": labels, "test_classes": classes, "flags": np.arange(30) % 10 == 0}
    metrics = ["class_detection", "class_auroc", "top_k_cardinality", "mislabeling_detection"]
    return data_attribution.compare(explainers, metrics, level=0.9, seed=4, **given)


def test_training_data_attribution_has_a_section() -> None:
    table = compared_attributions()
    assert table.table.assumed == {"scores": "negative mean attribution over the test cases"}
    report = table.report()
    (section,) = report.to_dict()["data_attribution"]
    assert (section["n_samples"], section["n_train"]) == (8, 30)
    assert section["explainers"] == list(table.results) and (section["level"], section["seed"]) == (0.9, 4)
    assert section["remarks"] == ["scores: negative mean attribution over the test cases, which was assumed"]
    for metric in section["metrics"]:
        for name, value in zip(section["explainers"], metric["values"]):
            ours = table.table.result(name, metric["metric"])
            assert value["value"] == ours.value == table.results[name][metric["metric"]].value
            assert ours.interval is not None and value["interval"] == list(ours.interval)
    whole = {metric["metric"]: [value["value"] for value in metric["values"]] for metric in section["whole"]}
    for name in ("top_k_cardinality", "mislabeling_detection"):
        assert whole[name] == [results[name].value for results in table.results.values()]
    assert section["mislabeling"]["n_flagged"] == 3
    # The best explainer ranks the cases of the class first.
    for sample in section["top_cases"]:
        assert sample["class"] == ["cat", "dog"][sample["sample"] % 2]
        top = sample["explainers"][0]
        assert {case["class"] for case in top} == {sample["class"]}
        assert all(case["is_flagged"] == (case["case"] % 10 == 0) for case in top)
    assert "<b>random" not in report.html and Elements(report.html).n["svg"] > 3
    stored = pickle.loads(pickle.dumps(table))
    assert stored.results["good"]["class_auroc"].value == table.results["good"]["class_auroc"].value
    with pytest.raises(ValueError, match="take its report where compare"):
        stored.report()


def test_counterfactuals_have_a_section() -> None:
    pandas = pytest.importorskip("pandas")
    train = pandas.DataFrame({"age": [20, 30, 50, 60], "job": ["clerk", "judge", "clerk", "judge"], "rich": [0, 0, 1, 1]})
    queries = pandas.DataFrame({"age": [25, 33], "job": ["clerk", "judge"]})
    found = pandas.DataFrame({"age": [45, 20, 51], "job": ["clerk", "judge", "<b>clerk"], "query": [0, 0, 1]})
    schema = counterfactual.Schema.from_frame(train, exclude=["rich"], increase=["age"])
    older = lambda x: (np.asarray(x["age"]) > 40).astype(int)
    table = counterfactual.evaluate(queries, {"mine": found}, train=train, label="rich", model=older, schema=schema)
    (section,) = table.report().to_dict()["counterfactual"]
    assert section["explainers"] == ["mine", "nearest unlike neighbours"]
    assert section["success"] == [table.success[name] for name in section["explainers"]]
    titles = {metric["metric"]: metric["title"] for metric in section["metrics"]}
    assert titles["proximity"] == find("counterfactual.proximity").title
    for metric in section["metrics"]:
        values = [value["value"] for value in metric["values"]]
        assert values == [table[name][metric["metric"]].value for name in section["explainers"]]
    # One of three rows of `mine` is younger than its query.
    (violation,) = section["violations"]
    assert violation["feature"] == "age" and violation["shares"] == [pytest.approx(1 / 3), 0.0]
    changes = {(of["query"], of["feature"]): (of["before"], of["after"]) for of in section["changes"] if of["explainer"] == "mine"}
    assert changes == {(0, "age"): ("25", "45"), (1, "age"): ("33", "51"), (1, "job"): ("judge", "<b>clerk")}
    assert "<b>clerk" not in table.report().html
    again = pickle.loads(pickle.dumps(table)).report().to_dict()["counterfactual"][0]
    assert again["metrics"] == section["metrics"] and again["changes"] == section["changes"]


def test_runs_of_regressions_have_a_section_and_names() -> None:
    rng = np.random.default_rng(1)
    targets = rng.normal(size=40)
    named = {f"<b>{seed}": targets + rng.normal(size=40) for seed in range(4)}
    runs = repro.regression(named, targets)
    report = runs.report()
    (section,) = report.to_dict()["regression"]
    assert (section["n_runs"], section["n_samples"], section["run_names"]) == (4, 40, list(named))
    assert section["mean_absolute_error"] == runs.mean_absolute_error.tolist()
    for metric in section["metrics"]:
        interval = runs.interval(metric["metric"])
        assert metric["mean"]["value"] == runs.summary(metric["metric"]).mean
        assert interval is not None and metric["mean"]["interval"] == list(interval)
    assert section["similarity"]["pairs"] == runs.pairs("concordance").tolist()
    assert "&lt;b&gt;3" in report.html and "<b>3" not in report.html
    assert pickle.loads(pickle.dumps(runs)).report().to_dict() == report.to_dict()
    better = repro.regression({name: (run + 3 * targets) / 4 for name, run in named.items()}, targets)
    outcomes = {figure["figure"]: figure["outcome"] for figure in better.compare_with(runs).figures}
    assert outcomes["concordance"] == outcomes["mae"] == "better"
    classes = repro.pairwise({name: (run > 0).astype(int) for name, run in named.items()}, (targets > 0).astype(int))
    (section,) = classes.report().to_dict()["repro"]
    assert section["run_names"] == list(named)


def test_reliability_is_reported_with_the_evaluation(table: EvaluationTable) -> None:
    assert table.reliability().report().to_dict() == table.report().to_dict()
    gradient = lambda x, y: WEIGHTS.T[y].reshape(x.shape)
    how: dict[str, Any] = {"n_iterations": 1, "n_perturbations": 1, "layout": "channels-last"}
    judged = meta_consistency(model, IMAGES, {"gradient": gradient, "random": "random"}, ["deletion"], **how)
    (section,) = judged.report().to_dict()["attribution"]
    assert section["metrics"][0]["perturbed"]["meta_consistency"] == judged["deletion"].value
