//! Fidelity: is the explanatory subgraph sufficient, and is it necessary? And what is made of it:
//! characterization, the area under its curve, robust fidelity.

mod change_kinds;
mod changes;
pub(crate) mod characterization;
pub(crate) mod curve_auc;
pub(crate) mod metric;
pub(crate) mod robust;

pub use characterization::{Characterization, Fidelity};
pub use curve_auc::{fidelity_curve_auc, trapezoid};
pub use metric::{FidelityAccumulator, FidelityBatch, FidelityMetric, ProbabilityBatch, fidelity};
pub use robust::{RobustFidelity, RobustFidelityByProbability, RobustFidelityMetric};
