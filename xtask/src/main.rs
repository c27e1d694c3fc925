//! Workspace automation, one file or folder per task: `cargo xtask TASK`.
#![forbid(unsafe_code)]

mod architecture;
mod bench;
mod browser;
mod ci;
mod format;
mod metrics;
mod onnxruntime;
mod outcome;
mod package;
mod peers;
mod python;
mod scale;
mod step;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask TASK

  ci [--all] [--python] [--scale] [STEP…]
                                  everything a change must pass: fmt, architecture, clippy, docs,
                                  the tests of each library alone, those of the rest; with --all
                                  also onnxruntime, browser and package, with --python the package
                                  for Python, with --scale the query engine and its cluster; or
                                  only the named steps
  bench [CRATE] [-- ARGS]         criterion benches, of one crate or all; ARGS go to criterion
  metrics                         writes the tables of metrics, crates/*/METRICS.md
  package                         what publishing each crate would upload, checked and built
  peers [FAMILY|WORK…] [--quick]  the Python peers and ours in turns on the same data, as tables;
                                  families: casebased, attribution, graph, repro; with --python
                                  the peers and the package for Python
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (task, rest) = match arguments.split_first() {
        Some((task, rest)) => (task.as_str(), rest),
        None => ("help", &[][..]),
    };
    let result = match task {
        "ci" => ci::run(rest),
        "bench" => bench::run(rest),
        "metrics" => metrics::run(rest),
        "package" => package::run(rest),
        "peers" => peers::run(rest),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        other => {
            eprint!("unknown task {other}\n\n{USAGE}");
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
