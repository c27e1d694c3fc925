//! No library names an input by a string literal: the names are constants in a file `input.rs`, so
//! that one input has one name in all errors.
//!
//! A violation is a string literal, or `format!(…)`, as the first argument of a constructor of
//! `Error` that takes an input there, or `Input::new` outside `input.rs`. Test code may do both.

use super::rule::Rule;
use crate::architecture::source::tokens::{Kind, Token};
use crate::architecture::source::tree::{File, Tree};

pub(super) const RULE: Rule = Rule {
    states: "no library names an input of an error by a string literal",
    check,
};

/// The constructors whose first argument is an input. Those of other errors (`custom` of serde,
/// `other` of the standard library) take a text there, `Error::model` that of a call.
const CONSTRUCTORS: [&str; 12] = [
    "corrupt",
    "empty",
    "io",
    "label_out_of_range",
    "non_finite",
    "out_of_domain",
    "parameter",
    "refused",
    "shape",
    "shape_described",
    "too_few",
    "undefined_score",
];

fn check(tree: &Tree) -> Vec<String> {
    let packages = tree.packages();
    let libraries = packages.iter().filter(|p| p.is_library());
    libraries
        .flat_map(|p| p.sources().flat_map(violations))
        .collect()
}

fn violations(file: &File) -> Vec<String> {
    let code = file.code();
    let mut violations = Vec::new();
    for call in code.windows(5) {
        let place = file.at(call[0].line);
        if names_input(call) {
            violations.push(format!("{place}: Error::{} with a literal", call[2].text));
        }
        let makes_name = call[0].is("Input") && call[1].is("::") && call[2].is("new");
        if makes_name && !file.path.ends_with("/input.rs") {
            violations.push(format!("{place}: Input::new outside input.rs"));
        }
    }
    violations
}

/// `Error::constructor("…"` or `Error::constructor(format!`.
fn names_input(call: &[&Token]) -> bool {
    let is_constructor = call[0].is("Error")
        && call[1].is("::")
        && CONSTRUCTORS.contains(&call[2].text.as_str())
        && call[3].is("(");
    let is_literal = call[4].kind == Kind::Text || call[4].is("format");
    is_constructor && is_literal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(path: &str, source: &str) -> Vec<String> {
        (RULE.check)(&Tree::of_crate(&[("lib.rs", ""), (path, source)]))
    }

    #[test]
    fn a_literal_in_a_constructor_is_found() {
        assert_eq!(
            violations(
                "a.rs",
                "Err(xai_core::Error::shape(\n\"runs\", &[1], &[2]))"
            ),
            ["crates/xai-a/src/a.rs:1: Error::shape with a literal"]
        );
        assert_eq!(
            violations("a.rs", "Error::empty(format!(\"runs[{i}]\"))"),
            ["crates/xai-a/src/a.rs:1: Error::empty with a literal"]
        );
        assert_eq!(
            violations("a.rs", "const RUNS: Input = Input::new(\"runs\");"),
            ["crates/xai-a/src/a.rs:1: Input::new outside input.rs"]
        );
    }

    #[test]
    fn constants_calls_and_tests_are_fine() {
        let source = "Error::shape(input::RUNS, &[1], &[2]); Error::model(\"outputs\", e); \
                      D::Error::custom(\"text\"); \
                      #[test] fn f() { Error::empty(\"runs\"); }";
        assert!(violations("a.rs", source).is_empty());
        let input = "pub const RUNS: Input = Input::new(\"runs\");";
        assert!(violations("input.rs", input).is_empty());
    }
}
