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
    print_unstyled(&visible_json(text))
}

/// Prints text for people. Control characters, which names in files may contain, are escaped.
pub(crate) fn print_text(text: &str) -> Result<(), Failure> {
    let visible = visible_lines(text);
    match AutoStream::choice(&std::io::stdout()) {
        ColorChoice::Never => print_unstyled(&visible),
        choice => {
            let coloured = AutoStream::new(std::io::stdout().lock(), choice);
            print_to(coloured, |out| writeln!(out, "{}", style::tables(&visible)))
        }
    }
}

fn print_unstyled(text: &str) -> Result<(), Failure> {
    print(|stdout| writeln!(stdout, "{text}"))
}

/// Lets `write` write to standard output. A closed pipe (`| head`) is not an error.
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
