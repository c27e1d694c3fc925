//! Names of the library's inputs, parameters and advice on the command line.

use std::path::{Path, PathBuf};

use xai_core::Error;
use xai_core::describe::same_word;
use xai_core::error::with_sources;
use xai_core::{ErrorKind, Help, Input};

use super::Failure;

/// Table that translates errors of the library for a command: the file of each input, the option of each parameter, and
/// advice in terms of options.
///
/// An error of the library carries its input as data, so no error text is parsed.
#[derive(Debug, Clone, Default)]
pub struct Files<'a> {
    files: Vec<(Input, &'a Path)>,
    options: Vec<(Input, &'static str)>,
    /// Options with the name of their parameter, without dashes.
    named: Vec<&'static str>,
    /// Advice that replaces the advice of the library.
    hints: Vec<(Help, &'static str)>,
    /// Files of the inputs of each owner, such as the first and the second explainer.
    owned: Vec<(&'static str, &'a Path)>,
    /// Files that determine the shape of an input.
    shaped_by: Vec<(Input, &'a Path)>,
    /// Files that determine the range of an input.
    bounded_by: Vec<(Input, &'a Path)>,
    /// Formats settings in advice, if they are not options.
    terms: Option<fn(&str, Option<&str>) -> String>,
    /// File of all inputs that are not in the table.
    rest: Option<&'a Path>,
}

impl<'a> Files<'a> {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a table with a main file, for errors about inputs that are not in the table.
    pub fn with_main_file(file: &'a (impl AsRef<Path> + ?Sized)) -> Self {
        Self {
            rest: Some(file.as_ref()),
            ..Self::default()
        }
    }

    /// Adds the file of inputs.
    pub fn file(mut self, inputs: &[Input], file: &'a (impl AsRef<Path> + ?Sized)) -> Self {
        let file = file.as_ref();
        self.files.extend(inputs.iter().map(|&input| (input, file)));
        self
    }

    /// Adds the file of inputs, if there is one.
    pub fn optional(self, inputs: &[Input], file: Option<&'a PathBuf>) -> Self {
        match file {
            Some(file) => self.file(inputs, file),
            None => self,
        }
    }

    /// Adds the file of the inputs of an [owner](Error::owner_name).
    pub fn owner_file(
        mut self,
        owner: &'static str,
        file: &'a (impl AsRef<Path> + ?Sized),
    ) -> Self {
        self.owned.push((owner, file.as_ref()));
        self
    }

    /// Adds the file that determines the shape of inputs. On a mismatch either file may be wrong, so both are named.
    pub fn shaped_by(mut self, inputs: &[Input], file: &'a (impl AsRef<Path> + ?Sized)) -> Self {
        let file = file.as_ref();
        self.shaped_by
            .extend(inputs.iter().map(|&input| (input, file)));
        self
    }

    /// Adds the file that determines the range of inputs, for example of positions or classes.
    pub fn bounded_by(mut self, inputs: &[Input], file: &'a (impl AsRef<Path> + ?Sized)) -> Self {
        let file = file.as_ref();
        self.bounded_by
            .extend(inputs.iter().map(|&input| (input, file)));
        self
    }

    /// Adds the options of parameters.
    pub fn options(mut self, options: &[(Input, &'static str)]) -> Self {
        self.options.extend_from_slice(options);
        self
    }

    /// Adds options with the names of their parameters: `max-fraction` for `max_fraction`.
    pub fn named_options(mut self, names: impl IntoIterator<Item = &'static str>) -> Self {
        self.named.extend(names);
        self
    }

    /// Adds advice in terms of options, which replaces the advice of the library.
    pub fn hints(mut self, hints: &[(Help, &'static str)]) -> Self {
        self.hints.extend_from_slice(hints);
        self
    }

    /// Sets the format of settings in advice, if they are not options with the name of the parameter.
    pub fn terms(mut self, terms: fn(&str, Option<&str>) -> String) -> Self {
        self.terms = Some(terms);
        self
    }

    /// Joins two tables.
    pub fn and(mut self, other: Files<'a>) -> Self {
        self.files.extend(other.files);
        self.options.extend(other.options);
        self.named.extend(other.named);
        self.hints.extend(other.hints);
        self.owned.extend(other.owned);
        self.shaped_by.extend(other.shaped_by);
        self.bounded_by.extend(other.bounded_by);
        self.terms = self.terms.or(other.terms);
        self.rest = self.rest.or(other.rest);
        self
    }

    /// Translates an error. If its input has a file in the table, it is bad data in that file. Otherwise it is wrong
    /// usage if its input has an option or if it is a parameter outside its domain, and bad data in the main file, if
    /// there is one, in all other cases.
    pub fn failure(&self, error: &Error) -> Failure {
        let input = error.input();
        let failure = match (self.input_file(error), self.option(input), error.kind()) {
            (Some(file), ..) => {
                let others = self.others(error, file);
                Failure::new(error.problem() + &others).in_file(file)
            }
            (None, Some(option), ErrorKind::InvalidParameter { value, .. }) => {
                Failure::for_option(&option, error.kind()).with_value(value)
            }
            (None, Some(option), kind) => Failure::for_option(&option, with_sources(kind)),
            (None, None, ErrorKind::InvalidParameter { .. } | ErrorKind::Missing) => {
                Failure::usage(error.problem())
            }
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
                let replacement = self.hints.iter().find(|(key, _)| *key == help);
                match replacement {
                    Some((_, text)) => failure.help(text),
                    None => failure.help(help.render(self.terms.unwrap_or(as_option))),
                }
            }
            None => failure,
        }
    }
}

impl<'a> Files<'a> {
    /// The file of an error, if the table has it.
    fn input_file(&self, error: &Error) -> Option<&'a Path> {
        let owned = self
            .owned
            .iter()
            .find(|(owner, _)| error.owner_name() == Some(*owner));
        let by_input = || self.files.iter().find(|(input, _)| *input == error.input());
        owned
            .map(|(_, file)| *file)
            .or_else(|| by_input().map(|(_, file)| *file))
    }

    /// The files that determine the expectation, as the end of a message about `file`.
    fn others(&self, error: &Error, file: &Path) -> String {
        let all = match error.kind() {
            ErrorKind::ShapeMismatch { .. } => &self.shaped_by,
            ErrorKind::OutOfDomain { .. } | ErrorKind::LabelOutOfRange { .. } => &self.bounded_by,
            _ => return String::new(),
        };
        let others = all
            .iter()
            .filter(|(input, other)| *input == error.input() && *other != file);
        let mut names: Vec<String> = Vec::new();
        for name in others.map(|(_, other)| other.display().to_string()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        match names[..] {
            [] => String::new(),
            _ => format!("; compared with {}", names.join(" and ")),
        }
    }

    /// The option of a parameter.
    fn option(&self, input: Input) -> Option<String> {
        let listed = self.options.iter().find(|(key, _)| *key == input);
        if let Some((_, option)) = listed {
            return Some((*option).to_owned());
        }
        let is_named = self.named.iter().any(|name| same_word(name, input.name()));
        is_named.then(|| as_option(input.name(), None))
    }
}

/// Formats a setting as an option of the command line: `--return-type logits`, `-k 5`, `--logits`.
pub fn as_option(name: &str, value: Option<&str>) -> String {
    let dashes = if name.len() == 1 { "-" } else { "--" };
    let option = format!("{dashes}{}", name.replace('_', "-"));
    match value {
        None | Some("true") => option,
        Some(value) => format!("{option} {value}"),
    }
}

/// Extension of results of the library, to name the file or the option of an error.
pub trait InFiles<T> {
    /// Translates the error with the table.
    fn in_files(self, files: &Files<'_>) -> Result<T, Failure>;
}

impl<T> InFiles<T> for xai_core::Result<T> {
    fn in_files(self, files: &Files<'_>) -> Result<T, Failure> {
        self.map_err(|error| files.failure(&error))
    }
}

#[cfg(test)]
mod tests {
    use xai_core::input::{EXPLANATIONS, LEVEL, MODEL, N_REPLICATES, SAMPLES};

    use super::*;

    const SCALE: Help = Help::new("scale in the library");

    #[test]
    fn errors_name_the_file_or_the_option() {
        let files = Files::with_main_file("main.npy")
            .file(&[EXPLANATIONS], "maps.npy")
            .options(&[(LEVEL, "--level")])
            .named_options(["n-replicates"])
            .hints(&[(SCALE, "scale by --option")]);
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
            assert_eq!((failure.place(), failure.exit_code()), (place, code));
            assert_eq!(failure.help_text(), Some("scale by --option"));
        }
        let unknown = files.failure(&Error::empty(MODEL).with_help(Help::new("other")));
        assert_eq!(unknown.help_text(), Some("other"));
        assert_eq!(Files::new().failure(&Error::empty(MODEL)).place(), None);
    }

    #[test]
    fn an_expectation_names_the_file_that_it_follows_from() {
        let files = Files::with_main_file("main.npy")
            .file(&[EXPLANATIONS], "maps.npy")
            .owner_file("the second", "b.npy")
            .shaped_by(&[EXPLANATIONS], "inputs.npy")
            .shaped_by(&[EXPLANATIONS], "maps.npy")
            .bounded_by(&[EXPLANATIONS], "model.onnx");
        let text = |error: &Error| files.failure(error).to_string();
        let shape = text(&Error::shape(EXPLANATIONS, &[2], &[3]));
        assert!(
            shape.contains("maps.npy: ") && shape.contains("inputs.npy"),
            "{shape}"
        );
        assert_eq!(shape.matches("maps.npy").count(), 1);
        let class = text(&Error::label_out_of_range(EXPLANATIONS, 0, 9, 3));
        assert!(
            class.contains("model.onnx") && !class.contains("inputs.npy"),
            "{class}"
        );
        let nan = Error::non_finite(EXPLANATIONS, &[0]);
        assert!(!text(&nan).contains("inputs.npy"));
        assert_eq!(
            files.failure(&nan.owner("the second")).place(),
            Some("b.npy")
        );
    }
}
