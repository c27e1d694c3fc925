"""Tests with libraries that are large, or that change often: not collected unless their folder is named.

``cargo xtask ci python-heavy`` runs them in an environment of its own with the extra ``heavy``. Each file begins with
``pytest.importorskip``: in another environment those run whose library is installed.
"""

from __future__ import annotations

import os
from typing import Any


def pytest_configure(config: Any) -> None:
    # Keras asks for TensorFlow where nothing is said, which is not among them.
    os.environ.setdefault("KERAS_BACKEND", "jax")
    # What these libraries warn of, each other most, is no error of ours.
    config.addinivalue_line("filterwarnings", "ignore")
