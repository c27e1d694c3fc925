//! Definition of a metric of the numeric predictions of two runs.

use xai_core::describe::MetricInfo;

use crate::regression::run_pair::RunPair;

/// A metric of the numeric predictions of two runs, for example [`RegressionMetric::EC_RATIO`].
///
/// In formulas, `ŷ_i` are the predictions of run `i` and `r_i = y − ŷ_i` its residuals; means are over the samples. All
/// metrics are listed in [`metrics::REGRESSION_METRICS`](crate::metrics::REGRESSION_METRICS).
#[derive(Clone, Copy)]
pub struct RegressionMetric {
    definition: &'static RegressionDefinition,
}

pub(super) struct RegressionDefinition {
    pub(super) info: &'static MetricInfo,
    /// Formula, which returns `None` if the metric is undefined.
    pub(super) formula: fn(&RunPair<'_>) -> Option<f64>,
}

impl RegressionMetric {
    pub(super) const fn new(definition: &'static RegressionDefinition) -> Self {
        Self { definition }
    }

    /// Description of the metric.
    #[must_use]
    pub const fn info(self) -> &'static MetricInfo {
        self.definition.info
    }

    /// Name of the metric in files and on the command line, for example `ec_ratio`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.definition.info.name
    }

    pub(super) fn value(self, pair: &RunPair<'_>) -> Option<f64> {
        (self.definition.formula)(pair)
    }
}
