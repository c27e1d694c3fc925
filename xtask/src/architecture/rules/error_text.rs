//! The command line never searches the text of an error: what an error is about is data.
//!
//! Checked in `crates/xai-cli/src`, outside test code, on the text alone. A violation is one of the
//! searches below (`.contains(`, `.split(`, …), or a comparison with `==` or `!=`,
//!
//! 1. in one chain behind `.to_string()`, `.problem()`, `.message()` or `format!(…)`; a comparison
//!    only where the chain begins with a name of an error, for numbers are compared as texts, too;
//! 2. of a variable that holds such a text: one bound by `let` to an expression that has
//!    `.to_string()`, `.problem()` or `.message` behind a name of an error, or `format!(…)` that
//!    prints one, until the end of its block;
//! 3. of anything called `message`.
//!
//! A name of an error is `e`, `err`, `error`, `failure`, `cause`, `source`, `reason`, or ends in
//! `_error`.

use super::rule::Rule;
use crate::architecture::source::tokens::{Kind, Token};
use crate::architecture::source::tree::{File, Tree};

pub(super) const RULE: Rule = Rule {
    states: "the command line never searches the text of an error",
    check,
};

const SEARCHES: [&str; 20] = [
    "contains",
    "ends_with",
    "eq",
    "eq_ignore_ascii_case",
    "find",
    "match_indices",
    "matches",
    "replace",
    "replacen",
    "rfind",
    "rsplit",
    "rsplit_once",
    "split",
    "split_inclusive",
    "split_once",
    "splitn",
    "starts_with",
    "strip_prefix",
    "strip_suffix",
    "trim_start_matches",
];

/// Methods that leave a text what it is.
const VIEWS: [&str; 8] = [
    "as_ref",
    "as_str",
    "clone",
    "lines",
    "to_lowercase",
    "to_owned",
    "to_uppercase",
    "trim",
];

/// Methods and fields that make a text of an error.
const TEXTS: [&str; 3] = ["to_string", "problem", "message"];

const ERRORS: [&str; 7] = ["e", "err", "error", "failure", "cause", "source", "reason"];

fn check(tree: &Tree) -> Vec<String> {
    let files = tree.files().iter();
    let files = files.filter(|f| f.path.starts_with("crates/xai-cli/src/"));
    files.flat_map(violations).collect()
}

fn violations(file: &File) -> Vec<String> {
    let code = file.code();
    let mut violations = Vec::new();
    for search in 0..code.len() {
        let Some((kind, last)) = searched(&code, search) else {
            continue;
        };
        if is_text_of_error(&code, last, kind) {
            let place = file.at(code[search].line);
            violations.push(format!("{place}: searches the text of an error"));
        }
    }
    violations
}

/// How a text is looked into.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Search {
    Method,
    Comparison,
}

/// What is searched at a token, by the index of its last token: behind that stand only views of the
/// text, then `.contains(` or `==`.
fn searched(code: &[&Token], at: usize) -> Option<(Search, usize)> {
    let is_method = SEARCHES.contains(&code[at].text.as_str())
        && at > 0
        && code[at - 1].is(".")
        && code.get(at + 1).is_some_and(|t| t.is("("));
    let is_comparison = code.get(at + 1).is_some_and(|t| t.is("="))
        && (code[at].is("=") || code[at].is("!"))
        && at > 0
        && !code[at - 1].is("=");
    let (kind, mut last) = match (is_method, is_comparison) {
        (true, _) => (Search::Method, at.checked_sub(2)?),
        (_, true) => (Search::Comparison, at.checked_sub(1)?),
        _ => return None,
    };
    // Back over `.as_str()` and the like.
    while last >= 4 && code[last].is(")") && code[last - 1].is("(") && code[last - 3].is(".") {
        if !VIEWS.contains(&code[last - 2].text.as_str()) {
            break;
        }
        last -= 4;
    }
    Some((kind, last))
}

/// Whether the expression that ends at a token is the text of an error.
fn is_text_of_error(code: &[&Token], last: usize, kind: Search) -> bool {
    let token = code[last];
    if token.is_word() {
        return token.is("message") || holds_text(code, last);
    }
    if !token.is(")") {
        return false;
    }
    let open = opening(code, last);
    let before = |back: usize| open.checked_sub(back).map(|at| code[at]);
    let is_text = before(2).is_some_and(|t| t.is("."))
        && before(1).is_some_and(|t| TEXTS.contains(&t.text.as_str()));
    let is_format =
        before(1).is_some_and(|t| t.is("!")) && before(2).is_some_and(|t| t.is("format"));
    let is_certain = before(3).is_some_and(|t| is_error(&t.text));
    (is_text || is_format) && (is_certain || kind == Search::Method)
}

