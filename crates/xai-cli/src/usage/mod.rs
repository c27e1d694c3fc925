//! Documentation of the command line (examples, manual pages, completions) and parts that several commands use.

pub(crate) mod examples;
pub(crate) mod interval_options;
pub(crate) mod manual;
pub(crate) mod named_file;

use std::num::{IntErrorKind, ParseIntError};

pub(crate) use xai_files::failure::nearest;

/// Returns the reason for which an option refuses its value, in the words of its parser or of the library.
pub(crate) fn refusal_reason(error: &clap::Error) -> Option<String> {
    let source = std::error::Error::source(error)?;
    // The standard library's messages, such as "invalid digit found in string", do not say what is expected.
    let number_error = source.downcast_ref::<ParseIntError>();
    Some(match number_error.map(ParseIntError::kind) {
        Some(IntErrorKind::PosOverflow) => format!("expected a whole number, at most {}", u64::MAX),
        Some(_) => "expected a whole number, at least 0".to_owned(),
        None => source.to_string(),
    })
}

/// Lets every option take a negative number after a space. Otherwise `clap` would take `-1` for an unknown option, and
/// its error would not be about the value.
pub(crate) fn allow_negative_numbers(command: clap::Command) -> clap::Command {
    let with_numbers = command.mut_args(|argument| {
        if argument.get_action().takes_values() {
            argument.allow_negative_numbers(true)
        } else {
            argument
        }
    });
    with_numbers.mut_subcommands(allow_negative_numbers)
}
