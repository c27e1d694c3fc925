//! Metrics of attribution maps.
//!
//! An attribution map says how much each part of an input contributed to a prediction. The metrics tell whether maps
//! are right about the model, for inputs of any kind: images, tables, texts, time series. Maps are arrays, and the
//! model is a closure from a batch of inputs to outputs, so any runtime can be used.
//!
//! | question | metrics to begin with |
//! |---|---|
//! | Which explainer is to be trusted on this model? | [`SymmetricRelevanceGain`](metric::SymmetricRelevanceGain), in a [`Benchmark`] of several explainers |
//! | Does the score fall without what the map marks? | [`Deletion`](metric::Deletion), [`Insertion`](metric::Insertion), [`AverageDrop`](metric::AverageDrop) |
//! | Are the sizes of attributions right? | [`MuFidelity`](metric::MuFidelity), [`Completeness`](metric::Completeness), [`Infidelity`](metric::Infidelity) |
//! | Does the map change when the input hardly does? | [`AverageStability`](metric::AverageStability), [`LocalLipschitz`](metric::LocalLipschitz) |
//! | Does it depend on the model at all? | [`ModelRandomization`](metric::ModelRandomization), [`RandomLogit`](metric::RandomLogit) |
//! | Does it mark what people would mark? | [`RelevanceMassAccuracy`](metric::RelevanceMassAccuracy), [`PointingGame`](metric::PointingGame), [`RationaleAuprc`](metric::RationaleAuprc) |
//! | Is it simple enough to read? | [`Sparseness`](metric::Sparseness), [`Complexity`](metric::Complexity) |
//!
//! [The guide](guide) has all of them and tells which tend to disagree, and why. Compare maps of one model on one data
//! set, with a random map among them, and read the intervals as well as the means.
//!
//! # Example
//!
//! ```
//! use ndarray::{Array2, ArrayViewD, array};
//! use xai_attribution::{Benchmark, metric::{AverageDrop, Deletion}};
//! let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
//!     Ok(batch.into_dimensionality().unwrap().to_owned())
//! };
//! let inputs = array![[0.8, 0.2], [0.4, 0.6], [0.9, 0.1]];
//! let good = array![[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]];
//! let bad = array![[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
//! let table = Benchmark::new(&model, inputs.view(), &[0, 1, 0])
//!     .maps("good", good.view())
//!     .maps("bad", bad.view())
//!     .metric(AverageDrop::default())
//!     .metric(Deletion::default())
//!     .evaluate()?;
//! // Explainers by their index, the best first: "good" (0), then "bad" (1).
//! assert_eq!(table.metric("deletion").unwrap().ranking, [0, 1]);
//! println!("{table}");
//! # Ok::<(), xai_attribution::Error>(())
//! ```
//!
//! One metric of one set of maps is computed by [`Evaluate::evaluate`], for example
//! `AverageDrop::new().evaluate(&model, inputs, &targets, maps)`.
//!
//! # Models of other libraries
//!
//! A model is a function from slices to outputs, whatever library computes them. The imports are those of the whole
//! programs.
//!
//! ```ignore
//! // candle
//! use candle_core::{Device, Module, Tensor, Var};
//! use xai_attribution::model::{slice_explainer_fn, slice_model_fn};
//!
//! let model = slice_model_fn(|rows: &[f32], shape| {
//!     let batch = Tensor::from_slice(rows, shape, &Device::Cpu)?;
//!     Ok(network.forward(&batch)?.flatten_all()?.to_vec1::<f32>()?)
//! });
//!
//! // ONNX Runtime
//! use ort::session::Session;
//! use ort::value::TensorRef;
//! use xai_attribution::model::{Images, slice_model_fn_mut};
//!
//! let environment = ort::init_from(library)?.build()?;
//! let mut session = Session::builder(&environment)?.commit_from_memory(onnx)?;
//! let model = slice_model_fn_mut(|values: &[f32], shape| {
//!     let batch = TensorRef::from_array_view((shape.to_vec(), values))?;
//!     let outputs = session.run(ort::inputs![batch])?;
//!     Ok(outputs[0].try_extract_tensor::<f32>()?.1.to_vec())
//! });
//!
//! // linfa
//! use linfa::prelude::*;
//! use xai_attribution::model::{samples_from_slice, slice_model_fn};
//!
//! let model = slice_model_fn(|rows: &[f64], shape| {
//!     let rows = ndarray::ArrayView2::from_shape((shape[0], shape[1]), rows)?;
//!     Ok(regression.predict(&rows).to_vec())
//! });
//! ```
//!
//! [`examples/adapters`](https://github.com/xai-metrics/xai-metrics/tree/main/examples/adapters) has programs for
//! candle and burn (also with gradients as explanations), ONNX Runtime, tract, linfa, smartcore, and photos and masks
//! of the crate `image`. With [`SinglePrecision`](model::SinglePrecision), a model of `f32` is evaluated on maps of
//! `f64`. With [`masked`], a model of texts is called with the tokens that are kept.
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | [`guide`](mod@guide) | which metric answers which question |
//! | [`metric`] | the metrics, each with its formula, extremes, limits and source |
//! | [`model`] | what a model, an explainer, samples and targets may be |
//! | [`masked`] | models of any modality, which are called with the features that are kept |
//! | [`table`] | results of a benchmark: explainers by metrics, with intervals and paired tests |
//! | [`scores`] | scores of the model for whole and masked inputs, without a metric |
//! | [`side`] | further inputs of some metrics: masks, segments, second maps |
//! | [`perturbation`] | baselines, removal orders, subsets and neighbours: the options of metrics |
//! | [`map`] | similarities and distances of maps |
//! | [`stop`] | stopping an evaluation from another thread or an async runtime |
//!
//! For authors of metrics and programs: [`batch`] (the data that a metric reads, and work that metrics share; begin
//! with [`Measure`](metric::Measure)), [`input`] and [`help`] (names and advice in errors), [`metric::registry`],
//! [`FAMILY`] and [`INPUTS`] (metrics and inputs by name).
//!
//! # Limits of interpretation
//!
//! A masked input differs from all inputs that the model was trained on, and part of a drop is the model's reaction
//! to that. A low drop does not make a map convincing for people: it only says that the part the map keeps is
//! sufficient for the model. A significant difference may still be too small to matter.
//!
//! # Arrays
//!
//! Signatures use the version of `ndarray` that is re-exported as [`ndarray`]. Arrays of another version, such as those
//! of `linfa`, are passed as slices: `ndarray::ArrayView2::from_shape(x.dim(), x.as_slice().unwrap())`.
//!
//! # Features
//!
//! - `rayon` (default): masks and perturbations in parallel, and the batches of models wrapped in
//!   [`Concurrent`](model::Concurrent). Results are bit-identical without it.
//! - `serde`: serialization of results and states.
//! - `f32`: single precision for metrics that are created by name ([`metric::Entry::build`]). Metrics created by
//!   their type support both precisions without this feature, which doubles the compile time of the registry.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod batch;
mod benchmark;
mod error;
mod family;
pub mod guide;
pub mod help;
pub mod input;
mod inputs;
pub mod map;
pub mod masked;
pub mod metric;
pub mod model;
pub mod perturbation;
mod rows;
mod run;
pub mod scores;
pub mod side;
pub mod table;

#[doc(no_inline)]
pub use ndarray;
#[doc(inline)]
pub use xai_core::stop;

pub use batch::data::EvaluationData;
pub use batch::plan::PlannedRows;
pub use benchmark::Benchmark;
pub use error::{CompletedScores, EvaluationError};
pub use family::FAMILY;
pub use inputs::{INPUTS, InputArray, input_spec};
pub use run::standalone::{Evaluate, WithScoring, evaluate_together};
pub use xai_core::{Accumulator, Activation, Error, ErrorKind, InputLayout, Real, Result};

// These types can be sent to other threads and shared between them.
const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<metric::AverageDrop>();
    crosses_threads::<perturbation::Baseline>();
    crosses_threads::<metric::Deletion>();
    crosses_threads::<EvaluationError>();
    crosses_threads::<metric::MetricValue>();
};
