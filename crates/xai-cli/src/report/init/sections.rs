//! The sections of a study while they are written.

use crate::report::init::found::FoundFile;
use crate::report::init::toml_text::TomlText;

/// The sections of a family while they are written.
pub(super) struct Sections<'a> {
    pub(super) text: &'a mut TomlText,
    pub(super) family: &'static str,
    pub(super) n: usize,
}

impl Sections<'_> {
    /// Begins a section, under the question that it answers; without a name it is the only one.
    pub(super) fn begin(&mut self, name: &str, question: &str) {
        self.text.section(self.family, &[question]);
        if !name.is_empty() {
            self.text.entry("name", name, false);
        }
        self.n += 1;
    }

    /// Begins an explainer of the section.
    pub(super) fn begin_explainer(&mut self, name: &str) {
        self.text
            .section(&format!("{}.explainers", self.family), &[]);
        self.text.entry("name", name, false);
    }

    /// A file that was found, and whether what it is was guessed.
    pub(super) fn file(&mut self, key: &str, file: &FoundFile, is_guessed: bool) {
        self.text.entry(key, &file.path, is_guessed);
    }

    /// A file that may have been found.
    pub(super) fn guessed(&mut self, key: &str, file: Option<&FoundFile>) {
        if let Some(file) = file {
            self.file(key, file, true);
        }
    }
}
