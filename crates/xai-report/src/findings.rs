//! Findings: sentences that follow from the numbers of the report by the rules in `docs/report.md`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::estimate::Estimate;
use crate::origin::Origin;
use crate::text::{decimals, interval};

/// A sentence that follows from the numbers of a section by a rule of `docs/report.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// [`id`](Origin::id) of the section.
    pub section: String,
    /// Kind of finding.
    pub verdict: Verdict,
    /// The sentence.
    pub text: String,
    /// Number on which the finding is based, with its interval.
    pub estimate: Option<Estimate>,
}

impl Finding {
    /// Creates a finding about a section, without a number.
    pub(crate) fn new(origin: &Origin, verdict: Verdict, text: String) -> Self {
        Self {
            section: origin.id.clone(),
            verdict,
            text,
            estimate: None,
        }
    }

    /// Adds the number on which the finding is based.
    pub(crate) fn with(self, estimate: &Estimate) -> Self {
        Self {
            estimate: Some(*estimate),
            ..self
        }
    }
}

/// Kind of a finding. The serde aliases are the names in reports of schema version 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// Significantly better than chance or than the alternative.
    #[serde(alias = "above_chance")]
    Better,
    /// No significant difference from chance or from the alternative.
    #[serde(alias = "not_told_apart")]
    NoDifference,
    /// Significantly worse than chance or than the alternative.
    #[serde(alias = "below_chance")]
    Worse,
    /// Undefined, or defined for too few values to decide.
    Undefined,
    /// A number that is not compared with anything.
    #[serde(alias = "described")]
    Note,
    /// The section could not be computed.
    Missing,
}

/// Formats an estimate with its interval: `0.9512 [0.9230, 0.9698]`.
pub(crate) fn with_interval(estimate: &Estimate) -> String {
    match estimate.interval {
        Some(ends) => format!("{} {}", decimals(estimate.value), interval(Some(ends))),
        None => decimals(estimate.value),
    }
}

/// Joins words to an English list: `a, b and c`.
pub(crate) fn list(words: &[impl AsRef<str>]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Rule that compares the interval of an estimate with its value by chance, with a sentence for each outcome.
pub(crate) struct IntervalRule<'a> {
    pub(crate) estimate: &'a Estimate,
    /// Value of the estimate by chance.
    pub(crate) chance: f64,
    /// Name of the estimate, for example `AUROC`.
    pub(crate) name: &'a str,
    /// Sentences without the final period for an interval above chance, around it, below it, and
    /// for no interval.
    pub(crate) sentences: [&'a str; 4],
    /// Clause that is added if the interval is above chance.
    pub(crate) consequence: &'a str,
}

impl IntervalRule<'_> {
    /// Applies the rule to a section.
    pub(crate) fn finding(&self, origin: &Origin) -> Finding {
        let [above, no_difference, below, undefined] = self.sentences;
        let (verdict, sentence, consequence) = match self.estimate.interval {
            Some([low, _]) if low > self.chance => (Verdict::Better, above, self.consequence),
            Some([_, high]) if high < self.chance => (Verdict::Worse, below, ""),
            Some(_) => (Verdict::NoDifference, no_difference, ""),
            None => (Verdict::Undefined, undefined, ""),
        };
        let (name, chance) = (self.name, self.chance);
        let number = format!("{name} {}, chance {chance}", with_interval(self.estimate));
        let text = format!("{sentence} ({number}){consequence}.");
        Finding::new(origin, verdict, text).with(self.estimate)
    }
}

/// Formats a number of things: `1 sample`, `2 samples`.
pub(crate) fn count(n: u64, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        _ => format!("{n} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::graph::Graph;

    #[test]
    fn an_interval_is_above_chance_below_it_or_neither() {
        let apply = |interval| {
            let estimate = Estimate {
                interval,
                ..Estimate::from(Some(0.6))
            };
            let rule = IntervalRule {
                estimate: &estimate,
                chance: 0.5,
                name: "AUROC",
                sentences: ["above", "neither", "below", "unknown"],
                consequence: ": so",
            };
            let finding = rule.finding(&Origin::new(&Graph::KIND, 1, "a"));
            assert_eq!(finding.section, "graph-1");
            assert_eq!(finding.estimate, Some(estimate));
            (finding.verdict, finding.text)
        };
        use Verdict::{Better, NoDifference, Undefined, Worse};
        for (interval, verdict, text) in [
            (
                Some([0.51, 0.9]),
                Better,
                "above (AUROC 0.6000 [0.5100, 0.9000], chance 0.5): so.",
            ),
            (
                Some([0.5, 0.9]),
                NoDifference,
                "neither (AUROC 0.6000 [0.5000, 0.9000], chance 0.5).",
            ),
            (
                Some([0.1, 0.49]),
                Worse,
                "below (AUROC 0.6000 [0.1000, 0.4900], chance 0.5).",
            ),
            (None, Undefined, "unknown (AUROC 0.6000, chance 0.5)."),
        ] {
            assert_eq!(apply(interval), (verdict, text.to_owned()));
        }
    }

    #[test]
    fn lists_and_counts_are_english() {
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(count(1, "run") + " " + &count(2, "run"), "1 run 2 runs");
    }
}
