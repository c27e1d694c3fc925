"""The notebooks that need no library beyond those of the usual tests run, and each ends with a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

matplotlib = pytest.importorskip("matplotlib")
pytest.importorskip("sklearn")

NOTEBOOKS = Path(__file__).parents[1] / "examples/notebooks"


def code_of(name: str) -> list[str]:
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.parametrize("name", ["time_series", "repeated_trainings"])
def test_a_notebook_runs_and_ends_with_a_picture(name: str, monkeypatch: Any) -> None:
    matplotlib.use("Agg")
    from matplotlib import pyplot

    shown: list[list[int]] = []
    monkeypatch.setattr(pyplot, "show", lambda: shown.append(pyplot.get_fignums()))
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, code in enumerate(code_of(name)):
        exec(compile(code, f"{name}, cell {number}", "exec"), names)
    assert shown and shown[-1]
    pyplot.close("all")


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_are_stored_without_outputs_and_end_with_a_picture(path: Path) -> None:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    assert all(not cell.get("outputs") and not cell.get("execution_count") for cell in cells)
    assert "".join(cells[-1]["source"]).endswith("plt.show()")
