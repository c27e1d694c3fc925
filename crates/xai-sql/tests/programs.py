"""The program `xai-sql` (`XAI_SQL`), as its tests start it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

PROGRAM = os.environ["XAI_SQL"]
CREDENTIALS = ("AWS_", "AZURE_", "GOOGLE_")
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith(CREDENTIALS)},
    "AWS_EC2_METADATA_DISABLED": "true",
}
SCORES = """
    SELECT concat('explainer-', CAST(i * 31 % 3 AS VARCHAR)) AS explainer, sqrt((i * 7919 % 100003 + 1) / 100004.0) AS base,
    sqrt((i * 104729 % 99991) / 99991.0) AS masked FROM generate_series({first}, {last}) AS numbers(i)"""


class Program:
    """`xai-sql` in a folder that has scores in `runs`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.variables: dict[str, str] = {}
        (folder / "runs").mkdir()
        for file in range(4):
            query = SCORES.format(first=1000 * file, last=1000 * file + 999)
            self.output("sql", query, "--out", f"runs/part-{file:05}.parquet")

    def start(self, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        environment = {**ENVIRONMENT, **self.variables, **variables}
        return subprocess.Popen(
            [PROGRAM, *arguments],
            cwd=self.folder,
            env={name: value for name, value in environment.items() if value},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, **variables: str) -> tuple[int, str, str]:
        process = self.start(*arguments, **variables)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def output(self, *arguments: str, **variables: str) -> str:
        code, out, err = self.run(*arguments, **variables)
        assert code == 0, err
        return out

    def drop(self, table: str | Path, *options: str, **variables: str) -> str:
        return self.output("sql", drop(table), "--json", *options, **variables)

    def refused(self, table: str, *options: str, **variables: str) -> str:
        code, _, err = self.run("sql", f"SELECT count(*) FROM '{table}'", *options, **variables)
        assert code != 0
        return err


def drop(table: str | Path) -> str:
    return f"SELECT explainer, average_drop(base, masked) AS drop FROM '{table}' GROUP BY explainer ORDER BY explainer"
