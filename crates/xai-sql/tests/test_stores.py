"""`xai-sql` on tables in stores, by servers of them on this machine: `cargo xtask ci scale-python`.

moto is a server of S3; what Google Cloud Storage is asked for here (lists, objects and parts of them, without a signature) it
answers as well. Azurite, the server of Azure's own programmers, is asked where `azurite-blob` is in the path.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from programs import Program

boto3 = pytest.importorskip("boto3")
server = pytest.importorskip("moto.server")

# The account that every Azurite has.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


class Store(Program):
    """A server with a bucket, in which the scores of the folder are."""

    def __init__(self, folder: Path, scheme: str) -> None:
        super().__init__(folder)
        self.bucket = f"{scheme}://bucket"
        self.put: Callable[[str, bytes], object] = lambda _key, _body: None

    def fill(self) -> None:
        for file in sorted((self.folder / "runs").iterdir()):
            self.put(f"runs/{file.name}", file.read_bytes())
            self.put(f"models/model=a b/{file.name}", file.read_bytes())
        # What programs leave beside: an object for the folder, and a note.
        self.put("runs/", b"")
        self.put("runs/_SUCCESS", b"")


@contextmanager
def amazon(store: Store) -> Iterator[None]:
    served = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    served.start()
    host, port = served.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
    client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", **keys)
    client.create_bucket(Bucket="bucket")
    store.put = lambda key, body: client.put_object(Bucket="bucket", Key=key, Body=body, ACL="public-read")
    store.variables = {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "us-east-1",
        **{name.upper(): value for name, value in keys.items()},
    }
    yield
    served.stop()


@contextmanager
def google(store: Store) -> Iterator[None]:
    with amazon(store):
        key = {"client_email": "", "private_key": "", "private_key_id": "", "disable_oauth": True}
        key["gcs_base_url"] = store.variables["AWS_ENDPOINT_URL"]
        (store.folder / "google.json").write_text(json.dumps(key))
        store.variables = {"GOOGLE_SERVICE_ACCOUNT": "google.json"}
        yield


def is_open(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def azure(store: Store) -> Iterator[None]:
    program = shutil.which("azurite-blob")
    if program is None:
        pytest.skip("azurite-blob is not in the path")
    blobs = pytest.importorskip("azure.storage.blob")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--silent", "--disableTelemetry", "--skipApiVersionCheck", "--location", str(store.folder / "azurite")]
    with subprocess.Popen([program, "--blobPort", str(port), *options]) as served, ExitStack() as running:
        running.callback(served.kill)
        deadline = time.monotonic() + 60
        while not is_open(port):
            assert served.poll() is None and time.monotonic() < deadline, "azurite-blob does not listen"
            time.sleep(0.1)
        endpoint = f"http://127.0.0.1:{port}/{ACCOUNT}"
        connection = f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};BlobEndpoint={endpoint};"
        container = blobs.BlobServiceClient.from_connection_string(connection).create_container("bucket")
        store.put = lambda key, body: container.upload_blob(key, body)
        store.variables = {
            "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
            "AZURE_STORAGE_ACCOUNT_KEY": KEY,
            "AZURE_STORAGE_ENDPOINT": endpoint,
            "AZURE_ALLOW_HTTP": "true",
        }
        yield


@pytest.fixture(scope="module", params=[("s3", amazon), ("gs", google), ("az", azure)], ids=lambda it: it[0])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    scheme, served = request.param
    store = Store(tmp_path_factory.mktemp("store"), scheme)
    with served(store):
        store.fill()
        yield store


def test_tables_in_a_store_give_the_bits_of_files(store: Store) -> None:
    here = store.drop("runs")
    for table in ["runs", "runs/", "runs/*.parquet", "runs/part-0000[0-3].parquet"]:
        assert store.drop(f"{store.bucket}/{table}") == here, table
    one = store.drop("runs/part-00000.parquet")
    assert store.drop(f"{store.bucket}/runs/part-00000.parquet") == one
    assert store.drop(f"{store.bucket}/runs/*0.parquet") == one
    query = f"SELECT model, count(*) AS n FROM '{store.bucket}/models' GROUP BY model"
    assert store.output("sql", query, "--json") == '[{"model":"a b","n":4000}]\n'


def test_credentials_come_from_the_environment(store: Store) -> None:
    here = store.drop("runs")
    table = f"{store.bucket}/runs"
    if store.bucket.startswith("s3"):
        assert store.drop("s3a://bucket/runs") == here
        nobody = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
        said = "AWS_ENDPOINT_URL"
    elif store.bucket.startswith("gs"):
        by_value = {"GOOGLE_SERVICE_ACCOUNT": "", "GOOGLE_SERVICE_ACCOUNT_KEY": (store.folder / "google.json").read_text()}
        assert store.drop(table, **by_value) == here
        nobody = {"GOOGLE_SERVICE_ACCOUNT": "absent.json"}
        said = "GOOGLE_APPLICATION_CREDENTIALS"
    else:
        assert store.drop(f"abfss://bucket@{ACCOUNT}.dfs.core.windows.net/runs") == here
        nobody = {"AZURE_STORAGE_ACCOUNT_KEY": KEY.replace("E", "F", 1)}
        said = "AZURE_STORAGE_ACCOUNT_KEY"
    assert said in store.refused(table, **nobody)


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
    bucket = store.bucket
    for address, said in [
        (f"{bucket}/none", "there is no such object"),
        (f"{bucket.replace('bucket', 'nowhere')}/none", " does not exist"),
        (f"{bucket}/delta", "a table of Delta Lake"),
        (f"{bucket}/lacks", f"{bucket}/lacks/b.csv: no column `b`"),
        (f"{bucket}/damaged", f"{bucket}/damaged/x.parquet: "),
        (f"{bucket}/runs/*.csv", "a folder without files *.csv"),
    ]:
        assert said in store.refused(address), address
    query = f"SELECT average_drop(base, masked) FROM '{bucket}/nan'"
    assert f"row 2 of {bucket}/nan/x.csv" in store.run("sql", query)[2]
