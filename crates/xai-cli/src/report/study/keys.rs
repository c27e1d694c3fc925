//! The keys of a family's sections: the options of its commands.

use clap::{Arg, ArgAction, Args, Command, ValueHint};
use xai_report::Family;

use crate::attribution::compare::Compare;
use crate::attribution::texts::Texts;
use crate::casebased::attribution::compare::CompareAttributions;
use crate::casebased::audit::AuditOfTable;
use crate::graph::groundtruth::Groundtruth;
use crate::graph::sweep::SweepCommand;
use crate::repro::pairwise::Pairwise;
use crate::repro::simulate::study::StudyCommand;

/// A key that a section may have.
#[derive(Debug, Clone)]
pub(crate) struct KeyInfo {
    pub(crate) key: String,
    /// The options that it stands for.
    pub(crate) options: Vec<OptionOfKey>,
}

/// An option of one of the family's commands.
#[derive(Debug, Clone)]
pub(crate) struct OptionOfKey {
    /// Which of the commands.
    pub(crate) command: usize,
    /// Without dashes.
    pub(crate) option: String,
    pub(crate) takes: Takes,
    pub(crate) is: Is,
}

/// What an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Nothing: the key is true or false.
    Nothing,
    One,
    /// A list too; the option is repeated for each.
    Many,
}

/// What the value of an option is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Is {
    Word,
    File,
    /// A file if it has an extension, else a column.
    FileOrColumn,
}

/// Keys under another name: those of studies that were written before keys were options, and plurals of
/// options that may be repeated.
pub(crate) const ALIASES: &[(&str, &str)] =
    &[("drop_columns", "drop_column"), ("kept_fraction", "levels")];

/// The seed of a section, instead of that of the study. This and the next are no options.
pub(crate) const SEED: &str = "seed";
/// The file of draws of a simulation study.
pub(crate) const DRAWS: &str = "draws";
/// The training and the test cases of an attribution as images.
pub(crate) const IMAGES: [&str; 2] = ["train_images", "test_images"];
/// How many explained nodes are drawn with what is around them.
pub(crate) const DRAWN_NODES: &str = "drawn_nodes";

/// The name that a key has here: options are written with underscores, but dashes are taken too.
pub(crate) fn canonical(key: &str) -> String {
    let key = key.replace('-', "_");
    let alias = ALIASES.iter().find(|(alias, _)| *alias == key);
    alias.map_or(key.clone(), |(_, name)| (*name).to_owned())
}

/// The keys of the sections of a family.
pub(crate) fn of(family: Family) -> Vec<KeyInfo> {
    let mut keys: Vec<KeyInfo> = Vec::new();
    for (place, command) in commands(family).iter().enumerate() {
        for argument in (command.command)().get_arguments() {
            let Some(option) = argument.get_long() else {
                continue;
            };
            if command.left_out.contains(&option) {
                continue;
            }
            let renamed = command.renamed.iter().find(|(of, _)| *of == option);
            let key =
                renamed.map_or_else(|| option.replace('-', "_"), |(_, key)| (*key).to_owned());
            let use_of_key = OptionOfKey::new(place, option, argument);
            match keys.iter_mut().find(|other| other.key == key) {
                Some(other) => other.options.push(use_of_key),
                None => keys.push(KeyInfo {
                    key,
                    options: vec![use_of_key],
                }),
            }
        }
    }
    let extra = |key: &str| KeyInfo {
        key: key.to_owned(),
        options: Vec::new(),
    };
    keys.push(extra(SEED));
    match family {
        Family::Graph => keys.push(extra(DRAWN_NODES)),
        Family::Simulation => keys.push(extra(DRAWS)),
        Family::DataAttribution => keys.extend(IMAGES.map(extra)),
        _ => {}
    }
    keys
}

