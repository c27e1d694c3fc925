//! The command that computes a metric of any family.

use xai_metrics::casebased::result::{AuditDistribution, AuditReport};
use xai_metrics::core::MetricInfo;
use xai_metrics::core::describe::{FamilyMetric, Scores};
use xai_metrics::graph::dataset::SweepCurve;
use xai_metrics::graph::fidelity::RobustFidelity;
use xai_metrics::graph::mask::MaskProperties;
use xai_metrics::graph::{Fidelity, GroundTruth, Unfaithfulness};
use xai_metrics::{casebased, core};

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

/// The command that computes a metric. Some attribution metrics have none, because no file holds their inputs.
pub(crate) fn metric_command(metric: &FamilyMetric) -> String {
    let info = metric.entry.info;
    let of_result = COMMANDS_OF_RESULTS
        .iter()
        .find(|(_, infos)| infos().contains(&info));
    match (metric.family.name, metric.entry.kind) {
        ("casebased", "data attribution") => format!("xai casebased attribution {}", info.name),
        ("repro", "regression") => "xai repro regression".to_owned(),
        ("repro", _) => "xai repro pairwise".to_owned(),
        (name, _) if name == core::reliability::FAMILY.name => {
            "xai attribution reliability".to_owned()
        }
        (family, _) => match of_result {
            Some((command, _)) => (*command).to_owned(),
            None => format!("xai {family} {}", info.name),
        },
    }
}
