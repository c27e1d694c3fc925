//! Findings about training-data attribution, and whether it finds mislabeled cases.

use xai_core::Direction;

use crate::findings::Finding;
use crate::findings::IntervalRule;
use crate::sections::compared::{self, Rules};
use crate::sections::data_attribution::data::DataAttribution;

const RULES: Rules = Rules {
    // The metric that retrains on many subsets of the training data.
    headline: "linear_datamodeling_score",
    compared_with_random: (|metric| metric.better != Direction::None, "metrics"),
    samples: "test cases",
};

pub(super) fn findings(section: &DataAttribution) -> Vec<Finding> {
    let mut findings = compared::findings(&section.origin, &section.compared, &RULES);
    let curves = section.mislabeling.iter().flat_map(|of| &of.curves);
    findings.extend(curves.map(|curve| {
        let explainer = &curve.explainer;
        let rule = IntervalRule {
            estimate: &curve.auroc,
            chance: 0.5,
            name: "AUROC",
            sentences: [
                &format!("Inspected by “{explainer}”, mislabeled training cases come before others"),
                &format!("Inspected by “{explainer}”, mislabeled training cases come no earlier than by chance"),
                &format!("Inspected by “{explainer}”, mislabeled training cases come after others"),
                &format!("Whether “{explainer}” finds mislabeled training cases is undefined"),
            ],
            consequence: "",
        };
        rule.finding(&section.origin)
    }));
    findings
}
