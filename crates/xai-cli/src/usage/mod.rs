//! How the command line is told to people and shells: examples, completions, manual pages.

pub(crate) mod examples;
pub(crate) mod manual;

use std::str::FromStr;

pub(crate) use xai_files::failure::nearest;

/// Reads a whole number of at least 1.
pub(crate) fn positive<N: FromStr + Default + PartialEq>(text: &str) -> Result<N, &'static str> {
    let number = text.parse().ok().filter(|number| *number != N::default());
    number.ok_or("expected a whole number, at least 1")
}

/// Why an option refuses its value, as the parser or the library says it.
pub(crate) fn why_refused(error: &clap::Error) -> Option<String> {
    let why = std::error::Error::source(error)?;
    Some(match why.is::<std::num::ParseIntError>() {
        // The standard library speaks of digits.
        true => "expected a whole number of 0 and more".to_owned(),
        false => why.to_string(),
    })
}

/// Lets every option have a negative number behind a space: where it may not be one, the error is about
/// the value.
pub(crate) fn taking_negative_numbers(command: clap::Command) -> clap::Command {
    let with_numbers = command.mut_args(|argument| match argument.get_action().takes_values() {
        true => argument.allow_negative_numbers(true),
        false => argument,
    });
    with_numbers.mut_subcommands(taking_negative_numbers)
}
