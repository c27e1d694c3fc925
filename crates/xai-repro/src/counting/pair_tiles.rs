//! Counts of all pairs of runs, tile by tile.
//!
//! Pairs are divided into tiles of at most 32 × 32 runs, and samples into chunks, so that one chunk of all runs of a
//! tile stays in the second-level cache of a core while all pairs of the tile are counted. Each thread takes whole
//! tiles.

use std::ops::Range;

use xai_core::simd::InstructionSet;

use crate::counting::kernels::{Rectangle, count_different, count_shared};
use crate::counting::pair_cells::{CACHE, CellBuffers};
use crate::packed::bit_planes::Block;
use crate::packed::packed_runs::PackedRuns;
use crate::pair_metric::definition::{Cell, PairNeeds};

/// Counts of one pair of runs. Counts that no metric needs are 0 or empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PairCounts<'a> {
    /// Index of the first run, below that of the second.
    pub(crate) first: usize,
    pub(crate) second: usize,
    /// Number of samples that both runs predict wrongly.
    pub(crate) both_wrong: u64,
    /// Number of samples with the same prediction.
    pub(crate) equal: u64,
    /// Cells of the class table that are not 0, in unspecified order.
    pub(crate) cells: &'a [Cell],
}

/// Buffers that are reused from tile to tile.
#[derive(Debug, Default)]
pub(crate) struct TileBuffers {
    both_wrong: Vec<u64>,
    different: Vec<u64>,
    cells: CellBuffers,
}

/// Counts each pair of a tile and passes the counts to `each`, row by row.
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
        for_each_chunk(&packed.wrong, tile, 1, |rows, columns| {
            let rectangle = Rectangle::new(rows, columns, tile.is_diagonal(), counts);
            count_shared(instruction_set, rectangle);
        });
    }
    let n_planes = packed.planes.n_planes;
    if needs.equal && n_planes > 0 {
        let counts = &mut buffers.different;
        for_each_chunk(&packed.planes.runs, tile, n_planes, |rows, columns| {
            let rectangle = Rectangle::new(rows, columns, tile.is_diagonal(), counts);
            count_different(instruction_set, rectangle, n_planes);
        });
    }
    buffers.cells.start_tile();
    for (first, second) in tile.pairs() {
        let at = (first - tile.rows.start) * width + second - tile.columns.start;
        // The bits beyond the last sample are 0 in all runs, so they are never counted as different.
        let equal = if needs.equal {
            packed.n_samples() as u64 - buffers.different[at]
        } else {
            0
        };
        let cells = if needs.tables {
            buffers
                .cells
                .count_pair(packed, first, second, instruction_set)
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

/// Calls `count` with the row runs and column runs of a tile, cut into chunks of samples that fit into the cache
/// together.
fn for_each_chunk(
    runs: &[Vec<Block>],
    tile: &Tile,
    n_planes: usize,
    mut count: impl FnMut(&[&[Block]], &[&[Block]]),
) {
    let n_runs = if tile.is_diagonal() {
        tile.rows.len()
    } else {
        tile.rows.len() + tile.columns.len()
    };
    // A multiple of the planes keeps all planes of a sample in one chunk.
    let chunk = (CACHE / (size_of::<Block>() * n_planes * n_runs)).max(4) * n_planes;
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

/// The pairs of `k` runs, in the order that all results use: (0, 1), (0, 2), …, (1, 2), ….
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

/// Index of a pair in the order of [`pairs`], for `first < second < k`.
pub(crate) fn pair_index(k: usize, first: usize, second: usize) -> usize {
    // The rows before `first` have k − 1, k − 2, … pairs.
    first * (2 * k - first - 1) / 2 + second - first - 1
}

/// The pairs `(row, column)` with `row < column` of a range of row runs and a range of column runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tile {
    pub(crate) rows: Range<usize>,
    pub(crate) columns: Range<usize>,
}

impl Tile {
    /// Divides all pairs of `k` runs into tiles of at most 32 × 32 runs, smaller if there were fewer than four per
    /// thread.
    pub(crate) fn cover(k: usize, threads: usize) -> Vec<Self> {
        // Tiles on the diagonal have half the pairs. With four tiles per thread, threads still finish at about the same
        // time.
        let mut edge = 32;
        while edge > 2 && n_tiles(k.div_ceil(edge)) < 4 * threads {
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
            // The last tile on the diagonal may be a single run, without a pair.
            .filter(|tile| tile.rows.start + 1 < tile.columns.end)
            .collect()
    }

    /// A single tile with all pairs of `k` runs.
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

/// Number of tiles on and above the diagonal of an `n × n` grid.
fn n_tiles(n: usize) -> usize {
    n * (n + 1) / 2
}
