//! Negative numbers as values of options.

/// Lets every option have a negative number behind a space: where it may not be one, the error is about
/// the value.
pub(crate) fn taking_negative_numbers(command: clap::Command) -> clap::Command {
    let with_numbers = command.mut_args(|argument| match argument.get_action().takes_values() {
        true => argument.allow_negative_numbers(true),
        false => argument,
    });
    with_numbers.mut_subcommands(taking_negative_numbers)
}
