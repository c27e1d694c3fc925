//! Text of a study that `xai report init` writes.

use std::collections::BTreeMap;

use crate::report::init::found::FoundFile;

/// The text of a study: TOML with comments.
pub(crate) struct Draft {
    text: String,
    /// Key of the current kind of section.
    key: &'static str,
    /// Number of sections by key.
    pub(super) sections: BTreeMap<&'static str, usize>,
}

impl Draft {
    /// Creates a study without sections.
    pub(super) fn new() -> Self {
        let mut draft = Self {
            text: String::new(),
            key: "",
            sections: BTreeMap::new(),
        };
        draft.comment("A study for `xai report`. Paths are relative to this file. The keys of a section are the options of the command in its comment.");
        draft.comment(
            "Lines marked “guessed” were chosen by names and shapes of files: check them.",
        );
        draft.entry("title", "Study", false);
        draft
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Starts the sections of another kind.
    pub(super) fn start_kind(&mut self, key: &'static str) {
        self.key = key;
        self.sections.insert(key, 0);
    }

    /// Begins a section with the question that it answers as a comment. An empty name is left out.
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

    /// Adds a comment.
    pub(crate) fn comment(&mut self, text: &str) {
        self.text += &format!("# {text}\n");
    }

    /// Adds a key with a text.
    pub(crate) fn entry(&mut self, key: &str, value: &str, is_guessed: bool) {
        let mark = if is_guessed { "  # guessed" } else { "" };
        self.text += &format!("{key} = {}{mark}\n", toml::Value::from(value));
    }

    /// Adds a key with the path of a file.
    pub(crate) fn file(&mut self, key: &str, file: &FoundFile, is_guessed: bool) {
        self.entry(key, &file.path, is_guessed);
    }

    /// Adds a key with the path of a file, marked as guessed, if a file was found.
    pub(crate) fn guessed(&mut self, key: &str, file: Option<&FoundFile>) {
        if let Some(file) = file {
            self.file(key, file, true);
        }
    }
}
