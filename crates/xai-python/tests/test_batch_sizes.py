"""The number of rows that models and explainers are called with at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from xai_metrics.attribution import MaskedModel, base_scores, evaluate, evaluate_stream, metrics


class Recorder:
    """A model of the first number of a row, and the sizes of its calls."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def __call__(self, batch: Any, *_: Any) -> Any:
        self.sizes.append(len(batch))
        return np.asarray(batch).reshape(len(batch), -1)[:, :1]


class TokenSession(Recorder):
    """A session of ONNX Runtime that takes token ids."""

    __module__ = "onnxruntime.session"

    def get_inputs(self) -> Any:
        return [type("Input", (), {"name": "ids", "shape": [None, 5], "type": "tensor(int64)"})()]

    def get_outputs(self) -> Any:
        return [type("Output", (), {"name": "y"})()]

    def run(self, _: Any, feed: Any) -> Any:
        assert feed["ids"].dtype == np.int64
        return [self(feed["ids"]).astype(np.float64)]


def table(*shape: int) -> Any:
    return np.zeros(shape, dtype=np.float32)


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (table(20_000, 3), 16_384),  # tables: 16,384 rows,
        (table(600, 2048), 512),  # or 4 MiB of them,
        (table(70, 1 << 16), 64),  # but at least 64,
        (table(3, 3 << 20), 2),  # or 32 MiB
        (table(100, 3, 2), 64),  # series and images: 64 rows,
        (table(100, 256, 256), 64),
        (table(40, 256, 257), 32),  # 32 of more than 256 KiB,
        (table(3, 12, 1 << 18), 2),  # or 32 MiB
    ],
)
def test_the_default_depends_on_the_shape_of_the_inputs(inputs: Any, expected: int) -> None:
    model, targets = Recorder(), np.zeros(len(inputs), int)
    base_scores(model, inputs, targets, allow_batch_dependence=True)
    assert max(model.sizes) == expected
    predicted = Recorder()
    evaluate(predicted, inputs, None, {"a": np.ones_like(inputs)}, ["complexity"], replicates=0)
    assert max(predicted.sizes) == expected


def test_whole_numbers_are_tokens_for_models_that_declare_them() -> None:
    ids = np.arange(500).reshape(100, 5)
    assert evaluate(TokenSession(), ids, [0] * 100, {"a": ids}, ["deletion"]).batch_size == 64
    # A function declares nothing.
    assert evaluate(Recorder(), ids, [0] * 100, {"a": ids}, ["deletion"]).batch_size == 16_384
    session = TokenSession()
    result = evaluate(session, ids, None, {"a": np.ones((100, 5))}, "standard", replicates=0)
    assert result.skipped["average_drop"] == "may put fractions in the place of whole numbers"
    assert max(session.sizes) == 64


def test_masked_models_are_called_with_64_rows() -> None:
    sizes = []

    def score(samples: Any, kept: Any) -> Any:
        sizes.append(len(samples))
        return kept.sum(axis=1, keepdims=True) + np.array([[0.0, 1.0]])

    maps = [np.arange(2.0 + i % 2) for i in range(200)]
    result = evaluate(MaskedModel(score), None, None, {"a": maps}, ["deletion"], replicates=0)
    assert result.batch_size == max(sizes) == 64
    assert metrics.Deletion().evaluate(MaskedModel(score), None, [0] * 200, maps, batch_size=80).batch_size == 80


def test_results_record_the_batch_size() -> None:
    x, targets = np.random.default_rng(0).random((100, 3, 2)), [0] * 100
    maps = np.ones_like(x)
    result = evaluate(Recorder(), x, targets, {"a": maps}, ["deletion"])
    assert result.batch_size == result.to_dict()["batch_size"] == 64
    assert evaluate(Recorder(), x, targets, {"a": maps}, ["deletion"], batch_size=7).batch_size == 7
    value = metrics.Deletion().evaluate(Recorder(), x, targets, maps)
    assert value.batch_size == value.to_dict()["batch_size"] == 64
    # Without a model, explainers have the batches; stored maps are only read.
    assert evaluate(None, x, targets, {"a": lambda x, y: x}, ["complexity"]).batch_size == 64
    assert evaluate(None, None, None, {"a": maps}, ["complexity"]).batch_size is None
    assert metrics.Complexity().evaluate(maps).batch_size is None


def test_streams_read_as_many_rows_as_the_model_is_called_with() -> None:
    x, model = np.random.default_rng(0).random((150, 3, 2)), Recorder()
    result = evaluate_stream(model, (x, np.zeros(150, int)), {"a": lambda x, y: x}, ["average_drop"])
    assert result.batch_size == 64 and max(model.sizes) == 64 and result.n_samples == 150
    # Two calls for each batch, and one of the first row alone.
    assert sorted(model.sizes) == [1, 22, 22, 64, 64, 64, 64]
    rows = Recorder()
    evaluate_stream(rows, (x.reshape(150, 6), np.zeros(150, int)), {"a": lambda x, y: x}, ["average_drop"])
    assert sorted(rows.sizes) == [1, 150, 150]
