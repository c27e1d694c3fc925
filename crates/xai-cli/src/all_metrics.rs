//! The metrics of all families: their list, and the commands that compute them.

use clap::Args;
use xai_files::Failure;

use xai_metrics::casebased::AuditReport;
use xai_metrics::casebased::result::AuditDistribution;
use xai_metrics::common::describe::MetricInfo;
use xai_metrics::common::describe::{FamilyMetric, Scores, metrics_of_families};
use xai_metrics::graph::dataset::SweepCurve;
use xai_metrics::graph::fidelity::RobustFidelity;
use xai_metrics::graph::mask::MaskProperties;
use xai_metrics::graph::{Fidelity, GroundTruth, Unfaithfulness};
use xai_metrics::{casebased, families};

use crate::attribution::MapMetrics;
use crate::counterfactual::CounterfactualMetrics;
use crate::metric_commands::commands;
use crate::metric_commands::list::{Listed, present};
use crate::{Context, examples};

/// `xai list`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&["xai list", "xai list --json"]))]
pub(crate) struct List {}

impl List {
    pub(crate) fn run(&self, context: &Context) -> Result<(), Failure> {
        let metrics = metrics_of_families(families()).into_iter();
        let listed = metrics.map(|metric| {
            Listed::new(&metric.entry, metric_command(&metric)).with_family(metric.family.name)
        });
        present(context, listed.collect())
    }
}

type Infos = fn() -> Vec<&'static MetricInfo>;

/// Commands whose results have several metrics, with the metrics.
const COMMANDS_OF_RESULTS: &[(&str, Infos)] = &[
    (
        "xai casebased correspondence",
        infos::<casebased::Correspondence>,
    ),
    ("xai casebased audit", infos::<AuditReport>),
    ("xai casebased audit", infos::<AuditDistribution>),
    ("xai graph fidelity", infos::<Fidelity>),
    ("xai graph robust-fidelity", infos::<RobustFidelity>),
    ("xai graph fidelity-auc", infos::<SweepCurve>),
    ("xai graph unfaithfulness", infos::<Unfaithfulness>),
    ("xai graph groundtruth", infos::<GroundTruth>),
    ("xai graph mask", infos::<MaskProperties>),
];

fn infos<R: Scores>() -> Vec<&'static MetricInfo> {
    R::infos().collect()
}

/// The command that computes a metric; `None` for attribution metrics that only the libraries compute.
pub(crate) fn metric_command(metric: &FamilyMetric) -> Option<String> {
    let info = metric.entry.info;
    let name = info.name;
    let of_result = || {
        let mut commands = COMMANDS_OF_RESULTS.iter();
        commands.find_map(|(command, infos)| infos().contains(&info).then_some(*command))
    };
    match (metric.family.name, metric.entry.kind) {
        ("attribution", _) => {
            let has_command = commands::<MapMetrics>().any(|entry| entry.info == info);
            has_command.then(|| format!("xai attribution {name}"))
        }
        ("counterfactual", _) => {
            let has_command = commands::<CounterfactualMetrics>().any(|entry| entry.info == info);
            has_command.then(|| format!("xai counterfactual {name}"))
        }
        (_, "data attribution") => Some(format!("xai casebased attribution {name}")),
        ("repro", "regression") => Some("xai repro regression".to_owned()),
        ("repro", _) => Some("xai repro pairwise".to_owned()),
        ("reliability", _) => Some("xai attribution reliability".to_owned()),
        _ => of_result().map(str::to_owned),
    }
}
