"""The notebooks that need a large library run, in a kernel of their own, and each ends with a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
nbformat = pytest.importorskip("nbformat")

NOTEBOOKS = Path(__file__).parents[2] / "examples/notebooks"
NEEDS = {
    "image_captum": ["torch", "captum"],
    "table_shap": ["sklearn", "shap"],
    "counterfactuals_dice": ["sklearn", "pandas", "dice_ml"],
    "text_transformer": ["torch", "transformers"],
    "graph_pyg": ["torch", "torch_geometric", "networkx"],
}


@pytest.mark.parametrize("name", NEEDS)
def test_a_notebook_runs_and_ends_with_a_picture(name: str, monkeypatch: Any) -> None:
    for library in NEEDS[name]:
        pytest.importorskip(library)
    # Nothing is fetched.
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = notebook.cells[-1].outputs
    assert any("image/png" in output.get("data", {}) for output in outputs)
