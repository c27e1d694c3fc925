//! Metrics for counterfactual explanations and algorithmic recourse.
//!
//! A counterfactual is a changed copy of a query that the model assigns to another class: "had your income been 5,000
//! higher, the loan would have been granted". This crate measures sets of counterfactuals, however they were made:
//! whether they are valid, near, diverse, plausible, actionable and robust.
//!
//! | you have | metrics |
//! |---|---|
//! | queries and counterfactuals | [`Coverage`](metric::Coverage), [`Proximity`](metric::Proximity), [`Sparsity`](metric::Sparsity), [`Diversity`](metric::Diversity), [`DppDiversity`](metric::DppDiversity), [`DistinctChanges`](metric::DistinctChanges) |
//! | and the model's predictions | [`Validity`](metric::Validity), [`TargetConfidence`](metric::TargetConfidence) |
//! | and training rows | [`NearestDistance`](metric::NearestDistance), [`Ynn`](metric::Ynn), [`LocalOutlierFactor`](metric::LocalOutlierFactor), [`Connectedness`](metric::Connectedness), [`RelativeDistance`](metric::RelativeDistance), [`NeighborRatio`](metric::NeighborRatio), [`TrustScore`](metric::TrustScore), [`DiscriminativePower`](metric::DiscriminativePower) |
//! | and constraints of features | [`ConstraintViolation`](metric::ConstraintViolation), [`InDomain`](metric::InDomain), [`CausalConsistency`](metric::CausalConsistency), [`Cost`](metric::Cost) |
//! | and the model | [`Redundancy`](metric::Redundancy) |
//! | and predictions under noise or by other models | [`NoiseInvalidation`](metric::NoiseInvalidation), [`ModelValidity`](metric::ModelValidity) |
//! | and another method or run | [`SetDistance`](metric::SetDistance), [`ChangeAgreement`](metric::ChangeAgreement) |
//! | and reconstructions by autoencoders | [`Im1`](metric::Im1), [`Im2`](metric::Im2) |
//! | groups of queries | [`group_gap`](metric::group_gap) |
//!
//! ```
//! use ndarray::array;
//! use xai_counterfactual::metric::{Proximity, Validity, Ynn};
//! use xai_counterfactual::{CounterfactualData, CounterfactualMetric, Feature, Reference, Schema, input};
//!
//! let schema = Schema::new(2, vec![Feature::numeric(0).range(0.0, 10.0), Feature::categorical(1)])?;
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
//! // Only the second row has another class, so only it counts: 6 of 10 in one feature and another category in the other.
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
