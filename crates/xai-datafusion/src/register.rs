//! All functions, and how a session gets them.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::FunctionRegistry;
use datafusion::execution::context::SQLOptions;
use datafusion::execution::memory_pool::MemoryLimit;
use datafusion::logical_expr::{AggregateUDF, ScalarUDF};
use datafusion::prelude::SessionContext;

use crate::aggregate::{Aggregate, Definition};
use crate::attribution::{AVERAGE_DROP, AVERAGE_GAIN, AVERAGE_INCREASE};
use crate::casebased::correspondence::CORRESPONDENCE;
use crate::casebased::data_attribution;
use crate::casebased::feature_distance::FEATURE_DISTANCE;
use crate::casebased::nearest_cases::NEAREST_CASES;
use crate::counterfactual;
use crate::function::Stages;
use crate::graph::auroc::AUROC;
use crate::graph::binned_auroc::BINNED_AUROC;
use crate::graph::fidelity::{NEG_FIDELITY, POS_FIDELITY};
use crate::graph::ground_truth;
use crate::graph::unfaithfulness::UNFAITHFULNESS;
use crate::model::{CLASS_SCORE, MASK_INPUTS, PREDICTED_CLASS};
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

static SCALARS: &[&[ScalarDefinition]] = &[
    &[
        CORRESPONDENCE,
        FEATURE_DISTANCE,
        MASK_INPUTS,
        PREDICTED_CLASS,
        CLASS_SCORE,
    ],
    data_attribution::FUNCTIONS,
    counterfactual::FUNCTIONS,
];

/// The aggregate functions, for queries whose stages run where `stages` says.
#[must_use]
pub fn aggregates(stages: Stages) -> Vec<Arc<AggregateUDF>> {
    with_memory(stages, None)
}

fn with_memory(stages: Stages, memory: Option<usize>) -> Vec<Arc<AggregateUDF>> {
    let function = |definition| {
        let aggregate = Aggregate::new(definition, stages, memory);
        Arc::new(AggregateUDF::new_from_impl(aggregate))
    };
    AGGREGATES.iter().map(function).collect()
}

/// The scalar functions.
#[must_use]
pub fn scalars() -> Vec<Arc<ScalarUDF>> {
    let function = |definition| Arc::new(ScalarUDF::new_from_impl(Scalar::new(definition)));
    SCALARS.iter().copied().flatten().map(function).collect()
}

/// Adds all functions to a registry, for example to that of a distributed engine with [`Stages::SeveralProcesses`].
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

/// Memory limit of the states of one partition, in bytes: a quarter of the session's memory divided by the number of
/// partitions.
///
/// A quarter, because there are two stages of states, and states are copied on their way from one stage to the next.
fn memory(session: &SessionContext) -> Option<usize> {
    let n_partitions = session.copied_config().target_partitions();
    match session.runtime_env().memory_pool.memory_limit() {
        MemoryLimit::Finite(bytes) => Some(bytes / (4 * n_partitions.max(1))),
        _ => None,
    }
}

/// Adds all functions to a session, whose queries run in this process. Where its memory is limited and a call does not
/// set `memory_mib`, `groundtruth_auroc` holds a share of it and no more.
pub fn register(session: &SessionContext) {
    for function in with_memory(Stages::OneProcess, memory(session)) {
        session.register_udaf(Arc::unwrap_or_clone(function));
    }
    for function in scalars() {
        session.register_udf(Arc::unwrap_or_clone(function));
    }
}

/// The options of a session that answers queries and does nothing else.
#[must_use]
pub fn queries_alone() -> SQLOptions {
    SQLOptions::new()
        .with_allow_ddl(false)
        .with_allow_dml(false)
        .with_allow_statements(false)
}

#[cfg(test)]
mod tests {
    use datafusion::logical_expr::Documentation;
    use xai_core::describe::{Family, Param, Word};

    use super::*;
    use crate::function::{Argument, Kind};

    /// Every function by its name, with its arguments.
    fn functions() -> impl Iterator<Item = (&'static str, &'static [Argument])> {
        let aggregates = AGGREGATES.iter().map(|of| (of.name, of.arguments));
        aggregates.chain(
            SCALARS
                .iter()
                .copied()
                .flatten()
                .map(|of| (of.name, of.arguments)),
        )
    }

    /// What each function that is registered says of its arguments.
    fn documented() -> impl Iterator<Item = Vec<(String, String)>> {
        let of = |of: Option<&Documentation>| of.and_then(|of| of.arguments.clone());
        let aggregates = aggregates(Stages::OneProcess)
            .into_iter()
            .map(move |function| of(function.documentation()));
        let scalars = scalars().into_iter();
        let all = aggregates.chain(scalars.map(move |function| of(function.documentation())));
        all.map(Option::unwrap_or_default)
    }

