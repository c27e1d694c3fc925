//! Descriptions of metrics.

use std::fmt;

use crate::describe::kind::Range;
use crate::error::Input;

/// The description of a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MetricInfo {
    /// Name in kebab-case, as on the command line: `average-drop`. Tables of results, their JSON and
    /// Python use the [`key`](Self::key).
    pub name: &'static str,
    /// Name in headings.
    pub title: &'static str,
    /// Definition: one sentence without its full stop.
    pub summary: &'static str,
    /// Which values are better, with the defaults of its parameters.
    pub direction: Direction,
    /// Changes of the data that do not change the values.
    pub invariance: Invariance,
    /// Range of the values.
    pub range: Range,
    /// Inputs that the metric is computed from.
    pub needs: &'static [Input],
    /// The paper or program that defines it.
    pub source: &'static str,
    /// Formula of the value of one sample with default parameters. `x` is the input, `a` or `e(x)` its map, `f` the
    /// model, and `g` the score of the target.
    pub formula: &'static str,
    /// Meaning of both ends of the range and of notable values between them, such as chance.
    pub extremes: &'static str,
    /// What the number does not show.
    pub limits: &'static str,
    /// Names of the same quantity, or of one that differs by a scale, in other packages: `quantus.Sparseness`. Their
    /// numbers may differ.
    pub elsewhere: &'static [&'static str],
    /// Value for the example data of the documentation, to four decimals; `None` without an example.
    pub example: Option<f64>,
}

/// A type with the description of a metric, from [`#[metric]`](macro@crate::describe::metric) on the type or an alias
/// of it.
pub trait Described {
    /// The description.
    const INFO: &'static MetricInfo;
}

impl MetricInfo {
    /// Creates a description with a name only, to be completed: `MetricInfo { direction: Direction::Higher,
    /// ..MetricInfo::named("hits") }`.
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

    /// Name in tables of results, in their JSON and in Python: `average_drop` for `average-drop`.
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

/// Changes of maps and inputs that do not change the values of a metric with default parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Invariance {
    /// Whether values stay the same if all maps or attributions are multiplied by a positive number.
    pub scale: bool,
    /// Whether values stay the same if inputs, maps and masks are mirrored, and model and explainer mirror them back.
    pub mirror: Mirror,
}

/// Whether mirroring inputs, maps and masks changes the values of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Mirror {
    /// It may change them, because positions are drawn by index or do not map to positions of the same kind.
    Changes,
    /// It changes them only if attributions of a map are equal, because the lower index then goes first.
    KeepsWithoutTies,
    /// It does not change them.
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
    /// Both scaling and mirroring may change the values.
    pub const NONE: Self = Self {
        scale: false,
        mirror: Mirror::Changes,
    };
    /// Scaling does not change the values.
    pub const SCALE: Self = Self {
        scale: true,
        mirror: Mirror::Changes,
    };
    /// Mirroring does not change the values.
    pub const MIRROR: Self = Self {
        scale: false,
        mirror: Mirror::Keeps,
    };
    /// Neither scaling nor mirroring changes the values.
    pub const SCALE_AND_MIRROR: Self = Self {
        scale: true,
        mirror: Mirror::Keeps,
    };
    /// Scaling does not change the values; mirroring does not if no two attributions of a map are equal.
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
    /// Neither is better; the value is descriptive.
    None,
}

impl Direction {
    /// The opposite direction.
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

    /// Arrow after the name of a metric in tables: up if higher is better, down if lower is.
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

/// Markdown table of metrics, followed by the formula and the interpretation of each metric that has them.
///
/// ```
/// use xai_core::Direction;
/// use xai_core::describe::{MetricInfo, Range, markdown};
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
    let mut interpretations = String::new();
    for metric in metrics {
        let needs: Vec<&str> = metric.needs.iter().map(|input| input.name()).collect();
        // A vertical bar ends a cell in Markdown.
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
            interpretations.push_str(&metric.markdown());
        }
    }
    table + &interpretations
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
