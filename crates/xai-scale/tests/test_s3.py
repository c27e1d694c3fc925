"""`xai-scale` on tables in S3, by a server of it on this machine: `cargo xtask ci scale-python`.

`XAI_SCALE` is the program.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

boto3 = pytest.importorskip("boto3")
server = pytest.importorskip("moto.server")

PROGRAM = os.environ["XAI_SCALE"]
DROP = "SELECT explainer, average_drop(base, masked) AS drop FROM '{}' GROUP BY explainer ORDER BY explainer"
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
    "AWS_EC2_METADATA_DISABLED": "true",
}


class Store:
    """A server with a bucket, and the scores of a folder in it."""

    def __init__(self, folder: Path, endpoint: str) -> None:
        self.folder = folder
        self.variables = {
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
        }
        self.client = boto3.client(
            "s3",
            endpoint_url=endpoint,
            region_name="us-east-1",
            aws_access_key_id="key",
            aws_secret_access_key="secret",
        )
        self.client.create_bucket(Bucket="bucket")

    def put(self, key: str, body: bytes) -> None:
        self.client.put_object(Bucket="bucket", Key=key, Body=body)

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

    def json(self, table: str, *options: str, **variables: str) -> str:
        code, out, err = self.run("sql", DROP.format(table), "--json", *options, **variables)
        assert code == 0, err
        return out

    def refused(self, table: str, *options: str, **variables: str) -> str:
        code, _, err = self.run("sql", f"SELECT count(*) FROM '{table}'", *options, **variables)
        assert code != 0
        return err


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    served = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    served.start()
    host, port = served.get_host_and_port()
    store = Store(tmp_path_factory.mktemp("store"), f"http://{host}:{port}")
    generate = ["generate", "--rows", "4000", "--groups", "3", "--files", "4", "--out", "runs"]
    code, _, err = store.run(*generate)
    assert code == 0, err
    for file in sorted((store.folder / "runs").iterdir()):
        store.put(f"runs/{file.name}", file.read_bytes())
        store.put(f"models/model=a b/{file.name}", file.read_bytes())
    # What programs leave beside: an object for the folder, and a note.
    store.put("runs/", b"")
    store.put("runs/_SUCCESS", b"")
    yield store
    served.stop()


def test_tables_in_s3_give_the_bits_of_files(store: Store) -> None:
    here = store.json("runs")
    for table in ["runs", "runs/", "runs/*.parquet", "runs/part-0000[0-3].parquet"]:
        assert store.json(f"s3://bucket/{table}") == here, table
    assert store.json("s3a://bucket/runs") == here
    one = store.json("runs/part-00000.parquet")
    assert store.json("s3://bucket/runs/part-00000.parquet") == one
    assert store.json("s3://bucket/runs/*0.parquet") == one
    query = "SELECT model, count(*) AS n FROM 's3://bucket/models' GROUP BY model"
    assert store.run("sql", query, "--json")[1] == '[{"model":"a b","n":4000}]\n'


def test_two_executors_read_s3_and_a_data_root_holds_there(store: Store) -> None:
    with ExitStack() as running:

        def server(*arguments: str) -> str:
            process = store.start(*arguments)
            running.callback(process.communicate)
            running.callback(process.kill)
            assert process.stdout is not None
            return process.stdout.readline()

        root = ["--data-root", "s3://bucket/runs"]
        address = server("scheduler", "--port", "0", *root).split()[-1]
        for _ in range(2):
            server("executor", "--scheduler", address, "--concurrent-tasks", "1", *root)
        to = ["--scheduler", address]
        here = store.json("runs")
        for table in ["runs", "runs/*.parquet"]:
            assert store.json(f"s3://bucket/{table}", "--partitions", "4", *to) == here
        for table in ["s3://bucket/models", str(store.folder / "runs")]:
            assert "not below a --data-root" in store.refused(table, *to)


def test_credentials_are_those_of_the_programs_of_aws(store: Store) -> None:
    (store.folder / "credentials").write_text(
        "[default]\naws_access_key_id = other\n[mine]\naws_access_key_id = key\naws_secret_access_key = secret\n"
    )
    (store.folder / "config").write_text("[profile mine]\nregion = us-east-1\n")
    by_profile = {
        "AWS_ACCESS_KEY_ID": "",
        "AWS_SECRET_ACCESS_KEY": "",
        "AWS_REGION": "",
        "AWS_PROFILE": "mine",
        "AWS_SHARED_CREDENTIALS_FILE": str(store.folder / "credentials"),
        "AWS_CONFIG_FILE": str(store.folder / "config"),
    }
    assert store.json("s3://bucket/runs", **by_profile) == store.json("runs")
    nobody = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
    assert "AWS_ENDPOINT_URL" in store.refused("s3://bucket/runs", **nobody)


def test_what_is_wrong_is_named_by_its_address(store: Store) -> None:
    table = "column\n1\n"
    for key, body in [
        ("delta/_delta_log/0.json", "x"),
        ("delta/x.csv", table),
        ("lacks/a.csv", "a,b\n1,2\n"),
        ("lacks/b.csv", "a\n1\n"),
        ("damaged/x.parquet", "PAR1" * 999),
        ("nan/x.csv", "base,masked\n1,0.5\n1,NaN\n"),
    ]:
        store.put(key, body.encode())
    for address, said in [
        ("s3://bucket/none", "there is no such object"),
        ("s3://nowhere/none", "The specified bucket does not exist"),
        ("s3://bucket/delta", "a table of Delta Lake"),
        ("s3://bucket/lacks", "s3://bucket/lacks/b.csv: no column `b`"),
        ("s3://bucket/damaged", "s3://bucket/damaged/x.parquet: "),
        ("s3://bucket/runs/*.csv", "a folder without files *.csv"),
    ]:
        assert said in store.refused(address), address
    query = "SELECT average_drop(base, masked) FROM 's3://bucket/nan'"
    assert "row 2 of s3://bucket/nan/x.csv" in store.run("sql", query)[2]
