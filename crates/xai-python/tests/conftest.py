"""Tests of what needs a library that is not installed are left out, and say which."""

from __future__ import annotations

import importlib.util
import signal
from collections.abc import Generator

import pytest

#: The libraries that are used where they are installed.
OPTIONAL = ("dask", "matplotlib", "pandas", "polars", "pyarrow", "sklearn", "tqdm")
MISSING = [name for name in OPTIONAL if importlib.util.find_spec(name) is None]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    try:
        yield
    except ImportError as error:
        missing = [name for name in MISSING if name in str(error)]
        if not missing:
            raise
        pytest.skip(f"{missing[0]} is not installed")


@pytest.fixture(scope="session", autouse=True)
def default_interrupts() -> Generator[None, None, None]:
    """Ctrl-C ends what runs: a process that was started in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
