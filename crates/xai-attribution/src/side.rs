//! Side inputs: further inputs that some metrics need, such as masks, segments and maps to compare with.
//!
//! [`EvaluationData::with`](crate::EvaluationData::with) and [`Benchmark::with`](crate::Benchmark::with) take them.
//! Draws that were made elsewhere are in [`perturbation`](crate::perturbation).

pub use crate::batch::second_maps::{
    ReferenceMaps, SecondExplainer, SecondMaps, SecondMapsOfBatch,
};
pub use crate::batch::side::{Masks, Planes, Segments, SideInput};
