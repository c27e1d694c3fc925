"""Conversion of array-likes to NumPy arrays, without a copy if possible.

Accepted are NumPy arrays of any order and strides, tensors of torch, JAX and other libraries
that support DLPack (in host memory), columns and tables of pandas, polars and pyarrow, objects
with the Arrow C interface, and sequences of numbers.

Not copied: ``float32`` and ``float64``. Copied to ``float64``: integers, booleans and extended
precision; to ``float32``, exactly: ``float16`` and ``bfloat16``. Also copied: arrays in the byte
order of another machine, and unaligned ones.
"""

from __future__ import annotations

import array as machine_arrays
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _native

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = Union[npt.NDArray[np.float32], npt.NDArray[np.float64]]
    Integers = npt.NDArray[np.int64]
    Booleans = npt.NDArray[np.bool_]

#: Types of labels that the kernels read in place.
_LABELS = {np.dtype(name) for name in ("int64", "int32", "uint8", "bool", "int16", "int8")}

BOOLEAN = np.dtype(np.bool_)
DOUBLE = np.dtype(np.float64)

#: Kinds of DLPack devices whose memory the host can read: the host itself, and pinned memory.
_HOST_DEVICES = (1, 3, 11)


def to_numpy(values: Any, name: str) -> npt.NDArray[Any]:
    """Convert any array, tensor, column, table or sequence to a NumPy array of any type.

    Raises ``TypeError`` for a tensor on another device and for objects that are not arrays,
    ``ValueError`` for missing values.
    """
    if type(values) is np.ndarray:
        return values
    if isinstance(values, np.ma.MaskedArray):
        if np.ma.is_masked(values):
            raise ValueError(f"{name}: some values are masked; fill them, or leave their rows out")
        return np.asarray(values.data)
    if isinstance(values, np.ndarray):
        return np.asarray(values)
    if type(values).__module__.partition(".")[0] == "pandas":
        return _from_pandas(values, name)
    if type(values).__name__ == "DataArray":
        # Its Arrow interface has the coordinates as columns.
        return np.asarray(values)
    if type(values).__module__.partition(".")[0] == "pyarrow":
        values = _decoded(values)
    # Before DLPack, which knows no missing values and no text.
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        return _from_arrow(values, name)
    if hasattr(values, "__dlpack__") and hasattr(values, "__dlpack_device__"):
        return _from_tensor(values, name)
    if hasattr(values, "__array__") or isinstance(
        values, (list, tuple, range, int, float, bool, np.generic, memoryview, machine_arrays.array)
    ):
        try:
            return np.asarray(values)
        except ValueError as error:
            raise ValueError(uneven(values, name) or f"{name}: {error}") from None
    if is_lazy(values):
        raise TypeError(f"{name}: the LazyFrame is not computed; collect it first, by `.collect()`")
    if hasattr(values, "toarray"):
        raise TypeError(f"{name}: the matrix is sparse; make it dense by `.toarray()`")
    message = f"{name}: expected an array or a table, got {_type_name(values)}"
    if isinstance(values, (str, bytes)) and values[:1] in ("[", "{", b"[", b"{"):
        message += " that looks like JSON; read it by `json.loads`, or as a table by `pandas.read_json`"
    elif isinstance(values, Mapping):
        message += "; make a table of its columns by `pandas.DataFrame(…)`"
    raise TypeError(message)


def uneven(values: Any, name: str) -> str | None:
    """Return the error message for rows of different lengths; ``None`` if all have the same length.
    """
    lengths = [len(row) if hasattr(row, "__len__") else None for row in values]
    position = next((position for position, length in enumerate(lengths) if length != lengths[0]), None)
    if position is None:
        return None
    shown = ["one number" if length is None else f"{length} values" for length in (lengths[0], lengths[position])]
    return f"{name}: expected rows of one length, got {shown[0]} in row 0 and {shown[1]} in row {position}"


def is_read_in_place(values: Any, dtype: np.dtype[Any]) -> bool:
    """Return whether ``values`` is a one-dimensional array that the native part reads without
    conversion.

    A fast path for functions of many small arrays, for which general conversion would cost more
    than the metric. Read-only arrays take the slow path.

    Examples
    --------
    >>> is_read_in_place(np.zeros(2), DOUBLE), is_read_in_place([0.0, 0.0], DOUBLE)
    (True, False)
    """
    return type(values) is np.ndarray and values.dtype is dtype and values.ndim == 1 and values.flags.carray


