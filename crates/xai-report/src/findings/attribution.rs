//! Which explainer is best, and do the metrics agree on it?

use crate::findings::Finding;
use crate::findings::compared::{self, Rules};
use crate::section::attribution::Attribution;

const RULES: Rules = Rules {
    // The metric whose ranking of explainers changes least with the baseline.
    headline: "symmetric_relevance_gain",
    beside_random: (|metric| metric.asks_model, "metrics that ask the model"),
    samples: "samples",
};

pub(super) fn findings(section: &Attribution) -> Vec<Finding> {
    compared::findings(&section.origin, &section.compared, &RULES)
}
