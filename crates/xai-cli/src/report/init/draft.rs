//! A study while it is drafted.

use std::collections::BTreeMap;

use crate::report::init::found::FoundFile;

/// The text of a study: TOML with comments.
pub(crate) struct Draft {
    text: String,
    /// The key of the sections that are drafted.
    key: &'static str,
    /// The number of sections by key.
    pub(super) sections: BTreeMap<&'static str, usize>,
}

impl Draft {
    /// A study without sections.
    pub(super) fn new() -> Self {
        let mut draft = Self {
            text: String::new(),
            key: "",
            sections: BTreeMap::new(),
        };
        draft.comment("A study for `xai report`: paths are relative to this file. The keys of a section are the options of the command that it names.");
        draft.comment("Lines marked “guessed” follow from names and shapes: look at them.");
        draft.entry("title", "Study", false);
        draft
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Goes on with sections of another key.
    pub(super) fn go_on(&mut self, key: &'static str) {
        self.key = key;
        self.sections.insert(key, 0);
    }

    /// Begins a section, under the question that it answers; without a name it is the only one.
    pub(crate) fn begin(&mut self, name: &str, question: &str) {
        self.text.push('\n');
        self.comment(question);
        self.text += &format!("[[{}]]\n", self.key);
        if !name.is_empty() {
            self.entry("name", name, false);
        }
        *self.sections.entry(self.key).or_default() += 1;
    }

    /// Begins an explainer of the section.
    pub(crate) fn begin_explainer(&mut self, name: &str) {
        self.text += &format!("\n[[{}.explainers]]\n", self.key);
        self.entry("name", name, false);
    }

    /// A line for the reader.
    pub(crate) fn comment(&mut self, text: &str) {
        self.text += &format!("# {text}\n");
    }

    /// A key with a text.
    pub(crate) fn entry(&mut self, key: &str, value: &str, is_guessed: bool) {
        let mark = if is_guessed { "  # guessed" } else { "" };
        self.text += &format!("{key} = {}{mark}\n", toml::Value::from(value));
    }

    /// A file that was found, and whether what it is was guessed.
    pub(crate) fn file(&mut self, key: &str, file: &FoundFile, is_guessed: bool) {
        self.entry(key, &file.path, is_guessed);
    }

    /// A file that may have been found.
    pub(crate) fn guessed(&mut self, key: &str, file: Option<&FoundFile>) {
        if let Some(file) = file {
            self.file(key, file, true);
        }
    }
}
