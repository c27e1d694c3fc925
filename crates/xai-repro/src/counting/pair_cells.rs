//! The cells of a pair's class table.

use xai_core::simd::InstructionSet;

use crate::counting::kernels::{Rectangle, count_shared};
use crate::packed::bit_planes::Block;
use crate::packed::class_tables::{MOST_CLASSES_AS_SETS, TableSource};
use crate::packed::packed_runs::PackedRuns;
use crate::pair_metric::definition::Cell;

/// Bytes of rows that are worked on at once: half of a second-level cache of 1 MiB.
pub(super) const CACHE: usize = 512 * 1024;

/// Up to this many times as many cells as samples a histogram is a full square; above it, cells are
/// counted row by row, with memory for one row.
const MOST_CELLS_PER_SAMPLE: usize = 4;

/// Above this many classes a square would leave the second-level cache.
const MOST_CLASSES_AS_SQUARE: usize = 256;

/// Buffers that are used again from pair to pair.
#[derive(Debug, Default)]
pub(super) struct CellBuffers {
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

impl CellBuffers {
    /// Forgets the runs of the tile before, whose numbers may mean others now.
    pub(super) fn start_tile(&mut self) {
        self.grouped.run = None;
    }

    /// The class table of a pair without its zeros, in no particular order.
    pub(super) fn of_pair(
        &mut self,
        packed: &PackedRuns,
        first: usize,
        second: usize,
        instruction_set: InstructionSet,
    ) -> &[Cell] {
        self.cells.clear();
        let n_classes = packed.classes().len();
        match &packed.tables {
            TableSource::None => {}
            TableSource::Sets(sets) => {
                let of_run = |run: usize| {
                    let totals = packed.totals.class_counts[run].as_slice();
                    (sets[run].as_slice(), totals)
                };
                let (first, second) = (of_run(first), of_run(second));
                cells_of_sets(first, second, packed.n_blocks(), instruction_set, self);
            }
            TableSource::Bytes(codes) => {
                cells_of_codes(codes, n_classes, first, second, self, usize::from);
            }
            TableSource::Halves(codes) => {
                cells_of_codes(codes, n_classes, first, second, self, usize::from);
            }
            TableSource::Words(codes) => {
                let index = |code| code as usize;
                cells_of_codes(codes, n_classes, first, second, self, index);
            }
        }
        &self.cells
    }
}

/// Cells as AND-popcounts; those of the last class are what the totals leave.
fn cells_of_sets(
    (left, row_totals): (&[Block], &[u64]),
    (right, column_totals): (&[Block], &[u64]),
    n_blocks: usize,
    instruction_set: InstructionSet,
    buffers: &mut CellBuffers,
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
        let rectangle = Rectangle::new(&rows[..n_sets], &columns[..n_sets], false, square);
        count_shared(instruction_set, rectangle);
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
    buffers: &mut CellBuffers,
    index: impl Fn(C) -> usize + Copy,
) {
    let n = codes[first].len();
    if n_classes <= MOST_CLASSES_AS_SQUARE && n_classes * n_classes <= MOST_CELLS_PER_SAMPLE * n {
        cells_by_square(&codes[first], &codes[second], n_classes, buffers, index);
    } else {
        cells_by_row(codes, n_classes, first, second, buffers, index);
    }
}

fn cells_by_square<C: Copy>(
    left: &[C],
    right: &[C],
    n_classes: usize,
    buffers: &mut CellBuffers,
    index: impl Fn(C) -> usize + Copy,
) {
    // Two counters per cell: equal neighbours do not wait for each other's store.
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
fn cells_by_row<C: Copy>(
    codes: &[Vec<C>],
    n_classes: usize,
    first: usize,
    second: usize,
    buffers: &mut CellBuffers,
    index: impl Fn(C) -> usize + Copy,
) {
    let CellBuffers {
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
