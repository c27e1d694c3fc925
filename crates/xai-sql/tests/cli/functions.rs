//! A query for each function that is registered, with what it reads.

use crate::harness::Files;

/// For each function what makes one value of the rows of an explainer in the table [`wide`].
pub(crate) const QUERIES: &[(&str, &str)] = &[
    ("average_drop", "average_drop(base, masked)"),
    ("average_increase", "average_increase(base, masked)"),
    ("average_gain", "average_gain(base, masked)"),
    ("pos_fidelity", "pos_fidelity(label, other)"),
    ("pos_fidelity", "pos_fidelity(outputs, kept, label)"),
    ("neg_fidelity", "neg_fidelity(label, other)"),
    ("unfaithfulness", "unfaithfulness(outputs, kept, 'probs')"),
    (
        "groundtruth_accuracy",
        "groundtruth_accuracy(masked, truth, 0.5)",
    ),
    (
        "groundtruth_precision",
        "groundtruth_precision(masked, truth, 0.5)",
    ),
    (
        "groundtruth_recall",
        "groundtruth_recall(masked, truth, 0.5)",
    ),
    ("groundtruth_f1", "groundtruth_f1(masked, truth, 0.5)"),
    ("groundtruth_auroc", "groundtruth_auroc(masked, truth)"),
    // With so little memory nearly all scores go to disk where they are merged.
    (
        "groundtruth_auroc",
        "groundtruth_auroc(masked, truth, 0.5, 0.001)",
    ),
    (
        "groundtruth_auroc_binned",
        "groundtruth_auroc_binned(masked, truth, 0.5, 64)",
    ),
    (
        "pairwise_reproducibility",
        "pairwise_reproducibility(label, predictions)",
    ),
    ("nearest_cases", "nearest_cases(id, label, masked, 5)"),
    ("exact_sum", "exact_sum(base - masked)"),
    ("exact_avg", "exact_avg(base - masked)"),
    ("n_null", "n_null(base, masked)"),
    (
        "correspondence",
        "exact_sum(correspondence([base, masked, 0.5], predictions, label))",
    ),
    (
        "feature_distance",
        "exact_sum(feature_distance(outputs, kept))",
    ),
    (
        "mask_inputs",
        "exact_sum(mask_inputs(outputs, kept)[2] + mask_inputs([base, masked], [masked, -base])[1])",
    ),
    ("predicted_class", "exact_avg(predicted_class(outputs))"),
    (
        "class_score",
        "exact_sum(class_score(kept, predicted_class(outputs)))",
    ),
    (
        "class_detection",
        "exact_avg(class_detection([base, masked, 0.5], predictions, label, 2))",
    ),
    (
        "subclass_detection",
        "exact_avg(subclass_detection([base, masked, 0.5], predictions, label, 2))",
    ),
    (
        "class_auroc",
        "exact_avg(class_auroc([base, masked, 0.5], [0, 1, 2], label))",
    ),
    (
        "class_recall",
        "exact_avg(class_recall([base, masked, 0.5], [0, 1, 2], label))",
    ),
    (
        "shortcut_detection",
        "exact_avg(shortcut_detection([base, masked, 0.5], [truth, true, false]))",
    ),
    (
        "mixed_datasets",
        "exact_avg(mixed_datasets([base, masked, 0.5], [true, NOT truth, false]))",
    ),
    (
        "mean_reciprocal_rank",
        "exact_avg(mean_reciprocal_rank([base, masked, 0.5], [truth, true, false]))",
    ),
    (
        "hit_at_k",
        "exact_avg(hit_at_k([base, masked, 0.5], [truth, true, false], 1))",
    ),
    (
        "recall_at_k",
        "exact_avg(recall_at_k([base, masked, 0.5], [truth, true, false], 1))",
    ),
    (
        "attribution_randomization",
        "exact_avg(attribution_randomization([base, masked, 0.5], [base, 0.1, masked]))",
    ),
    (
        "leave_one_out_correlation",
        "exact_avg(leave_one_out_correlation([base, masked, 0.5], [base, 0.1, masked]))",
    ),
    (
        "counterfactual_sparsity",
        "exact_avg(counterfactual_sparsity(outputs, kept))",
    ),
    (
        "constraint_violation",
        "exact_avg(constraint_violation([base, masked], [masked, base], [1, 0], 'features'))",
    ),
    (
        "gower_distance",
        "exact_sum(gower_distance([base, label], [masked, 1], [0.5, 0], [false, true]))",
    ),
    (
        "heom_distance",
        "exact_sum(heom_distance([base, label], [masked, 1], [0.5, 0], [false, true]))",
    ),
    (
        "mad_distance",
        "exact_sum(mad_distance([base, label], [masked, 1], [0.5, 0], [false, true]))",
    ),
    // The test case of a group: what is gathered of all its rows, in an order of its own.
    (
        "leave_one_out_correlation",
        "leave_one_out_correlation(array_agg(base ORDER BY id), array_agg(masked ORDER BY id))",
    ),
    (
        "linear_datamodeling_score",
        "exact_avg(linear_datamodeling_score([base, masked, 0.5], outputs || [0.25]))",
    ),
];

const WIDE: &str = "SELECT explainer, base, masked, CAST(base * 9e15 AS BIGINT) AS id,
    base > 0.5 AND base > masked AS truth,
    CAST(base * 2 AS BIGINT) AS label, CAST(masked * 2 AS BIGINT) AS other,
    [base, 1 - base] AS outputs, [masked, 1 - masked] AS kept,
    [CAST(base * 2 AS BIGINT), CAST(masked * 2 AS BIGINT), CAST(base * masked * 2 AS BIGINT)] AS predictions
    FROM 'TABLE'";

/// Makes the folder `wide` of columns that every function finds its arguments in, a file for each of `runs`.
pub(crate) fn widen(files: &Files, n_files: usize) {
    std::fs::create_dir(files.path("wide")).expect("made");
    for file in 0..n_files {
        let name = format!("part-{file:05}.parquet");
        let query = WIDE.replace("TABLE", &format!("runs/{name}"));
        files
            .run(&["sql", &query, "--out", &format!("wide/{name}")])
            .well();
    }
}

/// The query of a function over a table, for each explainer.
pub(crate) fn grouped(call: &str, table: &str) -> String {
    format!(
        "SELECT explainer, {call} AS value FROM '{table}' GROUP BY explainer ORDER BY explainer"
    )
}

#[test]
fn every_function_has_a_query() {
    let aggregates = xai_datafusion::aggregates(xai_datafusion::Stages::OneProcess);
    let scalars = xai_datafusion::scalars();
    let names = aggregates.iter().map(|function| function.name().to_owned());
    let names = names.chain(scalars.iter().map(|function| function.name().to_owned()));
    let without: Vec<String> = names
        .filter(|name| QUERIES.iter().all(|(of, _)| of != name))
        .collect();
    assert!(without.is_empty(), "no query for {without:?}");
}
