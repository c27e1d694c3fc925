//! Which elements count as predicted, and what undefined statistics are.

use xai_core::describe::Parameter;

/// What a statistic is that divides nothing by nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ZeroDivision {
    /// No number.
    #[default]
    Undefined,
    /// 0, as in `PyTorch` Geometric.
    #[param(alias = "0")]
    Zero,
    /// 1.
    #[param(alias = "1")]
    One,
}

impl ZeroDivision {
    pub(crate) fn value(self) -> Option<f64> {
        match self {
            Self::Undefined => None,
            Self::Zero => Some(0.0),
            Self::One => Some(1.0),
        }
    }
}

/// Which elements of a mask count as predicted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Selection {
    /// Those above the threshold.
    #[default]
    Threshold,
    /// The `k` largest, ties to the lower index.
    #[param(plain, at_least = 1)]
    TopK(usize),
    /// As many as the truth has, the largest, ties to the lower index. Precision, recall and F1
    /// are one number then.
    TruthSize,
}
