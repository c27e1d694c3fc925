//! What happens to the machines of a cluster in the middle of a query: the query ends with the bits of one machine, or, where
//! nobody is left to answer it, with a reason.
//!
//! `XAI_FAULTS` is how many moments of each fault are tried; one without it.

use std::cell::OnceCell;
use std::io::Read;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::functions::grouped;
use crate::harness::{Cluster, Files, LONGEST, Said, ended, send};

/// Work enough that there is time for a fault: each row is made a long text and hashed.
const SLOW: &str =
    "average_drop(base, masked) FILTER (WHERE md5(repeat(CAST(base AS VARCHAR), 400)) <> 'x')";
const QUICK: &str = "average_drop(base, masked)";

/// How many moments are tried.
fn moments() -> u32 {
    let given = std::env::var("XAI_FAULTS").ok();
    given.map_or(1, |text| text.parse().expect("XAI_FAULTS is a number"))
}

/// Scores, a query of them that takes a while, and its answer.
struct Work {
    files: Files,
    query: String,
    expected: String,
    /// Whether its time is in the last stage.
    is_late: bool,
    /// How long two executors take.
    undisturbed: OnceCell<Duration>,
}

/// The parts that the rows are read in.
const PARTS: usize = 24;

/// The rows of an answer, where the query says nothing of their order.
fn in_order(answer: &str) -> Vec<String> {
    let rows: Vec<serde_json::Value> = serde_json::from_str(answer).expect("JSON");
    let mut rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
    rows.sort();
    rows
}

impl Work {
    fn new() -> Self {
        // Some seconds when faults are looked for, one otherwise.
        let rows = if moments() > 1 { 96_000 } else { 24_000 };
        Self::of(rows, grouped(SLOW, "runs"), false)
    }

    /// Whose time is in what is done with groups, after all rows are read: there a stage has been half done when an executor ends.
    fn late(end: &str) -> Self {
        let query = format!(
            "SELECT explainer, {QUICK} AS value, md5(repeat(explainer, 100000)) AS slow FROM 'runs' GROUP BY explainer {end}"
        );
        Self::of(24_000, query, true)
    }

    fn of(rows: u32, query: String, is_late: bool) -> Self {
        let files = Files::with_scores(rows, 40, PARTS as u32);
        let expected = files.json(&query, &[]);
        Self {
            files,
            query,
            expected,
            is_late,
            undisturbed: OnceCell::new(),
        }
    }

    fn start(&self, cluster: &Cluster) -> Child {
        let parts = PARTS.to_string();
        let to = ["--json", "--partitions", &parts, "--scheduler"];
        let asked = [&["sql", &self.query][..], &to, &[&cluster.address]].concat();
        self.files.start(&asked)
    }

    /// Asks for the answer, does something at a share of the time that it takes, and compares it.
    fn disturbed(&self, cluster: &mut Cluster, share: f64, disturb: impl FnOnce(&mut Cluster)) {
        let undisturbed = self.undisturbed.get_or_init(|| {
            let start = Instant::now();
            let said = ended(self.start(cluster), LONGEST);
            assert_eq!(in_order(&said.well()), in_order(&self.expected));
            start.elapsed()
        });
        let before = cluster.n_tasks();
        let asked = self.start(cluster);
        match moments() {
            // By what is done. By the time it would come too late where the machine has less to do than a moment ago: an executor
            // that stands still when all is computed keeps its results, which are asked for again and again.
            1 if !self.is_late => cluster.wait_for_tasks(before + PARTS / 2),
            _ => sleep(undisturbed.mul_f64(share)),
        }
        disturb(cluster);
        let answer = ended(asked, LONGEST).well();
        if self.query.contains("ORDER BY") {
            assert_eq!(answer, self.expected, "at {share:.2}");
        }
        assert_eq!(in_order(&answer), in_order(&self.expected), "at {share:.2}");
    }

    /// The answer of those that are left.
    fn answered_again(&self, cluster: &Cluster) {
        let again = self
            .files
            .json(&grouped(QUICK, "runs"), &["--scheduler", &cluster.address]);
        assert_eq!(again, self.files.json(&grouped(QUICK, "runs"), &[]));
    }
}

/// The moments of a query, as shares of its time.
fn shares() -> impl Iterator<Item = f64> {
    let n = moments();
    (0..n).map(move |moment| (f64::from(moment) + 0.5) / f64::from(n))
}

/// One of two executors is sent a signal that ends it.
fn one_of_two_ends(signal: &str, work: &Work) {
    let mut cluster = Cluster::new(2);
    for share in shares() {
        work.disturbed(&mut cluster, share, |cluster| {
            send(signal, cluster.executors.last().expect("one").id());
        });
        work.answered_again(&cluster);
        cluster.add_executor();
    }
}

