//! What a search through a tree does, counted.

use std::iter::Sum;

/// Looks on while a tree is searched.
pub(crate) trait Watch {
    /// The boxes of a node are compared.
    fn node(&mut self) {}

    /// The rows of a leaf are compared.
    fn leaf(&mut self) {}

    /// A row is near enough to be offered a place.
    fn offer(&mut self) {}
}

/// Nobody looks on.
impl Watch for () {}

/// Visits, of one query or of many.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Effort {
    pub(crate) nodes: f64,
    pub(crate) leaves: f64,
    /// Rows that were offered a place among the nearest.
    pub(crate) offers: f64,
}

impl Watch for Effort {
    fn node(&mut self) {
        self.nodes += 1.0;
    }

    fn leaf(&mut self) {
        self.leaves += 1.0;
    }

    fn offer(&mut self) {
        self.offers += 1.0;
    }
}

impl Sum for Effort {
    fn sum<I: Iterator<Item = Self>>(efforts: I) -> Self {
        efforts.fold(Self::default(), |sum, effort| Self {
            nodes: sum.nodes + effort.nodes,
            leaves: sum.leaves + effort.leaves,
            offers: sum.offers + effort.offers,
        })
    }
}
