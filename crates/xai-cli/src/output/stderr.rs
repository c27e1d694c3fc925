//! Standard error.

use std::fmt::Display;
use std::io::Write;

/// Prints a line. Where nobody reads standard error, because it is closed or its disk is full, the line
/// is lost and the work goes on.
pub(crate) fn print_line(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
