//! What the numbers say, in sentences. Every sentence follows from numbers of the report by a rule; the rules
//! stand in `docs/report.md`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::estimate::Estimate;
use crate::origin::Origin;
use crate::text::{decimals, interval};

/// One sentence that follows from numbers by a rule, see `docs/report.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The [`id`](Origin::id) of the section that it is about.
    pub section: String,
    /// What kind of finding it is.
    pub verdict: Verdict,
    /// The sentence.
    pub text: String,
    /// The number that it rests on, with its interval.
    pub estimate: Option<Estimate>,
}

impl Finding {
    /// A finding about a section.
    pub(crate) fn new(origin: &Origin, verdict: Verdict, text: String) -> Self {
        Self {
            section: origin.id.clone(),
            verdict,
            text,
            estimate: None,
        }
    }

    /// With the number that it rests on.
    pub(crate) fn with(self, estimate: &Estimate) -> Self {
        Self {
            estimate: Some(*estimate),
            ..self
        }
    }
}

/// Kinds of findings. The aliases are their names in reports of version 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Significantly better than chance, or than what it is compared with.
    #[serde(alias = "above_chance")]
    Better,
    /// No significant difference from chance, or from what it is compared with.
    #[serde(alias = "not_told_apart")]
    NoDifference,
    /// Significantly worse than chance, or than what it is compared with.
    #[serde(alias = "below_chance")]
    Worse,
    /// Undefined, or defined for too few to say more.
    Undefined,
    /// A number that is compared with nothing.
    #[serde(alias = "described")]
    Note,
    /// The section could not be computed.
    Missing,
}

/// `0.9512 [0.9230, 0.9698]`
pub(crate) fn with_interval(estimate: &Estimate) -> String {
    match estimate.interval {
        Some(ends) => format!("{} {}", decimals(estimate.value), interval(Some(ends))),
        None => decimals(estimate.value),
    }
}

/// `a, b and c`
pub(crate) fn list(words: &[impl AsRef<str>]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The interval rule: an estimate beside what chance gives, with a sentence for each outcome.
pub(crate) struct IntervalRule<'a> {
    pub(crate) estimate: &'a Estimate,
    pub(crate) chance: f64,
    /// What the sentences say of the number: `AUROC`.
    pub(crate) what: &'a str,
    /// Sentences without their end: above chance, no difference from it, below it, and without an interval.
    pub(crate) sentences: [&'a str; 4],
    /// What follows from being above chance.
    pub(crate) consequence: &'a str,
}

impl IntervalRule<'_> {
    /// The finding about a section.
    pub(crate) fn finding(&self, origin: &Origin) -> Finding {
        let [above, no_difference, below, undefined] = self.sentences;
        let (verdict, sentence, consequence) = match self.estimate.interval {
            Some([low, _]) if low > self.chance => (Verdict::Better, above, self.consequence),
            Some([_, high]) if high < self.chance => (Verdict::Worse, below, ""),
            Some(_) => (Verdict::NoDifference, no_difference, ""),
            None => (Verdict::Undefined, undefined, ""),
        };
        let (what, chance) = (self.what, self.chance);
        let number = format!("{what} {}, chance {chance}", with_interval(self.estimate));
        let text = format!("{sentence} ({number}){consequence}.");
        Finding::new(origin, verdict, text).with(self.estimate)
    }
}

/// `1 sample`, `2 samples`
pub(crate) fn count(n: u64, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        _ => format!("{n} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::graph::Graph;

    #[test]
    fn an_interval_is_above_chance_below_it_or_neither() {
        let said = |interval| {
            let estimate = Estimate {
                interval,
                ..Estimate::from(Some(0.6))
            };
            let rule = IntervalRule {
                estimate: &estimate,
                chance: 0.5,
                what: "AUROC",
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
            assert_eq!(said(interval), (verdict, text.to_owned()));
        }
    }

    #[test]
    fn lists_and_counts_are_english() {
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(count(1, "run") + " " + &count(2, "run"), "1 run 2 runs");
    }
}
