"""axe-core, which finds what keeps people from a page: got once, from npm or else from PyPI, and kept."""

import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

VERSION = "4.12.1"
# A package of PyPI that carries the same version.
WHEEL = "axe-playwright-python==0.1.8"
# Seconds until a registry that does not answer is given up.
PATIENCE = 60


def from_npm(folder):
    """The script in the package of npm."""
    subprocess.run(["npm", "pack", f"axe-core@{VERSION}", "--fetch-retries=0", "--silent"], cwd=folder,
                   check=True, capture_output=True, timeout=PATIENCE)
    with tarfile.open(next(folder.glob("*.tgz"))) as package:
        return package.extractfile("package/axe.min.js").read()


def from_pypi(folder):
    """The script in a package of PyPI."""
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--retries=0", WHEEL], cwd=folder,
                   check=True, capture_output=True, timeout=PATIENCE)
    with zipfile.ZipFile(io.BytesIO(next(folder.glob("*.whl")).read_bytes())) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith("axe.min.js"))
        return wheel.read(name)


def source(kept_in):
    """The script, or None where neither registry gives it."""
    kept = pathlib.Path(kept_in) / f"axe-{VERSION}.min.js"
    if kept.is_file():
        return kept.read_text(encoding="utf-8")
    for get in (from_npm, from_pypi):
        with tempfile.TemporaryDirectory() as folder:
            try:
                script = get(pathlib.Path(folder))
            except (OSError, StopIteration, KeyError, subprocess.SubprocessError, tarfile.TarError, zipfile.BadZipFile):
                continue
        if f"axe v{VERSION}".encode() not in script[:200]:
            continue
        # Whole or not at all: an interrupted run leaves no half of a script behind.
        unfinished = kept.with_suffix(".part")
        unfinished.write_bytes(script)
        unfinished.replace(kept)
        return script.decode()
    return None
