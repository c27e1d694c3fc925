//! One neighbour.

/// One neighbour of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Nearest {
    /// The training row.
    pub index: usize,
    /// Its distance to the query.
    pub distance: f64,
}

impl Nearest {
    /// Ascending distance, equal distances by lower training index: the order of every answer.
    pub(crate) fn precedes(&self, other: &Self) -> bool {
        self.distance < other.distance
            || (self.distance == other.distance && self.index < other.index)
    }
}
