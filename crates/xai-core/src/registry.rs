//! What a metric says of itself, once, for everybody who lists metrics.
//!
//! Every family keeps a list of its metrics; the library, the command line, the report and the
//! tables of the documentation read it.

use std::fmt;

use crate::error::{Error, Input, Result};

/// A metric as a person chooses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MetricInfo {
    /// The name on the command line and in JSON.
    pub name: &'static str,
    /// The name in a heading.
    pub title: &'static str,
    /// What it answers, in one sentence.
    pub question: &'static str,
    /// Which values are better.
    pub direction: Direction,
    /// The values that it takes: `[0, 1]`.
    pub range: &'static str,
    /// What it is computed from.
    pub needs: &'static [Input],
    /// The paper that defines it.
    pub source: &'static str,
}

impl MetricInfo {
    /// Whether its values are shares: its range is a part of [0, 1]. An average of values that are
    /// all 0 or 1 is then a share too.
    ///
    /// ```
    /// use xai_core::{Direction, MetricInfo};
    /// let metric = |range| MetricInfo {
    ///     name: "a", title: "A", question: "?", direction: Direction::None, range, needs: &[], source: "",
    /// };
    /// assert!(metric("[0, 1]").is_share() && metric("(0, 1]").is_share());
    /// assert!(!metric("[-1, 1]").is_share() && !metric("[0, inf)").is_share() && !metric("[0, n]").is_share());
    /// ```
    #[must_use]
    pub fn is_share(&self) -> bool {
        let ends = self
            .range
            .trim_matches(['[', ']', '(', ')'])
            .split_once(", ");
        let within = |end: &str| end.parse().is_ok_and(|end: f64| (0.0..=1.0).contains(&end));
        ends.is_some_and(|(low, high)| within(low) && within(high))
    }
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

/// The metric of a name.
///
/// # Errors
/// [`ErrorKind::InvalidParameter`](crate::ErrorKind::InvalidParameter) about
/// [`input::METRIC`](crate::input::METRIC), which lists the names there are.
pub fn find<'a>(
    metrics: impl IntoIterator<Item = &'a MetricInfo>,
    name: &str,
) -> Result<&'a MetricInfo> {
    let mut names = Vec::new();
    for metric in metrics {
        if metric.name == name {
            return Ok(metric);
        }
        names.push(metric.name);
    }
    let expected = format!("one of {}", names.join(", "));
    Err(Error::parameter(crate::input::METRIC, name, expected))
}

/// The table of metrics as Markdown, one row each.
///
/// ```
/// use xai_core::registry::{Direction, MetricInfo, markdown};
/// let info = MetricInfo {
///     name: "average-drop", title: "Average Drop",
///     question: "How much of the score is lost when only what the map marks is kept?",
///     direction: Direction::Lower, range: "[0, 1]",
///     needs: &[xai_core::input::MODEL], source: "Chattopadhay et al. 2018",
/// };
/// assert!(markdown([&info]).ends_with(
///     "| `average-drop` | How much of the score is lost when only what the map marks is kept? \
///      | lower | [0, 1] | model | Chattopadhay et al. 2018 |\n"
/// ));
/// ```
#[must_use]
pub fn markdown<'a>(metrics: impl IntoIterator<Item = &'a MetricInfo>) -> String {
    let mut table = String::from(
        "| metric | question | better | range | needs | source |\n|---|---|---|---|---|---|\n",
    );
    for metric in metrics {
        let needs: Vec<&str> = metric.needs.iter().map(|input| input.name()).collect();
        // A bar would end the cell.
        let cells = [
            format!("`{}`", metric.name),
            metric.question.to_owned(),
            metric.direction.to_string(),
            metric.range.to_owned(),
            needs.join(", "),
            metric.source.to_owned(),
        ]
        .map(|cell| cell.replace('|', "\\|"));
        table.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input;

    #[test]
    fn a_name_that_no_metric_has_is_an_error_about_the_metric() {
        let info = MetricInfo {
            name: "a",
            title: "A",
            question: "|x|?",
            direction: Direction::None,
            range: "[0, 1]",
            needs: &[],
            source: "",
        };
        assert_eq!(find([&info], "a").unwrap(), &info);
        assert_eq!(find([&info], "b").unwrap_err().input(), input::METRIC);
        assert!(markdown([&info]).contains("\\|x\\|?"));
    }
}
