"""Pictures of evaluations: what they show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from xai_metrics import graph
from xai_metrics.attribution import (
    EvaluationTable,
    evaluate,
    evaluate_stream,
    metrics,
    plot_curves,
    plot_maps,
)
from xai_metrics.attribution._explanations import upsampled

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

RANDOM = np.random.default_rng(3)
X = RANDOM.random((30, 8))
WEIGHTS = RANDOM.normal(size=(8, 2))


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def table() -> EvaluationTable:
    maps = {"terms": X * WEIGHTS[:, 0], "inputs": X, "noise": RANDOM.random(X.shape)}
    asked = ["deletion", "insertion", "sparseness", "effective_complexity"]
    return evaluate(lambda x: x @ WEIGHTS, X, np.zeros(30), maps, asked)


def drawn(ax: Any) -> Any:
    ax.figure.canvas.draw()
    return ax


def test_ranks_and_radar_show_the_ranks(table: EvaluationTable) -> None:
    ax = drawn(table.plot())
    shown = ax.images[0].get_array()
    value = float(table["deletion"]["terms"])
    assert ax.texts[0].get_text() == f"{shown[0, 0]:g}\n({value:.3g})"
    ranked = [m for m in table.metrics if table[m].direction != "none"]
    assert shown.tolist() == [[table.result(e, m).rank for m in ranked] for e in table.explainers]
    ax = drawn(table.plot_radar())
    within = ax.figure.bbox
    for text in (ax.title, ax.get_legend(), *ax.get_xticklabels()):
        ends = text.get_window_extent().get_points()
        assert all(within.contains(*end) for end in ends)
    assert [line.get_label() for line in ax.lines] == table.explainers
    for explainer, line in zip(table.explainers, ax.lines):
        heights = np.asarray(line.get_ydata())
        expected = [4 - table.result(explainer, m).rank for m in ranked]
        np.testing.assert_allclose(heights, [*expected, expected[0]], atol=0.07)
    with pytest.raises(ValueError, match="ax: a radar needs polar axes"):
        table.plot_radar(plt.subplots()[1])
    few = evaluate(None, None, None, {"mine": X}, ["sparseness"])
    with pytest.raises(ValueError, match="metrics: a radar needs at least three"):
        few.plot_radar()


def test_agreement_is_that_of_the_report(table: EvaluationTable) -> None:
    ax = drawn(table.plot_agreement())
    shown = np.asarray(ax.images[0].get_array())
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert np.array_equal(shown, shown.T) and (np.diag(shown) == 1).all()
    pairs = table.report().to_dict()["attribution"][0]["agreement_of_metrics"]
    for pair in pairs:
        tau = np.nan if pair["tau"] is None else pair["tau"]
        assert np.array_equal(
            shown[names.index(pair["first"]), names.index(pair["second"])], tau, equal_nan=True
        )
    few = evaluate(None, None, None, {"a": X, "b": X}, ["sparseness", "complexity"])
    with pytest.raises(ValueError, match="metrics: agreement is of at least two"):
        few.plot_agreement()


def test_curves_have_intervals_of_their_mean() -> None:
    scores = RANDOM.random((50, 4))
    scores[:3, 2] = np.nan
    ax = drawn(plot_curves({"mine": scores, "other": scores + 1}, [0, 2, 4, 8], level=0.9))
    line = ax.lines[0]
    assert line.get_xdata().tolist() == [0, 2, 4, 8]
    np.testing.assert_allclose(line.get_ydata(), np.nanmean(scores, axis=0))
    band = ax.collections[0].get_paths()[0].vertices
    at_four = band[band[:, 0] == 4, 1]
    half = 1.6448536 * scores[3:, 2].std(ddof=1) / np.sqrt(47)
    mean = scores[3:, 2].mean()
    np.testing.assert_allclose(
        [at_four.min(), at_four.max()], [mean - half, mean + half], rtol=1e-6
    )
    # Told apart without colours.
    assert len({of.get_marker() for of in ax.lines}) == 2


def test_curves_of_one_metric_have_those_of_the_samples() -> None:
    values = {
        name: metrics.Deletion().evaluate(lambda x: x @ WEIGHTS, X, np.zeros(30), maps)
        for name, maps in (("terms", X * WEIGHTS[:, 0]), ("inputs", X))
    }
    ax = drawn(plot_curves({name: of.curve for name, of in values.items()}))
    curve = values["terms"].curve
    assert curve is not None and len(ax.collections) == 2
    np.testing.assert_allclose(ax.lines[0].get_ydata(), curve.scores)
    assert np.array_equal(ax.lines[0].get_xdata(), curve.n_features)
    ax = drawn(values["terms"].plot())
    assert ax.get_title() == "deletion" and len(ax.collections) == 1


def test_what_has_no_curve_says_where_there_are_some() -> None:
    stream = evaluate_stream(
        lambda x: x @ WEIGHTS, [(X, np.zeros(30))], {"random": "random"}, ["deletion"]
    )
    with pytest.raises(ValueError, match=r"curves\['random'\]: None; .* evaluate_stream"):
        plot_curves({"random": stream["deletion"]["random"].curve})
    with pytest.raises(ValueError, match="deletion: there is no curve to draw; .* evaluate_stream"):
        stream["deletion"].plot_curves()


def test_mean_curves_and_values_of_a_table(table: EvaluationTable) -> None:
    ax = drawn(table["deletion"].plot_curves())
    curve = table["deletion"]["terms"].curve
    assert curve is not None
    assert np.array_equal(ax.lines[0].get_ydata(), curve.scores) and ax.get_title() == "deletion"
    ax = drawn(table["deletion"].plot())
    assert [of.get_text() for of in ax.get_yticklabels()][::-1] == table["deletion"].ranking


def test_maps_lie_over_images_and_series() -> None:
    images = RANDOM.random((3, 5, 6, 3))
    maps = {"mean": images.mean(axis=3), "signed": images - 0.5}
    figure = plot_maps(images, maps, names=["a", "b", "c"], columns=2)
    figure.canvas.draw()
    assert len(figure.axes) == 12
    # Samples stand apart from each other more than the maps of one do.
    ends = [ax.get_position() for ax in figure.axes[:6]]
    assert ends[3].x0 - ends[2].x1 > 2 * (ends[2].x0 - ends[1].x1) > 0
    red = figure.axes[1].images[1]
    np.testing.assert_array_equal(red.get_array(), maps["mean"][0])
    assert red.norm.vmin == -red.norm.vmax
    first = plot_maps(
        images.transpose(0, 3, 1, 2), maps | {"signed": maps["mean"]}, layout="channels-first"
    )
    np.testing.assert_array_equal(first.axes[1].images[1].get_array(), maps["mean"][0])
    series = np.cumsum(RANDOM.normal(size=(2, 30, 2)), axis=1)
    figure = plot_maps(series, {"size": np.abs(series)})
    figure.canvas.draw()
    np.testing.assert_allclose(
        figure.axes[1].images[0].get_array()[0], np.abs(series[0]).mean(axis=1)
    )
    with pytest.raises(ValueError, match=r"maps\['mine'\]: expected shape \(3, 5, 6\), with or "):
        plot_maps(images, {"mine": images[:2]})
    with pytest.raises(ValueError, match="read as channels-last, say otherwise by layout="):
        plot_maps(images, {"mine": RANDOM.random((3, 7, 4))}, layout="channels-last")


def test_images_are_read_as_evaluate_reads_them() -> None:
    images = RANDOM.random((3, 3, 16, 16))
    small = RANDOM.random((3, 1, 4, 4))
    figure = plot_maps(images, {"whole": images, "cam": small, "a long name of maps" * 2: images})
    figure.canvas.draw()
    shown = [ax.images[-1].get_array() for ax in figure.axes[:3]]
    assert shown[0].shape == (16, 16, 3)
    np.testing.assert_allclose(shown[1], images[0].mean(axis=0))
    np.testing.assert_allclose(shown[2], upsampled(small[:1, 0], (16, 16))[0])
    title = " ".join(figure.axes[2].get_title().split())
    assert title == "cam (upsampled bilinearly from 4 × 4)"
    titles = [ax.title.get_window_extent() for ax in figure.axes[:4]]
    assert all(one.x1 < next.x0 for one, next in zip(titles, titles[1:]))
    with pytest.raises(ValueError, match='say which by layout="channels-last"'):
        plot_maps(images[..., :3, :3], {})


def test_a_sweep_shows_its_intervals() -> None:
    full, kept, rest = (RANDOM.dirichlet([1, 1, 1], shape) for shape in (30, (3, 30), (3, 30)))
    curve = graph.sweep_from_outputs(full, kept, rest, [0.1, 0.3, 0.5])
    ax = drawn(curve.plot())
    assert len(ax.lines) == 4 and len(ax.collections) == 3
    ends = curve.points[1].pos_interval
    assert ends is not None
    band = ax.collections[0].get_paths()[0].vertices
    assert {ends.low, ends.high} <= set(band[band[:, 0] == 0.3, 1])