#[test]
fn one_of_two_executors_is_killed() {
    one_of_two_ends("KILL", &Work::new());
}

#[test]
fn one_of_two_executors_is_stopped_by_its_service_manager() {
    one_of_two_ends("TERM", &Work::new());
}

/// The engine keeps what others have computed of a stage that it begins again.
#[test]
fn one_of_two_executors_ends_when_a_later_stage_is_half_done() {
    one_of_two_ends_late("ORDER BY explainer");
}

/// The engine keeps what an executor has computed of the last stage, which others compute again.
#[test]
fn one_of_two_executors_ends_when_the_last_stage_is_half_done() {
    one_of_two_ends_late("");
}

fn one_of_two_ends_late(end: &str) {
    let work = Work::late(end);
    one_of_two_ends("TERM", &work);
    // Which takes the time that a silent executor has.
    if moments() > 1 {
        one_of_two_ends("KILL", &work);
    }
}

/// As a machine that swaps, or a container that is paused, for longer than the scheduler waits.
#[test]
fn one_of_two_executors_stands_still_and_comes_back() {
    let work = Work::new();
    let mut cluster = Cluster::new(2);
    for share in shares() {
        let paused = cluster.executors[1].id();
        work.disturbed(&mut cluster, share, |_| send("STOP", paused));
        send("CONT", paused);
        work.answered_again(&cluster);
    }
}

/// Of what is printed as it comes some may have been read: the query is not asked again.
#[test]
fn executors_stand_still_while_their_results_are_read() {
    let files = Files::with_scores(400_000, 5, 8);
    let cluster = Cluster::new(2);
    let query = "SELECT base, md5(CAST(masked AS VARCHAR)) AS text FROM 'runs'";
    let mut asked = files.start(&["sql", query, "--json", "--scheduler", &cluster.address]);
    let out = asked.stdout.as_mut().expect("a pipe");
    out.read_exact(&mut [0]).expect("the first rows");
    let signal = |name| {
        let executors = cluster.executors.iter();
        executors.for_each(|executor| send(name, executor.id()));
    };
    signal("STOP");
    let said = ended(asked, LONGEST);
    signal("CONT");
    let expected = (
        "an executor has stopped before its results were read",
        "ask again",
    );
    assert_eq!(said.badly(1), expected);
    let n_rows = said.out.matches("\"base\"").count();
    assert!((10_000..400_000).contains(&n_rows), "{n_rows}");
}

#[test]
fn an_executor_comes_when_the_query_waits() {
    let work = Work::new();
    let mut cluster = Cluster::new(0);
    let asked = work.start(&cluster);
    sleep(Duration::from_secs(1));
    cluster.add_executor();
    assert_eq!(ended(asked, LONGEST).well(), work.expected);
}

/// Somebody empties the folder for temporary files.
#[test]
fn results_are_lost_while_their_executor_lives() {
    let work = Work::new();
    let mut cluster = Cluster::new(2);
    for share in shares() {
        work.disturbed(&mut cluster, share, |cluster| {
            for query in cluster.results(0) {
                let _ = std::fs::remove_dir_all(query);
            }
        });
    }
}

#[test]
fn no_executor_is_left() {
    let work = Work::new();
    let mut cluster = Cluster::new(1);
    let asked = work.start(&cluster);
    cluster.wait_for_work(0);
    cluster.executors[0].kill();
    let said = ended(asked, LONGEST);
    let (error, _) = said.badly(1);
    assert!(error.contains("executor"), "{error}");
    assert_eq!(said.out, "");
}

#[test]
fn there_never_was_an_executor() {
    let files = Files::with_scores(100, 2, 1);
    let cluster = Cluster::new(0);
    let query = grouped(QUICK, "runs");
    let options = ["--timeout", "3", "--scheduler", &cluster.address];
    let said = files.run(&[&["sql", &query][..], &options].concat());
    let (error, help) = said.badly(1);
    assert!(
        error.contains("3 seconds") && help.contains("executors"),
        "{said:?}"
    );
}

#[test]
fn the_scheduler_is_killed_and_comes_back() {
    let work = Work::new();
    let mut cluster = Cluster::new(2);
    for _ in 0..moments() {
        let n_begun = |cluster: &Cluster| cluster.log(0).matches("Received task").count();
        let before = n_begun(&cluster);
        let asked = work.start(&cluster);
        let deadline = Instant::now() + LONGEST;
        while n_begun(&cluster) == before {
            assert!(Instant::now() < deadline, "no work");
            sleep(Duration::from_millis(5));
        }
        cluster.scheduler.kill();
        let said = ended(asked, Duration::from_secs(30));
        let (error, help) = said.badly(1);
        assert!(
            error.contains("scheduler") && help.contains("again"),
            "{said:?}"
        );
        cluster.scheduler_again();
        // Executors look for it by themselves.
        work.answered_again(&cluster);
    }
}

