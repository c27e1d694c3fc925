//! What became of every figure.

use serde::Serialize;
use xai_metrics::core::Direction;

use super::figures::{Figure, figures};
use crate::output::text::{decimals, interval, with_arrow};
use crate::report::model::Report;
use crate::report::model::estimate::Estimate;

/// What became of a figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Change {
    pub(super) family: String,
    pub(super) section: String,
    pub(super) figure: String,
    pub(super) better: Direction,
    pub(super) old: Option<Estimate>,
    pub(super) new: Option<Estimate>,
    /// New less old; `None` where one of them is undefined.
    pub(super) change: Option<f64>,
    pub(super) outcome: Outcome,
}

/// Kinds of changes. A change is beyond its interval when the new value lies outside the old interval and the
/// old value outside the new one, as far as there are intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    /// The same number, or undefined in both.
    Same,
    /// Another number, within the interval of one of them.
    Within,
    /// Beyond its interval, to the good end.
    Better,
    /// Beyond its interval, to the other end.
    Worse,
    /// Beyond its interval, of a figure without a good end.
    Changed,
    /// Another number where no interval says how much is chance.
    Unjudged,
    /// It had a value, and has none any more.
    BecameUndefined,
    /// It had no value, and has one.
    BecameDefined,
    /// Only the new report has it.
    Added,
    /// Only the old report has it.
    Removed,
}

impl Outcome {
    fn words(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Within => "within its interval",
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Changed => "changed",
            Self::Unjudged => "changed, no interval",
            Self::BecameUndefined => "became undefined",
            Self::BecameDefined => "became defined",
            Self::Added => "added",
            Self::Removed => "removed",
        }
    }
}

/// Rounding of another order of sums is no change.
const EQUAL: f64 = 1e-12;

/// Every figure of either report, in the order of the new one; what is gone comes last.
pub(super) fn changes(old: &Report, new: &Report) -> Vec<Change> {
    let (old, new) = (figures(old), figures(new));
    let same = |a: &Figure, b: &Figure| {
        (&a.family, &a.section, &a.name) == (&b.family, &b.section, &b.name)
    };
    let of_new = new.iter().map(|figure| {
        let before = old.iter().find(|other| same(other, figure));
        Change::new(
            figure,
            before.map(|figure| figure.estimate),
            Some(figure.estimate),
        )
    });
    let gone = old
        .iter()
        .filter(|figure| !new.iter().any(|other| same(other, figure)));
    let gone = gone.map(|figure| Change::new(figure, Some(figure.estimate), None));
    of_new.chain(gone).collect()
}

impl Change {
    fn new(figure: &Figure, old: Option<Estimate>, new: Option<Estimate>) -> Self {
        let values = (old.and_then(|old| old.value), new.and_then(|new| new.value));
        let outcome = match (old, new) {
            (None, _) => Outcome::Added,
            (_, None) => Outcome::Removed,
            (Some(old), Some(new)) => outcome(&old, &new, figure.better),
        };
        Self {
            family: figure.family.clone(),
            section: figure.section.clone(),
            figure: figure.name.clone(),
            better: figure.better,
            old,
            new,
            change: values.0.zip(values.1).map(|(old, new)| new - old),
            outcome,
        }
    }

    /// The cells of the table for a person.
    pub(super) fn row(&self) -> [String; 8] {
        let value =
            |estimate: Option<Estimate>| decimals(estimate.and_then(|estimate| estimate.value));
        let ends =
            |estimate: Option<Estimate>| interval(estimate.and_then(|estimate| estimate.interval));
        [
            self.section.clone(),
            with_arrow(&self.figure, self.better),
            value(self.old),
            ends(self.old),
            value(self.new),
            ends(self.new),
            self.change
                .map_or_else(|| "–".to_owned(), |change| format!("{change:+.4}")),
            self.outcome.words().to_owned(),
        ]
    }
}

fn outcome(old: &Estimate, new: &Estimate, better: Direction) -> Outcome {
    let (before, after) = match (old.value, new.value) {
        (None, None) => return Outcome::Same,
        (Some(_), None) => return Outcome::BecameUndefined,
        (None, Some(_)) => return Outcome::BecameDefined,
        (Some(before), Some(after)) => (before, after),
    };
    if (after - before).abs() <= EQUAL * before.abs().max(after.abs()) {
        return Outcome::Same;
    }
    let is_outside =
        |value: f64, ends: Option<[f64; 2]>| ends.map(|[low, high]| value < low || value > high);
    match (
        is_outside(after, old.interval),
        is_outside(before, new.interval),
    ) {
        (None, None) => return Outcome::Unjudged,
        (Some(false), _) | (_, Some(false)) => return Outcome::Within,
        _ => {}
    }
    match better {
        Direction::None => Outcome::Changed,
        Direction::Higher if after > before => Outcome::Better,
        Direction::Lower if after < before => Outcome::Better,
        _ => Outcome::Worse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_counts_where_neither_interval_holds_the_other_value() {
        let of = |value: Option<f64>, interval| Estimate {
            value,
            interval,
            ..Estimate::default()
        };
        let sure = |value: f64| of(Some(value), Some([value - 0.1, value + 0.1]));
        let result = |old: Estimate, new: Estimate| outcome(&old, &new, Direction::Higher);
        assert_eq!(result(sure(0.5), sure(0.5)), Outcome::Same);
        assert_eq!(result(sure(0.5), sure(0.55)), Outcome::Within);
        assert_eq!(result(sure(0.5), sure(0.7)), Outcome::Better);
        assert_eq!(result(sure(0.5), sure(0.3)), Outcome::Worse);
        assert_eq!(
            outcome(&sure(0.5), &sure(0.3), Direction::Lower),
            Outcome::Better
        );
        assert_eq!(
            outcome(&sure(0.5), &sure(0.3), Direction::None),
            Outcome::Changed
        );
        // One wide interval is doubt enough.
        assert_eq!(
            result(of(Some(0.5), Some([0.0, 1.0])), sure(0.3)),
            Outcome::Within
        );
        assert_eq!(result(of(Some(0.5), None), sure(0.3)), Outcome::Worse);
        assert_eq!(
            result(of(Some(0.5), None), of(Some(0.3), None)),
            Outcome::Unjudged
        );
        assert_eq!(result(sure(0.5), of(None, None)), Outcome::BecameUndefined);
        assert_eq!(result(of(None, None), of(None, None)), Outcome::Same);
    }
}