/// The index of the bracket that the one at `close` closes.
fn opening(code: &[&Token], close: usize) -> usize {
    let mut depth = 0_usize;
    for at in (0..=close).rev() {
        match code[at].text.as_str() {
            _ if code[at].kind != Kind::Mark => {}
            ")" | "]" | "}" => depth += 1,
            "(" | "[" | "{" => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    0
}

/// Whether the variable at a token was bound to the text of an error, in a block that is open there.
fn holds_text(code: &[&Token], at: usize) -> bool {
    let name = &code[at].text;
    if at > 0 && (code[at - 1].is(".") || code[at - 1].is("::")) {
        return false;
    }
    let mut depth = 0_isize;
    for start in (0..at).rev() {
        match code[start].text.as_str() {
            "}" if code[start].kind == Kind::Mark => depth += 1,
            "{" if code[start].kind == Kind::Mark => depth = (depth - 1).max(0),
            "let" if depth == 0 => {
                let bound = code[start + 1..at].iter();
                let mut bound = bound.take_while(|t| !t.is("=") && !t.is(":") && !t.is(";"));
                if bound.any(|t| t.is(name)) {
                    return makes_text(&code[start..at]);
                }
            }
            _ => {}
        }
    }
    false
}

/// Whether the `let` that begins here binds the text of an error.
fn makes_text(code: &[&Token]) -> bool {
    let end = code.iter().position(|t| t.is(";")).unwrap_or(code.len());
    let expression = &code[..end];
    let names_error = |t: &&Token| is_error(&t.text);
    let is_chain = expression
        .windows(3)
        .any(|t| is_error(&t[0].text) && t[1].is(".") && TEXTS.contains(&t[2].text.as_str()));
    let is_format = expression
        .windows(2)
        .any(|t| t[0].is("format") && t[1].is("!"));
    let prints_error = expression.iter().any(names_error)
        || expression
            .iter()
            .any(|t| t.kind == Kind::Text && prints(&t.text));
    is_chain || is_format && prints_error
}

fn is_error(name: &str) -> bool {
    ERRORS.contains(&name) || name.ends_with("_error")
}

/// Whether a format string has an error's name in braces.
fn prints(text: &str) -> bool {
    let behind_braces = text.split('{').skip(1);
    let mut names = behind_braces.filter_map(|rest| rest.split(['}', ':']).next());
    names.any(is_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(source: &str) -> usize {
        let path = "crates/xai-cli/src/graph.rs";
        (RULE.check)(&Tree::of(&[(path, source)])).len()
    }

    #[test]
    fn a_search_in_one_chain_is_found() {
        for source in [
            "if e.to_string().contains(\"a\") {}",
            "if e\n.to_string()\n.as_str()\n.starts_with(\"a\") {}",
            "let x = format!(\"{e}\").split(';');",
            "self.message.find(\"got\")",
            "error.problem().to_lowercase().strip_prefix(\"a\")",
            "if e.to_string() == \"a\" {}",
        ] {
            assert_eq!(count(source), 1, "{source}");
        }
    }

    #[test]
    fn a_search_through_a_variable_is_found() {
        for source in [
            "{ let text = error.to_string(); f(); if text.contains(\"a\") {} }",
            "{ let text: String = format!(\"{e}\"); { text.as_str().split_once(';') } }",
            "{ let text = format!(\"{}: {}\", a, io_error); text.rfind('a') }",
            "fn f(message: &str) { message.starts_with(\"a\") }",
        ] {
            assert_eq!(count(source), 1, "{source}");
        }
    }

    #[test]
    fn other_texts_may_be_searched_and_tests_may_search_anything() {
        for source in [
            "if path.contains(\"a\") { e.to_string() }",
            "if number.to_string() == text {}",
            "{ let text = error.to_string(); } { text.contains(\"a\") }",
            "{ let text = name.to_string(); text.contains(\"a\") }",
            "let t = e.to_string(); let u = names.iter().find(|n| n.is(t));",
            "#[test] fn f() { e.to_string().contains(\"a\") }",
        ] {
            assert_eq!(count(source), 0, "{source}");
        }
    }
}
