//! Entries of the registry of metrics.

use std::fmt;

use crate::describe::metric_info::MetricInfo;
use crate::describe::parameters::{Param, Parameters, with};
use crate::describe::value::Value;
use crate::error::{Input, Result};

/// A metric of a registry: its description, its parameters, and how it is computed.
///
/// `C` is what a family needs to compute the metric, for example a function from a result to a number for a
/// [`Score`](crate::describe::Score). An entry with `C = ()` is a [description](Self::description) alone, so that the
/// metrics of all families fit into one list.
///
/// ```
/// use xai_core::describe::{MetricEntry, MetricInfo, Parameters};
/// #[derive(Default, Parameters)]
/// struct LargestShare {
///     /// Number of largest positions.
///     count: usize,
/// }
/// const INFO: &MetricInfo = &MetricInfo::named("largest-share");
/// let entry = MetricEntry::new(INFO, ()).with_parameters::<LargestShare>();
/// assert_eq!((entry.key().as_str(), entry.has_param("count")), ("largest_share", true));
/// let params = entry.params_with(&[("count".into(), 2usize.into())])?;
/// assert_eq!(params[0].value.to_string(), "2");
/// assert!(entry.params_with(&[("k".into(), 2usize.into())]).is_err());
/// # Ok::<(), xai_core::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct MetricEntry<C = ()> {
    /// Description of the metric.
    pub info: &'static MetricInfo,
    /// Kind of metric, such as `pair`, in families with several kinds; empty otherwise.
    pub kind: &'static str,
    /// Inputs that the metric uses if they are given, besides or instead of those that it [needs](MetricInfo::needs).
    pub optional: &'static [Input],
    defaults: fn() -> Box<dyn Parameters>,
    /// How the metric is computed.
    pub computation: C,
}

impl<C> MetricEntry<C> {
    /// Creates the entry of a metric without parameters.
    #[must_use]
    pub const fn new(info: &'static MetricInfo, computation: C) -> Self {
        Self {
            info,
            kind: "",
            optional: &[],
            defaults: || Box::new(()),
            computation,
        }
    }

    /// Sets the kind of metric.
    #[must_use]
    pub const fn kind(mut self, kind: &'static str) -> Self {
        self.kind = kind;
        self
    }

    /// Sets the optional inputs.
    #[must_use]
    pub const fn optional(mut self, inputs: &'static [Input]) -> Self {
        self.optional = inputs;
        self
    }

    /// Sets the parameters to those of `P`.
    #[must_use]
    pub const fn with_parameters<P: Parameters + Default + 'static>(mut self) -> Self {
        self.defaults = || Box::new(P::default());
        self
    }

    /// The entry without its computation.
    #[must_use]
    pub fn description(&self) -> MetricEntry {
        MetricEntry {
            info: self.info,
            kind: self.kind,
            optional: self.optional,
            defaults: self.defaults,
            computation: (),
        }
    }

    /// Name of the metric in tables, JSON and Python: `average_drop` for `average-drop`.
    #[must_use]
    pub fn key(&self) -> String {
        self.info.key()
    }

    /// Parameters with their default values.
    #[must_use]
    pub fn params(&self) -> Vec<Param> {
        (self.defaults)().params()
    }

    /// Whether the metric has a parameter with this name.
    #[must_use]
    pub fn has_param(&self, name: &str) -> bool {
        self.params().iter().any(|param| param.name == name)
    }

    /// Parameters with some values set by name and defaults for the others.
    ///
    /// # Errors
    /// An invalid parameter if the metric has no parameter with this name, or if a value is not of its kind.
    pub fn params_with(&self, settings: &[(String, Value)]) -> Result<Vec<Param>> {
        with((self.defaults)(), settings.iter().cloned()).map(|parameters| parameters.params())
    }
}

impl<C> fmt::Debug for MetricEntry<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MetricEntry").field(&self.info.name).finish()
    }
}
