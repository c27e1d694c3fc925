//! Findings about texts: agreement with human rationales, and of explainers on the most important token.

use xai_core::Direction;

use crate::findings::count;
use crate::findings::{Finding, Verdict};
use crate::sections::compared::{self, Rules};
use crate::sections::texts::data::Texts;

const RULES: Rules = Rules {
    headline: "rationale_auprc",
    compared_with_random: (|metric| metric.better != Direction::None, "metrics"),
    samples: "texts",
};

pub(super) fn findings(section: &Texts) -> Vec<Finding> {
    let mut findings = compared::findings(&section.origin, &section.compared, &RULES);
    findings.extend(section.n_same_largest.map(|n| {
        let text = format!(
            "All {} explainers have their largest attribution at the same token in {n} of {}.",
            section.compared.explainers.len(),
            count(section.compared.n_samples as u64, "text"),
        );
        Finding::new(&section.origin, Verdict::Note, text)
    }));
    findings
}