def reals(values: Any, name: str, ndim: int | tuple[int, ...] | None = None) -> Reals:
    """Convert to real numbers in single or double precision, with one of the given numbers of axes.
    """
    array = to_numpy(values, name)
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind not in "iufb" and getattr(values, "ndim", 2) == 2 and column_names(values) is not None:
        _check_columns(values, name)
    if kind == "f" and size == 2:
        array = array.astype(np.float32)
    elif kind in "iub" or (kind == "f" and size not in (4, 8)):
        array = array.astype(np.float64)
    elif kind == "O":
        array = _from_objects(array, name)
    elif kind != "f":
        raise TypeError(f"{name}: expected real numbers, got {_dtype_name(array)}")
    array = _one_axis(array, ndim)
    _check_axes(array, name, ndim)
    taken: Reals = _as_in_memory(array)
    return taken


class TextColumnError(TypeError):
    """Raised for a table with a text column where numbers are needed."""


def check_finite(array: npt.NDArray[Any], table: Any, name: str) -> None:
    """Raise ``ValueError`` with the column name for missing values of a table; kernels check arrays
    by index.
    """
    names = column_names(table)
    if names is None or array.ndim != 2 or len(names) != array.shape[1]:
        return
    missing = ~np.isfinite(array)
    if missing.any():
        column = int(np.argmax(missing.any(axis=0)))
        row, n = int(np.argmax(missing[:, column])), int(missing[:, column].sum())
        called = str(names[column])
        raise ValueError(
            f"{name}: the column {called!r} has {n} value{'s' * (n != 1)} that {'is' if n == 1 else 'are'} missing or infinite, the "
            f"first in row {row}; fill them, for instance by `table[{called!r}].fillna(table[{called!r}].median())`, or leave their rows out"
        )


def _check_columns(table: Any, name: str) -> None:
    """Raise ``TypeError`` with advice for a table that has a non-numeric column."""
    for column in column_names(table) or ():
        check_column(table[column], column, name)


def check_column(values: Any, column: Any, name: str) -> None:
    """Raise ``TypeError`` with advice for a column of a table that has dates, durations or text."""
    array = to_numpy(values, f"{name}[{str(column)!r}]")
    kind = array.dtype.kind
    first = next((item for item in array.tolist() if not isinstance(item, (int, float))), None) if kind in "OUST" else None
    if kind in "mM" or type(first).__name__ in ("Timestamp", "Timedelta", "datetime", "date", "timedelta"):
        raise TypeError(
            f"{name}: the column {str(column)!r} has dates or durations, no numbers; make numbers of them, for instance days: "
            f"`(table[{str(column)!r}] - table[{str(column)!r}].min()).dt.days`"
        )
    if isinstance(first, (str, bytes)):
        raise TextColumnError(
            f"{name}: the column {str(column)!r} has text; give numbers, by `pandas.to_numeric`, or encode it: "
            f"one-hot by `pandas.get_dummies(table, columns=[{str(column)!r}])`, or ordinal by "
            f"`table[{str(column)!r}].astype('category').cat.codes`"
        )


def integers(values: Any, name: str, ndim: int | tuple[int, ...] | None = None) -> Integers:
    """Convert to integers, also from integral floats and booleans."""
    array = to_numpy(values, name)
    kind = array.dtype.kind
    if kind == "O":
        array = _from_objects(array, name)
        kind = "f"
    if kind == "f":
        whole = array.astype(np.int64, copy=True) if np.isfinite(array).all() else None
        if whole is None or not (whole == array).all():
            raise ValueError(f"{name}: expected whole numbers, got {_first_fraction(array)}")
        array = whole
    elif kind not in "iub":
        raise TypeError(f"{name}: expected whole numbers, got {_dtype_name(array)}")
    _check_below_2_63(array, name)
    array = _one_axis(array, ndim)
    _check_axes(array, name, ndim)
    taken: Integers = _as_in_memory(array.astype(np.int64, copy=False))
    return taken


def booleans(values: Any, name: str, ndim: int | tuple[int, ...] | None = None) -> Booleans:
    """Convert to booleans, also from zeros and ones."""
    array = to_numpy(values, name)
    if array.dtype.kind != "b":
        numbers = reals(array, name)
        if not np.isin(numbers, (0.0, 1.0)).all():
            raise ValueError(f"{name}: expected booleans, or zeros and ones")
        array = numbers != 0
    array = _one_axis(array, ndim)
    _check_axes(array, name, ndim)
    taken: Booleans = _as_in_memory(array)
    return taken


