//! `cargo xtask fuzz`: inputs that libFuzzer makes, led by coverage, for what reads files, states and settings.
//!
//! The stable compiler counts which branches a run takes, and hands over what is compared with what. Code is optimised, with
//! the checks of a debug build. What is found stays in `target/fuzz`, and serves the next run.

use crate::command::{Result, cargo, command, root, target};
use std::fs;

/// What LLVM adds to every branch and comparison.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares";

/// A run ends after so many minutes or so many inputs, unless its minutes are said.
const MINUTES: f64 = 30.0;
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
    let program = built()?;
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
        // libFuzzer ends without cleaning up.
        let temporary = folder.join("temporary").join(&name);
        fs::create_dir_all(&temporary)?;
        let run = command(&program)
            .args([&found])
            .args([format!("-max_total_time={:.0}", minutes * 60.0)])
            .args(inputs.map(|inputs| format!("-runs={inputs}")))
            // Seconds, megabytes; bytes of an input.
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
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{} failed: the inputs are in {}; one that is mended is kept, with a name, in fuzz/inputs/TARGET",
            failed.join(", "),
            folder.join("failures").display()
        )
        .into()),
    }
}

/// The names of the targets.
fn targets() -> Result<Vec<String>> {
    let list = fs::read_to_string(root().join("fuzz/src/lib.rs"))?;
    let names = list.lines().filter_map(|line| {
        let name = line.trim().strip_prefix("name: \"")?;
        name.strip_suffix("\",")
    });
    Ok(names.map(str::to_owned).collect())
}

/// Builds the program for this processor by name, so that what runs while it is built counts nothing.
fn built() -> Result<std::path::PathBuf> {
    let about = command("rustc").words("--version --verbose").output()?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or("rustc does not say its host")?;
    let folder = target().join("fuzz");
    cargo("build --profile fuzz --package xai-fuzz --features libfuzzer --target")
        .args([host])
        .args(["--target-dir".as_ref(), folder.as_os_str()])
        .env("RUSTFLAGS", COVERAGE)
        .run()?;
    Ok(folder.join(host).join("fuzz").join("xai-fuzz"))
}
