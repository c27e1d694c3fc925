"""What the functions of graphs do with arrays of all sorts."""

from __future__ import annotations

import numpy as np
import pytest
from xai_metrics import graph

RNG = np.random.default_rng(0)
FULL, KEPT, REST = (RNG.normal(size=(9, 4)).astype(np.float32) for _ in range(3))
PRED, TRUTH = RNG.random(30).astype(np.float32), (RNG.random(30) < 0.4).astype(np.float32)


def misaligned(array):
    bytes_of = np.zeros(array.nbytes + 1, dtype=np.uint8)
    copied = bytes_of[1:].view(array.dtype).reshape(array.shape)
    copied[...] = array
    return copied


def frozen(array):
    array = array.copy()
    array.flags.writeable = False
    return array


SORTS = {
    "as it is": lambda array: array,
    "double": lambda array: array.astype(np.float64),
    "Fortran order": np.asfortranarray,
    "strided": lambda array: np.repeat(array, 2, axis=0)[::2],
    "backwards": lambda array: array[::-1].copy()[::-1],
    "byte-swapped": lambda array: array.astype(array.dtype.newbyteorder(">")),
    "misaligned": misaligned,
    "read-only": frozen,
    "objects": lambda array: array.astype(object),
    "lists": lambda array: array.tolist(),
}


@pytest.mark.parametrize("sort", SORTS)
def test_places_in_memory_do_not_matter(sort):
    as_given = SORTS[sort]
    three = [as_given(rows) for rows in (FULL, KEPT, REST)]
    assert graph.fidelity(*three) == graph.fidelity(FULL, KEPT, REST)
    by = graph.fidelity(*three, by="probability")
    assert by == graph.fidelity(FULL, KEPT, REST, by="probability")
    ours = graph.unfaithfulness(*three[:2])
    assert ours == graph.unfaithfulness(FULL, KEPT)
    ours = graph.ground_truth(as_given(PRED), as_given(TRUTH))
    assert ours == graph.ground_truth(PRED, TRUTH)
    labels = as_given(FULL.argmax(axis=1).astype(np.int32))
    expected = graph.fidelity(FULL.argmax(axis=1), KEPT, REST)
    assert graph.fidelity(labels, three[1], three[2]) == expected


@pytest.mark.parametrize("kind", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4"])
def test_types_of_labels(kind):
    full, kept, rest = (RNG.integers(0, 2, 20) for _ in range(3))
    ours = graph.fidelity(*(labels.astype(kind) for labels in (full, kept, rest)))
    assert ours == graph.fidelity(full, kept, rest)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: graph.fidelity([], [], []), "samples"),
        (lambda: graph.fidelity([0, 1], [0], [0, 1]), "kept"),
        (lambda: graph.fidelity([0, 1], [0, 1], [0, 1], [0]), "target"),
        (lambda: graph.fidelity([0, 1], [0, 1], [0, 1], index=[2]), "index"),
        (lambda: graph.fidelity([0, 1], [0, 1], [0, 1], index=[-3]), "index"),
        (lambda: graph.fidelity([0.5], [0], [0]), "whole numbers"),
        (lambda: graph.fidelity(FULL * np.nan, KEPT, REST), "full"),
        (lambda: graph.fidelity(FULL[:, :1], KEPT, REST), "kept"),
        (lambda: graph.fidelity(*[FULL[:, :1]] * 3), "labels"),
        (lambda: graph.fidelity(FULL[None], KEPT, REST), "shape"),
        (lambda: graph.fidelity(FULL, KEPT, REST, by="loss"), "by"),
        (
            lambda: graph.fidelity(FULL, KEPT, REST, by="probability", return_type="probs"),
            "full",
        ),
        (
            lambda: graph.fidelity(FULL, KEPT, REST, by="probability", return_type="odds"),
            "return_type",
        ),
        (lambda: graph.unfaithfulness(FULL, KEPT[:-1]), "kept"),
        (lambda: graph.unfaithfulness(FULL[:0], KEPT[:0]), "samples"),
        (lambda: graph.unfaithfulness(FULL, KEPT, return_type="probs"), "full"),
        (lambda: graph.unfaithfulness(FULL[:, :1], KEPT[:, :1]), "bernoulli"),
        (lambda: graph.unfaithfulness(FULL, KEPT, kl_direction="up"), "kl_direction"),
        (lambda: graph.unfaithfulness(FULL, KEPT, output_distribution="x"), "output_distribution"),
        (lambda: graph.unfaithfulness(FULL[0], KEPT[0]), "axes"),
        (lambda: graph.ground_truth([], []), "elements"),
        (lambda: graph.ground_truth(PRED, TRUTH[:-1]), "target"),
        (lambda: graph.ground_truth(PRED * 2, TRUTH), "predicted"),
        (lambda: graph.ground_truth(PRED, TRUTH * np.nan), "target"),
        (lambda: graph.ground_truth(PRED, TRUTH, threshold=-1.0), "threshold"),
        (lambda: graph.ground_truth(PRED, TRUTH, n_jobs=0), "n_jobs"),
        (lambda: graph.kl_divergence([0.5, 0.5], [1.0]), "q"),
        (lambda: graph.kl_divergence([1.5], [1.0]), "p"),
        (lambda: graph.mask_properties([]), "mask|elements"),
    ],
)
def test_wrong_values(call, said):
    with pytest.raises(ValueError, match=said):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: graph.fidelity(FULL.astype(complex), KEPT, REST),
        lambda: graph.fidelity(["a"], ["b"], ["a"]),
        lambda: graph.unfaithfulness(np.full((2, 2), "x"), KEPT),
        lambda: graph.ground_truth(np.array([object()]), [1]),
        lambda: graph.ground_truth(object(), [1]),
        lambda: graph.mask_properties("mask"),
    ],
)
def test_wrong_types(call):
    with pytest.raises(TypeError):
        call()


