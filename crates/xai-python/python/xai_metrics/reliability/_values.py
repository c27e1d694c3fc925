"""Conversion of tables of values, and the base class of results with one value."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._arrays import booleans, reals, to_numpy
from .._results import Result

Floats = npt.NDArray[np.float64]


class Value(Result):
    """Base class of results with one main value; ``float()`` returns it, NaN where undefined."""

    value: float | None

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value


def values_of(values: Any, name: str, ndim: int) -> Floats:
    """Convert to an array with ``ndim`` axes; ``None`` and NaN are undefined."""
    array = to_numpy(values, name)
    if array.dtype.kind == "O":
        array = np.where(array == np.array(None), np.nan, array)
    return np.asarray(reals(array, name, ndim=ndim), dtype=np.float64)


def flags_of(keep: Any, name: str, ndim: int) -> npt.NDArray[np.bool_] | None:
    """Convert a mask of the samples to count; ``None`` for all."""
    return None if keep is None else booleans(keep, name, ndim=ndim)
