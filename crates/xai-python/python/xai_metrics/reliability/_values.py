"""Tables of values that come in, and results with one number to read."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._arrays import booleans, reals, to_numpy
from .._results import Result

Floats = npt.NDArray[np.float64]


class Value(Result):
    """Base of results that are a number where one is wanted; NaN where it is undefined."""

    value: float | None

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value


def values_of(values: Any, name: str, ndim: int) -> Floats:
    """Values with so many axes; ``None`` and NaN are undefined."""
    array = to_numpy(values, name)
    if array.dtype.kind == "O":
        array = np.where(array == np.array(None), np.nan, array)
    return np.asarray(reals(array, name, ndim=ndim), dtype=np.float64)


def flags_of(keep: Any, name: str, ndim: int) -> npt.NDArray[np.bool_] | None:
    """Which samples count; ``None`` is all."""
    return None if keep is None else booleans(keep, name, ndim=ndim)
