//! Metrics for counterfactual explanations and algorithmic recourse.
//!
//! A counterfactual is a changed copy of a query that the model assigns to another class: "had your income been 5,000
//! higher, the loan would have been granted". This crate measures sets of counterfactuals, however they were made:
//! whether they are valid, near, diverse, plausible, actionable and robust.
//!
//! Begin with [`Validity`](metric::Validity), [`Proximity`](metric::Proximity), [`Ynn`](metric::Ynn) and
//! [`ConstraintViolation`](metric::ConstraintViolation), one for each of the questions that almost every study asks: is
//! it valid, near, like real data, and possible?
//!
//! | question | needed beside queries and counterfactuals | metrics |
//! |---|---|---|
//! | Does every query have a counterfactual? | nothing | [`Coverage`](metric::Coverage) |
//! | Is it valid? | the model's predictions | [`Validity`](metric::Validity), [`TargetConfidence`](metric::TargetConfidence) |
//! | Is it near? | nothing; training rows (`RelativeDistance`); costs of features (`Cost`) | [`Proximity`](metric::Proximity), [`Sparsity`](metric::Sparsity); [`RelativeDistance`](metric::RelativeDistance); [`Cost`](metric::Cost) |
//! | Does it look like real data? | training rows | [`Ynn`](metric::Ynn) (share of the nearest training rows that have its class), [`NearestDistance`](metric::NearestDistance), [`LocalOutlierFactor`](metric::LocalOutlierFactor), [`Connectedness`](metric::Connectedness), [`NeighborRatio`](metric::NeighborRatio), [`TrustScore`](metric::TrustScore) |
//! | Does it look like real data? | reconstructions by autoencoders | [`Im1`](metric::Im1), [`Im2`](metric::Im2) (the interpretability metrics IM1 and IM2) |
//! | Is it possible? | constraints of features | [`ConstraintViolation`](metric::ConstraintViolation), [`InDomain`](metric::InDomain), [`CausalConsistency`](metric::CausalConsistency) |
//! | Are several for one query different? | nothing | [`Diversity`](metric::Diversity), [`DppDiversity`](metric::DppDiversity) (determinant of their similarities, as in a determinantal point process), [`DistinctChanges`](metric::DistinctChanges) |
//! | Do they show where the boundary is? | training rows with labels, and predictions | [`DiscriminativePower`](metric::DiscriminativePower) |
//! | Is every change needed? | the model | [`Redundancy`](metric::Redundancy) |
//! | Does it stay valid? | predictions under noise or by other models | [`NoiseInvalidation`](metric::NoiseInvalidation), [`ModelValidity`](metric::ModelValidity) |
//! | Do two methods or runs agree? | the counterfactuals of another method or run | [`SetDistance`](metric::SetDistance), [`ChangeAgreement`](metric::ChangeAgreement) |
//! | Are groups of queries treated alike? | values of a metric, and groups | [`group_gap`](metric::group_gap) |
//!
//! [`registry`] describes them all, with formulas, ranges and sources.
//!
//! ```
//! use ndarray::array;
//! use xai_counterfactual::metric::{Proximity, Validity, Ynn};
//! use xai_counterfactual::{
//!     CounterfactualData, CounterfactualMetric, Feature, Reference, Schema, input,
//! };
//!
//! let features = vec![Feature::numeric(0).range(0.0, 10.0), Feature::categorical(1)];
//! let schema = Schema::new(2, features)?;
//! let train = array![[1.0, 0.0], [2.0, 0.0], [8.0, 1.0], [9.0, 1.0]];
//! let reference = Reference::new(schema.clone(), train.view(), Some(&[0, 0, 1, 1]))?;
//!
//! let queries = array![[2.0, 0.0]];
//! let counterfactuals = array![[7.0, 0.0], [8.0, 1.0]];
//! let data = CounterfactualData::new(&schema, queries.view(), counterfactuals.view(), &[0, 0])?
//!     .reference(&reference)?
//!     .classes(input::CLASS, &[0])?
//!     .classes(input::PREDICTED, &[0, 1])?;
//!
//! assert_eq!(Validity::new().evaluate(&data)?.value, Some(0.5));
//! // Only the second row has another class, so only it counts.
//! // It changes the number by 6 of 10, and the category: (0.6 + 1) / 2.
//! assert_eq!(Proximity::new().evaluate(&data)?.value, Some(0.8));
//! assert_eq!(Ynn::new().k(2).evaluate(&data)?.value, Some(1.0));
//! # Ok::<(), xai_core::Error>(())
//! ```
//!
//! # Which rows count
//!
//! If validity is known, only valid rows count (`rows = valid`): the distance of a row that fails is no distance of a
//! counterfactual. Read every mean with [`Coverage`](metric::Coverage), and compare methods on the queries that both
//! answered.
//!
//! # Modules
//!
//! - At the root: [`Schema`] and its [`Feature`]s, [`CounterfactualData`] with what is known about the rows,
//!   [`Reference`] for training rows, [`CounterfactualValues`] for results, [`Selection`] for the rows that count;
//!   [`edit_distance()`] of texts, and [`nearest_unlike_neighbors`] as counterfactuals to compare with.
//! - [`metric`]: the metrics, and [`CounterfactualMetric`] for your own.
//! - [`registry`]: the metrics by name and with settings such as `ynn(k=3)`, and the table of all metrics.
//! - [`input`]: names of the inputs, for [`CounterfactualData`] and in errors.
//! - [`stop`]: stopping work from another thread.
//!
//! # Features
//!
//! - `rayon` (default): parallel loops. Results are bit-identical without it.
//! - `serde`: schemas and results can be stored.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]

mod data;
mod density;
mod distance;
mod edit_distance;
mod given;
pub mod input;
pub mod metric;
mod neighborhood;
mod own_neighbors;
mod reference;
pub mod registry;
mod schema;
mod searches;
mod selection;
mod unlike;
mod values;

pub use data::{CounterfactualData, ModelFunction, Rule};
pub use distance::{DistanceOptions, MadScale, MixedDistance, RowDistance, ZeroScale};
pub use edit_distance::{EDIT_DISTANCE, EditDistance, edit_distance, edit_distances};
pub use given::{InputArray, spec};
pub use metric::CounterfactualMetric;
pub use reference::Reference;
pub use registry::FAMILY;
pub use schema::{Change, Feature, FeatureKind, Schema};
pub use selection::{Over, Rows, Selection};
pub use unlike::nearest_unlike_neighbors;
pub use values::CounterfactualValues;
pub use xai_core::{Error, ErrorKind, Result};

#[doc(no_inline)]
pub use ndarray;
#[doc(inline)]
pub use xai_core::stop;
