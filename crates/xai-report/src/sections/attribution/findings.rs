//! Which explainer is best, and do the metrics agree on it?

use crate::findings::Finding;
use crate::sections::attribution::data::Attribution;
use crate::sections::compared::{self, Rules};

const RULES: Rules = Rules {
    // The metric whose ranking of explainers changes least with the baseline.
    headline: "symmetric_relevance_gain",
    beside_random: (|metric| metric.asks_model, "metrics that ask the model"),
    samples: "samples",
};

pub(super) fn findings(section: &Attribution) -> Vec<Finding> {
    compared::findings(&section.origin, &section.compared, &RULES)
}
