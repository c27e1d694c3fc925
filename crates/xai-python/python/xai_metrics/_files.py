"""Files that are whole or as they were."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path


def write_whole(contents: Mapping[Path, bytes]) -> None:
    """Writes files, each whole or as it was: all are on the disk before the first gets its name.

    What is there and no regular file, a device for instance, is written to and never replaced.
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
