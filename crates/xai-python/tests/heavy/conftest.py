"""Tests with libraries that are large, or that change often: not collected unless their folder is named.

``python -m pytest -c crates/xai-python/pyproject.toml --rootdir crates/xai-python crates/xai-python/tests/heavy``
runs those whose library is installed. Each file begins with ``pytest.importorskip``.
"""

from __future__ import annotations

from typing import Any


def pytest_configure(config: Any) -> None:
    # What these libraries warn of, each other most, is no error of ours.
    config.addinivalue_line("filterwarnings", "ignore")
