//! The value, and what is behind it.

use std::collections::BTreeMap;
use std::fmt;

use xai_core::describe::{Range, Score, Scores};

use crate::correspondence::level::Level;
use crate::input;

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

impl Scores for Correspondence {
    const SCORES: &'static [Score<Self>] = &[Score::new(
        "correspondence",
        "Correspondence",
        "Which share of the nearest training rows' weight has the predicted class?",
        |found: &Self| found.score,
    )
    .higher_is_better()
    .range(Range::SHARE)
    .needs(&[input::DISTANCES, input::LABELS, input::PREDICTED])
    .source("`compute_correspondence` of case-explainer 0.2.0")];
}

impl fmt::Display for Correspondence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.score {
            Some(score) => write!(f, "{:.2}% ({})", 100.0 * score, self.level),
            None => write!(f, "{}", self.level),
        }
    }
}
