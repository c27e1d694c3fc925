//! `xai completions`

use clap::{Args, Command};
use clap_complete::Shell;
use xai_files::failure::Failure;

use super::examples;
use crate::context::Context;
use crate::output::stdout;

/// `xai completions`
#[derive(Debug, Args)]
#[command(after_help = examples::of(&[
    "xai completions bash > xai.bash",
    "xai completions zsh > _xai",
    "xai completions fish > xai.fish",
]))]
pub(crate) struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    /// Prints the script that completes a command.
    pub(crate) fn run(&self, mut command: Command, context: &Context) -> Result<(), Failure> {
        if context.json {
            return Err(
                Failure::of_option("--json", "a script is no JSON").help("leave --json out")
            );
        }
        let mut script = Vec::new();
        let name = command.get_name().to_owned();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        stdout::print(|out| out.write_all(&script))
    }
}
