//! Measures of all runs together: error sets, chance-corrected agreement, consistency per sample.

pub(crate) mod agreement;
pub(crate) mod error_sets;
pub(crate) mod sample_consistency;
mod weighted_agreement;

pub use agreement::{Agreement, AgreementCoefficient, agreement_interval};
pub use error_sets::ErrorSets;
pub use sample_consistency::{InconsistentSample, InconsistentSamples, SampleConsistency, votes};
pub use weighted_agreement::{AgreementWeights, gwet_ac2};
