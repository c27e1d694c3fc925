"""Models and explainers: how they are called, what they may answer, and what they may raise."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xai_metrics.attribution import base_scores, evaluate, evaluate_part, metrics

RANDOM = np.random.default_rng(5)
X = RANDOM.random((9, 12))
W = RANDOM.random((12, 3))
MAPS = RANDOM.normal(size=X.shape)
TARGETS = RANDOM.integers(0, 3, 9)


def model(batch: Any) -> Any:
    return batch @ W


def drop(model: Any, x: Any = X, **options: Any) -> Any:
    return metrics.AverageDrop().evaluate(model, x, TARGETS[: len(x)], MAPS[: len(x)], **options)


class Broken(Exception):
    pass


def test_the_exception_of_a_model_arrives_unchanged() -> None:
    raised = Broken("out of memory")

    def inner(batch: Any) -> Any:
        raise raised

    with pytest.raises(Broken) as caught:
        drop(lambda batch: inner(batch))
    assert caught.value is raised
    functions = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert functions[-2:] == ["<lambda>", "inner"]


def test_the_exception_of_an_explainer_arrives_unchanged() -> None:
    def explainer(inputs: Any, targets: Any) -> Any:
        raise Broken

    with pytest.raises(Broken):
        metrics.AverageStability().evaluate(explainer, X, TARGETS)
    with pytest.raises(Broken):
        evaluate(model, X, TARGETS, {"a": explainer}, ["average_drop"])


def test_an_exception_has_what_was_computed_before() -> None:
    def broken(batch: Any) -> Any:
        if (batch == X[6]).all(axis=1).any():
            raise Broken
        return model(batch)

    with pytest.raises(Broken) as caught:
        evaluate(broken, X, TARGETS, {"a": MAPS}, ["average_drop"], batch_size=2, n_jobs=1)
    completed = {(e, score): v for e, score, v in caught.value.completed_scores}  # type: ignore[attr-defined]
    expected = drop(model, batch_size=2).per_sample
    for_all = np.isnan(completed["a", "average_drop"])
    assert for_all.tolist() == [False] * 6 + [True] * 3
    np.testing.assert_array_equal(completed["a", "average_drop"][:6], expected[:6])
    with pytest.raises(ValueError, match="outputs") as nan:
        drop(lambda batch: batch @ W * np.nan)
    assert isinstance(nan.value.completed_scores, list)  # type: ignore[attr-defined]


def test_nothing_is_called_after_an_exception() -> None:
    calls = []

    def third_time(batch: Any) -> Any:
        calls.append(len(batch))
        if len(calls) == 3:
            raise Broken
        return model(batch)

    with pytest.raises(Broken):
        drop(third_time, batch_size=1)
    assert len(calls) == 3


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            lambda b: np.zeros((len(b) + 1, 3)),
            r"model: expected outputs of shape \(9, n_outputs\) or \(9,\), got \(10, 3\)",
        ),
        (lambda b: np.zeros((len(b), 3, 1)), r"got \(9, 3, 1\)"),
        (lambda b: np.zeros(3), r"got \(3,\)"),
        (lambda b: np.zeros((len(b), 0)), r"got \(9, 0\)"),
        (lambda b: 1.0, r"got \(\)"),
    ],
)
def test_an_answer_of_the_wrong_shape_is_named(answer: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        drop(answer)


@pytest.mark.parametrize("answer", [None, "words", np.array([["a"]] * 9), object()])
def test_an_answer_that_is_no_array_is_a_type_error(answer: Any) -> None:
    with pytest.raises(TypeError, match="the answer of the model"):
        drop(lambda batch: answer)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_an_answer_that_is_not_finite_names_the_sample(number: float) -> None:
    def of_sample_four(batch: Any) -> Any:
        outputs = model(batch)
        outputs[(batch == X[4]).all(axis=1)] = number
        return outputs

    with pytest.raises(ValueError, match=r"outputs.*4"):
        drop(of_sample_four, batch_size=2)


def test_the_shape_of_maps_of_an_explainer_is_named() -> None:
    with pytest.raises(ValueError, match=r"explainer: expected 9 maps, got shape \(3, 12\)"):
        metrics.AverageStability().evaluate(lambda x, y: x[:3], X, TARGETS)


def test_a_model_is_called_on_the_thread_of_the_caller() -> None:
    threads = set()

    def watched(batch: Any) -> Any:
        threads.add(threading.get_ident())
        return model(batch)

    def explainer(inputs: Any, targets: Any) -> Any:
        threads.add(threading.get_ident())
        return inputs

    evaluate(watched, X, TARGETS, {"a": explainer}, ["deletion", "average_stability"], batch_size=2)
    assert threads == {threading.get_ident()}


def test_a_model_may_keep_and_change_its_batch() -> None:
    kept = []

    def greedy(batch: Any) -> Any:
        assert batch.flags.writeable and batch.flags.c_contiguous and batch.flags.aligned
        outputs = model(batch)
        kept.append(batch)
        batch[:] = 0.0
        return outputs

    assert drop(greedy, batch_size=2).value == drop(model, batch_size=2).value
    assert all((batch == 0.0).all() for batch in kept)


def test_a_model_may_measure_something_itself() -> None:
    inner = drop(model, batch_size=2).value

    def measuring(batch: Any) -> Any:
        assert drop(model, batch_size=2).value == inner
        return model(batch)

    assert drop(measuring, batch_size=2).value == inner


def test_threads_and_batches_change_no_bit() -> None:
    def table(**how: Any) -> Any:
        asked = ["deletion", "mu_fidelity", "average_drop", "sensitivity_n"]
        return evaluate(model, X, TARGETS, {"a": MAPS, "b": -MAPS}, asked, **how)

    expected = table(n_jobs=1).to_dict()["metrics"]
    for how in ({"n_jobs": 2}, {"n_jobs": 7}, {"n_jobs": None}):
        assert table(**how).to_dict()["metrics"] == expected
    # Matrix products of other sizes round otherwise.
    other = table(batch_size=4)
    for name in other:
        for explainer in "ab":
            value = other[name][explainer].per_sample
            expected_values = expected[name]["explainers"][explainer]["per_sample"]
            np.testing.assert_allclose(value, expected_values, rtol=1e-9)


def test_inputs_keep_their_precision() -> None:
    seen = set()

    def watched(batch: Any) -> Any:
        seen.add(batch.dtype)
        return batch @ W

    drop(watched, X.astype(np.float32))
    assert seen == {np.dtype(np.float32)}  # though the maps are in double precision
    seen.clear()
    drop(watched, X)
    assert seen == {np.dtype(np.float64)}


VARIANTS: dict[str, Callable[[Any], Any]] = {
    "fortran": np.asfortranarray,
    "reversed": lambda a: a[::-1].copy()[::-1],
    "strided": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "negative": lambda a: a[:, ::-1].copy()[:, ::-1],
    "read-only": lambda a: _read_only(a.copy()),
    "byte-swapped": lambda a: a.astype(a.dtype.newbyteorder()),
    "objects": lambda a: a.astype(object),
    "list": lambda a: a.tolist(),
    "longdouble": lambda a: a.astype(np.longdouble),
    "unaligned": lambda a: _unaligned(a),
    "subclass": lambda a: a.view(_Array),
    "masked": lambda a: np.ma.masked_array(a, mask=False),
}


class _Array(np.ndarray[Any, Any]):
    pass


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _unaligned(array: Any) -> Any:
    memory = bytearray(array.nbytes + 1)
    view = np.frombuffer(memory, dtype=np.uint8)[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


@pytest.mark.parametrize("variant", VARIANTS)
def test_arrays_of_any_order_and_type_are_taken(variant: str) -> None:
    change = VARIANTS[variant]
    metric = metrics.Deletion(steps=5)
    expected = metric.evaluate(model, X, TARGETS, MAPS).per_sample
    given = metric.evaluate(model, change(X), TARGETS, change(MAPS)).per_sample
    np.testing.assert_array_equal(given, expected)


def test_frames_and_tables_are_taken() -> None:
    pandas = pytest.importorskip("pandas")
    expected = metrics.Deletion().evaluate(model, X, TARGETS, MAPS).value
    x, maps = pandas.DataFrame(X), pandas.DataFrame(MAPS)
    targets = pandas.Series(TARGETS)
    assert metrics.Deletion().evaluate(model, x, targets, maps).value == expected
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    x, maps, targets = polars.from_pandas(x), polars.DataFrame(MAPS), polars.Series(TARGETS)
    assert metrics.Deletion().evaluate(model, x, targets, maps).value == expected
    names = [str(i) for i in range(12)]
    x, maps = (pyarrow.table(list(a.T), names=names) for a in (X, MAPS))
    targets = pyarrow.array(TARGETS)
    assert metrics.Deletion().evaluate(model, x, targets, maps).value == expected


@pytest.mark.parametrize("kind", [np.int32, np.uint8, np.bool_, np.float16, np.float32])
def test_inputs_of_other_types_are_taken(kind: Any) -> None:
    x = (X * 3).astype(kind)
    expected = drop(
        model, x.astype(np.float64 if kind not in (np.float16, np.float32) else np.float32)
    )
    assert drop(model, x).value == expected.value


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (np.array([["a", "b"]]), TypeError, "inputs: expected real numbers"),
        (np.array([[1 + 2j]]), TypeError, "inputs: expected real numbers"),
        (np.array([[1.0, None]], dtype=object), TypeError, r"inputs\[0, 1\]: the value is missing"),
        (np.zeros((0, 12)), ValueError, "inputs"),
        (np.zeros((3, 0)), ValueError, "inputs"),
        (np.zeros(5), ValueError, "inputs"),
        (np.full((2, 12), np.nan), ValueError, "inputs"),
        ({1.0, 2.0}, TypeError, "inputs: expected an array or a table, got set"),
        ({}, ValueError, "inputs: expected at least one array, got an empty mapping"),
        ({"a": X, "b": X[:1]}, ValueError, r"inputs\['b'\]: expected one row per sample, 9"),
    ],
)
def test_what_is_wrong_with_inputs_is_said(x: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        metrics.Deletion().evaluate(model, x, np.zeros(len(x), int), np.ones((len(x), 12)))


@pytest.mark.parametrize(
    ("targets", "error", "message"),
    [
        ([0, 1], ValueError, "targets: expected one per sample, 9"),
        (np.full(9, 0.5), ValueError, "targets: expected whole numbers"),
        (np.full(9, 3), ValueError, "targets"),
        (np.full(9, -1), ValueError, "targets"),
        (np.ones((9, 2)), ValueError, "targets"),
        (np.ones((9, 3, 1)), ValueError, "targets"),
        (["a"] * 9, TypeError, "targets: expected whole numbers"),
    ],
)
def test_what_is_wrong_with_targets_is_said(targets: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        metrics.Deletion().evaluate(model, X, targets, MAPS)


def test_targets_are_classes_rows_or_what_the_model_predicts() -> None:
    classes = np.argmax(model(X), axis=1)
    expected = base_scores(model, X, classes)
    np.testing.assert_array_equal(expected, model(X).max(axis=1))
    np.testing.assert_array_equal(base_scores(model, X, np.eye(3)[classes]), expected)
    np.testing.assert_array_equal(base_scores(model, X), expected)
    np.testing.assert_array_equal(base_scores(model, X, classes.astype(np.float32)), expected)


def test_one_output_needs_no_axis() -> None:
    value = metrics.Deletion().evaluate(lambda b: b.sum(axis=1), X, np.zeros(9), MAPS)
    rows = metrics.Deletion().evaluate(lambda b: b.sum(axis=1)[:, None], X, np.zeros(9), MAPS)
    assert value.value == rows.value


def test_an_answer_of_several_arrays_is_refused_or_its_logits_taken() -> None:
    expected = drop(model).value
    for answer in (
        lambda b: {"logits": model(b), "loss": 0.0},
        lambda b: {"out": model(b)},
        lambda b: (model(b),),
        lambda b: list(model(b)),
    ):
        assert drop(answer).value == expected
    several = (lambda b: (model(b), b), lambda b: {"out": model(b), "aux": b}, lambda b: [model(b), b])
    for answer in several:
        with pytest.raises(TypeError, match="model: it answers several arrays, .* output= .*lambda answer"):
            drop(answer)


def test_an_answer_of_another_width_than_before_is_refused() -> None:
    def wider(batch: Any) -> Any:
        return model(batch)[:, : 3 if len(batch) == 4 else 2]

    with pytest.raises(ValueError, match="as many outputs from every call, got 2 and 3"):
        evaluate(wider, X, np.zeros(9), {"a": MAPS}, ["deletion"], batch_size=4)


def test_a_batch_size_is_a_whole_number() -> None:
    for size in (2.5, "2"):
        with pytest.raises(TypeError, match="batch_size: expected a whole number"):
            drop(model, batch_size=size)
    with pytest.raises(ValueError, match="batch_size: expected at least 1"):
        drop(model, batch_size=0)
    assert drop(model, batch_size=np.int64(4)).value == pytest.approx(drop(model).value)


def test_a_model_may_wait_for_a_thread_that_measures() -> None:
    expected = drop(model, batch_size=2, n_jobs=1).value

    def waiting(batch: Any) -> Any:
        answers: list[float] = []

        def measure() -> None:
            answers.append(drop(model, batch_size=2, n_jobs=1).value)

        thread = threading.Thread(target=measure, daemon=True)
        thread.start()
        thread.join(timeout=20)
        assert answers == [expected]
        return model(batch)

    assert drop(waiting, batch_size=5, n_jobs=1).value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("shape", "layout"),
    [
        ((8, 3, 16, 16), "channels-first"),
        ((8, 1, 8, 4), "channels-first"),
        ((8, 16, 16, 3), "channels-last"),
        ((8, 4, 4, 3), "channels-last"),
        ((8, 4, 4, 1), "channels-last"),
        ((8, 3, 8, 4), None),
        ((8, 3, 3, 3), None),
        ((6, 5, 8, 8), None),
    ],
)
def test_images_are_read_in_the_one_way_that_fits(shape: tuple[int, ...], layout: Any) -> None:
    x = RANDOM.random(shape)

    def of_images(batch: Any) -> Any:
        return batch.reshape(len(batch), -1)[:, :2] + 1.0

    def asked(maps: Any, **options: Any) -> Any:
        targets = np.zeros(len(x))
        value = metrics.Deletion(steps="all").evaluate(of_images, x, targets, maps, **options)
        assert "each sample's target" in value.assumed.pop("explained_class")
        return value

    if layout is None:
        with pytest.raises(ValueError, match='layout="channels-last" or layout="channels-first"'):
            asked(x)
    else:
        assert asked(x).assumed == {"layout": layout}
        assert asked(x).value == asked(x, layout=layout).value
    for given, channels in (("channels-first", 1), ("channels-last", 3)):
        said = asked(x, layout=given)
        assert said.curve.n_features[-1] == x[0].size // shape[channels] and said.assumed == {}
    if shape[1:3] != shape[2:]:
        # Maps without channels fit one of the two.
        assert asked(x.mean(axis=1)).assumed == {"layout": "channels-first"}
        assert asked(x.mean(axis=3)).assumed == {"layout": "channels-last"}


def test_volumes_are_refused_with_what_to_do() -> None:
    x = RANDOM.random((2, 3, 4, 4, 1))
    with pytest.raises(ValueError, match="side by side"):
        metrics.Deletion().evaluate(lambda b: b.sum(axis=(1, 2, 3)), x, [0, 0], x)


class FakeTensor(np.ndarray[Any, Any]):
    """As much of a tensor as a model is given and answers."""

    def detach(self) -> Any:
        return self

    def cpu(self) -> Any:
        return np.asarray(self)

    def to(self, **_: Any) -> Any:
        return self

    def is_floating_point(self) -> bool:
        return True


class FakeModule:
    """As much of ``torch.nn.Module`` as is read of one; in training mode it answers noise."""

    def __init__(self, training: bool) -> None:
        self.training = training
        self.parts = [self, types.SimpleNamespace(training=training), types.SimpleNamespace(training=False)]

    def modules(self) -> Any:
        return iter(self.parts)

    def parameters(self) -> Any:
        return iter(())

    def __call__(self, batch: Any) -> Any:
        rows = batch.reshape(len(batch), -1)[:, :2]
        return rows + RANDOM.normal(size=rows.shape) if self.parts[1].training else rows


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    """In the place of torch, so that its rules are tested where it is not installed."""
    fake = types.SimpleNamespace(
        nn=types.SimpleNamespace(Module=FakeModule),
        no_grad=contextlib.nullcontext,
        from_numpy=lambda array: array.view(FakeTensor),
    )
    monkeypatch.setitem(sys.modules, "torch", fake)
    return fake


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("shape", [(8, 3, 16, 16), (4, 3, 3, 3), (6, 5, 8, 8)])
def test_images_of_torch_modules_have_their_channels_first(shape: tuple[int, ...]) -> None:
    x, model = RANDOM.random(shape), FakeModule(training=False)
    value = metrics.Deletion(steps="all").evaluate(model, x, np.zeros(len(x)), x)
    assert value.curve is not None and value.curve.n_features[-1] == shape[2] * shape[3]
    assert value.assumed["layout"] == "channels-first" and value.assumed == value.to_dict()["assumed"]


@pytest.mark.usefixtures("torch")
def test_images_with_channels_last_are_refused_or_given_to_torch_as_they_are() -> None:
    x, model = RANDOM.random((8, 16, 16, 3)), FakeModule(training=False)
    metric, targets = metrics.Deletion(steps="all"), np.zeros(8)
    with pytest.raises(ValueError, match=r"inputs: .* their channels last, .*transpose\(0, 3, 1, 2\)"):
        metric.evaluate(model, x, targets, x)
    for layout, positions in (("channels-last", 16 * 16), ("channels-first", 16 * 3)):
        value = metric.evaluate(model, x, targets, x, layout=layout)
        assert value.curve is not None and value.curve.n_features[-1] == positions


@pytest.mark.usefixtures("torch")
def test_a_torch_module_is_asked_in_evaluation_mode_and_left_as_it_was() -> None:
    model = FakeModule(training=True)
    model.parts[0].training = False

    def explainer(inputs: Any, targets: Any) -> Any:
        assert not model.parts[1].training
        return inputs * 1.0

    table = evaluate(model, X, TARGETS % 2, {"a": explainer}, ["deletion"])
    assert table.assumed["mode"] == "eval" and "\nmode: eval" in repr(table)
    assert [part.training for part in model.parts] == [False, True, False]
    quiet = evaluate(FakeModule(training=False), X, TARGETS % 2, {"a": X}, ["deletion"])
    assert table["deletion"]["a"].value == quiet["deletion"]["a"].value
    with pytest.raises(ZeroDivisionError):
        evaluate(model, X, TARGETS % 2, {"a": lambda x, y: 1 / 0}, ["deletion"])
    assert [part.training for part in model.parts] == [False, True, False]


class Estimator:
    """As scikit-learn has them."""

    def predict(self, batch: Any) -> Any:
        return np.argmax(self.predict_proba(batch), axis=1)

    def predict_proba(self, batch: Any) -> Any:
        scores = np.exp(batch @ W)
        return scores / scores.sum(axis=1, keepdims=True)


class Regressor:
    def predict(self, batch: Any) -> Any:
        return batch.sum(axis=1)


def test_estimators_are_asked_for_probabilities() -> None:
    expected = base_scores(model, X, TARGETS, activation="softmax")
    np.testing.assert_allclose(base_scores(Estimator(), X, TARGETS), expected, rtol=1e-12)
    np.testing.assert_allclose(base_scores(Regressor(), X, np.zeros(9)), X.sum(axis=1))
    with pytest.raises(ValueError, match="targets: the model is a regressor of one output; give No"):
        base_scores(Regressor(), X, TARGETS)
    with pytest.raises(TypeError, match="model: expected a callable or an estimator, got str"):
        base_scores("model", X, TARGETS)


def test_frameworks_and_devices_have_names() -> None:
    with pytest.raises(ValueError, match="framework: expected one of numpy, torch"):
        drop(model, framework="theano")
    with pytest.raises(ValueError, match="device: NumPy arrays have none"):
        drop(model, device="cuda")


def test_explainers_may_be_objects_with_attribute_or_explain() -> None:
    class Captum:
        def attribute(self, inputs: Any, target: Any) -> Any:
            assert len(target) == len(inputs)
            return inputs * 2

    class Xplique:
        def explain(self, inputs: Any, targets: Any) -> Any:
            return inputs * 2

    explainers = {"a": Captum(), "b": Xplique(), "c": lambda x, y: 2 * x, "d": 2 * X}
    table = evaluate(model, X, TARGETS, explainers, ["deletion"])
    assert len({value.value for value in table["deletion"].values.values()}) == 1


def _ends_within_100_ms(work: Callable[[], object]) -> bool:
    """In one of three times: what else the machine does takes time, too."""
    return any(_interrupted(work) < 0.1 for _ in range(3))


def _interrupted(work: Callable[[], object], after: float = 0.3) -> float:
    """How long the work goes on after Ctrl-C."""
    sent = []

    def interrupt() -> None:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, interrupt)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
        return time.perf_counter() - sent[0]
    finally:
        timer.join()


def test_ctrl_c_ends_a_kernel_within_100_ms() -> None:
    values = evaluate_part(None, None, None, {"a": RANDOM.random((2000, 4))}, ["sparseness"])
    assert _ends_within_100_ms(lambda: values.table(replicates=1_000_000))


def test_ctrl_c_ends_a_call_of_the_model_within_100_ms() -> None:
    calls = []

    def slow(batch: Any) -> Any:
        calls.append(0)
        while time.perf_counter() < end:
            sum(range(1000))
        return model(batch)

    def work() -> None:
        calls.clear()
        drop(slow, batch_size=1)

    end = time.perf_counter() + 10
    assert _ends_within_100_ms(work)
    assert len(calls) == 1  # no further batch


def test_ctrl_c_ends_an_evaluation_of_a_quick_model_within_100_ms() -> None:
    x = RANDOM.random((64, 16, 16, 1))
    metric = metrics.SensitivityN(n_subsets=5000)

    def work() -> object:
        return metric.evaluate(lambda b: b.sum(axis=(1, 2)), x, np.zeros(64), x)

    assert _ends_within_100_ms(work)


def test_everything_works_after_an_interrupt() -> None:
    values = evaluate_part(None, None, None, {"a": RANDOM.random((2000, 4))}, ["sparseness"])
    _interrupted(lambda: values.table(replicates=1_000_000), 0.1)
    assert drop(model).n_undefined == 0
