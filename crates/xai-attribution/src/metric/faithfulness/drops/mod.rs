//! Metrics that compare attributions with the score drops when features are removed or changed.

use crate::metric::Entry;

pub(crate) mod faithfulness_estimate;
pub(crate) mod infidelity;
pub(crate) mod monotonicity_correlation;
pub(crate) mod mu_fidelity;
pub(crate) mod prediction_gap;
pub(crate) mod sensitivity_n;
pub(crate) mod violations;

pub use {
    faithfulness_estimate::*, infidelity::*, monotonicity_correlation::*, mu_fidelity::*,
    prediction_gap::*, sensitivity_n::*, violations::*,
};

/// The metrics of this folder, in the order of the documentation.
pub(in crate::metric) const METRICS: &[Entry] = &[
    Entry::new::<FaithfulnessEstimate>(),
    Entry::new::<Violations>(),
    Entry::new::<SensitivityN>(),
    Entry::new::<MonotonicityCorrelation>(),
    Entry::new::<Infidelity>(),
    Entry::new::<MuFidelity>(),
    Entry::new::<PredictionGapImportant>(),
    Entry::new::<PredictionGapUnimportant>(),
];
