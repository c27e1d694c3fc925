"""Tables in files, divided into tasks for the workers of a cluster."""

from __future__ import annotations

import os
import re
import socket
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow import fs

#: Bytes of files that a task reads, and the size of the parts of larger Parquet files.
TASK_BYTES = 32 << 20
#: Cost of opening a file, in bytes, so that a task does not read hundreds of small ones.
_OPENING = 4 << 20
_FORMATS = {".parquet": "parquet", ".csv": "csv", ".csv.gz": "csv", ".arrow": "ipc", ".feather": "ipc"}


class Part(NamedTuple):
    """Part ``number`` of ``n_parts`` of a file: its share of the row groups, in their order."""

    #: Path or URI that tells the file system.
    location: str
    path: str
    number: int = 0
    n_parts: int = 1


def are_paths(value: Any) -> bool:
    """Return whether a value is a path or a list of paths.

    Examples
    --------
    >>> are_paths("runs/*.parquet"), are_paths(["a.csv"]), are_paths({"a": [1]})
    (True, True, False)
    """
    paths = value if isinstance(value, (list, tuple)) else [value]
    return bool(paths) and all(isinstance(path, (str, os.PathLike)) for path in paths)


@dataclass(frozen=True)
class TableFiles:
    """Table in Parquet, CSV or Arrow files, divided into tasks.

    Workers open the files themselves, with the credentials of their environment.
    """

    schema: pa.Schema
    format: str
    #: Columns whose values are in the names of folders, ``explainer=lime``.
    folders: pa.Schema
    #: Parts of files that each task reads.
    tasks: tuple[tuple[Part, ...], ...]

    @classmethod
    def find(cls, paths: Any, name: str) -> TableFiles:
        """Find files; ``name`` is that of the argument in error messages.

        Columns are those of the first file.

        Raises
        ------
        FileNotFoundError
            If there are no files.
        ValueError
            For files of different or unknown formats, files that cannot be read, a file that two paths
            contain, and the pattern ``**``.
        """
        files: list[tuple[str, fs.FileInfo]] = []
        for path in paths if isinstance(paths, (list, tuple)) else [paths]:
            files += _found(os.fspath(path), name)
        twice = next((path for path, n in Counter(info.path for _, info in files).items() if n > 1), None)
        if twice is not None:
            raise ValueError(f"{name}: two paths contain the file {twice}, whose rows would count twice; give it once")
        formats = {_format(info.path, name) for _, info in files}
        if len(formats) > 1:
            raise ValueError(f"{name}: expected files of one format, got {' and '.join(sorted(formats))}")
        (kind,) = formats
        place, first = files[0]
        system = _system(place)[0]
        # The names of all folders tell the types of their values.
        of_system = [info.path for other, info in files if other == place]
        try:
            data = ds.dataset(of_system, format=kind, filesystem=system, partitioning="hive")
            named = ds.get_partition_keys(next(data.get_fragments()).partition_expression)
        except (OSError, pa.ArrowException) as error:
            raise ValueError(f"{name}: {first.path} cannot be read: {error}") from error
        folders = pa.schema([data.schema.field(column) for column in named])
        return cls(data.schema, kind, folders, _divided(files, kind))

    def select(self, columns: Iterable[str]) -> TableFiles:
        """Return the files with some of their columns."""
        return replace(self, schema=pa.schema([self.schema.field(column) for column in columns]))

    def batches(self, task: int) -> Iterator[pa.RecordBatch]:
        """Read the rows of a task.

        Raises
        ------
        OSError
            If this worker cannot read a file.
        """
        for part in self.tasks[task]:
            try:
                yield from self._read(part)
            except (OSError, pa.ArrowException) as error:
                raise OSError(
                    f"{part.path}: cannot be read by the worker on {socket.gethostname()}: {error}; all workers "
                    "need access to the files, and the credentials for it in their environment"
                ) from error

    def _read(self, part: Part) -> Iterator[pa.RecordBatch]:
        data = ds.dataset(
            part.path,
            schema=pa.unify_schemas([self.schema, self.folders]),
            format=self.format,
            filesystem=_system(part.location)[0],
            partitioning=ds.partitioning(self.folders, flavor="hive"),
        )
        (fragment,) = data.get_fragments()
        there = {*fragment.physical_schema.names, *self.folders.names}
        if missing := [column for column in self.schema.names if column not in there]:
            raise pa.ArrowInvalid(f"no column {missing[0]}, which other files have")
        if part.n_parts > 1:
            n = fragment.num_row_groups
            start, stop = (n * at // part.n_parts for at in (part.number, part.number + 1))
            if start == stop:
                return
            fragment = fragment.subset(row_group_ids=list(range(start, stop)))
        # Every task has one core.
        yield from fragment.to_batches(schema=data.schema, columns=self.schema.names, use_threads=False)


def _system(place: str) -> tuple[fs.FileSystem, str]:
    """Return the file system of a path or URI, and the path in it."""
    if "://" not in place:
        return fs.LocalFileSystem(), place
    # Spark's names for the same stores.
    scheme, _, rest = place.partition("://")
    scheme = {"s3a": "s3", "s3n": "s3"}.get(scheme, scheme)
    system, path = fs.FileSystem.from_uri(f"{scheme}://{rest}")
    return system, path


def _found(path: str, name: str) -> list[tuple[str, fs.FileInfo]]:
    """Return the files of a path, a folder or a pattern, sorted by path."""
    is_local = "://" not in path
    place = os.path.abspath(path) if is_local else path
    if "**" in place:
        raise ValueError(f"{name}: {path} has `**`, but a folder is read with its subfolders; give the folder instead")
    # What looks like a pattern may be the name of a file. In URIs `?` starts the options of a store.
    wild = None if is_local and os.path.exists(place) else re.search(r"[*?[]" if is_local else r"[*[]", place)
    if wild is not None:
        place = place[: wild.start()].rpartition("/")[0] or "/"
    system, base = _system(place)
    info = system.get_file_info(base)
    if info.type == fs.FileType.File:
        return [(place, info)]
    found = []
    if info.type == fs.FileType.Directory:
        for entry in system.get_file_info(fs.FileSelector(base, recursive=True)):
            below = entry.path[len(base) :].strip("/").split("/")
            # Such as _SUCCESS and .crc files of Spark.
            is_hidden = any(part.startswith(("_", ".")) for part in below)
            if entry.type == fs.FileType.File and not is_hidden:
                found.append(entry)
    if wild is not None:
        whole = os.path.abspath(path) if is_local else path
        pattern = whole[len(place) :].strip("/").split("/")
        found = [entry for entry in found if _matches(entry.path[len(base) :].strip("/").split("/"), pattern)]
    if not found:
        raise FileNotFoundError(f"{name}: there is no file {path}")
    return [(place, entry) for entry in sorted(found, key=lambda entry: entry.path)]


def _matches(parts: list[str], pattern: list[str]) -> bool:
    """Return whether a path, or a folder that it is in, matches a pattern."""
    return len(parts) >= len(pattern) and all(map(fnmatchcase, parts, pattern))


def _format(path: str, name: str) -> str:
    found = next((kind for ending, kind in _FORMATS.items() if path.lower().endswith(ending)), None)
    if found is None:
        raise ValueError(f"{name}: {path} has no known extension; expected {', '.join(_FORMATS)}")
    return found


def _divided(files: list[tuple[str, fs.FileInfo]], kind: str) -> tuple[tuple[Part, ...], ...]:
    """Divide files into tasks of about ``TASK_BYTES``."""
    tasks: list[list[Part]] = []
    left = 0
    for place, info in files:
        n_parts = -(-info.size // TASK_BYTES) if kind == "parquet" and info.size else 1
        cost = info.size // n_parts + _OPENING
        for number in range(n_parts):
            if not tasks or cost > left:
                tasks.append([])
                left = TASK_BYTES + _OPENING
            tasks[-1].append(Part(place, info.path, number, n_parts))
            left -= cost
    return tuple(map(tuple, tasks))
