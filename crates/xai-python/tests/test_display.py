"""What is printed of each result, and its HTML."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
import xai_metrics
from xai_metrics import Report, attribution, casebased, counterfactual, graph, reliability, repro
from xai_metrics._display import MAX_LINES, WIDTH, Display, Estimate, Shown, grid
from xai_metrics.casebased import data_attribution

#: Name of an explainer, class, column, group or run.
NAME = "<b>&'\" name\n" + "of a user " * 30
#: Its beginning in text and in HTML.
IN_TEXT, IN_HTML = "<b>&'\" name", "&lt;b&gt;&amp;&#x27;&quot; name"

#: Public classes with data that are inputs and settings rather than results.
INPUTS = {
    "Background", "Batch", "Words",
    "Blend", "CustomActivations", "Features", "ForestProximity", "HiddenActivations", "TreeLeaf",
    "CaseExplainer", "Feature", "Schema",
}  # fmt: skip

RANDOM = np.random.default_rng(1)
N = 300
LABELS = RANDOM.integers(0, 3, N)
RUNS = np.where(RANDOM.random((40, N)) < 0.2, (LABELS + 1) % 3, LABELS)
X = RANDOM.random((N, 30))
WEIGHTS = RANDOM.normal(size=(30, 2))
CLASSES = np.where(X[:, 0] > 0.5, NAME, "no")


def public_classes() -> dict[str, type]:
    """All public classes of the package and its families by name."""
    found = {}
    for module in pkgutil.walk_packages(xai_metrics.__path__, "xai_metrics."):
        parts = module.name.split(".")[1:]
        # Interfaces of other packages return their types; those of engines need the engines.
        if parts[0] in ("compat", "spark", "sql") or any(part.startswith("_") for part in parts):
            continue
        family = importlib.import_module(module.name)
        found |= {name: getattr(family, name) for name in family.__all__ if name[0].isupper() and name not in attribution.metrics.__all__}
    found |= {name: getattr(xai_metrics, name) for name in xai_metrics.__all__ if name[0].isupper()}
    return {name: kind for name, kind in found.items() if inspect.isclass(kind)}


def has_data(kind: type) -> bool:
    return dataclasses.is_dataclass(kind) or issubclass(kind, Shown) or hasattr(kind, "to_dict") or hasattr(kind, "columns")


RESULTS = sorted(name for name, kind in public_classes().items() if has_data(kind) and name not in INPUTS)


@cache
def table() -> attribution.EvaluationTable:
    maps = {f"{i}{NAME}": RANDOM.random(X.shape) for i in range(12)} | {"zeros": np.zeros(X.shape)}
    how: dict[str, Any] = {"replicates": 20, "activation": "softmax"}
    return attribution.evaluate(lambda x: x @ WEIGHTS, X, LABELS % 2, maps, "standard", **how)


@cache
def runs() -> repro.PairwiseResult:
    return repro.pairwise(RUNS, LABELS)


@cache
def groups() -> repro.GroupComparison:
    return repro.compare_groups(RUNS[:3], RUNS[3:6], LABELS)


@cache
def study() -> repro.SimulationStudy:
    return repro.SimulationStudy(20, n_samples=100)


@cache
def explainer() -> casebased.CaseExplainer:
    columns = [f"{i}{NAME}" for i in range(30)]
    return casebased.CaseExplainer(X, CLASSES, k=40, feature_names=columns, metadata={NAME: [NAME] * N})


@cache
def audit() -> casebased.AuditReport:
    return explainer().audit(X[:50], CLASSES[:50], CLASSES[1:51])


@cache
def explanations() -> casebased.Explanations:
    return explainer().explain_arrays(X[:50], CLASSES[:50], CLASSES[1:51])


@cache
def of_training_data() -> data_attribution.AttributionTable:
    attributions = {f"{i}{NAME}": RANDOM.random((40, N)) for i in range(5)}
    return data_attribution.compare(attributions, train_labels=CLASSES, test_classes=CLASSES[:40], flags=LABELS == 1, replicates=20)


@cache
def counterfactuals() -> counterfactual.CounterfactualTable:
    methods = {f"{i}{NAME}": X[:20] + RANDOM.normal(size=(20, 30)) for i in range(6)}
    found = counterfactual.evaluate(X[:20], methods, train=X, model=lambda x: (x[:, 0] > 0.5).astype(int), replicates=20)
    assert isinstance(found, counterfactual.CounterfactualTable)
    return found


@cache
def sweep() -> graph.SweepCurve:
    full, kept, rest = (RANDOM.dirichlet([1, 1, 1], shape) for shape in (30, (40, 30), (40, 30)))
    return graph.sweep_from_outputs(full, kept, rest, np.arange(40) / 40)


@cache
def graphs() -> graph.DatasetScores:
    state = graph.GroundTruthAccumulator(over_graphs=True)
    for _ in range(5):
        state.update(RANDOM.random(30), RANDOM.integers(0, 2, 30).astype(float))
    scores = state.finish()
    assert isinstance(scores, graph.DatasetScores)
    return scores


@cache
def curves() -> tuple[Any, Any]:
    return graph.ground_truth_curves(RANDOM.random(N), (LABELS == 1).astype(float))


def answers(features: Any, edges: Any, weights: Any) -> Any:
    return np.array([[0.4, 0.6 * weights[0]]] * 500)


@cache
def robust() -> graph.RobustFidelity:
    return graph.robust_fidelity(answers, np.zeros((2, 1)), [[0, 1], [1, 0]], [1.0, 0.0], probabilities="raw")


@cache
def randomized() -> attribution.RandomizationValues:
    def of_layers(layers: list[int]) -> Any:
        return lambda inputs, targets: -inputs if 0 in layers else inputs

    values = attribution.model_randomization(of_layers, X[:9], LABELS[:9], 40)
    return attribution.RandomizationValues(values.steps, tuple(f"{i}{NAME}" for i in range(40)))


@cache
def perturbed() -> attribution.PerturbedEvaluation:
    gradient = {NAME: lambda x, y: x * WEIGHTS[:, y].T, "random": "random"}
    how: dict[str, Any] = {"n_iterations": 1, "n_perturbations": 1, "replicates": 0}
    return attribution.meta_consistency(lambda x: x @ WEIGHTS, X, gradient, ["deletion", "sparseness"], **how)


VALUES = RANDOM.random((30, N))
SPANS = [[(i, i + 3)] for i in range(50)]
STEADY = RANDOM.random((1, 1, 30, N))

#: An example of every result, as large as it gets in use.
EXAMPLES: dict[str, Callable[[], Any]] = {
    "Report": lambda: Report({f"{i}{NAME}": runs() for i in range(4)}, title=NAME),
    "ReportDiff": lambda: Report({NAME: table()}).compare_with(Report({NAME: table()})),
    "MetricInfo": lambda: max(attribution.metric_infos(), key=lambda info: len(str(info.to_dict()))),
    "Parameter": lambda: attribution.MuFidelity().info.parameters[0],
    "Interval": lambda: runs().interval("ec_local"),
    "Summary": lambda: runs().summary("ec_local"),
    "EvaluationTable": table,
    "EvaluationValues": lambda: table().values,
    "MetricResult": lambda: table()["deletion"],
    "ExplainerValue": lambda: next(iter(table()["deletion"].values.values())),
    "Comparison": lambda: table()["deletion"].comparisons[0],
    "Curve": lambda: attribution.Curve(np.arange(500), np.linspace(1, 0, 500)),
    "MetricValue": lambda: attribution.MetricValue("m", "none", 0.5, VALUES[0], 3, warnings={NAME: NAME}, assumed={NAME: NAME}),
    "MaskedScores": lambda: attribution.masked_scores(lambda x: x @ WEIGHTS, X, LABELS % 2, X),
    "MegeReco": lambda: attribution.representativity([X, X + 1], np.stack([LABELS, LABELS]), LABELS),
    "RandomizationValues": randomized,
    "RandomizationStep": lambda: randomized().steps[-1],
    "Reliability": lambda: table().reliability(),
    "MetricReliability": lambda: table().reliability()["deletion"],
    "PerturbedEvaluation": perturbed,
    "SpanScores": lambda: attribution.rationale_iou_f1(SPANS, SPANS),
    "SpanScore": lambda: attribution.rationale_iou_f1(SPANS, SPANS).micro,
    "ColoredText": lambda: attribution.color_text("word <b> " * 2000, np.ones(4000), NAME),
    "PairwiseResult": runs,
    "PairwiseSummaries": lambda: repro.summarize(RUNS, LABELS),
    "StreamedResult": lambda: repro.PairwiseAccumulator().update(RUNS, LABELS).finish(),
    "RegressionResult": lambda: repro.regression(RUNS.astype(float), LABELS.astype(float)),
    "ErrorSets": lambda: runs().errors,
    "Agreement": lambda: repro.agreement(RUNS),
    "SampleConsistency": lambda: repro.sample_consistency(RUNS),
    "GroupComparison": groups,
    "GroupDifference": lambda: groups()["ec_local"],
    "SimulationStudy": study,
    "StudySummary": lambda: study().summary(),
    "MetricBehavior": lambda: study().summary().metrics[0],
    "AuditReport": audit,
    "LevelAudit": lambda: audit().by_level["low"],
    "Explanations": explanations,
    "Explanation": lambda: explanations()[0],
    "Neighbor": lambda: explanations()[0].neighbors[0],
    "AggregateExplanation": lambda: casebased.CaseExplainer(X, CLASSES, k=9, aggregate_only=2).aggregate(X[:1], CLASSES[:1])[0],
    "AttributionTable": of_training_data,
    "AttributionValue": lambda: data_attribution.class_auroc(RANDOM.random((40, N)), CLASSES, CLASSES[:40]),
    "Cardinality": lambda: data_attribution.top_k_cardinality(RANDOM.random((40, N))),
    "Mislabeling": lambda: data_attribution.mislabeling_detection(scores=RANDOM.random(N), flags=LABELS == 1),
    "Brittleness": lambda: data_attribution.brittleness(np.arange(60), RANDOM.integers(0, 2, (40, 60))),
    "CounterfactualTable": counterfactuals,
    "CounterfactualValue": lambda: counterfactual.proximity(X[:9], X[1:10], distance="manhattan"),
    "CoverageValue": lambda: counterfactual.coverage(X[:9], X[1:10], requested=2),
    "GroupGap": lambda: counterfactual.group_gap(np.arange(40.0), [f"{i}{NAME}" for i in range(40)]),
    "EditDistances": lambda: counterfactual.edit_distance([(np.arange(50), np.arange(40))] * 50),
    "Fidelity": lambda: graph.fidelity(LABELS, RUNS[0], RUNS[1]),
    "Unfaithfulness": lambda: graph.unfaithfulness([[0.5, 0.5]], [[0.25, 0.75]], return_type="probs"),
    "GroundTruth": lambda: graph.ground_truth(VALUES[0], (LABELS == 1).astype(float)),
    "RocCurve": lambda: curves()[0],
    "PrecisionRecallCurve": lambda: curves()[1],
    "MaskProperties": lambda: graph.mask_properties([0.9, 0.8], 0.5, edge_index=[[0, 2], [1, 3]]),
    "DatasetScores": graphs,
    "MacroAverage": lambda: graphs().macro_average[0],
    "MicroInterval": lambda: graph.MicroInterval("auroc", 0.5, runs().interval("ec_local")),
    "SweepCurve": sweep,
    "SweepPoint": lambda: sweep().points[0],
    "RobustFidelity": robust,
    "RobustFidelityByProbability": lambda: robust().by_probability,
    "ExplainedOutputs": lambda: graph.explained_outputs(answers, np.zeros((2, 1)), [[0, 1], [1, 0]], edge_mask=[1.0, 0.0]),
    "EditSizes": lambda: graph.edit_size([{"nodes": 2, "edges": [[0, 1]], "counterfactual_nodes": 3, "counterfactual_edges": []}] * 50),
    "KendallW": lambda: reliability.kendall_w(VALUES),
    "KrippendorffAlpha": lambda: reliability.krippendorff_alpha(VALUES),
    "InterMethodReliability": lambda: reliability.inter_method_reliability(VALUES),
    "InternalConsistencyReliability": lambda: reliability.internal_consistency_reliability(VALUES, VALUES),
    "IntraConsistency": lambda: reliability.intra_consistency(VALUES[0], VALUES[1]),
    "InterConsistency": lambda: reliability.inter_consistency(VALUES, VALUES),
    "MetaConsistency": lambda: reliability.meta_consistency(VALUES, STEADY, STEADY, direction="higher"),
    "RankStability": lambda: reliability.rank_stability(VALUES, "higher", n_draws=20),
    "ParameterSensitivity": lambda: reliability.parameter_sensitivity(np.stack([VALUES] * 40), "higher"),
}


class Elements(HTMLParser):
    """Elements of a piece of HTML, all of which must be closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.open: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.names.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_every_public_result_has_an_example() -> None:
    assert sorted(EXAMPLES) == RESULTS
    assert len(RESULTS) > 60


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RESULTS)
def test_results_are_printed_on_one_screen_and_escaped_in_html(name: str) -> None:
    result = EXAMPLES[name]()
    assert type(result).__name__ == name and isinstance(result, Shown)
    text = str(result)
    assert text == repr(result)
    lines = text.splitlines()
    assert 0 < len(lines) <= MAX_LINES and max(map(len, lines)) <= WIDTH
    # NumPy's abbreviation of arrays, and objects without a text of their own.
    assert "array(" not in text and "object at" not in text and "\n\n\n" not in text
    shown = result._repr_html_()
    allowed = {"iframe"} if name == "Report" else {"table", "caption", "thead", "tbody", "tr", "th", "td", "small", "strong", "br", "p", "span"}
    assert Elements(shown).names <= allowed
    if IN_TEXT in text and name != "Report":
        assert IN_HTML in shown


