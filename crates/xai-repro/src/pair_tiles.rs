//! The counts of every pair of runs, tile by tile.
//!
//! Pairs are cut into tiles of at most 32 × 32 runs, samples into chunks, so that the rows of a tile's
//! chunk stay in a core's second cache while all its pairs are counted. Tiles are what threads share.

use std::ops::Range;

use crate::InstructionSet;
use crate::contingency::Cell;
use crate::kernels::Block;
use crate::packed_runs::{MOST_CLASSES_AS_SETS, PackedRuns, TableSource, Wanted};

/// Bytes of rows that are worked on at once: half of a second-level cache of 1 MiB.
const CACHE: usize = 512 * 1024;

/// Pairs of row runs and column runs, `row < column`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tile {
    pub(crate) rows: Range<usize>,
    pub(crate) columns: Range<usize>,
}

impl Tile {
    /// The tiles of all pairs of `k` runs: as large as pays, but at least four a thread.
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

    /// Its pairs, row by row.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.rows
            .clone()
            .flat_map(|i| (self.columns.start.max(i + 1)..self.columns.end).map(move |j| (i, j)))
    }

    fn is_diagonal(&self) -> bool {
        self.rows == self.columns
    }
}

fn tiles_of(n: usize) -> usize {
    n * (n + 1) / 2
}

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
    cells: Vec<Cell>,
    square: Vec<u64>,
    narrow_square: Vec<[u32; 2]>,
    column: Vec<u64>,
    touched: Vec<u32>,
    grouped: Grouped,
}

/// A run's samples, class by class.
#[derive(Debug, Default)]
struct Grouped {
    /// The run they are of.
    run: Option<usize>,
    /// Where each class starts in `samples`, and the end.
    starts: Vec<usize>,
    samples: Vec<u32>,
}

