//! Colours and bold text for failures, tables and help, in the styles that `clap` uses.
//!
//! The functions that print decide whether to use them: only for terminals, and depending on `NO_COLOR` and similar
//! environment variables.

use anstyle::{AnsiColor, Style};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HELP: Style = AnsiColor::Green.on_default().bold();
/// Style of table headers.
const HEADER: Style = Style::new().bold();
/// Style of headings in help texts.
pub(crate) const HEADING: Style = Style::new().bold().underline();

fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Styles the words `error:` and `help:` at the start of the lines of a failure.
pub(super) fn failure(text: &str) -> String {
    let style_line = |line: &str| {
        for (word, style) in [("error:", ERROR), ("help:", HELP)] {
            if let Some(rest) = line.strip_prefix(word) {
                return styled(style, word) + rest;
            }
        }
        line.to_owned()
    };
    let lines: Vec<String> = text.lines().map(style_line).collect();
    lines.join("\n")
}

/// Styles the headers of the tables in a text: the lines of a paragraph above a rule.
pub(super) fn tables(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    let mut paragraph_start = 0;
    for line in lines {
        if is_rule(line) {
            for header in &mut out[paragraph_start..] {
                *header = styled(HEADER, header);
            }
        }
        out.push(line.to_owned());
        if line.is_empty() || is_rule(line) {
            paragraph_start = out.len();
        }
    }
    out.join("\n")
}

/// Returns `true` for the rule below a table header.
fn is_rule(line: &str) -> bool {
    !line.is_empty() && line.chars().all(|c| c == '─')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_of_a_line_of_a_failure_is_styled() {
        assert_eq!(
            failure("error: a: error: b\nhelp: c"),
            "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m a: error: b\n\u{1b}[1m\u{1b}[32mhelp:\u{1b}[0m c"
        );
    }

    #[test]
    fn headers_are_the_lines_of_a_paragraph_above_a_rule() {
        let plain = "text\n\n a  b\n    c\n─────\n 1  2\n\nmore";
        let bold = "text\n\n\u{1b}[1m a  b\u{1b}[0m\n\u{1b}[1m    c\u{1b}[0m\n─────\n 1  2\n\nmore";
        assert_eq!(tables(plain), bold);
        assert_eq!(tables("no table\n"), "no table\n");
    }
}
