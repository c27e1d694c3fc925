"""Evaluations of data that comes in batches: the numbers of one call on the whole, in bounded memory."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xai_metrics.attribution import (
    EvaluationTable,
    evaluate,
    evaluate_part,
    evaluate_stream,
    metrics,
)

N = 37
# Multiples of 1/64 and their products: every reader of text gives them back to the last bit.
WEIGHTS = np.random.default_rng(1).integers(1, 64, (6, 3)) / 64
X = np.random.default_rng(0).integers(1, 64, (N, 6)) / 64
Y = np.arange(N) % 3
MAPS = X * WEIGHTS[:, 0]
METRICS = ["average_drop", "deletion", "mu_fidelity", "sparseness", "local_lipschitz"]


def model(x: Any) -> Any:
    # Sums row by row: a matrix product may round a row otherwise in another batch.
    return (np.asarray(x)[:, :, None] * WEIGHTS).sum(axis=1)


def explainer(x: Any, y: Any) -> Any:
    return x * WEIGHTS[:, y].T


def same(stream: EvaluationTable, whole: EvaluationTable) -> bool:
    assert stream.explainers == whole.explainers and stream.metrics == whole.metrics
    for metric in whole:
        ours, theirs = stream.values.per_sample(metric), whole.values.per_sample(metric)
        np.testing.assert_array_equal(ours, theirs)
        a, b = stream[metric].to_dict(), whole[metric].to_dict()
        # Curves are means over all samples, which parts do not have.
        for of in [*a["explainers"].values(), *b["explainers"].values()]:
            del of["curve"]
        assert a == b
    return True


@pytest.fixture(scope="module")
def whole() -> EvaluationTable:
    return evaluate(model, X, Y, {"terms": explainer}, METRICS)


def test_batches_of_any_size_give_the_numbers_of_one_call(whole: EvaluationTable) -> None:
    for size in (1, 5, 36, 100):
        batches = ((X[i : i + size], Y[i : i + size]) for i in range(0, N, size))
        assert same(evaluate_stream(model, batches, {"terms": explainer}, METRICS), whole)
    empty = [(X[:20], Y[:20]), (X[:0], Y[:0]), (X[20:], Y[20:])]
    assert same(evaluate_stream(model, empty, {"terms": explainer}, METRICS), whole)


def test_arrays_and_batches_by_name(whole: EvaluationTable) -> None:
    for data in ((X, Y), {"inputs": X, "targets": Y}):
        table = evaluate_stream(model, data, {"terms": explainer}, METRICS, batch_size=7)
        assert same(table, whole)
    table = evaluate_stream(
        model, {"x": X, "y": Y}, {"terms": explainer}, METRICS, inputs="x", targets="y"
    )
    assert same(table, whole)
    # Without targets those that the model predicts.
    predicted = evaluate_stream(model, X, {"terms": explainer}, ["deletion"], batch_size=8)
    assert same(predicted, evaluate(model, X, None, {"terms": explainer}, ["deletion"]))


def test_memory_mapped_inputs_and_maps(tmp_path: Path) -> None:
    for name, array in (("x", X), ("y", Y), ("maps", MAPS)):
        np.save(tmp_path / f"{name}.npy", array)
    x, y, maps = (np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("x", "y", "maps"))
    raw = np.memmap(tmp_path / "raw", np.float64, "w+", shape=X.shape)
    raw[:] = X
    expected = evaluate(model, X, Y, {"stored": MAPS}, ["deletion", "average_drop"])
    for inputs in (x, raw):
        table = evaluate_stream(
            model, (inputs, y), {"stored": maps}, ["deletion", "average_drop"], batch_size=10
        )
        assert same(table, expected)
    with pytest.raises(
        ValueError,
        match=r"explainers\['stored'\]: expected one per sample of the data, at least 20",
    ):
        evaluate_stream(model, (x, y), {"stored": maps[:15]}, ["deletion"], batch_size=10)


def columns() -> dict[str, Any]:
    named = {f"f{i}": X[:, i] for i in range(6)} | {f"map{i}": MAPS[:, i] for i in range(6)}
    return named | {"label": Y}


def of_arrow(tmp_path: Path) -> Iterator[Any]:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.dataset
    import pyarrow.parquet

    table = pa.table(columns())
    yield table
    yield pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=9))
    for part in range(2):
        rows = table.slice(part * 20, 20)
        pa.parquet.write_table(rows, tmp_path / f"part-{part}.parquet", row_group_size=7)
    yield pa.dataset.dataset(tmp_path, format="parquet")
    pa.parquet.write_table(table, tmp_path / "all.parquet", row_group_size=11)
    yield pa.parquet.ParquetFile(tmp_path / "all.parquet")
    with pa.OSFile(str(tmp_path / "all.arrow"), "wb") as sink:
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=13)
    yield pa.ipc.open_file(pa.memory_map(str(tmp_path / "all.arrow")))


def of_polars(tmp_path: Path) -> Iterator[Any]:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(columns())
    frame.write_parquet(tmp_path / "all.parquet")
    yield frame
    yield pl.scan_parquet(tmp_path / "all.parquet")


def of_pandas(tmp_path: Path) -> Iterator[Any]:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(columns())
    frame.to_csv(tmp_path / "all.csv", index=False)
    yield frame
    yield pd.read_csv(tmp_path / "all.csv", chunksize=8)


@pytest.mark.parametrize("sources", [of_arrow, of_polars, of_pandas])
def test_tables_by_the_names_of_their_columns(
    sources: Callable[[Path], Iterator[Any]], tmp_path: Path
) -> None:
    names = [f"map{i}" for i in range(6)]
    expected = evaluate(model, X, Y, {"stored": MAPS}, ["deletion", "average_drop"])
    for data in sources(tmp_path):
        # The inputs are the columns that nothing else is named by.
        table = evaluate_stream(
            model,
            data,
            {"stored": names},
            ["deletion", "average_drop"],
            targets="label",
            batch_size=10,
        )
        assert same(table, expected), type(data)


def test_cells_of_tables_may_be_arrays(tmp_path: Path) -> None:
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    cells = pa.FixedSizeListArray.from_arrays(pa.array(X.reshape(-1)), 6)
    tensors = pa.FixedShapeTensorArray.from_numpy_ndarray(X)
    expected = evaluate(model, X, Y, {"terms": explainer}, ["deletion"])
    tables = [pa.table({"x": of, "y": Y}) for of in (cells, tensors)]
    for data in [*tables, pl.DataFrame({"x": X, "y": Y})]:
        table = evaluate_stream(
            model, data, {"terms": explainer}, ["deletion"], inputs="x", targets="y", batch_size=10
        )
        assert same(table, expected)


def test_sides_come_in_batches_as_arrays_of_all_samples_or_once() -> None:
    images = np.random.default_rng(2).random((12, 4, 4, 1))
    maps = np.random.default_rng(3).random((12, 4, 4))
    masks = maps > 0.5
    segments = np.arange(16).reshape(4, 4) // 4
    asked = ["relevance_mass_accuracy", metrics.Irof()]

    def of_images(x: Any) -> Any:
        return x.reshape(len(x), -1)[:, :3] + 1.0

    how: dict[str, Any] = {"layout": "channels-last"}
    whole = evaluate(
        of_images,
        images,
        np.zeros(12),
        {"mine": maps},
        asked,
        masks=masks,
        segments=segments,
        **how,
    )
    batches = [
        (images[i : i + 5], np.zeros(len(images[i : i + 5])), masks[i : i + 5]) for i in (0, 5, 10)
    ]
    named = [dict(zip(("inputs", "targets", "object"), batch)) for batch in batches]
    for data, given in ((batches, masks), (named, "object"), (batches, 2), (batches, [2])):
        table = evaluate_stream(
            of_images, data, {"mine": maps}, asked, masks=given, segments=segments, **how
        )
        assert same(table, whole)


def test_maps_in_a_field_several_inputs_and_reference_explainers() -> None:
    def several(x: Any, scale: Any) -> Any:
        return model(x) * np.asarray(scale)[:, None]

    scale = 1.0 + np.arange(N) / N
    asked = ["deletion", "average_drop"]
    explainers = {"stored": MAPS, "random": "random", "occlusion": ("occlusion", {})}
    whole = evaluate(several, {"x": X, "scale": scale}, Y, explainers, asked)
    data = {"x": X, "scale": scale, "label": Y, "maps": MAPS}
    streamed = evaluate_stream(
        several,
        data,
        explainers | {"stored": ["maps"]},
        asked,
        inputs=["x", "scale"],
        targets="label",
        batch_size=8,
    )
    assert same(streamed, whole)
    fields = ((X[i : i + 9], Y[i : i + 9], scale[i : i + 9]) for i in range(0, N, 9))
    explainers = {"random": "random"}
    whole = evaluate(several, (X, scale), Y, explainers, asked)
    assert same(evaluate_stream(several, fields, explainers, asked, inputs=[0, 2]), whole)
    fields = ((X[i : i + 9], Y[i : i + 9], MAPS[i : i + 9]) for i in range(0, N, 9))
    whole = evaluate(model, X, Y, {"stored": MAPS}, asked)
    assert same(evaluate_stream(model, fields, {"stored": [2]}, asked), whole)


class Share:
    """What share of the score is left?"""

    reads = ("base_scores", "masked_scores")

    def per_sample(self, batch: Any) -> Any:
        return batch.masked_scores / batch.base_scores


def test_metrics_of_ones_own_go_along(tmp_path: Path) -> None:
    file = tmp_path / "run.checkpoint"
    whole = evaluate(model, X, Y, {"terms": explainer}, [Share(), "deletion"])
    with pytest.raises(Stop):
        evaluate_stream(
            model, stopping(20), {"terms": explainer}, [Share(), "deletion"], checkpoint=file
        )
    table = evaluate_stream(
        model, (X, Y), {"terms": explainer}, [Share(), "deletion"], checkpoint=file
    )
    assert same(table, whole)


def test_columns_of_words_are_refused() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"word": ["a", "b", "a"], "x": [1.0, 2.0, 3.0]})
    maps = np.ones((3, 2))

    def of_words(table: Any) -> Any:
        return np.ones((len(table), 2))

    of_words.feature_names_in_ = ["word", "x"]  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="inputs: columns of words and dates are numbered"):
        evaluate_stream(of_words, frame, {"mine": maps}, ["sparseness"])


def test_what_needs_all_samples_at_once_is_refused_by_name() -> None:
    data, explainers = [(X, Y)], {"terms": explainer}
    with pytest.raises(ValueError, match="metrics: consistency relates all samples to each other"):
        evaluate_stream(model, data, explainers, ["consistency"])
    with pytest.raises(ValueError, match="deletion has the mean of the data set as its baseline"):
        evaluate_stream(model, data, explainers, [metrics.Deletion(baseline="mean")])
    with pytest.raises(ValueError, match="mask_rmse judges the positions of all samples as one"):
        evaluate_stream(model, data, explainers, [metrics.MaskRmse(pooled=True)], masks=X > 0)
    mean = metrics.Deletion(baseline=X.mean(axis=0, keepdims=True))
    halves = [(X[:20], Y[:20]), (X[20:], Y[20:])]
    assert same(
        evaluate_stream(model, halves, explainers, [mean]),
        evaluate(model, X, Y, explainers, [mean]),
    )
    table = evaluate_stream(model, data, explainers, "all")
    assert table.skipped["consistency"] == "relates all samples to each other"
    segments = np.arange(12 * 16).reshape(12, 4, 4) // 16
    images = np.ones((12, 4, 4, 1))
    with pytest.raises(ValueError, match="irof has steps up to the most segments of a sample"):
        evaluate_stream(
            lambda x: x.reshape(len(x), -1), images, {"m": images}, ["irof"], segments=segments
        )


def test_errors_name_the_argument() -> None:
    explainers = {"terms": explainer}
    with pytest.raises(TypeError, match="inputs: batches are judged by evaluate_stream"):
        evaluate(model, iter([(X, Y)]), None, explainers)
    with pytest.raises(TypeError, match="data: expected batches"):
        evaluate_stream(model, 7, explainers)
    with pytest.raises(TypeError, match="explainers: expected a mapping by name"):
        evaluate_stream(model, [(X, Y)], explainer)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="data: there are no samples"):
        evaluate_stream(model, [], explainers)
    with pytest.raises(
        ValueError, match=r"inputs: a batch has no 'inputs'; it has 'x', 'y': say by `inputs=`"
    ):
        evaluate_stream(model, [{"x": X, "y": Y}], explainers)
    with pytest.raises(ValueError, match=r"targets: a batch has no 5; it has 0, 1"):
        evaluate_stream(model, [(X, Y)], explainers, targets=5)
    for rows, message in ((N - 1, "at least 37, got 36"), (N + 6, "37, got 43")):
        maps = {"stored": np.ones((rows, 6))}
        with pytest.raises(ValueError, match=rf"explainers\['stored'\]: .* of the data, {message}"):
            evaluate_stream(model, [(X, Y)], maps, ["deletion"])
    with pytest.raises(
        ValueError, match=r"data: expected arrays of one length, got lengths \[37, 36\]"
    ):
        evaluate_stream(model, (X, Y[1:]), explainers)


class Stop(Exception):
    pass


def stopping(after: int, size: int = 5) -> Iterator[Any]:
    for i in range(0, N, size):
        if i >= after:
            raise Stop
        yield X[i : i + size], Y[i : i + size]


def test_a_stopped_run_goes_on_to_the_same_numbers(tmp_path: Path, whole: EvaluationTable) -> None:
    file = tmp_path / "run.checkpoint"
    calls: list[int] = []

    def counting(x: Any) -> Any:
        calls.append(len(x))
        return model(x)

    def run(data: Any, **how: Any) -> EvaluationTable:
        calls.clear()
        return evaluate_stream(
            counting, data, {"terms": explainer}, METRICS, checkpoint=file, **how
        )

    with pytest.raises(Stop):
        run(stopping(10))
    size = file.stat().st_size
    # Batches of another size, which do not begin where the first run ended.
    with pytest.raises(Stop):
        run(stopping(28, 7), checkpoint_seconds=0)
    assert (
        file.stat().st_size > size
        and not list(tmp_path.glob("*.part"))
        and len(list(tmp_path.iterdir())) == 1
    )
    assert same(run((X, Y), batch_size=4), whole)
    # All is done: the model is only asked for the score that shows it is the same.
    assert same(run(iter([(X, Y)])), whole) and sum(calls) == 1


def test_ctrl_c_leaves_a_checkpoint(tmp_path: Path, whole: EvaluationTable) -> None:
    file = tmp_path / "run.checkpoint"
    n_calls = 0

    def interrupted(x: Any, y: Any) -> Any:
        nonlocal n_calls
        n_calls += 1
        if n_calls == 30:
            raise KeyboardInterrupt
        return explainer(x, y)

    with pytest.raises(KeyboardInterrupt):
        evaluate_stream(
            model, (X, Y), {"terms": interrupted}, METRICS, checkpoint=file, batch_size=2
        )
    assert file.exists()
    assert same(
        evaluate_stream(model, (X, Y), {"terms": explainer}, METRICS, checkpoint=file), whole
    )


def test_a_process_that_was_killed_goes_on(tmp_path: Path, whole: EvaluationTable) -> None:
    program = textwrap.dedent(
        """
        import os, signal, sys
        sys.path.insert(0, os.path.dirname(sys.argv[1]))
        import test_streams as t
        def killed():
            for i in range(0, t.N, 5):
                if i == 25:
                    os.kill(os.getpid(), signal.SIGKILL)
                yield t.X[i:i + 5], t.Y[i:i + 5]
        t.evaluate_stream(t.model, killed(), {"terms": t.explainer}, t.METRICS, checkpoint=sys.argv[2],
                          checkpoint_seconds=0)
        """
    )
    file = tmp_path / "run.checkpoint"
    run = subprocess.run([sys.executable, "-c", program, __file__, str(file)], check=False)
    assert run.returncode == -9
    table = evaluate_stream(
        model, (X[:, :], Y), {"terms": explainer}, METRICS, checkpoint=file, batch_size=6
    )
    assert same(table, whole)


def test_ctrl_c_at_any_line_leaves_a_checkpoint_that_the_same_call_takes(tmp_path: Path) -> None:
    file, source = tmp_path / "run.checkpoint", inspect.getsourcefile(inspect.unwrap(evaluate_stream))
    x, y = X[:6], Y[:6]

    def call() -> EvaluationTable:
        how = {"checkpoint": file, "checkpoint_seconds": 0, "batch_size": 2, "replicates": 0}
        return evaluate_stream(model, (x, y), {"terms": explainer}, ["deletion"], **how)

    def interrupted_at(line: int) -> bool:
        """Whether the call has so many lines; it is stopped at that one."""
        passed = 0

        def trace(frame: Any, event: str, _: Any) -> Any:
            nonlocal passed
            if frame.f_code.co_filename != source:
                return None
            passed += event == "line"
            if passed == line:
                sys.settrace(None)
                raise KeyboardInterrupt
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            call()
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(before)
        return False

    expected = call()["deletion"]["terms"].per_sample.tolist()
    file.unlink()
    line = 0
    while interrupted_at(line := line + 1):
        assert call()["deletion"]["terms"].per_sample.tolist() == expected, line
        file.unlink()
    assert line > 100


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.checkpoint"

    def run(
        data: Any = (X, Y),
        model: Any = model,
        of: Any = explainer,
        metric: Any = "deletion",
        **how: Any,
    ) -> Any:
        return evaluate_stream(model, data, {"terms": of}, [metric], checkpoint=file, **how)

    with pytest.raises(Stop):
        run(stopping(20))
    kept = file.read_bytes()
    others: list[tuple[str, dict[str, Any]]] = [
        ("metric deletion", {"metric": metrics.Deletion(steps=3)}),
        ("explainer terms", {"of": MAPS}),
        ("activation", {"activation": "softmax"}),
        ("the first sample", {"data": (X + 1.0, Y)}),
        ("the first sample", {"data": iter([(X + 1.0, Y)])}),
        (
            "sample 19",
            {"data": (np.concatenate([X[:19], X[20:]]), np.concatenate([Y[:19], Y[20:]]))},
        ),
        (
            "sample 19",
            {"data": stopping(30, 19), "model": model}
            | {"data": iter([(X[:7], Y[:7]), (X[8:], Y[8:])])},
        ),
        ("the model's score", {"model": lambda x: 2.0 * model(x)}),
    ]
    for what, how in others:
        with pytest.raises(ValueError, match=f"checkpoint: .* is of another run: {what}"):
            run(**how)
        assert file.read_bytes() == kept
    with pytest.raises(
        ValueError, match="checkpoint: it has values of 20 samples, the data has 10"
    ):
        run(data=iter([(X[:10], Y[:10])]))
    assert file.read_bytes() == kept
    for junk in (b"", b"junk", b"{}\n", kept[:-9], kept.replace(b"checkpoint 1", b"checkpoint 9")):
        file.write_bytes(junk)
        with pytest.raises(ValueError, match="is no checkpoint of this version"):
            run()


def test_parts_join_with_streams() -> None:
    explainers = {"terms": explainer}
    first = evaluate_stream(model, (X[:20], Y[:20]), explainers, ["deletion"]).values
    rest = evaluate_part(model, X[20:], Y[20:], explainers, ["deletion"], first_sample=20)
    expected = evaluate(model, X, Y, explainers, ["deletion"])
    assert same(first.merge(rest).table(), expected)


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of a process from /proc")
def test_memory_does_not_grow_with_the_data() -> None:
    # 400 MB of inputs and as much of maps pass through; what is kept is a number per sample and metric.
    program = textwrap.dedent(
        """
        import resource
        import numpy as np
        from xai_metrics.attribution import evaluate_stream
        def batches(n):
            for seed in range(n):
                yield np.random.default_rng(seed).random((100, 5_000)), np.zeros(100, dtype=int)
        def run(n):
            evaluate_stream(lambda x: x[:, :2] + 1.0, batches(n), {"input": lambda x, y: x}, ["sparseness", "average_drop"],
                            replicates=0)
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        few = run(5)
        print(run(100) - few)
        """
    )
    made = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        env=dict(os.environ),
    )
    assert int(made.stdout) < 30_000  # kilobytes
