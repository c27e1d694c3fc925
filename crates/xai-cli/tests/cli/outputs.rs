//! Kinds of files for `--out`, and standard streams that cannot be written.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use ndarray::array;

use crate::harness::{Files, XAI};

const ROWS: &str = "explanation,pos_fidelity,neg_fidelity,characterization\n";

/// Returns a folder with the files that `COMMAND` reads.
fn files() -> Files {
    let files = Files::new();
    files.array("p.npy", &array![0.5, 0.25]);
    files.array("q.npy", &array![0.5, 0.25]);
    files
}

const COMMAND: &str = "graph characterization --pos p.npy --neg q.npy --out";

/// Runs a line of the shell in a folder; `$xai` is the program. It is killed after a minute, because reading a pipe
/// without a writer would never end.
pub(crate) fn shell(files: &Files, line: &str) -> Output {
    let shell = Command::new("sh")
        .current_dir(files.path(""))
        .env("xai", XAI)
        .args(["-c", line])
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    let group = format!("-{}", shell.id());
    let (ended, has_ended) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        if has_ended.recv_timeout(Duration::from_secs(60)) == Err(RecvTimeoutError::Timeout) {
            let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        }
    });
    let output = shell.wait_with_output().expect("ends");
    drop(ended);
    output
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Checks that there are no temporary files in the folder.
fn is_clean(files: &Files) -> bool {
    let mut names = fs::read_dir(files.path("")).unwrap();
    !names.any(|entry| {
        entry
            .unwrap()
            .file_name()
            .to_string_lossy()
            .starts_with(".xai-")
    })
}

#[test]
fn links_stay_and_their_target_is_written() {
    let files = files();
    fs::create_dir(files.path("other")).unwrap();
    fs::write(files.path("other/rows.csv"), "old").unwrap();
    symlink("other/rows.csv", files.path("link")).unwrap();
    symlink("link", files.path("link_of_link")).unwrap();
    symlink("other/new.csv", files.path("dangling")).unwrap();
    for (link, target) in [
        ("link", "other/rows.csv"),
        ("link_of_link", "other/rows.csv"),
        ("dangling", "other/new.csv"),
    ] {
        files.table(&format!("{COMMAND} {link}"));
        assert!(fs::symlink_metadata(files.path(link)).unwrap().is_symlink());
        assert!(files.read(target).starts_with(ROWS), "{link}");
        fs::write(files.path(target), "old").unwrap();
    }
    symlink("b", files.path("a")).unwrap();
    symlink("a", files.path("b")).unwrap();
    files.bad_data("a", &format!("{COMMAND} a"));
}

#[test]
fn pipes_and_devices_are_written_to() {
    let files = files();
    let made = std::process::Command::new("mkfifo")
        .arg(files.path("pipe"))
        .status();
    assert!(made.expect("mkfifo").success());
    let pipe = files.path("pipe");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        fs::File::open(pipe)
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        text
    });
    files.table(&format!("{COMMAND} pipe"));
    assert!(reader.join().unwrap().starts_with(ROWS));
    assert!(!fs::metadata(files.path("pipe")).unwrap().is_file());

    files.table(&format!("{COMMAND} /dev/null"));
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    if Path::new("/dev/full").exists() {
        files.bad_data("/dev/full", &format!("{COMMAND} /dev/full"));
        assert!(!fs::metadata("/dev/full").unwrap().is_file());
    }
    for path in ["/dev/stdout", "/dev/fd/1"] {
        let text = files.table(&format!("{COMMAND} {path} --json"));
        assert!(text.starts_with(ROWS), "{path}: {text}");
        assert!(
            text.lines().last().unwrap().starts_with('{'),
            "{path}: {text}"
        );
    }
    // A descriptor of a file: its contents stay.
    let line = format!(
        "echo before >both; $xai {COMMAND} /dev/fd/3 3>>both; $xai {COMMAND} /dev/stdout >all --json"
    );
    assert!(shell(&files, &line).status.success());
    let both = files.read("both");
    assert_eq!(
        both.strip_prefix("before\n")
            .map(|rest| rest.starts_with(ROWS)),
        Some(true)
    );
    let all = files.read("all");
    assert!(all.starts_with(ROWS) && all.ends_with("}\n"), "{all}");
    assert!(is_clean(&files));
}

