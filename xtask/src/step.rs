//! Running one command, with its time, and the line to repeat it by when it fails.

use crate::{Result, workspace};
use std::process::Command;
use std::time::{Duration, Instant};

/// A cargo command with a name.
pub(crate) struct Step {
    pub(crate) name: String,
    environment: Vec<(&'static str, &'static str)>,
    arguments: Vec<String>,
}

impl Step {
    pub(crate) fn new(name: impl Into<String>, arguments: &[&str]) -> Self {
        Self {
            name: name.into(),
            environment: Vec::new(),
            arguments: arguments.iter().map(ToString::to_string).collect(),
        }
    }

    pub(crate) fn env(mut self, name: &'static str, value: &'static str) -> Self {
        self.environment.push((name, value));
        self
    }

    /// The command as one would type it.
    pub(crate) fn command_line(&self) -> String {
        let environment = self.environment.iter().map(|(k, v)| format!("{k}='{v}' "));
        let quoted = self.arguments.iter().map(|a| {
            if a.contains(' ') {
                format!(" '{a}'")
            } else {
                format!(" {a}")
            }
        });
        format!(
            "{}cargo{}",
            environment.collect::<String>(),
            quoted.collect::<String>()
        )
    }

    /// Runs it in the workspace root, its output where ours goes.
    pub(crate) fn run(&self) -> Result<Duration> {
        eprintln!("\n── {}: {}", self.name, self.command_line());
        let start = Instant::now();
        let status = Command::new(cargo())
            .args(&self.arguments)
            .envs(self.environment.iter().copied())
            .current_dir(workspace::root())
            .status()?;
        let took = start.elapsed();
        if status.success() {
            eprintln!("── {}: {:.1} s", self.name, took.as_secs_f64());
            Ok(took)
        } else {
            Err(format!(
                "{} failed after {:.1} s ({status}); to repeat it:\n  {}",
                self.name,
                took.as_secs_f64(),
                self.command_line()
            )
            .into())
        }
    }
}

/// The cargo that runs us, so that a toolchain override holds for the steps too.
pub(crate) fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_can_be_typed_as_it_is_printed() {
        let step =
            Step::new("docs", &["doc", "--config", "a = 1"]).env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(
            step.command_line(),
            "RUSTDOCFLAGS='-D warnings' cargo doc --config 'a = 1'"
        );
    }
}
