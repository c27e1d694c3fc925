//! The result of a sweep, and the metric that is read from it.

use std::fmt;

use xai_core::describe::{Range, Score, Scores};
use xai_core::{Interval, Result};

use crate::fidelity::curve_auc::fidelity_curve_auc;
use crate::input;

/// The scores of an explanation at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SweepPoint {
    /// The size: `k`, a share, a threshold, as the levels were given.
    pub level: f64,
    /// fid₊ in [0, 1].
    pub pos_fidelity: f64,
    /// 95 % interval of fid₊ over samples: [Wilson's](xai_core::statistics::wilson).
    #[cfg_attr(feature = "serde", serde(default))]
    pub pos_interval: Option<Interval>,
    /// fid₋ in [0, 1].
    pub neg_fidelity: f64,
    /// 95 % interval of fid₋ over samples: [Wilson's](xai_core::statistics::wilson).
    #[cfg_attr(feature = "serde", serde(default))]
    pub neg_interval: Option<Interval>,
    /// Both in one, in [0, 1], higher is better.
    pub characterization: f64,
    /// 95 % interval of the characterization over samples, by the
    /// [jackknife](xai_core::statistics::jackknife): `None` below two samples, and where no sample that
    /// is left out moves it, as at 0 and 1. Its ends may lie beyond [0, 1].
    #[cfg_attr(feature = "serde", serde(default))]
    pub characterization_interval: Option<Interval>,
    /// `1 − exp(−KL)` in [0, 1], lower is better.
    pub unfaithfulness: f64,
}

/// The scores of an explanation over its sizes.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SweepCurve {
    /// One point per level, in the order given.
    pub points: Vec<SweepPoint>,
    /// Area under fid₊/(1 − fid₋); `None` where fid₋ is 1 at some level, or with one level only.
    pub fidelity_auc: Option<f64>,
    /// The point of the highest characterization, the first of several.
    pub best: usize,
    /// The number of samples compared at each level.
    pub n_samples: u64,
}

impl SweepCurve {
    /// A curve of at least one point, over ascending levels.
    pub(crate) fn new(points: Vec<SweepPoint>, n_samples: u64) -> Result<Self> {
        let column = |of: fn(&SweepPoint) -> f64| points.iter().map(of).collect::<Vec<_>>();
        let (pos, neg) = (column(|p| p.pos_fidelity), column(|p| p.neg_fidelity));
        let defined = points.len() > 1 && neg.iter().all(|&neg| neg < 1.0);
        let fidelity_auc = match defined {
            true => Some(fidelity_curve_auc(&pos, &neg, &column(|p| p.level))?),
            false => None,
        };
        let mut best = 0;
        for (i, point) in points.iter().enumerate() {
            if point.characterization > points[best].characterization {
                best = i;
            }
        }
        Ok(Self {
            points,
            fidelity_auc,
            best,
            n_samples,
        })
    }
}

impl fmt::Display for SweepCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = "     level   fid+ ↑   fid- ↓   characterization ↑   unfaithfulness ↓";
        writeln!(f, "{header}\n{}", "─".repeat(header.chars().count()))?;
        for (i, point) in self.points.iter().enumerate() {
            let mark = if i == self.best { "  best" } else { "" };
            writeln!(
                f,
                "{:>10.4}   {:>6.4}   {:>6.4}   {:>18.4}   {:>16.4}{mark}",
                point.level,
                point.pos_fidelity,
                point.neg_fidelity,
                point.characterization,
                point.unfaithfulness,
            )?;
        }
        match self.fidelity_auc {
            Some(area) => write!(f, "area under fid+ / (1 - fid-): {area:.4}"),
            None => write!(f, "area under fid+ / (1 - fid-): undefined"),
        }
    }
}

impl Scores for SweepCurve {
    const SCORES: &'static [Score<Self>] = &[Score::new(
        "fidelity_auc",
        "Fidelity curve AUC",
        "How necessary and sufficient is the explanation over all its sizes?",
        |curve: &Self| curve.fidelity_auc,
    )
    .higher_is_better()
    .range(Range::NON_NEGATIVE)
    .needs(&[input::FULL, input::KEPT, input::COMPLEMENT, input::LEVELS])
    .source("PyTorch Geometric, fidelity_curve_auc")];
}
