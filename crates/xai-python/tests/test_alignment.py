"""Inputs with labels are matched by them or refused, in every callable that takes several."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from xai_metrics import attribution, casebased, graph, reliability, repro
from xai_metrics._alignment import Alignment
from xai_metrics._results import plain
from xai_metrics.casebased import data_attribution

pandas = pytest.importorskip("pandas")

N = 8
RANDOM = np.random.default_rng(3)
ROWS = [f"row {i}" for i in "hbdafgce"]
COLUMNS = ["age", "height", "income", "weight"]
X = RANDOM.random((N, 4))
W = RANDOM.normal(size=(4, 2))
LABELS = np.array([0, 1, 0, 1, 1, 0, 1, 0])
PREDICTED = np.array([0, 1, 1, 1, 0, 0, 1, 1])
SHARES = RANDOM.random(N)
EDGES = np.array([[0, 1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7, 0]])


def series(values: Any) -> Any:
    return pandas.Series(values, index=ROWS)


def frame(values: Any, columns: Any = None) -> Any:
    return pandas.DataFrame(values, index=ROWS, columns=columns)


def wide(values: Any) -> Any:
    """A table with the samples in its columns."""
    names = [f"method {i}" for i in range(len(values))]
    return pandas.DataFrame(values, index=names, columns=ROWS)


def model(batch: Any) -> Any:
    outputs = np.exp(np.asarray(batch) @ W)
    return outputs / outputs.sum(axis=1, keepdims=True)


def neighbors_of(explanations: Any) -> Any:
    return explanations.correspondence.tolist(), explanations.indices.tolist()


def graph_model(x: Any, edge_index: Any, edge_weight: Any) -> Any:
    received = np.array(x)
    np.add.at(received, edge_index[1], edge_weight[:, None] * x[edge_index[0]])
    return received


EXPLAINER = casebased.CaseExplainer(X, LABELS, k=3)
RUNS = frame({"a": PREDICTED, "b": LABELS, "c": 1 - LABELS})
OUTPUTS = {name: frame(RANDOM.normal(size=(N, 2)), ["no", "yes"]) for name in ("full", "kept", "complement")}
OF_ROWS = {"X_test": frame(X + 0.01, COLUMNS), "y_test": series(LABELS), "predictions": series(PREDICTED)}
OF_MODEL = {"inputs": frame(X, COLUMNS), "targets": series(LABELS)}
MAPS = frame(RANDOM.normal(size=X.shape), COLUMNS)
MASK, TRUTH = series(SHARES), series(LABELS)
Q = wide(RANDOM.random((3, N)))


def update(accumulator: Any) -> Callable[..., Any]:
    return lambda **given: accumulator().update(**given).finish().to_dict()


#: How each callable is called, and with which labelled inputs: the first decides the order.
CASES: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "repro.PackedRuns": (
        lambda predictions, labels: repro.pairwise(repro.PackedRuns(predictions, labels)).to_dict(),
        {"predictions": RUNS, "labels": series(LABELS)},
    ),
    "repro.PairwiseAccumulator.update": (
        lambda predictions, labels: repro.PairwiseAccumulator().update(predictions, labels).finish().to_dict(),
        {"predictions": RUNS, "labels": series(LABELS)},
    ),
    "repro.compare_groups": (
        lambda first, second, labels: repro.compare_groups(first, second, labels).to_dict(),
        {"labels": series(LABELS), "first": RUNS[["a", "c"]], "second": RUNS[["b", "c"]]},
    ),
    "repro.error_sets": (
        lambda predictions, labels: repro.error_sets(predictions, labels).ever_wrong,
        {"predictions": RUNS, "labels": series(LABELS)},
    ),
    "repro.gwet_ac2": (
        lambda predictions, weights: repro.gwet_ac2(predictions, weights),
        {
            "predictions": RUNS.replace({0: "no", 1: "yes"}),
            "weights": pandas.DataFrame([[1.0, 0.2], [0.2, 1.0]], index=["no", "yes"], columns=["no", "yes"]),
        },
    ),
    "repro.mean_metrics": (
        lambda predictions, labels: repro.mean_metrics(predictions, labels),
        {"predictions": RUNS, "labels": series(LABELS)},
    ),
    "repro.pairwise": (
        lambda predictions, labels: repro.pairwise(predictions, labels).to_dict(),
        {"predictions": RUNS, "labels": series(LABELS)},
    ),
    "repro.summarize": (
        lambda predictions, labels: repro.summarize(predictions, labels).to_dict(),
        {"predictions": RUNS, "labels": series(LABELS)},
    ),
    "repro.regression": (
        lambda predictions, targets: repro.regression(predictions, targets).to_dict(),
        {"predictions": frame(RANDOM.random((N, 3))), "targets": series(SHARES)},
    ),
    "casebased.CaseExplainer": (
        lambda **given: neighbors_of(
            casebased.CaseExplainer(**given, distance="mahalanobis").explain_arrays(X, predictions=LABELS)
        ),
        {
            "X_train": frame(X, COLUMNS),
            "y_train": series(LABELS),
            "metadata": frame({"place": list("abcdefgh")}),
            "covariance": pandas.DataFrame(np.diag([1.0, 2.0, 3.0, 4.0]), index=COLUMNS, columns=COLUMNS),
        },
    ),
    "casebased.NeighborSearch": (
        lambda X, covariance: casebased.NeighborSearch(X, covariance=covariance, distance="mahalanobis").query(X, 2),
        {
            "X": frame(X, COLUMNS),
            "covariance": pandas.DataFrame(np.diag([1.0, 2.0, 3.0, 4.0]), index=COLUMNS, columns=COLUMNS),
        },
    ),
    "casebased.distances": (
        lambda rows, covariance: casebased.distances(rows, rows, "mahalanobis", covariance=covariance),
        {
            "rows": frame(X, COLUMNS),
            "covariance": pandas.DataFrame(np.diag([1.0, 2.0, 3.0, 4.0]), index=COLUMNS, columns=COLUMNS),
        },
    ),
    "casebased.Audit.update": (
        lambda **given: _audited(given),
        OF_ROWS,
    ),
    "casebased.CaseExplainer.audit": (lambda **given: EXPLAINER.audit(**given).to_dict()["accuracy"], OF_ROWS),
    "casebased.CaseExplainer.explain_arrays": (lambda **given: neighbors_of(EXPLAINER.explain_arrays(**given)), OF_ROWS),
    "casebased.CaseExplainer.explain_batch": (
        lambda **given: [(of.correspondence, of.true_class) for of in EXPLAINER.explain_batch(**given)],
        OF_ROWS,
    ),
    "casebased.CaseExplainer.explain_votes": (
        lambda **given: EXPLAINER.explain_votes(**given).is_correct,
        {name: OF_ROWS[name] for name in ("X_test", "y_test")},
    ),
    "casebased.CaseExplainer.aggregate": (
        lambda **given: [of.correspondence for of in EXPLAINER.aggregate(**given)],
        {name: OF_ROWS[name] for name in ("X_test", "predictions")},
    ),
    "casebased.CaseExplainer.attributions": (
        lambda **given: EXPLAINER.attributions(**given),
        {name: OF_ROWS[name] for name in ("X_test", "predictions")},
    ),
    "casebased.CaseExplainer.compare_features": (
        lambda **given: repr(EXPLAINER.compare_features(**given)),
        {name: OF_ROWS[name] for name in ("X_test", "predictions")},
    ),
    "casebased.data_attribution.compare": (
        lambda a, b, train_labels, test_classes: data_attribution.compare(
            {"a": a, "b": b}, ["class_auroc"], train_labels=train_labels, test_classes=test_classes
        ).columns(),
        {
            "a": frame(RANDOM.normal(size=(N, N)), [f"train {i}" for i in range(N)]),
            "b": frame(RANDOM.normal(size=(N, N)), [f"train {i}" for i in range(N)]),
            "train_labels": pandas.Series(LABELS, index=[f"train {i}" for i in range(N)]),
            "test_classes": series(PREDICTED),
        },
    ),
    "graph.fidelity": (
        lambda index, **given: graph.fidelity(**given, index=index, by="probability").to_dict(),
        {**OUTPUTS, "target": series(LABELS), "index": series(LABELS == 1)},
    ),
    "graph.FidelityAccumulator.update": (update(graph.FidelityAccumulator), {**OUTPUTS, "target": series(LABELS)}),
    "graph.UnfaithfulnessAccumulator.update": (
        update(graph.UnfaithfulnessAccumulator),
        {name: OUTPUTS[name] for name in ("full", "kept")},
    ),
    "graph.unfaithfulness": (
        lambda **given: graph.unfaithfulness(**given).to_dict(),
        {"full": OUTPUTS["full"], "kept": OUTPUTS["kept"], "index": series(LABELS == 1)},
    ),
    "graph.unfaithfulness_per_row": (
        lambda **given: graph.unfaithfulness_per_row(**given),
        {"full": OUTPUTS["full"], "kept": OUTPUTS["kept"], "index": series(LABELS == 1)},
    ),
    "graph.GroundTruthAccumulator.update": (update(graph.GroundTruthAccumulator), {"predicted": MASK, "target": TRUTH}),
    "graph.ground_truth": (lambda **given: graph.ground_truth(**given).to_dict(), {"predicted": MASK, "target": TRUTH}),
    "graph.counted_elements": (
        lambda **given: graph.counted_elements(**given),
        {"predicted": MASK, "target": TRUTH},
    ),
    "graph.ground_truth_curves": (
        lambda **given: [of.columns() for of in graph.ground_truth_curves(**given)],
        {"predicted": MASK, "target": TRUTH},
    ),
    "graph.best_of_truths": (
        lambda **given: [plain(part) for part in graph.best_of_truths(**given)],
        {"predicted": MASK, "truths": pandas.DataFrame([LABELS, PREDICTED], columns=ROWS)},
    ),
    "graph.characterization_score": (
        lambda **given: graph.characterization_score(**given),
        {"pos_fidelity": MASK, "neg_fidelity": series(SHARES[::-1])},
    ),
    "graph.fidelity_curve_auc": (
        lambda **given: graph.fidelity_curve_auc(**given),
        {"pos_fidelity": MASK, "neg_fidelity": series(SHARES[::-1]), "x": series(np.arange(8.0))},
    ),
    "graph.kl_divergence": (
        lambda **given: graph.kl_divergence(**given),
        {"p": series(SHARES / SHARES.sum()), "q": series(SHARES[::-1] / SHARES.sum())},
    ),
    "graph.mask_properties": (
        lambda **given: graph.mask_properties(**given, threshold=0.5).to_dict(),
        {"mask": MASK, "edge_index": wide(EDGES)},
    ),
    "graph.sparsify": (
        lambda **given: graph.sparsify(**given, top_k=3),
        {"mask": MASK, "edge_index": wide(EDGES)},
    ),
    "graph.explained_outputs": (
        lambda **given: graph.explained_outputs(graph_model, **given).to_dict(),
        {
            "features": frame(X[:, :2], ["no", "yes"]),
            "edge_index": pandas.DataFrame(EDGES, columns=[f"edge {i}" for i in range(8)]),
            "edge_mask": pandas.Series(SHARES, index=[f"edge {i}" for i in range(8)]),
            "edge_weight": pandas.Series(SHARES[::-1], index=[f"edge {i}" for i in range(8)]),
            "node_mask": frame(RANDOM.random((N, 2)), ["no", "yes"]),
        },
    ),
    "graph.sweep": (
        lambda **given: plain(graph.sweep(graph_model, edge_index=EDGES, edge_mask=SHARES, fractions=[0.2, 0.6], **given)),
        {"features": frame(X[:, :2]), "target": series(LABELS), "index": series(LABELS == 1)},
    ),
    "graph.robust_fidelity": (
        lambda **given: plain(graph.robust_fidelity(graph_model, edge_index=EDGES, edge_mask=LABELS, **given)),
        {"features": frame(X[:, :2]), "target": series(LABELS), "index": series(LABELS == 1)},
    ),
    "graph.sweep_from_outputs": (
        lambda full, target, index: plain(
            graph.sweep_from_outputs(full, full.to_numpy()[None], -full.to_numpy()[None], [0.5], target, index=index)
        ),
        {"full": OUTPUTS["full"], "target": series(LABELS), "index": series(LABELS == 1)},
    ),
    "reliability.inter_consistency": (
        lambda **given: reliability.inter_consistency(**given).value,
        {"q": Q, "perturbed": Q + wide(RANDOM.normal(size=(3, N))), "keep": series(LABELS == 1)},
    ),
    "reliability.internal_consistency_reliability": (
        lambda **given: reliability.internal_consistency_reliability(**given).per_explainer,
        {"metric_a": Q, "metric_b": wide(RANDOM.random((3, N)))},
    ),
    "reliability.intra_consistency": (
        lambda **given: reliability.intra_consistency(**given).to_dict(),
        {"q": MASK, "perturbed": series(SHARES[::-1]), "keep": series(LABELS == 1)},
    ),
    "reliability.intra_consistency_effect": (
        lambda **given: reliability.intra_consistency_effect(**given),
        {"q": MASK, "perturbed": series(SHARES[::-1]), "keep": series(LABELS == 1)},
    ),
    "attribution.base_scores": (lambda **given: attribution.base_scores(model, **given), OF_MODEL),
    "attribution.explain": (lambda **given: attribution.explain(model, **given, method="occlusion"), OF_MODEL),
    "attribution.evaluate": (
        lambda explanations, **given: attribution.evaluate(
            model, explainers={"mine": explanations}, metrics=["deletion"], **given
        ).columns()["value"],
        {**OF_MODEL, "explanations": MAPS},
    ),
    "attribution.evaluate_part": (
        lambda explanations, **given: attribution.evaluate_part(
            model, explainers={"mine": explanations}, metrics=["deletion"], **given
        ).per_sample("deletion"),
        {**OF_MODEL, "explanations": MAPS},
    ),
    "attribution.masked_scores": (
        lambda **given: attribution.masked_scores(model, **given).to_dict(),
        {**OF_MODEL, "explanations": MAPS},
    ),
    "attribution.mask_inputs": (
        lambda **given: attribution.mask_inputs(**given),
        {"inputs": OF_MODEL["inputs"], "explanations": MAPS},
    ),
    "attribution.map_similarity": (lambda a, b: attribution.map_similarity(a, b, "pearson"), {"a": MAPS, "b": MAPS * MAPS}),
    "attribution.maps_within": (lambda a, b: attribution.maps_within(a, b, 0.5), {"a": MAPS, "b": MAPS * MAPS}),
    "attribution.representativity": (
        lambda a, b, **given: plain(attribution.representativity([a, b], **given)),
        {
            "a": MAPS,
            "b": MAPS * MAPS,
            "predictions": pandas.DataFrame([LABELS, PREDICTED], columns=ROWS),
            "labels": series(LABELS),
            "held_out_by": series(PREDICTED),
        },
    ),
    "attribution.model_randomization": (
        lambda **given: attribution.model_randomization(
            lambda layers: lambda x, y: x * (1 + y[:, None] * len(layers)), **given, n_layers=2
        ).steps[-1].per_sample,
        OF_MODEL,
    ),
}

#: Callables whose inputs share no axis that has labels, with the reason.
UNLABELLED = {
    "repro.simulate_predictions": "the probabilities are those of the classes",
    "reliability.rank_stability": "draws are positions",
    "reliability.meta_consistency": "arrays of four axes, which no table has",
    "attribution.EvaluationTable.meta_consistency": "arrays of three axes, which no table has",
    "attribution.context_lds": "a list with an array per sample",
    "attribution.plot_curves": "the axis of the curves is their number of features",
    "attribution.evaluate_stream": "the fields of a batch have one order",
    "attribution.Batch": "what a run hands to a metric",
    "attribution.EvaluationTable.with_maps": "needs images, of four axes",
    "graph.ExplainedOutputs": "a result",
    "casebased.Neighbor": "a result",
}

_ARRAYS = {
    "X_test", "y_test", "predictions", "inputs", "targets", "full", "kept", "labels", "predicted", "target", "explanations",
    "masks", "q", "perturbed", "scores", "features", "index",
}  # fmt: skip


def _audited(given: dict[str, Any]) -> Any:
    audit = casebased.Audit(EXPLAINER)
    audit.update(**given)
    return audit.finish().accuracy


def callables() -> Iterator[tuple[str, Any]]:
    """Every public function, class and method, by its name below the package."""
    seen: set[int] = set()
    for module in (repro, casebased, data_attribution, graph, reliability, attribution):
        path = module.__name__.partition(".")[2]
        for name in module.__all__:
            found = getattr(module, name)
            if inspect.ismodule(found) or id(found) in seen or not callable(found):
                continue
            seen.add(id(found))
            yield f"{path}.{name}", found
            for method, function in inspect.getmembers(found, inspect.isroutine) if inspect.isclass(found) else ():
                if not method.startswith("_"):
                    yield f"{path}.{name}.{method}", function


def arrays_of(function: Any) -> set[str]:
    """The arguments that may be tables: by the docstring, or by their names."""
    section = re.search(r"Parameters\n-+\n(.*?)(?:\n\n[A-Z][a-z]+\n-+\n|\Z)", inspect.cleandoc(function.__doc__ or ""), re.S)
    named = re.findall(r"^(\w+(?:, \w+)*) : .*(?:array|table)", section.group(1), re.M) if section else []
    documented = {name for names in named for name in names.split(", ")}
    try:
        arguments = set(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return documented
    return documented | arguments & _ARRAYS


def test_every_callable_that_takes_several_tables_is_here() -> None:
    classes = [attribution.metrics.by_name(info.name).__name__ for info in attribution.metric_infos() if not info.has_call_of_its_own]
    generated = {f"attribution.{name}{method}" for name in classes for method in ("", ".evaluate")}
    generated |= {f"casebased.data_attribution.{info.name}" for info in data_attribution.metric_infos()}
    found = {name for name, function in callables() if len(arrays_of(function)) > 1} - generated
    known = {*CASES, *UNLABELLED}
    assert found <= known, f"add cases of {sorted(found - known)}"
    assert {name for name, _ in callables()} >= {name for name in known if name not in found}


def cases() -> Iterator[Any]:
    for name, (call, given) in CASES.items():
        for turned in list(given)[1:]:
            yield pytest.param(call, given, turned, id=f"{name}-{turned}")
    metric: Any
    for info in attribution.metric_infos():
        needs = {need.replace(" ", "_") for need in info.needs}
        of = {**OF_MODEL, "explanations": MAPS, "masks": frame(MAPS.to_numpy() > 0, COLUMNS)}
        of |= {"reference_maps": MAPS * MAPS, "second_maps": MAPS**3}
        if info.has_call_of_its_own or "tabular" not in info.layouts or not needs <= {*of, "model", "explainer"}:
            continue
        metric = attribution.metrics.by_name(info.name)()
        if any(parameter.name == "n_classes" for parameter in info.parameters):
            metric = type(metric)(n_classes=2)
        functions = {"model": model, "explainer": lambda x, y: x * (1.0 + y[:, None])}
        given = {name: value for name, value in of.items() if name in needs or name == "inputs"}
        if "explainer" in needs:
            given.pop("explanations", None)
        rest = {name: function for name, function in functions.items() if name in needs}
        call = lambda metric=metric, rest=rest, **given: metric.evaluate(**rest, **given).per_sample  # noqa: E731
        for turned in list(given)[1:]:
            yield pytest.param(call, given, turned, id=f"{info.name}-{turned}")
    train = [f"train {i}" for i in range(N)]
    of_train = pandas.Series(LABELS, index=train)
    known = {
        "attributions": frame(RANDOM.normal(size=(N, N)), train),
        "random_attributions": frame(RANDOM.normal(size=(N, N)), train),
        "train_labels": of_train,
        "test_classes": series(PREDICTED),
        "keep": series(LABELS == 1),
        "flags": of_train == 1,
        "outputs": pandas.DataFrame(RANDOM.normal(size=(5, N)), columns=ROWS),
        "removed": [0, 1, 2, 3, 4],
        "drops": pandas.DataFrame(RANDOM.normal(size=(5, N)), columns=ROWS),
        "relevant": frame(RANDOM.random((N, N)) > 0.5, train),
        "scores": pandas.Series(SHARES, index=train),
        "subsets": pandas.DataFrame(RANDOM.random((5, N)) > 0.5, columns=train),
        "log_prob": series(SHARES - 1),
        "log_prob_after": frame(RANDOM.random((N, 2)) - 1),
        "ks": [0, 1, 2],
        "predictions": frame(RANDOM.integers(0, 2, (N, 3))),
    }
    for info in data_attribution.metric_infos():
        given = {name: known[name] for name in (*info.needs, *info.optional) if name in known}
        function = getattr(data_attribution, info.name)
        call = lambda function=function, **given: function(**given).to_dict()  # noqa: E731
        labelled = [name for name, values in given.items() if not isinstance(values, list)]
        for turned in labelled[1:]:
            yield pytest.param(call, given, turned, id=f"{info.name}-{turned}")


def turned_of(values: Any) -> Iterator[Any]:
    """The same content with its labelled axes the other way round."""
    if list(values.index) != list(range(len(values))):
        yield values.iloc[::-1]
    if values.ndim == 2 and list(values.columns) != list(range(values.shape[1])):
        yield values.iloc[:, ::-1]


def same(a: Any, b: Any) -> bool:
    try:
        np.testing.assert_equal(a, b)
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize(("call", "given", "turned"), list(cases()))
def test_an_input_in_another_order_changes_nothing_or_is_refused(call: Any, given: Any, turned: str) -> None:
    expected = call(**given)
    orders = list(turned_of(given[turned]))
    assert orders
    for other in orders:
        try:
            found = call(**{**given, turned: other})
        except ValueError as error:
            assert re.search("labels|index|columns|in another order", str(error))
        else:
            assert same(found, expected)


@pytest.mark.parametrize(("call", "given", "turned"), list(cases()))
def test_an_index_that_only_counts_is_matched_by_position(call: Any, given: Any, turned: str) -> None:
    values = given[turned]
    if len(set(values.index)) == len(values) and list(values.index) in (ROWS, [f"train {i}" for i in range(N)]):
        assert same(call(**{**given, turned: values.reset_index(drop=True)}), call(**given))


def test_labels_align_refuse_or_say_nothing() -> None:
    def taken(first: Any, second: Any) -> Any:
        alignment = Alignment()
        alignment.take(pandas.Series(range(len(first)), index=first), "a", "samples")
        return alignment.take(pandas.Series(range(len(second)), index=second), "b", "samples").tolist()

    dates = pandas.date_range("2024-01-01", periods=3)
    pairs = pandas.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)])
    for labels in (["x", "y", "z"], [7, 8, 9], [0.5, 1.5, 2.5], dates, pairs, pandas.CategoricalIndex(list("xyz"))):
        assert taken(labels, labels) == [0, 1, 2]
        assert taken(labels, labels[::-1]) == [2, 1, 0]
        assert taken(labels, range(3)) == [0, 1, 2] and taken(range(3), labels) == [0, 1, 2]
    assert taken([2, 0, 1], [2, 0, 1]) == [0, 1, 2]
    for first, second, message in (
        (["x", "x", "y"], ["x", "y", "x"], "cannot be aligned, because 'x' occurs more than once"),
        (["x", "y", "z"], ["x", "y", "w"], "there is no 'z', but 'w'"),
        ([10, 11, 12], [11, 12, 13], "there is no 10, but 13"),
        (range(3), [2, 0, 1], "one of the two indexes only counts"),
        ([2, 0, 1], range(3), "one of the two indexes only counts"),
        (["1", "2", "x"], [1, 2, 3], "there is no '1', '2', 'x', but 1, 2, 3"),
    ):
        with pytest.raises(ValueError, match=message):
            taken(first, second)


def test_arrays_of_xarray_are_matched_by_their_coordinates() -> None:
    xarray = pytest.importorskip("xarray")
    runs = xarray.DataArray(RUNS.to_numpy().T, dims=("run", "sample"), coords={"sample": ROWS})
    labels = xarray.DataArray(LABELS, dims="sample", coords={"sample": ROWS})
    expected = repro.pairwise(runs.to_numpy(), LABELS).to_dict()
    assert same(repro.pairwise(runs, labels[::-1]).to_dict(), expected)
    assert same(repro.pairwise(runs, series(LABELS)[::-1]).to_dict(), expected)
    with pytest.raises(ValueError, match="labels: its samples have other labels"):
        repro.pairwise(runs, labels.assign_coords(sample=[f"other {i}" for i in range(N)]))


def test_columns_of_polars_and_pyarrow_are_matched_by_name() -> None:
    for library in ("polars", "pyarrow"):
        tables = pytest.importorskip(library)
        make = tables.DataFrame if library == "polars" else tables.table
        scores = make({name: Q[name].to_numpy() for name in ROWS})
        others = make({name: (Q**2)[name].to_numpy() for name in ROWS[::-1]})
        found = reliability.internal_consistency_reliability(scores, others)
        assert found.per_explainer == pytest.approx([1.0] * 3)
