//! `cargo xtask ci --scale`: the metrics in a query engine, and the command line of its cluster.
//!
//! No other step builds them: the engine takes longer to build than everything else together.

use crate::step::Step;
use crate::workspace::SCALE;

/// Clippy, rustdoc and the tests of both crates. Clippy and rustdoc share one set of checked dependencies.
pub(crate) fn steps() -> Vec<Step> {
    let of_both = |command: &str| {
        let mut arguments = vec![command.to_owned()];
        arguments.extend(SCALE.map(|name| format!("--package={name}")));
        arguments
    };
    let step = |name: &str, command: &str, rest: &[&str]| {
        let mut arguments = of_both(command);
        arguments.extend(rest.iter().map(ToString::to_string));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        Step::cargo(name, &arguments)
    };
    let strict = ["--all-targets", "--", "-D", "warnings"];
    vec![
        step("scale-clippy", "clippy", &strict),
        step("scale-docs", "doc", &["--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"),
        step("scale-tests", "test", &[]),
    ]
}
