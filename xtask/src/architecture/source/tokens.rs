//! Rust source as tokens: comments are gone, literals are whole, and each token knows whether it
//! belongs to test code.

/// What a token is, as far as the rules need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::architecture) enum Kind {
    /// An identifier, a keyword or the name of a lifetime without its apostrophe.
    Word,
    /// A string literal of any form, quotes included.
    Text,
    /// A number or a character.
    Value,
    /// One character of punctuation, or `::`.
    Mark,
}

/// One token of a file.
#[derive(Debug, Clone)]
pub(in crate::architecture) struct Token {
    pub(in crate::architecture) kind: Kind,
    pub(in crate::architecture) text: String,
    /// From 1.
    pub(in crate::architecture) line: usize,
    /// Whether it stands in an item under `#[cfg(test)]` or `#[test]`.
    pub(in crate::architecture) test: bool,
}

impl Token {
    pub(in crate::architecture) fn is(&self, text: &str) -> bool {
        self.kind != Kind::Text && self.text == text
    }

    pub(in crate::architecture) fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }
}

/// The tokens of a file's text.
pub(in crate::architecture) fn tokens(text: &str) -> Vec<Token> {
    let mut scanner = Scanner {
        characters: text.chars().collect(),
        at: 0,
        line: 1,
        tokens: Vec::new(),
    };
    scanner.scan();
    let mut tokens = scanner.tokens;
    mark_tests(&mut tokens);
    tokens
}

/// The index behind the bracket that closes the one at `open`; the end where none does.
pub(in crate::architecture) fn behind_closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.kind != Kind::Mark {
            continue;
        }
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

struct Scanner {
    characters: Vec<char>,
    at: usize,
    line: usize,
    tokens: Vec<Token>,
}

