"""A cluster of `xai-scale` asked by ADBC's driver for Arrow Flight SQL: `cargo xtask ci scale-python`.

`XAI_SCALE` is the program.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("adbc_driver_flightsql")
from adbc_driver_flightsql import DatabaseOptions, dbapi

PROGRAM = os.environ["XAI_SCALE"]
DROP = "SELECT explainer, average_drop(base, masked) AS drop FROM '{}' GROUP BY explainer ORDER BY explainer"


def run(folder: Path, *arguments: str) -> str:
    said = subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, timeout=120)
    assert said.returncode == 0, said.stderr
    return said.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data").resolve()
    run(folder, "generate", "--rows", "4000", "--groups", "3", "--files", "4", "--out", "runs")
    (folder / "secret").write_text("0123456789abcdef" * 4 + "\n")
    return folder


@pytest.fixture(params=["plain", "secret"])
def cluster(request: pytest.FixtureRequest, folder: Path) -> Iterator[dbapi.Connection]:
    secret = ["--token-file", "secret"] if request.param == "secret" else []
    with ExitStack() as running:

        def server(*arguments: str) -> str:
            process = subprocess.Popen([PROGRAM, *arguments], cwd=folder, stdout=subprocess.PIPE, text=True)
            running.callback(process.communicate)
            running.callback(process.kill)
            assert process.stdout is not None
            return process.stdout.readline()

        options = [*secret, "--data-root", str(folder)]
        address = server("scheduler", "--port", "0", "--flight-sql", *options).split()[-1]
        for _ in range(2):
            server("executor", "--scheduler", address, "--concurrent-tasks", "1", *options)
        tls = {}
        if secret:
            key = folder / "key.pem"
            key.unlink(missing_ok=True)
            name = run(folder, "certificate", *secret, "--cert", "cert.pem", "--key", "key.pem").split()[-1]
            assert key.stat().st_mode & 0o77 == 0
            certificate = (folder / "cert.pem").read_text()
            tls = {
                DatabaseOptions.TLS_ROOT_CERTS.value: certificate,
                DatabaseOptions.MTLS_CERT_CHAIN.value: certificate,
                DatabaseOptions.MTLS_PRIVATE_KEY.value: key.read_text(),
                DatabaseOptions.TLS_OVERRIDE_HOSTNAME.value: name,
            }
        protocol = "grpc+tls" if secret else "grpc"
        with dbapi.connect(f"{protocol}://{address}", db_kwargs=tls, autocommit=True) as connection:
            yield connection


def test_queries_by_adbc_have_the_bits_of_one_machine(cluster: dbapi.Connection, folder: Path) -> None:
    here = json.loads(run(folder, "sql", DROP.format("runs"), "--json"))
    with cluster.cursor() as cursor:
        cursor.execute(DROP.format(folder / "runs"))
        assert cursor.fetch_arrow_table().to_pylist() == here
        cursor.execute(f"SELECT count(*) FROM '{folder / 'runs'}'")
        assert cursor.fetchall() == [(4000,)]
        for refused in ["SELECT * FROM '/etc/passwd.csv'", f"COPY '{folder / 'runs'}' TO '/tmp/x.csv'", "SELECT"]:
            with pytest.raises(dbapi.Error):
                cursor.execute(refused)
    schema = cluster.adbc_get_table_schema(str(folder / "runs"))
    assert schema.names == ["explainer", "base", "masked"]
