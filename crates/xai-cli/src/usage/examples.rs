//! The section "Examples" at the end of help texts.

use std::fmt::Write;

use crate::output::style::HEADING;

/// Heading of the section.
pub(super) const TITLE: &str = "Examples:";

/// Formats example commands as the last section of a help text.
pub(crate) fn section(commands: &[impl AsRef<str>]) -> String {
    let mut text = format!("{HEADING}{TITLE}{HEADING:#}");
    for command in commands {
        // Writing to a string does not fail.
        let _ = write!(text, "\n  {}", command.as_ref());
    }
    text
}

/// Returns the example commands of a command's help text.
pub(crate) fn commands_in(command: &clap::Command) -> Vec<String> {
    let Some(section) = command.get_after_help() else {
        return Vec::new();
    };
    let text = section.to_string();
    let lines = text.lines().map(str::trim);
    let commands = lines.filter(|line| line.starts_with("xai"));
    commands.map(str::to_owned).collect()
}
