//! What is measured of all runs at once: their error sets, their agreement, the consistency per sample.

pub(crate) mod agreement;
pub(crate) mod agreement_coefficient;
mod agreement_interval;
mod agreement_weights;
mod equal_pairs;
pub(crate) mod error_sets;
pub(crate) mod sample_consistency;
mod weighted_agreement;

pub use agreement::Agreement;
pub use agreement_coefficient::AgreementCoefficient;
pub use agreement_interval::agreement_interval;
pub use agreement_weights::AgreementWeights;
pub use error_sets::ErrorSets;
pub use sample_consistency::{InconsistentSample, InconsistentSamples, SampleConsistency, votes};
pub use weighted_agreement::gwet_ac2;
