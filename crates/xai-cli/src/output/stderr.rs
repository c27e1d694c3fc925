//! Standard error.
//!
//! Where nobody reads it, because it is closed or its disk is full, what is printed is lost and the work
//! goes on.

use std::fmt::Display;
use std::io::Write;

use xai_files::visible::visible_lines;

use anstream::{AutoStream, ColorChoice};

use super::style;

/// Prints a line.
pub(crate) fn print_line(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Prints what went wrong, and what to do.
pub(crate) fn print_failure(text: &str) {
    print_styled(text, style::failure);
}

/// Prints text for people, as standard output does; names in it act on no terminal.
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
