//! Explains predictions by their nearest training cases, and evaluates explanations by training cases.
//!
//! For each prediction the crate finds the nearest training rows exactly, and computes the *correspondence*: the share
//! of their weight that rows of the predicted class have. 1 means that all nearest cases have the predicted class.
//!
//! ```
//! use xai_casebased::ndarray::array;
//! use xai_casebased::{CaseExplainer, Level};
//!
//! let train = array![[0.0, 1.0], [0.2, 0.9], [4.0, 5.0], [4.2, 5.1]];
//! let explainer = CaseExplainer::builder().k(2).fit(train.view(), &[0, 0, 1, 1])?;
//!
//! let explanation = explainer.explain(array![4.1, 5.0].view(), 1)?;
//! assert_eq!(explanation.correspondence.score, Some(1.0));
//! assert_eq!(explanation.level(), Level::High);
//! println!("{explanation}"); // a summary for people
//! # Ok::<(), xai_casebased::Error>(())
//! ```
//!
//! # Which metric?
//!
//! | question | use |
//! |---|---|
//! | Do the nearest training cases support this prediction? | [`CaseExplainer::explain`] |
//! | Do nearest cases from another index or a database support this prediction? | [`correspondence()`], [`CorrespondenceMetric`] |
//! | Are the least supported predictions of a test set more often wrong? | [`Audit`] |
//! | Does a method that scores training cases (influence functions, TracIn) name those whose removal changes the prediction? | [`data_attribution`] |
//!
//! Agreement with training cases is not correctness: they can agree with a wrong prediction. The value depends on the
//! scales of the features, the distance and `k`, so only compare values computed with the same settings. The levels
//! *high*, *medium* and *low* are conventions, not probabilities.
//!
//! # Modules
//!
//! - At the root: [`CaseExplainer`] and its [builder](CaseExplainerBuilder), its results ([`Explanation`], [`CaseArrays`],
//!   [`AggregateExplanation`], [`TrainingInfo`]), [`Audit`], and [`correspondence()`].
//! - [`similarity`]: similarities other than the distance between features: embeddings (hidden activations), leaves of a
//!   decision tree or a random forest.
//! - [`search`]: nearest-neighbour search on its own, exact or approximate.
//! - [`training`]: standardisation and metadata of training rows.
//! - [`mod@correspondence`]: parts of the correspondence.
//! - [`data_attribution`]: metrics of training-data attribution, and the table of [all metrics](data_attribution#all-metrics).
//! - [`stop`]: stopping a search from another thread or an async runtime.
//!
//! # Arrays
//!
//! Rows are [`ndarray`] views of `f32` or `f64`. If your program has another version of `ndarray`, or another array
//! type, pass slices: [`fit_slice`](CaseExplainerBuilder::fit_slice), [`explain_slice`](CaseExplainer::explain_slice),
//! [`explain_batch_slice`](CaseExplainer::explain_batch_slice).
//!
//! # Models of other libraries
//!
//! ```ignore
//! // Predictions of a decision tree of smartcore, and the training cases near to them
//! let predicted: Vec<i32> = tree.predict(&matrix(&samples)?)?;
//! let explainer = CaseExplainer::builder()
//!     .k(2)
//!     .fit_slice(&train, 2, &labels)?;
//! let explanations = explainer.explain_batch_slice(&samples, &predicted)?;
//! ```
//!
//! The whole program is in
//! [`examples/adapters`](https://github.com/xai-metrics/xai-metrics/tree/main/examples/adapters). Predictions, hidden
//! activations ([`Similarity`]) and leaves of trees may come from any library.
//!
//! # In a service
//!
//! Fit an explainer once and share it: it is `Send` and `Sync`, and explaining does not change it. A search computes
//! for micro- to milliseconds per sample, so run large batches, and searches over many rows, outside of the async
//! workers. A guard ends the search of a request that is dropped:
//!
//! ```
//! # use xai_casebased::stop::{StopFlag, stoppable};
//! # let explainer = xai_casebased::CaseExplainer::builder().k(1).fit_slice(&[0.0, 1.0, 4.0, 5.0], 2, &[0, 1])?;
//! # let explainer = std::sync::Arc::new(explainer);
//! # let (sample, predicted) = (vec![3.5, 5.0], 1);
//! # let request = async move {
//! let flag = StopFlag::new();
//! let _guard = flag.raise_on_drop();
//! let work = move || stoppable(&flag, || explainer.explain_slice(&sample, predicted));
//! let explanation = tokio::task::spawn_blocking(work).await???;
//! # Ok::<_, Box<dyn std::error::Error + Send + Sync>>(explanation)
//! # };
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # assert_eq!(runtime.block_on(request)?.cases[0].index, 1);
//! # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
//! ```
//!
//! [`stop`] has the whole program, and tells how soon a search ends.
//!
//! # Features
//!
//! - `rayon` (default): processes queries in parallel. Results are bit-identical without it.
//! - `serde`: results as JSON. The keys that differ from the fields are listed at [`Explanation`].
//! - `persistence`: stores a fitted explainer by `CaseExplainer::save` and `load`.
//! - `approximate`: adds a graph search for millions of rows with many features; its recall is measured.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod correspondence;
pub mod data_attribution;
mod explainer;
#[doc(hidden)]
pub mod help;
pub mod input;
mod registry;
pub mod result;
pub mod search;
pub mod similarity;
pub mod training;

pub use correspondence::class_weights::ClassWeights;
pub use correspondence::level::{Level, Thresholds};
pub use correspondence::metric::{CorrespondenceMetric, correspondence};
pub use correspondence::score::Correspondence;
pub use explainer::case_arrays::CaseOptions;
pub use explainer::case_explainer::CaseExplainer;
pub use explainer::choices::{CaseExplainerBuilder, RowDistance};
#[cfg(feature = "persistence")]
pub use explainer::persistence::SaveOptions;
pub use registry::FAMILY;
pub use result::aggregate::{Aggregate, AggregateExplanation};
pub use result::audit::{Audit, AuditReport};
pub use result::case_arrays::CaseArrays;
pub use result::explanation::{Case, Explanation};
pub use result::training_info::TrainingInfo;
pub use similarity::strategy::Similarity;

#[doc(no_inline)]
pub use ndarray;
#[doc(inline)]
pub use xai_core::distance::DistanceFunction;
#[doc(inline)]
pub use xai_core::stop;
#[doc(inline)]
pub use xai_core::{Accumulator, Distance, Error, ErrorKind, Kernel, Label, Result, Weighting};
#[doc(inline)]
pub use xai_neighbors::{CustomDistance, Engine, NeighborSearch};

// Checked at compile time, because a closure or a cell in a private field would silently remove `Send` or `Sync`.
const _: () = {
    const fn assert_send_sync<T: Send + Sync>() {}
    assert_send_sync::<Audit>();
    assert_send_sync::<CaseExplainer>();
    assert_send_sync::<CaseExplainerBuilder>();
    assert_send_sync::<CorrespondenceMetric>();
    assert_send_sync::<Explanation>();
};
