//! The arguments of a metric: the files that it needs, and its options.

use std::path::PathBuf;

use clap::{Arg, Command, value_parser};
use xai_metrics::casebased::data_attribution::{Entry, OWN_INPUTS};
use xai_metrics::casebased::input;
use xai_metrics::core::{Direction, Input};

use crate::described::{argument, option_name};
use crate::examples;

/// An input of a metric, and what its file holds. The option is called as the input is.
pub(super) struct FileOption {
    pub(super) input: Input,
    help: &'static str,
}

const fn file(input: Input, help: &'static str) -> FileOption {
    FileOption { input, help }
}

const FILES: &[FileOption] = &[
    file(
        input::ATTRIBUTIONS,
        "Attributions (n_test, n_train), above 0 where a training case raised the score of a test case",
    ),
    file(
        input::RANDOM_ATTRIBUTIONS,
        "Attributions (n_test, n_train) by a model with random weights",
    ),
    file(
        input::TRAIN_LABELS,
        "Classes of the training cases (n_train,), integers",
    ),
    file(
        input::TEST_CLASSES,
        "Classes of the test cases (n_test,), true or predicted ones",
    ),
    file(
        input::SUBSETS,
        "Training cases that each model was trained on: booleans (n_subsets, n_train), or their numbers (n_subsets, size)",
    ),
    file(
        input::OUTPUTS,
        "What each model answers for each test case (n_subsets, n_test)",
    ),
    file(
        input::LOGITS,
        "Logits (n_subsets, n_test, n_classes) instead of outputs, which are then the margins of the targets",
    ),
    file(
        input::TARGETS,
        "The class of each test case among the logits (n_test,)",
    ),
    file(
        input::REMOVED,
        "The training case that each model was trained without (n_removed,)",
    ),
    file(
        input::DROPS,
        "How far outputs fall without each of them (n_removed, n_test)",
    ),
    file(
        input::RELEVANT,
        "Which training cases are relevant to each test case, booleans (n_test, n_train)",
    ),
    file(
        input::SCORES,
        "A score of each training case (n_train,), high = suspicious",
    ),
    file(
        input::FLAGS,
        "Which training cases are flagged, booleans (n_train,)",
    ),
    file(
        input::LOG_PROB,
        "Log-probabilities of the targets (n_test,)",
    ),
    file(
        input::LOG_PROB_AFTER,
        "The same after one step on each of the top cases (n_test, k)",
    ),
    file(
        input::KS,
        "How many top cases were left out, ascending from 0 (n_ks,)",
    ),
    file(
        input::PREDICTIONS,
        "What models predict that were trained without them (n_test, n_ks), integers",
    ),
    file(
        input::KEEP,
        "Which test cases count, booleans (n_test,); the others have no value",
    ),
];

/// The files that metrics of a comparison need, the same for all explainers, as options.
pub(super) fn shared() -> impl Iterator<Item = &'static FileOption> {
    FILES
        .iter()
        .filter(|file| !OWN_INPUTS.contains(&file.input))
}

/// The files that a metric needs, or can do with.
pub(super) fn files_of(entry: &'static Entry) -> impl Iterator<Item = &'static FileOption> {
    let takes = |input: &Input| entry.info.needs.contains(input) || entry.also.contains(input);
    FILES.iter().filter(move |file| takes(&file.input))
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
        .args(files_of(entry).map(|file| file_argument(entry, file)))
        .args(entry.params().iter().map(argument))
        .args(has_rows(entry).then_some(out))
        .after_help(examples::of(&examples_of(entry)))
}

/// The option of a file that may be missing.
pub(super) fn optional(file: &FileOption) -> Arg {
    let name = file.input.name();
    let argument = Arg::new(name)
        .long(option_name(name))
        .value_name("FILE.npy")
        .help(file.help)
        .value_parser(value_parser!(PathBuf));
    match file.input {
        input::LOGITS => argument.requires(input::TARGETS.name()),
        _ => argument,
    }
}

fn file_argument(entry: &Entry, file: &FileOption) -> Arg {
    let argument = optional(file);
    let needed = entry.info.needs.contains(&file.input);
    match file.input {
        input::OUTPUTS if entry.also.contains(&input::LOGITS) => argument
            .required_unless_present(input::LOGITS.name())
            .conflicts_with(input::LOGITS.name()),
        input::LOGITS => argument,
        _ => argument.required(needed),
    }
}

/// A command to start from, with all files that the metric needs.
fn examples_of(entry: &'static Entry) -> Vec<String> {
    let needed = files_of(entry).filter(|file| entry.info.needs.contains(&file.input));
    let files = needed.map(|file| {
        let name = option_name(file.input.name());
        format!(" --{name} {name}.npy")
    });
    let files: String = files.collect();
    vec![format!(
        "xai casebased attribution {}{files}",
        entry.info.name
    )]
}
