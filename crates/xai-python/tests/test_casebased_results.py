"""What explanations look like: texts, tables, pictures, and deprecated names."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("matplotlib").use("Agg")

from matplotlib import pyplot  # noqa: E402
from xai_metrics.casebased import Audit, CaseExplainer, Explanation, Neighbor  # noqa: E402
from xai_metrics.compat import case_explainer  # noqa: E402


@pytest.fixture
def explanation():
    explainer = CaseExplainer(
        [[0.0, 1.0, 5.0], [0.5, 0.5, 6.0], [4.0, 5.0, 7.0]],
        [0, 0, 1],
        k=3,
        feature_names=["age", "<b>", "dose"],
        class_names=["well", "ill"],
        metadata={"ward": ["A", "B", "C"]},
    )
    return explainer.explain_batch([[0.2, 9.0, 5.5]], y_test=[1], predictions=[0])[0]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def test_the_summary_says_everything(explanation):
    said = explanation.summary()
    for part in (
        "index: 0",
        "Predicted class: well",
        "True class: ill [X]",
        "ward: B",
        "56.45% (low)",
    ):
        assert part in said
    assert explanation.is_correct() is False


def test_the_dictionary_is_json(explanation):
    described = json.loads(json.dumps(explanation.to_dict()))
    assert described["predicted_class_name"] == "well"
    assert described["neighbors"][0]["label_name"] in ("well", "ill")
    assert described["neighbors"][0]["metadata"]["ward"] in "ABC"
    assert len(described["test_sample"]) == 3


def test_tables_and_html(explanation):
    table = explanation.to_pandas()
    assert table.columns.tolist() == ["index", "distance", "label", "age", "<b>", "dose", "ward"]
    assert len(table) == 3
    shown = explanation._repr_html_()
    assert "&lt;b&gt;" in shown and "<b>" not in shown
    batch = CaseExplainer([[0.0], [1.0]], ["a", "b"], k=2).explain_votes([[0.2], [0.9]], ["a", "a"])
    table = batch.to_pandas()
    assert table["predicted"].tolist() == ["a", "b"] and table["true"].tolist() == ["a", "a"]
    assert table["neighbor_1"].tolist() == [0, 1]
    assert "2 explanations" in batch._repr_html_()
    assert repr(batch).splitlines()[2].split() == ["0", "a", "a", "0.865", "high", "0,", "1"]
    json.dumps(batch.to_dict())


def test_without_pandas_the_table_says_what_to_install(explanation, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        explanation.to_pandas()


def test_without_matplotlib_the_plot_says_what_to_install(explanation, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        explanation.plot()


@pytest.mark.parametrize("plot_type", ["radar", "parallel"])
def test_lines_run_from_the_least_to_the_largest_value(explanation, plot_type):
    ax = explanation.plot(plot_type)
    lines = {
        line.get_label(): line for line in ax.get_lines() if not line.get_label().startswith("_")
    }
    assert len(lines) == 4
    sample = np.asarray(lines["sample"].get_ydata(), dtype=float)
    # The second feature of the sample is the largest of all: the end of its axis.
    assert sample[1] == 1.0
    assert len(sample) == (4 if plot_type == "radar" else 3)
    assert any("class well*" in name and "distance" in name for name in lines)
    bold = [label.get_text() for label in ax.get_xticklabels() if label.get_fontweight() == "bold"]
    assert bold == ["<b>"]
    assert (ax.name == "polar") == (plot_type == "radar")


def test_bars_are_the_values(explanation):
    ax = explanation.plot("bar", show_distances=False, highlight_differences=False)
    heights = [[bar.get_height() for bar in group] for group in ax.containers]
    assert heights[0] == [0.2, 9.0, 5.5]
    assert heights[1] == explanation.neighbors[0].features.tolist()
    assert "distance" not in ax.get_legend().get_texts()[1].get_text()


def test_plots_go_where_they_are_told(explanation, tmp_path):
    _, ax = pyplot.subplots()
    assert explanation.plot("parallel", ax=ax, save_path=tmp_path / "given.png") is ax
    explanation.plot(save_path=tmp_path / "own.png", figsize=(4, 3))
    assert (tmp_path / "given.png").stat().st_size > 1000
    assert (tmp_path / "own.png").stat().st_size > 1000
    with pytest.raises(ValueError, match="polar"):
        explanation.plot("radar", ax=ax)
    with pytest.raises(ValueError, match="Unknown plot type"):
        explanation.plot("scatter")


def test_one_feature_and_no_neighbor_can_be_drawn():
    bare = Explanation(np.array([1.0]), None, [], "a", None, 0.0, "undefined")
    for plot_type in ("bar", "radar", "parallel"):
        assert bare.plot(plot_type).get_title() == "Correspondence 0.00% (undefined)"


def test_the_report_is_drawn_and_told():
    explainer = CaseExplainer([[0.0], [1.0]], ["no", "yes"], k=1)
    report = explainer.audit([[0.1], [0.8], [0.9]], ["no", "yes", "no"], ["no", "yes", "no"])
    assert report.to_pandas()["n"].tolist() == [2, 0, 1, 0]
    assert "3 samples" in report._repr_html_()
    assert report.plot().get_ylabel() == "accuracy"
    assert set(report.by_class) == {"no", "yes"}
    assert report.least_supported[0]["predicted"] == "no"
    assert report.by_level["high"].to_dict()["n"] == 2


def test_explanations_are_made_by_hand_as_in_the_peer():
    neighbors = [
        Neighbor(0, 0.1, 1, np.array([1.0, 2.0])),
        Neighbor(1, 0.2, 0, np.array([0.0, 2.0])),
    ]
    made = Explanation(
        np.array([1.0, 1.0]), 3, neighbors, 1, 1, 0.9, "high", class_names=["a", "b"]
    )
    assert made.feature_names == ["feature_0", "feature_1"]
    assert made.get_predicted_class_name() == "b" and made.is_correct() is True
    assert pickle.loads(pickle.dumps(made)).to_dict() == made.to_dict()
    with pytest.raises(AttributeError, match="nothing"):
        made.nothing
    made.note = "kept"
    assert made.note == "kept"


def test_deprecated_names_say_so():
    for name in ("HiddenActivationRetrieval", "TreeLeafRetrieval"):
        with pytest.warns(DeprecationWarning, match="similarity="):
            assert getattr(case_explainer, name).__name__ == name
    with pytest.raises(AttributeError):
        case_explainer.Nothing


def test_importing_reads_numpy_alone():
    code = (
        "import sys, xai_metrics.casebased\n"
        "heavy = ('pandas', 'matplotlib', 'sklearn', 'scipy', 'tqdm')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_audits_and_aggregates_count_ties():
    train = [[0.0], [1.0], [-1.0], [5.0]]
    explainer = CaseExplainer(train, [0, 0, 1, 1], k=2, scale=False)
    samples, predicted = [[0.0], [4.0]], [0, 1]
    assert explainer.explain_arrays(samples, predictions=predicted).ties_at_k.tolist() == [2, 0]
    assert explainer.audit(samples, predictions=predicted).n_tied == 1
    first, second = Audit(explainer), Audit(explainer)
    first.update(samples, predictions=predicted)
    second.update(samples[:1], predictions=predicted[:1])
    first.merge(second)
    assert pickle.loads(pickle.dumps(first)).finish().n_tied == 2
    released = CaseExplainer(train, [0, 0, 1, 1], k=2, scale=False, aggregate_only=2).aggregate(samples, predictions=predicted)
    assert [of.ties_at_k for of in released] == [2, 0]
