//! Descriptions of metrics.

use std::fmt;

use crate::describe::kind::Range;
use crate::error::Input;

/// A metric as a person chooses it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MetricInfo {
    /// The name on the command line and in JSON.
    pub name: &'static str,
    /// The name in a heading.
    pub title: &'static str,
    /// What the number is, in one sentence without its full stop.
    pub summary: &'static str,
    /// Which values are better, with the defaults of its parameters.
    pub direction: Direction,
    /// What leaves its values as they are.
    pub invariance: Invariance,
    /// The values that it takes.
    pub range: Range,
    /// What it is computed from.
    pub needs: &'static [Input],
    /// The paper or program that defines it.
    pub source: &'static str,
    /// The value of one sample, with the defaults of all parameters. `x` is the input, `a` or `e(x)` its map, `f` the model, and
    /// `g` the score of the target.
    pub formula: &'static str,
    /// What both ends of the range mean, and a value between them that stands out, such as chance.
    pub extremes: &'static str,
    /// What the number does not show.
    pub limits: &'static str,
    /// Names of the same quantity in other packages, or of one that differs by a scale: `quantus.Sparseness`. Their numbers may
    /// differ.
    pub elsewhere: &'static [&'static str],
    /// The value on the data of the documentation's examples, to four decimals; `None` where there is no such example.
    pub example: Option<f64>,
}

/// A type that is described as a metric, by [`#[metric]`](macro@crate::describe::metric) on it or on an alias of it.
pub trait Described {
    /// The description.
    const INFO: &'static MetricInfo;
}

impl MetricInfo {
    /// A description with a name alone, to be completed: `MetricInfo { direction: Direction::Higher, ..MetricInfo::named("hits") }`.
    #[must_use]
    pub const fn named(name: &'static str) -> Self {
        Self {
            name,
            title: "",
            summary: "",
            direction: Direction::None,
            invariance: Invariance::NONE,
            range: Range::REAL,
            needs: &[],
            source: "",
            formula: "",
            extremes: "",
            limits: "",
            elsewhere: &[],
            example: None,
        }
    }

    /// Name in tables, JSON and Python: `average_drop` for `average-drop`.
    #[must_use]
    pub fn key(&self) -> String {
        self.name.replace('-', "_")
    }

    fn markdown(&self) -> String {
        let names: Vec<String> = self
            .elsewhere
            .iter()
            .map(|name| format!("`{name}`"))
            .collect();
        let elsewhere = match names.as_slice() {
            [] => String::new(),
            names => format!(" Elsewhere: {}.", names.join(", ")),
        };
        let Self {
            title,
            formula,
            extremes,
            limits,
            ..
        } = self;
        let space = if limits.is_empty() { "" } else { " " };
        format!(
            "\n### {title}\n\n```text\n{formula}\n```\n\n{extremes}{space}{limits}{elsewhere}\n"
        )
    }
}

/// Changes of maps and inputs that leave the values of a metric as they are, with the defaults of its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Invariance {
    /// Whether all maps (or attributions) may be multiplied by a positive number.
    pub scale: bool,
    /// Whether inputs, maps and masks may be mirrored, with a model and an explainer that mirror them back.
    pub mirror: Mirror,
}

/// Whether mirroring inputs, maps and masks leaves the values of a metric as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Mirror {
    /// It may change them: positions are drawn by their index, or do not map to positions of the same kind.
    Changes,
    /// It leaves them as they are if no two attributions of a map are equal; of equal ones the lower index goes first.
    KeepsWithoutTies,
    /// It leaves them as they are.
    Keeps,
}

impl std::fmt::Display for Mirror {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Changes => "changes",
            Self::KeepsWithoutTies => "keeps-without-ties",
            Self::Keeps => "keeps",
        })
    }
}

impl Invariance {
    /// Neither scaling nor mirroring is known to leave the values as they are.
    pub const NONE: Self = Self {
        scale: false,
        mirror: Mirror::Changes,
    };
    /// Scaling leaves the values as they are.
    pub const SCALE: Self = Self {
        scale: true,
        mirror: Mirror::Changes,
    };
    /// Mirroring leaves the values as they are.
    pub const MIRROR: Self = Self {
        scale: false,
        mirror: Mirror::Keeps,
    };
    /// Scaling and mirroring leave the values as they are.
    pub const SCALE_AND_MIRROR: Self = Self {
        scale: true,
        mirror: Mirror::Keeps,
    };
    /// Scaling leaves the values as they are, and so does mirroring if no two attributions of a map are equal.
    pub const SCALE_AND_MIRROR_WITHOUT_TIES: Self = Self {
        scale: true,
        mirror: Mirror::KeepsWithoutTies,
    };
}

/// Which values of a metric are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Direction {
    /// Higher is better.
    Higher,
    /// Lower is better.
    Lower,
    /// Neither is better: the value describes.
    None,
}

impl Direction {
    /// The other end.
    ///
    /// ```
    /// use xai_core::Direction;
    /// assert_eq!(Direction::Higher.reversed(), Direction::Lower);
    /// assert_eq!(Direction::None.reversed(), Direction::None);
    /// ```
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Higher => Self::Lower,
            Self::Lower => Self::Higher,
            Self::None => Self::None,
        }
    }

    /// The mark beside a metric in a table: up where higher is better, down where lower is.
    ///
    /// ```
    /// use xai_core::Direction;
    /// assert_eq!([Direction::Higher, Direction::Lower, Direction::None].map(Direction::arrow), ["↑", "↓", ""]);
    /// ```
    #[must_use]
    pub const fn arrow(self) -> &'static str {
        match self {
            Self::Higher => "↑",
            Self::Lower => "↓",
            Self::None => "",
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Higher => "higher",
            Self::Lower => "lower",
            Self::None => "none",
        })
    }
}

/// The table of metrics as Markdown, one row each, and below it how each is read, where that is described.
///
/// ```
/// use xai_core::describe::{Direction, MetricInfo, Range, markdown};
/// let info = MetricInfo {
///     title: "Average Drop",
///     summary: "Relative score drop when the input is multiplied by its map",
///     direction: Direction::Lower,
///     range: Range::SHARE,
///     needs: &[xai_core::input::MODEL],
///     source: "Chattopadhay et al. 2018",
///     ..MetricInfo::named("average-drop")
/// };
/// assert!(markdown([&info]).ends_with(
///     "| `average-drop` | Relative score drop when the input is multiplied by its map | lower | [0, 1] | model \
///      | Chattopadhay et al. 2018 |\n"
/// ));
/// ```
#[must_use]
pub fn markdown<'a>(metrics: impl IntoIterator<Item = &'a MetricInfo>) -> String {
    let mut table = String::from(
        "| metric | summary | better | range | needs | source |\n|---|---|---|---|---|---|\n",
    );
    let mut readings = String::new();
    for metric in metrics {
        let needs: Vec<&str> = metric.needs.iter().map(|input| input.name()).collect();
        // A bar would end the cell.
        let cells = [
            format!("`{}`", metric.name),
            metric.summary.to_owned(),
            metric.direction.to_string(),
            metric.range.to_string(),
            needs.join(", "),
            metric.source.to_owned(),
        ]
        .map(|cell| cell.replace('|', "\\|"));
        table.push_str(&format!("| {} |\n", cells.join(" | ")));
        if !metric.formula.is_empty() {
            readings.push_str(&metric.markdown());
        }
    }
    table + &readings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_in_cells_of_the_table_are_escaped() {
        let info = MetricInfo {
            summary: "|x|",
            ..MetricInfo::named("a")
        };
        assert!(markdown([&info]).contains("\\|x\\|"));
    }
}
