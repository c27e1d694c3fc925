//! `cargo xtask bench [CRATE] [-- ARGS]`: runs the criterion benches, then measures the limits of this machine and
//! prints which shares of them the benches reached.

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
            // Only the crate of that family is built, besides xai-core.
            let features = match file {
                "core" => "",
                "engines" => "casebased",
                "shared_searches" => "counterfactual",
                family => family,
            };
            cargo("bench --package xai-benches --no-default-features").args([
                &format!("--features={features}"),
                "--bench",
                file,
            ])
        }
        _ => {
            return Err(
                "name one crate, or none for all: cargo xtask bench [CRATE] [-- ARGS]".into(),
            );
        }
    };
    let shares = target().join("shares.md");
    let _ = std::fs::remove_file(&shares); // left by an earlier run
    let outcome = bench.args(criterion).env("XAI_SHARES", &shares).run();
    // The limits are measured also if a bench fails.
    let limits = cargo("bench --package xai-benches --no-default-features --bench limits");
    outcome.and(limits.env("XAI_SHARES", &shares).run())
}
