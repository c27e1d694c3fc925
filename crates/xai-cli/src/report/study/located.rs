//! What is wrong with a study, shown where it stands.

use std::ops::Range;
use std::path::PathBuf;

use xai_files::failure::{Failure, InFile};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// The text of a study, and the file that it stands in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StudyText {
    pub(crate) file: PathBuf,
    pub(crate) text: String,
}

impl StudyText {
    /// The line of a place, from 1.
    fn line(&self, at: usize) -> usize {
        self.text[..at.min(self.text.len())].matches('\n').count() + 1
    }

    /// A failure at a place of the study, with the line itself.
    pub(crate) fn failure(&self, at: Range<usize>, what: impl std::fmt::Display) -> Failure {
        let message = format!("line {}: {what}", self.line(at.start));
        let failure = Failure::new(message).excerpt(self.excerpt(at));
        Err::<(), _>(failure).in_file(&self.file).unwrap_err()
    }

    /// The line of a place, the place underlined.
    fn excerpt(&self, at: Range<usize>) -> String {
        // A place may be the end of the file, and may span the lines of a list.
        let end = self.text.len();
        let start = at.start.min(end);
        let line_end = self.text[start..].find('\n').map_or(end, |n| start + n);
        let stop = at.end.clamp(start, line_end.max(start));
        let mark = AnnotationKind::Primary.span(start..stop);
        let snippet = Snippet::source(self.text.as_str())
            .path(self.file.to_string_lossy())
            .annotation(mark);
        let group = Group::with_level(Level::ERROR).element(snippet);
        Renderer::plain().render(&[group])
    }
}
