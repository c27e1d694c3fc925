//! Meta-evaluation: can a metric be trusted on this data?
//!
//! All functions take tables of values of a metric, which may be of any family or computed by
//! another program. `values` have the shape `(explainers, samples)`: one row per explainer with one
//! value per sample, `None` where the metric is undefined. Only [`krippendorff_alpha`] takes
//! `(raters, units)`; where samples rank explainers, the samples are the raters.
//!
//! | available data | functions |
//! |---|---|
//! | values of one metric | [`kendall_w`], [`krippendorff_alpha_of_ranks`], [`rank_stability`], [`inter_method_reliability`] |
//! | values of two metrics | [`internal_consistency_reliability`] |
//! | values of one metric under several settings | [`parameter_sensitivity`] |
//! | values before and after a perturbation | [`intra_consistency`], [`inter_consistency`], [`MetaEvaluation`] |
//! | ratings of any kind | [`krippendorff_alpha`] |
//!
//! Limits: a metric on which samples agree may still measure the wrong property on all of them, and
//! no metric can rank explainers reliably that are equally good.
//!
//! ```
//! use xai_core::Direction;
//! use xai_core::reliability::{Draws, kendall_w, rank_stability};
//! // Two explainers on four samples; the first is better in three of them.
//! let values = [[0.9, 0.8, 0.7, 0.1], [0.5, 0.4, 0.6, 0.2]].map(|row| row.map(Some));
//! assert_eq!(kendall_w(&values)?.value, Some(0.25)); // rank sums 7 and 5
//! let stability = rank_stability(&values, Direction::Higher, Draws::default())?;
//! assert_eq!(stability.ranks, [1.0, 2.0]);
//! assert!(stability.top_share > Some(0.9)); // the fourth sample seldom outweighs the others
//! # Ok::<(), xai_core::Error>(())
//! ```
//!
#![doc = include_str!("../../METRICS.md")]

mod inter_consistency;
mod intra_consistency;
mod kendall_w;
mod krippendorff_alpha;
mod meta_consistency;
mod parameter_sensitivity;
mod perturbed;
mod rank_stability;
mod ranked_values;
mod table;

pub use inter_consistency::{InterConsistency, inter_consistency};
pub use intra_consistency::{IntraConsistency, intra_consistency};
pub use kendall_w::{EXPLAINERS_IN_ROWS, KendallW, kendall_w};
pub use krippendorff_alpha::{
    KrippendorffAlpha, RATERS_IN_ROWS, RatingLevel, krippendorff_alpha, krippendorff_alpha_of_ranks,
};
pub use meta_consistency::{IterationConsistency, MetaConsistency, MetaEvaluation};
pub use parameter_sensitivity::{ParameterSensitivity, parameter_sensitivity};
pub use perturbed::{PerturbationKind, PerturbedValues};
pub use rank_stability::{Draws, RankStability, rank_stability};
pub use ranked_values::{
    InterMethodReliability, InternalConsistencyReliability, RankedValues, inter_method_reliability,
    internal_consistency_reliability,
};
pub use table::EVALUATE_FEWER;

use crate::describe::{Family, Scores};

/// The metrics of metrics.
pub const FAMILY: Family = Family {
    name: "reliability",
    package: env!("CARGO_PKG_NAME"),
    title: "Metrics judged",
    summary: "Can a metric be trusted on this data?",
    metrics: || {
        [
            IntraConsistency::entries(),
            InterConsistency::entries(),
            MetaConsistency::entries(),
            KrippendorffAlpha::entries(),
            KendallW::entries(),
            InterMethodReliability::entries(),
            InternalConsistencyReliability::entries(),
            RankStability::entries(),
            ParameterSensitivity::entries(),
        ]
        .concat()
    },
    operations: &[],
    inputs: &[],
};
