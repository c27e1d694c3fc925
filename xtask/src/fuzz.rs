//! `cargo xtask fuzz`: fuzzes the readers of files, states and settings with libFuzzer.
//!
//! The stable compiler adds counters to branches and reports the operands of comparisons. Code is optimised, with the
//! checks of a debug build. Inputs that reach new code are kept in `target/fuzz` for the next run.

use crate::command::{Result, cargo, command, root, target};
use std::fs;

/// Compiler flags that add coverage counters and traces of comparisons.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Longest run of a target without `--minutes`. It may also end after [`INPUTS`].
const MINUTES: f64 = 30.0;
/// Most inputs of a target without `--minutes`.
const INPUTS: u64 = 1_000_000;

pub(crate) fn run(arguments: &[&str]) -> Result {
    let usage = "cargo xtask fuzz [TARGET…] [--minutes N]";
    let split = arguments
        .iter()
        .position(|argument| *argument == "--minutes");
    let (names, rest) = arguments.split_at(split.unwrap_or(arguments.len()));
    let (minutes, inputs) = match rest {
        [] => (MINUTES, Some(INPUTS)),
        ["--minutes", minutes] => (minutes.parse().map_err(|_| usage)?, None),
        _ => return Err(usage.into()),
    };
    let all = targets()?;
    if let Some(unknown) = names
        .iter()
        .find(|name| !all.iter().any(|known| known == *name))
    {
        return Err(format!("no target {unknown}; there are: {}", all.join(", ")).into());
    }
    let program = build()?;
    let folder = target().join("fuzz");
    let mut failed = Vec::new();
    for name in all {
        if !names.is_empty() && !names.contains(&name.as_str()) {
            continue;
        }
        eprintln!("\n── {name}");
        let found = folder.join("found").join(&name);
        let failures = folder.join("failures");
        fs::create_dir_all(&found)?;
        fs::create_dir_all(&failures)?;
        // libFuzzer exits without removing temporary files.
        let temporary = folder.join("temporary").join(&name);
        fs::create_dir_all(&temporary)?;
        let run = command(&program)
            .args([&found])
            .args([format!("-max_total_time={:.0}", minutes * 60.0)])
            .args(inputs.map(|inputs| format!("-runs={inputs}")))
            // At most a second and 2 GB per input, and inputs of at most 16 KiB.
            .words("-timeout=1 -rss_limit_mb=2048 -max_len=16384 -use_value_profile=1 -print_final_stats=1 -close_fd_mask=1")
            .args([format!("-artifact_prefix={}/{name}-", failures.display())])
            .env("XAI_FUZZ_TARGET", &name)
            .env("XAI_FUZZ_FOUND", &found)
            .env("TMPDIR", &temporary)
            .run();
        fs::remove_dir_all(&temporary)?;
        if let Err(error) = run {
            eprintln!("{error}");
            failed.push(name);
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} failed: the inputs are in {}; when the defect is fixed, keep the input under a name in fuzz/inputs/TARGET",
        failed.join(", "),
        folder.join("failures").display()
    )
    .into())
}

/// Reads the names of the targets from the source of the fuzz crate.
fn targets() -> Result<Vec<String>> {
    let list = fs::read_to_string(root().join("fuzz/src/lib.rs"))?;
    let names = list.lines().filter_map(|line| {
        let name = line.trim().strip_prefix("name: \"")?;
        name.strip_suffix("\",")
    });
    Ok(names.map(str::to_owned).collect())
}

/// Builds the program. With an explicit `--target`, `RUSTFLAGS` do not apply to build scripts and macros, which
/// therefore run without counters.
fn build() -> Result<std::path::PathBuf> {
    let version = command("rustc").words("--version --verbose").output()?;
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .ok_or("rustc does not print its host")?;
    let folder = target().join("fuzz");
    cargo("build --profile fuzz --package xai-fuzz --features libfuzzer --target")
        .args([host])
        .args(["--target-dir".as_ref(), folder.as_os_str()])
        .env("RUSTFLAGS", COVERAGE)
        .run()?;
    Ok(folder.join(host).join("fuzz").join("xai-fuzz"))
}
