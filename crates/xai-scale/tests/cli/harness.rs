//! Processes that end with their test, also where it fails.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The longest that any process of a test may take.
pub(crate) const LONGEST: Duration = Duration::from_secs(120);

/// A process that is killed when it is dropped.
pub(crate) struct Running(Child);

impl Running {
    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    /// As a machine that loses its power: nothing is said and nothing is tidied up.
    pub(crate) fn kill(&mut self) {
        // A process that has ended by itself need not be killed.
        let _ = self.0.kill();
        self.0.wait().expect("waited for");
    }
}

#[cfg(unix)]
impl Running {
    /// As a person or a service manager stops it, by the name of a signal; the code that it ends with.
    pub(crate) fn stop(mut self, signal: &str) -> Option<i32> {
        send(signal, self.0.id());
        let deadline = Instant::now() + LONGEST;
        loop {
            if let Some(status) = self.0.try_wait().expect("asked") {
                return status.code();
            }
            assert!(Instant::now() < deadline, "still running after {signal}");
            std::thread::sleep(Duration::from_millis(20));
        }
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

    /// A folder with made-up scores in `runs`.
    pub(crate) fn with_scores(rows: u32, groups: u32, files: u32) -> Self {
        let folder = Self::new();
        let (rows, groups, files) = (rows.to_string(), groups.to_string(), files.to_string());
        let generate = [
            "generate", "--rows", &rows, "--groups", &groups, "--files", &files,
        ];
        folder
            .run(&[&generate[..], &["--out", "runs"]].concat())
            .well();
        folder
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs `xai-scale` in the folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> Said {
        ended(self.start(arguments), LONGEST)
    }

    /// The rows of a query as JSON.
    pub(crate) fn json(&self, query: &str, options: &[&str]) -> String {
        self.run(&[&["sql", query, "--json"], options].concat())
            .well()
    }

    /// Starts `xai-scale` in the folder, with what its standard input is written to.
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

    /// Starts `xai-scale` in the folder.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        command(arguments)
            .current_dir(self.0.path())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts")
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xai-scale"));
    command
        .args(arguments)
        .env_remove("RUST_LOG")
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

/// A server, started with options, and the first line that it prints.
pub(crate) fn server(arguments: &[&str], log: &Path) -> (Running, String) {
    let mut child = command(arguments)
        .env("RUST_LOG", "warn,ballista_executor=info")
        .stderr(File::create(log).expect("a log"))
        .spawn()
        .expect("starts");
    let out = child.stdout.take().expect("a pipe");
    let running = Running(child);
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut out = BufReader::new(out);
        let mut line = String::new();
        let _ = out.read_line(&mut line);
        let _ = sender.send(line);
        // The pipe stays open as long as the server lives.
        let _ = std::io::copy(&mut out, &mut std::io::sink());
    });
    let line = receiver.recv_timeout(LONGEST).unwrap_or_default();
    let said = std::fs::read_to_string(log).unwrap_or_default();
    assert!(!line.is_empty(), "{said}");
    (running, line.trim().to_owned())
}

/// A scheduler on a free port, with more options, and its address.
pub(crate) fn scheduler(options: &[&str], log: &Path) -> (Running, String) {
    let arguments = [&["scheduler", "--port", "0"][..], options].concat();
    let (scheduler, line) = server(&arguments, log);
    let address = line.strip_prefix("scheduler at ").expect("an address");
    (scheduler, address.to_owned())
}

/// A scheduler and executors on free ports of the loopback.
pub(crate) struct Cluster {
    pub(crate) executors: Vec<Running>,
    pub(crate) scheduler: Running,
    pub(crate) address: String,
    /// Options of each executor.
    options: Vec<String>,
    folder: TempDir,
}

impl Cluster {
    pub(crate) fn new(executors: usize) -> Self {
        Self::with(executors, &[], &[])
    }

    /// With more options for the scheduler and for each executor.
    pub(crate) fn with(executors: usize, of_scheduler: &[&str], of_executor: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("scheduler");
        let (scheduler, address) = scheduler(
            &[&["--executor-timeout", "10"], of_scheduler].concat(),
            &log,
        );
        let mut cluster = Self {
            executors: Vec::new(),
            scheduler,
            address,
            options: of_executor.iter().map(ToString::to_string).collect(),
            folder,
        };
        (0..executors).for_each(|_| cluster.add_executor());
        cluster
    }

    /// Starts one more.
    pub(crate) fn add_executor(&mut self) {
        let number = self.executors.len();
        let work = self.folder.path().join(format!("work-{number}"));
        let work = work.to_str().expect("a name");
        let options = ["--work-dir", work, "--concurrent-tasks", "1"];
        let own = self.options.iter().map(String::as_str).collect::<Vec<_>>();
        let to = ["executor", "--scheduler", &self.address];
        let log = self.folder.path().join(format!("executor-{number}"));
        let (executor, _) = server(&[&to[..], &options, &own].concat(), &log);
        self.executors.push(executor);
    }

    /// Starts a scheduler where the one before was.
    pub(crate) fn scheduler_again(&mut self) {
        let (_, port) = self.address.rsplit_once(':').expect("a port");
        let arguments = ["scheduler", "--port", port, "--executor-timeout", "10"];
        let log = self.folder.path().join("scheduler-again");
        self.scheduler = server(&arguments, &log).0;
    }

    /// The folders of queries that an executor holds.
    pub(crate) fn results(&self, executor: usize) -> Vec<PathBuf> {
        let work = self.folder.path().join(format!("work-{executor}"));
        let below = |folder: PathBuf| -> Vec<PathBuf> {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).collect()
        };
        // An executor has a folder of its own, in it `results`, and in that the engine one for what does not fit memory.
        let own = below(work).into_iter();
        let queries = own.flat_map(|own| below(own.join("results")));
        let is_query = |path: &PathBuf| !path.to_string_lossy().contains("/datafusion-");
        queries.filter(is_query).collect()
    }

    /// What an executor has logged.
    pub(crate) fn log(&self, executor: usize) -> String {
        let log = self.folder.path().join(format!("executor-{executor}"));
        std::fs::read_to_string(log).unwrap_or_default()
    }

    /// How many parts of queries an executor has begun.
    fn n_tasks_of(&self, executor: usize) -> usize {
        self.log(executor).matches("Received task").count()
    }

    /// How many parts of queries all executors have begun.
    pub(crate) fn n_tasks(&self) -> usize {
        let executors = 0..self.executors.len();
        executors.map(|executor| self.n_tasks_of(executor)).sum()
    }

    /// Waits until all executors have begun so many parts of queries.
    pub(crate) fn wait_for_tasks(&self, n: usize) {
        wait_until(|| self.n_tasks() >= n, "too few tasks");
    }

    /// Waits until an executor has begun a part of a query.
    pub(crate) fn wait_for_work(&self, executor: usize) {
        wait_until(|| self.n_tasks_of(executor) > 0, "no work for an executor");
    }
}

fn wait_until(is_so: impl Fn() -> bool, otherwise: &str) {
    let deadline = Instant::now() + LONGEST;
    while !is_so() {
        assert!(Instant::now() < deadline, "{otherwise}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
