//! Values computed by Quantus, Captum and OpenXAI, reproduced from their inputs, weights and draws.
//!
//! `golden/quantus.json` holds what the peers were given and what they answered. A case is
//! reproduced with the options that the documentation names as the peer's; where the peer computes
//! something else than its paper, the test says what.

mod agreement;
mod axiomatic;
mod between_samples;
mod complexity;
mod curves;
mod drops;
mod golden;
mod infidelity;
mod input_invariance;
mod localization;
mod randomization;
mod road;
mod robustness;
mod single_removal;
mod subsets;
