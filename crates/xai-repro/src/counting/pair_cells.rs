//! Cells of the class table of a pair of runs, by population counts or histograms.

use xai_core::simd::InstructionSet;

use crate::counting::kernels::{Rectangle, count_shared};
use crate::packed::bit_planes::Block;
use crate::packed::class_tables::{MAX_CLASSES_AS_SETS, TableSource};
use crate::packed::packed_runs::PackedRuns;
use crate::pair_metric::definition::Cell;

/// Bytes of rows that are processed together: half of a second-level cache of 1 MiB.
pub(super) const CACHE: usize = 512 * 1024;

/// Largest number of table cells per sample for a histogram over the full `c × c` table. With more, most cells are
/// empty, and clearing and reading them costs more than counting; [`cells_by_row`] touches one row of memory instead.
const MAX_CELLS_PER_SAMPLE: usize = 4;

/// Largest number of classes for a histogram over the full table. Its 256² cells of 8 bytes take [`CACHE`] bytes.
const MAX_CLASSES_AS_SQUARE: usize = 256;

/// Buffers that are reused from pair to pair.
#[derive(Debug, Default)]
pub(super) struct CellBuffers {
    cells: Vec<Cell>,
    /// Counts of [`cells_of_sets`], row by row.
    square: Vec<u64>,
    /// Counts of [`cells_by_square`], row by row: those of samples with even and with odd index.
    split_square: Vec<[u32; 2]>,
    /// Counts of [`cells_by_row`] in the current row, by class of the second run.
    row_counts: Vec<u64>,
    /// Classes with a count in the current row.
    touched: Vec<u32>,
    grouped: SamplesByClass,
}

/// Samples of one run, grouped by predicted class.
#[derive(Debug, Default)]
struct SamplesByClass {
    /// Index of the run; `None` if nothing is grouped yet.
    run: Option<usize>,
    /// Start of each class in `samples`, and the end of the last.
    starts: Vec<usize>,
    samples: Vec<u32>,
}

impl CellBuffers {
    /// Forgets the grouped run. The next tile may be of other packed runs, in which the same index is another run.
    pub(super) fn start_tile(&mut self) {
        self.grouped.run = None;
    }

    /// Counts the cells of a pair's class table. Empty cells are left out; the order is unspecified.
    pub(super) fn count_pair(
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
                let sets_and_totals = |run: usize| {
                    let totals = packed.totals.class_counts[run].as_slice();
                    (sets[run].as_slice(), totals)
                };
                let (left, right) = (sets_and_totals(first), sets_and_totals(second));
                cells_of_sets(left, right, packed.n_blocks(), instruction_set, self);
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

/// Counts cells as population counts of the AND of two class sets. Cells of the last class are the totals minus the
/// others, which saves `2c − 1` of the `c²` counts.
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
    // Sets of both runs are cut into chunks that stay in the cache while each is combined with every other.
    let chunk = (CACHE / (size_of::<Block>() * 2 * n_sets.max(1))).max(4);
    for start in (0..n_blocks).step_by(chunk) {
        let end = (start + chunk).min(n_blocks);
        let mut rows: [&[Block]; MAX_CLASSES_AS_SETS] = [&[]; MAX_CLASSES_AS_SETS];
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
    // The bottom row: each cell is its column total minus the cells above, and the corner is what remains of the row
    // total.
    let mut last = row_totals[n_sets];
    for column in 0..n_sets {
        let above: u64 = (0..n_sets).map(|row| square[row * n_sets + column]).sum();
        let count = column_totals[column] - above;
        push(n_sets, column, count);
        last -= count;
    }
    push(n_sets, n_sets, last);
}

/// Counts cells from class codes, by the histogram that suits the size of the table.
fn cells_of_codes<C: Copy>(
    codes: &[Vec<C>],
    n_classes: usize,
    first: usize,
    second: usize,
    buffers: &mut CellBuffers,
    index: impl Fn(C) -> usize + Copy,
) {
    let n = codes[first].len();
    if n_classes <= MAX_CLASSES_AS_SQUARE && n_classes * n_classes <= MAX_CELLS_PER_SAMPLE * n {
        cells_by_square(&codes[first], &codes[second], n_classes, buffers, index);
    } else {
        cells_by_row(codes, n_classes, first, second, buffers, index);
    }
}

/// Counts cells by a histogram over the full table.
fn cells_by_square<C: Copy>(
    left: &[C],
    right: &[C],
    n_classes: usize,
    buffers: &mut CellBuffers,
    index: impl Fn(C) -> usize + Copy,
) {
    // Two counters per cell, used in turn: if neighbouring samples fall into the same cell, the second increment need
    // not wait until the first is stored. 32 bits are enough, because `PackedRuns` limits tables to fewer than 2^32
    // samples.
    let square = &mut buffers.split_square;
    square.clear();
    square.resize(n_classes * n_classes, [0; 2]);
    for (i, (&row, &column)) in left.iter().zip(right).enumerate() {
        square[index(row) * n_classes + index(column)][i % 2] += 1;
    }
    // Every cell is written, and the length grows only if it is not empty. A branch would be mispredicted often,
    // because empty cells follow no pattern. The one extra element takes the write after the last cell that is kept.
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

/// Counts cells row by row, with memory for one row: for each class of the first run, its samples are counted by the
/// class of the second run. Only counters that were touched are read and cleared, so that time does not grow with `c²`.
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
        row_counts: counts,
        touched,
        grouped,
        ..
    } = buffers;
    // Pairs of a tile come row by row, so the same first run is used for many pairs in a row.
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
            // Always written and kept only if new, without a branch that would be mispredicted often.
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

impl SamplesByClass {
    /// Groups the samples of a run by a counting sort.
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
