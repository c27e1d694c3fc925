//! What is counted of each run by itself.

/// The number of errors and of each class, per run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct RunTotals {
    pub(crate) n_samples: u64,
    /// How many samples each run gets wrong.
    pub(crate) n_wrong: Vec<u64>,
    /// How often each run predicts each class, by code; no runs where predictions are not compared.
    pub(crate) class_counts: Vec<Vec<u64>>,
}

impl RunTotals {
    /// The number of runs.
    pub(crate) fn n_runs(&self) -> usize {
        self.n_wrong.len()
    }
}
