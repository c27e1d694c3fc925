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
//! | [`MuFidelity`] | does it fall as the attributions say, for random subsets? | higher |
//! | [`complexity()`] | over how many places is the attribution spread (entropy)? | lower |
//! | [`sparseness()`] | how unequal are the attributions (Gini index)? | higher |
//! | [`Stability`] | how far does the map move when the input moves a little? | lower |
//! | [`RandomLogit`] | does the map of another class look the same? | lower |
//! | [`ModelRandomization`] | does the map of a model of random numbers look the same? | lower |
//! | [`Representativity`] | do models that agree explain themselves alike (MeGe, ReCo)? | higher |
//!
//! The first eight judge maps that exist; [`Evaluation`] takes any of them for any number of
//! explainers at once, shares every score of the model, and says which differences are more than
//! chance. The last four ask the explainer, or several models, again.
//!
//! # What the numbers do not tell
//!
//! A masked input is unlike any the model was trained on; part of a drop is the model's reaction to
//! that. Compare maps of one model on one data set, not models. And a low drop does not make a map
//! right for people: it says that the model finds its answer in what the map keeps. A difference
//! that is more than chance may still be too small to matter: read the intervals beside the tests.
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
//! Two explainers side by side:
//!
//! ```
//! use ndarray::{Array2, ArrayViewD, array};
//! use xai_attribution::{AverageDrop, Deletion, Evaluation};
//! let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
//!     Ok(batch.into_dimensionality().unwrap().to_owned())
//! };
//! let inputs = array![[0.8, 0.2], [0.4, 0.6], [0.9, 0.1]];
//! let good = array![[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]];
//! let bad = array![[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
//! let table = Evaluation::new(&model, inputs.view(), &[0, 1, 0])
//!     .explainer("good", good.view())
//!     .explainer("bad", bad.view())
//!     .metric(AverageDrop::default())
//!     .metric(Deletion::default())
//!     .run()?;
//! assert_eq!(table.metric("deletion").unwrap().ranking, [0, 1]);
//! println!("{table}");
//! # Ok::<(), xai_attribution::Error>(())
//! ```
//!
//! # Features
//!
//! - `rayon` (default): masks and perturbations in parallel, and the batches of models wrapped in
//!   [`Concurrent`]. Results are bit-identical without it.
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
