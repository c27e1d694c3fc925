//! What the library's inputs, parameters and ways out are on the command line.

use std::path::{Path, PathBuf};

use xai_metrics::Error;
use xai_metrics::core::{ErrorKind, Help, Input};

use super::Failure;

/// A table per command: the file of each input, the option of each parameter, and each way out in
/// terms of the options.
///
/// An error of the library says as data which input it is about; this table says what the person at
/// the terminal calls it. No error's text is read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Files<'a> {
    files: Vec<(Input, &'a Path)>,
    options: Vec<(Input, &'static str)>,
    /// Options of the name of their parameter, without dashes in front.
    named: Vec<&'static str>,
    ways_out: Vec<(Help, &'static str)>,
    rest: Option<&'a Path>,
}

impl<'a> Files<'a> {
    /// An empty table.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A table with a main file: what is neither in the table nor a parameter is about it.
    pub(crate) fn mainly(file: &'a (impl AsRef<Path> + ?Sized)) -> Self {
        Self {
            rest: Some(file.as_ref()),
            ..Self::default()
        }
    }

    /// The file that an input, or what it is made of, came from.
    pub(crate) fn file(mut self, inputs: &[Input], file: &'a (impl AsRef<Path> + ?Sized)) -> Self {
        let file = file.as_ref();
        self.files.extend(inputs.iter().map(|&input| (input, file)));
        self
    }

    /// The file of an input that need not be given.
    pub(crate) fn optional(self, inputs: &[Input], file: Option<&'a PathBuf>) -> Self {
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

    /// Options that are called as their parameters are: `max-fraction` for `max_fraction`.
    pub(crate) fn named(mut self, names: impl IntoIterator<Item = &'static str>) -> Self {
        self.named.extend(names);
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
        self.named.extend(other.named);
        self.ways_out.extend(other.ways_out);
        self.rest = self.rest.or(other.rest);
        self
    }

    /// What the command line says of an error: a parameter out of its domain is wrong usage of its
    /// option, everything else is bad data in the file of the input.
    pub(crate) fn failure(&self, error: &Error) -> Failure {
        let input = error.input();
        let file = self.files.iter().find(|(of, _)| *of == input);
        let failure = match (file, self.option(input), error.kind()) {
            (Some((_, file)), ..) => Failure::new(error.problem()).in_file(file),
            (None, Some(option), ErrorKind::InvalidParameter { value, .. }) => {
                Failure::of_option(format!("{option} {value}"), error.kind())
            }
            (None, Some(option), kind) => Failure::of_option(option, kind),
            (None, None, ErrorKind::InvalidParameter { .. }) => Failure::usage(error.problem()),
            (None, None, _) => {
                let failure = Failure::new(error.problem());
                match self.rest {
                    Some(file) => failure.in_file(file),
                    None => failure,
                }
            }
        };
        match error.help() {
            Some(help) => {
                let in_options = self.ways_out.iter().find(|(of, _)| *of == help);
                failure.help(in_options.map_or(help.text(), |(_, text)| text))
            }
            None => failure,
        }
    }
}

impl Files<'_> {
    /// The option of a parameter.
    fn option(&self, input: Input) -> Option<String> {
        let listed = self.options.iter().find(|(of, _)| *of == input);
        if let Some((_, option)) = listed {
            return Some((*option).to_owned());
        }
        let name = input.name().replace('_', "-");
        self.named
            .contains(&name.as_str())
            .then(|| format!("--{name}"))
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

#[cfg(test)]
mod tests {
    use xai_metrics::core::input::{EXPLANATIONS, LEVEL, MODEL, N_REPLICATES, SAMPLES};

    use super::*;

    const SCALE: Help = Help::new("scale in the library");

    #[test]
    fn an_error_is_about_what_the_table_says() {
        let files = Files::mainly("main.npy")
            .file(&[EXPLANATIONS], "maps.npy")
            .options(&[(LEVEL, "--level")])
            .named(["n-replicates"])
            .ways_out(&[(SCALE, "scale by --option")]);
        let cases = [
            (Error::empty(EXPLANATIONS), Some("maps.npy"), 1),
            (Error::empty(SAMPLES), Some("main.npy"), 1),
            (Error::parameter(LEVEL, 2, "less"), Some("--level 2"), 2),
            (Error::too_few(LEVEL, 2, 1), Some("--level"), 2),
            (Error::empty(N_REPLICATES), Some("--n-replicates"), 2),
            (Error::parameter(MODEL, 2, "less"), None, 2),
        ];
        for (error, place, code) in cases {
            let failure = files.failure(&error.with_help(SCALE));
            assert_eq!((failure.place(), failure.code()), (place, code));
            assert_eq!(failure.help.as_deref(), Some("scale by --option"));
        }
        let unknown = files.failure(&Error::empty(MODEL).with_help(Help::new("other")));
        assert_eq!(unknown.help.as_deref(), Some("other"));
        assert_eq!(Files::new().failure(&Error::empty(MODEL)).place(), None);
    }
}
