//! The order of pairs, and the tiles that they are counted in.

use std::ops::Range;

/// The pairs of `k` runs in the order of all results: (0, 1), (0, 2), …, (1, 2), ….
///
/// ```
/// let pairs: Vec<_> = xai_repro::pairwise::pairs(3).collect();
/// assert_eq!(pairs, [(0, 1), (0, 2), (1, 2)]);
/// ```
pub fn pairs(k: usize) -> impl Iterator<Item = (usize, usize)> + Clone {
    (0..k).flat_map(move |i| (i + 1..k).map(move |j| (i, j)))
}

/// How many pairs `k` runs have.
pub(crate) fn n_pairs(k: usize) -> usize {
    k * k.saturating_sub(1) / 2
}

/// Where a pair stands among all pairs of `k` runs.
pub(crate) fn pair_index(k: usize, first: usize, second: usize) -> usize {
    first * (2 * k - first - 1) / 2 + second - first - 1
}

/// Pairs of row runs and column runs, `row < column`: at most 32 × 32, which threads share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tile {
    pub(crate) rows: Range<usize>,
    pub(crate) columns: Range<usize>,
}

impl Tile {
    /// The tiles of all pairs of `k` runs: as large as pays, but at least four per thread.
    pub(crate) fn cover(k: usize, threads: usize) -> Vec<Self> {
        let mut edge = 32;
        while edge > 2 && tiles_of(k.div_ceil(edge)) < 4 * threads {
            edge /= 2;
        }
        let range = |i: usize| i * edge..((i + 1) * edge).min(k);
        let n = k.div_ceil(edge);
        (0..n)
            .flat_map(|i| (i..n).map(move |j| (i, j)))
            .map(|(i, j)| Self {
                rows: range(i),
                columns: range(j),
            })
            .filter(|tile| tile.rows.start + 1 < tile.columns.end)
            .collect()
    }

    /// The one tile of all pairs of `k` runs.
    pub(crate) fn whole(k: usize) -> Self {
        Self {
            rows: 0..k,
            columns: 0..k,
        }
    }

    /// Its pairs, row by row.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.rows
            .clone()
            .flat_map(|i| (self.columns.start.max(i + 1)..self.columns.end).map(move |j| (i, j)))
    }

    pub(crate) fn is_diagonal(&self) -> bool {
        self.rows == self.columns
    }
}

fn tiles_of(n: usize) -> usize {
    n * (n + 1) / 2
}
