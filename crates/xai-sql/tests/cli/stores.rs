//! Tables by address and by pattern. Those in S3 are tested from Python, where there is a server for it
//! (`tests/test_stores.py`).

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Result, Seek, SeekFrom, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use crate::functions::grouped;
use crate::harness::Files;

const DROP: &str = "average_drop(base, masked)";

/// Serves the files of a folder by HTTP, as long as the tests run, and gives its address.
fn served(folder: &Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let folder = folder.to_owned();
    std::thread::spawn(move || {
        for caller in listener.incoming().flatten() {
            let folder = folder.clone();
            std::thread::spawn(move || while answer(&caller, &folder).is_ok() {});
        }
    });
    format!("http://{address}")
}

/// Answers a request for a file or for some of its bytes.
fn answer(mut caller: &TcpStream, folder: &Path) -> Result<()> {
    let mut lines = BufReader::new(caller).lines();
    let mut line = || lines.next().transpose().map(Option::unwrap_or_default);
    let request = line()?;
    let (mut range, mut words) = (None, request.split_whitespace());
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    };
    loop {
        let header = line()?.to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(bytes) = header.strip_prefix("range: bytes=") {
            let (from, to) = bytes.split_once('-').expect("a range");
            range = Some((from.parse().unwrap_or(0), to.parse().unwrap_or(u64::MAX)));
        }
    }
    let file = File::open(folder.join(path.trim_start_matches('/')));
    let Ok(mut file) = file else {
        return caller.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    };
    let size = file.metadata()?.len();
    let (from, to) = range.unwrap_or((0, u64::MAX));
    let to = to.min(size - 1);
    let status = match range {
        Some(_) => format!("206 Partial Content\r\nContent-Range: bytes {from}-{to}/{size}"),
        None => "200 OK".to_owned(),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nLast-Modified: Sat, 28 Nov 2026 00:00:00 GMT\r\nETag: \"1\"\r\n\r\n",
        to + 1 - from
    );
    caller.write_all(head.as_bytes())?;
    if method == "GET" {
        file.seek(SeekFrom::Start(from))?;
        std::io::copy(&mut file.take(to + 1 - from), &mut caller)?;
    }
    Ok(())
}

#[test]
fn files_are_read_by_http() {
    let files = Files::with_scores(3000, 3, 1);
    files
        .run(&["sql", "SELECT * FROM 'runs'", "--out", "runs.csv"])
        .well();
    let address = served(&files.path(""));
    let expected = files.json(&grouped(DROP, "runs"), &[]);
    for table in ["runs/part-00000.parquet", "runs.csv"] {
        let query = grouped(DROP, &format!("{address}/{table}"));
        assert_eq!(files.json(&query, &[]), expected, "{table}");
        let in_parts = files.json(&query, &["--partitions", "3"]);
        assert_eq!(in_parts, expected, "{table}");
    }
    let query = grouped(DROP, &format!("{address}/none.csv"));
    let said = files.run(&["sql", &query]);
    let (error, _) = said.badly(1);
    assert!(
        error.contains("none.csv: there is no such file"),
        "{said:?}"
    );
    // A file that cannot be read is told by its address.
    std::fs::write(files.path("damaged.parquet"), vec![7; 5000]).expect("written");
    let damaged = format!("{address}/damaged.parquet");
    let said = files.run(&["tables", &damaged]);
    assert!(said.badly(1).0.starts_with(&damaged), "{said:?}");
}

#[test]
fn missing_servers_and_invalid_addresses_are_reported() {
    let files = Files::new();
    let ask = |table: &str| files.run(&["sql", &format!("SELECT 1 FROM '{table}'")]);
    let said = ask("http://127.0.0.1:9/x.csv");
    let (error, help) = said.badly(1);
    assert!(
        error.starts_with("http://127.0.0.1:9/x.csv: cannot be read") && help.contains("curl"),
        "{said:?}"
    );
    for (table, what) in [
        ("hdfs://host/x.csv", "no tables at such an address"),
        ("s3://key:secret@bucket/x.csv", "credentials"),
        ("https://host/x.csv?token=1", "the name of a file"),
    ] {
        let said = ask(table);
        let (error, help) = said.badly(2);
        assert!(
            error.contains(what) && help.contains("s3://BUCKET"),
            "{said:?}"
        );
    }
    let said = files.run(&["sql", "SELECT 1 AS a", "--out", "s3://bucket/x.csv"]);
    let (error, help) = said.badly(2);
    assert!(
        error.contains("a file of this machine") && help.contains("copy it"),
        "{said:?}"
    );
}

/// Writes a file of one number.
fn number(file: PathBuf, of: u32) {
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    std::fs::write(file, format!("a\n{of}\n")).expect("written");
}

#[test]
fn a_folder_is_all_files_below_it() {
    let files = Files::new();
    for (name, of) in [("t/1.csv", 1), ("t/b/2.csv", 2), ("t/b/c/3.csv", 4)] {
        number(files.path(name), of);
    }
    let sum = |table: &str| files.json(&format!("SELECT sum(a) AS s FROM '{table}'"), &[]);
    assert_eq!(sum("t"), "[{\"s\":7}]\n");
    assert_eq!(sum("t/b"), "[{\"s\":6}]\n");
    assert_eq!(sum("t/b/*.csv"), "[{\"s\":2}]\n");
    assert_eq!(sum("t/?.csv"), "[{\"s\":1}]\n");
    assert_eq!(sum("t/[1-3].csv"), "[{\"s\":1}]\n");
    // A pattern tells files of one format from others.
    number(files.path("t/notes.json"), 1);
    assert_eq!(files.run(&["tables", "t"]).code, Some(1));
    assert_eq!(sum("t/*.csv"), "[{\"s\":1}]\n");
    // Files are compared whichever way they are named.
    std::fs::write(files.path("t/2.csv"), "b\n1\n").expect("written");
    let said = files.run(&["tables", "t/*.csv"]);
    assert!(said.badly(1).0.contains("no column"), "{said:?}");
    std::fs::remove_file(files.path("t/2.csv")).expect("removed");
    let said = files.run(&["tables", "t/*.parquet"]);
    assert!(
        said.badly(1).0.contains("without files *.parquet"),
        "{said:?}"
    );
    // A name that is one.
    number(files.path("[a].csv"), 9);
    number(files.path("a.csv"), 3);
    assert_eq!(sum("[a].csv"), "[{\"s\":9}]\n");
    let said = files.run(&["sql", "SELECT 1 AS a", "--out", "t/4.csv"]);
    said.well();
    let query = "SELECT a FROM 't/*.csv'";
    let said = files.run(&["sql", query, "--out", "t/5.csv"]);
    assert!(said.badly(2).0.contains("--out"), "{said:?}");
}
