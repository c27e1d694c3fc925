//! The paths that a file names: each leaf of each `use`, and each path written out in the code.

use super::tokens::{Token, behind_closing};

/// One path in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::architecture) struct Import {
    /// As written, with what stands before the braces: `crate`, `search`, `Engine`. A glob ends in
    /// `*`.
    pub(in crate::architecture) segments: Vec<String>,
    /// The name that a `use` gives it in the file; `None` for a path in the code.
    pub(in crate::architecture) name: Option<String>,
    /// Whether the `use` begins with `pub`, of any scope: a re-export.
    pub(in crate::architecture) public: bool,
    /// The modules written out in the file that it stands in, outermost first.
    pub(in crate::architecture) inline: Vec<String>,
    pub(in crate::architecture) line: usize,
    pub(in crate::architecture) test: bool,
}

/// A file's paths, and what is left of the file without its `use` declarations.
pub(in crate::architecture) struct Imports<'a> {
    pub(in crate::architecture) paths: Vec<Import>,
    pub(in crate::architecture) rest: Vec<&'a Token>,
}

/// The paths of a file.
pub(in crate::architecture) fn imports(tokens: &[Token]) -> Imports<'_> {
    let mut found = Imports {
        paths: Vec::new(),
        rest: Vec::new(),
    };
    // The modules that are open, each with the index behind its closing brace.
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        open.retain(|(_, end)| at < *end);
        let inline: Vec<String> = open.iter().map(|(name, _)| name.clone()).collect();
        if is_use(tokens, at) {
            let mut reader = UseReader {
                tokens,
                leaf: Import {
                    segments: Vec::new(),
                    name: None,
                    public: is_public(tokens, at),
                    inline,
                    line: tokens[at].line,
                    test: tokens[at].test,
                },
                leaves: &mut found.paths,
            };
            at = reader.tree(at + 1, Vec::new());
            continue;
        }
        if tokens[at].is("mod") && tokens.get(at + 2).is_some_and(|t| t.is("{")) {
            let name = tokens[at + 1].text.clone();
            open.push((name, behind_closing(tokens, at + 2)));
        }
        if let Some(segments) = written_path(tokens, at) {
            found.paths.push(Import {
                segments,
                name: None,
                public: false,
                inline,
                line: tokens[at].line,
                test: tokens[at].test,
            });
        }
        found.rest.push(&tokens[at]);
        at += 1;
    }
    found
}

/// A `use` declaration; `impl Trait + use<'a>` is none.
fn is_use(tokens: &[Token], at: usize) -> bool {
    tokens[at].is("use") && tokens.get(at + 1).is_some_and(|t| !t.is("<"))
}

/// Whether `pub`, `pub(crate)`, `pub(super)` or `pub(in path)` stands before an item.
fn is_public(tokens: &[Token], item: usize) -> bool {
    let before: Vec<&Token> = tokens[..item].iter().rev().take(12).collect();
    match before.first() {
        Some(token) if token.is("pub") => true,
        Some(token) if token.is(")") => {
            let open = before.iter().position(|t| t.is("("));
            open.and_then(|open| before.get(open + 1))
                .is_some_and(|t| t.is("pub"))
        }
        _ => false,
    }
}

/// The words of the path that begins at a token, if it begins there and has at least two.
fn written_path(tokens: &[Token], start: usize) -> Option<Vec<String>> {
    let before = |back: usize| start.checked_sub(back).map(|at| &tokens[at]);
    if !tokens[start].is_word() || before(1).is_some_and(|t| t.is("::")) {
        return None;
    }
    // The path of `pub(in path)` says who may see, not what is needed.
    if before(1).is_some_and(|t| t.is("in")) && before(2).is_some_and(|t| t.is("(")) {
        return None;
    }
    let mut segments = vec![tokens[start].text.clone()];
    let mut at = start + 1;
    while tokens.get(at).is_some_and(|t| t.is("::"))
        && tokens.get(at + 1).is_some_and(Token::is_word)
    {
        segments.push(tokens[at + 1].text.clone());
        at += 2;
    }
    (segments.len() > 1).then_some(segments)
}

