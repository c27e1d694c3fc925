//! Error messages: what is wrong, where, what was expected, and what to do.

mod files;

use std::fmt::{self, Display};
use std::io::ErrorKind;
use std::path::Path;
use xai_core::text;

pub use files::{Files, InFiles, as_option};

use crate::visible::{visible, visible_lines};

/// An error message of a command. The line `error: PLACE: MESSAGE` names a file or an option and says what is
/// wrong, where, and what was expected. A line `help: ADVICE` may follow.
///
/// ```
/// use xai_files::Failure;
/// let failure = Failure::new("no column `age`").in_file("train.csv").help("the columns are a, b");
/// assert_eq!(failure.to_string(), "error: train.csv: no column `age`\nhelp: the columns are a, b");
/// assert_eq!(failure.exit_code(), 1);
/// ```
#[derive(Debug)]
pub struct Failure {
    kind: FailureKind,
    /// The file, or the option with its value.
    place: Option<String>,
    /// The option of wrong usage, without dashes.
    option: Option<Box<str>>,
    message: String,
    /// Lines of the file that the message shows.
    excerpt: Option<String>,
    help: Option<String>,
}

/// The kind of a failure, which determines the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailureKind {
    BadData,
    WrongUsage,
    /// A comparison got worse.
    GotWorse,
    Interrupted,
}

impl Failure {
    /// Creates an error for bad data, exit code 1.
    pub fn new(message: impl Display) -> Self {
        Self {
            kind: FailureKind::BadData,
            place: None,
            option: None,
            message: one_line(&message.to_string()),
            excerpt: None,
            help: None,
        }
    }

    /// Creates an error for arguments that do not fit together, exit code 2.
    pub fn usage(message: impl Display) -> Self {
        Self {
            kind: FailureKind::WrongUsage,
            ..Self::new(message)
        }
    }

    /// Creates an error for the value of an option, exit code 2.
    pub fn for_option(option: &str, message: impl Display) -> Self {
        Self {
            place: Some(option.to_owned()),
            ..Self::usage(message).about_option(option)
        }
    }

    /// Adds the value of the option: `--level` becomes `--level 2`.
    pub fn with_value(mut self, value: impl Display) -> Self {
        if let Some(option) = &mut self.place {
            *option += &format!(" {value}");
        }
        self
    }

    /// Creates an error for a comparison that got worse, exit code 3.
    pub fn got_worse(message: impl Display) -> Self {
        Self {
            kind: FailureKind::GotWorse,
            ..Self::new(message)
        }
    }

    /// Creates an error for Ctrl-C, exit code 130 as in shells.
    pub fn interrupted() -> Self {
        Self {
            kind: FailureKind::Interrupted,
            ..Self::new("interrupted")
        }
    }

    /// Creates an error for a missing column. The help lists the columns, or the first of many.
    pub fn no_column(name: &str, names: &[impl AsRef<str>]) -> Self {
        const LISTED: usize = 20;
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        let first_names: Vec<String> = names.iter().take(LISTED).map(|name| short(name)).collect();
        let mut list = first_names.join(", ");
        if names.len() > LISTED {
            list += &format!(" and {} more", names.len() - LISTED);
        }
        let failure = Self::new(format!("no column `{}`", short(name)));
        match text::nearest(name, names.iter().copied()) {
            None if names.len() == 1 => failure.help(format!(
                "the only column is {list}: cells are separated by commas, semicolons, tabs or vertical bars"
            )),
            Some(similar) => failure.help(format!(
                "did you mean `{}`? The columns are {list}",
                short(similar)
            )),
            None => failure.help(format!("the columns are {list}")),
        }
    }

    /// Creates an error for a file that cannot be opened.
    pub fn cannot_be_opened(reason: std::io::Error) -> Self {
        Self::new(format_args!("cannot be opened: {reason}"))
    }

    /// Creates an error for a file that cannot be read to its end.
    pub fn cannot_be_read(reason: impl Display) -> Self {
        Self::new(format_args!("cannot be read: {reason}"))
    }

    /// Creates an error for a file that cannot be written.
    pub fn cannot_be_written(reason: impl Into<WriteError>) -> Self {
        Self::new(format_args!("cannot be written: {}", reason.into().0))
    }

    /// Creates an error for a result that cannot be written to standard output.
    pub fn standard_output(reason: std::io::Error) -> Self {
        Self::new(format_args!("standard output: {reason}"))
    }

    /// Names the file of an error for bad data, unless the error names a place already. Changes no other kind of error.
    pub fn in_file(mut self, file: impl AsRef<Path>) -> Self {
        if self.kind == FailureKind::BadData {
            self.place
                .get_or_insert_with(|| file.as_ref().display().to_string());
        }
        self
    }

    /// Sets the option of wrong usage, if the message names several or none.
    pub fn about_option(mut self, option: &str) -> Self {
        self.option = Some(option.trim_start_matches('-').into());
        self
    }

    /// Turns the error into bad data, exit code 1.
    pub fn as_bad_data(mut self) -> Self {
        self.kind = FailureKind::BadData;
        self
    }

    /// Sets the advice.
    pub fn help(mut self, help: impl Display) -> Self {
        self.help = Some(one_line(&help.to_string()));
        self
    }

    /// Adds to the advice.
    pub fn and_help(self, help: impl Display) -> Self {
        match self.help.clone() {
            Some(first) => self.help(format_args!("{first}; {help}")),
            None => self.help(help),
        }
    }

    /// Shows lines of the file.
    pub fn excerpt(mut self, lines: String) -> Self {
        self.excerpt = Some(lines);
        self
    }