@pytest.mark.parametrize("name", ["EvaluationTable", "ColoredText", "RandomizationValues", "AttributionTable", "CounterfactualTable", "GroupGap"])
@pytest.mark.filterwarnings("ignore")
def test_names_of_users_are_shown(name: str) -> None:
    assert IN_TEXT in repr(EXAMPLES[name]())


def test_wide_tables_are_divided_and_long_ones_cut() -> None:
    rows = [(f"row {i}", *([0.123456] * 20)) for i in range(30)]
    text = Display("Title", ("", *(f"column {i}" for i in range(20))), rows, ["note"]).text()
    lines = text.splitlines()
    # Three blocks of a header and five rows, with a line between them.
    assert len(lines) == 1 + 3 * 6 + 2 + 2 and lines[0] == "Title"
    assert lines[-2:] == ["… 25 more rows", "note"]
    headers = [line.split("column ")[1:] for line in lines if line.lstrip().startswith("column")]
    assert [int(name) for block in headers for name in block] == list(range(20))
    assert sum(line.startswith("row 4 ") for line in lines) == 3


def test_columns_are_left_out_if_no_row_would_fit_otherwise() -> None:
    rows = [(f"row {i}", *([1.5] * 90)) for i in range(30)]
    lines = Display("", ("", *(f"column number {i}" for i in range(90))), rows).text().splitlines()
    assert len(lines) == MAX_LINES and lines[-1] == "… 27 more rows and 65 more columns"
    assert sum(line.startswith("row 2") for line in lines) == 5


