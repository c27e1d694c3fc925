//! `xai man`

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
#[command(after_help = examples::of(&["xai man", "xai man --out man1"]))]
pub(crate) struct Manual {
    /// Write the pages of all commands to a folder, which is made: xai.1, xai-graph-fidelity.1, …
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

impl Manual {
    /// Prints the page of a command, or writes those of all its commands too.
    pub(crate) fn run(&self, command: Command, context: &Context) -> Result<(), Failure> {
        let pages = pages(command).map_err(Failure::new)?;
        let Some(folder) = &self.out else {
            if context.json {
                return Err(Failure::of_option("--json", "a manual page is no JSON")
                    .help("leave --json out, or write the pages to a folder with --out"));
            }
            let page = pages.into_iter().next().unwrap_or_default();
            return stdout::print(|out| out.write_all(page.text.as_bytes()));
        };
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::new(format_args!("cannot be made: {error}")))
            .in_file(folder)?;
        for page in &pages {
            whole_file::write_text(&folder.join(&page.file), &page.text)?;
        }
        // In the order of the commands.
        let files: Vec<&str> = pages.iter().map(|page| page.file.as_str()).collect();
        context.present(&BTreeMap::from([("pages", &files)]), || {
            format!("{} pages in {}", files.len(), folder.display())
        })
    }
}

/// A manual page.
#[derive(Default)]
struct Page {
    file: String,
    text: String,
}

/// The page of a command, then those of its commands.
fn pages(command: Command) -> std::io::Result<Vec<Page>> {
    // The commands that only repeat the help have no page.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    add_pages(&command, &mut pages)?;
    Ok(pages)
}

fn add_pages(command: &Command, pages: &mut Vec<Page>) -> std::io::Result<()> {
    pages.push(page(command)?);
    let commands = command.get_subcommands().filter(|it| !it.is_hide_set());
    for of_group in commands {
        add_pages(of_group, pages)?;
    }
    Ok(())
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
    let examples = examples::of_command(command);
    if !examples.is_empty() {
        examples_section(&examples).to_writer(&mut text)?;
    }
    Ok(Page {
        file: man.get_filename(),
        text: String::from_utf8_lossy(&text).into_owned(),
    })
}

/// Commands line by line: as text they would be filled into one paragraph.
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
