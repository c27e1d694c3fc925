//! `--out` before there is anything to write.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::ArgMatches;
use clap_lex::OsStrExt;
use xai_files::destination::{is_same_file, is_standard_output};
use xai_files::{Failure, InFile, destination, npz};

/// Commands whose `--out` is a folder, which is made.
const OF_FOLDERS: [&str; 2] = ["report", "man"];

/// Commands whose `--out` is no text.
const OF_BYTES: [&str; 1] = ["fit"];

/// Refuses a file for `--out` that the command reads, by whatever name and through whatever links,
/// and one that cannot be made, before anything is computed. Says whether rows go to standard output.
pub(crate) fn check(matches: &ArgMatches) -> Result<bool, Failure> {
    let mut command = matches;
    let mut name = "";
    while let Some((next, of_next)) = command.subcommand() {
        (name, command) = (next, of_next);
    }
    let Ok(Some(out)) = command.try_get_one::<PathBuf>("out") else {
        return Ok(false);
    };
    let (is_of_folder, is_stdout) = (OF_FOLDERS.contains(&name), is_standard_output(out));
    if is_stdout {
        check_standard_output(command, name)?;
    }
    if !is_of_folder {
        destination::check(out).in_file(out)?;
    }
    match inputs(command).any(|input| is_same_file(out, &input)) {
        false => Ok(is_stdout),
        true => Err(
            Failure::of_option("--out", "a file that is read here, and would be lost")
                .with_value(out.display())
                .help("name another file"),
        ),
    }
}

/// Standard output takes the rows of one command, and nothing else beside them.
fn check_standard_output(command: &ArgMatches, name: &str) -> Result<(), Failure> {
    // Of a report it is the page alone.
    if OF_FOLDERS.contains(&name) && name != "report" {
        return Err(Failure::of_option("--out", "several files go to a folder")
            .with_value("-")
            .help("name a folder"));
    }
    if OF_BYTES.contains(&name) && std::io::stdout().is_terminal() {
        return Err(
            Failure::of_option("--out", "a terminal cannot show what is stored")
                .with_value("-")
                .help("name a file, or send standard output to one"),
        );
    }
    if command.get_flag("json") {
        return Err(Failure::of_option(
            "--json",
            "standard output has the rows already, by --out -",
        )
        .help("write the rows to a file, or leave --json out"));
    }
    Ok(())
}

/// The files that a command is given.
fn inputs(command: &ArgMatches) -> impl Iterator<Item = PathBuf> {
    let others = command
        .ids()
        .map(clap::Id::as_str)
        .filter(|id| *id != "out");
    others.flat_map(|id| {
        let paths = match command.try_get_many::<PathBuf>(id) {
            Ok(paths) => paths.into_iter().flatten().cloned().collect(),
            // `NAME=FILE`
            Err(_) => match command.try_get_raw(id) {
                Ok(Some(words)) => words
                    .filter_map(|word| Some(PathBuf::from(word.split_once("=")?.1)))
                    .collect(),
                _ => Vec::new(),
            },
        };
        paths.into_iter().map(|path| {
            let archive = npz::entry_of(&path).map(|(archive, _)| archive);
            archive.unwrap_or(path)
        })
    })
}