def test_columns_of_tables():
    pandas = pytest.importorskip("pandas")
    ours = graph.ground_truth(pandas.Series(PRED), pandas.Series(TRUTH.astype(bool)))
    assert ours == graph.ground_truth(PRED, TRUTH)
    frame = pandas.DataFrame(FULL)
    assert graph.unfaithfulness(frame, KEPT) == graph.unfaithfulness(FULL, KEPT)
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    for column in (polars.Series, pyarrow.array):
        assert graph.ground_truth(column(PRED), column(TRUTH)).auroc == ours.auroc


def test_booleans_are_one_for_each_sample():
    labels, rows, few = [0, 1, 2, 1], np.eye(4), [True, False]

    def model(x, edge_index, edge_weight):
        return x

    calls = [
        lambda: graph.fidelity(labels, labels, labels, index=few),
        lambda: graph.fidelity(rows, rows, rows, index=few, by="probability"),
        lambda: graph.FidelityAccumulator().update(labels, labels, labels, index=few),
        lambda: graph.FidelityAccumulator().update(rows, rows, rows, index=few, by="probability"),
        lambda: graph.unfaithfulness(rows, rows, index=few),
        lambda: graph.unfaithfulness_per_row(rows, rows, index=few),
        lambda: graph.sweep_from_outputs(rows, [rows], [rows], [0.5], index=few),
        lambda: graph.sweep(model, rows, [[0], [1]], [0.5], top_k=[1], index=few),
        lambda: graph.robust_fidelity(model, rows, [[0], [1]], [1.0], index=few),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="index: expected one boolean for each of 4 samples"):
            call()


def test_a_model_that_raised_is_not_asked_again() -> None:
    data = np.zeros((50, 3)), np.array([np.arange(50), np.roll(np.arange(50), 1)])
    mask = np.linspace(0, 1, 50)
    calls = 0

    def model(x, edges, weight):
        nonlocal calls
        calls += 1
        if calls == 5:
            raise LookupError("mine")
        return x

    with pytest.raises(LookupError, match="mine"):
        graph.robust_fidelity(model, *data, mask.round(), n_draws=500)
    assert calls == 5
    calls = 0
    with pytest.raises(LookupError, match="mine"):
        graph.sweep(model, *data, mask, fractions=np.linspace(0, 1, 100))
    assert calls == 5


def test_zeros_and_ones_for_each_sample_are_booleans():
    full, kept, rest = [0, 1, 2, 1, 0], [0, 1, 0, 0, 0], [1, 0, 2, 0, 1]
    flags = np.array([True, False, True, True, False])
    expected = graph.fidelity(full, kept, rest, index=flags)
    assert expected == graph.fidelity(full, kept, rest, index=[0, 2, 3]) != graph.fidelity(full, kept, rest)
    for index in (flags.astype(int), flags.astype(np.uint8), flags.astype(float), flags.astype(int).tolist()):
        assert graph.fidelity(full, kept, rest, index=index) == expected
    outputs = np.random.default_rng(1).normal(size=(3, 5, 2))
    of_rows = [graph.unfaithfulness(*outputs[:2], index=index) for index in (flags, flags.astype(int), [0, 2, 3])]
    assert of_rows[0] == of_rows[1] == of_rows[2]
    assert graph.fidelity(full, kept, rest, index=[0, 1]).n_samples == 2  # too few for a mask
    with pytest.raises(ValueError, match="index.*booleans or positions"):
        graph.fidelity(full[:2], kept[:2], rest[:2], index=[0, 1])
    with pytest.raises(ValueError, match="index"):
        graph.fidelity(full, kept, rest, index=[0, 1, 1, 0])  # a mask of other samples
