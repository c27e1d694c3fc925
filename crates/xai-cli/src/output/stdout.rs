//! Standard output.

use std::io::Write;

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;
use xai_files::Failure;
use xai_files::visible::{visible_json, visible_lines};

use crate::output::style;

/// Prints one JSON object.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(Failure::new)?;
    print_as_it_is(&visible_json(text))
}

/// Prints text; names in it act on no terminal.
pub(crate) fn print_text(text: &str) -> Result<(), Failure> {
    let text = visible_lines(text);
    match AutoStream::choice(&std::io::stdout()) {
        ColorChoice::Never => print_as_it_is(&text),
        choice => {
            let coloured = AutoStream::new(std::io::stdout().lock(), choice);
            print_to(coloured, |out| writeln!(out, "{}", style::tables(&text)))
        }
    }
}

fn print_as_it_is(text: &str) -> Result<(), Failure> {
    print(|stdout| writeln!(stdout, "{text}"))
}

/// Prints what is written; a reader who has seen enough (`| head`) is no error.
pub(crate) fn print(
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), Failure> {
    print_to(std::io::stdout().lock(), write)
}

fn print_to(
    mut stdout: impl Write,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), Failure> {
    match write(&mut stdout).and_then(|()| stdout.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::standard_output(e)),
        _ => Ok(()),
    }
}
