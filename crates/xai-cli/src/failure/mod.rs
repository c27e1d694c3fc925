//! What a person reads when the data or the command is wrong.

mod files;
mod reason;

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

use crate::output::stderr;

pub(crate) use files::{Files, InFiles};
use reason::Reason;

use crate::output::visible::{visible, visible_lines};

/// Why a command stopped: one line `error: FILE: what, where, what was expected` and, where there
/// is one, the way out.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: Kind,
    /// The file, or the option, that it is about.
    place: Option<String>,
    message: String,
    /// The lines that it is about, as they stand in the file.
    excerpt: Option<String>,
    help: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    BadData,
    WrongUsage,
    /// What was compared got worse.
    GotWorse,
}

impl Failure {
    /// Bad data, exit code 1.
    pub(crate) fn new(message: impl Display) -> Self {
        Self {
            kind: Kind::BadData,
            place: None,
            message: one_line(&message.to_string()),
            excerpt: None,
            help: None,
        }
    }

    /// Arguments that cannot go together, exit code 2.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self {
            kind: Kind::WrongUsage,
            ..Self::new(message)
        }
    }

    /// A comparison that came out for the worse, exit code 3.
    pub(crate) fn got_worse(message: impl Display) -> Self {
        Self {
            kind: Kind::GotWorse,
            ..Self::new(message)
        }
    }

    /// An option's value that cannot be, exit code 2.
    fn of_option(option: String, message: impl Display) -> Self {
        Self {
            place: Some(option),
            ..Self::usage(message)
        }
    }

    /// A file that cannot be opened, with the operating system's reason.
    pub(crate) fn cannot_be_opened(reason: std::io::Error) -> Self {
        Self::new(format_args!("cannot be opened: {reason}"))
    }

    /// A file that cannot be read to its end, with the operating system's reason.
    pub(crate) fn cannot_be_read(reason: impl Display) -> Self {
        Self::new(format_args!("cannot be read: {reason}"))
    }

    /// A file that cannot be written, with the operating system's reason.
    pub(crate) fn cannot_be_written(reason: impl Into<Reason>) -> Self {
        let reason = reason.into();
        Self::new(format_args!("cannot be written: {reason}"))
    }

    /// Standard output that takes no result, with the operating system's reason.
    pub(crate) fn standard_output(reason: std::io::Error) -> Self {
        Self::new(format_args!("standard output: {reason}"))
    }

    /// Names the file, unless a more specific one is named already.
    pub(crate) fn in_file(mut self, file: impl AsRef<Path>) -> Self {
        if self.kind == Kind::BadData {
            self.place
                .get_or_insert_with(|| file.as_ref().display().to_string());
        }
        self
    }

    /// Adds the way out.
    pub(crate) fn help(mut self, help: impl Display) -> Self {
        self.help = Some(one_line(&help.to_string()));
        self
    }

    /// Adds to the way out.
    #[cfg(feature = "onnx")]
    pub(crate) fn and_help(self, help: impl Display) -> Self {
        match self.help.clone() {
            Some(first) => self.help(format_args!("{first}; {help}")),
            None => self.help(help),
        }
    }

    /// Shows the lines that it is about.
    pub(crate) fn excerpt(mut self, lines: String) -> Self {
        self.excerpt = Some(lines);
        self
    }

    /// The option that wrong usage is about, without dashes: that of `--level 2`.
    pub(crate) fn option(&self) -> Option<&str> {
        let place = self.place.as_deref().unwrap_or(&self.message);
        let option = place
            .strip_prefix("--")
            .or_else(|| place.strip_prefix('-'))?;
        let end = option.find(|c: char| c != '-' && !c.is_ascii_alphanumeric());
        (self.kind == Kind::WrongUsage).then(|| &option[..end.unwrap_or(option.len())])
    }

    /// The same in other words: for readers who have keys where others have options.
    pub(crate) fn map_text(mut self, words: impl Fn(&str) -> String) -> Self {
        if self.kind == Kind::WrongUsage {
            self.place = self.place.map(|place| words(&place));
        }
        self.message = words(&self.message);
        self.help = self.help.map(|help| words(&help));
        self
    }

    /// The same at another place, where it is bad data.
    pub(crate) fn moved_to(self, place: impl FnOnce(&str) -> Self) -> Self {
        let what = match &self.place {
            Some(old) => format!("{}: {}", old.trim_start_matches('-'), self.message),
            None => self.message.clone(),
        };
        Self {
            help: self.help,
            ..place(&what)
        }
    }

    /// What is wrong, on one line.
    pub(crate) fn what(&self) -> String {
        match &self.place {
            Some(place) => format!("{place}: {}", self.message),
            None => self.message.clone(),
        }
    }

    /// The way out.
    pub(crate) fn way_out(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// What is wrong, for a library that hands it on as a reason.
    pub(crate) fn into_message(self) -> String {
        self.message
    }

    /// Prints the message to standard error and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        stderr::print_failure(&self.to_string());
        ExitCode::from(self.code())
    }

    fn code(&self) -> u8 {
        match self.kind {
            Kind::BadData => 1,
            Kind::WrongUsage => 2,
            Kind::GotWorse => 3,
        }
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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

/// Messages of other libraries may span lines; ours never do.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Names the file that a failure came from.
pub(crate) trait InFile<T> {
    /// Names `file` in the failure, unless it names a more specific one.
    fn in_file(self, file: impl AsRef<Path>) -> Result<T, Failure>;
}

impl<T> InFile<T> for Result<T, Failure> {
    fn in_file(self, file: impl AsRef<Path>) -> Result<T, Failure> {
        self.map_err(|failure| failure.in_file(file))
    }
}

#[cfg(test)]
impl Failure {
    /// The file or the option that the failure is about.
    pub(crate) fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }
}
