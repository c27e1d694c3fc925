"""What type checkers and editors know of the package."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import xai_metrics

HERE = Path(__file__).parent
CALLS = HERE / "type_checks" / "calls.py"


def test_the_stubs_are_those_of_the_registry() -> None:
    spec = importlib.util.spec_from_file_location("stubs", HERE.parent / "stubs.py")
    assert spec is not None and spec.loader is not None
    stubs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stubs)
    folder = Path(xai_metrics.__file__).parent
    outdated = [path for path, text in stubs.files().items() if (folder / path).read_text(encoding="utf-8") != text]
    assert not outdated, "run `cargo xtask stubs`"


def marked(pattern: str) -> list[int]:
    """Lines of the calls whose end is a comment about an error."""
    lines = CALLS.read_text(encoding="utf-8").splitlines()
    return [number for number, line in enumerate(lines, 1) if re.search(pattern, line)]


def output_of(*arguments: str) -> str:
    return subprocess.run([sys.executable, "-m", *arguments, str(CALLS)], capture_output=True, text=True).stdout


def test_pyright_reports_exactly_the_wrong_calls() -> None:
    pytest.importorskip("pyright")
    found = json.loads(output_of("pyright", "--pythonpath", sys.executable, "--outputjson"))
    reported = {item["range"]["start"]["line"] + 1 for item in found["generalDiagnostics"]}
    assert sorted(reported) == marked(r"# error( \(pyright\))?$")


def test_mypy_reports_exactly_the_wrong_calls(tmp_path: Path) -> None:
    found = output_of("mypy", "--strict", "--config-file", os.devnull, "--cache-dir", str(tmp_path))
    reported = {int(line) for line in re.findall(r"calls\.py:(\d+): error", found)}
    assert sorted(reported) == marked(r"# error$")


class LanguageServer:
    """A client of pyright's language server."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "pyright.langserver", "--stdio"]
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.uri = (folder / "module.py").as_uri()
        folders = [{"uri": folder.as_uri(), "name": "project"}]
        self.request("initialize", processId=None, workspaceFolders=folders, capabilities={})
        self.send(method="initialized", params={})

    def send(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def messages(self) -> Iterator[dict[str, Any]]:
        output = self.process.stdout
        assert output is not None
        while header := output.readline():
            while output.readline().strip():
                pass
            yield json.loads(output.read(int(header.split(b":")[1])))

    def request(self, method: str, **params: Any) -> Any:
        self.send(id=method, method=method, params=params)
        return next(message["result"] for message in self.messages() if message.get("id") == method)

    def completions(self, text: str) -> set[str]:
        """Complete the text at its end."""
        document = {"uri": self.uri, "languageId": "python", "version": 1, "text": text}
        self.send(method="textDocument/didOpen", params={"textDocument": document})
        lines = text.split("\n")
        position = {"line": len(lines) - 1, "character": len(lines[-1])}
        found = self.request("textDocument/completion", textDocument={"uri": self.uri}, position=position)
        self.send(method="textDocument/didClose", params={"textDocument": {"uri": self.uri}})
        return {item["label"].strip('"') for item in found["items"]}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LanguageServer]:
    pytest.importorskip("pyright")
    folder = tmp_path_factory.mktemp("project")
    settings = {"extraPaths": [str(Path(xai_metrics.__file__).parents[1])]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    server = LanguageServer(folder)
    with server.process:
        yield server
        server.process.kill()


TABLE = "from xai_metrics.attribution import EvaluationTable\ndef f(table: EvaluationTable):\n    "
METHODS = "from xai_metrics.counterfactual import CounterfactualTable\ndef f(table: CounterfactualTable):\n    "
METRICS = "from xai_metrics.attribution import Deletion, evaluate\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TABLE + 'table["', {"deletion", "mu_fidelity", "sparseness"}),
        (TABLE + "table['deletion']['mine'].", {"value", "interval", "per_sample", "rank"}),
        (METHODS + 'table["mine"]["', {"proximity", "validity"}),
        (METRICS + "Deletion(", {"steps=", "baseline=", "ties="}),
        (METRICS + 'Deletion(ties="', {"lowest-index", "random"}),
        (METRICS + 'evaluate(None, None, None, {}, activation="', {"softmax", "sigmoid", "log-softmax"}),
        ("from xai_metrics.attribution import D", {"Deletion"}),
        ("from xai_metrics import repro\nrepro.pairwise(", {"labels=", "empty_union="}),
        ('from xai_metrics import repro\nrepro.pairwise([]).pairs("', {"ec_local", "pa_acc"}),
    ],
)
def test_editors_complete_names_and_words(server: LanguageServer, text: str, expected: set[str]) -> None:
    assert server.completions(text) >= expected
