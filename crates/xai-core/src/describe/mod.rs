//! Descriptions of metrics, parameters and inputs, and the registry of metrics.
//!
//! A [`MetricInfo`] describes a metric; the documented fields of a struct are its parameters, and the documented
//! variants of an enum the words that a parameter accepts. The derive macros [`Parameters`](macro@Parameters) and
//! [`Parameter`](macro@Parameter) generate setters, checks, error messages and conversions from text and typed values.
//! The command line, studies, Python and the tables of the documentation use the same descriptions.
//!
//! | type | describes |
//! |---|---|
//! | [`Param`] | a parameter: documentation, [`Kind`] and [`Value`]; [`with`] sets parameters by name |
//! | [`Score`], [`Scores`] | a metric that is read from a result, and the list of these |
//! | [`MetricEntry`] | a metric in a registry, with the family's way of computing it; [`find`] searches a list of them |
//! | [`Family`] | the metrics, operations and inputs of a crate; [`find_in_families`] searches several families |
//! | [`Setting`], [`Settings`] | metrics by name with values of parameters: `deletion(steps=20)` |
//!
//! ```
//! use xai_core::describe::{Parameter, Parameters, Value, with};
//!
//! /// Which position counts where several share the largest attribution.
//! #[derive(Debug, Clone, Copy, Default, PartialEq, Parameter)]
//! enum Ties {
//!     /// The lowest of them.
//!     #[default]
//!     Lowest,
//!     /// A hit by any of them is a hit.
//!     Any,
//! }
//!
//! /// Does the largest attribution lie on the object?
//! #[derive(Debug, Clone, Default, PartialEq, Parameters)]
//! struct PointingGame {
//!     /// How far beside the object still counts, in positions.
//!     #[param(at_least = 0)]
//!     radius: f64,
//!     /// Which position counts where several share the largest attribution.
//!     ties: Ties,
//! }
//!
//! let metric = PointingGame::default().radius(2.0);
//! let same = with(PointingGame::default(), [("radius", Value::from("2"))])?;
//! assert_eq!(metric, same);
//! let error = with(PointingGame::default(), [("ties", Value::from("none"))]).unwrap_err();
//! assert_eq!(error.to_string(), "ties = none: expected lowest or any");
//! let params = metric.params();
//! assert_eq!(params[1].doc, "Which position counts where several share the largest attribution.");
//! # Ok::<(), xai_core::Error>(())
//! ```

#[doc(hidden)]
pub mod ends;
mod entry;
mod family;
mod input_spec;
mod kind;
pub(crate) mod metric_info;
mod names;
mod parameters;
mod score;
mod settings;
mod value;

pub use entry::MetricEntry;
pub use family::{Family, FamilyMetric, Operation, find_in_families, metrics_of_families};
pub use input_spec::{Element, InputSpec};
pub use kind::{End, Kind, Range, Word, WordValue, same_word};
pub(crate) use metric_info::Direction;
pub use metric_info::{Described, Invariance, MetricInfo, Mirror, markdown};
pub use names::{Candidate, Candidates, NamedMetric, candidates, find, unknown_metric};
pub use parameters::{Param, Parameter, Parameters, parse, refused, unknown, with, word_of};
pub use score::{Score, Scores};
pub use settings::{Setting, Settings};
pub use value::Value;
pub use xai_derive::{Parameter, Parameters, metric};
