//! An element by prediction and truth.

/// What one element counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CountedElement {
    /// Whether the mask selects it.
    pub is_predicted: bool,
    /// Whether it belongs to the truth.
    pub is_true: bool,
}
