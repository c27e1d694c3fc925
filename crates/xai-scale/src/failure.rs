//! What a person reads when the data or the command is wrong.

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

use datafusion::error::DataFusionError;

use crate::output::visible::visible;

const MORE_MEMORY: &str = "give more with --memory-limit, or group by fewer values";

/// Exit codes.
const WRONG_DATA: u8 = 1;
const WRONG_USAGE: u8 = 2;
/// As shells have it after Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;

/// Why a command stopped: one line `error: WHAT` and, where there is one, a line `help: WAY OUT`.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    place: Option<String>,
    message: String,
    help: Option<String>,
}

impl Failure {
    /// Bad data, or something that did not happen: exit code 1.
    pub(crate) fn new(message: impl Display) -> Self {
        Self {
            code: WRONG_DATA,
            place: None,
            message: message.to_string(),
            help: None,
        }
    }

    /// Arguments that cannot be: exit code 2.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self {
            code: WRONG_USAGE,
            ..Self::new(message)
        }
    }

    /// Ctrl-C.
    pub(crate) fn interrupted() -> Self {
        Self {
            code: INTERRUPTED,
            ..Self::new("interrupted")
        }
    }

    /// What the engine says of a query. A query that cannot be planned is wrong usage.
    pub(crate) fn of_query(error: &DataFusionError) -> Self {
        use DataFusionError as E;
        let root = error.find_root();
        let message = match root {
            E::Plan(text) | E::NotImplemented(text) | E::Configuration(text) => text.clone(),
            E::Execution(text) | E::ResourcesExhausted(text) => text.clone(),
            E::SQL(reason, _) => reason.to_string(),
            E::SchemaError(reason, _) => reason.to_string(),
            E::ArrowError(reason, _) => reason.to_string(),
            E::ParquetError(reason) => reason.to_string(),
            other => other.strip_backtrace(),
        };
        let message = message.split(DataFusionError::BACK_TRACE_SEP).next();
        let failure = Self::new(message.unwrap_or_default());
        let failure = match root {
            E::Plan(_) | E::NotImplemented(_) | E::SQL(..) | E::SchemaError(..) => Self {
                code: WRONG_USAGE,
                ..failure
            },
            _ => failure,
        };
        match root {
            E::ResourcesExhausted(_) => failure.help(MORE_MEMORY),
            _ => failure,
        }
    }

    /// The same as bad data, where the query itself is right.
    pub(crate) fn about_data(mut self) -> Self {
        self.code = WRONG_DATA;
        self
    }

    /// Names the file, unless one is named already.
    pub(crate) fn in_file(mut self, file: impl AsRef<Path>) -> Self {
        let name = file.as_ref().display().to_string();
        self.place.get_or_insert(name);
        self
    }

    /// Adds the way out.
    pub(crate) fn help(mut self, help: impl Display) -> Self {
        self.help = Some(help.to_string());
        self
    }

    /// Prints it and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let place = self.place.iter().map(|place| format!("{place}: "));
        let line = format!("{}{}", place.collect::<String>(), self.message);
        eprintln!("error: {}", visible(&one_line(&line)));
        if let Some(help) = &self.help {
            eprintln!("help: {}", visible(&one_line(help)));
        }
        ExitCode::from(self.code)
    }
}

/// A text of several lines on one.
fn one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_that_cannot_be_planned_is_wrong_usage_and_bad_data_is_not() {
        let planning = DataFusionError::Plan("average_drop: masked".to_owned());
        let planning = planning.context("while planning");
        let failure = Failure::of_query(&planning);
        assert_eq!(failure.code, WRONG_USAGE);
        assert_eq!(failure.message, "average_drop: masked");
        let data = DataFusionError::Execution("base[3]: negative".to_owned());
        assert_eq!(Failure::of_query(&data).code, WRONG_DATA);
    }

    #[test]
    fn the_first_file_that_is_named_stays() {
        let failure = Failure::new("x").in_file("a").in_file("b");
        assert_eq!(failure.place.as_deref(), Some("a"));
        assert_eq!(one_line("a\n  b\n\n"), "a b");
    }
}
