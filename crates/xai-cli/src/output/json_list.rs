//! A JSON object with a long list, which is kept in a temporary file if it is larger than 16 MiB.

use std::io::{BufWriter, Seek, Write};

use serde::Serialize;
use tempfile::SpooledTempFile;
use xai_files::Failure;
use xai_files::visible::visible_json;

use crate::output::stdout;

/// Largest list in bytes that is kept in memory.
const IN_MEMORY: usize = 16 << 20;

/// The items of a list as JSON text. They are written after the other keys of their object, which are known later.
pub(crate) struct JsonList {
    text: BufWriter<SpooledTempFile>,
    n: usize,
}

impl JsonList {
    pub(crate) fn new() -> Self {
        Self {
            text: BufWriter::new(SpooledTempFile::new(IN_MEMORY)),
            n: 0,
        }
    }

    pub(crate) fn push(&mut self, item: &impl Serialize) -> Result<(), Failure> {
        if self.n > 0 {
            self.text.write_all(b",").map_err(no_temporary_file)?;
        }
        self.n += 1;
        let json = visible_json(serde_json::to_string(item).map_err(Failure::new)?);
        self.text
            .write_all(json.as_bytes())
            .map_err(no_temporary_file)
    }

    /// Prints `object` as JSON with the list as an additional last key.
    pub(crate) fn print(self, object: &impl Serialize, key: &str) -> Result<(), Failure> {
        let object = visible_json(serde_json::to_string(object).map_err(Failure::new)?);
        let open = object.strip_suffix('}').unwrap_or(&object);
        let mut text = self
            .text
            .into_inner()
            .map_err(|e| no_temporary_file(e.into_error()))?;
        text.rewind().map_err(no_temporary_file)?;
        stdout::print(|out| {
            write!(out, "{open},\"{key}\":[")?;
            std::io::copy(&mut text, out)?;
            writeln!(out, "]}}")
        })
    }
}

fn no_temporary_file(reason: impl std::fmt::Display) -> Failure {
    let folder = std::env::temp_dir();
    Failure::cannot_be_written(format_args!("a temporary file: {reason}")).in_file(folder)
}
