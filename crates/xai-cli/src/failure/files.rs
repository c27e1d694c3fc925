//! What the library's inputs, parameters and ways out are on the command line.

use xai_metrics::Error;

use super::Failure;
use super::about::{About, Help, Input};

/// A table per command: the file of each input, the option of each parameter, and each way out in
/// terms of the options.
///
/// An error of the library says as data which input it is about; this table says what the person at
/// the terminal calls it. No error's text is read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Files<'a> {
    files: Vec<(Input, &'a str)>,
    options: Vec<(Input, &'static str)>,
    ways_out: Vec<(Help, &'static str)>,
    rest: Option<&'a str>,
}

impl<'a> Files<'a> {
    /// An empty table.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A table of a single file: all that is no parameter is about it.
    pub(crate) fn only(file: &'a str) -> Self {
        Self {
            rest: Some(file),
            ..Self::default()
        }
    }

    /// The file that an input, or what it is made of, came from.
    pub(crate) fn file(mut self, inputs: &[Input], file: &'a str) -> Self {
        self.files.extend(inputs.iter().map(|&input| (input, file)));
        self
    }

    /// The file of an input that need not be given.
    pub(crate) fn optional(self, inputs: &[Input], file: Option<&'a String>) -> Self {
        match file {
            Some(file) => self.file(inputs, file),
            None => self,
        }
    }

    /// The options of parameters.
    pub(crate) fn options(mut self, options: &[(Input, &'static str)]) -> Self {
        self.options.extend_from_slice(options);
        self
    }

    /// Ways out, in terms of the options.
    pub(crate) fn ways_out(mut self, ways_out: &[(Help, &'static str)]) -> Self {
        self.ways_out.extend_from_slice(ways_out);
        self
    }

    /// The rows of both tables.
    pub(crate) fn and(mut self, other: Files<'a>) -> Self {
        self.files.extend(other.files);
        self.options.extend(other.options);
        self.ways_out.extend(other.ways_out);
        self.rest = self.rest.or(other.rest);
        self
    }

    /// What the command line says of an error: a parameter out of its domain is wrong usage of its
    /// option, everything else is bad data in the file of the input.
    pub(crate) fn failure(&self, error: &Error) -> Failure {
        let about = About::new(error);
        let option = self
            .options
            .iter()
            .find(|(input, _)| about.is_about(*input));
        let file = self.files.iter().find(|(input, _)| about.is_about(*input));
        let mut failure = match (file, option) {
            (Some((_, file)), _) => Failure::new(&about.problem).in_file(file),
            (None, Some((_, option))) if about.is_parameter => Failure {
                place: Some((*option).to_owned()),
                ..Failure::usage(&about.problem)
            },
            (None, _) if about.is_parameter => Failure::usage(&about.problem),
            _ => match self.rest {
                Some(file) => Failure::new(&about.problem).in_file(file),
                None => Failure::new(&about.problem),
            },
        };
        let in_options = self.ways_out.iter().find(|(help, _)| about.offers(*help));
        failure.help = match in_options {
            Some((_, help)) => Some((*help).to_owned()),
            None => about.help,
        };
        failure
    }
}

/// Names the file, or the option, that an error of the library is about.
pub(crate) trait InFiles<T> {
    /// Turns the error into a [`Failure`] by the table.
    fn in_files(self, files: &Files<'_>) -> Result<T, Failure>;
}

impl<T> InFiles<T> for xai_metrics::Result<T> {
    fn in_files(self, files: &Files<'_>) -> Result<T, Failure> {
        self.map_err(|error| files.failure(&error))
    }
}
