"""The package as a whole: what importing it costs, threads, processes."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys

import numpy as np
import pytest
import xai_metrics
from xai_metrics import _native
from xai_metrics.attribution import metrics


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_needs_numpy_alone() -> None:
    loaded = run_python(
        "import sys, numpy.random; before = set(sys.modules); import xai_metrics; from xai_metrics import "
        "casebased, attribution, counterfactual, graph, reliability, repro; "
        "from xai_metrics.compat import case_explainer, ceval, torch_geometric; "
        "from xai_metrics.compat import xplique; "
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
    ).split()
    others = set(loaded) - set(sys.stdlib_module_names) - {"numpy", "xai_metrics"}
    assert not {name for name in others if not name.startswith("_")}


def test_importing_takes_less_than_50_ms_beside_numpy() -> None:
    code = (
        "import numpy, time; start = time.perf_counter(); import xai_metrics; "
        "print(time.perf_counter() - start)"
    )
    assert min(float(run_python(code)) for _ in range(5)) < 0.05


def test_the_version_is_that_of_the_native_part() -> None:
    assert xai_metrics.__version__ == _native.__version__


def test_names_that_are_none_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'attributions'"):
        xai_metrics.attributions  # noqa: B018


def test_without_the_package_of_sql_its_functions_say_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xai_metrics_sql", None)
    with pytest.raises(ImportError, match=r"pip install 'xai-metrics-py\[sql\]'"):
        xai_metrics.sql.query  # noqa: B018
    with pytest.raises(ImportError, match="pip install"):
        from xai_metrics.sql import register  # noqa: F401
    with pytest.raises(AttributeError, match="no attribute 'qery'"):
        xai_metrics.sql.qery  # noqa: B018


@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1, None])
def test_numbers_of_threads_are_those_of_joblib(n_jobs: int | None) -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert _native.n_threads(n_jobs) == (cores if n_jobs in (-1, None) else n_jobs)


def test_more_threads_than_a_few_per_core_are_not_started() -> None:
    cores = os.cpu_count() or 1
    assert _native.n_threads(10**6) <= 4 * cores


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="no list of threads")
def test_small_work_starts_no_threads() -> None:
    code = (
        "import os; from xai_metrics import graph, repro; count = lambda: len(os.listdir('/proc/self/task')); "
        "before = count(); graph.unfaithfulness([[0.1, 0.9]], [[0.2, 0.8]]); "
        "graph.ground_truth([0.9, 0.1], [1.0, 0.0]); repro.pairwise([[0, 1], [1, 1]], [0, 1]); "
        "print(count() - before)"
    )
    assert run_python(code) == "0"


def test_no_threads_are_refused() -> None:
    with pytest.raises(ValueError, match="n_jobs: expected a number of threads"):
        _native.n_threads(0)
    assert _native.n_threads(-1000) == 1


def complexity_in_child(_: int) -> float:
    return metrics.Complexity().evaluate(np.ones((3, 4)), n_jobs=2).value


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:RuntimeWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    here = complexity_in_child(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(complexity_in_child, range(4)).get(timeout=30) == [here] * 4
