//! The arguments of a metric: the files that it needs, and its options.

use std::path::PathBuf;

use clap::{Arg, Args, Command, value_parser};
use xai_metrics::attribution::input;
use xai_metrics::attribution::metric::registry::metrics;
use xai_metrics::attribution::metric::{Direction, Entry};
use xai_metrics::core::Input;

use crate::attribution::options::{LayoutOptions, ScoringOptions};
use crate::attribution::parameters::Given;
use crate::attribution::result;
use crate::attribution::side_inputs::SIDE_FILES;
use crate::examples;

/// An input of a metric, and the option for its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileOption {
    pub(super) input: Input,
    pub(super) name: &'static str,
    value_name: &'static str,
    help: &'static str,
}

const FILES: &[FileOption] = &[
    FileOption {
        input: input::MODEL,
        name: "model",
        value_name: "M.onnx",
        help: "The model",
    },
    FileOption {
        input: input::INPUTS,
        name: "inputs",
        value_name: "X.npy",
        help: "Its inputs: (n, features), (n, time, features) or images",
    },
    FileOption {
        input: input::EXPLANATIONS,
        name: "explanations",
        value_name: "E.npy",
        help: "The attribution maps, shaped like the inputs or without channels",
    },
    FileOption {
        input: input::EXPLAINER,
        name: "explainer",
        value_name: "E.onnx",
        help: "The explainer: a file from inputs, and if it takes them target classes (n,), to maps; \
               it makes those that no file has",
    },
    FileOption {
        input: input::TARGETS,
        name: "targets",
        value_name: "T.npy",
        help: "Class indices (n,) or rows of weights (n, outputs)",
    },
];

/// The metrics that files are enough for.
pub(crate) fn entries() -> impl Iterator<Item = &'static Entry> {
    metrics()
        .iter()
        .filter(|entry| reads_files(entry) || result::of_scores(entry).is_some())
}

/// Whether all that a metric needs is in files that this build can read.
fn reads_files(entry: &Entry) -> bool {
    let is_side = |need: Input| {
        let mut sides = SIDE_FILES.iter();
        sides.any(|side| side.input_of(entry) == Some(need))
    };
    let has_file = |need: &Input| FILES.iter().any(|file| file.input == *need) || is_side(*need);
    let needs_inputs = entry.info.needs.contains(&input::INPUTS);
    entry.is_built() && entry.info.needs.iter().all(has_file) && (!needs_inputs || asks(entry))
}

/// Whether a metric asks a model or an explainer.
pub(super) fn asks(entry: &Entry) -> bool {
    let asked = [input::MODEL, input::EXPLAINER];
    entry.info.needs.iter().any(|need| asked.contains(need))
}

/// Whether an explainer may stand for the file of maps, or the file of maps beside the explainer.
fn may_make_maps(entry: &Entry, file: &FileOption) -> bool {
    match file.input {
        // To leave out neighbours of another prediction.
        input::MODEL => entry.has_param("same_prediction"),
        input::EXPLAINER => asks(entry) && is_needed_as(entry, input::EXPLANATIONS),
        input::EXPLANATIONS => is_needed_as(entry, input::EXPLAINER),
        _ => false,
    }
}

/// The options of the files that a metric needs, or can do with.
pub(super) fn files_of(entry: &'static Entry) -> impl Iterator<Item = FileOption> {
    let main = FILES.iter().copied();
    let main = main.filter(|file| is_needed_as(entry, file.input) || may_make_maps(entry, file));
    let sides = SIDE_FILES.iter().filter_map(|side| {
        Some(FileOption {
            input: side.input_of(entry)?,
            name: side.name,
            value_name: side.value_name,
            help: side.help,
        })
    });
    main.chain(sides)
}

fn is_needed_as(entry: &Entry, input: Input) -> bool {
    entry.info.needs.contains(&input)
}

