//! Colour and weight of what people read, in the styles of the command line's own messages.
//!
//! Who prints decides whether a stream takes them: where it is a terminal, and neither `NO_COLOR` nor
//! another convention says otherwise.

use anstyle::{AnsiColor, Style};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HELP: Style = AnsiColor::Green.on_default().bold();
/// The header of a table.
const HEADER: Style = Style::new().bold();
/// The heading of a part of the help.
pub(crate) const HEADING: Style = Style::new().bold().underline();

fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// The text of a failure: its first words say what the lines are.
pub(super) fn failure(text: &str) -> String {
    let of_line = |line: &str| {
        for (word, style) in [("error:", ERROR), ("help:", HELP)] {
            if let Some(rest) = line.strip_prefix(word) {
                return styled(style, word) + rest;
            }
        }
        line.to_owned()
    };
    let lines: Vec<String> = text.lines().map(of_line).collect();
    lines.join("\n")
}

/// Text with the headers of its tables: the lines of a paragraph above a rule.
pub(super) fn tables(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    let mut paragraph = 0;
    for line in lines {
        if is_rule(line) {
            for header in &mut out[paragraph..] {
                *header = styled(HEADER, header);
            }
        }
        out.push(line.to_owned());
        if line.is_empty() || is_rule(line) {
            paragraph = out.len();
        }
    }
    out.join("\n")
}

/// Whether a line is the rule below a header.
fn is_rule(line: &str) -> bool {
    !line.is_empty() && line.chars().all(|c| c == '─')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_of_a_failure_says_what_it_is() {
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
