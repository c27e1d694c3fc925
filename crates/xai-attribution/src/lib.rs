//! Does the model still believe its answer on what an attribution map keeps?
//!
//! An attribution map says how much each part of an input mattered for a prediction. This crate
//! takes the model at its word: it shows the model what the map keeps, or what it leaves, and
//! watches the score. The model is anything that implements [`Model`]; closures do.
//!
//! # Which metric when
//!
//! | metric | asks | better |
//! |---|---|---|
//! | [`AverageDrop`] | how much of the score is lost when only what the map marks is kept? | lower |
//! | [`AverageIncrease`] | how often does the score rise then? | higher |
//! | [`AverageGain`] | how far towards certainty does it rise? | higher |
//! | [`Deletion`] | how fast does the score fall when the most important places go first? | lower |
//! | [`Insertion`] | how fast does it rise when they come back first? | higher |
//! | [`complexity`] | over how many places is the attribution spread (entropy)? | lower |
//! | [`sparseness`] | how unequal are the attributions (Gini index)? | higher |
//!
//! # What the numbers do not tell
//!
//! A masked input is unlike any the model was trained on; part of a drop is the model's reaction to
//! that. Compare maps of one model on one data set, not models. And a low drop does not make a map
//! right for people: it says that the model finds its answer in what the map keeps.
//!
//! ```
//! use ndarray::{Array2, ArrayViewD, Axis, array};
//! use xai_attribution::AverageDrop;
//! // A model that scores two classes by the sum of the first and of the other two features.
//! let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
//!     let rows = batch.outer_iter().flat_map(|x| [x[0], x[1] + x[2]]);
//!     Ok(Array2::from_shape_vec((batch.shape()[0], 2), rows.collect()).unwrap())
//! };
//! let inputs = array![[1.0, 2.0, 2.0], [4.0, 1.0, 1.0]].into_dyn();
//! let maps = array![[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]].into_dyn();
//! let drop = AverageDrop::new().evaluate(&model, inputs.view(), &[1, 0], maps.view())?;
//! // The first map keeps 2 of the score 4, the second all of 4.
//! assert!((drop.value - 0.25).abs() < 1e-7);
//! # Ok::<(), xai_attribution::Error>(())
//! ```
//!
//! # Features
//!
//! - `rayon` (default): masks in parallel, and the batches of base and masked
//!   scores of models wrapped in [`Concurrent`].
//!   Results are bit-identical without it.
//! - `serde`: results and states can be stored.
#![forbid(unsafe_code)]

mod average_drop;
mod average_gain;
mod average_increase;
mod baseline;
mod batch;
mod complexity;
mod deletion;
mod evaluation;
mod evaluation_error;
mod evaluation_metric;
mod evaluation_table;
mod explainer;
mod map_similarity;
mod masked_scores;
mod model;
mod model_randomization;
mod mu_fidelity;
mod places;
mod random_logit;
mod rank_correlation;
mod representativity;
mod sample_scores;
mod samples;
mod scoring;
mod sparseness;
mod stability;
mod structural_similarity;
mod targets;
mod wilcoxon;

pub use average_drop::AverageDrop;
pub use average_gain::AverageGain;
pub use average_increase::AverageIncrease;
pub use baseline::{Baseline, BaselineFunction};
pub use batch::{ExplainedBatch, SampleBatch};
pub use complexity::{Complexity, complexity};
pub use deletion::{CurvePoint, Deletion, Insertion, PerturbationCurve};
pub use evaluation::Evaluation;
pub use evaluation_error::{CompletedScores, EvaluationError};
pub use evaluation_metric::{Better, EvaluationMetric};
pub use evaluation_table::{
    Comparison, EvaluationScores, EvaluationTable, ExplainerScore, MetricResult, MetricScores,
    Statistics,
};
pub use explainer::Explainer;
pub use map_similarity::MapSimilarity;
pub use masked_scores::{MaskedScores, masked_scores, masked_scores_with_base};
pub use model::{BoxError, Concurrent, Counted, Model, ModelCalls};
pub use model_randomization::{ModelRandomization, RandomizationOrder, RandomizationStep};
pub use mu_fidelity::{MuFidelity, SubsetSampling};
pub use random_logit::RandomLogit;
pub use rank_correlation::spearman;
pub use representativity::{MegeReco, Representativity};
pub use sample_scores::{
    BaseScorePolicy, SampleScores, ScoreAccumulator, ScoreFormula, ScoreMetric,
};
pub use samples::Samples;
pub use scoring::{Scoring, base_scores};
pub use sparseness::{Sparseness, sparseness};
pub use stability::{MapDistance, MapDistanceFunction, Neighborhood, Stability, StabilityScores};
pub use structural_similarity::structural_similarity;
pub use targets::{IntoTargets, Targets};
pub use wilcoxon::{SignedRankTest, holm, wilcoxon_signed_rank};
pub use xai_core::{
    Accumulator, Activation, Error, Interval, Label, Layout, Real, Result, mask_inputs,
};