    /// The file, or the option with its value.
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// The option of wrong usage without dashes: `level` for `--level 2`.
    pub fn option(&self) -> Option<&str> {
        self.option.as_deref()
    }

    /// Rewrites the texts of the message, for users who write keys instead of options.
    pub fn map_text(mut self, words: impl Fn(&str) -> String) -> Self {
        if self.kind == FailureKind::WrongUsage {
            self.place = self.place.map(|place| words(&place));
        }
        self.message = words(&self.message);
        self.help = self.help.map(|help| words(&help));
        self
    }

    /// Creates an error elsewhere with the place and the message of this one as its message. The advice stays.
    pub fn move_to(self, create: impl FnOnce(&str) -> Self) -> Self {
        let what = match &self.place {
            Some(old) => format!("{}: {}", old.trim_start_matches('-'), self.message),
            None => self.message.clone(),
        };
        Self {
            help: self.help,
            ..create(&what)
        }
    }

    /// The place and the message on one line.
    pub fn what(&self) -> String {
        match &self.place {
            Some(place) => format!("{place}: {}", self.message),
            None => self.message.clone(),
        }
    }

    /// The advice.
    pub fn help_text(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The message without its place, for a library that passes it on as a reason.
    pub fn into_message(self) -> String {
        self.message
    }

    /// The exit code of a program that ends with this error.
    pub fn exit_code(&self) -> u8 {
        match self.kind {
            FailureKind::BadData => 1,
            FailureKind::WrongUsage => 2,
            FailureKind::GotWorse => 3,
            FailureKind::Interrupted => 130,
        }
    }
}

/// Advice on an unknown word.
///
/// ```
/// use xai_files::failure::nearest;
/// assert_eq!(nearest("Methrics", &["metrics", "model"]), "did you mean `metrics`?");
/// assert_eq!(nearest("zzz", &["maps", "model"]), "there are `maps`, `model`");
/// ```
pub fn nearest(unknown: &str, valid: &[&str]) -> String {
    match text::nearest(unknown, valid.iter().copied()) {
        Some(word) => format!("did you mean `{word}`?"),
        None => {
            let quoted: Vec<String> = valid.iter().map(|word| format!("`{word}`")).collect();
            format!("there are {}", quoted.join(", "))
        }
    }
}

/// Shortens a text from a file for a message.
pub(crate) fn short(text: &str) -> String {
    const SHOWN: usize = 80;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… ({} characters)", &text[..end], text.chars().count()),
        None => text.to_owned(),
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: ")?;
        if let Some(place) = &self.place {
            write!(f, "{}: ", visible(place))?;
        }
        write!(f, "{}", visible(&self.message))?;
        if let Some(excerpt) = &self.excerpt {
            write!(f, "\n{}", visible_lines(excerpt))?;
        }
        if let Some(help) = &self.help {
            write!(f, "\nhelp: {}", visible(help))?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// Joins the lines of a message of another library to one.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Extension of results, to name the file of a failure.
pub trait InFile<T> {
    /// Names `file` in the failure, unless it names one already.
    fn in_file(self, file: impl AsRef<Path>) -> Result<T, Failure>;
}

impl<T> InFile<T> for Result<T, Failure> {
    fn in_file(self, file: impl AsRef<Path>) -> Result<T, Failure> {
        self.map_err(|failure| failure.in_file(file))
    }
}

/// The reason why a file cannot be written, without the name of a temporary file.
#[derive(Debug)]
pub struct WriteError(String);

impl From<std::io::Error> for WriteError {
    /// Keeps the reason of the operating system, and errors of the kind `Other`. All other errors name the temporary
    /// file, so only their kind is kept.
    fn from(error: std::io::Error) -> Self {
        Self(match (error.raw_os_error(), error.kind()) {
            (None, kind) if kind != ErrorKind::Other => std::io::Error::from(kind).to_string(),
            _ => error.to_string(),
        })
    }
}

impl From<&str> for WriteError {
    fn from(reason: &str) -> Self {
        Self(reason.to_owned())
    }
}

impl From<fmt::Arguments<'_>> for WriteError {
    fn from(reason: fmt::Arguments<'_>) -> Self {
        Self(reason.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_file_is_not_named() {
        let folder = tempfile::TempDir::new().unwrap();
        let nowhere = folder.path().join("nowhere");
        let mut beside = tempfile::Builder::new();
        let error = beside.prefix(".xai-").tempfile_in(nowhere).unwrap_err();
        assert!(error.to_string().contains(".xai-"));
        let reason = WriteError::from(error).0;
        assert!(!reason.is_empty() && !reason.contains(".xai-"), "{reason}");
        let full = WriteError::from(std::io::Error::from_raw_os_error(28)).0;
        assert_eq!(full, std::io::Error::from_raw_os_error(28).to_string());
    }

    #[test]
    fn the_option_of_wrong_usage_is_known_without_its_text() {
        let failure = Failure::for_option("--level", "expected less").with_value(2);
        assert_eq!(failure.option(), Some("level"));
        assert_eq!(failure.to_string(), "error: --level 2: expected less");
        let failure = Failure::usage("--a or --b is needed").about_option("--a");
        assert_eq!(failure.option(), Some("a"));
        assert_eq!(failure.exit_code(), 2);
    }

    #[test]
    fn the_first_file_that_is_named_stays() {
        let failure = Failure::new("x\n  y").in_file("a").in_file("b");
        assert_eq!(failure.to_string(), "error: a: x y");
        assert_eq!(Failure::usage("x").in_file("a").place(), None);
    }
}
