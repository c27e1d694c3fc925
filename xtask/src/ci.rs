//! `cargo xtask ci`: all checks that a change must pass.
//!
//! Cheap steps come first. Clippy and rustdoc select the same packages and features, and so do all tests, because
//! another selection would build nearly all dependencies again. Each library is also checked alone, without its
//! features.
//!
//! | option | adds |
//! |---|---|
//! | `--all` | tests without threads, the libraries for WebAssembly, ONNX Runtime, the report in a browser, packaging |
//! | `--python` | the Python package, built and tested |
//! | `--sql` | the crates with a query engine in all steps, and the SQL package for Python with Spark, DuckDB and DataFusion |
//! | `--site` | the documentation as one site |
//! | `--adapters` | the examples for models of candle, burn, ONNX Runtime and other libraries (a large build) |
//! | `--laws` | the property tests with a new seed (they use a fixed one otherwise) |
//! | `--heavy` | the tests of the Python package that need torch, Quantus, SHAP and others (gigabytes of downloads) |
//! | `--long` | steps that take about half an hour each: mutants, dependencies, reproducible builds, soak, fuzzing, faults, other programs |

use crate::command::{ALL, Result, WITH_SQL, cargo, command, target, together};
use crate::{adapters, browser, fuzz, peers, python, site};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The libraries, each after its dependencies.
const LIBRARIES: [&str; 10] = [
    "xai-derive",
    "xai-core",
    "xai-neighbors",
    "xai-casebased",
    "xai-attribution",
    "xai-graph",
    "xai-counterfactual",
    "xai-repro",
    "xai-metrics",
    "xai-report",
];

/// Options that add steps to the everyday ones.
const OPTIONS: [&str; 8] = [
    "--all",
    "--python",
    "--site",
    "--adapters",
    "--sql",
    "--laws",
    "--long",
    "--heavy",
];

/// Environment variable from which proptest reads its seed.
const SEED: &str = "PROPTEST_RNG_SEED";

/// The last commit before the limit on subjects: older ones may be longer.
const LAST_UNCHECKED_COMMIT: &str = "d9ce5625cacc3b814ec896c63bf4c19fe372585a";

/// Longest subject of a commit in characters. Longer ones are cut in lists of commits.
const MAX_SUBJECT: usize = 72;

/// A named part of the checks.
struct Step {
    name: String,
    run: Box<dyn Fn() -> Result>,
}

pub(crate) fn run(arguments: &[&str]) -> Result {
    let mut times = Vec::new();
    for Step { name, run } in chosen(arguments)? {
        eprintln!("\n── {name}");
        let start = Instant::now();
        run().map_err(|error| format!("cargo xtask ci {name}: {error}"))?;
        times.push((name, start.elapsed()));
    }
    let total: Duration = times.iter().map(|(_, took)| *took).sum();
    times.push(("total".to_owned(), total));
    eprintln!("\nAll passed:");
    for (name, took) in times {
        eprintln!("  {name:28} {:7.1} s", took.as_secs_f64());
    }
    Ok(())
}

/// Returns the everyday steps and those of the options, or only the named steps.
fn chosen(arguments: &[&str]) -> Result<Vec<Step>> {
    let (options, names): (Vec<&str>, Vec<&str>) = arguments
        .iter()
        .partition(|argument| argument.starts_with("--"));
    if let Some(unknown) = options.iter().find(|option| !OPTIONS.contains(option)) {
        return Err(format!("unknown option {unknown}; there are {}", OPTIONS.join(", ")).into());
    }
    let packages = if options.contains(&"--sql") {
        WITH_SQL
    } else {
        ALL
    };
    // The step `python` alone needs no other crate.
    let of_python = if names.is_empty() {
        together(packages)
    } else {
        python::ALONE.to_owned()
    };
    let mut steps = everyday(packages);
    for option in OPTIONS {
        if options.contains(&option) || !names.is_empty() {
            steps.extend(optional(option, packages, &of_python));
        }
    }
    let known: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
        return Err(format!("no step {unknown}; there are: {}", known.join(", ")).into());
    }
    steps.retain(|step| names.is_empty() || names.contains(&step.name.as_str()));
    Ok(steps)
}

