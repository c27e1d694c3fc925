//! Changes of every figure between two reports.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;
use xai_core::Direction;

use super::figure::{Figure, Settings};
use crate::estimate::Estimate;
use crate::origin::Origin;
use crate::report::Report;
use crate::section::Section;

/// Change of a figure between two reports.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// Key of the family of its section.
    pub family: String,
    /// Name of its section.
    pub section: String,
    /// Name of the figure in the section, for example `average_drop / saliency`.
    pub figure: String,
    /// Direction in which values are better.
    pub better: Direction,
    /// Value in the old report; `None` if that report does not have the figure.
    pub old: Option<Estimate>,
    /// Value in the new report; `None` if that report does not have the figure.
    pub new: Option<Estimate>,
    /// New minus old value; `None` if one of them is missing or undefined, or if the settings differ.
    pub change: Option<f64>,
    /// Kind of change.
    pub outcome: Outcome,
    /// Settings that differ between the reports. If there are any, the values are not compared.
    pub settings: Vec<ChangedSetting>,
}

/// A setting with different values in two reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChangedSetting {
    /// Name of the setting, for example `steps`.
    pub name: String,
    /// Value in the old report; `None` if that report does not have the setting.
    pub old: Option<String>,
    /// Value in the new report; `None` if that report does not have the setting.
    pub new: Option<String>,
}

/// Kind of a change.
///
/// A change is beyond its interval if the new value lies outside the old interval and the old value
/// outside the new interval. If only one of the reports has an interval, that one decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The same value, or undefined in both reports.
    Same,
    /// A different value within the interval of one of the reports.
    Within,
    /// Better, beyond its interval.
    Better,
    /// Worse, beyond its interval.
    Worse,
    /// Different beyond its interval, for a figure without a better direction.
    Changed,
    /// A different value without an interval in either report.
    Unjudged,
    /// Defined in the old report, undefined in the new one.
    BecameUndefined,
    /// Undefined in the old report, defined in the new one.
    BecameDefined,
    /// Computed with different settings, so that the values are not compared.
    OtherSettings,
    /// Only in the new report.
    Added,
    /// Only in the old report.
    Removed,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Same => "same",
            Self::Within => "within its interval",
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Changed => "changed",
            Self::Unjudged => "changed, no interval",
            Self::BecameUndefined => "became undefined",
            Self::BecameDefined => "became defined",
            Self::OtherSettings => "other settings",
            Self::Added => "added",
            Self::Removed => "removed",
        })
    }
}

/// Relative difference up to which values are the same. Other versions may add sums in another order.
const EQUAL: f64 = 1e-12;

/// A figure with the origin of its section.
type FigureOfSection<'a> = (&'a Origin, Figure);

/// All figures in the order of the page, with the settings of their sections.
fn figures(report: &Report) -> Vec<FigureOfSection<'_>> {
    let with_settings = |section: &'_ dyn Section| {
        let mut figures = section.figures();
        for figure in &mut figures {
            figure.settings.extend(section.origin().settings.clone());
        }
        figures
    };
    let sections = report.sections();
    let figures = sections.flat_map(|section| {
        let figures = with_settings(section).into_iter();
        figures.map(move |figure| (section.origin(), figure))
    });
    figures.collect()
}

/// Changes of all figures of both reports, in the order of the new report; removed figures come last.
pub(super) fn changes(old: &Report, new: &Report) -> Vec<Change> {
    let (old, new) = (figures(old), figures(new));
    let same = |(a, one): &FigureOfSection<'_>, (b, other): &FigureOfSection<'_>| {
        (&a.family, &a.name, &one.name) == (&b.family, &b.name, &other.name)
    };
    let in_new = new.iter().map(|figure| {
        let before = old.iter().find(|other| same(other, figure));
        Change::new(before, Some(figure))
    });
    let removed = old
        .iter()
        .filter(|figure| !new.iter().any(|other| same(other, figure)))
        .map(|figure| Change::new(Some(figure), None));
    in_new.chain(removed).flatten().collect()
}

/// Settings that differ. If a report has no settings of a figure, because it is of an earlier
/// version or was written by another program, settings are not compared.
fn changed_settings(old: &Settings, new: &Settings) -> Vec<ChangedSetting> {
    if old.is_empty() || new.is_empty() {
        return Vec::new();
    }
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let changed = names
        .into_iter()
        .filter(|name| old.get(*name) != new.get(*name));
    let setting = |name: &String| ChangedSetting {
        name: name.clone(),
        old: old.get(name).cloned(),
        new: new.get(name).cloned(),
    };
    changed.map(setting).collect()
}

impl Change {
    /// Compares a figure that one or both reports have.
    fn new(old: Option<&FigureOfSection<'_>>, new: Option<&FigureOfSection<'_>>) -> Option<Self> {
        let (section, figure) = new.or(old)?;
        let (old, new) = (old.map(|(_, figure)| figure), new.map(|(_, figure)| figure));
        let settings = match (old, new) {
            (Some(old), Some(new)) => changed_settings(&old.settings, &new.settings),
            _ => Vec::new(),
        };
        let (old, new) = (
            old.map(|figure| figure.estimate),
            new.map(|figure| figure.estimate),
        );
        let outcome = match (old, new) {
            (None, _) => Outcome::Added,
            (_, None) => Outcome::Removed,
            _ if !settings.is_empty() => Outcome::OtherSettings,
            (Some(old), Some(new)) => outcome(&old, &new, figure.better),
        };
        let values = (old.and_then(|old| old.value), new.and_then(|new| new.value));
        let is_comparable = outcome != Outcome::OtherSettings;
        let both = values.0.zip(values.1).filter(|_| is_comparable);
        Some(Self {
            family: section.family.clone(),
            section: section.name.clone(),
            figure: figure.name.clone(),
            better: figure.better,
            old,
            new,
            change: both.map(|(old, new)| new - old),
            outcome,
            settings,
        })
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
    let (old, new) = (old.interval, new.interval);
    match (is_outside(after, old), is_outside(before, new)) {
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
        let sure = |value: f64| Estimate {
            interval: Some([value - 0.1, value + 0.1]),
            ..Estimate::from(Some(value))
        };
        let wide = Estimate {
            interval: Some([0.0, 1.0]),
            ..sure(0.5)
        };
        let [half, low, none] = [Some(0.5), Some(0.3), None].map(Estimate::from);
        for (old, new, expected) in [
            (sure(0.5), sure(0.5), Outcome::Same),
            (sure(0.5), sure(0.55), Outcome::Within),
            (sure(0.5), sure(0.7), Outcome::Better),
            (sure(0.5), sure(0.3), Outcome::Worse),
            // One wide interval is enough for it to be chance.
            (wide, sure(0.3), Outcome::Within),
            (half, sure(0.3), Outcome::Worse),
            (half, low, Outcome::Unjudged),
            (sure(0.5), none, Outcome::BecameUndefined),
            (none, none, Outcome::Same),
        ] {
            let found = outcome(&old, &new, Direction::Higher);
            assert_eq!(found, expected, "{old:?} {new:?}");
        }
        let fallen = |better| outcome(&sure(0.5), &sure(0.3), better);
        assert_eq!(fallen(Direction::Lower), Outcome::Better);
        assert_eq!(fallen(Direction::None), Outcome::Changed);
    }
}
