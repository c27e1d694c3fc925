//! Bounding boxes of rows, and lower bounds of the distance between a query and the rows in a box.

use xai_core::simd::{InstructionSet, Simd, SimdKernel};

use crate::kernel::lanes::{Lanes, ROWS, largest_feature, sum_features};
use crate::kernel::rank::Rank;

/// Axis-aligned boxes in groups of eight.
#[derive(Debug, Clone)]
pub(crate) struct BoxBlocks {
    n_features: usize,
    rank: Rank,
    instructions: InstructionSet,
    /// Lower corners, `[group][feature][box]`, so that a register holds one feature of eight boxes.
    low: Vec<f64>,
    /// Upper corners in the same layout.
    high: Vec<f64>,
}

impl BoxBlocks {
    /// Creates an empty list of boxes around rows that are compared by this rank.
    pub(crate) fn new(n_features: usize, rank: Rank) -> Self {
        Self {
            n_features,
            rank,
            instructions: InstructionSet::fastest(),
            low: Vec::new(),
            high: Vec::new(),
        }
    }

    /// Adds a group of at most eight boxes, given by their lower and upper corners. The group is filled up with
    /// empty boxes (from ∞ to −∞), whose bound is infinite for every query.
    pub(crate) fn push(&mut self, corners: &[(&[f64], &[f64])]) {
        // An infinite bound is still within an infinite limit, so searches check for absent children as well.
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

    /// Appends the groups of `others`.
    pub(crate) fn append(&mut self, others: Self) {
        self.low.extend(others.low);
        self.high.extend(others.high);
    }

    /// Lower bounds of the ranks of the rows in each box of a group, and a bit mask of the bounds that are at most
    /// `limit`.
    ///
    /// A bound is computed with the operations of the rank, in the same order, from differences that are no larger
    /// than those of any row in the box. Every operation is monotone, including its rounding, so a bound never
    /// exceeds the rank of a row in its box, not even in the last bit. The bound is 0 for ranks that have no such
    /// formula.
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

/// Kernel of [`BoxBlocks::bounds`] for one group.
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

/// Distance of a coordinate from an interval, 0 inside.
#[inline(always)]
fn outside(low: f64, high: f64, q: f64) -> f64 {
    // Comparisons compile to one `max` instruction each; `f64::max` would add instructions for NaN, which cannot occur.
    let (below, above) = (low - q, q - high);
    let outside = if below > above { below } else { above };
    if outside > 0.0 { outside } else { 0.0 }
}

/// `Σ term(x)` over the features of eight boxes, where `x` is the distance of the query's coordinate from the box.
#[inline(always)]
fn box_sum(low: &[f64], high: &[f64], query: &[f64], term: impl Fn(f64) -> f64) -> Lanes {
    let ((low, _), (high, _)) = (low.as_chunks::<ROWS>(), high.as_chunks::<ROWS>());
    sum_features(query.len(), |feature, i| {
        term(outside(low[feature][i], high[feature][i], query[feature]))
    })
}

/// Largest distance of a coordinate of the query from each of eight boxes.
#[inline(always)]
fn box_largest(low: &[f64], high: &[f64], query: &[f64]) -> Lanes {
    let ((low, _), (high, _)) = (low.as_chunks::<ROWS>(), high.as_chunks::<ROWS>());
    largest_feature(query.len(), |feature, i| {
        outside(low[feature][i], high[feature][i], query[feature])
    })
}