#[test]
fn permissions_come_from_the_umask_or_the_existing_file() {
    let files = files();
    for (umask, expected) in [("077", 0o600), ("022", 0o644), ("002", 0o664)] {
        let name = format!("new{umask}");
        let output = shell(&files, &format!("umask {umask}; $xai {COMMAND} {name}"));
        assert!(output.status.success());
        assert_eq!(mode(&files.path(&name)), expected);
    }
    files.text("t.csv", "a,y\n1,0\n2,1\n3,1\n");
    let fit = "casebased fit --train t.csv --label y -k 1 --out";
    assert!(
        shell(&files, &format!("umask 077; $xai {fit} stored"))
            .status
            .success()
    );
    assert_eq!(mode(&files.path("stored")), 0o600);
    let report = "umask 077; $xai report --quiet --out page";
    assert!(shell(&files, report).status.success());
    for file in ["index.html", "report.json"] {
        assert_eq!(mode(&files.path("page").join(file)), 0o600);
    }

    fs::set_permissions(files.path("new022"), fs::Permissions::from_mode(0o640)).unwrap();
    files.table(&format!("{COMMAND} new022"));
    assert_eq!(mode(&files.path("new022")), 0o640);
    assert!(files.read("new022").starts_with(ROWS));
}

#[test]
fn hard_links_stay_one_file() {
    let files = files();
    fs::write(
        files.path("one"),
        "a much longer text than the rows are, ".repeat(100),
    )
    .unwrap();
    fs::hard_link(files.path("one"), files.path("two")).unwrap();
    files.table(&format!("{COMMAND} one"));
    assert_eq!(files.read("one"), files.read("two"));
    assert!(files.read("two").starts_with(ROWS));
    assert_eq!(files.read("two").lines().count(), 3);
    assert_eq!(fs::metadata(files.path("one")).unwrap().nlink(), 2);
}

/// The tests may run as root, who may write everywhere.
fn is_denied(path: &Path) -> bool {
    fs::OpenOptions::new().append(true).open(path).is_err()
}

