//! The value, and what is behind it.

use std::collections::BTreeMap;
use std::fmt;

use crate::correspondence::level::Level;

/// Agreement of a prediction with its neighbours.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Correspondence {
    /// `W(predicted) / Σ_c W(c)` in [0, 1]: 1 = every neighbour has the predicted class, 0 = none.
    /// `None` without neighbours, or when all weigh 0.
    pub score: Option<f64>,
    /// The score in words.
    pub level: Level,
    /// How many neighbours were asked.
    pub n_neighbors: usize,
    /// `W(c)` of every class among the neighbours.
    pub class_weights_sum: BTreeMap<i64, f64>,
}

impl fmt::Display for Correspondence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.score {
            Some(score) => write!(f, "{:.2}% ({})", 100.0 * score, self.level),
            None => write!(f, "{}", self.level),
        }
    }
}
