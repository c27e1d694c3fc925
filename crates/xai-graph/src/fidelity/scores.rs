//! The result of fidelity, and the metrics that are read from it.

use std::fmt;

use xai_core::Input;
use xai_core::describe::{Range, Score, Scores};

use crate::fidelity::characterization::Characterization;
use crate::input;

/// How a prediction changes when the explanation is taken away, and when it alone is left.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fidelity {
    /// fid₊ in [0, 1]: how much changes without the explanation. 1 = necessary.
    pub pos: f64,
    /// fid₋ in [0, 1]: how much changes with nothing but the explanation. 0 = sufficient.
    pub neg: f64,
    /// The number of samples compared.
    pub n_samples: u64,
}

impl Fidelity {
    /// The [characterization score](Characterization) with weights ½ and ½.
    #[must_use]
    pub fn characterization(&self) -> f64 {
        Characterization::new().of_checked(self.pos, self.neg)
    }
}

impl fmt::Display for Fidelity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "fidelity over {} samples: fid+ {:.4} (1 = necessary), fid- {:.4} (0 = sufficient), \
             characterization {:.4}",
            self.n_samples,
            self.pos,
            self.neg,
            self.characterization()
        )
    }
}

const NEEDS: &[Input] = &[input::FULL, input::KEPT, input::COMPLEMENT];
const SOURCE: &str = "Amara et al. 2022, arXiv 2206.09677";

impl Scores for Fidelity {
    const SCORES: &'static [Score<Self>] = &[
        Score::new(
            "pos_fidelity",
            "Fidelity+",
            "How often does the prediction change when the explanation is taken away?",
            |fidelity: &Self| Some(fidelity.pos),
        )
        .higher_is_better()
        .range(Range::SHARE)
        .needs(NEEDS)
        .source(SOURCE),
        Score::new(
            "neg_fidelity",
            "Fidelity-",
            "How often does the prediction change when only the explanation is left?",
            |fidelity: &Self| Some(fidelity.neg),
        )
        .lower_is_better()
        .range(Range::SHARE)
        .needs(NEEDS)
        .source(SOURCE),
        Score::new(
            "characterization",
            "Characterization",
            "Is the explanation both necessary and sufficient?",
            |fidelity: &Self| Some(fidelity.characterization()),
        )
        .higher_is_better()
        .range(Range::SHARE)
        .needs(NEEDS)
        .source(SOURCE),
    ];
}
