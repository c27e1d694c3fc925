//! Finding metrics by name.

use std::fmt;

use crate::describe::entry::MetricEntry;
use crate::describe::kind::same_word;
use crate::describe::metric_info::MetricInfo;
use crate::error::{Error, Result};
use crate::text::similarity;

/// An item of a list of metrics.
pub trait NamedMetric {
    /// Description of the metric.
    fn info(&self) -> &'static MetricInfo;

    /// Name of the metric in messages.
    fn label(&self) -> String {
        self.info().name.to_owned()
    }
}

impl<C> NamedMetric for MetricEntry<C> {
    fn info(&self) -> &'static MetricInfo {
        self.info
    }
}

/// Finds a metric by its own name; `_` may be written for `-`.
///
/// # Errors
/// An invalid parameter about [`input::METRIC`](crate::input::METRIC), see [`unknown_metric`].
pub fn find<'a, M: NamedMetric>(metrics: &'a [M], name: &str) -> Result<&'a M> {
    let found = metrics
        .iter()
        .find(|metric| same_word(metric.info().name, name));
    found.ok_or_else(|| unknown_metric(metrics, name))
}

/// Creates the error for a name that none of some metrics has. It suggests [candidates], or lists all names if there
/// are none.
pub fn unknown_metric<M: NamedMetric>(metrics: &[M], name: &str) -> Error {
    let near = candidates(metrics, name).metrics;
    let expected = if near.is_empty() {
        let names: Vec<String> = metrics.iter().map(M::label).collect();
        format!("one of {}", names.join(", "))
    } else {
        let near: Vec<String> = near.iter().map(|near| format!("`{near}`")).collect();
        let near = near.join(" or ");
        format!("the name of a metric; did you mean {near}?")
    };
    Error::parameter(crate::input::METRIC, name, expected)
}

/// Metrics that a name may stand for, as [`candidates`] finds them.
#[derive(Debug)]
#[non_exhaustive]
pub struct Candidates<'a, M> {
    /// Whether the metrics have exactly this name; otherwise their names are similar to it.
    pub are_exact: bool,
    /// The metrics, the best first.
    pub metrics: Vec<Candidate<'a, M>>,
}

/// A metric that a name may stand for.
#[derive(Debug)]
#[non_exhaustive]
pub struct Candidate<'a, M> {
    /// The metric.
    pub metric: &'a M,
    /// The name in another package that led to the metric; `None` if its own name did.
    pub elsewhere: Option<&'static str>,
}

impl<M: NamedMetric> fmt::Display for Candidate<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.metric.label())?;
        match self.elsewhere {
            Some(name) => write!(f, " ({name})"),
            None => Ok(()),
        }
    }
}

/// Largest number of suggested metrics.
const MAX_SUGGESTIONS: usize = 3;
/// Suggestions are more similar than this, and at most `MARGIN` less similar than the best one.
const MIN_SIMILARITY: f64 = 0.7;
const MARGIN: f64 = 0.15;

/// Finds the metrics with a given name, otherwise up to three metrics with similar names. Case and separators are
/// ignored.
///
/// Names are the name and the label of a metric, and its names in other packages with and without the package. Several
/// metrics may have exactly this name. Then only those with it as their own name are returned; if there are none,
/// those with it as the first of their names in other packages; otherwise those with it as a later one.
///
/// ```
/// use xai_core::describe::{MetricEntry, MetricInfo, candidates};
/// const DELETION: &MetricInfo =
///     &MetricInfo { elsewhere: &["quantus.PixelFlipping"], ..MetricInfo::named("deletion") };
/// const INSERTION: &MetricInfo = &MetricInfo::named("insertion");
/// let metrics = [DELETION, INSERTION].map(|info| MetricEntry::new(info, ()));
/// let found = candidates(&metrics, "PixelFlipping");
/// assert_eq!((found.are_exact, found.metrics[0].to_string().as_str()), (true, "deletion (quantus.PixelFlipping)"));
/// let similar = candidates(&metrics, "delection");
/// assert_eq!((similar.are_exact, similar.metrics[0].to_string().as_str()), (false, "deletion"));
/// assert!(candidates(&metrics, "zzz").metrics.is_empty());
/// ```
#[must_use]
pub fn candidates<'a, M: NamedMetric>(metrics: &'a [M], name: &str) -> Candidates<'a, M> {
    let name = folded(name);
    let mut exact = Vec::new();
    let mut similar = Vec::new();
    for metric in metrics {
        let mut best: Option<(f64, Option<&'static str>)> = None;
        for (priority, elsewhere, known) in names(metric) {
            let known = folded(&known);
            if known == name {
                exact.push((priority, Candidate { metric, elsewhere }));
                break;
            }
            let likeness = similarity(&known, &name);
            if likeness > best.map_or(MIN_SIMILARITY, |(best, _)| best) {
                best = Some((likeness, elsewhere));
            }
        }
        similar
            .extend(best.map(|(likeness, elsewhere)| (likeness, Candidate { metric, elsewhere })));
    }
    let first_priority = exact.iter().map(|(priority, _)| *priority).min();
    exact.retain(|(priority, _)| Some(*priority) == first_priority);
    if !exact.is_empty() {
        return Candidates {
            are_exact: true,
            metrics: exact.into_iter().map(|(_, candidate)| candidate).collect(),
        };
    }
    similar.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let most_similar = similar.first().map_or(0.0, |(likeness, _)| *likeness);
    similar.retain(|(likeness, _)| *likeness >= most_similar - MARGIN);
    similar.truncate(MAX_SUGGESTIONS);
    Candidates {
        are_exact: false,
        metrics: similar
            .into_iter()
            .map(|(_, candidate)| candidate)
            .collect(),
    }
}

/// All names of a metric with their priority, and the name in another package that each is a part of.
fn names<M: NamedMetric>(metric: &M) -> Vec<(usize, Option<&'static str>, String)> {
    let own = [metric.info().name.to_owned(), metric.label()];
    let mut names: Vec<_> = own.map(|name| (0, None, name)).into();
    for (position, &full) in metric.info().elsewhere.iter().enumerate() {
        let priority = 1 + position.min(1);
        let short = full.rsplit('.').next().unwrap_or(full);
        for name in [full, short] {
            names.push((priority, Some(full), name.to_owned()));
        }
    }
    names
}

/// A name without case and separators, in which spellings differ.
fn folded(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input;

    #[test]
    fn a_name_that_no_metric_has_is_an_error_about_the_metric() {
        const INFO: &MetricInfo = &MetricInfo::named("a");
        let metrics = [MetricEntry::new(INFO, ())];
        assert_eq!(find(&metrics, "a").unwrap().info, INFO);
        assert_eq!(find(&metrics, "b").unwrap_err().input(), input::METRIC);
    }
}
