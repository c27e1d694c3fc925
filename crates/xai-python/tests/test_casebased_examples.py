"""The examples run, and find what they say."""

import pathlib
import runpy

import pytest

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


@pytest.mark.filterwarnings("ignore")
def test_the_forest(capsys):
    pytest.importorskip("sklearn")
    reports = runpy.run_path(str(EXAMPLES / "casebased_forest.py"))["main"]()
    for report in reports.values():
        assert report.n_samples == 171
        assert report.by_level["high"].accuracy > report.by_level["low"].accuracy
    assert "CASE-BASED EXPLANATION" in capsys.readouterr().out
