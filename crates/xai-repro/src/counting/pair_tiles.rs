//! The counts of every pair of runs, tile by tile.
//!
//! Pairs are cut into tiles of at most 32 × 32 runs, samples into chunks, so that the rows of a tile's
//! chunk stay in a core's second cache while all its pairs are counted. Tiles are what threads share.

use std::ops::Range;

use xai_core::simd::InstructionSet;

use crate::counting::kernels::{Rectangle, count_different, count_shared};
use crate::counting::pair_cells::{CACHE, CellBuffers};
use crate::packed::bit_planes::Block;
use crate::packed::packed_runs::PackedRuns;
use crate::pair_metric::definition::{Cell, PairNeeds};

/// What was counted of a pair; 0 and empty where it was not wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PairCounts<'a> {
    /// The first run, the lower one.
    pub(crate) first: usize,
    pub(crate) second: usize,
    /// Samples that both get wrong.
    pub(crate) both_wrong: u64,
    /// Samples that both predict alike.
    pub(crate) equal: u64,
    /// The class table without its zeros, in no particular order.
    pub(crate) cells: &'a [Cell],
}

/// Buffers that are used again from tile to tile.
#[derive(Debug, Default)]
pub(crate) struct TileBuffers {
    both_wrong: Vec<u64>,
    different: Vec<u64>,
    cells: CellBuffers,
}

/// Counts each pair of a tile and hands it on, row by row.
pub(crate) fn count_tile(
    packed: &PackedRuns,
    tile: &Tile,
    needs: PairNeeds,
    instruction_set: InstructionSet,
    buffers: &mut TileBuffers,
    mut each: impl FnMut(PairCounts<'_>),
) {
    let width = tile.columns.len();
    let n_pairs = tile.rows.len() * width;
    for counts in [&mut buffers.both_wrong, &mut buffers.different] {
        counts.clear();
        counts.resize(n_pairs, 0);
    }
    if needs.errors {
        let counts = &mut buffers.both_wrong;
        by_chunks(&packed.wrong, tile, 1, |rows, columns| {
            let rectangle = Rectangle::new(rows, columns, tile.is_diagonal(), counts);
            count_shared(instruction_set, rectangle);
        });
    }
    let n_planes = packed.planes.n_planes;
    if needs.equal && n_planes > 0 {
        let counts = &mut buffers.different;
        by_chunks(&packed.planes.of_runs, tile, n_planes, |rows, columns| {
            let rectangle = Rectangle::new(rows, columns, tile.is_diagonal(), counts);
            count_different(instruction_set, rectangle, n_planes);
        });
    }
    buffers.cells.start_tile();
    for (first, second) in tile.pairs() {
        let at = (first - tile.rows.start) * width + second - tile.columns.start;
        let equal = if needs.equal {
            packed.n_samples() as u64 - buffers.different[at]
        } else {
            0
        };
        let cells = if needs.tables {
            buffers
                .cells
                .of_pair(packed, first, second, instruction_set)
        } else {
            &[]
        };
        each(PairCounts {
            first,
            second,
            both_wrong: buffers.both_wrong[at],
            equal,
            cells,
        });
    }
}

/// Calls with chunks of the tile's rows that fit the cache together.
fn by_chunks(
    runs: &[Vec<Block>],
    tile: &Tile,
    n_planes: usize,
    mut count: impl FnMut(&[&[Block]], &[&[Block]]),
) {
    let n_rows = if tile.is_diagonal() {
        tile.rows.len()
    } else {
        tile.rows.len() + tile.columns.len()
    };
    let chunk = (CACHE / (size_of::<Block>() * n_planes * n_rows)).max(4) * n_planes;
    let length = runs[tile.rows.start].len();
    let mut start = 0;
    while start < length {
        let end = (start + chunk).min(length);
        let cut = |range: &Range<usize>| -> Vec<&[Block]> {
            let runs = runs[range.clone()].iter();
            runs.map(|run| &run[start..end]).collect()
        };
        count(&cut(&tile.rows), &cut(&tile.columns));
        start = end;
    }
}

/// The pairs of `k` runs in the order of all results: (0, 1), (0, 2), …, (1, 2), ….
///
/// ```
/// let pairs: Vec<_> = xai_repro::pairwise::pairs(3).collect();
/// assert_eq!(pairs, [(0, 1), (0, 2), (1, 2)]);
/// ```
pub fn pairs(k: usize) -> impl Iterator<Item = (usize, usize)> + Clone {
    (0..k).flat_map(move |i| (i + 1..k).map(move |j| (i, j)))
}

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
