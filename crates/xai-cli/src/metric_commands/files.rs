//! Files of inputs.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use xai_files::{Failure, Files};
use xai_metrics::common::Input;
use xai_metrics::common::describe::InputSpec;

/// Files by input.
#[derive(Debug, Clone, Default)]
pub(crate) struct InputFiles(Vec<(Input, PathBuf)>);

impl InputFiles {
    /// Reads the options of some inputs.
    pub(crate) fn from_matches<'s>(
        matches: &ArgMatches,
        inputs: impl IntoIterator<Item = &'s InputSpec>,
    ) -> Self {
        let file = |spec: &InputSpec| {
            let file = matches.try_get_one::<PathBuf>(&spec.option_key());
            Some((spec.input, file.ok().flatten()?.clone()))
        };
        inputs.into_iter().filter_map(file).collect()
    }

    /// The file of an input.
    pub(crate) fn get(&self, input: Input) -> Option<&Path> {
        let mut files = self.0.iter();
        files.find_map(|(other, file)| (*other == input).then_some(file.as_path()))
    }

    /// The file of an input that is needed.
    pub(crate) fn needed(&self, input: Input) -> Result<&Path, Failure> {
        let missing = || Failure::usage(format!("no file of {input}"));
        self.get(input).ok_or_else(missing)
    }

    pub(crate) fn has(&self, input: Input) -> bool {
        self.get(input).is_some()
    }

    /// Inputs and their files.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Input, &Path)> {
        self.0.iter().map(|(input, file)| (*input, file.as_path()))
    }

    /// Adds the file of another input, if there is one.
    pub(crate) fn with(mut self, input: Input, file: Option<&Path>) -> Self {
        self.0.extend(file.map(|file| (input, file.to_owned())));
        self
    }

    /// The files by the inputs that errors are about.
    pub(crate) fn places(&self) -> Files<'_> {
        self.add_to(Files::new())
    }

    /// Adds the files to others, by the inputs that errors are about.
    pub(crate) fn add_to<'a>(&'a self, files: Files<'a>) -> Files<'a> {
        self.iter()
            .fold(files, |files, (input, file)| files.file(&[input], file))
    }
}

impl FromIterator<(Input, PathBuf)> for InputFiles {
    fn from_iter<I: IntoIterator<Item = (Input, PathBuf)>>(files: I) -> Self {
        Self(files.into_iter().collect())
    }
}
