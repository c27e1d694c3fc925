"""A cluster of `xai-scale` asked by ADBC's driver for Arrow Flight SQL: `cargo xtask ci scale-python`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import Program, drop

pytest.importorskip("adbc_driver_flightsql")
from adbc_driver_flightsql import DatabaseOptions, dbapi


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    program = Program(tmp_path_factory.mktemp("data").resolve())
    (program.folder / "secret").write_text("0123456789abcdef" * 4 + "\n")
    return program


@pytest.fixture(params=["plain", "secret"])
def connection(request: pytest.FixtureRequest, program: Program) -> Iterator[dbapi.Connection]:
    folder = program.folder
    secret = ["--token-file", "secret"] if request.param == "secret" else []
    with program.cluster(*secret, "--data-root", str(folder), of_scheduler=("--flight-sql",)) as address:
        tls = {}
        if secret:
            key = folder / "key.pem"
            key.unlink(missing_ok=True)
            name = program.output("certificate", *secret, "--cert", "cert.pem", "--key", "key.pem").split()[-1]
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


def test_queries_by_adbc_have_the_bits_of_one_machine(connection: dbapi.Connection, program: Program) -> None:
    table = program.folder / "runs"
    with connection.cursor() as cursor:
        cursor.execute(drop(table))
        assert cursor.fetch_arrow_table().to_pylist() == json.loads(program.drop("runs"))
        cursor.execute(f"SELECT count(*) FROM '{table}'")
        assert cursor.fetchall() == [(4000,)]
        for refused in ["SELECT * FROM '/etc/passwd.csv'", f"COPY '{table}' TO '/tmp/x.csv'", "SELECT"]:
            with pytest.raises(dbapi.Error):
                cursor.execute(refused)
    schema = connection.adbc_get_table_schema(str(table))
    assert schema.names == ["explainer", "base", "masked"]
