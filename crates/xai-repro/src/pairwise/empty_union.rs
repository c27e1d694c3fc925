//! What a metric of errors is where neither run errs.

use xai_core::describe::Parameter;

use crate::named::shown_by_word;
use crate::pair_metric::definition::PairMetric;

/// What a metric that is undefined without errors, [`PairMetric::EC_LOCAL`], is for two runs without
/// any error.
///
/// Packages disagree here; each of their numbers is one of these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum EmptyUnion {
    /// Undefined, and counted.
    #[default]
    #[param(alias = "nan")]
    Undefined,
    /// 0: nothing is shared.
    #[param(alias = "0")]
    Zero,
    /// 1: the error sets are equal.
    #[param(alias = "1")]
    One,
    /// The pair is left out, and not counted as undefined.
    Drop,
    /// An error that names the pair.
    Error,
}

impl EmptyUnion {
    /// Whether an undefined value of a metric is left out of its summary altogether.
    pub(crate) fn drops(self, metric: PairMetric) -> bool {
        self == Self::Drop && metric.definition().undefined_without_errors
    }
}

shown_by_word!(EmptyUnion);
