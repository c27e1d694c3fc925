//! Standard output.

use std::io::Write;

use serde::Serialize;

use super::visible::{visible_json, visible_lines};
use crate::failure::Failure;

/// Prints one JSON object.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(Failure::new)?;
    print_as_it_is(&visible_json(text))
}

/// Prints text; names in it act on no terminal.
pub(crate) fn print_text(text: &str) -> Result<(), Failure> {
    print_as_it_is(&visible_lines(text))
}

fn print_as_it_is(text: &str) -> Result<(), Failure> {
    print(|stdout| writeln!(stdout, "{text}"))
}

/// Prints what is written; a reader who has seen enough (`| head`) is no error.
pub(crate) fn print(
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match write(&mut stdout).and_then(|()| stdout.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::standard_output(e)),
        _ => Ok(()),
    }
}
