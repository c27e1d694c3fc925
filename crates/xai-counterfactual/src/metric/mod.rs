//! The metrics. [`registry`](crate::registry) has a table of them.

use xai_core::Result;
use xai_core::describe::{Described, Parameters};

use crate::data::CounterfactualData;
use crate::distance::{MadScale, MixedDistance, ZeroScale};
use crate::selection::{Over, Rows};
use crate::values::CounterfactualValues;

mod causal_consistency;
mod change_agreement;
mod connectedness;
mod constraint_violation;
mod cost;
mod coverage;
mod discriminative_power;
mod distinct_changes;
mod diversity;
mod dpp_diversity;
mod group_gap;
mod in_domain;
mod local_outlier_factor;
mod model_validity;
mod nearest_distance;
mod neighbor_ratio;
mod noise_invalidation;
mod proximity;
mod reconstruction;
mod redundancy;
mod relative_distance;
mod set_distance;
mod sparsity;
mod target_confidence;
mod trust_score;
mod validity;
mod ynn;

pub use causal_consistency::CausalConsistency;
pub use change_agreement::{ChangeAgreement, ChangeAgreementScore};
pub use connectedness::Connectedness;
pub use constraint_violation::{ConstraintViolation, ViolationScore};
pub use cost::{Cost, CostScore};
pub use coverage::{Coverage, CoverageCounts, CoverageScore};
pub use discriminative_power::DiscriminativePower;
pub use distinct_changes::{DistinctChanges, DistinctScore};
pub use diversity::Diversity;
pub use dpp_diversity::DppDiversity;
pub use group_gap::{GROUP_GAP, GroupGap, group_gap};
pub use in_domain::{DomainScore, InDomain};
pub use local_outlier_factor::{LocalOutlierFactor, OutlierScore};
pub use model_validity::{ModelScore, ModelValidity};
pub use nearest_distance::{AmongRows, NearestDistance, Reduce};
pub use neighbor_ratio::NeighborRatio;
pub use noise_invalidation::NoiseInvalidation;
pub use proximity::Proximity;
pub use reconstruction::{Im1, Im2};
pub use redundancy::{Redundancy, RedundancyScore};
pub use relative_distance::RelativeDistance;
pub use set_distance::{SetDistance, SetMode};
pub use sparsity::{Sparsity, SparsityScore};
pub use target_confidence::{ConfidenceScore, TargetConfidence};
pub use trust_score::{TrustScore, TrustValue};
pub use validity::Validity;
pub use ynn::Ynn;

/// A metric of counterfactuals.
pub trait CounterfactualMetric: Described + Parameters {
    /// Computes the values, with parameters that were checked.
    ///
    /// # Errors
    /// `Missing` for an input that is not given, and errors of the inputs that the metric reads.
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues>;

    /// Checks the parameters and computes the values.
    ///
    /// # Errors
    /// `InvalidParameter` for a parameter outside its domain, and as [`compute`](Self::compute).
    fn evaluate(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        self.check_params()?;
        self.compute(data)
    }
}

/// Setters of the options of a distance.
macro_rules! distance_setters {
    ($($metric:ty),+ $(,)?) => {$(
        impl $metric {
            /// Sets the distance between rows.
            #[must_use]
            pub fn distance(mut self, distance: MixedDistance) -> Self {
                self.distance.distance = distance;
                self
            }

            /// Sets the treatment of numeric features whose scale is 0.
            #[must_use]
            pub fn zero_scale(mut self, zero_scale: ZeroScale) -> Self {
                self.distance.zero_scale = zero_scale;
                self
            }

            /// Sets whether the distance `mad` is a sum or a mean over features.
            #[must_use]
            pub fn scale(mut self, scale: MadScale) -> Self {
                self.distance.scale = scale;
                self
            }
        }
    )+};
}

distance_setters!(
    Connectedness,
    DiscriminativePower,
    Diversity,
    DppDiversity,
    LocalOutlierFactor,
    NearestDistance,
    NeighborRatio,
    Proximity,
    RelativeDistance,
    SetDistance,
    TrustScore,
    Ynn
);

/// Setters of which rows count, and how those of a query become one value.
macro_rules! selection_setters {
    ($($metric:ty),+ $(,)?) => {$(
        impl $metric {
            /// Sets which counterfactuals count.
            #[must_use]
            pub fn rows(mut self, rows: Rows) -> Self {
                self.selection.rows = rows;
                self
            }

            /// Sets the aggregation of the counterfactuals of a query.
            #[must_use]
            pub fn over(mut self, over: Over) -> Self {
                self.selection.over = over;
                self
            }
        }
    )+};
}

selection_setters!(
    CausalConsistency,
    Connectedness,
    ConstraintViolation,
    Cost,
    InDomain,
    LocalOutlierFactor,
    ModelValidity,
    NearestDistance,
    NeighborRatio,
    NoiseInvalidation,
    Proximity,
    Im1,
    Im2,
    Redundancy,
    RelativeDistance,
    Sparsity,
    TargetConfidence,
    TrustScore,
    Ynn
);
