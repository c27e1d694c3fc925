//! The counterfactuals that count.

use xai_core::describe::{Parameter, Parameters};

/// The counterfactuals that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "rows")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Rows {
    /// Rows with the wanted class, if that is known; otherwise all.
    #[default]
    Valid,
    /// All.
    All,
}

/// Aggregation of the counterfactuals of a query to one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "over")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Over {
    /// Their mean.
    #[default]
    Mean,
    /// The best of them, by the direction of the metric.
    Best,
}

/// Counterfactuals that count, and their aggregation to one value per query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameters)]
pub struct Selection {
    /// Counterfactuals that count.
    pub(crate) rows: Rows,
    /// Aggregation of the counterfactuals of a query to one value.
    pub(crate) over: Over,
}
