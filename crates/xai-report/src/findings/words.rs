//! Numbers, lists and verdicts as findings say them.

use crate::estimate::Estimate;
use crate::family::Origin;
use crate::findings::{Finding, Verdict};
use crate::text::{decimals, interval};

/// `0.9512 [0.9230, 0.9698]`
pub(super) fn with_interval(estimate: &Estimate) -> String {
    match estimate.interval {
        Some(ends) => format!("{} {}", decimals(estimate.value), interval(Some(ends))),
        None => decimals(estimate.value),
    }
}

/// `a, b and c`
pub(super) fn list(words: &[impl AsRef<str>]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The interval rule: an estimate beside what chance gives, with a sentence for each outcome.
pub(super) struct IntervalRule<'a> {
    pub(super) estimate: &'a Estimate,
    pub(super) chance: f64,
    /// What the sentences say of the number: `AUROC`.
    pub(super) what: &'a str,
    /// Sentences without their end: above chance, no difference from it, below it, and without an interval.
    pub(super) above: &'a str,
    pub(super) not_apart: &'a str,
    pub(super) below: &'a str,
    pub(super) undefined: &'a str,
    /// What follows from being above chance.
    pub(super) consequence: &'a str,
}

impl IntervalRule<'_> {
    /// The finding about a section.
    pub(super) fn finding(&self, origin: &Origin) -> Finding {
        let (verdict, sentence, consequence) = match beside(self.estimate, self.chance) {
            Some(Verdict::Better) => (Verdict::Better, self.above, self.consequence),
            Some(Verdict::Worse) => (Verdict::Worse, self.below, ""),
            Some(verdict) => (verdict, self.not_apart, ""),
            None => (Verdict::Undefined, self.undefined, ""),
        };
        let (what, chance) = (self.what, self.chance);
        let number = format!("{what} {}, chance {chance}", with_interval(self.estimate));
        let text = format!("{sentence} ({number}){consequence}.");
        Finding::new(origin, verdict, text).with(self.estimate)
    }
}

/// Where an interval lies beside a level of chance; `None` without one.
fn beside(estimate: &Estimate, chance: f64) -> Option<Verdict> {
    let [low, high] = estimate.interval?;
    Some(if low > chance {
        Verdict::Better
    } else if high < chance {
        Verdict::Worse
    } else {
        Verdict::NoDifference
    })
}

/// `1 sample`, `2 samples`
pub(super) fn count(n: u64, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        _ => format!("{n} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::Family;

    #[test]
    fn an_interval_is_above_chance_below_it_or_neither() {
        let said = |interval| {
            let estimate = Estimate {
                value: Some(0.6),
                interval,
                ..Estimate::default()
            };
            let rule = IntervalRule {
                estimate: &estimate,
                chance: 0.5,
                what: "AUROC",
                above: "above",
                not_apart: "neither",
                below: "below",
                undefined: "unknown",
                consequence: ": so",
            };
            let finding = rule.finding(&Origin::new(Family::Graph, 1, "a"));
            assert_eq!(finding.section, "graph-1");
            assert_eq!(finding.estimate, Some(estimate));
            (finding.verdict, finding.text)
        };
        let expected = [
            (
                Some([0.51, 0.9]),
                Verdict::Better,
                "above (AUROC 0.6000 [0.5100, 0.9000], chance 0.5): so.",
            ),
            (
                Some([0.5, 0.9]),
                Verdict::NoDifference,
                "neither (AUROC 0.6000 [0.5000, 0.9000], chance 0.5).",
            ),
            (
                Some([0.1, 0.49]),
                Verdict::Worse,
                "below (AUROC 0.6000 [0.1000, 0.4900], chance 0.5).",
            ),
            (
                None,
                Verdict::Undefined,
                "unknown (AUROC 0.6000, chance 0.5).",
            ),
        ];
        for (interval, verdict, text) in expected {
            assert_eq!(said(interval), (verdict, text.to_owned()));
        }
    }

    #[test]
    fn lists_and_counts_are_english() {
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(count(1, "run") + " " + &count(2, "run"), "1 run 2 runs");
    }
}
