//! Processes that end with their test, also where it fails.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The longest that any process of a test may take.
pub(crate) const LONGEST: Duration = Duration::from_secs(120);

/// A process that is killed when it is dropped.
struct Running(Child);

impl Running {
    /// As a machine that loses its power: nothing is said and nothing is tidied up.
    fn kill(&mut self) {
        // A process that has ended by itself need not be killed.
        let _ = self.0.kill();
        self.0.wait().expect("waited for");
    }
}

/// Sends a signal to a process.
#[cfg(unix)]
pub(crate) fn send(signal: &str, process: u32) {
    let sent = Command::new("kill")
        .args([&format!("-{signal}"), &process.to_string()])
        .status();
    assert!(sent.expect("sent").success());
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a command that has ended said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    /// The output of a command that did what it should.
    pub(crate) fn well(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.err);
        self.out
    }

    /// The line of the error and the line of the help, of a command that failed with a code.
    pub(crate) fn badly(&self, code: i32) -> (&str, &str) {
        assert_eq!(self.code, Some(code), "{self:?}");
        let line = |start| self.err.lines().find_map(|line| line.strip_prefix(start));
        (
            line("error: ").expect("an error"),
            line("help: ").unwrap_or_default(),
        )
    }
}

/// A folder with the files of one test, and commands run in it.
pub(crate) struct Files(TempDir);

impl Files {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    /// A folder with made-up scores in the Parquet files of `runs`. Row i is the same for any number of files.
    pub(crate) fn with_scores(rows: u32, groups: u32, files: u32) -> Self {
        let folder = Self::new();
        std::fs::create_dir(folder.path("runs")).expect("made");
        let per_file = rows.div_ceil(files);
        for file in 0..files {
            let (first, last) = (file * per_file, rows.min((file + 1) * per_file));
            let query = format!(
                "SELECT arrow_cast(concat('explainer-', lpad(CAST(i * 31 % {groups} AS VARCHAR), 4, '0')),
                    'Dictionary(Int32, Utf8)') AS explainer,
                sqrt((i * 7919 % 100003 + 1) / 100004.0) AS base, sqrt((i * 104729 % 99991) / 99991.0) AS masked
                FROM generate_series({first}, {last} - 1) AS numbers(i)"
            );
            let name = format!("runs/part-{file:05}.parquet");
            folder
                .run(&["sql", &query, "--partitions", "1", "--out", &name])
                .well();
        }
        folder
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs `xai-sql` in the folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> Said {
        ended(self.start(arguments), LONGEST)
    }

    /// The rows of a query as JSON.
    pub(crate) fn json(&self, query: &str, options: &[&str]) -> String {
        self.run(&[&["sql", query, "--json"], options].concat())
            .well()
    }

    /// Starts `xai-sql` in the folder, with what its standard input is written to.
    pub(crate) fn start_with_input(&self, arguments: &[&str]) -> (Child, ChildStdin) {
        let mut child = command(arguments)
            .current_dir(self.0.path())
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let input = child.stdin.take().expect("a pipe");
        (child, input)
    }

    /// Starts `xai-sql` in the folder.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        command(arguments)
            .current_dir(self.0.path())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts")
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xai-sql"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    command
}

/// What a process said, which must end within a time.
pub(crate) fn ended(mut child: Child, within: Duration) -> Said {
    let read = |from: Option<Box<dyn Read + Send>>| {
        let mut from = from.expect("a pipe");
        std::thread::spawn(move || {
            let mut text = String::new();
            from.read_to_string(&mut text).expect("text");
            text
        })
    };
    let out = read(child.stdout.take().map(|pipe| Box::new(pipe) as _));
    let err = read(child.stderr.take().map(|pipe| Box::new(pipe) as _));
    let mut running = Running(child);
    let deadline = Instant::now() + within;
    let status = loop {
        if let Some(status) = running.0.try_wait().expect("asked") {
            break Some(status);
        }
        if Instant::now() > deadline {
            running.kill();
            break None;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let text = |thread: std::thread::JoinHandle<String>| thread.join().expect("read");
    let (out, err) = (text(out), text(err));
    let status = status.unwrap_or_else(|| panic!("still running after {within:?}: {err}"));
    Said {
        code: status.code(),
        out,
        err,
    }
}