/// Returns the steps that need only a Rust toolchain. Without Python, `architecture` passes without checking.
fn everyday(packages: &'static str) -> Vec<Step> {
    // The same features for both steps, so that dependencies are checked once.
    let with_onnxruntime = format!("{packages} --features xai-cli/onnxruntime");
    let mut steps = vec![
        step("fmt", || cargo("fmt --all --check").run()),
        step("subjects", subjects),
        step("architecture", python::architecture),
        clippy("clippy", &with_onnxruntime),
        docs("docs", &with_onnxruntime),
    ];
    // Alone, so that no other crate's features hide a missing one. Without tests, whose dependencies enable features
    // too.
    let bare = |name| {
        let line = format!("clippy --lib --package {name} --no-default-features -- -D warnings");
        step(format!("{name}-bare"), move || cargo(&line).run())
    };
    steps.extend(LIBRARIES.map(bare));
    steps.push(test("tests", &together(packages)));
    steps
}

/// Returns the steps that an option adds.
fn optional(option: &str, packages: &'static str, of_python: &str) -> Vec<Step> {
    match option {
        // Results are the same without threads. Only xai-core has code that depends on the feature.
        "--all" => vec![
            test(
                "sequential",
                "--package xai-core --no-default-features --lib --tests",
            ),
            step("wasm", wasm),
            step("onnxruntime", || python::onnxruntime(packages)),
            step("browser", || browser::run(packages)),
            // Finds missing metadata and files. Without `--no-verify` it would also build each archive with its own
            // dependencies, which takes long.
            step("publish", || {
                cargo("publish --workspace --dry-run --no-verify --allow-dirty").run()
            }),
        ],
        "--python" => {
            let selection = of_python.to_owned();
            vec![step("python", move || python::run(&selection))]
        }
        "--site" => vec![step("site", || site::run(packages))],
        "--adapters" => vec![step("adapters", adapters::run)],
        "--heavy" => vec![step("python-heavy", python::heavy)],
        "--sql" => vec![step("sql-python", python::sql)],
        "--long" => vec![
            step("mutants", mutants),
            step("deny", || {
                cargo("deny --all-features check licenses bans sources").run()
            }),
            step("reproducible", reproducible),
            step("soak", python::long_soak),
            step("fuzz", || fuzz::run(&[])),
            step("faults", faults),
            step("differential", || {
                peers::run(&["--differential", "--minutes", "30"])
            }),
        ],
        _ => vec![step("laws", laws)],
    }
}

/// Checks the subjects of the commits since [`LAST_UNCHECKED_COMMIT`]. Passes without checking if git or that commit is
/// missing, as in an archive or in a clone without history.
fn subjects() -> Result {
    let exists = ["cat-file", "-e", LAST_UNCHECKED_COMMIT];
    if command("git").args(exists).output().is_err() {
        eprintln!("left out: the history of commits is not here");
        return Ok(());
    }
    let range = format!("{LAST_UNCHECKED_COMMIT}..HEAD");
    let log = command("git").args(["log", "--no-merges", "--format=%h %s", &range]);
    let lines = log.output()?;
    let too_long = too_long_subjects(&lines);
    if too_long.is_empty() {
        return Ok(());
    }
    Err(format!(
        "subjects of more than {MAX_SUBJECT} characters; shorten them and move the rest to the body:\n  {}",
        too_long.join("\n  ")
    )
    .into())
}

/// Returns the lines `HASH SUBJECT` whose subject is longer than [`MAX_SUBJECT`] characters.
fn too_long_subjects(log: &str) -> Vec<&str> {
    let is_too_long = |line: &&str| {
        line.split_once(' ')
            .is_some_and(|(_, subject)| subject.chars().count() > MAX_SUBJECT)
    };
    log.lines().filter(is_too_long).collect()
}

/// Checks the libraries for WebAssembly. Passes without checking if the target is missing and there is no rustup to
/// add it.
fn wasm() -> Result {
    const TARGET: &str = "wasm32-unknown-unknown";
    let libdir = command("rustc").words("--print target-libdir --target");
    if !Path::new(&libdir.args([TARGET]).output()?).is_dir() {
        if command("rustup").words("--version").output().is_err() {
            eprintln!("left out: the target {TARGET} and rustup, which adds it, are not here");
            return Ok(());
        }
        command("rustup").args(["target", "add", TARGET]).run()?;
    }
    let libraries: String = LIBRARIES.map(|name| format!(" --package {name}")).concat();
    cargo(&format!("check --target {TARGET}{libraries}")).run()
}

/// Runs the tests of the libraries with a seed from the clock, or that of the variable. Properties that do not fix
/// their own number of cases draw eight times as many as in the step `tests`.
fn laws() -> Result {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)?
        .as_secs()
        .to_string();
    let seed = std::env::var(SEED).unwrap_or(now);
    eprintln!("the seed is {seed}");
    let libraries: String = LIBRARIES.map(|name| format!(" --package {name}")).concat();
    let tests = cargo(&format!("test --all-features --lib --tests{libraries}"));
    // With more cases, more are rejected where a law has conditions.
    tests
        .env(SEED, seed)
        .env("PROPTEST_CASES", "2048")
        .env("PROPTEST_MAX_GLOBAL_REJECTS", "65536")
        .run()
}

