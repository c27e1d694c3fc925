//! The end of every help: commands to start from.

use std::fmt::Write;

use crate::output::style::HEADING;

/// What stands above the commands.
pub(super) const TITLE: &str = "Examples:";

/// Commands as the end of a help.
pub(crate) fn of(commands: &[impl AsRef<str>]) -> String {
    let mut text = format!("{HEADING}{TITLE}{HEADING:#}");
    for command in commands {
        // Writing to a string does not fail.
        let _ = write!(text, "\n  {}", command.as_ref());
    }
    text
}

/// The commands at the end of a command's help.
pub(crate) fn of_command(command: &clap::Command) -> Vec<String> {
    let text = command.get_after_help().map(ToString::to_string);
    let text = text.unwrap_or_default();
    let lines = text.lines().map(str::trim);
    let commands = lines.filter(|line| line.starts_with("xai"));
    commands.map(str::to_owned).collect()
}
