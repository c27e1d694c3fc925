//! Standard output.

use std::io::Write;

use serde::Serialize;

use super::visible::{visible_json, visible_lines};
use crate::failure::Failure;

/// Prints one JSON object.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(Failure::new)?;
    print(&visible_json(text))
}

/// Prints text; names in it act on no terminal.
pub(crate) fn print_text(text: &str) -> Result<(), Failure> {
    print(&visible_lines(text))
}

/// Prints; a reader who has seen enough (`| head`) is no error.
fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("standard output: {e}")))
        }
        _ => Ok(()),
    }
}
