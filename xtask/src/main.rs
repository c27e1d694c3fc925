//! Workspace automation: `cargo xtask TASK`.
#![forbid(unsafe_code)]

mod bench;
mod browser;
mod ci;
mod command;
mod fuzz;
mod peers;
mod python;
mod site;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask TASK

  ci [--all] [--python] [--site] [--sql] [--laws] [--heavy] [STEP…]
                                  everything a change must pass: fmt, architecture, clippy, docs,
                                  each library without its features, all tests; with --all also
                                  sequential (the core without threads), onnxruntime, browser and
                                  publish, with --python the package for Python, with --site the
                                  documentation as one site, with --sql the crates with a query
                                  engine in all steps, with --laws the property tests again with
                                  many cases and a new seed, with --heavy the tests of the package
                                  for Python beside torch, Quantus, SHAP and other large libraries;
                                  or only the named steps
  bench [CRATE] [-- ARGS]         criterion benches, of one crate or all, and which share of the
                                  machine's limits they reach; ARGS go to criterion
  fuzz [TARGET…] [--minutes N]    inputs made by libFuzzer, led by coverage, for what reads files, states and
                                  settings; 30 minutes each
  metrics                         writes the tables of metrics, crates/*/METRICS.md
  peers [FAMILY|WORK…] [--quick] [--write]
                                  the Python peers and ours in turns on the same data, as tables;
                                  families: casebased, attribution, graph, repro; with --python
                                  the peers and the package for Python; with --write the tables
                                  are written into docs/benchmarks.md, too
  peers --differential [--minutes N] [--seed N] [CASE…]
                                  draws data until the package for Python and scikit-learn or SciPy
                                  disagree, makes them small, and prints them
  site                            the documentation as one site, in target/site
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        ["ci", rest @ ..] => ci::run(rest),
        ["bench", rest @ ..] => bench::run(rest),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["metrics"] => {
            command::cargo("run --package xai-metrics --example metric_tables -- --write").run()
        }
        ["peers", rest @ ..] => peers::run(rest),
        ["site"] => site::run(command::ALL),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        other => {
            eprint!("no task {}\n\n{USAGE}", other.join(" "));
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
