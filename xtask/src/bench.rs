//! `cargo xtask bench [CRATE] [-- ARGS]`: the criterion benches, then what this machine can do and the shares of it they reached.

use crate::command::{Result, cargo, root, target};

pub(crate) fn run(arguments: &[&str]) -> Result {
    let split = arguments.iter().position(|argument| *argument == "--");
    let (names, criterion) = arguments.split_at(split.unwrap_or(arguments.len()));
    let bench = match names {
        [] => cargo("bench --package xai-benches --benches --no-fail-fast"),
        [name] => {
            let file = name.strip_prefix("xai-").unwrap_or(name);
            if !root().join(format!("benches/benches/{file}.rs")).is_file() {
                return Err(format!("no benches for {name} in the folder benches/benches").into());
            }
            // Only that family's crate is built; xai-core always is.
            let family = match file {
                "core" => "",
                "engines" => "casebased",
                family => family,
            };
            cargo("bench --package xai-benches --no-default-features").args([
                &format!("--features={family}"),
                "--bench",
                file,
            ])
        }
        _ => return Err("one crate, or none for all: cargo xtask bench [CRATE] [-- ARGS]".into()),
    };
    let shares = target().join("shares.md");
    let _ = std::fs::remove_file(&shares); // of an earlier run
    let done = bench.args(criterion).env("XAI_SHARES", &shares).run();
    let limits = cargo("bench --package xai-benches --no-default-features --bench limits");
    done.and(limits.env("XAI_SHARES", &shares).run())
}