/// Reads the tree of one `use` declaration.
struct UseReader<'a> {
    tokens: &'a [Token],
    /// What all leaves share.
    leaf: Import,
    leaves: &'a mut Vec<Import>,
}

impl UseReader<'_> {
    /// Reads the tree at a token below a prefix and gives the index behind it.
    fn tree(&mut self, start: usize, prefix: Vec<String>) -> usize {
        let mut segments = prefix;
        let mut at = start;
        while let Some(token) = self.tokens.get(at) {
            if token.is("{") {
                let behind = behind_closing(self.tokens, at);
                at += 1;
                while at + 1 < behind {
                    at = self.tree(at, segments.clone());
                    if self.tokens.get(at).is_some_and(|t| t.is(",")) {
                        at += 1;
                    }
                }
                return behind;
            }
            if token.is("::") {
                if segments.is_empty() {
                    // From the root of all crates: never one of ours.
                    segments.push(String::new());
                }
            } else if token.is_word() || token.is("*") {
                segments.push(token.text.clone());
                if !self.tokens.get(at + 1).is_some_and(|t| t.is("::")) {
                    return self.leaf(at, segments);
                }
            } else {
                return at + 1;
            }
            at += 1;
        }
        at
    }

    /// Keeps the leaf whose last word is at a token and gives the index behind it.
    fn leaf(&mut self, last: usize, mut segments: Vec<String>) -> usize {
        if segments.len() > 1 && segments.last().is_some_and(|s| s == "self") {
            segments.pop();
        }
        let renamed = self.tokens.get(last + 1).is_some_and(|t| t.is("as"));
        let name = match renamed {
            true => self.tokens.get(last + 2).map(|t| t.text.clone()),
            false => segments.last().cloned(),
        };
        self.leaves.push(Import {
            segments,
            name,
            line: self.tokens[last].line,
            ..self.leaf.clone()
        });
        last + if renamed { 3 } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    fn paths(source: &str) -> Vec<String> {
        let tokens = tokens(source);
        let paths = imports(&tokens).paths.into_iter();
        let text = |i: Import| match i.name {
            Some(name) => format!("{} = {}", name, i.segments.join("::")),
            None => i.segments.join("::"),
        };
        paths.map(text).collect()
    }

    #[test]
    fn each_leaf_of_nested_braces_is_a_path() {
        assert_eq!(
            paths("use crate::{a::{self, b::C as D, e::*}, f,};\nuse std::fmt;"),
            [
                "a = crate::a",
                "D = crate::a::b::C",
                "* = crate::a::e::*",
                "f = crate::f",
                "fmt = std::fmt"
            ]
        );
    }

    #[test]
    fn paths_in_the_code_are_found_and_visibilities_are_not() {
        assert_eq!(
            paths("pub(in crate::x) fn f(a: super::B) -> Vec<crate::c::D> { e::f::<u8>(a.g) }"),
            ["super::B", "crate::c::D", "e::f"]
        );
    }

    #[test]
    fn re_exports_and_inline_modules_are_told() {
        let tokens =
            tokens("pub use a::A; pub(crate) use b::B; use c::C; mod m { use d::D; } e::E;");
        let paths = imports(&tokens).paths;
        let public: Vec<bool> = paths.iter().map(|i| i.public).collect();
        assert_eq!(public, [true, true, false, false, false]);
        assert_eq!(paths[3].inline, ["m"]);
        assert!(paths[4].inline.is_empty());
    }

    #[test]
    fn what_is_left_has_no_declarations() {
        let tokens = tokens("use a::{B}; fn f() {}");
        let rest: Vec<&str> = imports(&tokens)
            .rest
            .iter()
            .map(|t| t.text.as_str())
            .collect();
        assert_eq!(rest, [";", "fn", "f", "(", ")", "{", "}"]);
    }
}
