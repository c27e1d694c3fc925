//! Findings about explainers of attribution maps.

use crate::findings::Finding;
use crate::sections::attribution::data::Attribution;
use crate::sections::compared::{self, Rules};

const RULES: Rules = Rules {
    // Its ranking of explainers changes least with the baseline.
    headline: "symmetric_relevance_gain",
    compared_with_random: (|metric| metric.asks_model, "metrics that ask the model"),
    samples: "samples",
};

pub(super) fn findings(section: &Attribution) -> Vec<Finding> {
    compared::findings(&section.origin, &section.compared, &RULES)
}