/// Counts each pair of a tile and hands it on, row by row.
pub(crate) fn count_tile(
    packed: &PackedRuns,
    tile: &Tile,
    wanted: Wanted,
    level: InstructionSet,
    buffers: &mut TileBuffers,
    mut each: impl FnMut(PairCounts<'_>),
) {
    let width = tile.columns.len();
    let n_pairs = tile.rows.len() * width;
    for counts in [&mut buffers.both_wrong, &mut buffers.different] {
        counts.clear();
        counts.resize(n_pairs, 0);
    }
    if wanted.errors {
        let counts = &mut buffers.both_wrong;
        by_chunks(&packed.wrong, tile, 1, |rows, columns| {
            level.count_shared(rows, columns, tile.is_diagonal(), counts);
        });
    }
    if wanted.equal && packed.n_planes > 0 {
        let counts = &mut buffers.different;
        by_chunks(&packed.planes, tile, packed.n_planes, |rows, columns| {
            level.count_different(rows, columns, packed.n_planes, tile.is_diagonal(), counts);
        });
    }
    buffers.grouped.run = None;
    for (first, second) in tile.pairs() {
        buffers.cells.clear();
        if wanted.tables {
            count_table(packed, first, second, level, buffers);
        }
        let at = (first - tile.rows.start) * width + second - tile.columns.start;
        let equal = if wanted.equal {
            packed.n_samples() as u64 - buffers.different[at]
        } else {
            0
        };
        each(PairCounts {
            first,
            second,
            both_wrong: buffers.both_wrong[at],
            equal,
            cells: &buffers.cells,
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

/// Up to this many times as many cells as samples a histogram is a full square; above it, cells are
/// counted row by row, with memory for one row.
const MOST_CELLS_A_SAMPLE: usize = 4;

/// Above this many classes a square would leave the second-level cache.
const MOST_CLASSES_AS_SQUARE: usize = 256;

/// Fills in the cells of a pair's class table.
fn count_table(
    packed: &PackedRuns,
    first: usize,
    second: usize,
    level: InstructionSet,
    buffers: &mut TileBuffers,
) {
    let n_classes = packed.classes().len();
    match &packed.tables {
        TableSource::None => {}
        TableSource::Sets(sets) => {
            let [first, second] = [first, second].map(|run| {
                (
                    sets[run].as_slice(),
                    packed.totals.class_counts[run].as_slice(),
                )
            });
            cells_of_sets(first, second, packed.n_blocks(), level, buffers);
        }
        TableSource::Bytes(codes) => {
            cells_of_codes(codes, n_classes, first, second, buffers, usize::from);
        }
        TableSource::Halves(codes) => {
            cells_of_codes(codes, n_classes, first, second, buffers, usize::from);
        }
        TableSource::Words(codes) => {
            cells_of_codes(codes, n_classes, first, second, buffers, |code| {
                code as usize
            });
        }
    }
}

/// Cells as AND-popcounts; those of the last class are what the totals leave.
#[allow(clippy::cast_possible_truncation)] // few classes
fn cells_of_sets(
    (left, row_totals): (&[Block], &[u64]),
    (right, column_totals): (&[Block], &[u64]),
    n_blocks: usize,
    level: InstructionSet,
    buffers: &mut TileBuffers,
) {
    let c = row_totals.len();
    let n_sets = c - 1;
    let square = &mut buffers.square;
    square.clear();
    square.resize(n_sets * n_sets, 0);
    let chunk = (CACHE / (size_of::<Block>() * 2 * n_sets.max(1))).max(4);
    for start in (0..n_blocks).step_by(chunk) {
        let end = (start + chunk).min(n_blocks);
        let mut rows: [&[Block]; MOST_CLASSES_AS_SETS] = [&[]; MOST_CLASSES_AS_SETS];
        let mut columns = rows;
        for class in 0..n_sets {
            rows[class] = &left[class * n_blocks..][start..end];
            columns[class] = &right[class * n_blocks..][start..end];
        }
        level.count_shared(&rows[..n_sets], &columns[..n_sets], false, square);
    }
    let mut push = |row: usize, column: usize, count: u64| {
        if count > 0 {
            buffers.cells.push(Cell {
                row: row as u32,
                column: column as u32,
                count,
            });
        }
    };
    for row in 0..n_sets {
        let counts = &square[row * n_sets..][..n_sets];
        for (column, &count) in counts.iter().enumerate() {
            push(row, column, count);
        }
        push(row, n_sets, row_totals[row] - counts.iter().sum::<u64>());
    }
    let mut last = row_totals[n_sets];
    for column in 0..n_sets {
        let above: u64 = (0..n_sets).map(|row| square[row * n_sets + column]).sum();
        let count = column_totals[column] - above;
        push(n_sets, column, count);
        last -= count;
    }
    push(n_sets, n_sets, last);
}

fn cells_of_codes<C: Copy>(
    codes: &[Vec<C>],
    n_classes: usize,
    first: usize,
    second: usize,
    buffers: &mut TileBuffers,
    index: impl Fn(C) -> usize + Copy,
) {
    let n = codes[first].len();
    if n_classes <= MOST_CLASSES_AS_SQUARE && n_classes * n_classes <= MOST_CELLS_A_SAMPLE * n {
        cells_by_square(&codes[first], &codes[second], n_classes, buffers, index);
    } else {
        cells_by_row(codes, n_classes, first, second, buffers, index);
    }
}

#[allow(clippy::cast_possible_truncation)] // few classes
fn cells_by_square<C: Copy>(
    left: &[C],
    right: &[C],
    n_classes: usize,
    buffers: &mut TileBuffers,
    index: impl Fn(C) -> usize + Copy,
) {
    // Two counters a cell: equal neighbours do not wait for each other's store.
    let square = &mut buffers.narrow_square;
    square.clear();
    square.resize(n_classes * n_classes, [0; 2]);
    for (i, (&row, &column)) in left.iter().zip(right).enumerate() {
        square[index(row) * n_classes + index(column)][i % 2] += 1;
    }
    // Always written, kept if not empty: which cells are empty cannot be predicted.
    let cells = &mut buffers.cells;
    cells.resize(n_classes * n_classes + 1, Cell::default());
    let mut n_cells = 0;
    for (row, counts) in square.chunks_exact(n_classes).enumerate() {
        for (column, [even, odd]) in counts.iter().enumerate() {
            cells[n_cells] = Cell {
                row: row as u32,
                column: column as u32,
                count: u64::from(*even) + u64::from(*odd),
            };
            n_cells += usize::from(even | odd != 0);
        }
    }
    cells.truncate(n_cells);
}

/// Cells row by row: the samples that the first run puts into a class are counted by the second run's
/// classes, and only the counters that were touched are looked at again.
#[allow(clippy::cast_possible_truncation)] // fewer than 2^32 classes
fn cells_by_row<C: Copy>(
    codes: &[Vec<C>],
    n_classes: usize,
    first: usize,
    second: usize,
    buffers: &mut TileBuffers,
    index: impl Fn(C) -> usize + Copy,
) {
    let TileBuffers {
        cells,
        column: counts,
        touched,
        grouped,
        ..
    } = buffers;
    if grouped.run != Some(first) {
        grouped.group(&codes[first], n_classes, index);
        grouped.run = Some(first);
    }
    counts.clear();
    counts.resize(n_classes, 0);
    touched.clear();
    touched.resize(n_classes + 1, 0);
    for (row, bounds) in grouped.starts.windows(2).enumerate() {
        let mut n_touched = 0;
        for &sample in &grouped.samples[bounds[0]..bounds[1]] {
            let column = index(codes[second][sample as usize]);
            // Always written, kept if new: whether it is new cannot be predicted.
            touched[n_touched] = column as u32;
            n_touched += usize::from(counts[column] == 0);
            counts[column] += 1;
        }
        for &column in &touched[..n_touched] {
            cells.push(Cell {
                row: row as u32,
                column,
                count: std::mem::take(&mut counts[column as usize]),
            });
        }
    }
}

impl Grouped {
    #[allow(clippy::cast_possible_truncation)] // packing refuses 2^32 samples and more
    fn group<C: Copy>(&mut self, codes: &[C], n_classes: usize, index: impl Fn(C) -> usize + Copy) {
        self.starts.clear();
        self.starts.resize(n_classes + 1, 0);
        for &code in codes {
            self.starts[index(code) + 1] += 1;
        }
        for class in 0..n_classes {
            self.starts[class + 1] += self.starts[class];
        }
        self.samples.clear();
        self.samples.resize(codes.len(), 0);
        let mut next = self.starts.clone();
        for (sample, &code) in codes.iter().enumerate() {
            let at = &mut next[index(code)];
            self.samples[*at] = sample as u32;
            *at += 1;
        }
    }
}
