//! What a metric of two runs' numeric predictions is.

use xai_core::describe::MetricInfo;

use crate::regression::run_pair::RunPair;

/// A metric of two runs' numeric predictions, for example [`RegressionMetric::EC_RATIO`].
///
/// `r_i = y − ŷ_i` are a run's residuals, `ŷ_i` its predictions; means are over the samples. All of
/// them are listed in [`registry::REGRESSION_METRICS`](crate::registry::REGRESSION_METRICS).
#[derive(Clone, Copy)]
pub struct RegressionMetric {
    definition: &'static RegressionDefinition,
}

/// Everything about such a metric.
pub(super) struct RegressionDefinition {
    /// The description.
    pub(super) info: &'static MetricInfo,
    /// Its formula; `None` where it is undefined.
    pub(super) formula: fn(&RunPair<'_>) -> Option<f64>,
}

impl RegressionMetric {
    /// The metric of a definition.
    pub(super) const fn new(definition: &'static RegressionDefinition) -> Self {
        Self { definition }
    }

    /// The description.
    #[must_use]
    pub const fn info(self) -> &'static MetricInfo {
        self.definition.info
    }

    /// The name in files and on the command line: `ec_ratio`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.definition.info.name
    }

    /// Its value on a pair of runs.
    pub(super) fn value(self, pair: &RunPair<'_>) -> Option<f64> {
        (self.definition.formula)(pair)
    }
}
