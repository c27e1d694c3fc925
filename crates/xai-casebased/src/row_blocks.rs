//! Distances from one query to many rows, eight rows at a time.
//!
//! Rows lie in blocks of eight, feature after feature (`block[feature][row]`), so that a register
//! holds one feature of eight rows and every row keeps a summation order of its own: that of
//! [`Metric`](xai_core::Metric), whose bits these distances have. Against one row at a time this is
//! worth a factor of 5 at 5 features and 2 at 30, where the fixed tree of eight lanes dominates.
//!
//! The functions are compiled for AVX-512, AVX2 and the target's baseline, and chosen at run time.
//! No operation is fused and no sum reordered, so all of them agree to the last bit.
// Calling a function compiled for more than the baseline needs `unsafe`; nothing else here does.
#![allow(unsafe_code)]

use xai_core::{Distance, Metric};

/// Rows in a block.
pub(crate) const ROWS: usize = 8;

/// Blocks that one call looks at, at most: a mask has 64 bits.
pub(crate) const MAX_BLOCKS: usize = 8;

/// Values by row of a block.
type Lanes = [f64; ROWS];

/// Rows in blocks of eight, the last one filled up with zeros.
#[derive(Debug, Clone)]
pub(crate) struct RowBlocks {
    values: Vec<f64>,
    n_rows: usize,
    n_features: usize,
    rank: Rank,
    from_rank: FromRank,
    /// `‖row‖` where the metric needs it, else empty.
    norms: Vec<f64>,
    level: Level,
}

/// What rows are compared by before their distance is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rank {
    /// `Σ (a − b)²`
    SquaredEuclidean,
    /// `Σ |a − b|`
    Manhattan,
    /// `max |a − b|`
    Chebyshev,
    /// `1 − a·b / (‖a‖ ‖b‖)`
    Cosine,
    /// `Σ |a − b| / (|a| + |b|)`
    Canberra,
    /// `Σ |a − b| / Σ |a + b|`
    BrayCurtis,
    /// The share of features that differ.
    Hamming,
}

/// How the distance comes from the rank.
#[derive(Debug, Clone)]
enum FromRank {
    /// It is the rank.
    Itself,
    /// It is the root of the rank.
    Root,
    /// It is taken by itself, and no less than `least` times the norm that the rank stands for.
    Computed { metric: Metric, least: f64 },
}

impl FromRank {
    /// For the metrics with a vectorised kernel the rank decides; for Minkowski's, powers of which
    /// are dear, it leaves out who is too far by a norm that never exceeds it: `d` features and
    /// `1 ≤ q ≤ p` give `‖x‖_p ≥ d^(1/p − 1/q) ‖x‖_q`, and `q > p` gives `‖x‖_p ≥ ‖x‖_q`.
    #[allow(clippy::cast_precision_loss)] // features below 2^53
    fn of(metric: &Metric, n_features: usize) -> (Rank, Self) {
        let rank = match metric {
            Metric::SquaredEuclidean => Rank::SquaredEuclidean,
            // Mahalanobis rows are whitened.
            Metric::Euclidean | Metric::Mahalanobis(_) => {
                return (Rank::SquaredEuclidean, Self::Root);
            }
            Metric::Manhattan => Rank::Manhattan,
            Metric::Chebyshev => Rank::Chebyshev,
            Metric::Cosine => Rank::Cosine,
            Metric::Canberra => Rank::Canberra,
            Metric::BrayCurtis => Rank::BrayCurtis,
            Metric::Hamming => Rank::Hamming,
            Metric::Minkowski(p) => {
                // The norm that is nearest in kind; measured at 30 normal features and p = 3, the
                // Euclidean one leaves out 60 times as many rows as the largest difference.
                let (rank, q) = match *p {
                    p if p < 1.5 => (Rank::Manhattan, 1.0),
                    p if p <= 8.0 => (Rank::SquaredEuclidean, 2.0),
                    _ => (Rank::Chebyshev, f64::INFINITY),
                };
                let least = (n_features as f64).powf((1.0 / p - 1.0 / q).min(0.0));
                let metric = metric.clone();
                return (rank, Self::Computed { metric, least });
            }
            // A metric that this file does not know is bounded by nothing.
            other => {
                let metric = other.clone();
                return (Rank::Chebyshev, Self::Computed { metric, least: 0.0 });
            }
        };
        (rank, Self::Itself)
    }
}

