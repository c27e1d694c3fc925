"""Atomic writing of files."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path


def write_whole(contents: Mapping[Path, bytes]) -> None:
    """Write files atomically: all are on disk before the first one is renamed to its final name.

    Existing targets that are not regular files, for example devices, are written to and never
    replaced.
    """
    written: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            # A link stays, and leads to the new contents.
            target = Path(os.path.realpath(path))
            if target.exists() and not target.is_file():
                target.write_bytes(content)
                continue
            part = target.with_name(f".{target.name}.{os.getpid()}.part")
            written[part] = target
            with part.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        for part, target in written.items():
            part.replace(target)
    finally:
        for part in written:
            with contextlib.suppress(FileNotFoundError):
                part.unlink()