#[test]
fn eight_clients_ask_at_the_same_time() {
    let work = Work::new();
    let cluster = Cluster::new(2);
    let asked: Vec<Child> = (0..8).map(|_| work.start(&cluster)).collect();
    for client in asked {
        assert_eq!(ended(client, LONGEST).well(), work.expected);
    }
}

/// Ten million rows when faults are looked for, a hundred thousand otherwise.
#[test]
fn many_rows_come_back_whole() {
    let rows = if moments() > 1 { 10_000_000 } else { 100_000 };
    let files = Files::with_scores(rows, 5, 8);
    let cluster = Cluster::new(2);
    let query = "SELECT base, masked FROM 'runs'";
    let out = ["--out", "all.parquet", "--scheduler", &cluster.address];
    files.run(&[&["sql", query][..], &out].concat()).well();
    let sums = "SELECT count(*) AS n, exact_sum(base) AS b, exact_sum(masked) AS m FROM";
    let of = |table: &str| files.json(&format!("{sums} '{table}'"), &[]);
    assert_eq!(of("all.parquet"), of("runs"));
}

/// The memory that a process holds, in MB, and its open files.
#[cfg(target_os = "linux")]
fn held(process: u32) -> (u64, usize) {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("read");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next());
    let kilobytes: u64 = kilobytes
        .and_then(|text| text.parse().ok())
        .expect("a number");
    let files = std::fs::read_dir(format!("/proc/{process}/fd")).expect("read");
    (kilobytes / 1024, files.count())
}

/// Two hundred queries when faults are looked for.
#[cfg(target_os = "linux")]
#[test]
fn one_query_follows_another_and_nothing_stays() {
    let n = if moments() > 1 { 200 } else { 20 };
    let files = Files::with_scores(4000, 50, 4);
    let cluster = Cluster::new(2);
    let processes = [
        cluster.scheduler.id(),
        cluster.executors[0].id(),
        cluster.executors[1].id(),
    ];
    let query = grouped(QUICK, "runs");
    let options = ["--scheduler", &cluster.address, "--partitions", "4"];
    let expected = files.json(&query, &[]);
    let mut before = [(0, 0); 3];
    for round in 0..n {
        assert_eq!(files.json(&query, &options), expected);
        if round == n / 2 {
            before = processes.map(held);
        }
    }
    let after = processes.map(held);
    eprintln!("{n} queries: memory in MB and open files {before:?}, then {after:?}");
    for ((memory, open), (memory_before, open_before)) in after.into_iter().zip(before) {
        assert!(memory <= memory_before + 32, "{before:?} {after:?}");
        assert!(open <= open_before + 8, "{before:?} {after:?}");
    }
    let deadline = Instant::now() + LONGEST;
    while let Some(left) = (0..2).flat_map(|executor| cluster.results(executor)).next() {
        assert!(Instant::now() < deadline, "{}", left.display());
        sleep(Duration::from_millis(50));
    }
}

/// A disk of 2 MB, where the system lets a test make one.
#[cfg(target_os = "linux")]
#[test]
fn the_disk_of_an_executor_is_full() {
    let files = Files::with_scores(400_000, 5, 8);
    let cluster = Cluster::new(0);
    std::fs::create_dir(files.path("small")).expect("a folder");
    let script = format!(
        "mount -t tmpfs -o size=2m tmpfs small || exit 99; exec '{}' executor --scheduler {} --work-dir small",
        env!("CARGO_BIN_EXE_xai-scale"),
        cluster.address
    );
    let mut shell = std::process::Command::new("unshare");
    shell.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]);
    shell
        .current_dir(files.path(""))
        .stdout(std::process::Stdio::null());
    let Ok(mut executor) = shell.spawn() else {
        eprintln!("left out: no disk can be made here");
        return;
    };
    sleep(Duration::from_secs(1));
    if executor.try_wait().expect("asked").is_some() {
        eprintln!("left out: no disk can be made here");
        return;
    }
    let query = "SELECT base, masked FROM 'runs' ORDER BY base";
    let options = ["--scheduler", &cluster.address, "--out", "sorted.parquet"];
    let said: Said = files.run(&[&["sql", query][..], &options].concat());
    let _ = executor.kill();
    let _ = executor.wait();
    let (error, _) = said.badly(1);
    assert!(error.contains("No space left"), "{said:?}");
    assert!(!files.path("sorted.parquet").exists());
}
