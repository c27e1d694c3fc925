//! Checks of `--out` before anything is computed.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::ArgMatches;
use clap_lex::OsStrExt;
use xai_files::destination::{is_same_file, is_standard_output};
use xai_files::{Failure, InFile, destination, npz};

/// Commands whose `--out` is a folder.
const WITH_FOLDER: [&str; 2] = ["report", "man"];

/// Commands whose `--out` is a binary file.
const WITH_BINARY_FILE: [&str; 1] = ["fit"];

/// Fails if the file `--out` is a folder or its folder does not exist, if it is a file that the command reads, also by
/// another name or through links, or if it is standard output and this cannot take the output. Returns `true` if
/// `--out` is standard output.
pub(crate) fn check(matches: &ArgMatches) -> Result<bool, Failure> {
    let mut command = matches;
    let mut name = "";
    while let Some((subcommand, submatches)) = command.subcommand() {
        (name, command) = (subcommand, submatches);
    }
    let Ok(Some(out)) = command.try_get_one::<PathBuf>("out") else {
        return Ok(false);
    };
    let is_stdout = is_standard_output(out);
    if is_stdout {
        check_standard_output(command, name)?;
    }
    if !WITH_FOLDER.contains(&name) {
        destination::check(out).in_file(out)?;
    }
    if inputs(command).any(|input| is_same_file(out, &input)) {
        return Err(Failure::for_option(
            "--out",
            "the command reads this file and would overwrite it",
        )
        .with_value(out.display())
        .help("name another file"));
    }
    Ok(is_stdout)
}

/// Fails if a command cannot write its rows to standard output: it writes several files, binary data to a terminal, or
/// JSON to the same place.
fn check_standard_output(command: &ArgMatches, name: &str) -> Result<(), Failure> {
    // `report --out -` writes the page alone.
    if WITH_FOLDER.contains(&name) && name != "report" {
        return Err(
            Failure::for_option("--out", "standard output cannot take several files")
                .with_value("-")
                .help("name a folder"),
        );
    }
    if WITH_BINARY_FILE.contains(&name) && std::io::stdout().is_terminal() {
        return Err(
            Failure::for_option("--out", "a terminal cannot show a binary file")
                .with_value("-")
                .help("name a file, or redirect standard output to one"),
        );
    }
    if command.get_flag("json") {
        return Err(Failure::for_option(
            "--json",
            "standard output cannot take JSON and the rows of --out -",
        )
        .help("write the rows to a file, or leave out --json"));
    }
    Ok(())
}

/// Returns the input files of a command: all arguments that are paths or `NAME=FILE`, except `--out`.
fn inputs(command: &ArgMatches) -> impl Iterator<Item = PathBuf> {
    let others = command
        .ids()
        .map(clap::Id::as_str)
        .filter(|id| *id != "out");
    others.flat_map(|id| {
        let paths = match command.try_get_many::<PathBuf>(id) {
            Ok(paths) => paths.into_iter().flatten().cloned().collect(),
            // The argument is of another type, for example `NAME=FILE`.
            Err(_) => match command.try_get_raw(id) {
                Ok(Some(words)) => words
                    .filter_map(|word| Some(PathBuf::from(word.split_once("=")?.1)))
                    .collect(),
                _ => Vec::new(),
            },
        };
        paths.into_iter().map(|path| {
            let archive = npz::split_entry(&path).map(|(archive, _)| archive);
            archive.unwrap_or(path)
        })
    })
}