def test_cells() -> None:
    values = [None, float("nan"), True, 3, 0.123456, np.float32(2), (1, 2), {"a": 0.5}, np.arange(6).reshape(2, 3), "line\nbreak"]
    lines = Display("", rows=[(str(i), value) for i, value in enumerate(values)]).text().splitlines()
    assert [line.split("  ", 1)[1] for line in lines] == [
        "undefined", "undefined", "yes", "3", "0.1235", "2", "1, 2", "a: 0.5", "2 × 3 values, 0 to 5", "line break",
    ]  # fmt: skip


def test_long_notes_leave_room_for_rows() -> None:
    shown = Display("", ("name", "value"), [(str(i), i) for i in range(30)], ["word " * 2000])
    lines = shown.text().splitlines()
    assert len(lines) == MAX_LINES and lines[-1].endswith("…") and lines[13].startswith("12")


def test_a_grid_turns_round_and_drops_intervals_only_if_it_must() -> None:
    def of(n_rows: int, n_columns: int) -> list[str]:
        rows, columns = ([f"{kind}{i}" for i in range(n)] for kind, n in (("r", n_rows), ("c", n_columns)))
        cells = {(r, c): Estimate(0.5, (0.25, 0.75), is_best=r == "r0") for r in rows for c in columns}
        return grid(rows, columns, cells, []).text().splitlines()

    assert of(3, 2) == ["                  c0                c1", *(f"r{i}  0.5 [0.25, 0.75]  0.5 [0.25, 0.75]" for i in range(3))]
    assert of(2, 9)[1].split() == ["c0", *["0.5", "[0.25,", "0.75]"] * 2]
    assert of(12, 12)[-1] == "the intervals are in columns()" and len(of(12, 12)) == 14


def test_html_marks_the_best_and_has_all_columns() -> None:
    rows = [("<i>", *([Estimate(0.5, (0.25, 0.75), "*", is_best=True)] * 40))]
    shown = Display("a & b", ("", *map(str, range(40))), rows, ["1 < 2"]).html()
    assert shown.count("<td><strong>0.5*</strong> <small>[0.25, 0.75]</small></td>") == 40
    assert "a &amp; b" in shown and "&lt;i&gt;" in shown and "1 &lt; 2" in shown and "<i>" not in shown
