//! The text of a study while it is written.

/// TOML with comments.
pub(super) struct TomlText(String);

impl TomlText {
    pub(super) fn new() -> Self {
        Self(String::new())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// A line for the reader.
    pub(super) fn comment(&mut self, text: &str) {
        self.0 += &format!("# {text}\n");
    }

    /// A section, under an empty line and a comment.
    pub(super) fn section(&mut self, header: &str, comments: &[&str]) {
        self.0.push('\n');
        for comment in comments {
            self.comment(comment);
        }
        self.0 += &format!("[[{header}]]\n");
    }

    /// A key with a text.
    pub(super) fn entry(&mut self, key: &str, value: &str, is_guessed: bool) {
        let mark = if is_guessed { "  # guessed" } else { "" };
        self.0 += &format!("{key} = {}{mark}\n", toml::Value::from(value));
    }
}
