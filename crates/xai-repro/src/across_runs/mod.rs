//! Measures of all runs together: intervals of [`Agreement`](crate::Agreement), weighted agreement, votes and the most
//! inconsistent samples.

pub(crate) mod agreement;
pub(crate) mod error_sets;
pub(crate) mod sample_consistency;
mod weighted_agreement;

pub use agreement::{AgreementCoefficient, agreement_interval};
pub use sample_consistency::{InconsistentSample, InconsistentSamples, votes};
pub use weighted_agreement::{AgreementWeights, gwet_ac2};
