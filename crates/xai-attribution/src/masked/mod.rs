//! Evaluation for any modality: models that are queried by which features are kept.
//!
//! Perturbation metrics need one thing from a model: the score of a sample when some of its features are removed. A
//! [`MaskedModel`] decides what a feature is and how it is removed: tokens of a text that are deleted or replaced by
//! a mask token, stretches of a series that are silenced, sources of an answer, nodes of a graph. Samples may have
//! different numbers of features.
//!
//! ```
//! use ndarray::Array2;
//! use xai_attribution::metric::Deletion;
//! use xai_attribution::table::Statistics;
//! use xai_attribution::masked::{MaskedBenchmark, masked_model_fn};
//! // Two texts of three and two tokens. The score of a text is the sum of the weights of the tokens that are kept.
//! let weights: [&[f64]; 2] = [&[4.0, 0.0, 1.0], &[1.0, 2.0]];
//! let model = masked_model_fn(|samples, kept| {
//!     let score = |row: usize| -> f64 {
//!         let tokens = weights[samples[row]].iter().zip(kept.row(row));
//!         tokens.map(|(weight, kept)| if *kept { *weight } else { 0.0 }).sum()
//!     };
//!     Ok(Array2::from_shape_fn((samples.len(), 1), |(row, _)| score(row)))
//! });
//! let values = MaskedBenchmark::new(&model, &[3, 2])
//!     .maps("weights", &weights)
//!     .values(|evaluation, _samples| evaluation.metric(Deletion::new()))?;
//! let table = values.table(&Statistics::default())?;
//! let deletion = table.result("weights", "deletion").unwrap();
//! // 5, 1, 0, 0 without 0 to 3 tokens; 3, 1, 0 without 0 to 2: the areas under them.
//! assert_eq!(deletion.per_sample, [Some(3.5 / 3.0), Some(2.5 / 2.0)]);
//! # Ok::<(), xai_attribution::Error>(())
//! ```
//!
//! # Which metrics
//!
//! All metrics that remove features or add them back: curves (deletion, insertion, symmetric relevance gain, region
//! perturbation, comprehensiveness, rationale sufficiency, NAOPC, monotonicity, effective complexity), IROF with the
//! features as segments, drops of single features and of subsets (faithfulness estimate, violations, non-sensitivity,
//! completeness, μFidelity, sensitivity-n, F-Fidelity; infidelity with
//! [`PrecomputedSubsets`](crate::perturbation::PrecomputedSubsets)), outputs without the top features (log-odds,
//! cross-entropy, masked accuracy, output MAE and MSE), and all metrics of maps alone. Metrics that set features to
//! other values or scale them are refused. Metrics of robustness are not available, because they need an explainer of
//! inputs.
//!
//! # How samples are evaluated
//!
//! Each sample is evaluated independently of the others: steps, shares and subsets refer to its own features. The
//! value of the data set is the mean over samples. A mean curve only exists if all samples have the same number of
//! features.

mod benchmark;
mod budget;
mod cached_model;
mod model;

pub use benchmark::MaskedBenchmark;
pub use cached_model::CachedModel;
#[doc(hidden)]
pub use model::MaskedJob;
pub use model::{MaskedModel, MaskedModelMut, masked_model_fn, masked_model_fn_mut};
