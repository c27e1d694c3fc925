//! Faults during a run: signals at any moment, full disks, folders that are removed or not writable, files that shrink
//! while they are read.
//!
//! The variable `XAI_FAULTS` is the number of moments per command; by default only a few.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::harness::{XAI, sample};

/// Returns the number of moments per command.
fn moments() -> u32 {
    let given = std::env::var("XAI_FAULTS").ok();
    given.map_or(2, |text| text.parse().expect("XAI_FAULTS is a number"))
}

/// Returns the files of a folder with their bytes.
type Content = BTreeMap<String, Vec<u8>>;

fn content(folder: &Path) -> Content {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.path().is_file());
    let read = files.map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, fs::read(entry.path()).unwrap_or_default())
    });
    read.collect()
}

fn start(folder: &Path, arguments: &[&str]) -> Child {
    let mut xai = Command::new(XAI);
    xai.current_dir(folder).args(arguments);
    xai.stdout(Stdio::null()).stderr(Stdio::null());
    xai.spawn().expect("the binary")
}

fn send(signal: &str, process: &Child) {
    let arguments = [format!("-{signal}"), process.id().to_string()];
    // The process may have ended.
    let mut kill = Command::new("kill");
    kill.args(arguments).stderr(Stdio::null());
    kill.status().expect("kill is there");
}

/// A command with its output in the folder `out`.
struct Writer {
    name: &'static str,
    arguments: Vec<String>,
    /// An option, with a value for each of two runs, that makes their outputs differ.
    option: &'static str,
    values: [&'static str; 2],
    /// Names of files that an interrupted run may leave for the next one.
    resumed: &'static [&'static str],
}

fn writers() -> Vec<Writer> {
    let line = |line: &str| line.split_whitespace().map(str::to_owned).collect();
    let train = sample("casebased/train.csv");
    vec![
        Writer {
            name: "report",
            arguments: line(&format!("report {} --out out", sample("study.toml"))),
            option: "--seed",
            values: ["1", "2"],
            resumed: &[],
        },
        Writer {
            name: "study",
            arguments: line(
                "repro simulate study --iterations 400 --n-samples 400 --out out/draws.csv",
            ),
            option: "--seed",
            values: ["1", "2"],
            resumed: &["draws.csv.partial"],
        },
        Writer {
            name: "explainer",
            arguments: line(&format!(
                "casebased fit --train {train} --label diagnosis --out out/stored.xai"
            )),
            option: "-k",
            values: ["3", "5"],
            resumed: &[],
        },
    ]
}

impl Writer {
    /// Returns the command for the earlier output (0) or the new one (1).
    fn command(&self, run: usize) -> Vec<&str> {
        let own = self.arguments.iter().map(String::as_str);
        own.chain(["--quiet", self.option, self.values[run]])
            .collect()
    }
}

#[test]
fn a_signal_at_any_moment_leaves_the_earlier_output_or_the_new_one() {
    for writer in writers() {
        let run = |folder: &Path, which| -> ExitStatus {
            fs::create_dir_all(folder.join("out")).expect("a folder");
            let mut child = start(folder, &writer.command(which));
            child.wait().expect("it ends")
        };
        let folders = TempDir::new().expect("a folder");
        let at = |name: &str| folders.path().join(name);
        let start_of_run = Instant::now();
        assert!(run(&at("earlier"), 0).success(), "{}", writer.name);
        let duration = start_of_run.elapsed();
        assert!(run(&at("new"), 1).success(), "{}", writer.name);
        let [earlier, new] = ["earlier", "new"].map(|name| content(&at(name).join("out")));
        let mut n_new = 0;
        for moment in 0..moments() {
            for signal in ["INT", "TERM", "KILL"] {
                let folder = at("work");
                let out = folder.join("out");
                fs::create_dir_all(&out).expect("a folder");
                for (name, bytes) in &earlier {
                    fs::write(out.join(name), bytes).expect("a file");
                }
                // Some signals come after the end of the run.
                let share = (f64::from(moment) + 0.5) / f64::from(moments());
                let mut child = start(&folder, &writer.command(1));
                sleep(duration.mul_f64(1.1 * share));
                send(signal, &child);
                let status = child.wait().expect("it ends");
                let mut left = content(&out);
                left.retain(|name, _| !writer.resumed.contains(&name.as_str()));
                if signal == "KILL" {
                    // A killed process cannot remove its temporary file.
                    left.retain(|name, _| !name.starts_with(".xai-"));
                }
                let names: Vec<&String> = left.keys().collect();
                let case = format!("{} {signal} {share:.2} {status} {names:?}", writer.name);
                assert!(left == earlier || left == new, "{case}");
                n_new += usize::from(left == new);
                assert!(!status.success() || left == new, "{case}");
                if !writer.resumed.is_empty() && left != new {
                    assert!(run(&folder, 1).success(), "{case}");
                    let mut resumed = content(&out);
                    resumed.retain(|name, _| !name.starts_with(".xai-"));
                    assert_eq!(resumed, new, "{case}: resumed");
                }
                fs::remove_dir_all(&folder).expect("removed");
            }
        }
        eprintln!(
            "{}: {n_new} of {} runs ended before the signal",
            writer.name,
            3 * moments()
        );
    }
}