def booleans_or_shares(values: Any, name: str) -> Booleans | npt.NDArray[np.float64]:
    """Convert to booleans (also from zeros and ones), otherwise to numbers in [0, 1].

    Examples
    --------
    >>> booleans_or_shares([1, 0], "masks"), booleans_or_shares([0.9, 0], "masks")
    (array([ True, False]), array([0.9, 0. ]))
    """
    array = to_numpy(values, name)
    if array.dtype.kind == "b":
        return booleans(array, name)
    numbers = reals(array, name)
    if not ((numbers >= 0) & (numbers <= 1)).all():
        message = f"{name}: expected booleans, or numbers from 0 to 1"
        if np.isin(numbers, (0, 255)).all():
            message += f"; 0 and 255 are the colours of an image: give `{name} > 0`"
        raise ValueError(message)
    if np.isin(numbers, (0.0, 1.0)).all():
        return booleans(numbers, name)
    return np.ascontiguousarray(numbers, dtype=np.float64)


def column_names(table: Any) -> list[Any] | None:
    """Return the column names of a pandas, polars or pyarrow table, or the index of a pandas row.
    """
    if is_lazy(table):
        return None
    found = (getattr(table, item, None) for item in ("column_names", "columns", "index"))
    names = next((entry for entry in found if entry is not None and not callable(entry)), None)
    return None if names is None else list(names)


def is_lazy(values: Any) -> bool:
    """Return whether ``values`` is a polars ``LazyFrame``."""
    return type(values).__name__ == "LazyFrame"


def in_order_of(columns: list[Any] | None, values: Any, name: str, of: str = "the inputs") -> Any:
    """Reorder the columns of a table or row to those of another; other values are returned
    unchanged.

    Examples
    --------
    >>> in_order_of(["a", "b"], [[1.0, 2.0]], "explanations")
    [[1.0, 2.0]]
    """
    names = column_names(values)
    if columns is None or names is None or names == columns:
        return values
    # Names of stored explainers are texts.
    texts, expected = [str(column) for column in names], [str(column) for column in columns]
    place_of = {text: position for position, text in enumerate(texts)}
    wanted = set(expected)
    if place_of.keys() != wanted and any(are_numbered(side) for side in (texts, expected)):
        return values
    faults = {
        "missing": [text for text in expected if text not in place_of],
        "unknown": [text for text in place_of if text not in wanted],
        "there more than once": [text for text, n in Counter(texts).items() if n > 1],
    }
    message = [f"{_listed(wrong)} {fault}" for fault, wrong in faults.items() if wrong]
    if message:
        raise ValueError(
            f"{name}: expected the columns of {of}; {', '.join(message)}; rename the columns, or give an array, "
            f"whose columns are in the order of {of}"
        )
    order = [place_of[text] for text in expected]
    if type(values).__module__.partition(".")[0] in ("pandas", "polars"):
        # A table still, for models that know names.
        return values[[names[position] for position in order]]
    return reals(values, name)[:, order]


def are_numbered(names: list[str]) -> bool:
    """Return whether column names are generated: ``0`` (pandas), ``column_0`` (polars),
    ``feature_0`` (explainers) or ``Feature 0`` (SHAP).
    """
    return any(
        names == [prefix + str(i) for i in range(len(names))]
        for prefix in ("", "column_", "feature_", "Feature ")
    )


def _listed(names: list[str]) -> str:
    listed = ", ".join(map(repr, names[:10])) + (", …" if len(names) > 10 else "")
    return f"{listed} {'is' if len(names) == 1 else 'are'}"


def classes(values: Any, name: str, ndim: int = 1) -> npt.NDArray[Any]:
    """Convert to labels: integers, booleans, strings, or integers stored as floats."""
    array = to_numpy(values, name)
    if array.dtype.kind in "SU" and isinstance(values, (list, tuple)):
        # NumPy makes words of the numbers beside words.
        array = np.asarray(values, dtype=object)
    if ndim == 1 and array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    _check_axes(array, name, ndim)
    if array.dtype.kind in "OT" and array.size:
        array = _label_array(array, name)
    kind = array.dtype.kind
    if kind == "f":
        return integers(array, name)
    if kind in "iubSUOT":
        return array
    raise TypeError(f"{name}: expected labels, got {_dtype_name(array)}")


