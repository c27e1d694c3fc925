//! Findings about counterfactuals: the best method, unanswered queries and forbidden changes.

use xai_core::Direction;

use crate::findings::{Finding, Verdict, list};
use crate::sections::compared::{self, Rules};
use crate::sections::counterfactual::data::Counterfactual;

const RULES: Rules = Rules {
    headline: "proximity",
    compared_with_random: (|metric| metric.better != Direction::None, "metrics"),
    samples: "queries",
};

pub(super) fn findings(section: &Counterfactual) -> Vec<Finding> {
    let mut findings = compared::findings(&section.origin, &section.compared, &RULES);
    let note = |text| Finding::new(&section.origin, Verdict::Note, text);
    let methods = || section.compared.explainers.iter();
    let n = section.compared.n_samples;
    findings.extend(methods().zip(&section.success).filter_map(|(name, share)| {
        let answered = (share.filter(|share| *share < 1.0)? * n as f64).round();
        let text = format!("“{name}” has a valid counterfactual for {answered} of {n} queries: its means are over these.");
        Some(note(text))
    }));
    findings.extend(methods().enumerate().filter_map(|(index, name)| {
        let changed = section.violations.iter().filter_map(|violation| {
            let share = violation.shares.get(index)?.filter(|share| *share > 0.0)?;
            Some(format!("{} ({:.0} %)", violation.feature, 100.0 * share))
        });
        let changed: Vec<String> = changed.collect();
        let text = format!(
            "“{name}” changes {} of its rows in ways that the schema forbids.",
            list(&changed)
        );
        (!changed.is_empty()).then(|| note(text))
    }));
    findings
}
