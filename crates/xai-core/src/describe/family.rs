//! Families of metrics.

use std::fmt;

use crate::describe::entry::MetricEntry;
use crate::describe::input_spec::InputSpec;
use crate::describe::metric_info::MetricInfo;
use crate::describe::names::{NamedMetric, candidates, unknown_metric};
use crate::describe::parameters::{Param, Parameters};
use crate::error::{Error, Result};

/// A family of metrics: everything that programs need to list, document and offer it.
///
/// Each crate with metrics has one, its `FAMILY`. Programs read lists of families instead of naming crates.
#[derive(Clone, Copy)]
pub struct Family {
    /// Name of the family in commands, Python modules and qualified names: `graph` in `graph.pos_fidelity`.
    pub name: &'static str,
    /// Package of the crate, whose `METRICS.md` lists the metrics.
    pub package: &'static str,
    /// Heading of the family.
    pub title: &'static str,
    /// What the metrics tell, as a question.
    pub summary: &'static str,
    /// The metrics, in the order of the documentation.
    pub metrics: fn() -> Vec<MetricEntry>,
    /// Commands and functions with parameters that are not those of a single metric.
    pub operations: &'static [Operation],
    /// Inputs that front ends read by their description; empty if they declare the inputs themselves.
    pub inputs: &'static [InputSpec],
}

/// A command or function that front ends offer, with its parameters.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    /// Family and name: `graph.ground_truth`.
    pub name: &'static str,
    /// Parameters with their defaults.
    pub params: fn() -> Vec<Param>,
}

/// A metric with its family.
#[derive(Debug, Clone, Copy)]
pub struct FamilyMetric {
    /// The family.
    pub family: &'static Family,
    /// The metric.
    pub entry: MetricEntry,
}

impl Operation {
    /// Creates an operation whose parameters are those of a struct.
    #[must_use]
    pub const fn new<P: Parameters + Default>(name: &'static str) -> Self {
        let params = || P::default().params();
        Self { name, params }
    }
}

impl Family {
    /// Descriptions of the metrics.
    pub fn infos(&self) -> impl Iterator<Item = &'static MetricInfo> {
        (self.metrics)().into_iter().map(|entry| entry.info)
    }
}

impl fmt::Debug for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Family").field(&self.name).finish()
    }
}

impl NamedMetric for FamilyMetric {
    fn info(&self) -> &'static MetricInfo {
        self.entry.info
    }

    fn label(&self) -> String {
        format!("{}.{}", self.family.name, self.entry.info.name)
    }
}

/// Metrics of several families, in their order.
#[must_use]
pub fn metrics_of_families(families: &[&'static Family]) -> Vec<FamilyMetric> {
    let metrics = families.iter().flat_map(|&family| {
        let entries = (family.metrics)().into_iter();
        entries.map(move |entry| FamilyMetric { family, entry })
    });
    metrics.collect()
}

/// Finds a metric of several families by its name, with or without the family (`graph.pos_fidelity`), or by its name
/// in another package (`quantus.PixelFlipping` or `PixelFlipping`). Case, `-` and `_` make no difference.
///
/// # Errors
/// An invalid parameter about [`input::METRIC`](crate::input::METRIC) for a name that no metric has, with similar
/// names of all families, and for a name that several metrics have.
///
/// ```
/// use xai_core::describe::find_in_families;
/// use xai_core::reliability;
/// let families = [&reliability::FAMILY];
/// assert_eq!(find_in_families(&families, "Kendall-W")?.entry.info.name, "kendall-w");
/// let error = find_in_families(&families, "kendal_w").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "metric = kendal_w: expected the name of a metric; did you mean `reliability.kendall-w`?"
/// );
/// # Ok::<(), xai_core::Error>(())
/// ```
pub fn find_in_families(families: &[&'static Family], name: &str) -> Result<FamilyMetric> {
    let metrics = metrics_of_families(families);
    let found = candidates(&metrics, name);
    match found.metrics.as_slice() {
        [only] if found.are_exact => Ok(*only.metric),
        several if found.are_exact => {
            let labels: Vec<String> = several.iter().map(ToString::to_string).collect();
            let expected = format!("one of {}, which all have this name", labels.join(", "));
            Err(Error::parameter(crate::input::METRIC, name, expected))
        }
        _ => Err(unknown_metric(&metrics, name)),
    }
}