#[test]
fn files_without_write_permission_are_not_replaced() {
    let files = files();
    files.text("kept", "old");
    fs::set_permissions(files.path("kept"), fs::Permissions::from_mode(0o444)).unwrap();
    if is_denied(&files.path("kept")) {
        files.bad_data("kept", &format!("{COMMAND} kept"));
        assert_eq!(files.read("kept"), "old");
    }
    // The file may be written, but its folder takes no new file.
    fs::create_dir(files.path("closed")).unwrap();
    files.text("closed/rows.csv", "old");
    fs::set_permissions(files.path("closed"), fs::Permissions::from_mode(0o555)).unwrap();
    files.table(&format!("{COMMAND} closed/rows.csv"));
    fs::set_permissions(files.path("closed"), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(files.read("closed/rows.csv").starts_with(ROWS));
}

#[test]
fn out_must_be_a_file_in_an_existing_folder() {
    let files = files();
    fs::create_dir(files.path("folder")).unwrap();
    for out in ["folder", "folder/", "none/rows.csv", "p.npy/rows.csv"] {
        let command = COMMAND.replace("p.npy", "missing.npy");
        // The error comes before anything is read.
        files.bad_data(out, &format!("{command} {out}"));
    }
    assert!(is_clean(&files));
}

#[test]
fn input_files_are_not_overwritten() {
    let files = files();
    symlink("p.npy", files.path("link")).unwrap();
    fs::hard_link(files.path("q.npy"), files.path("name")).unwrap();
    let mut archive = ndarray_npy::NpzWriter::new(fs::File::create(files.path("a.npz")).unwrap());
    archive.add_array("p", &array![0.5, 0.25]).unwrap();
    archive.finish().unwrap();
    files.text("runs.csv", "r1,r2,y\n0,0,0\n1,0,1\n1,1,1\n");
    for command in [
        &format!("{COMMAND} p.npy"),
        &format!("{COMMAND} ./p.npy"),
        &format!("{COMMAND} link"),
        &format!("{COMMAND} name"),
        "graph characterization --pos a.npz:p --neg q.npy --out a.npz",
        "repro pairwise --predictions runs.csv --labels y --out runs.csv",
        "casebased fit --train runs.csv --label y --out runs.csv",
        "attribution compare --model m --inputs x --targets t --explanations a=p.npy --out p.npy",
    ] {
        files.wrong_usage("--out", command);
    }
    let before = ndarray_npy::read_npy::<_, ndarray::Array1<f64>>(files.path("p.npy"));
    assert_eq!(before.unwrap(), array![0.5, 0.25]);
    assert!(files.read("runs.csv").starts_with("r1,r2,y\n"));
}

#[test]
fn an_interrupted_study_is_written_where_its_link_leads() {
    let files = files();
    fs::create_dir(files.path("other")).unwrap();
    symlink("other/study.csv", files.path("study.csv")).unwrap();
    let study = "repro simulate study --iterations 3 --n-samples 10 --out";
    files.table(&format!("{study} study.csv"));
    assert!(
        fs::symlink_metadata(files.path("study.csv"))
            .unwrap()
            .is_symlink()
    );
    let rows = files.read("other/study.csv");
    assert_eq!(rows.lines().count(), 4);
    assert!(!files.path("study.csv.partial").exists());
    let text = files.table(&format!("{study} /dev/stdout --json"));
    assert!(text.starts_with(&rows), "{text}");
    assert!(!Path::new("/dev/stdout.partial").exists());
}

#[test]
fn standard_error_may_be_closed() {
    let files = files();
    files.text("t.csv", "a,b,y\n1,0,0\n2,1,1\n3,1,1\n");
    for closed in ["2>&-", "2>/dev/full"] {
        let output = shell(&files, &format!("$xai {COMMAND} rows.csv {closed}"));
        assert_eq!(output.status.code(), Some(0), "{closed}");
        assert!(files.read("rows.csv").starts_with(ROWS));
        // An error is reported by the exit code only.
        for (line, code) in [
            ("graph characterization --pos none.npy --neg q.npy", 1),
            ("graph characterization --pos", 2),
            ("graph nothing", 2),
            ("attribution", 2),
        ] {
            let output = shell(&files, &format!("$xai {line} {closed}"));
            assert_eq!(output.status.code(), Some(code), "{line} {closed}");
        }
    }
}

#[test]
fn a_result_that_cannot_be_printed_is_a_failure_and_its_rows_are_written() {
    let files = files();
    if !Path::new("/dev/full").exists() {
        return;
    }
    let output = shell(&files, &format!("$xai {COMMAND} rows.csv >/dev/full"));
    assert_eq!(output.status.code(), Some(1));
    assert!(files.read("rows.csv").starts_with(ROWS));
    for line in ["--help", "--version", "graph --help"] {
        let output = shell(&files, &format!("$xai {line} >/dev/full"));
        assert_eq!(output.status.code(), Some(1), "{line}");
    }
    // A closed pipe is not an error.
    for line in [
        "--help",
        &format!("{COMMAND} rows.csv"),
        &format!("{COMMAND} /dev/stdout"),
    ] {
        let output = shell(&files, &format!("{{ $xai {line}; echo $? >code; }} | true"));
        assert!(output.status.success());
        assert_eq!(files.read("code").trim(), "0", "{line}");
        let closed = shell(&files, &format!("$xai {line} >&-"));
        assert_eq!(closed.status.code(), Some(0), "{line}");
        assert!(closed.stderr.is_empty(), "{line}");
    }
}