def _label_array(array: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Convert labels of type object to their common type."""
    labels = array.reshape(-1).tolist()
    kinds = (str, bytes, (int, float, np.integer, np.floating, np.bool_))
    kind = next((kind for kind in kinds if isinstance(labels[0], kind)), ())
    for index, label in enumerate(labels):
        if is_missing(label):
            raise ValueError(f"{_position(array, index, name)}: the label is missing")
        if not isinstance(label, kind):
            raise TypeError(
                f"{_position(array, index, name)}: expected labels that are all words or all whole numbers, got {label!r} "
                f"of type {_type_name(label)}"
            )
        if not (isinstance(label, (str, bytes)) or -(2.0**63) <= label < 2.0**63):
            raise ValueError(
                f"{_position(array, index, name)}: expected a 64-bit integer, got {label}"
            )
    _check_booleans(array, name)
    return np.asarray(labels).reshape(array.shape)


def is_missing(label: Any) -> bool:
    """Return whether a label is ``None``, NaN, or the missing value of pandas."""
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas' NA says neither yes nor no
        return True


def in_place(labels: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Convert integers or booleans to a type that the kernels read, without a copy if they have
    one.
    """
    if labels.dtype not in _LABELS:
        _check_below_2_63(labels, name)
        labels = labels.astype(np.int64)
    taken: npt.NDArray[Any] = _as_in_memory(labels)
    return taken


def _check_below_2_63(labels: npt.NDArray[Any], name: str) -> None:
    if labels.dtype.kind == "u" and labels.size and labels.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{name}: {labels.max()} is above the largest 64-bit integer")


def _from_tensor(values: Any, name: str) -> npt.NDArray[Any]:
    try:
        device = int(values.__dlpack_device__()[0])
    except (BufferError, RuntimeError, ValueError):
        # A device that DLPack has no number for.
        device = -1
    if device not in _HOST_DEVICES:
        where = getattr(values, "device", "another device")
        raise TypeError(
            f"{name}: the tensor is on {where}; copy it to the host, for torch by `.cpu()`"
        )
    if type(values).__module__.partition(".")[0] == "torch":
        # A view of the same memory that has no gradient; NumPy has no `bfloat16`.
        values = values.detach().resolve_conj().resolve_neg()
        if str(values.dtype) == "torch.bfloat16":
            values = values.float()
        if str(values.layout) != "torch.strided":
            raise TypeError(f"{name}: the tensor is sparse; make it dense by `.to_dense()`")
        array: npt.NDArray[Any] = values.numpy()
        return array
    if str(getattr(values, "dtype", "")) == "bfloat16":
        return np.asarray(values).astype(np.float32)
    try:
        return np.from_dlpack(values)
    except (BufferError, RuntimeError, TypeError):
        # A type that DLPack has not, such as JAX's booleans in older versions.
        return np.asarray(values)


def _from_pandas(values: Any, name: str) -> npt.NDArray[Any]:
    types = list(values.dtypes) if getattr(values, "ndim", 1) == 2 else [values.dtype]
    # A type of NumPy has no missing values, but for NaN, which a kernel refuses by its place.
    is_nullable = not all(isinstance(kind, np.dtype) for kind in types)
    missing = np.argwhere(np.asarray(values.isna())) if is_nullable else np.empty((0, 1))
    if len(missing):
        position = [int(i) for i in missing[0]]
        of = f" of the column {str(values.columns[position[1]])!r}" if len(position) == 2 else ""
        raise ValueError(f"{name}{position}: the value{of} is missing; fill such values, or leave their rows out")
    array: npt.NDArray[Any] = values.to_numpy()
    if array.dtype.kind == "O" and all(getattr(kind, "kind", "O") in "iufb" for kind in types):
        # Columns of different types of numbers.
        return np.asarray(values.to_numpy(dtype=np.float64))
    return array


def _decoded(values: Any) -> Any:
    """Decode dictionary-encoded columns of pyarrow."""
    if hasattr(values, "dictionary_decode"):
        words = str(values.type.value_type)
        if words.endswith("_view"):
            # pyarrow cannot take rows of views.
            plain = values.dictionary.cast(words.removesuffix("_view"))
            values = type(values).from_arrays(values.indices, plain)
        return values.dictionary_decode()
    if hasattr(values, "chunks") and hasattr(values, "combine_chunks") and str(values.type).startswith("dictionary"):
        return _decoded(values.combine_chunks())
    schema = getattr(values, "schema", None)
    for position, field in enumerate(schema) if schema is not None and hasattr(values, "set_column") else ():
        if str(field.type).startswith("dictionary"):
            values = values.set_column(position, field.name, _decoded(values.column(position).combine_chunks()))
    return values


def _from_arrow(values: Any, name: str) -> npt.NDArray[Any]:
    columns: list[npt.NDArray[Any]] = _native.arrow_columns(values, name)
    if not columns:
        raise ValueError(f"{name}: the table has no columns")
    is_table = hasattr(values, "columns") or hasattr(values, "num_columns")
    # What only has the interface does not say whether it is a table: several columns are one.
    return np.column_stack(columns) if is_table or len(columns) > 1 else columns[0]


def _from_objects(array: npt.NDArray[Any], name: str) -> npt.NDArray[np.float64]:
    for index, item in enumerate(array.flat):
        if not isinstance(item, (int, float, np.integer, np.floating, np.bool_)):
            if item is None:
                position = _position(array, index, name)
                raise TypeError(f"{position}: the value is missing, it is None; fill such values, or leave their rows out")
            message = "the array is one of objects"
            if isinstance(item, Mapping):
                message = "make a table of the records by `pandas.DataFrame(…)`"
            raise TypeError(
                f"{_position(array, index, name)}: expected a number, got {item!r} of type {_type_name(item)}; {message}"
            )
    _check_booleans(array, name)
    return array.astype(np.float64)


def _check_booleans(array: npt.NDArray[Any], name: str) -> None:
    """Raise ``TypeError`` for booleans among the numbers of a column of objects."""
    is_boolean = np.array([isinstance(item, (bool, np.bool_)) for item in array.flat], bool)
    if not is_boolean.any():
        return
    columns = is_boolean.reshape(-1, array.shape[-1] if array.ndim > 1 else 1)
    among_numbers = np.flatnonzero(columns & ~columns.all(axis=0))
    if len(among_numbers):
        index = int(among_numbers[0])
        raise TypeError(
            f"{_position(array, index, name)}: {array.flat[index]!r} among numbers; write 0 and 1, or booleans alone"
        )


def _position(array: npt.NDArray[Any], index: int, name: str) -> str:
    return f"{name}{[int(i) for i in np.unravel_index(index, array.shape)]}"


def _as_in_memory(array: npt.NDArray[Any]) -> Any:
    """Return an aligned array in native byte order, without a copy if it is one."""
    if not array.size:
        # The steps between elements of an empty slice lead out of its memory.
        return np.zeros(array.shape, array.dtype.newbyteorder("="))
    flags = array.flags
    if flags.c_contiguous and flags.aligned and array.dtype.isnative:
        return array
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if any(stride % array.itemsize for stride in array.strides):
        array = array.copy()
    return np.require(array, requirements="A")


def _one_axis(array: npt.NDArray[Any], ndim: int | tuple[int, ...] | None) -> npt.NDArray[Any]:
    """Return the only column of a table if one axis is wanted; other arrays are returned unchanged.
    """
    return array[:, 0] if ndim == 1 and array.ndim == 2 and array.shape[1] == 1 else array


def _check_axes(array: npt.NDArray[Any], name: str, ndim: int | tuple[int, ...] | None) -> None:
    allowed = (ndim,) if isinstance(ndim, int) else ndim
    if allowed is not None and array.ndim not in allowed:
        expected = " or ".join(str(n) for n in allowed)
        axes = "axis" if allowed[-1] == 1 else "axes"
        raise ValueError(f"{name}: expected {expected} {axes}, got shape {array.shape}")


def _first_fraction(array: npt.NDArray[Any]) -> str:
    wrong = ~np.isfinite(array) | (array != np.trunc(array))
    if not wrong.any():
        return "numbers beyond the 64-bit integers"
    position = [int(i) for i in np.argwhere(wrong)[0]]
    return f"{array[tuple(position)]} at {position}"


def _dtype_name(array: npt.NDArray[Any]) -> str:
    return f"an array of {array.dtype}"


def _type_name(value: Any) -> str:
    kind = type(value)
    module = kind.__module__
    return kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"
