//! Metrics of attribution maps: faithfulness, robustness, localization, complexity, agreement, axioms and sanity.
//!
//! An attribution map says how much each part of an input contributed to a prediction. Most metrics of this crate
//! change the input according to the map, call the model, and compare the scores. The model is anything that
//! implements [`Model`], for example a closure.
//!
//! # Which metric
//!
#![doc = include_str!("../GUIDE.md")]
//!
//! # All metrics
//!
#![doc = include_str!("../METRICS.md")]
//!
//! Most of them evaluate existing maps. [`Evaluation`] computes any of them for any number of explainers at once,
//! shares all model scores between them, and tests which differences are significant. Metrics that need an explainer
//! call it again. Some metrics have functions of their own: those of several models
//! ([`ModelRandomization`](metric::ModelRandomization), [`Representativity`](metric::Representativity)), of spans
//! ([`RationaleIouF1`](metric::RationaleIouF1), [`RationaleTokenF1`](metric::RationaleTokenF1)) and of given
//! ablations ([`ContextLds`](metric::ContextLds)).
//!
//! How scores are read from the model (activation, batch size, layout) is set for a run, by [`Evaluate`]; metrics
//! only have parameters of their own. A new metric is one file: see [`Measure`](metric::Measure), and [`batch`] for
//! the work that it can share with others.
//!
//! # Limits of interpretation
//!
//! A masked input differs from all inputs that the model was trained on, and part of a drop is the model's reaction
//! to that. Therefore compare maps of one model on one data set, not models. A low drop does not make a map
//! convincing for people: it only says that the part the map keeps is sufficient for the model. A significant
//! difference may still be too small to matter, so read the intervals as well as the tests.
//!
//! ```
//! use ndarray::{Array2, ArrayViewD, Axis, array};
//! use xai_attribution::{AverageDrop, Evaluate};
//! // A model that scores class 0 by the first feature, and class 1 by the sum of the other two.
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
//! - `rayon` (default): masks and perturbations in parallel, and the batches of models wrapped in [`Concurrent`].
//!   Results are bit-identical without it.
//! - `serde`: serialization of results and states.
//! - `f32`: single precision for metrics that are created by name ([`metric::Entry::build`]). Metrics created by
//!   their type support both precisions without this feature, which doubles the compile time of the registry.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod batch;
mod error;
pub mod evaluation;
mod family;
pub mod help;
pub mod input;
mod inputs;
pub mod map;
pub mod masked;
pub mod metric;
pub mod model;
pub mod perturbation;
mod rows;
pub mod run;

pub use evaluation::Evaluation;
pub use family::FAMILY;
pub use inputs::{INPUTS, InputArray, input_spec};
pub use metric::{
    AverageDrop, AverageGain, AverageIncrease, BaseScorePolicy, Complexity, Deletion, Insertion,
    MuFidelity, Sparseness, complexity, sparseness,
};
pub use model::{Concurrent, Model, Scoring};
pub use perturbation::Baseline;
pub use run::{Evaluate, EvaluationError};
pub use xai_core::{Accumulator, Activation, Error, ErrorKind, InputLayout, Real, Result};

// These types can be sent to other threads and shared between them.
const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<AverageDrop>();
    crosses_threads::<Baseline>();
    crosses_threads::<Deletion>();
    crosses_threads::<EvaluationError>();
    crosses_threads::<metric::MetricValue>();
};
