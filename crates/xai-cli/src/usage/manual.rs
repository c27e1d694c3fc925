//! `xai man` and `xai completions`

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use xai_files::{Failure, InFile};

use crate::output::{stdout, whole_file};
use crate::{Context, examples};

/// `xai man`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&["xai man", "xai man --out man1"]))]
pub(crate) struct Manual {
    /// Write the pages of all commands to a folder: xai.1, xai-graph-fidelity.1, … The folder is created if necessary.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

impl Manual {
    /// Prints the page of `command`, or writes its page and those of all its subcommands to the folder.
    pub(crate) fn run(&self, command: Command, context: &Context) -> Result<(), Failure> {
        let pages = pages(command).map_err(Failure::new)?;
        let Some(folder) = &self.out else {
            if context.json {
                return Err(Failure::for_option(
                    "--json",
                    "a manual page cannot be printed as JSON",
                )
                .help("leave out --json, or write the pages to a folder with --out"));
            }
            let page = pages.into_iter().next().unwrap_or_default();
            return stdout::print(|out| out.write_all(page.text.as_bytes()));
        };
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::new(format_args!("cannot be created: {error}")))
            .in_file(folder)?;
        for page in &pages {
            whole_file::write_text(&folder.join(&page.file), &page.text)?;
        }
        let files: Vec<&str> = pages.iter().map(|page| page.file.as_str()).collect();
        context.present(&BTreeMap::from([("pages", &files)]), || {
            format!("{} pages in {}", files.len(), folder.display())
        })
    }
}

/// A manual page and its file name.
#[derive(Default)]
struct Page {
    file: String,
    text: String,
}

/// Returns the page of a command, followed by those of its subcommands in their order.
fn pages(command: Command) -> std::io::Result<Vec<Page>> {
    // The `help` commands get no pages.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    add_pages(&command, &mut pages)?;
    Ok(pages)
}

fn add_pages(command: &Command, pages: &mut Vec<Page>) -> std::io::Result<()> {
    pages.push(page(command)?);
    command
        .get_subcommands()
        .filter(|subcommand| !subcommand.is_hide_set())
        .try_for_each(|subcommand| add_pages(subcommand, pages))
}

fn page(command: &Command) -> std::io::Result<Page> {
    let man = Man::new(command.clone())
        .source(format!("xai {}", env!("CARGO_PKG_VERSION")))
        .manual("xai");
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    let examples = examples::commands_in(command);
    if !examples.is_empty() {
        examples_section(&examples).to_writer(&mut text)?;
    }
    Ok(Page {
        file: man.get_filename(),
        text: String::from_utf8_lossy(&text).into_owned(),
    })
}

/// Returns the section EXAMPLES with a command per line. `nf` turns off filling, which would join the lines.
fn examples_section(examples: &[String]) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXAMPLES"]);
    roff.control("nf", []);
    for example in examples {
        roff.text([roman(example)]);
    }
    roff.control("fi", []);
    roff
}

/// `xai completions`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai completions bash > xai.bash",
    "xai completions zsh > _xai",
    "xai completions fish > xai.fish",
]))]
pub(crate) struct Completions {
    /// The shell that runs the script.
    shell: Shell,
}

impl Completions {
    /// Prints the completion script of `command`.
    pub(crate) fn run(&self, mut command: Command, context: &Context) -> Result<(), Failure> {
        if context.json {
            return Err(
                Failure::for_option("--json", "a script cannot be printed as JSON")
                    .help("leave out --json"),
            );
        }
        let mut script = Vec::new();
        let name = command.get_name().to_owned();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        stdout::print(|out| out.write_all(&script))
    }
}