/// Runs a command with the folder `small` on a separate disk of a size in kB; `None` if no disk can be created.
#[cfg(target_os = "linux")]
fn on_small_disk(
    folder: &Path,
    kilobytes: u32,
    options: &str,
    arguments: &str,
) -> Option<std::process::Output> {
    let script = format!(
        "mount -t tmpfs -o size={kilobytes}k tmpfs small || exit 99; mkdir small/out; echo earlier > small/out/rows.csv; \
         {options}; '{XAI}' {arguments}; code=$?; echo; ls -A small/out; cat small/out/rows.csv; exit $code"
    );
    let mut shell = Command::new("unshare");
    shell.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]);
    let output = shell.current_dir(folder).output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let unshared = !text.starts_with("unshare:") && output.status.code() != Some(99);
    unshared.then_some(output)
}

#[cfg(target_os = "linux")]
#[test]
fn full_and_read_only_disks_are_errors_that_name_the_file() {
    let folder = TempDir::new().expect("a folder");
    fs::create_dir(folder.path().join("small")).expect("a folder");
    let (train, test) = (sample("casebased/train.csv"), sample("casebased/test.csv"));
    let explain = format!(
        "casebased explain --train {train} --test {test} --label diagnosis -k 20 --out small/out/rows.csv"
    );
    let report = format!("report {} --out small/out/report", sample("study.toml"));
    for (line, kilobytes, options) in [
        (&explain, 8, "true"),
        (&report, 64, "true"),
        (&explain, 1024, "mount -o remount,ro small"),
        (&report, 1024, "mount -o remount,ro small"),
    ] {
        let Some(output) = on_small_disk(folder.path(), kilobytes, options, line) else {
            eprintln!("left out: no disk can be made here");
            return;
        };
        let (said, error) = (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        );
        assert_eq!(output.status.code(), Some(1), "{line}\n{error}{said}");
        assert!(error.contains("error: small/out/"), "{line}\n{error}");
        // The earlier file is unchanged, and only the folder of the report was added.
        let left: Vec<&str> = said
            .lines()
            .rev()
            .take_while(|line| !line.is_empty())
            .collect();
        assert!(
            left.contains(&"earlier") && !said.contains(".xai-"),
            "{line}\n{said}"
        );
    }
}

#[test]
fn a_folder_that_is_removed_is_an_error() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    let writers = writers();
    let mut n_failed = 0;
    for moment in 0..3 * moments() {
        fs::create_dir_all(&out).expect("a folder");
        let mut child = start(folder.path(), &writers[1].command(1));
        sleep(Duration::from_millis(u64::from(moment) * 17));
        // The run may create a file in it at the same moment.
        let _ = fs::remove_dir_all(&out);
        let status = child.wait().expect("it ends");
        assert!(status.code().is_some_and(|code| code <= 2), "{status}");
        n_failed += u32::from(!status.success());
    }
    assert!(n_failed > 0);
}

#[test]
fn a_file_that_shrinks_while_it_is_read_is_an_error_or_was_read_before() {
    let folder = TempDir::new().expect("a folder");
    // 16 MB: booleans are read at once, doubles in parts.
    let rows = 1 << 18;
    let array = ndarray::Array2::from_shape_fn((rows, 8), |(i, j)| ((i * 7 + j) % 11) as f64);
    let whole = folder.path().join("whole.npy");
    ndarray_npy::write_npy(&whole, &array).expect("written");
    let text: String = (0..rows)
        .map(|row| format!("{row},{},a\n", row % 7))
        .collect();
    fs::write(
        folder.path().join("whole.csv"),
        format!("x,y,class\n{text}"),
    )
    .expect("written");
    let commands = [
        (
            "array.npy",
            "whole.npy",
            "attribution complexity --explanations array.npy",
        ),
        (
            "table.csv",
            "whole.csv",
            "casebased fit --train table.csv --label class --out stored.xai",
        ),
    ];
    for (name, whole, line) in commands {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        for moment in 0..3 * moments() {
            let file = folder.path().join(name);
            fs::copy(folder.path().join(whole), &file).expect("copied");
            let mut child = start(folder.path(), &arguments);
            sleep(Duration::from_millis(u64::from(moment) * 5));
            let opened = fs::OpenOptions::new().write(true).open(&file);
            opened
                .and_then(|file| file.set_len(1000 + 8191))
                .expect("cut");
            // After a signal such as SIGBUS there is no exit code; 101 is a panic.
            let status = child.wait().expect("it ends");
            assert!(
                status.code().is_some_and(|code| code <= 2),
                "{line}: {status}"
            );
        }
    }
}
