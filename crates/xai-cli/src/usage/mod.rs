//! How the command line is told to people and shells: examples, completions, manual pages.

pub(crate) mod examples;
pub(crate) mod interval_options;
pub(crate) mod manual;
pub(crate) mod named_file;

use std::num::{IntErrorKind, ParseIntError};

pub(crate) use xai_files::failure::nearest;

/// Why an option refuses its value, as the parser or the library says it.
pub(crate) fn why_refused(error: &clap::Error) -> Option<String> {
    let why = std::error::Error::source(error)?;
    // The standard library speaks of digits.
    let of_number = why.downcast_ref::<ParseIntError>();
    Some(match of_number.map(ParseIntError::kind) {
        Some(IntErrorKind::PosOverflow) => format!("expected a whole number, at most {}", u64::MAX),
        Some(_) => "expected a whole number of 0 and more".to_owned(),
        None => why.to_string(),
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
