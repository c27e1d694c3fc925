"""The choices of an explainer in the words that the native part knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ... import _native
from ..._arrays import reals, to_numpy

if TYPE_CHECKING:
    import numpy.typing as npt

#: Other names of distances, as scikit-learn and SciPy have them.
_DISTANCES = {
    "l2": "euclidean",
    "p": "minkowski",
    "sqeuclidean": "squared-euclidean",
    "l1": "manhattan",
    "cityblock": "manhattan",
    "infinity": "chebyshev",
    "bray-curtis": "braycurtis",
    "minkowski": "minkowski:2",
}

_ENGINES = {
    "auto": "auto",
    # The answer of a ball tree is the answer of any exact engine.
    "ball_tree": "auto",
    "kd_tree": "kd-tree",
    "kd-tree": "kd-tree",
    "brute": "brute-force",
    "brute-force": "brute-force",
}

#: The levels of correspondence, by their numbers.
LEVELS = ("undefined", "low", "medium", "high")

_HNSW = {"connections": 16, "ef_construction": 200, "ef_search": 64}


def distance_name(metric: Any, params: Mapping[str, Any] | None) -> str:
    """The name of a distance, with its exponent where it has one."""
    if not isinstance(metric, str):
        raise TypeError(
            f"metric: expected the name of a distance, got {type(metric).__qualname__}; "
            "distances that are Python functions are not searched"
        )
    unknown = set(params or {}) - {"p", "V"}
    if unknown:
        raise ValueError(f"metric_params: expected 'p' or 'V', got {sorted(unknown)}")
    if metric == "minkowski" and "p" in (params or {}):
        exponent = float((params or {})["p"])
        return "chebyshev" if exponent == np.inf else f"minkowski:{exponent}"
    return _DISTANCES.get(metric, metric)


def covariance_of(params: Mapping[str, Any] | None) -> npt.NDArray[np.float64] | None:
    """The covariance of a Mahalanobis distance, where one is given."""
    if params is None or "V" not in params:
        return None
    covariance = reals(params["V"], "metric_params['V']", 2)
    return cast("npt.NDArray[np.float64]", covariance.astype(np.float64, copy=False))


def engine_of(algorithm: str, params: Mapping[str, int] | None) -> Any:
    """An engine, with the parameters of the graph where it is approximate."""
    if algorithm in ("hnsw", "approximate"):
        unknown = set(params or {}) - set(_HNSW)
        if unknown:
            raise ValueError(f"algorithm_params: expected {sorted(_HNSW)}, got {sorted(unknown)}")
        return {"approximate": {**_HNSW, **(params or {})}}
    if params:
        raise ValueError("algorithm_params: only 'hnsw' has parameters")
    if algorithm not in _ENGINES:
        names = ", ".join(repr(name) for name in [*_ENGINES, "hnsw"])
        raise ValueError(f"algorithm: expected one of {names}, got {algorithm!r}")
    return _ENGINES[algorithm]


def kernel_of(weighting: Any, distance_weighted: bool = True) -> Any:
    """A weight by distance: a name, or a mapping from a name to parameters."""
    if not distance_weighted:
        if weighting is not None:
            raise ValueError("weighting: distance_weighted=False asks for plain voting already")
        return "uniform"
    if weighting is None:
        return "inverse-cube"
    if isinstance(weighting, str):
        return _native.casebased_kernel(weighting)
    if isinstance(weighting, Mapping):
        return {key: dict(value) for key, value in weighting.items()}
    raise TypeError(f"weighting: expected the name of a kernel, got {type(weighting).__qualname__}")


def weights_of(
    weighting: Callable[[npt.NDArray[np.float64]], Any],
    far: npt.NDArray[np.float64],
    there: npt.NDArray[np.bool_],
) -> npt.NDArray[np.float64]:
    """The weights of neighbours by a function of their distances; NaN where there is none."""
    given = reals(weighting(far[there]), "what weighting gives")
    if given.shape != (int(there.sum()),):
        raise ValueError(
            f"what weighting gives: expected one weight for each of {int(there.sum())} distances, "
            f"got shape {given.shape}"
        )
    wrong = ~(np.isfinite(given) & (given >= 0))
    if wrong.any():
        place = int(np.argmax(wrong))
        raise ValueError(
            "what weighting gives: expected a finite weight, at least 0, at distance "
            f"{far[there][place]}, got {given[place]}"
        )
    weights = np.full(far.shape, np.nan)
    weights[there] = given
    return weights


def metadata_column(values: Any, name: str) -> tuple[str, dict[str, list[Any]]]:
    """A column of metadata as the native part stores it: what is no number or boolean is text."""
    array = to_numpy(values, f"metadata[{name!r}]")
    if array.dtype.kind == "b":
        return name, {"Booleans": array.tolist()}
    if array.dtype.kind in "iu" and (not array.size or int(array.max()) < 2**63):
        return name, {"Integers": array.tolist()}
    if array.dtype.kind == "f" and not np.isinf(array).any():
        return name, {"Numbers": array.tolist()}
    return name, {"Texts": [str(value) for value in array.tolist()]}


def names_of_columns(table: Any) -> list[Any] | None:
    """The names of the columns of a table of pandas, polars or pyarrow."""
    names = getattr(table, "column_names", None)
    if names is None:
        names = getattr(table, "columns", None)
    if names is None or callable(names):
        return None
    return list(names)