    /// Parameters of all operations and metrics of the families.
    fn parameters_of_the_library() -> Vec<Param> {
        let families = [
            &xai_attribution::FAMILY,
            &xai_casebased::FAMILY,
            &xai_counterfactual::FAMILY,
            &xai_graph::FAMILY,
            &xai_repro::FAMILY,
        ];
        let of_family = |family: &Family| {
            let of_operations = family
                .operations
                .iter()
                .map(|operation| (operation.params)());
            let of_metrics = (family.metrics)().into_iter().map(|entry| entry.params());
            of_operations
                .chain(of_metrics)
                .flatten()
                .collect::<Vec<_>>()
        };
        families.into_iter().flat_map(of_family).collect()
    }

    #[test]
    fn constant_arguments_are_the_parameters_of_the_library() {
        let library = parameters_of_the_library();
        let names = |param: &Param| param.kind.words().map(|word| word.name).collect::<Vec<_>>();
        let mut of_sql_alone = Vec::new();
        assert_eq!(functions().count(), documented().count());
        for ((function, arguments), documented) in functions().zip(documented()) {
            let documented_names: Vec<&str> =
                documented.iter().map(|(name, _)| name.as_str()).collect();
            let declared: Vec<&str> = arguments.iter().map(|argument| argument.name).collect();
            assert_eq!(documented_names, declared, "{function}");
            for (argument, (_, text)) in arguments.iter().zip(&documented) {
                let params = argument.params();
                assert_eq!(
                    argument.is_constant(),
                    !params.is_empty(),
                    "{function}: {}",
                    argument.name
                );
                for param in params {
                    assert!(
                        text.contains(param.doc.trim_end_matches('.')),
                        "{function}: {text}"
                    );
                    for word in param.kind.words() {
                        assert!(
                            text.contains(&format!("'{word}'")),
                            "{function}: {word}: {text}"
                        );
                    }
                    let mut of_library =
                        library.iter().filter(|of| of.name == param.name).peekable();
                    // Metrics of attribution maps have other `bins`, those of a histogram.
                    let is_other = (function, param.name) == ("groundtruth_auroc_binned", "bins");
                    if is_other || of_library.peek().is_none() {
                        of_sql_alone.push(param.name);
                        continue;
                    }
                    let is_same = |of: &Param| {
                        let mut expected = names(of);
                        // That of the training rows, which a function of two rows does not have.
                        expected.retain(|&word| {
                            (function, word) != ("feature_distance", "mahalanobis")
                        });
                        names(&param) == expected && param.value == of.value
                    };
                    assert!(of_library.any(is_same), "{function}: {}", param.name);
                }
            }
        }
        assert_eq!(of_sql_alone, ["memory_mib", "bins"]);
    }

    /// The ways to write a word.
    fn spellings(word: &Word) -> Vec<String> {
        match word.value {
            Some(_) => vec![format!("{}:2", word.name)],
            None => {
                let all = [
                    word.name.to_owned(),
                    word.name.replace('-', "_"),
                    word.alias.to_owned(),
                ];
                all.into_iter().filter(|word| !word.is_empty()).collect()
            }
        }
    }

    #[test]
    fn functions_of_metrics_have_their_names() {
        let scalars = SCALARS.iter().copied().flatten();
        let named: Vec<_> = scalars
            .filter_map(|of| Some((of.name.to_owned(), of.metric?)))
            .collect();
        assert_eq!(named.len(), 14);
        for (name, metric) in named {
            // The name of sparsity tells that it is not that of a mask.
            let name = name.strip_prefix("counterfactual_").unwrap_or(&name);
            assert_eq!(name, metric.name.replace('-', "_"));
        }
    }

    #[tokio::test]
    async fn every_word_is_read() {
        let session = SessionContext::new();
        register(&session);
        let given = |argument: &Argument| match argument.kind {
            Kind::Number | Kind::Score | Kind::Truth => "0.5".to_owned(),
            Kind::Class | Kind::ClassOrOutputs | Kind::Any => "1".to_owned(),
            Kind::Outputs | Kind::Numbers => "make_array(0.25, 0.75)".to_owned(),
            Kind::Classes => "make_array(1, 1)".to_owned(),
            Kind::Truths => "make_array(true, false)".to_owned(),
            Kind::Parameter(_) | Kind::Words(_) => match &argument.params()[..] {
                [param] if param.kind.words().next().is_none() => param.value.to_string(),
                [param] => format!("'{}'", param.value),
                _ => "''".to_owned(),
            },
        };
        let mut n_words = 0;
        for (function, arguments) in functions() {
            for (at, argument) in arguments.iter().enumerate() {
                let params = argument.params();
                let words = params.iter().flat_map(|param| param.kind.words());
                for word in words.flat_map(spellings) {
                    let before: Vec<String> = arguments[..at].iter().map(given).collect();
                    let sql = format!("SELECT {function}({}, '{word}')", before.join(", "));
                    let planned = session
                        .sql(&sql)
                        .await
                        .expect("SQL")
                        .create_physical_plan()
                        .await;
                    assert!(planned.is_ok(), "{sql}: {:?}", planned.err());
                    n_words += 1;
                }
            }
        }
        assert!(n_words > 50, "{n_words}");
    }
}
