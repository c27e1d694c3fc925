"""Tables in files: every row is read by exactly one task, whatever the files are."""

from __future__ import annotations

import os
import pickle
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
import pyarrow.csv  # noqa: E402
import pyarrow.feather  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from xai_metrics import _table_files  # noqa: E402
from xai_metrics._table_files import TableFiles  # noqa: E402


def rows(first: int, n: int) -> Any:
    return pa.table({"id": np.arange(first, first + n), "word": [f"w{i % 7}" for i in range(n)], "x": np.arange(n) / 3})


def read(files: TableFiles) -> list[Any]:
    """The rows of each task, as a worker reads them."""
    there = pickle.loads(pickle.dumps(files))
    return [pa.Table.from_batches(there.batches(task), there.schema) for task in range(len(there.tasks))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three files of 1,000 rows in 10 row groups, and what Spark leaves beside them."""
    folder = tmp_path / "scores"
    folder.mkdir()
    for at in range(3):
        pq.write_table(rows(1000 * at, 1000), folder / f"part-{at}.parquet", row_group_size=100)
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.parquet.crc").write_text("no table")
    return folder


@pytest.mark.parametrize("task_bytes", [1500, 5000, 1 << 25])
def test_each_row_is_read_once_however_large_tasks_are(folder: Path, monkeypatch: Any, task_bytes: int) -> None:
    monkeypatch.setattr(_table_files, "TASK_BYTES", task_bytes)
    monkeypatch.setattr(_table_files, "_OPENING", 100)
    files = TableFiles.find(folder, "scores")
    tasks = read(files)
    assert pa.concat_tables(tasks).equals(pa.concat_tables(rows(1000 * at, 1000) for at in range(3)))
    sizes = [os.path.getsize(file) for file in folder.glob("part*")]
    assert min(sizes) > 5000
    if task_bytes < min(sizes):
        assert len(tasks) == sum(-(-size // task_bytes) for size in sizes)
        assert max(len(task) for task in tasks) < 1000
    else:
        assert [len(task) for task in tasks] == [3000]
    only = files.select(["x", "id"])
    assert only.schema.names == ["x", "id"]
    assert pa.concat_tables(read(only)).equals(pa.concat_tables(tasks).select(["x", "id"]))


def test_files_folders_patterns_and_lists(folder: Path, monkeypatch: Any) -> None:
    def ids(paths: Any) -> list[int]:
        return [item for table in read(TableFiles.find(paths, "scores")) for item in table["id"].to_pylist()]

    first = list(range(1000))
    assert ids(folder / "part-0.parquet") == ids(f"file://{folder}/part-0.parquet") == first
    assert ids(str(folder / "*-0*.parquet")) == first
    assert ids(f"file://{folder}/part-[0].p*") == first
    assert ids([folder / "part-1.parquet", folder / "part-0.parquet"]) == [*range(1000, 2000), *first]
    assert ids(str(folder.parent / "*" / "part-*")) == ids(str(folder.parent / "s*s")) == list(range(3000))
    monkeypatch.chdir(folder)
    assert ids("part-0.parquet") == ids("*0.parquet") == first
    # Workers have another working directory.
    assert TableFiles.find("part-0.parquet", "scores").tasks[0][0].path == str(folder / "part-0.parquet")


def test_patterns_of_one_letter_and_of_letters(folder: Path) -> None:
    def n_rows(paths: Any) -> int:
        return sum(len(table) for table in read(TableFiles.find(paths, "scores")))

    assert n_rows(str(folder / "part-?.parquet")) == 3000
    assert n_rows(str(folder / "part-[01].parquet")) == 2000
    (folder / "part-0.parquet").rename(folder / "part[0].parquet")
    assert n_rows(str(folder / "part[0].parquet")) == 1000
    with pytest.raises(ValueError, match="scores: .* a folder is read with its subfolders; give the folder instead"):
        TableFiles.find(f"{folder}/**/*.parquet", "scores")


def test_rows_are_not_counted_twice(folder: Path) -> None:
    with pytest.raises(ValueError, match="scores: two paths contain the file .*part-0.parquet"):
        TableFiles.find([folder, folder / "part-0.parquet"], "scores")


def test_csv_arrow_and_folders_by_value(tmp_path: Path) -> None:
    for kind in ("lime", "shap"):
        (tmp_path / f"explainer={kind}" / "run=3").mkdir(parents=True)
        pq.write_table(rows(0, 5), tmp_path / f"explainer={kind}" / "run=3" / "a.parquet")
    (table,) = read(TableFiles.find(tmp_path, "scores"))
    assert table.schema.names == ["id", "word", "x", "explainer", "run"]
    assert table["explainer"].to_pylist() == ["lime"] * 5 + ["shap"] * 5 and table["run"].to_pylist() == [3] * 10
    (table,) = read(TableFiles.find(tmp_path, "scores").select(["explainer", "x"]))
    assert table["x"].to_pylist() == [0, 1 / 3, 2 / 3, 1, 4 / 3] * 2

    pyarrow.csv.write_csv(rows(0, 5), tmp_path / "a.csv")
    pyarrow.csv.write_csv(rows(5, 5), tmp_path / "b.csv")
    (table,) = read(TableFiles.find([tmp_path / "a.csv", tmp_path / "b.csv"], "scores"))
    assert table["id"].to_pylist() == list(range(10))
    pyarrow.feather.write_feather(rows(0, 5), tmp_path / "a.arrow")
    (table,) = read(TableFiles.find(tmp_path / "a.arrow", "scores"))
    assert table.equals(rows(0, 5))


def test_what_cannot_be_found_is_an_error_of_the_driver(tmp_path: Path) -> None:
    for paths in (tmp_path, tmp_path / "a.parquet", str(tmp_path / "*.parquet")):
        with pytest.raises(FileNotFoundError, match="scores: there is no file"):
            TableFiles.find(paths, "scores")
    (tmp_path / "a.txt").write_text("id\n1\n")
    with pytest.raises(ValueError, match=r"scores: .*a\.txt has no known extension; expected \.parquet, \.csv"):
        TableFiles.find(tmp_path, "scores")
    (tmp_path / "a.txt").rename(tmp_path / "a.csv")
    pq.write_table(rows(0, 5), tmp_path / "b.parquet")
    with pytest.raises(ValueError, match="scores: expected files of one format, got csv and parquet"):
        TableFiles.find(tmp_path, "scores")
    (tmp_path / "c.parquet").write_text("no Parquet")
    with pytest.raises(ValueError, match=r"scores: .*c\.parquet cannot be read"):
        TableFiles.find(tmp_path / "c.parquet", "scores")


def test_what_a_worker_cannot_read_names_the_file_and_the_worker(folder: Path) -> None:
    files = TableFiles.find(folder, "scores")
    host = socket.gethostname()

    def fails(match: str) -> None:
        with pytest.raises(OSError, match=rf"part-1\.parquet: cannot be read by the worker on {host}: .*{match}"):
            read(files)

    pq.write_table(rows(0, 5).drop_columns("x"), folder / "part-1.parquet")
    fails("no column x, which other files have")
    pq.write_table(rows(0, 5).set_column(0, "id", [["a"] * 5]), folder / "part-1.parquet")
    fails("")
    (folder / "part-1.parquet").write_text("no Parquet")
    fails("")
    (folder / "part-1.parquet").unlink()
    fails("")
