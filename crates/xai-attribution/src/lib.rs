//! Does the model still believe its answer on what an attribution map keeps?
//!
//! An attribution map says how much each part of an input mattered for a prediction. This crate
//! shows the model what the map keeps, or what it leaves, and reads the score. The model is anything
//! that implements [`Model`]; closures do.
//!
//! # Which metric
//!
#![doc = include_str!("../GUIDE.md")]
//!
//! # All metrics
//!
#![doc = include_str!("../METRICS.md")]
//!
//! Most of them judge maps that exist; [`Evaluation`] takes any of them for any number of explainers
//! at once, shares every score of the model, and says which differences are more than chance. Those
//! that need an explainer ask it again. Calls of their own have metrics of several models ([`ModelRandomization`](metric::ModelRandomization),
//! [`Representativity`](metric::Representativity)), of spans ([`RationaleIouF1`](metric::RationaleIouF1),
//! [`RationaleTokenF1`](metric::RationaleTokenF1)) and of given ablations ([`ContextLds`](metric::ContextLds)).
//!
//! How scores are taken (activation, batch size, layout) is set on the run, by [`Evaluate`]; a
//! metric has its own parameters only. Your own metric is one file: see
//! [`Measure`](metric::Measure), and [`batch`] for what it may share with others.
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
//! use xai_attribution::{AverageDrop, Evaluate};
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
//!     .maps("good", good.view())
//!     .maps("bad", bad.view())
//!     .metric(AverageDrop::default())
//!     .metric(Deletion::default())
//!     .evaluate()?;
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
//! - `f32`: metrics that are made by name ([`metric::Entry::build`]) in single precision, too. Metrics made by their type
//!   take both precisions without it; all of them by name take as long to compile once more.
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod batch;
mod error;
pub mod evaluation;
pub mod help;
pub mod input;
pub mod map;
pub mod masked;
pub mod metric;
pub mod model;
pub mod perturbation;
mod rows;
pub mod run;

pub use evaluation::Evaluation;
pub use metric::{
    AverageDrop, AverageGain, AverageIncrease, BaseScorePolicy, Complexity, Deletion, Insertion,
    MuFidelity, Sparseness, complexity, sparseness,
};
pub use model::{Concurrent, Model, Scoring};
pub use perturbation::Baseline;
pub use run::{Evaluate, EvaluationError};
pub use xai_core::{Accumulator, Activation, Error, ErrorKind, Layout, Real, Result};

// They may be sent to other threads, and shared among them.
const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<AverageDrop>();
    crosses_threads::<Baseline>();
    crosses_threads::<Deletion>();
    crosses_threads::<EvaluationError>();
    crosses_threads::<metric::MetricValue>();
};