/// The widest instructions this machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)] // each level exists on some machine
enum Level {
    Baseline,
    Avx2,
    Avx512,
}

impl Level {
    fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
                return Self::Avx512;
            }
            if is_x86_feature_detected!("avx2") {
                return Self::Avx2;
            }
        }
        Self::Baseline
    }
}

/// A query, with what the metric needs of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Query<'a> {
    values: &'a [f64],
    norm: f64,
}

impl RowBlocks {
    /// Blocks of rows that are written by `row(i, buffer)`. Mahalanobis rows come whitened, and
    /// their distance is then the Euclidean one.
    pub(crate) fn new(
        n_rows: usize,
        n_features: usize,
        metric: &Metric,
        mut row: impl FnMut(usize, &mut [f64]),
    ) -> Self {
        let (rank, from_rank) = FromRank::of(metric, n_features);
        let mut values = vec![0.0; n_rows.div_ceil(ROWS) * ROWS * n_features];
        let mut norms = Vec::new();
        let mut buffer = vec![0.0; n_features];
        for i in 0..n_rows {
            row(i, &mut buffer);
            let block = &mut values[i / ROWS * ROWS * n_features..];
            for (feature, &x) in buffer.iter().enumerate() {
                block[feature * ROWS + i % ROWS] = x;
            }
            if matches!(rank, Rank::Cosine) {
                norms.push(norm(&buffer));
            }
        }
        if matches!(rank, Rank::Cosine) {
            norms.resize(n_rows.div_ceil(ROWS) * ROWS, 0.0);
        }
        Self {
            values,
            n_rows,
            n_features,
            rank,
            from_rank,
            norms,
            level: Level::detect(),
        }
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub(crate) fn n_features(&self) -> usize {
        self.n_features
    }

    pub(crate) fn n_blocks(&self) -> usize {
        self.n_rows.div_ceil(ROWS)
    }

    pub(crate) fn query<'a>(&self, values: &'a [f64]) -> Query<'a> {
        debug_assert_eq!(values.len(), self.n_features);
        Query {
            values,
            norm: match self.rank {
                Rank::Cosine => norm(values),
                _ => 0.0,
            },
        }
    }

    /// The rank that no row within the distance `limit` exceeds.
    pub(crate) fn rank_limit(&self, limit: f64) -> f64 {
        // A root rounds by half a unit in the last place, so squares up to two units above the
        // rounded square of the limit can have it as their root.
        let square = |limit: f64, slack: f64| limit * limit * (1.0 + slack) + f64::MIN_POSITIVE;
        match &self.from_rank {
            FromRank::Itself => limit,
            FromRank::Root => square(limit, 4.0 * f64::EPSILON),
            FromRank::Computed { least, .. } => {
                // Powers and their sum round; 1e-10 is room for 10^5 features.
                let norm = limit * (1.0 + 1e-10) / least;
                match self.rank {
                    _ if *least == 0.0 => f64::INFINITY,
                    Rank::SquaredEuclidean => square(norm, 1e-10),
                    _ => norm,
                }
            }
        }
    }

    /// The distances of rows `8 · first_block ..`, at most [`MAX_BLOCKS`] blocks of them, that have
    /// a rank of at most `rank_limit`: `found(row, distance)` in ascending row. Rows beyond the
    /// last are never found.
    #[inline]
    pub(crate) fn within(
        &self,
        first_block: usize,
        n_blocks: usize,
        query: Query<'_>,
        rank_limit: f64,
        mut found: impl FnMut(usize, f64),
    ) {
        let mut ranks = [[0.0; ROWS]; MAX_BLOCKS];
        let n_blocks = n_blocks.min(MAX_BLOCKS).min(self.n_blocks() - first_block);
        let mut mask = self.ranks(first_block, n_blocks, query, rank_limit, &mut ranks);
        let first = first_block * ROWS;
        let present = self.n_rows - first.min(self.n_rows);
        if present < MAX_BLOCKS * ROWS {
            mask &= (1 << present) - 1;
        }
        while mask != 0 {
            let i = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            let rank = ranks[i / ROWS][i % ROWS];
            let distance = match &self.from_rank {
                FromRank::Itself => rank,
                FromRank::Root => rank.sqrt(),
                FromRank::Computed { metric, .. } => {
                    metric.distance(&self.row(first + i), query.values)
                }
            };
            found(first + i, distance);
        }
    }

    /// One row, gathered.
    pub(crate) fn row(&self, row: usize) -> Vec<f64> {
        let block = row / ROWS * ROWS * self.n_features;
        (0..self.n_features)
            .map(|feature| self.values[block + feature * ROWS + row % ROWS])
            .collect()
    }

    fn ranks(
        &self,
        first: usize,
        n: usize,
        query: Query<'_>,
        limit: f64,
        ranks: &mut [Lanes; MAX_BLOCKS],
    ) -> u64 {
        match self.level {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level was detected on this machine.
            Level::Avx512 => unsafe { self.ranks_avx512(first, n, query, limit, ranks) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Avx2 => unsafe { self.ranks_avx2(first, n, query, limit, ranks) },
            _ => self.ranks_anywhere::<Baseline>(first, n, query, limit, ranks),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn ranks_avx512(
        &self,
        first: usize,
        n: usize,
        query: Query<'_>,
        limit: f64,
        ranks: &mut [Lanes; MAX_BLOCKS],
    ) -> u64 {
        self.ranks_anywhere::<Avx512>(first, n, query, limit, ranks)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn ranks_avx2(
        &self,
        first: usize,
        n: usize,
        query: Query<'_>,
        limit: f64,
        ranks: &mut [Lanes; MAX_BLOCKS],
    ) -> u64 {
        self.ranks_anywhere::<Avx2>(first, n, query, limit, ranks)
    }

    #[inline(always)]
    fn ranks_anywhere<W: Within>(
        &self,
        first: usize,
        n: usize,
        query: Query<'_>,
        limit: f64,
        ranks: &mut [Lanes; MAX_BLOCKS],
    ) -> u64 {
        let size = self.n_features * ROWS;
        let blocks = self.values[first * size..(first + n) * size].chunks_exact(size);
        let q = query.values;
        // A macro, as a closure that is not inlined would be compiled for the baseline.
        macro_rules! mask {
            (|$block:ident, $i:ident| $rank:expr) => {{
                let mut mask = 0;
                for ($i, ($block, ranks)) in blocks.zip(ranks.iter_mut()).enumerate() {
                    *ranks = $rank;
                    mask |= u64::from(W::within(ranks, limit)) << ($i * ROWS);
                }
                mask
            }};
        }
        match self.rank {
            Rank::SquaredEuclidean => {
                mask!(|block, i| sum(block, q, |x, y| (x - y) * (x - y)))
            }
            Rank::Manhattan => mask!(|block, i| sum(block, q, |x, y| (x - y).abs())),
            Rank::Chebyshev => mask!(|block, i| largest_difference(block, q)),
            Rank::Canberra => mask!(|block, i| sum(block, q, |x, y| {
                let scale = x.abs() + y.abs();
                let ratio = (x - y).abs() / scale;
                if scale > 0.0 { ratio } else { 0.0 }
            })),
            Rank::BrayCurtis => mask!(|block, i| {
                let mut ratio = sum(block, q, |x, y| (x - y).abs());
                let total = sum(block, q, |x, y| (x + y).abs());
                for (apart, total) in ratio.iter_mut().zip(total) {
                    let share = *apart / total;
                    *apart = if *apart > 0.0 { share } else { 0.0 };
                }
                ratio
            }),
            Rank::Hamming => mask!(|block, i| {
                let mut share = sum(block, q, |x, y| f64::from(u8::from(x != y)));
                #[allow(clippy::cast_precision_loss)] // counts below 2^53
                for count in &mut share {
                    *count /= self.n_features.max(1) as f64;
                }
                share
            }),
            Rank::Cosine => mask!(|block, i| {
                let mut distances = sum(block, q, |x, y| x * y);
                let norms = &self.norms[(first + i) * ROWS..(first + i + 1) * ROWS];
                for (r, (dot, norm)) in distances.iter_mut().zip(norms).enumerate() {
                    let cosine = *dot / (norm * query.norm);
                    *dot = if regular(*norm) && regular(query.norm) && cosine.is_finite() {
                        (1.0 - cosine).clamp(0.0, 2.0)
                    } else {
                        self.cosine_of_extremes((first + i) * ROWS + r, q)
                    };
                }
                distances
            }),
        }
    }

    /// Norms beyond the range of `f64`, and the zeros that fill up the last block.
    #[cold]
    fn cosine_of_extremes(&self, row: usize, query: &[f64]) -> f64 {
        if row < self.n_rows {
            Metric::Cosine.distance(&self.row(row), query)
        } else {
            0.0
        }
    }
}

/// Which of eight ranks are within the limit, a bit each.
///
/// A loop over the rows gives the same bits; compilers make twenty instructions of what is one.
trait Within {
    fn within(ranks: &Lanes, limit: f64) -> u8;
}

struct Baseline;

impl Within for Baseline {
    #[inline(always)]
    fn within(ranks: &Lanes, limit: f64) -> u8 {
        let mut bits = 0;
        for (row, &rank) in ranks.iter().enumerate() {
            bits |= u8::from(rank <= limit) << row;
        }
        bits
    }
}

#[cfg(target_arch = "x86_64")]
struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Within for Avx2 {
    #[inline(always)]
    fn within(ranks: &Lanes, limit: f64) -> u8 {
        use std::arch::x86_64::{
            _CMP_LE_OQ, _mm256_cmp_pd, _mm256_loadu_pd, _mm256_movemask_pd, _mm256_set1_pd,
        };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // four bits each
        // SAFETY: only called from functions compiled for AVX2; both halves of the eight ranks are
        // read in full.
        unsafe {
            let limit = _mm256_set1_pd(limit);
            let half = |ranks: &[f64]| {
                let below = _mm256_cmp_pd::<_CMP_LE_OQ>(_mm256_loadu_pd(ranks.as_ptr()), limit);
                _mm256_movemask_pd(below) as u8
            };
            half(&ranks[..4]) | half(&ranks[4..]) << 4
        }
    }
}

#[cfg(target_arch = "x86_64")]
struct Avx512;

#[cfg(target_arch = "x86_64")]
impl Within for Avx512 {
    #[inline(always)]
    fn within(ranks: &Lanes, limit: f64) -> u8 {
        use std::arch::x86_64::{_CMP_LE_OQ, _mm512_cmp_pd_mask, _mm512_loadu_pd, _mm512_set1_pd};
        // SAFETY: only called from functions compiled for AVX-512; the eight ranks are read in full.
        unsafe {
            _mm512_cmp_pd_mask::<_CMP_LE_OQ>(_mm512_loadu_pd(ranks.as_ptr()), _mm512_set1_pd(limit))
        }
    }
}

/// `Σ term(row_i, query_i)` of eight rows, each in eight lanes and a fixed tree.
#[inline(always)]
fn sum(block: &[f64], query: &[f64], term: impl Fn(f64, f64) -> f64) -> Lanes {
    let (features, _) = block.as_chunks::<ROWS>();
    sum_features(query.len(), |feature, row| {
        term(features[feature][row], query[feature])
    })
}

/// `Σ term(feature, row)` over the features of eight rows.
#[inline(always)]
fn sum_features(n_features: usize, term: impl Fn(usize, usize) -> f64) -> Lanes {
    let mut lanes = [[0.0; ROWS]; 8];
    let whole = n_features / 8 * 8;
    for first in (0..whole).step_by(8) {
        add::<8>(&mut lanes, first, &term);
    }
    // A count known to the compiler keeps the lanes in registers: three times as fast at 5 features
    // as a loop over the rest.
    match n_features - whole {
        1 => add::<1>(&mut lanes, whole, &term),
        2 => add::<2>(&mut lanes, whole, &term),
        3 => add::<3>(&mut lanes, whole, &term),
        4 => add::<4>(&mut lanes, whole, &term),
        5 => add::<5>(&mut lanes, whole, &term),
        6 => add::<6>(&mut lanes, whole, &term),
        7 => add::<7>(&mut lanes, whole, &term),
        _ => {}
    }
    let [s0, s1, s2, s3, s4, s5, s6, s7] = lanes;
    let mut total = [0.0; ROWS];
    for r in 0..ROWS {
        total[r] = ((s0[r] + s4[r]) + (s2[r] + s6[r])) + ((s1[r] + s5[r]) + (s3[r] + s7[r]));
    }
    total
}

#[inline(always)]
#[allow(clippy::needless_range_loop)] // with iterators the lanes leave the registers: 1.4 times slower
fn add<const N: usize>(lanes: &mut [Lanes; 8], first: usize, term: &impl Fn(usize, usize) -> f64) {
    for lane in 0..N {
        for row in 0..ROWS {
            lanes[lane][row] += term(first + lane, row);
        }
    }
}

/// Axis-aligned boxes in groups of eight, and how near a query each can come.
#[derive(Debug, Clone, Default)]
pub(crate) struct BoxBlocks {
    /// `[group][feature][box]`
    low: Vec<f64>,
    high: Vec<f64>,
}

impl BoxBlocks {
    /// Adds a group of at most eight boxes, given by their corners; the rest are empty boxes, out
    /// of reach of every query.
    pub(crate) fn push(&mut self, corners: &[(Vec<f64>, Vec<f64>)], n_features: usize) {
        for feature in 0..n_features {
            for i in 0..ROWS {
                let corner = corners.get(i);
                self.low
                    .push(corner.map_or(f64::INFINITY, |c| c.0[feature]));
                self.high
                    .push(corner.map_or(f64::NEG_INFINITY, |c| c.1[feature]));
            }
        }
    }

    /// The least rank that a row in each box of a group can have.
    ///
    /// A bound takes the rank's own operations in the rank's own order on differences that are no
    /// larger, and every one of them is monotone, rounding included: a bound never exceeds the rank
    /// of a row in its box, not even in the last bit. Metrics without such a bound get 0. Which of them
    /// are within a limit comes along, a bit each.
    pub(crate) fn bounds(
        &self,
        group: usize,
        query: Query<'_>,
        rows: &RowBlocks,
        limit: f64,
    ) -> (Lanes, u8) {
        let size = rows.n_features * ROWS;
        let low = &self.low[group * size..(group + 1) * size];
        let high = &self.high[group * size..(group + 1) * size];
        match rows.level {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level was detected on this machine.
            Level::Avx512 => unsafe { bounds_avx512(low, high, query.values, rows.rank, limit) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Avx2 => unsafe { bounds_avx2(low, high, query.values, rows.rank, limit) },
            _ => bounds_anywhere::<Baseline>(low, high, query.values, rows.rank, limit),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn bounds_avx512(low: &[f64], high: &[f64], query: &[f64], rank: Rank, limit: f64) -> (Lanes, u8) {
    bounds_anywhere::<Avx512>(low, high, query, rank, limit)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn bounds_avx2(low: &[f64], high: &[f64], query: &[f64], rank: Rank, limit: f64) -> (Lanes, u8) {
    bounds_anywhere::<Avx2>(low, high, query, rank, limit)
}

#[inline(always)]
fn bounds_anywhere<W: Within>(
    low: &[f64],
    high: &[f64],
    query: &[f64],
    rank: Rank,
    limit: f64,
) -> (Lanes, u8) {
    let bounds = match rank {
        Rank::SquaredEuclidean => box_sum(low, high, query, |x| x * x),
        Rank::Manhattan => box_sum(low, high, query, |x| x),
        Rank::Chebyshev => box_largest(low, high, query),
        _ => [0.0; ROWS],
    };
    let within = W::within(&bounds, limit);
    (bounds, within)
}

/// How far a coordinate is outside an interval.
#[inline(always)]
fn outside(low: f64, high: f64, q: f64) -> f64 {
    let (below, above) = (low - q, q - high);
    let outside = if below > above { below } else { above };
    if outside > 0.0 { outside } else { 0.0 }
}

/// As [`sum`], over the differences to the nearest points of eight boxes.
#[inline(always)]
fn box_sum(low: &[f64], high: &[f64], query: &[f64], term: impl Fn(f64) -> f64) -> Lanes {
    let ((low, _), (high, _)) = (low.as_chunks::<ROWS>(), high.as_chunks::<ROWS>());
    sum_features(query.len(), |feature, i| {
        term(outside(low[feature][i], high[feature][i], query[feature]))
    })
}

/// As [`sum_features`], the largest instead of the sum.
#[inline(always)]
fn largest_feature(n_features: usize, term: impl Fn(usize, usize) -> f64) -> Lanes {
    let mut largest = [0.0; ROWS];
    for feature in 0..n_features {
        for (row, largest) in largest.iter_mut().enumerate() {
            let value = term(feature, row);
            *largest = if value > *largest { value } else { *largest };
        }
    }
    largest
}

#[inline(always)]
fn box_largest(low: &[f64], high: &[f64], query: &[f64]) -> Lanes {
    let ((low, _), (high, _)) = (low.as_chunks::<ROWS>(), high.as_chunks::<ROWS>());
    largest_feature(query.len(), |feature, i| {
        outside(low[feature][i], high[feature][i], query[feature])
    })
}

#[inline(always)]
fn largest_difference(block: &[f64], query: &[f64]) -> Lanes {
    let (features, _) = block.as_chunks::<ROWS>();
    largest_feature(query.len(), |feature, row| {
        (features[feature][row] - query[feature]).abs()
    })
}

/// Whether a norm comes from squares within the normal range, as [`Metric`] asks too.
#[inline(always)]
fn regular(norm: f64) -> bool {
    norm > 1e-140 && norm < 1e150
}

/// `‖row‖` in the summation order of [`Metric`].
fn norm(row: &[f64]) -> f64 {
    xai_core::squared_euclidean(row, &vec![0.0; row.len()]).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn metrics() -> Vec<Metric> {
        "euclidean squared-euclidean manhattan chebyshev minkowski:3 minkowski:1.5 cosine canberra \
         braycurtis hamming"
            .split_whitespace()
            .map(|name| name.parse().unwrap())
            .collect()
    }

    proptest! {
        #[test]
        fn every_level_gives_the_bits_of_the_metric(
            d in 1usize..40,
            n in 1usize..70,
            seed in any::<u64>(),
        ) {
            let mut state = seed | 1;
            let mut value = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let x = ((state >> 40) % 17) as f64 - 8.0;
                if state >> 63 == 1 { x / 3.0 } else { x.max(1.0) }
            };
            let mut rows: Vec<Vec<f64>> =
                (0..n).map(|_| (0..d).map(|_| value()).collect()).collect();
            rows.iter_mut().for_each(|row| row[0] += 9.5); // no zero rows
            let query: Vec<f64> = rows[0].iter().map(|x| x + value() / 7.0).collect();
            for metric in metrics() {
                let mut blocks =
                    RowBlocks::new(n, d, &metric, |i, row| row.copy_from_slice(&rows[i]));
                let detected = blocks.level;
                for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
                    if (level as u8) > (detected as u8) {
                        continue;
                    }
                    blocks.level = level;
                    let mut found = Vec::new();
                    for first in (0..blocks.n_blocks()).step_by(MAX_BLOCKS) {
                        let n = (blocks.n_blocks() - first).min(MAX_BLOCKS);
                        let query = blocks.query(&query);
                        blocks.within(first, n, query, f64::INFINITY, |row, distance| {
                            found.push((row, distance.to_bits()));
                        });
                    }
                    let expected: Vec<_> = rows
                        .iter()
                        .map(|row| metric.distance(row, &query).to_bits())
                        .enumerate()
                        .collect();
                    prop_assert_eq!(&found, &expected, "{:?} {:?}", metric, level);
                }
            }
        }

        #[test]
        fn no_row_at_the_limit_is_lost(
            values in prop::collection::vec(-1e3..1e3f64, 16),
            p in 1.0..40.0f64,
        ) {
            for metric in metrics().into_iter().chain([Metric::Minkowski(p)]) {
                let blocks = RowBlocks::new(1, 8, &metric, |_, row| row.copy_from_slice(&values[..8]));
                let query = &values[8..];
                let distance = metric.distance(&values[..8], query);
                let limit = blocks.rank_limit(distance);
                let mut found = None;
                blocks.within(0, 1, blocks.query(query), limit, |_, d| found = Some(d));
                prop_assert_eq!(found, Some(distance), "{:?}", metric);
            }
        }
    }
}
