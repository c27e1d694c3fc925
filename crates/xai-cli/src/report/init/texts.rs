//! Texts with the attributions of their tokens.

use xai_files::content::Content;

use crate::attribution::texts::TextFile;
use crate::report::init::found::{Folder, name};
use crate::report::init::sections::Sections;

const QUESTION: &str =
    "Which words did a model decide by? Keys: the options of `xai attribution texts`.";

/// Writes a section for every file of texts.
pub(super) fn write(folder: &Folder<'_>, sections: &mut Sections<'_>) -> Option<()> {
    let texts = folder.all_of(|file| match &file.holds {
        Content::Table(columns) => {
            let has = |name: &str| columns.iter().any(|column| column == name);
            has("sample") && has("token")
        }
        Content::Json => TextFile::read(&file.file).is_ok(),
        _ => false,
    });
    for file in texts {
        sections.begin(&name(&file.stem), QUESTION);
        sections.file("texts", file, false);
    }
    Some(())
}
