//! The counts of every pair of runs, tile by tile.
//!
//! Pairs are cut into tiles of at most 32 × 32 runs, samples into chunks, so that the rows of a tile's
//! chunk stay in a core's second cache while all its pairs are counted. Tiles are what threads share.

use std::ops::Range;

use xai_core::simd::InstructionSet;

use crate::counting::kernels::{count_different, count_shared};
use crate::counting::micro_tiles::Rectangle;
use crate::counting::pair_cells::{CACHE, CellBuffers};
use crate::counting::pairs::Tile;
use crate::packed::block::Block;
use crate::packed::packed_runs::PackedRuns;
use crate::pair_metric::counts::Cell;
use crate::pair_metric::definition::PairNeeds;

/// What was counted of a pair; 0 and empty where it was not wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PairCounts<'a> {
    /// The first run, the lower one.
    pub(crate) first: usize,
    /// The second run.
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
