//! The commands that the sections of a family of metrics are.

use clap::{Args, Command};
use xai_report::Family;

#[cfg(feature = "onnx")]
use crate::attribution::compare::Compare;
use crate::casebased::audit::AuditOfTable;
use crate::graph::groundtruth::Groundtruth;
use crate::graph::sweep::SweepCommand;
use crate::repro::pairwise::Pairwise;
use crate::repro::simulate::study::StudyCommand;

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

fn options<A: Args>() -> Command {
    A::augment_args(
        Command::new("xai")
            .no_binary_name(true)
            .disable_help_flag(true)
            .disable_version_flag(true),
    )
}

/// Whether sections of a family compare explainers.
pub(crate) fn has_explainers(family: Family) -> bool {
    matches!(family, Family::Attribution | Family::Graph)
}

/// The commands that a section of a family is.
pub(crate) fn commands(family: Family) -> &'static [CommandOfSection] {
    match family {
        Family::Casebased => CASEBASED,
        Family::Attribution => ATTRIBUTION,
        Family::Graph => GRAPH,
        Family::Repro => REPRO,
        Family::Simulation => SIMULATION,
    }
}

const CASEBASED: &[CommandOfSection] = &[CommandOfSection {
    path: &["casebased", "audit"],
    command: options::<AuditOfTable>,
    left_out: &["out", "n-least-supported"],
    renamed: &[],
}];

#[cfg(feature = "onnx")]
const ATTRIBUTION: &[CommandOfSection] = &[CommandOfSection {
    path: &["attribution", "compare"],
    command: options::<Compare>,
    // Explainers are tables of their own.
    left_out: &["out", "explanations", "explainers", "level"],
    renamed: &[],
}];

#[cfg(not(feature = "onnx"))]
const ATTRIBUTION: &[CommandOfSection] = &[];

/// The place of `xai graph sweep` among the commands of the family.
pub(crate) const SWEEP: usize = 0;
/// The place of `xai graph groundtruth`.
pub(crate) const GROUNDTRUTH: usize = 1;

const GRAPH: &[CommandOfSection] = &[
    CommandOfSection {
        path: &["graph", "sweep"],
        command: options::<SweepCommand>,
        left_out: &["out"],
        renamed: &[],
    },
    CommandOfSection {
        path: &["graph", "groundtruth"],
        command: options::<Groundtruth>,
        left_out: &["out"],
        // `target` are the true labels of the nodes.
        renamed: &[("predicted", "edge_mask"), ("target", "edge_mask_true")],
    },
];

const REPRO: &[CommandOfSection] = &[CommandOfSection {
    path: &["repro", "pairwise"],
    command: options::<Pairwise>,
    left_out: &["out", "summary-only", "inconsistent"],
    renamed: &[],
}];

const SIMULATION: &[CommandOfSection] = &[CommandOfSection {
    path: &["repro", "simulate", "study"],
    command: options::<StudyCommand>,
    left_out: &["out"],
    renamed: &[],
}];
