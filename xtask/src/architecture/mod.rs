//! `cargo xtask ci architecture`: the invariants of `docs/architecture.md` that text can contradict.
//!
//! Sources are read as text and split into tokens ([`source`]); nothing is compiled, so the step
//! takes a second. A rule is a file in [`rules`] and a line in its list.

mod rules;
mod source;

use crate::outcome::Result;
use crate::workspace;
use rules::RULES;
use source::tree::Tree;
use std::fmt::Write;

pub(crate) fn run() -> Result {
    let tree = Tree::read(workspace::root())?;
    let report = report(&tree);
    eprint!("{}", report.text);
    match report.n_violations {
        0 => Ok(()),
        1 => Err("1 violation".into()),
        n => Err(format!("{n} violations").into()),
    }
}

struct Report {
    text: String,
    n_violations: usize,
}

/// Each rule with the number of its violations, and below it each violation.
fn report(tree: &Tree) -> Report {
    let mut text = String::new();
    let mut n_violations = 0;
    for rule in RULES {
        let violations = (rule.check)(tree);
        n_violations += violations.len();
        writeln!(text, "{:5} {}", violations.len(), rule.states)
            .expect("writing to a String never fails");
        for violation in violations {
            writeln!(text, "        {violation}").expect("writing to a String never fails");
        }
    }
    Report { text, n_violations }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_counts_the_violations_of_each_rule() {
        let tree = Tree::of(&[
            ("crates/xai-a/Cargo.toml", "[package]\nname = \"xai-a\""),
            (
                "crates/xai-a/src/lib.rs",
                "#![forbid(unsafe_code)]\nmod a;\nmod b;",
            ),
            ("crates/xai-a/src/a.rs", "use crate::b::B;\npub struct A;"),
            ("crates/xai-a/src/b.rs", "use crate::a::A;\npub struct B;"),
        ]);
        let report = report(&tree);
        let lines: Vec<&str> = report.text.lines().collect();
        assert_eq!(
            lines[..2],
            [
                "    1 imports among the files of a crate have no circles",
                "        crates/xai-a/src: a.rs:1 -> b.rs:1 -> a.rs",
            ]
        );
    }
}
