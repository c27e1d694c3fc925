//! The metrics of this crate.

use xai_core::describe::{Family, MetricEntry, Operation, Scores};

use crate::correspondence::metric::CorrespondenceMetric;
use crate::correspondence::score::Correspondence;
use crate::data_attribution::{INPUTS, METRICS};
use crate::explainer::choices::CaseExplainerBuilder;
use crate::result::audit::{AuditDistribution, AuditReport, Listing};

/// The metrics of explanations by training cases, and of attributions to training cases.
///
/// ```
/// let correspondence = xai_casebased::FAMILY.infos().next().unwrap();
/// assert_eq!((correspondence.name, correspondence.range.to_string()), ("correspondence", "[0, 1]".into()));
/// ```
pub const FAMILY: Family = Family {
    name: "casebased",
    package: env!("CARGO_PKG_NAME"),
    title: "Explanations by training cases",
    summary: "Does a prediction agree with its nearest training cases?",
    metrics: || {
        let data_attribution = METRICS.iter().map(MetricEntry::description);
        [
            Correspondence::entries(),
            AuditReport::entries(),
            AuditDistribution::entries(),
            data_attribution.collect(),
        ]
        .concat()
    },
    operations: &[
        Operation::new::<CaseExplainerBuilder>("casebased.explainer"),
        Operation::new::<CorrespondenceMetric>("casebased.correspondence"),
        Operation::new::<Listing>("casebased.audit"),
    ],
    inputs: INPUTS,
};
