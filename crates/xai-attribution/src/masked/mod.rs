//! Any modality: a model that is asked by which features are kept.
//!
//! A perturbation metric needs one thing of a model: the score of a sample when some of its features are
//! removed. What a feature is, and how one is removed, is the business of a [`MaskedModel`]: tokens of a text
//! that are deleted, or replaced by a mask token; stretches of a series that are silenced; the sources of an
//! answer; the nodes of a graph. Samples may have different numbers of features.
//!
//! ```
//! use ndarray::{Array2, ArrayView2};
//! use xai_attribution::Deletion;
//! use xai_attribution::evaluation::Statistics;
//! use xai_attribution::masked::MaskedEvaluation;
//! // Two texts of three and two tokens. The score of a text is the sum of the weights of the tokens that are kept.
//! let weights: [&[f64]; 2] = [&[4.0, 0.0, 1.0], &[1.0, 2.0]];
//! let model = |samples: &[usize], kept: ArrayView2<'_, bool>| -> Result<Array2<f64>, std::fmt::Error> {
//!     let score = |row: usize| -> f64 {
//!         let tokens = weights[samples[row]].iter().zip(kept.row(row));
//!         tokens.map(|(weight, kept)| if *kept { *weight } else { 0.0 }).sum()
//!     };
//!     Ok(Array2::from_shape_fn((samples.len(), 1), |(row, _)| score(row)))
//! };
//! let values = MaskedEvaluation::new(&model, &[3, 2])
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
//! Every metric that removes features, or puts them back: curves (deletion, insertion, symmetric relevance gain,
//! region perturbation, comprehensiveness, rationale sufficiency, naopc, monotonicity, effective complexity), IROF, whose
//! segments are then the features, drops of single features and of subsets (faithfulness estimate, violations, non-sensitivity, completeness,
//! μFidelity, sensitivity-n, f-fidelity; infidelity with [`GivenSubsets`](crate::perturbation::GivenSubsets)), outputs without the top features (log-odds,
//! cross-entropy, masked accuracy, output MAE and MSE), and all that read maps alone. A
//! metric that sets features to other values, or scales them, is refused. Metrics of robustness need an explainer of
//! inputs, which there are none of.
//!
//! # What a value means
//!
//! Each sample is judged as if it were alone: steps, shares and subsets are of its own features, and its value does not depend
//! on the samples beside it. The value of the data set is the mean over samples. There is a mean curve only where all
//! samples have the same number of features.

mod budget;
mod cached_model;
mod evaluation;
mod model;

pub use cached_model::CachedModel;
pub use evaluation::MaskedEvaluation;
pub use model::MaskedModel;
