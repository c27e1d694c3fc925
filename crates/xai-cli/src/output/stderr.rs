//! Standard error.
//!
//! Errors while writing are ignored: a closed standard error or a full disk should not end the work.

use std::fmt::Display;
use std::io::Write;

use xai_files::visible::visible_lines;

use anstream::{AutoStream, ColorChoice};

use super::style;

pub(crate) fn print_line(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Prints the error and help lines of a failure.
pub(crate) fn print_failure(text: &str) {
    print_styled(text, style::failure);
}

/// Prints text for people like [`stdout::print_text`](crate::output::stdout::print_text), with control characters
/// escaped.
pub(crate) fn print_text(text: &str) {
    print_styled(&visible_lines(text), style::tables);
}

fn print_styled(text: &str, style: impl Fn(&str) -> String) {
    match AutoStream::choice(&std::io::stderr()) {
        ColorChoice::Never => print_line(text),
        choice => {
            let mut coloured = AutoStream::new(std::io::stderr().lock(), choice);
            let _ = writeln!(coloured, "{}", style(text));
        }
    }
}
