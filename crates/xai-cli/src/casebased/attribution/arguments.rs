//! The arguments of a metric: files of its inputs, and its options.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, value_parser};
use xai_metrics::casebased::data_attribution::{Entry, INPUTS};
use xai_metrics::casebased::input;
use xai_metrics::core::describe::InputSpec;
use xai_metrics::core::{Direction, Input};

use crate::described::{argument, option_name};
use crate::examples;
use crate::usage::named_file::NamedFile;

/// The inputs of metrics of a comparison that are the same for all explainers.
pub(super) fn shared() -> impl Iterator<Item = &'static InputSpec> {
    INPUTS.iter().filter(|spec| !spec.per_explainer)
}

/// The inputs that each explainer of a comparison has for itself.
pub(super) fn own() -> impl Iterator<Item = &'static InputSpec> {
    INPUTS.iter().filter(|spec| spec.per_explainer)
}

/// The inputs that a metric needs, or uses if they are given.
pub(super) fn inputs_of(entry: &'static Entry) -> impl Iterator<Item = &'static InputSpec> {
    let takes = |input: &Input| entry.info.needs.contains(input) || entry.optional.contains(input);
    INPUTS.iter().filter(move |spec| takes(&spec.input))
}

/// Whether the rows of a metric can be written: all but a single number have some.
fn has_rows(entry: &Entry) -> bool {
    entry.info.needs != [input::ATTRIBUTIONS]
}

/// The command of a metric, with the arguments that it needs.
pub(super) fn command(entry: &'static Entry) -> Command {
    let better = match entry.info.direction {
        Direction::Lower => " (lower is better)",
        Direction::Higher => " (higher is better)",
        Direction::None => "",
    };
    let out = Arg::new("out")
        .long("out")
        .value_name("FILE.csv")
        .help("Write a row per test case: sample, score; of a curve per point")
        .value_parser(value_parser!(PathBuf));
    Command::new(entry.info.name)
        .about(entry.info.summary.to_owned() + better)
        .args(inputs_of(entry).map(|spec| file_argument(entry, spec)))
        .args(entry.params().iter().map(argument))
        .args(has_rows(entry).then_some(out))
        .after_help(examples::section(&examples_of(entry)))
}

/// The option of an input that may be missing.
pub(super) fn optional(spec: &InputSpec) -> Arg {
    let name = spec.input.name();
    let argument = Arg::new(name)
        .long(option_name(name))
        .value_name("FILE.npy")
        .help(spec.to_string())
        .value_parser(value_parser!(PathBuf));
    match spec.requires {
        Some(other) => argument.requires(other.name()),
        None => argument,
    }
}

/// The option of an input of each explainer: a name and a file for each.
pub(super) fn named(spec: &InputSpec) -> Arg {
    let name = spec.input.name();
    Arg::new(name)
        .long(option_name(name))
        .value_name("NAME=FILE.npy")
        .action(ArgAction::Append)
        .num_args(1..)
        .help(format!("{spec}, of each explainer"))
        .required(spec.input == input::ATTRIBUTIONS)
        .value_parser(NamedFile::parser())
}

fn file_argument(entry: &'static Entry, spec: &InputSpec) -> Arg {
    let argument = optional(spec);
    let mut inputs = inputs_of(entry);
    let substitute = inputs.find(|other| other.instead_of == Some(spec.input));
    match substitute {
        Some(other) => argument
            .required_unless_present(other.input.name())
            .conflicts_with(other.input.name()),
        None => argument.required(entry.info.needs.contains(&spec.input)),
    }
}

/// A command to start from, with all files that the metric needs.
fn examples_of(entry: &'static Entry) -> Vec<String> {
    let needed = inputs_of(entry).filter(|spec| entry.info.needs.contains(&spec.input));
    let files = needed.map(|spec| {
        let name = option_name(spec.input.name());
        format!(" --{name} {name}.npy")
    });
    let files: String = files.collect();
    vec![format!(
        "xai casebased attribution {}{files}",
        entry.info.name
    )]
}
