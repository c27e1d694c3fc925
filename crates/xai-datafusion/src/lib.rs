//! Metrics of explanations as SQL functions of Apache DataFusion.
//!
//! When scores, predictions or masks no longer fit one machine's memory they lie in Parquet. These
//! functions take them where they lie: [`register`] adds them to a session, [`register_all`] to any
//! registry. With the feature `distributed`, the module `distributed` has the codecs by which plans travel to other
//! processes. The numbers are those of the other crates of
//! this workspace **to the last bit**, for any order of the rows, any partitions, threads and machines.
//!
//! | function | value | of |
//! |---|---|---|
//! | `average_drop(base, masked[, base_score_policy])`, `average_increase`, `average_gain` | number | scores of the predicted class on the whole input and on what a map keeps; numbers |
//! | `pos_fidelity(full, perturbed[, target])`, `neg_fidelity` | number in [0, 1] | predicted classes (integers), or lists of outputs whose arg-max is taken; `target` is the true class |
//! | `unfaithfulness(full, kept[, options])` | number in [0, 1] | lists of outputs; the options are words, those of the parameters of `UnfaithfulnessMetric` |
//! | `groundtruth_accuracy(pred, target[, threshold])`, `groundtruth_precision`, `groundtruth_recall`, `groundtruth_f1` | number in [0, 1] | scores in [0, 1] of elements, and their truth |
//! | `groundtruth_auroc(pred, target[, threshold[, memory_mib]])` | number in [0, 1] | the same; exact |
//! | `groundtruth_auroc_binned(pred, target[, threshold[, bins]])` | struct `auroc`, `error_bound`, `n`, `n_null` | the same; in memory that does not grow |
//! | `pairwise_reproducibility(label, predictions[, empty_union])` | struct | a class, and the list of the classes that all runs predicted |
//! | `exact_sum(value)` | number | numbers |
//! | `exact_avg(value[, level])` | struct `mean`, `std`, `low`, `high`, `n`, `n_null`, `small_sample` | numbers |
//! | `nearest_cases(id, label, distance, k)` | struct of the lists `ids`, `labels`, `distances` | training rows beside a sample |
//! | `n_null(column, …)` | integer | up to eight columns of any type |
//! | `correspondence(distances, labels, predicted[, weighting])` | number in [0, 1] | scalar: lists of the neighbours' distances and classes, and a class |
//! | `feature_distance(a, b[, distance])` | number | scalar: two lists of features |
//! | `mask_inputs(inputs, explanations)` | list | scalar: the inputs of a model, and their attributions |
//! | `predicted_class(outputs)`, `class_score(outputs, class)` | integer; number | scalar: the outputs of a model, and a class |
//! | `class_detection(attributions, train_labels, test_class[, k])`, `subclass_detection`, `class_auroc`, `class_recall` | number in [0, 1] | scalar: the attributions of a test case to all training cases, their classes, and its class |
//! | `shortcut_detection(attributions, flags)`, `mixed_datasets` | number in [0, 1] | scalar: attributions, and which training cases are flagged |
//! | `mean_reciprocal_rank(attributions, relevant)`, `hit_at_k(attributions, relevant[, k])`, `recall_at_k` | number in [0, 1] | scalar: attributions, and which training cases are relevant |
//! | `attribution_randomization(attributions, random_attributions[, correlation])` | number in [−1, 1] | scalar: attributions, and those by a model with random weights |
//! | `leave_one_out_correlation(attributions, drops[, correlation])`, `linear_datamodeling_score(sums, outputs[, correlation])` | number in [−1, 1] | scalar: attributions and what retrained models say |
//! | `counterfactual_sparsity(query, counterfactual[, score[, tolerance]])` | number | scalar: two lists of features |
//! | `constraint_violation(query, counterfactual, changes[, score[, tolerance]])` | number | scalar: the same, and the change that each feature allows |
//! | `gower_distance(query, counterfactual, scales[, categorical[, zero_scale]])`, `heom_distance`, `mad_distance` | number | scalar: two lists of features, the scale of each, and which are categories |
//!
//! An option is a parameter of the library: its name, values and default are those of the metric, and so is what the
//! documentation of the function says of it.
//!
//! The aggregate functions work with `GROUP BY`, `FILTER` and as windows. Where the start of a frame
//! moves, rows are taken out of the state again; `unfaithfulness`, `exact_avg`, `groundtruth_auroc`,
//! `groundtruth_auroc_binned`, `pairwise_reproducibility` and `nearest_cases` hold the rows of the frame
//! instead and compute each value from all of them. `DISTINCT` is not supported.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> datafusion::error::Result<()> {
//! use datafusion::arrow::array::AsArray;
//! use datafusion::arrow::datatypes::Float64Type;
//! use datafusion::prelude::SessionContext;
//!
//! let session = SessionContext::new();
//! xai_datafusion::register(&session);
//! let sql = "SELECT average_drop(base, masked) FROM (VALUES (0.5, 0.25), (0.8, 0.9)) AS scores(base, masked)";
//! let rows = session.sql(sql).await?.collect().await?;
//! let drop = rows[0].column(0).as_primitive::<Float64Type>().value(0);
//! assert_eq!(drop, 0.25 / (0.5 + 1e-8) / 2.0);
//! # Ok(())
//! # }
//! ```
//!
//! # NULL
//!
//! A row in which an argument is NULL is skipped, and so is one with a list that holds a NULL. How many they are is in
//! the result where that is a struct with `n_null`; beside the other functions `n_null(base, masked)` counts them.
//! Without rows the value is NULL, and that of `n_null` is 0. (A struct with `n_null` is not NULL itself: its means
//! and areas are.) What the policy `'skip'` leaves out besides, `count(*) FILTER (WHERE base <= 0)` counts (for
//! `average_gain`: `base > 1`).
//!
//! # Types
//!
//! Integers and floating-point numbers of any width are numbers, integers and Booleans are classes;
//! any kind of list is a list. Single precision is kept where it matters (outputs, and scores that meet a
//! threshold). Any other type is a planning error that names the argument, and so is an option that is
//! no constant or not known, and lists of different lengths where the types of the columns tell them.
//! Classes that are texts have to be numbered first, as by `dense_rank() OVER (ORDER BY class)`.
//!
//! # Memory
//!
//! The state of a group is a few numbers: 32 bytes for a mean, whose sum is exact, as long as its values are of
//! ordinary size; counts for fidelity and ground truth. `exact_avg` needs 1.2 kB, `pairwise_reproducibility` counts of
//! every pair of runs, `groundtruth_auroc_binned` 4 to 8 bytes a row and no more than 16 a bin. `groundtruth_auroc`
//! holds all scores, 8 bytes each: those beyond its memory are written to disk as sorted runs (of a session whose
//! memory is limited when [`register`] is called, a share of that). Such a run is read by the process that wrote it.
//! So where stages run in several processes ([`Stages::SeveralProcesses`]) the first stage holds the scores of its
//! partition and sends them, and the stage that merges them writes runs: more partitions need less memory each.
//!
//! # Nearest cases
//!
//! In SQL, over any number of machines:
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> datafusion::error::Result<()> {
//! # use datafusion::arrow::array::AsArray;
//! # use datafusion::arrow::datatypes::Float64Type;
//! # let session = datafusion::prelude::SessionContext::new();
//! # xai_datafusion::register(&session);
//! let sql = "
//!     SELECT id, correspondence(nearest['distances'], nearest['labels'], predicted) AS correspondence
//!     FROM (
//!         SELECT s.id, s.predicted, nearest_cases(t.id, t.label, feature_distance(s.features, t.features), 2) AS nearest
//!         FROM (VALUES (1, 0, make_array(0.0, 0.0))) AS s(id, predicted, features)
//!         CROSS JOIN (VALUES (1, 0, make_array(0.0, 0.0)), (2, 1, make_array(1.0, 0.0)), (3, 1, make_array(5.0, 0.0)))
//!             AS t(id, label, features)
//!         GROUP BY s.id, s.predicted
//!     )";
//! let rows = session.sql(sql).await?.collect().await?;
//! assert_eq!(rows[0].column(1).as_primitive::<Float64Type>().value(0), 1.0 / 1.125);
//! # Ok(())
//! # }
//! ```
//!
//! [`ExplainCases`] does the same in blocks of samples and chunks of training rows, many times faster,
//! standardises features, and writes Parquet.
//!
//! # In other engines
//!
//! [`TwoStages`] divides a query into a stage for each part of the rows, and one for the states that these make: the
//! tasks of another engine run both.
//!
//! # Attributions to training cases
//!
//! A row of a table is a test case with the list of its attributions, as a data frame writes an array `(n_test,
//! n_train)`. A value is that of the test case; `exact_avg` of them is the value of the metric, with its interval, and
//! its `n_null` are the test cases without a value. Where a row is a pair of a test and a training case, `array_agg`
//! makes the lists:
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> datafusion::error::Result<()> {
//! # use datafusion::arrow::array::AsArray;
//! # use datafusion::arrow::datatypes::Float64Type;
//! # let session = datafusion::prelude::SessionContext::new();
//! # xai_datafusion::register(&session);
//! let sql = "
//!     SELECT test, class_detection(array_agg(attribution ORDER BY train), array_agg(label ORDER BY train), first_value(class), 2)
//!     FROM (VALUES (0, 0, 0.9, 0, 0), (0, 1, 0.4, 0, 0), (0, 2, 0.7, 1, 0)) AS pairs(test, train, attribution, label, class)
//!     GROUP BY test";
//! let rows = session.sql(sql).await?.collect().await?;
//! assert_eq!(rows[0].column(1).as_primitive::<Float64Type>().value(0), 0.5);
//! # Ok(())
//! # }
//! ```
//!
//! The engine holds `batch_size` rows at a time, of `8 n_train` bytes each: for long lists set
//! `datafusion.execution.batch_size` to less than its 8 192. Metrics that are no mean over test cases
//! (`mislabeling-detection`, `top-k-cardinality`, `brittleness`) are not among the functions, nor is `tail-patch`,
//! which does not read attributions.
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]

mod aggregate;
mod attribution;
mod casebased;
mod counterfactual;
#[cfg(feature = "distributed")]
pub mod distributed;
pub mod failure;
mod function;
mod graph;
pub mod help;
pub mod input;
mod memory_limit;
mod model;
mod register;
mod repro;
mod scalar;
mod sum;
mod two_stages;

pub use casebased::explain::{ExplainCases, ExplainedCases};
pub use function::Stages;
pub use memory_limit::MemoryLimit;
pub use register::{aggregates, queries_alone, register, register_all, scalars};
pub use two_stages::TwoStages;
