"""States on several processes give the bits of one: by the standard library and dask; those on Spark are tests of `xai-sql-python`."""

from __future__ import annotations

import importlib.util
import multiprocessing
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from xai_metrics import graph, repro

EXAMPLES = Path(__file__).parents[1] / "examples"


def run_example(name, timeout=300):
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def block(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 5, 300)
    hard = rng.random(300) < 0.4
    return np.where(hard, rng.integers(0, 5, (4, 300)), labels), labels


def states(seed):
    predictions, labels = block(seed)
    scores = np.random.default_rng(seed).random((300, 3)).astype(np.float32)
    return (
        repro.PairwiseAccumulator().update(predictions, labels),
        graph.FidelityAccumulator().update(predictions[0], predictions[1], predictions[2], labels),
        graph.UnfaithfulnessAccumulator().update(scores, scores[::-1]),
        graph.GroundTruthAccumulator().update(scores[:, 0], scores[:, 1] > 0.5),
    )


@pytest.mark.parametrize("start", ["spawn", "fork"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.*fork.*:RuntimeWarning")
def test_processes(start):
    here = [states(seed) for seed in range(6)]
    with multiprocessing.get_context(start).Pool(2) as pool:
        there = pool.map(states, range(6))
    for kind in range(4):
        merged = there[0][kind]
        for others in reversed(there[1:]):
            merged.merge(others[kind])
        expected = here[0][kind]
        for others in here[1:]:
            expected.merge(others[kind])
        merged, expected = merged.finish(), expected.finish()
        if kind:
            assert merged == expected
    blocks = [block(seed) for seed in range(6)]
    at_once = repro.pairwise(
        np.concatenate([predictions for predictions, _ in blocks], axis=1),
        np.concatenate([labels for _, labels in blocks]),
    )
    runs = there[0][0].finish()
    for name in at_once.metrics:
        assert runs.pairs(name).tobytes() == at_once.pairs(name).tobytes()


def test_dask():
    pytest.importorskip("distributed")
    assert "the same bits as in one process" in run_example("dask_runs.py")


def test_objects_of_dask_are_text():
    pytest.importorskip("pyarrow")
    dask, pd = pytest.importorskip("dask"), pytest.importorskip("pandas")
    from dask import dataframe
    from xai_metrics.dask import _schema

    frame = pd.DataFrame({"word": pd.Series(["a", "b"], dtype=object), "x": [1.0, 2.0]})
    with dask.config.set({"dataframe.convert-string": False}):
        schema = _schema(dataframe.from_pandas(frame, npartitions=1))
    assert [str(field.type) for field in schema] == ["string", "double"]


def test_rows_of_spark_are_its_data_frames_or_paths():
    pytest.importorskip("pyarrow")
    from xai_metrics import spark

    with pytest.raises(TypeError, match="rows: expected a data frame of Spark, or paths of files, got dict"):
        spark.accumulate({"a": [1]}, list, list.append)


def test_repeated_training():
    if importlib.util.find_spec("sklearn") is None:
        pytest.skip("the example trains forests of scikit-learn")
    assert "samples are always wrong" in run_example("repro_training.py")


def test_gnn_explainer():
    for needed in ("torch", "torch_geometric"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"the example needs {needed}")
    assert "AUROC" in run_example("graph_gnn_explainer.py")
