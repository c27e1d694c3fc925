"""Batches of data sets, recognized without importing their libraries."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ._arrays import column_names, is_lazy

#: Batch size of tables whose row size is unknown before reading.
_TABLE_BATCH_SIZE = 256


@dataclass(frozen=True)
class BatchSource:
    """Data set that is read batch by batch, from a given sample on if it supports that, otherwise
    from the beginning.
    """

    #: ``skip_to(n)`` returns the number of samples actually skipped (at most ``n``) and an iterator
    #: over the batches that follow.
    skip_to: Callable[[int], tuple[int, Iterator[Any]]]
    #: Number of samples, if known.
    n_samples: int | None = None
    #: True if each pass has another order.
    is_shuffled: bool = False


def source_of(
    data: Any,
    rows: int | None = None,
    default_rows: Callable[[Any], int] = lambda first: _TABLE_BATCH_SIZE,
) -> BatchSource:
    """Return the batches of a data set: its own, or else of ``rows`` rows.

    By default they have ``default_rows(first)`` rows, where ``first`` is a batch of the first row,
    and 256 rows where the first row cannot be read alone.

    Examples
    --------
    >>> import numpy as np
    >>> source = source_of((np.zeros((5, 2)), np.arange(5)), 2)
    >>> left_out, batches = source.skip_to(3)
    >>> source.n_samples, left_out, [y.tolist() for _, y in batches]
    (5, 3, [[3, 4]])
    >>> source_of(iter([np.zeros((2, 2))]), 2).skip_to(3)[0] # what is only iterated over is read from its beginning
    0
    """
    bases = type(data).__mro__
    libraries = {base.__module__.partition(".")[0] for base in bases}

    def from_slices(read: Callable[[slice], Any], n: int) -> BatchSource:
        size = 1 if n == 0 else rows or default_rows(read(slice(0, 1)))
        return _from_slices(read, n, size)

    if "datasets" in libraries and hasattr(data, "with_format"):
        return _from_hugging_face(data, rows or _TABLE_BATCH_SIZE, from_slices)
    if "torch" in libraries:
        known = sys.modules["torch"].utils.data
        if isinstance(data, known.DataLoader):
            return _from_loader(data, known)
        if isinstance(data, known.IterableDataset):
            return _from_batches(known.DataLoader(data, batch_size=rows or _TABLE_BATCH_SIZE))
        if isinstance(data, known.Dataset):

            def collated(places: slice) -> Any:
                return known.default_collate([data[i] for i in range(places.start, places.stop)])

            return from_slices(collated, len(data))
    if "pyarrow" in libraries and not hasattr(data, "shape"):
        return _from_arrow(data, rows)
    if is_lazy(data):
        n_rows = data.select(sys.modules["polars"].len()).collect().item()
        if hasattr(data, "collect_batches"):

            def after(n: int) -> Iterator[Any]:
                rest = data.slice(n)
                return iter(
                    rest.collect_batches(chunk_size=rows or _TABLE_BATCH_SIZE, maintain_order=True)
                )

            return BatchSource(lambda n: (n, after(n)), n_rows)
        return from_slices(lambda at: cut(data, at.start, at.stop).collect(), n_rows)
    fields = list(data) if isinstance(data, tuple) else [data]
    fields = list(data.values()) if isinstance(data, Mapping) else fields
    if fields and all(hasattr(field, "shape") for field in fields):
        sizes = [field.shape[0] for field in fields]
        if len(set(sizes)) > 1:
            raise ValueError(f"data: expected arrays of one length, got lengths {sizes}")
        return from_slices(lambda at: cut(data, at.start, at.stop), int(sizes[0]))
    if isinstance(data, Iterable) and not isinstance(data, (str, bytes, Mapping)):
        return _from_batches(data)
    kind = f"{type(data).__module__}.{type(data).__qualname__}"
    raise TypeError(f"data: expected batches, arrays, a data set or a table, got {kind}")


def size_of(values: Any) -> int:
    """Return the number of samples of an array, a table, or several arrays."""
    if isinstance(values, (Mapping, tuple)):
        values = next(iter(values.values() if isinstance(values, Mapping) else values))
    return len(values)


def cut(values: Any, start: int, stop: int | None = None) -> Any:
    """Return some rows of an array or a table, or of each of several."""
    if isinstance(values, tuple):
        return tuple(cut(field, start, stop) for field in values)
    if isinstance(values, Mapping):
        return {name: cut(field, start, stop) for name, field in values.items()}
    if hasattr(values, "iloc"):
        return values.iloc[start:stop]
    if hasattr(values, "slice"):  # of polars and pyarrow
        return values.slice(start, None if stop is None else stop - start)
    return values[start:stop]


def fields_of(batch: Any, names: Mapping[str, Any]) -> dict[str, Any]:
    """Select fields of a batch by index, key or column name; ``None`` selects the default.

    The default inputs are the first field, the key ``inputs``, or all columns that have no other
    role; the default targets are the second field or the key ``targets``.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.ones((2, 3)), np.array([0, 1])
    >>> fields_of((x, y), {"inputs": None, "targets": None})["targets"]
    array([0, 1])
    >>> fields_of({"image": x, "label": y}, {"inputs": "image", "targets": "label"})["inputs"].shape
    (2, 3)
    """
    # Asked once: a table makes a list of its names each time.
    columns = None if isinstance(batch, (tuple, list, Mapping)) else column_names(batch)
    if isinstance(batch, (tuple, list)):
        known: list[Any] = list(range(len(batch)))
        defaults: dict[str, Any] = dict(zip(("inputs", "targets"), known))
    elif isinstance(batch, Mapping):
        known = list(batch)
        defaults = {"inputs": "inputs"} | {item: item for item in ("targets",) if item in batch}
    elif columns is not None:
        known = columns
        named = [entry if isinstance(entry, list) else [entry] for entry in names.values() if entry is not None]
        taken = {name for element in named for name in element}
        defaults = {"inputs": [name for name in columns if name not in taken]}
    else:
        known, defaults = [], {}
    found = {}
    for what, name in names.items():
        key = defaults.get(what) if name is None else name
        if key is None:
            found[what] = batch if what == "inputs" else None
            continue
        missing = set(key if isinstance(key, list) else [key]).difference(known)
        if missing:
            has = ", ".join(map(repr, known)) or "no names"
            lacks = ", ".join(map(repr, sorted(missing, key=str)))
            raise ValueError(
                f"{what}: a batch has no {lacks}; it has {has}: say by `{what}=` which of these it is"
            )
        if not isinstance(key, list):
            found[what] = _numbers(_column(batch, key))
        elif columns is None:
            # Several inputs of a model.
            several = {value: batch[value] for value in key}
            found[what] = several if isinstance(batch, Mapping) else tuple(several.values())
        else:
            one = _numbers(_column(batch, key[0])) if len(key) == 1 else None
            is_whole = getattr(one, "ndim", 1) > 1
            of_names = batch.select(key) if hasattr(batch, "select") else batch[key]
            found[what] = one if is_whole else of_names
    return found


def _column(batch: Any, name: Any) -> Any:
    return batch.column(name) if hasattr(batch, "column") else batch[name]


def _numbers(column: Any) -> Any:
    """Convert a column whose cells are arrays of one shape to one array; other columns are returned
    unchanged.
    """
    if hasattr(column, "combine_chunks") and hasattr(column, "type"):
        column = column.combine_chunks()
    if hasattr(column, "to_numpy_ndarray"):
        return column.to_numpy_ndarray()
    size = getattr(getattr(column, "type", None), "list_size", None)
    if size is not None:
        return column.flatten().to_numpy(zero_copy_only=False).reshape(len(column), size)
    if getattr(getattr(column, "dtype", None), "shape", None) and hasattr(column, "to_arrow"):
        return column.to_numpy()
    return column


def _from_slices(read: Callable[[slice], Any], n: int, rows: int) -> BatchSource:
    def after(start: int) -> Iterator[Any]:
        for first in range(start, n, rows):
            yield read(slice(first, min(first + rows, n)))

    return BatchSource(lambda start: (start, after(start)), n)


def _from_batches(data: Iterable[Any], n: int | None = None, is_shuffled: bool = False) -> BatchSource:
    return BatchSource(lambda _: (0, iter(data)), n, is_shuffled)


def _from_loader(loader: Any, known: Any) -> BatchSource:
    # Batches may be drawn by a sampler of their own, beside which that of the loader is not asked.
    sampler = getattr(loader.batch_sampler, "sampler", loader.sampler)
    shuffling = (known.RandomSampler, known.SubsetRandomSampler, known.WeightedRandomSampler)
    n = None
    if not isinstance(loader.dataset, known.IterableDataset) and hasattr(sampler, "__len__"):
        n = len(sampler)
        if loader.drop_last:
            n -= n % loader.batch_size
    # The sampler of distributed trainings says it by `shuffle`.
    is_shuffled = isinstance(sampler, shuffling) or getattr(sampler, "shuffle", False) is True
    return _from_batches(loader, n, is_shuffled)


def _from_hugging_face(data: Any, rows: int, from_slices: Callable[..., BatchSource]) -> BatchSource:
    if isinstance(data, Mapping):
        raise TypeError(
            f"data: expected one split, got {', '.join(data)}; take one, data[{next(iter(data))!r}]"
        )
    # Lists of numbers, images and texts as arrays, unless somebody chose a format.
    if (getattr(data, "format", None) or {}).get("type") is None:
        data = data.with_format("numpy")
    if hasattr(data, "__len__"):
        return from_slices(lambda at: data[at], len(data))
    return BatchSource(
        lambda n: (n, iter((data.skip(n) if n else data).iter(batch_size=rows)))
    )


def _from_arrow(data: Any, rows: int | None) -> BatchSource:
    rows = rows or _TABLE_BATCH_SIZE
    if hasattr(data, "iter_batches"):  # a file of Parquet
        return BatchSource(lambda _: (0, data.iter_batches(batch_size=rows)), data.metadata.num_rows)
    if hasattr(data, "num_record_batches"):  # a file of Arrow
        numbers = range(data.num_record_batches)
        return BatchSource(lambda _: (0, map(data.get_batch, numbers)))
    if hasattr(data, "count_rows"):  # a data set of files
        # By default many files are read ahead.
        ahead = {"batch_readahead": 2, "fragment_readahead": 1}
        return BatchSource(lambda _: (0, data.to_batches(batch_size=rows, **ahead)), data.count_rows())
    return _from_batches(data)