/// Runs cargo-mutants on the lines of the libraries that differ from the branch main. Whole crates take hours
/// (`docs/testing.md`).
fn mutants() -> Result {
    let changes = target().join("changes.diff");
    std::fs::create_dir_all(target())?;
    let since = command("git").words("merge-base HEAD main").output()?;
    let diff = command("git").args(["diff", since.as_str(), "--output"]);
    diff.args([&changes]).run()?;
    let libraries: String = LIBRARIES.map(|name| format!(" --package {name}")).concat();
    cargo(&format!(
        "mutants --timeout-multiplier 4{libraries} --in-diff"
    ))
    .args([&changes])
    .run()
}

/// Sends signals at 200 moments of each command that writes files, tests other faults of the command line, then 60
/// faults of Spark.
fn faults() -> Result {
    let tests = cargo("test --package xai-cli --test cli faults");
    tests.env("XAI_FAULTS", "67").run()?;
    python::spark_faults()
}

/// Builds the program in two folders, which must give the same bytes.
fn reproducible() -> Result {
    let build = |name: &str| -> Result<Vec<u8>> {
        let folder = target().join("reproducible").join(name);
        // Code that build scripts generate contains the path of its folder.
        let remapped = format!("--remap-path-prefix={}=target", folder.display());
        cargo("build --profile dist --package xai-cli --target-dir")
            .args([&folder])
            .env("RUSTFLAGS", remapped)
            .run()?;
        let program = std::fs::read(folder.join("dist").join("xai"))?;
        std::fs::remove_dir_all(folder)?;
        Ok(program)
    };
    if build("first")? != build("second")? {
        return Err("two builds of `xai` differ".into());
    }
    Ok(())
}

fn step(name: impl Into<String>, run: impl Fn() -> Result + 'static) -> Step {
    let (name, run) = (name.into(), Box::new(run));
    Step { name, run }
}

fn clippy(name: impl Into<String>, packages: &str) -> Step {
    let line = format!("clippy {packages} --all-targets -- -D warnings");
    step(name, move || cargo(&line).run())
}

fn docs(name: &str, packages: &str) -> Step {
    let line = format!("doc {packages} --no-deps");
    step(name, move || {
        cargo(&line).env("RUSTDOCFLAGS", "-D warnings").run()
    })
}

/// Returns a step that runs tests with a fixed seed.
fn test(name: impl Into<String>, packages: &str) -> Step {
    let line = format!("test {packages}");
    step(name, move || {
        // Twice as many threads as cores, because many tests wait for other processes.
        let threads = 2 * std::thread::available_parallelism()?.get();
        let tests = cargo(&line).env(SEED, "1");
        tests.env("RUST_TEST_THREADS", threads.to_string()).run()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &[&str]) -> Vec<String> {
        let steps = chosen(arguments).expect("steps").into_iter();
        steps.map(|step| step.name).collect()
    }

    #[test]
    fn an_option_adds_its_steps_to_the_everyday_ones() {
        let everyday = names(&[]);
        assert_eq!(everyday[..4], ["fmt", "subjects", "architecture", "clippy"]);
        for (option, step) in [
            ("--python", "python"),
            ("--site", "site"),
            ("--adapters", "adapters"),
            ("--sql", "sql-python"),
        ] {
            let with = [&everyday[..], &[step.to_owned()]].concat();
            assert_eq!(names(&[option]), with);
        }
        let all = names(&["--all"]);
        assert_eq!(all[all.len() - 3..], ["onnxruntime", "browser", "publish"]);
        assert!(
            ["sequential", "wasm"]
                .map(str::to_owned)
                .iter()
                .all(|step| all.contains(step))
        );
    }

    #[test]
    fn subjects_are_counted_in_characters_without_the_hash() {
        let fits = format!("0123abc {}", "ä".repeat(72));
        let too_long = format!("4567def {}", "a".repeat(73));
        let log = format!("{fits}\n{too_long}\n");
        assert_eq!(too_long_subjects(&log), [too_long]);
    }

    #[test]
    fn a_named_step_is_found_among_all() {
        assert_eq!(
            names(&["publish", "fmt", "laws"]),
            ["fmt", "publish", "laws"]
        );
        assert!(chosen(&["fnt"]).is_err());
        assert!(chosen(&["--al"]).is_err());
    }
}
