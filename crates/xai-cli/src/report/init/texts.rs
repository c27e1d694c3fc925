//! Texts with the attributions of their tokens.

use xai_files::content::Content;

use crate::attribution::texts::TextFile;
use crate::report::init::TomlText;
use crate::report::init::found::{FoundFile, name};

/// Writes a section for every file of texts.
pub(super) fn write(files: &[FoundFile], text: &mut TomlText) -> usize {
    let texts = files.iter().filter(|file| match &file.holds {
        Content::Table(columns) => {
            let has = |name: &str| columns.iter().any(|column| column == name);
            has("sample") && has("token")
        }
        Content::Json => TextFile::read(&file.file).is_ok(),
        _ => false,
    });
    let mut n = 0;
    for file in texts {
        text.section(
            "texts",
            &["Which words did a model decide by? Keys: the options of `xai attribution texts`."],
        );
        text.entry("name", &name(&file.stem), false);
        text.entry("texts", &file.path, false);
        n += 1;
    }
    n
}
