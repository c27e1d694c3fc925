//! `cargo xtask ci`: everything a change must pass.
//!
//! Cheap steps come first. Clippy and rustdoc share one set of checked dependencies, and all tests share one set of built ones: another
//! selection of packages has other features and would build nearly everything again. Each library is also checked alone,
//! without its features.
//!
//! | option | adds |
//! |---|---|
//! | `--all` | tests without threads, ONNX Runtime, the report in a browser, packaging |
//! | `--python` | the Python package, built and tested |
//! | `--sql` | the crates with a query engine to all steps, and the SQL package for Python, on Spark too |
//! | `--site` | the documentation as one site |
//! | `--laws` | the property tests with a new seed (they use a fixed one otherwise) |
//! | `--heavy` | the Python package beside torch, Quantus, SHAP and others (gigabytes of downloads) |
//! | `--long` | steps that take about half an hour each: mutants, dependencies, reproducible builds, soak, fuzzing, faults, other programs |

use crate::command::{ALL, Result, WITH_SQL, cargo, command, target, together};
use crate::{browser, fuzz, peers, python, site};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The libraries, each after those it depends on.
const LIBRARIES: [&str; 8] = [
    "xai-derive",
    "xai-core",
    "xai-casebased",
    "xai-attribution",
    "xai-graph",
    "xai-repro",
    "xai-metrics",
    "xai-report",
];

/// The options that add steps to the everyday ones.
const OPTIONS: [&str; 7] = [
    "--all", "--python", "--site", "--sql", "--laws", "--long", "--heavy",
];

/// Where proptest reads its seed.
const SEED: &str = "PROPTEST_RNG_SEED";

/// A part of the checks, with a name.
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

/// The everyday steps and those of the options; or only the named ones of all.
fn chosen(arguments: &[&str]) -> Result<Vec<Step>> {
    let (options, names): (Vec<&str>, Vec<&str>) = arguments
        .iter()
        .partition(|argument| argument.starts_with("--"));
    if let Some(unknown) = options.iter().find(|option| !OPTIONS.contains(option)) {
        return Err(format!("unknown option {unknown}; there are {}", OPTIONS.join(", ")).into());
    }
    let packages = match options.contains(&"--sql") {
        true => WITH_SQL,
        false => ALL,
    };
    let mut steps = everyday(packages);
    for option in OPTIONS {
        if options.contains(&option) || !names.is_empty() {
            steps.extend(steps_of(option, packages));
        }
    }
    let known: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
        return Err(format!("no step {unknown}; there are: {}", known.join(", ")).into());
    }
    steps.retain(|step| names.is_empty() || names.contains(&step.name.as_str()));
    Ok(steps)
}

/// The steps that need a Rust toolchain; `architecture` is left out where Python is not found.
fn everyday(packages: &'static str) -> Vec<Step> {
    // The same features for both: else most is checked twice.
    let with_onnxruntime = format!("{packages} --features xai-cli/onnxruntime");
    let mut steps = vec![
        step("fmt", || cargo("fmt --all --check").run()),
        step("architecture", python::architecture),
        clippy("clippy", &with_onnxruntime),
        docs("docs", &with_onnxruntime),
    ];
    // Alone, so that no other crate's features hide a missing one.
    let bare = |name| {
        clippy(
            format!("{name}-bare"),
            &format!("--package {name} --no-default-features"),
        )
    };
    steps.extend(LIBRARIES.map(bare));
    steps.push(test("tests", &together(packages)));
    steps
}

/// The steps that an option adds.
fn steps_of(option: &str, packages: &'static str) -> Vec<Step> {
    match option {
        // The results are the same without threads: only the core asks whether there are any.
        "--all" => vec![
            test(
                "sequential",
                "--package xai-core --no-default-features --lib --tests",
            ),
            step("onnxruntime", || python::onnxruntime(packages)),
            step("browser", || browser::run(packages)),
            // What the registry would refuse: missing metadata or files. `cargo publish --workspace --dry-run` also builds the
            // archives, each with dependencies of its own.
            step("publish", || {
                cargo("publish --workspace --dry-run --no-verify --allow-dirty").run()
            }),
        ],
        "--python" => vec![step("python", python::run)],
        "--site" => vec![step("site", || site::run(packages))],
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

/// The tests of the libraries with a seed of this moment, or that of the variable; what does not fix its own number of
/// cases draws eight times as many as every day.
fn laws() -> Result {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)?
        .as_secs()
        .to_string();
    let seed = std::env::var(SEED).unwrap_or(now);
    eprintln!("the seed is {seed}");
    let libraries: String = LIBRARIES.map(|name| format!(" --package {name}")).concat();
    let tests = cargo(&format!("test --all-features --lib --tests{libraries}"));
    // More cases are rejected, too, where a law does not hold for all of them.
    tests
        .env(SEED, seed)
        .env("PROPTEST_CASES", "2048")
        .env("PROPTEST_MAX_GLOBAL_REJECTS", "65536")
        .run()
}

/// Mutants of the lines of the libraries that differ from the branch main; whole crates take hours (`docs/testing.md`).
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

/// Signals at 200 moments of each command that writes and other faults of the command line, then 60 faults of Spark.
fn faults() -> Result {
    let tests = cargo("test --package xai-cli --test cli faults");
    tests.env("XAI_FAULTS", "67").run()?;
    python::spark_faults()
}

/// Builds the program in two places, which must give the same bytes.
fn reproducible() -> Result {
    let built = |place: &str| -> Result<Vec<u8>> {
        let place = target().join("reproducible").join(place);
        // Code that build scripts write names its own place.
        let remapped = format!("--remap-path-prefix={}=target", place.display());
        cargo("build --profile dist --package xai-cli --target-dir")
            .args([&place])
            .env("RUSTFLAGS", remapped)
            .run()?;
        let program = std::fs::read(place.join("dist").join("xai"))?;
        std::fs::remove_dir_all(place)?;
        Ok(program)
    };
    match built("first")? == built("second")? {
        true => Ok(()),
        false => Err("two builds of `xai` differ".into()),
    }
}

fn step(name: impl Into<String>, run: impl Fn() -> Result + 'static) -> Step {
    let (name, run) = (name.into(), Box::new(run));
    Step { name, run }
}

fn clippy(name: impl Into<String>, of: &str) -> Step {
    let line = format!("clippy {of} --all-targets -- -D warnings");
    step(name, move || cargo(&line).run())
}

fn docs(name: &str, of: &str) -> Step {
    let line = format!("doc {of} --no-deps");
    step(name, move || {
        cargo(&line).env("RUSTDOCFLAGS", "-D warnings").run()
    })
}

/// Tests, whose random ones draw the same each time. Many wait for other processes: twice as many as cores at a time.
fn test(name: impl Into<String>, of: &str) -> Step {
    let line = format!("test {of}");
    step(name, move || {
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
        assert_eq!(everyday[..3], ["fmt", "architecture", "clippy"]);
        for (option, step) in [
            ("--python", "python"),
            ("--site", "site"),
            ("--sql", "sql-python"),
        ] {
            let with = [&everyday[..], &[step.to_owned()]].concat();
            assert_eq!(names(&[option]), with);
        }
        let all = names(&["--all"]);
        assert_eq!(all[all.len() - 3..], ["onnxruntime", "browser", "publish"]);
        assert!(all.contains(&"sequential".to_owned()));
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
