//! Boxes around rows, and how near a query each can come, eight boxes at a time.

use xai_core::simd::{InstructionSet, Simd, SimdKernel};

use crate::search::kernel::lanes::{Lanes, ROWS, largest_feature, sum_features};
use crate::search::kernel::rank::Rank;

/// Axis-aligned boxes in groups of eight.
#[derive(Debug, Clone)]
pub(crate) struct BoxBlocks {
    n_features: usize,
    rank: Rank,
    instructions: InstructionSet,
    /// `[group][feature][box]`
    low: Vec<f64>,
    high: Vec<f64>,
}

impl BoxBlocks {
    /// No boxes yet, for rows that are compared by this rank.
    pub(crate) fn new(n_features: usize, rank: Rank) -> Self {
        Self {
            n_features,
            rank,
            instructions: InstructionSet::fastest(),
            low: Vec::new(),
            high: Vec::new(),
        }
    }

    /// Adds a group of at most eight boxes, given by their corners; the rest are empty boxes, out
    /// of reach of every query.
    pub(crate) fn push(&mut self, corners: &[(&[f64], &[f64])]) {
        for feature in 0..self.n_features {
            for i in 0..ROWS {
                let corner = corners.get(i);
                self.low
                    .push(corner.map_or(f64::INFINITY, |c| c.0[feature]));
                self.high
                    .push(corner.map_or(f64::NEG_INFINITY, |c| c.1[feature]));
            }
        }
    }

    /// Adds the groups of others after these.
    pub(crate) fn join(&mut self, others: Self) {
        self.low.extend(others.low);
        self.high.extend(others.high);
    }

    /// The least rank that a row in each box of a group can have.
    ///
    /// A bound takes the rank's own operations in the rank's own order on differences that are no
    /// larger, and every one of them is monotone, rounding included: a bound never exceeds the rank
    /// of a row in its box, not even in the last bit. Ranks without such a bound get 0. Which of them
    /// are within a limit comes along, one bit each.
    #[inline]
    pub(crate) fn bounds(&self, group: usize, query: &[f64], limit: f64) -> (Lanes, u8) {
        let size = self.n_features * ROWS;
        self.instructions.run(Bounds {
            low: &self.low[group * size..(group + 1) * size],
            high: &self.high[group * size..(group + 1) * size],
            query,
            rank: self.rank,
            limit,
        })
    }
}

struct Bounds<'a> {
    low: &'a [f64],
    high: &'a [f64],
    query: &'a [f64],
    rank: Rank,
    limit: f64,
}

impl SimdKernel for Bounds<'_> {
    type Output = (Lanes, u8);

    #[inline(always)]
    fn run<S: Simd>(self) -> (Lanes, u8) {
        let Self {
            low, high, query, ..
        } = self;
        let bounds = match self.rank {
            Rank::SquaredEuclidean => box_sum(low, high, query, |x| x * x),
            Rank::Manhattan => box_sum(low, high, query, |x| x),
            Rank::Chebyshev => box_largest(low, high, query),
            _ => [0.0; ROWS],
        };
        (bounds, S::at_most(&bounds, self.limit))
    }
}

/// How far a coordinate is outside an interval.
#[inline(always)]
fn outside(low: f64, high: f64, q: f64) -> f64 {
    let (below, above) = (low - q, q - high);
    let outside = if below > above { below } else { above };
    if outside > 0.0 { outside } else { 0.0 }
}

/// `Σ term`, over the differences to the nearest points of eight boxes.
#[inline(always)]
fn box_sum(low: &[f64], high: &[f64], query: &[f64], term: impl Fn(f64) -> f64) -> Lanes {
    let ((low, _), (high, _)) = (low.as_chunks::<ROWS>(), high.as_chunks::<ROWS>());
    sum_features(query.len(), |feature, i| {
        term(outside(low[feature][i], high[feature][i], query[feature]))
    })
}

#[inline(always)]
fn box_largest(low: &[f64], high: &[f64], query: &[f64]) -> Lanes {
    let ((low, _), (high, _)) = (low.as_chunks::<ROWS>(), high.as_chunks::<ROWS>());
    largest_feature(query.len(), |feature, i| {
        outside(low[feature][i], high[feature][i], query[feature])
    })
}
