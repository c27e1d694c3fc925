//! What a metric says of itself, and the scores that are read from one result.

use std::fmt;

use crate::describe::kind::Range;
use crate::error::{Error, Input, Result};

/// One number of a result `R`: its description, and how it is read.
///
/// The scores of a result are listed beside it, in [`Scores::SCORES`]. Tables, JSON, averages over results, Python
/// and the documentation iterate over that list.
///
/// ```
/// use xai_core::describe::{Score, Scores, metric};
/// use xai_core::input;
///
/// /// Numbers of right and wrong predictions.
/// struct Counts { right: u32, wrong: u32 }
///
/// impl Counts {
///     /// Share of the predictions that are right.
///     ///
///     /// ```text
///     /// right / (right + wrong)
///     /// ```
///     ///
///     /// # Extremes
///     /// 0: all are wrong. 1: all are right.
///     ///
///     /// # Source
///     /// This example.
///     #[metric(
///         name = "accuracy",
///         direction = Direction::Higher,
///         range = Range::SHARE,
///         needs = &[input::PREDICTIONS, input::LABELS],
///     )]
///     const ACCURACY: Score<Self> = Score::new(INFO, |counts| {
///         let n = counts.right + counts.wrong;
///         (n > 0).then(|| f64::from(counts.right) / f64::from(n))
///     });
/// }
///
/// impl Scores for Counts {
///     const SCORES: &'static [Score<Self>] = &[Self::ACCURACY];
/// }
///
/// let counts = Counts { right: 3, wrong: 1 };
/// let values: Vec<(&str, Option<f64>)> = counts.values().collect();
/// assert_eq!(values, [("accuracy", Some(0.75))]);
/// assert_eq!(Counts::ACCURACY.info.summary, "Share of the predictions that are right");
/// ```
pub struct Score<R> {
    /// Name, summary, direction, range, what it needs, source.
    pub info: &'static MetricInfo,
    /// The number, `None` where it is undefined.
    pub value: fn(&R) -> Option<f64>,
}

impl<R> Score<R> {
    /// The score of a description, read from a result by `value`.
    #[must_use]
    pub const fn new(info: &'static MetricInfo, value: fn(&R) -> Option<f64>) -> Self {
        Self { info, value }
    }
}

impl<R> Clone for Score<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Score<R> {}

impl<R> fmt::Debug for Score<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Score").field(&self.info.name).finish()
    }
}

/// A result with scores.
pub trait Scores: Sized + 'static {
    /// The scores, in the order in which they are shown.
    const SCORES: &'static [Score<Self>];

    /// The names of the scores and their values, `None` where one is undefined.
    fn values(&self) -> impl Iterator<Item = (&'static str, Option<f64>)> {
        let value = |score: &'static Score<Self>| (score.info.name, (score.value)(self));
        Self::SCORES.iter().map(value)
    }

    /// What the scores say of themselves.
    fn infos() -> impl Iterator<Item = &'static MetricInfo> {
        Self::SCORES.iter().map(|score| score.info)
    }

    /// The value of the score of a name; `None` where it is undefined, and where there is no such score.
    fn score(&self, name: &str) -> Option<f64> {
        let score = Self::SCORES.iter().find(|score| score.info.name == name)?;
        (score.value)(self)
    }
}

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

/// The metric of a name; `_` may be written for `-`.
///
/// # Errors
/// `InvalidParameter` about [`input::METRIC`](crate::input::METRIC), which lists the names there are.
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
    use crate::input;

    #[test]
    fn a_name_that_no_metric_has_is_an_error_about_the_metric() {
        let info = MetricInfo {
            summary: "|x|",
            ..MetricInfo::named("a")
        };
        assert_eq!(find([&info], "a").unwrap(), &info);
        assert_eq!(find([&info], "b").unwrap_err().input(), input::METRIC);
        assert!(markdown([&info]).contains("\\|x\\|"));
    }
}
