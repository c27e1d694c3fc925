//! The result of fidelity, and the metrics that are read from it.

use std::fmt;

use xai_core::describe::Range;
use xai_core::{Direction, Input, MetricInfo};

use crate::fidelity::characterization;
use crate::input;
use crate::registry::metric::GraphMetric;

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
    /// The [characterization score](crate::characterization_score) with weights ½ and ½.
    #[must_use]
    pub fn characterization(&self) -> f64 {
        characterization::score(self.pos, self.neg, 0.5, 0.5)
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

/// fid₊.
pub static POS_FIDELITY: GraphMetric<Fidelity> = GraphMetric {
    info: MetricInfo {
        name: "pos_fidelity",
        title: "Fidelity+",
        question: "How often does the prediction change when the explanation is taken away?",
        direction: Direction::Higher,
        range: Range::SHARE,
        needs: NEEDS,
        source: SOURCE,
    },
    value: |fidelity| Some(fidelity.pos),
};

/// fid₋.
pub static NEG_FIDELITY: GraphMetric<Fidelity> = GraphMetric {
    info: MetricInfo {
        name: "neg_fidelity",
        title: "Fidelity-",
        question: "How often does the prediction change when only the explanation is left?",
        direction: Direction::Lower,
        range: Range::SHARE,
        needs: NEEDS,
        source: SOURCE,
    },
    value: |fidelity| Some(fidelity.neg),
};

/// The characterization score with equal weights.
pub static CHARACTERIZATION: GraphMetric<Fidelity> = GraphMetric {
    info: MetricInfo {
        name: "characterization",
        title: "Characterization",
        question: "Is the explanation both necessary and sufficient?",
        direction: Direction::Higher,
        range: Range::SHARE,
        needs: NEEDS,
        source: SOURCE,
    },
    value: |fidelity| Some(fidelity.characterization()),
};
