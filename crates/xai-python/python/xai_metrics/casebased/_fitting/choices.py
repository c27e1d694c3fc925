"""Parameters of an explainer in the form of the native part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _native
from ..._alignment import Alignment
from ..._arguments import mapping, number, whole
from ..._arrays import column_names, reals, to_numpy
from .classes import Classes

if TYPE_CHECKING:
    import numpy.typing as npt

#: Levels of correspondence, by number.
LEVELS = ("undefined", "low", "medium", "high")

#: Metadata column of the labels of training rows whose index has no name.
INDEX_LABEL = "index label"

#: Settings of each weighting that has some.
_KERNELS = {word: list(settings) for kernel in _native.casebased_kernels() for word, settings in kernel.items()}


def split_covariance(
    chosen: Mapping[str, Any], covariance: Any, needed: bool = False
) -> tuple[dict[str, Any], npt.NDArray[np.float64] | None]:
    """Separate the covariance, and the distance that it implies, from the parameters."""
    distance = chosen.get("distance", "mahalanobis" if covariance is not None else None)
    if covariance is None:
        if needed and distance == "mahalanobis":
            raise ValueError("covariance: the Mahalanobis distance needs one")
        return dict(chosen), None
    if distance != "mahalanobis":
        raise ValueError(f"covariance: only distance='mahalanobis' has one, not {distance!r}")
    array = reals(covariance, "covariance", 2).astype(np.float64, copy=False)
    return {name: value for name, value in chosen.items() if name != "distance"}, array


def split_weighting(chosen: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """Separate a weighting with settings (kernel) from the parameters.

    For a function the native part uses uniform weights; the function is applied in Python
    afterwards.
    """
    words, weighting = dict(chosen), chosen.get("weighting")
    if isinstance(weighting, Mapping):
        del words["weighting"]
        return words, _kernel(weighting)
    if callable(weighting):
        words["weighting"] = "uniform"
    return words, None


def _kernel(weighting: Mapping[Any, Any]) -> dict[str, dict[str, float]]:
    """Convert a weighting with settings to the form of the native part."""
    for word, settings in weighting.items() if len(weighting) == 1 else ():
        names = _KERNELS.get(word)
        if names is not None and isinstance(settings, Mapping) and set(settings) == set(names):
            of = f"weighting[{word!r}]"
            return {word: {name: number(f"{of}[{name!r}]", settings[name]) for name in names}}
    forms = (
        f"{{{word!r}: {{{', '.join(f'{name!r}: …' for name in names)}}}}}"
        for word, names in _KERNELS.items()
    )
    raise ValueError(f"weighting: expected {' or '.join(forms)}, got {weighting!r}")


def check_covariance(covariance: npt.NDArray[np.float64] | None, n_features: int) -> None:
    """Raise ``ValueError`` if the covariance does not match the number of features."""
    expected = (n_features, n_features)
    if covariance is not None and covariance.shape != expected:
        raise ValueError(f"covariance: expected shape {expected}, got {covariance.shape}")


def weights_of(
    weighting: Callable[[npt.NDArray[np.float64]], Any],
    far: npt.NDArray[np.float64],
    there: npt.NDArray[np.bool_],
) -> npt.NDArray[np.float64]:
    """Compute the weights of neighbours with a function of their distances; NaN where there is no
    neighbour.
    """
    given = reals(weighting(far[there]), "what weighting gives")
    if given.shape != (int(there.sum()),):
        raise ValueError(
            f"what weighting gives: expected one weight for each of {int(there.sum())} distances, "
            f"got shape {given.shape}"
        )
    wrong = ~(np.isfinite(given) & (given >= 0))
    if wrong.any():
        index = int(np.argmax(wrong))
        raise ValueError(
            "what weighting gives: expected a finite weight, at least 0, at distance "
            f"{far[there][index]}, got {given[index]}"
        )
    weights = np.full(far.shape, np.nan)
    weights[there] = given
    return weights


def checked_k(k: Any, name: str = "k") -> int:
    """Validate a number of neighbours."""
    return whole(name, k, 1)


def native_choices(
    *,
    feature_names: list[str],
    class_names: Mapping[Any, str],
    class_weights: Mapping[Any, float],
    metadata: Mapping[str, Any],
    redact: list[str],
    kernel: Any,
    similarity: Any,
    classes: Classes,
) -> dict[str, Any]:
    """Return the choices that are not described parameters, in the form of the native part."""
    for name, given in (("metadata", metadata), ("redact", redact)):
        for key in given:
            if not isinstance(key, str):
                raise TypeError(f"{name}: expected names that are text, got {key!r}; write {str(key)!r}")
    if classes.are_numbers:
        names = [(classes.number(label), str(name)) for label, name in class_names.items()]
    else:
        # The words themselves, so that a stored explainer knows them.
        names = [(classes.number(label), str(label)) for label in classes.labels]
    return {
        "kernel": kernel,
        "class_weights": [
            (classes.number(label), number(f"class_weights[{label!r}]", weight))
            for label, weight in class_weights.items()
        ],
        "class_names": names,
        "feature_names": feature_names,
        "metadata": [metadata_column(values, name) for name, values in metadata.items()],
        "redact": list(redact),
        "similarity": similarity,
    }


def columns_of(metadata: Any, alignment: Alignment) -> dict[str, Any]:
    """Return the metadata columns by name, from a mapping or table, in the order of the training
    rows.

    The labels of the training rows come first, under the name of their index.
    """
    names = None if isinstance(metadata, Mapping) else column_names(metadata)
    if names is None:
        columns = mapping("metadata", metadata, "a value for each training row by name")
    else:
        called = {name: f"metadata[{name!r}]" for name in names}
        columns = {name: to_numpy(alignment.take(metadata[name], called[name], "training rows"), called[name]) for name in names}
    labels = alignment.labels("training rows")
    if labels is None:
        return columns
    name = getattr(labels, "name", None)
    return {INDEX_LABEL if name is None else str(name): np.asarray(labels), **columns}


def metadata_column(values: Any, name: str) -> tuple[str, dict[str, list[Any]]]:
    """Convert a metadata column to the native form; values that are not numbers or booleans become
    text.
    """
    array = to_numpy(values, f"metadata[{name!r}]")
    if array.ndim != 1:
        raise ValueError(
            f"metadata[{name!r}]: expected one value for each training row, got shape {array.shape}"
        )
    if array.dtype.kind == "b":
        return name, {"Booleans": array.tolist()}
    if array.dtype.kind in "iu" and (not array.size or int(array.max()) < 2**63):
        return name, {"Integers": array.tolist()}
    if array.dtype.kind == "f" and not np.isinf(array).any():
        return name, {"Numbers": array.tolist()}
    # NumPy makes numbers of dates in nanoseconds, unless they are text.
    values = array.astype(str) if array.dtype.kind in "mM" else array
    return name, {"Texts": [str(value) for value in values.tolist()]}
