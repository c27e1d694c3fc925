"""Rows that the tests share."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest


def made_up(n: int = 20_000, seed: int = 7) -> pa.Table:
    """Scores, classes and truth of three explainers; one of them has a missing score now and then."""
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.05, 1.0, n)
    masked = rng.uniform(0.0, 1.0, n)
    explainers = np.array(["gradients", "lime", "random"])[rng.choice(3, n, p=[0.9, 0.09, 0.01])]
    return pa.table(
        {
            "explainer": explainers,
            "base": base,
            "masked": pa.array(masked, mask=(explainers == "lime") & (rng.random(n) < 0.1)),
            "label": rng.integers(0, 4, n),
            "run_1": rng.integers(0, 4, n),
            "run_2": rng.integers(0, 4, n),
            "is_true": rng.random(n) < 0.3,
        }
    )


@pytest.fixture(scope="session")
def scores() -> pa.Table:
    return made_up()
