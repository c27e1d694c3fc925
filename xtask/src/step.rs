//! Running one step, with its time, and the line to repeat it by when it fails.

use crate::outcome::Result;
use crate::workspace;
use std::ffi::OsString;
use std::process::Command;
use std::time::{Duration, Instant};

/// A cargo command, or a task of ours, with a name.
pub(crate) struct Step {
    pub(crate) name: String,
    action: Action,
}

enum Action {
    Cargo {
        environment: Vec<(&'static str, String)>,
        arguments: Vec<String>,
    },
    Task {
        /// The arguments of `cargo xtask` that run it alone.
        arguments: &'static str,
        run: fn() -> Result,
    },
}

impl Step {
    /// A cargo command, in the workspace root.
    pub(crate) fn cargo(name: impl Into<String>, arguments: &[&str]) -> Self {
        Self {
            name: name.into(),
            action: Action::Cargo {
                environment: Vec::new(),
                arguments: arguments.iter().map(ToString::to_string).collect(),
            },
        }
    }

    /// A function in this process; `cargo xtask ARGUMENTS` runs it alone.
    pub(crate) fn task(name: &str, arguments: &'static str, run: fn() -> Result) -> Self {
        Self {
            name: name.to_owned(),
            action: Action::Task { arguments, run },
        }
    }

    /// Sets an environment variable of a cargo command.
    pub(crate) fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        if let Action::Cargo { environment, .. } = &mut self.action {
            environment.push((name, value.into()));
        }
        self
    }

    /// The command as one would type it, in the workspace root.
    pub(crate) fn command_line(&self) -> String {
        match &self.action {
            Action::Task { arguments, .. } => format!("cargo xtask {arguments}"),
            Action::Cargo {
                environment,
                arguments,
                ..
            } => {
                let mut line = String::new();
                for (name, value) in environment {
                    line += &format!("{name}='{value}' ");
                }
                line += "cargo";
                for argument in arguments {
                    line += &match argument.contains(' ') {
                        true => format!(" '{argument}'"),
                        false => format!(" {argument}"),
                    };
                }
                line
            }
        }
    }

    /// Runs it; its output goes where ours goes.
    pub(crate) fn run(&self) -> Result<Duration> {
        eprintln!("\n── {}: {}", self.name, self.command_line());
        let start = Instant::now();
        let failure = self.failure()?;
        let took = start.elapsed();
        match failure {
            None => {
                eprintln!("── {}: {:.1} s", self.name, took.as_secs_f64());
                Ok(took)
            }
            Some(why) => Err(format!(
                "{} failed after {:.1} s ({why}); to repeat it:\n  {}",
                self.name,
                took.as_secs_f64(),
                self.command_line()
            )
            .into()),
        }
    }

    /// Why it failed, if it did.
    fn failure(&self) -> Result<Option<String>> {
        match &self.action {
            Action::Task { run, .. } => Ok(run().err().map(|error| error.to_string())),
            Action::Cargo {
                environment,
                arguments,
            } => {
                let status = Command::new(cargo())
                    .args(arguments)
                    .envs(environment.iter().map(|(name, value)| (name, value)))
                    .current_dir(workspace::root())
                    .status()?;
                Ok((!status.success()).then(|| status.to_string()))
            }
        }
    }
}

/// The cargo that runs us, so that a toolchain override holds for the steps too.
pub(crate) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_can_be_typed_as_it_is_printed() {
        let step =
            Step::cargo("docs", &["doc", "--config", "a = 1"]).env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(
            step.command_line(),
            "RUSTDOCFLAGS='-D warnings' cargo doc --config 'a = 1'"
        );
    }

    #[test]
    fn a_failed_task_says_why_and_how_to_repeat_it() {
        let step = Step::task("rules", "ci rules", || Err("two broken".into()));
        let text = step.run().expect_err("it fails").to_string();
        assert!(text.starts_with("rules failed after "), "{text}");
        assert!(
            text.ends_with("(two broken); to repeat it:\n  cargo xtask ci rules"),
            "{text}"
        );
    }
}
