//! The inputs of the metrics, by which errors name them.

use xai_core::Input;
use xai_core::describe::{Element, InputSpec};

pub use xai_core::input::{MODEL, ROWS};

/// The rows that are explained, `(n, d)`.
pub const QUERIES: Input = Input::new("queries");
/// The counterfactuals, `(N, d)`.
pub const COUNTERFACTUALS: Input = Input::new("counterfactuals");
/// The query of each counterfactual, `(N,)`.
pub const QUERY: Input = Input::new("query");
/// The predicted class of each query, `(n,)`.
pub const CLASS: Input = Input::new("class");
/// The wanted class of each query, `(n,)`.
pub const TARGET: Input = Input::new("target");
/// The predicted class of each counterfactual, `(N,)`.
pub const PREDICTED: Input = Input::new("predicted");
/// Validity of each counterfactual: whether it has the wanted class, `(N,)`.
pub const VALID: Input = Input::new("valid");
/// The class of the training rows that each counterfactual is compared with, `(N,)`.
pub const ROW_CLASS: Input = Input::new("row_class");
/// The number of counterfactuals requested per query.
pub const REQUESTED: Input = Input::new("requested");
/// The probability of the target class of each counterfactual, `(N,)`.
pub const P_TARGET: Input = Input::new("p_target");
/// The probability of the target class of each query, `(n,)`.
pub const P_TARGET_QUERY: Input = Input::new("p_target_query");
/// The training rows, `(T, d)`.
pub const TRAIN: Input = Input::new("train");
/// The classes of the training rows, `(T,)`.
pub const TRAIN_LABELS: Input = Input::new("train_labels");
/// The counterfactuals of another method, `(M, d)`.
pub const OTHERS: Input = Input::new("others");
/// The query of each counterfactual of the other method, `(M,)`.
pub const OTHER_QUERY: Input = Input::new("other_query");
/// Distances between each query and its perturbed copy, `(n,)`.
pub const INPUT_DISTANCE: Input = Input::new("input_distance");
/// Reconstructions by the autoencoder of the target class, `(N, d)`.
pub const RECONSTRUCTION_TARGET: Input = Input::new("reconstruction_target");
/// Reconstructions by the autoencoder of the query's class, `(N, d)`.
pub const RECONSTRUCTION_ORIGIN: Input = Input::new("reconstruction_origin");
/// Reconstructions by the autoencoder of all classes, `(N, d)`.
pub const RECONSTRUCTION_ALL: Input = Input::new("reconstruction_all");
/// Predicted classes of noisy copies of each counterfactual, `(N, S)`.
pub const NOISY_PREDICTIONS: Input = Input::new("noisy_predictions");
/// Predicted classes of the counterfactuals by other models, `(J, N)`.
pub const MODEL_PREDICTIONS: Input = Input::new("model_predictions");
/// The features.
pub const SCHEMA: Input = Input::new("schema");
/// Rules between features, see [`Rule`](crate::Rule).
pub const CONSTRAINTS: Input = Input::new("constraints");
/// Repeated runs of a method, see [`CounterfactualData::run`](crate::CounterfactualData::run).
pub const RUNS: Input = Input::new("runs");
/// The number by which differences of each feature are divided.
pub const SCALES: Input = Input::new("scales");
/// Pairs of token sequences, before and after.
pub const SEQUENCES: Input = Input::new("sequences");
/// Numbers per query.
pub const VALUES: Input = Input::new("values");
/// The group of each query.
pub const GROUPS: Input = Input::new("groups");

/// The inputs that are arrays, and the model.
pub const INPUTS: &[InputSpec] = &[
    InputSpec::new(QUERIES, Element::Number, &["n", "d"], "Rows that are explained"),
    InputSpec::new(COUNTERFACTUALS, Element::Number, &["N", "d"], "Counterfactuals, any number per query").per_explainer(),
    InputSpec::new(QUERY, Element::Integer, &["N"], "Row number of each counterfactual's query, from 0").option("query_index").per_explainer(),
    InputSpec::new(TRAIN, Element::Number, &["T", "d"], "Training rows"),
    InputSpec::new(TRAIN_LABELS, Element::Class, &["T"], "Classes of the training rows: labels, or predictions of the model"),
    InputSpec::new(CLASS, Element::Class, &["n"], "Predicted class of each query"),
    InputSpec::new(TARGET, Element::Class, &["n"], "Wanted class of each query; without it, any other class is wanted"),
    InputSpec::new(PREDICTED, Element::Class, &["N"], "Predicted class of each counterfactual").per_explainer(),
    InputSpec::new(VALID, Element::Boolean, &["N"], "Whether each counterfactual has the wanted class; derived from the classes if they are given").per_explainer(),
    InputSpec::new(ROW_CLASS, Element::Class, &["N"], "Class of the training rows that each counterfactual is compared with; default: its target, or else its predicted class").per_explainer(),
    InputSpec::new(P_TARGET, Element::Number, &["N"], "Probability of the target class of each counterfactual").per_explainer(),
    InputSpec::new(P_TARGET_QUERY, Element::Number, &["n"], "Probability of the target class of each query"),
    InputSpec::new(OTHERS, Element::Number, &["M", "d"], "Counterfactuals of another method, or of another run").per_explainer(),
    InputSpec::new(OTHER_QUERY, Element::Integer, &["M"], "Row number of the query of each of them, from 0").per_explainer(),
    InputSpec::new(INPUT_DISTANCE, Element::Number, &["n"], "Distance between each query and its perturbed copy"),
    InputSpec::new(RECONSTRUCTION_TARGET, Element::Number, &["N", "d"], "Reconstructions of the counterfactuals by the target class's autoencoder").per_explainer(),
    InputSpec::new(RECONSTRUCTION_ORIGIN, Element::Number, &["N", "d"], "Reconstructions of the counterfactuals by the query class's autoencoder").per_explainer(),
    InputSpec::new(RECONSTRUCTION_ALL, Element::Number, &["N", "d"], "Reconstructions of the counterfactuals by the autoencoder of all data").per_explainer(),
    InputSpec::new(NOISY_PREDICTIONS, Element::Class, &["N", "S"], "Predicted classes of noisy copies of each counterfactual").per_explainer(),
    InputSpec::new(MODEL_PREDICTIONS, Element::Class, &["J", "N"], "Predicted classes of the counterfactuals by other models").per_explainer(),
    InputSpec::model(MODEL, Element::Model, "Model with a score for each class; its predictions replace those that are not given"),
];
