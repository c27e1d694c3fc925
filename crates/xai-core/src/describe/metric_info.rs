//! What a metric says of itself.

use std::fmt;

use super::range::Range;
use crate::error::{Error, Input, Result};

/// A metric as a person chooses it.
#[derive(Debug, Clone, Copy, PartialEq)]
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
    /// The values that it takes.
    pub range: Range,
    /// What it is computed from.
    pub needs: &'static [Input],
    /// The paper that defines it.
    pub source: &'static str,
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

/// The metric of a name; `_` may be written for `-`.
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
        if super::same_word(metric.name, name) {
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
/// use xai_core::describe::{Direction, MetricInfo, Range, markdown};
/// let info = MetricInfo {
///     name: "average-drop", title: "Average Drop",
///     question: "How much of the score is lost when only what the map marks is kept?",
///     direction: Direction::Lower, range: Range::SHARE,
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
            metric.range.to_string(),
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
            range: Range::SHARE,
            needs: &[],
            source: "",
        };
        assert_eq!(find([&info], "a").unwrap(), &info);
        assert_eq!(find([&info], "b").unwrap_err().input(), input::METRIC);
        assert!(markdown([&info]).contains("\\|x\\|?"));
    }
}