impl Scanner {
    fn scan(&mut self) {
        while let Some(c) = self.peek(0) {
            let (start, line) = (self.at, self.line);
            let kind = match c {
                _ if c.is_whitespace() => {
                    self.advance();
                    continue;
                }
                '/' if self.peek(1) == Some('/') => {
                    self.skip_until(|s| s.peek(0) == Some('\n'));
                    continue;
                }
                '/' if self.peek(1) == Some('*') => {
                    self.block_comment();
                    continue;
                }
                '"' => {
                    self.text();
                    Kind::Text
                }
                '\'' => match self.apostrophe() {
                    Some(kind) => kind,
                    None => continue,
                },
                _ if c.is_alphabetic() || c == '_' => self.word(),
                _ if c.is_ascii_digit() => {
                    self.number();
                    Kind::Value
                }
                ':' if self.peek(1) == Some(':') => {
                    self.advance();
                    self.advance();
                    Kind::Mark
                }
                _ => {
                    self.advance();
                    Kind::Mark
                }
            };
            let text: String = self.characters[start..self.at].iter().collect();
            self.tokens.push(Token {
                kind,
                text: text.trim_start_matches("r#").to_owned(),
                line,
                test: false,
            });
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    fn advance(&mut self) {
        if self.peek(0) == Some('\n') {
            self.line += 1;
        }
        self.at += 1;
    }

    fn skip_until(&mut self, stop: impl Fn(&Self) -> bool) {
        while self.peek(0).is_some() && !stop(self) {
            self.advance();
        }
    }

    /// Block comments nest.
    fn block_comment(&mut self) {
        let mut depth = 0;
        while self.peek(0).is_some() {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => {
                    depth += 1;
                    self.advance();
                }
                (Some('*'), Some('/')) => {
                    depth -= 1;
                    self.advance();
                }
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return;
            }
        }
    }

    /// From a quote behind the closing one.
    fn text(&mut self) {
        self.advance();
        while let Some(c) = self.peek(0) {
            self.advance();
            match c {
                '\\' => self.advance(),
                '"' => return,
                _ => {}
            }
        }
    }

    /// From the hashes or the quote of a raw string behind its end.
    fn raw_text(&mut self) {
        let mut hashes = 0;
        while self.peek(0) == Some('#') {
            hashes += 1;
            self.advance();
        }
        self.advance();
        while let Some(c) = self.peek(0) {
            self.advance();
            if c == '"' && (0..hashes).all(|i| self.peek(i) == Some('#')) {
                self.at += hashes;
                return;
            }
        }
    }

    /// A character, or a lifetime, of which only the apostrophe is skipped.
    fn apostrophe(&mut self) -> Option<Kind> {
        let is_character = match self.peek(1) {
            Some('\\') => true,
            Some(_) => self.peek(2) == Some('\''),
            None => false,
        };
        self.advance();
        if !is_character {
            return None;
        }
        if self.peek(0) == Some('\\') {
            self.advance();
        }
        self.advance();
        // An escape may be longer: '\u{2192}'.
        self.skip_until(|s| s.peek(0) == Some('\''));
        self.advance();
        Some(Kind::Value)
    }

    /// A word, or a string literal with a prefix.
    fn word(&mut self) -> Kind {
        let start = self.at;
        let rest = |c: char| c.is_alphanumeric() || c == '_';
        self.skip_until(|s| s.peek(0).is_none_or(|c| !rest(c)));
        let prefix: String = self.characters[start..self.at].iter().collect();
        match (prefix.as_str(), self.peek(0)) {
            ("b" | "c", Some('"')) => {
                self.text();
                Kind::Text
            }
            ("b", Some('\'')) => {
                self.apostrophe();
                Kind::Value
            }
            ("r" | "br" | "cr", Some('"')) => {
                self.raw_text();
                Kind::Text
            }
            ("r" | "br" | "cr", Some('#')) if matches!(self.peek(1), Some('"' | '#')) => {
                self.raw_text();
                Kind::Text
            }
            ("r", Some('#')) => {
                self.advance();
                self.skip_until(|s| s.peek(0).is_none_or(|c| !rest(c)));
                Kind::Word
            }
            _ => Kind::Word,
        }
    }

    /// A number with its suffix; the range `0..n` is not part of it.
    fn number(&mut self) {
        self.skip_until(|s| match s.peek(0) {
            Some('.') => !s.peek(1).is_some_and(|c| c.is_ascii_digit()),
            Some(c) => !c.is_alphanumeric() && c != '_',
            None => true,
        });
    }
}

/// Marks each item that follows an attribute of test code, the attribute included.
fn mark_tests(tokens: &mut [Token]) {
    let mut at = 0;
    while at < tokens.len() {
        if !(tokens[at].is("#") && tokens.get(at + 1).is_some_and(|t| t.is("["))) {
            at += 1;
            continue;
        }
        let behind = behind_closing(tokens, at + 1);
        if is_test_attribute(&tokens[at + 2..behind]) {
            let end = behind_item(tokens, behind);
            tokens[at..end].iter_mut().for_each(|t| t.test = true);
            at = end;
        } else {
            at = behind;
        }
    }
}

/// `test` or `cfg(…)` that names `test` without `not`.
fn is_test_attribute(attribute: &[Token]) -> bool {
    match attribute.first() {
        Some(first) if first.is("test") => true,
        Some(first) if first.is("cfg") => {
            attribute.iter().any(|t| t.is("test")) && !attribute.iter().any(|t| t.is("not"))
        }
        _ => false,
    }
}

/// The index behind an item: behind its body in braces, or behind its semicolon.
fn behind_item(tokens: &[Token], start: usize) -> usize {
    let mut at = start;
    while at < tokens.len() {
        match tokens[at].text.as_str() {
            _ if tokens[at].kind != Kind::Mark => at += 1,
            ";" => return at + 1,
            "{" => {
                let behind = behind_closing(tokens, at);
                // The braces of `use a::{b};` are not the item's end.
                let goes_on = tokens.get(behind).is_some_and(|t| t.is(";"));
                return behind + usize::from(goes_on);
            }
            "(" | "[" => at = behind_closing(tokens, at),
            _ => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        tokens(source).into_iter().map(|t| t.text).collect()
    }

    #[test]
    fn comments_are_gone_and_literals_are_whole() {
        assert_eq!(
            texts("a // x\n/* y /* z */ */ b(\"c \\\" // d\", 'e', '\\'', b'f', 1.5e3, 0..2)"),
            [
                "a",
                "b",
                "(",
                "\"c \\\" // d\"",
                ",",
                "'e'",
                ",",
                "'\\''",
                ",",
                "b'f'",
                ",",
                "1.5e3",
                ",",
                "0",
                ".",
                ".",
                "2",
                ")"
            ]
        );
        assert_eq!(
            texts("r#\"a \" b\"# r#type <'a> '\\u{2192}' c"),
            ["\"a \" b\"#", "type", "<", "a", ">", "'\\u{2192}'", "c"]
        );
    }

    #[test]
    fn tokens_know_their_line_even_behind_a_literal_over_lines() {
        let tokens = tokens("a\n\"b\nc\"\nd::e");
        let lines: Vec<usize> = tokens.iter().map(|t| t.line).collect();
        assert_eq!(lines, [1, 2, 4, 4, 4]);
    }

    #[test]
    fn test_code_is_marked_and_what_follows_it_is_not() {
        let tokens = tokens(
            "a #[cfg(test)] mod t { b } c #[test] fn f() { d } e #[cfg(not(test))] g \
             #[cfg(all(test, x))] use h::{i}; j",
        );
        let outside = tokens.iter().filter(|t| t.is_word() && !t.test);
        let outside: Vec<&str> = outside.map(|t| t.text.as_str()).collect();
        assert_eq!(outside, ["a", "c", "e", "cfg", "not", "test", "g", "j"]);
    }
}
