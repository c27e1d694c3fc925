//! All functions, and how a session gets them.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::{AggregateUDF, ScalarUDF};
use datafusion::prelude::SessionContext;

use crate::aggregate::{Aggregate, Definition};
use crate::attribution::{AVERAGE_DROP, AVERAGE_GAIN, AVERAGE_INCREASE};
use crate::casebased::correspondence::CORRESPONDENCE;
use crate::casebased::feature_distance::FEATURE_DISTANCE;
use crate::casebased::nearest_cases::NEAREST_CASES;
use crate::function::Stages;
use crate::graph::auroc::AUROC;
use crate::graph::binned_auroc::BINNED_AUROC;
use crate::graph::fidelity::{NEG_FIDELITY, POS_FIDELITY};
use crate::graph::ground_truth;
use crate::graph::unfaithfulness::UNFAITHFULNESS;
use crate::repro::PAIRWISE_REPRODUCIBILITY;
use crate::scalar::{Scalar, ScalarDefinition};
use crate::sum::{EXACT_AVG, EXACT_SUM, N_NULL};

static AGGREGATES: &[Definition] = &[
    AVERAGE_DROP,
    AVERAGE_INCREASE,
    AVERAGE_GAIN,
    POS_FIDELITY,
    NEG_FIDELITY,
    UNFAITHFULNESS,
    ground_truth::ACCURACY,
    ground_truth::PRECISION,
    ground_truth::RECALL,
    ground_truth::F1,
    AUROC,
    BINNED_AUROC,
    PAIRWISE_REPRODUCIBILITY,
    NEAREST_CASES,
    EXACT_SUM,
    EXACT_AVG,
    N_NULL,
];

static SCALARS: &[ScalarDefinition] = &[CORRESPONDENCE, FEATURE_DISTANCE];

/// The aggregate functions, for queries whose stages run there.
#[must_use]
pub fn aggregates(stages: Stages) -> Vec<Arc<AggregateUDF>> {
    let function = |definition| {
        let aggregate = Aggregate::new(definition, stages);
        Arc::new(AggregateUDF::new_from_impl(aggregate))
    };
    AGGREGATES.iter().map(function).collect()
}

/// The scalar functions.
#[must_use]
pub fn scalars() -> Vec<Arc<ScalarUDF>> {
    let function = |definition| Arc::new(ScalarUDF::new_from_impl(Scalar::new(definition)));
    SCALARS.iter().map(function).collect()
}

/// Adds all functions to a registry: what a scheduler or an executor of a cluster has, with
/// [`Stages::SeveralProcesses`].
///
/// # Errors
/// Those of the registry, where it takes no functions.
pub fn register_all(registry: &mut dyn FunctionRegistry, stages: Stages) -> Result<()> {
    for function in aggregates(stages) {
        registry.register_udaf(function)?;
    }
    for function in scalars() {
        registry.register_udf(function)?;
    }
    Ok(())
}

/// Adds all functions to a session, whose queries run in this process.
pub fn register(session: &SessionContext) {
    for function in aggregates(Stages::OneProcess) {
        session.register_udaf(Arc::unwrap_or_clone(function));
    }
    for function in scalars() {
        session.register_udf(Arc::unwrap_or_clone(function));
    }
}
