//! Fidelity (sufficiency and necessity of an explanatory subgraph) and scores derived from it: characterization, the
//! area under the fidelity curve, robust fidelity.

mod change_kinds;
mod changes;
pub(crate) mod characterization;
pub(crate) mod curve_auc;
pub(crate) mod metric;
pub(crate) mod robust;

pub use curve_auc::trapezoid;
pub use metric::{FidelityAccumulator, FidelityBatch, ProbabilityBatch};
pub use robust::{RobustFidelity, RobustFidelityByProbability};
