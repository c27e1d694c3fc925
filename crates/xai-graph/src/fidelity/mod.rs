//! Fidelity: is the explanatory subgraph sufficient, and is it necessary? And what is made of it:
//! characterization, the area under its curve, robust fidelity.

mod accumulator;
mod change_kinds;
mod changes;
pub(crate) mod characterization;
mod compared;
pub(crate) mod curve_auc;
pub(crate) mod metric;
pub(crate) mod robust;
pub(crate) mod scores;
mod trapezoid;

pub use accumulator::{FidelityAccumulator, FidelityBatch, ProbabilityBatch};
pub use characterization::Characterization;
pub use curve_auc::fidelity_curve_auc;
pub use metric::{FidelityMetric, fidelity};
pub use robust::{RobustFidelity, RobustFidelityByProbability, RobustFidelityMetric};
pub use scores::Fidelity;
pub use trapezoid::trapezoid;