impl OptionOfKey {
    fn new(command: usize, option: &str, argument: &Arg) -> Self {
        let takes = match argument.get_action() {
            ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count => Takes::Nothing,
            ArgAction::Append => Takes::Many,
            _ => Takes::One,
        };
        let names = argument.get_value_names().unwrap_or_default();
        let is = match argument.get_value_hint() {
            ValueHint::AnyPath | ValueHint::FilePath => {
                match names.iter().any(|name| name.contains("COLUMN")) {
                    true => Is::FileOrColumn,
                    false => Is::File,
                }
            }
            _ => Is::Word,
        };
        Self {
            command,
            option: option.to_owned(),
            takes,
            is,
        }
    }
}

/// A command whose options are keys of a section.
pub(crate) struct CommandOfSection {
    /// `["graph", "sweep"]`
    pub(crate) path: &'static [&'static str],
    /// Its options.
    pub(crate) command: fn() -> Command,
    /// Options that are no keys: the report writes no rows, and lists what it lists.
    pub(crate) left_out: &'static [&'static str],
    /// Options whose key has another name: `(option, key)`.
    pub(crate) renamed: &'static [(&'static str, &'static str)],
}

/// Whether sections of a family compare explainers.
pub(crate) fn has_explainers(family: Family) -> bool {
    matches!(
        family,
        Family::Attribution | Family::DataAttribution | Family::Graph
    )
}

/// The place of `xai graph sweep` among the commands of the family.
pub(crate) const SWEEP: usize = 0;
/// The place of `xai graph groundtruth`.
pub(crate) const GROUNDTRUTH: usize = 1;

/// A command; every option but those that are left out is a key of its name.
const fn command<A: Args>(
    path: &'static [&'static str],
    left_out: &'static [&'static str],
) -> CommandOfSection {
    CommandOfSection {
        path,
        command: || {
            A::augment_args(
                Command::new("xai")
                    .no_binary_name(true)
                    .disable_help_flag(true)
                    .disable_version_flag(true),
            )
        },
        left_out,
        renamed: &[],
    }
}

const CASEBASED: CommandOfSection =
    command::<AuditOfTable>(&["casebased", "audit"], &["out", "n-least-supported"]);
const TEXTS: CommandOfSection = command::<Texts>(&["attribution", "texts"], &[]);
const SWEPT: CommandOfSection = command::<SweepCommand>(&["graph", "sweep"], &["out"]);
const COMPARED_WITH_TRUTH: CommandOfSection = CommandOfSection {
    // `target` are the true labels of the nodes.
    renamed: &[("predicted", "edge_mask"), ("target", "edge_mask_true")],
    ..command::<Groundtruth>(&["graph", "groundtruth"], &["out"])
};
const SIMULATION: CommandOfSection =
    command::<StudyCommand>(&["repro", "simulate", "study"], &["out"]);
const REPRO: CommandOfSection = command::<Pairwise>(
    &["repro", "pairwise"],
    &["out", "summary-only", "inconsistent"],
);
// Explainers are tables of their own.
const ATTRIBUTION: CommandOfSection = command::<Compare>(
    &["attribution", "compare"],
    &["out", "explanations", "explainers"],
);
const DATA_ATTRIBUTION: CommandOfSection = command::<CompareAttributions>(
    &["casebased", "attribution", "compare"],
    &[
        "out",
        "attributions",
        "random-attributions",
        "scores",
        "log-prob-after",
        "predictions",
    ],
);

/// The commands that a section of a family is.
pub(crate) fn commands(family: Family) -> &'static [CommandOfSection] {
    match family {
        Family::Casebased => &[CASEBASED],
        Family::Attribution => &[ATTRIBUTION],
        Family::DataAttribution => &[DATA_ATTRIBUTION],
        Family::Texts => &[TEXTS],
        Family::Graph => &[SWEPT, COMPARED_WITH_TRUTH],
        Family::Repro => &[REPRO],
        Family::Simulation => &[SIMULATION],
    }
}