/// What may be given instead of a file.
fn instead(entry: &'static Entry, file: &FileOption, of_scores: bool) -> Vec<&'static str> {
    let explainer = FILES
        .iter()
        .find(|other| file.input == input::EXPLANATIONS && may_make_maps(entry, other));
    let base = of_scores.then_some("base");
    explainer
        .map(|explainer| explainer.name)
        .into_iter()
        .chain(base)
        .collect()
}

/// The command of a metric, with the arguments that it needs.
pub(crate) fn command(entry: &'static Entry) -> Command {
    let of_scores = result::of_scores(entry).is_some();
    let mut command = Command::new(entry.info.name);
    if reads_files(entry) {
        command = command.args(file_arguments(entry, of_scores));
        command = match asks(entry) {
            true => ScoringOptions::augment_args(command),
            false => LayoutOptions::augment_args(command),
        };
    }
    command = Given::augment(command, entry);
    if of_scores {
        command = command.args(score_arguments(entry));
    }
    let better = match entry.info.direction {
        Direction::Lower => " (lower is better)",
        Direction::Higher => " (higher is better)",
        Direction::None => "",
    };
    // Last: the options of a struct bring the description of the struct with them.
    command
        .arg(out_argument(of_scores))
        .about(entry.info.summary.to_owned() + better)
        .long_about(None)
        .after_help(examples::section(&examples_of(entry)))
}

/// Commands to start from: with all files that the metric needs and, where there may be, with scores.
fn examples_of(entry: &'static Entry) -> Vec<String> {
    let name = entry.info.name;
    let mut examples = Vec::new();
    if reads_files(entry) {
        let files = files_of(entry).filter(|file| is_needed_as(entry, file.input));
        let files = files.map(|file| {
            let ending = file.value_name.rsplit('.').next().unwrap_or_default();
            format!(" --{0} {0}.{ending}", file.name)
        });
        let arguments: String = files.collect();
        examples.push(format!("xai attribution {name}{arguments}"));
        examples.push(format!(
            "xai attribution {name}{arguments} --out scores.csv"
        ));
    }
    if result::of_scores(entry).is_some() {
        let scores = "--base base.npy --masked masked.npy";
        examples.push(format!("xai attribution {name} {scores}"));
    }
    examples
}

/// The files of a metric; stored scores may take their place.
fn file_arguments(entry: &'static Entry, of_scores: bool) -> impl Iterator<Item = Arg> {
    files_of(entry).map(move |file| {
        let argument = Arg::new(file.name)
            .long(file.name)
            .value_name(file.value_name)
            .help(file.help)
            .value_parser(value_parser!(PathBuf));
        match instead(entry, &file, of_scores) {
            _ if !is_needed_as(entry, file.input) => argument,
            others if others.is_empty() => argument.required(true),
            others => argument.required_unless_present_any(others),
        }
    })
}

/// Stored scores, instead of files where this build can read them.
fn score_arguments(entry: &'static Entry) -> [Arg; 2] {
    let base = Arg::new("base")
        .long("base")
        .value_name("B.npy")
        .help("Scores of the whole inputs (n,), instead of a model")
        .requires("masked")
        .value_parser(value_parser!(PathBuf));
    let masked = Arg::new("masked")
        .long("masked")
        .value_name("A.npy")
        .help("Scores of the masked inputs (n,), instead of a model")
        .requires("base")
        .value_parser(value_parser!(PathBuf));
    let base = match reads_files(entry) {
        true => base.conflicts_with_all(files_of(entry).map(|file| file.name)),
        false => base.required(true),
    };
    [base, masked]
}

fn out_argument(of_scores: bool) -> Arg {
    Arg::new("out")
        .long("out")
        .value_name("FILE.csv")
        .help(match of_scores {
            true => "Write a row per sample: sample, base, masked, score",
            false => {
                "Write a row per sample: sample, score; of a curve per point: n_flipped, score"
            }
        })
        .value_parser(value_parser!(PathBuf))
}
