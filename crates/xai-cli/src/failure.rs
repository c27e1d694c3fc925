//! What a person reads when the data or the command is wrong.

use std::fmt::Display;
use std::process::ExitCode;

use xai_metrics::Error;

/// Why a command stopped: one line `error: FILE: what, where, what was expected` and, where there
/// is one, the way out.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: Kind,
    file: Option<String>,
    message: String,
    help: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    BadData,
    WrongUsage,
}

impl Failure {
    /// Bad data, exit code 1.
    pub(crate) fn new(message: impl Display) -> Self {
        Self {
            kind: Kind::BadData,
            file: None,
            message: one_line(&message.to_string()),
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

    /// Names the file, unless a more specific one is named already.
    pub(crate) fn in_file(mut self, file: &str) -> Self {
        self.file.get_or_insert_with(|| file.to_owned());
        self
    }

    /// Adds the way out.
    pub(crate) fn help(mut self, help: impl Display) -> Self {
        self.help = Some(one_line(&help.to_string()));
        self
    }

    /// Prints the message to standard error and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        eprintln!("{self}");
        ExitCode::from(match self.kind {
            Kind::BadData => 1,
            Kind::WrongUsage => 2,
        })
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "error: ")?;
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        write!(f, "{}", self.message)?;
        if let Some(help) = &self.help {
            write!(f, "\nhelp: {help}")?;
        }
        Ok(())
    }
}

/// Messages of other libraries may span lines; ours never do.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let help = match &error {
            Error::UndefinedScore { .. } => Some(
                "pass --activation softmax or sigmoid, or choose --base-score-policy as-is or skip",
            ),
            _ => None,
        };
        let mut failure = Self::new(&error);
        failure.help = help.map(str::to_owned);
        failure
    }
}

/// Names the file that an error came from.
pub(crate) trait InFile<T> {
    /// Turns the error into a [`Failure`] that names `file`.
    fn in_file(self, file: &str) -> Result<T, Failure>;
}

impl<T, E: Into<Failure>> InFile<T> for Result<T, E> {
    fn in_file(self, file: &str) -> Result<T, Failure> {
        self.map_err(|error| error.into().in_file(file))
    }
}
