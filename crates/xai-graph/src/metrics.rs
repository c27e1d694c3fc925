//! All metrics of this crate.
//!
//! Scores are fields of a result: [`Fidelity`](crate::Fidelity), [`RobustFidelity`](crate::fidelity::RobustFidelity),
//! [`SweepCurve`](crate::dataset::SweepCurve), [`Unfaithfulness`](crate::Unfaithfulness),
//! [`GroundTruth`](crate::GroundTruth) and [`MaskProperties`](crate::mask::MaskProperties).
//!
#![doc = include_str!("../METRICS.md")]
