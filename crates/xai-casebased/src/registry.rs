//! The metrics of this crate.
//!
//! The library, the command line, the report and the tables of the documentation read this list. What a
//! metric says of itself stands beside the result that it is read from.
#![doc = ""]
#![doc = include_str!("../METRICS.md")]

use xai_core::describe::{MetricInfo, Operation, Scores};

use crate::correspondence::{Correspondence, CorrespondenceMetric};
use crate::data_attribution;
use crate::explainer::CaseExplainerBuilder;
use crate::result::{AuditDistribution, AuditReport, Listing};

/// What all metrics say of themselves.
///
/// ```
/// use xai_casebased::registry;
/// let correspondence = registry::metrics().next().unwrap();
/// assert_eq!((correspondence.name, correspondence.range.to_string()), ("correspondence", "[0, 1]".into()));
/// ```
pub fn metrics() -> impl Iterator<Item = &'static MetricInfo> {
    let of_audits = AuditReport::infos().chain(AuditDistribution::infos());
    let of_attributions = data_attribution::METRICS.iter().map(|entry| entry.info);
    Correspondence::infos()
        .chain(of_audits)
        .chain(of_attributions)
}

/// What front ends offer with parameters.
pub const OPERATIONS: &[Operation] = &[
    Operation::of::<CaseExplainerBuilder>("casebased.explainer"),
    Operation::of::<CorrespondenceMetric>("casebased.correspondence"),
    Operation::of::<Listing>("casebased.audit"),
];
