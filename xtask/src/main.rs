//! Workspace automation: `cargo xtask TASK`.
#![forbid(unsafe_code)]

mod adapters;
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

  ci [OPTION…] [STEP…]            runs all checks that a change must pass: fmt, subjects of
                                  commits, architecture, clippy, docs, each library without its
                                  features, all tests; or only the named steps. More checks:
                                  --all     the core without threads, ONNX Runtime, the report in
                                            a browser, packaging
                                  --python  the package for Python
                                  --site    the documentation as one site
                                  --adapters  the examples for models of other libraries
                                  --sql     the crates with a query engine, in all steps
                                  --laws    property tests with many cases and a new seed
                                  --heavy   the package for Python with torch, Quantus, SHAP and
                                            other large libraries
                                  --long    steps of half an hour each: mutants, dependencies,
                                            reproducible builds, soak, fuzzing, faults
  bench [CRATE] [-- ARGS]         runs the criterion benches of one crate or all, and prints which
                                  share of the machine's limits they reach; ARGS go to criterion
  fuzz [TARGET…] [--minutes N]    fuzzes the readers of files, states and settings with libFuzzer;
                                  30 minutes per target by default
  metrics                         writes the tables of metrics, crates/*/METRICS.md
  stubs                           writes the types of the package for Python that derive from the
                                  metrics and their parameters
  peers [FAMILY|WORK…] [--quick] [--write]
                                  times the Python peers and this project in turns on the same
                                  data, and prints tables; families: casebased, attribution,
                                  graph, repro; --python times the package for Python;
                                  --write also writes the tables into docs/benchmarks.md
  peers --differential [--minutes N] [--seed N] [CASE…]
                                  draws data until the package for Python and scikit-learn or SciPy
                                  disagree, then reduces and prints the data
  site                            builds the documentation as one site, in target/site
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        ["ci", rest @ ..] => ci::run(rest),
        ["bench", rest @ ..] => bench::run(rest),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["metrics"] => {
            command::cargo("run --package xai-metrics --example metric_tables -- --write").run()
        }
        ["stubs"] => python::stubs(),
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
