//! What is counted of a pair of runs.

/// How two runs' errors fall together: a 2 × 2 table of `n` samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorTable {
    /// Samples that both get wrong.
    pub both: u64,
    /// Samples that the first gets wrong.
    pub first: u64,
    /// Samples that the second gets wrong.
    pub second: u64,
    /// All samples, at least 1.
    pub n_samples: u64,
}

impl ErrorTable {
    /// Samples that either gets wrong.
    #[must_use]
    pub fn union(&self) -> u64 {
        self.first + self.second - self.both
    }
}

/// On how many samples two runs predict the same, and how often each predicts each class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EqualPredictions<'a> {
    /// Samples on which both predict the same class.
    pub equal: u64,
    /// How often the first predicts each class.
    pub first: &'a [u64],
    /// How often the second predicts each class, in the same order.
    pub second: &'a [u64],
    /// All samples, at least 1.
    pub n_samples: u64,
}

/// The table of two runs' classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassTable<'a> {
    /// Its cells that are not 0, in no particular order.
    pub cells: &'a [Cell],
    /// How often the first run predicts each class: the row totals.
    pub rows: &'a [u64],
    /// How often the second run predicts each class: the column totals.
    pub columns: &'a [u64],
    /// All samples, at least 1.
    pub n_samples: u64,
}

/// A cell of a class table that is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cell {
    /// The class that the first run predicts, as a place among the row totals.
    pub row: u32,
    /// The class that the second run predicts, as a place among the column totals.
    pub column: u32,
    /// On how many samples.
    pub count: u64,
}
