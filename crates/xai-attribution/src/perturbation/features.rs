//! Which positions are removed together.

use std::sync::Arc;

use ndarray::{CowArray, Ix3};
use xai_core::describe::Parameter;
use xai_core::{Layout, Real, Result, parallel};

use crate::batch::{BatchWork, RunData, RunWork, SampleBatch, Segments};
use crate::input;

/// Which positions are removed together, as one feature.
///
/// On images both axes are cut; of time series the time is, and every feature has stretches of its
/// own; in tables every feature is by itself, whatever the size of cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Features {
    /// Every position by itself.
    #[default]
    Positions,
    /// A grid of so many cells along height, width and time, at least 1. A position is in cell
    /// `⌊(row + ½) · cells / height⌋`, `⌊(column + ½) · cells / width⌋`; a grid finer than the input
    /// takes every position by itself.
    #[param(value_name = "CELLS", at_least = 1)]
    Grid(usize),
    /// Patches of so many positions along height, width and time, at least 1. Where they do not
    /// fill an axis they are centred, and the outer ones are smaller: a position is in patch
    /// `⌊(row + missing) / size⌋`, `missing` half the rows that the last patch lacks, rounded down.
    #[param(value_name = "SIZE", at_least = 1)]
    Patches(usize),
    /// The segments that are given: positions of one label go together. See [`Segments`].
    Segments,
}

impl Features {
    /// Checks the parameters: what a metric does once per run, before the model is called.
    ///
    /// # Errors
    /// An invalid parameter about the size of cells; empty, about the segments, where they were not
    /// given.
    pub fn prepare<T: Real>(self, run: &RunData<'_, T>) -> Result<()> {
        input::check_kind(input::FEATURES, &self)?;
        match self {
            Self::Positions => Ok(()),
            Self::Grid(_) | Self::Patches(_) => run.shared(&self).map(drop),
            Self::Segments => run.side::<Segments>().map(drop),
        }
    }

    /// The largest number of features that a sample of the run has.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn max_count<T: Real>(self, run: &RunData<'_, T>) -> Result<usize> {
        match self {
            Self::Positions => Ok(run.n_positions()),
            Self::Grid(_) | Self::Patches(_) => Ok(run.shared(&self)?.n_cells()),
            Self::Segments => {
                let counts = run.shared(&SegmentCounts)?;
                Ok(counts.iter().copied().max().unwrap_or_default())
            }
        }
    }

    /// The number of features of every sample of the run.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn counts<T: Real>(self, run: &RunData<'_, T>) -> Result<Arc<Vec<usize>>> {
        match self {
            Self::Segments => run.shared(&SegmentCounts),
            _ => Ok(Arc::new(vec![self.max_count(run)?; run.n_samples()])),
        }
    }
}

/// The cells of features that are the same for all samples; not of segments.
impl<T: Real> RunWork<T> for Features {
    type Output = Cells;

    fn compute(&self, run: &RunData<'_, T>) -> Result<Cells> {
        let plane = Plane::new(run.shape(), run.layout());
        Ok(match self {
            Self::Grid(cells) => plane.grid(*cells),
            Self::Patches(size) => plane.patches(*size),
            Self::Positions | Self::Segments => plane.grid(usize::MAX),
        })
    }
}

/// The cells of the features of every sample of a batch.
impl<T: Real> BatchWork<T> for Features {
    type Output = FeatureCells;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<FeatureCells> {
        if *self != Self::Segments {
            return Ok(FeatureCells::Shared(batch.run().shared(self)?));
        }
        let segments = batch.run().side::<Segments>()?.read(batch.samples())?;
        let cells = parallel::map(batch.n_samples(), |sample| {
            Cells::from_labels(&labels(&segments, sample))
        });
        Ok(FeatureCells::PerSample(Arc::new(cells)))
    }
}

fn labels(segments: &CowArray<'_, u32, Ix3>, sample: usize) -> Vec<u32> {
    let plane = segments.index_axis(ndarray::Axis(0), sample);
    plane.iter().copied().collect()
}

/// The number of segments of every sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SegmentCounts;

impl<T: Real> RunWork<T> for SegmentCounts {
    type Output = Vec<usize>;

    fn compute(&self, run: &RunData<'_, T>) -> Result<Vec<usize>> {
        let segments = run.side::<Segments>()?;
        let mut counts = Vec::with_capacity(run.n_samples());
        for samples in run.batches() {
            let of_batch = segments.read(samples)?;
            counts.extend(parallel::map(of_batch.len_of(ndarray::Axis(0)), |sample| {
                distinct(&labels(&of_batch, sample)).len()
            }));
        }
        Ok(counts)
    }
}

/// The labels that occur, ascending.
fn distinct(labels: &[u32]) -> Vec<u32> {
    let mut distinct = labels.to_vec();
    // Neighbours mostly share their label.
    distinct.dedup();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// The cells of every sample of a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum FeatureCells {
    /// All samples have the same.
    Shared(Arc<Cells>),
    /// Each has its own.
    PerSample(Arc<Vec<Cells>>),
}

impl FeatureCells {
    /// The cells of a sample of the batch.
    #[must_use]
    pub fn for_sample(&self, sample: usize) -> &Cells {
        match self {
            Self::Shared(cells) => cells,
            Self::PerSample(cells) => &cells[sample],
        }
    }

    /// The largest number of cells of a sample.
    #[must_use]
    pub fn max_count(&self) -> usize {
        match self {
            Self::Shared(cells) => cells.n_cells(),
            Self::PerSample(cells) => cells.iter().map(Cells::n_cells).max().unwrap_or_default(),
        }
    }
}

/// The positions of a sample as rows and columns.
pub(crate) struct Plane {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Whether columns are cut, too.
    pub(crate) cuts_columns: bool,
}

impl Plane {
    /// An input of 2^32 positions has no map.
    pub(crate) fn new(shape: &[usize], layout: Layout) -> Self {
        let (rows, columns, cuts_columns) = match layout {
            Layout::ChannelsLast => (shape[1], shape[2], true),
            Layout::ChannelsFirst => (shape[2], shape[3], true),
            // Time is cut into stretches, features are not.
            Layout::TimeSeries => (shape[1], shape[2], false),
            // Inputs that no layout fits are rows, too.
            Layout::Tabular => (1, layout.n_positions(shape), false),
        };
        Self {
            rows,
            columns,
            cuts_columns,
        }
    }

    fn grid(&self, cells: usize) -> Cells {
        // The middle of a position says which cell it is in.
        let cut = |length: usize| {
            let n = cells.min(length);
            (n, move |place: usize| (2 * place + 1) * n / (2 * length))
        };
        self.cells(cut(self.rows), cut(self.columns))
    }

    fn patches(&self, size: usize) -> Cells {
        let cut = |length: usize| {
            let size = size.min(length);
            let n = length.div_ceil(size);
            let missing = (n * size - length) / 2;
            (n, move |place: usize| (place + missing) / size)
        };
        self.cells(cut(self.rows), cut(self.columns))
    }

    /// Cells from the number of bands along each axis, and the band of a place.
    fn cells(
        &self,
        (n_rows, row_of): (usize, impl Fn(usize) -> usize),
        (n_columns, column_of): (usize, impl Fn(usize) -> usize),
    ) -> Cells {
        let n_columns = if self.cuts_columns {
            n_columns
        } else {
            self.columns
        };
        let cell = |position: usize| {
            let (row, column) = (position / self.columns, position % self.columns);
            let column = if self.cuts_columns {
                column_of(column)
            } else {
                column
            };
            (row_of(row) * n_columns + column) as u32
        };
        let of_position = (0..self.rows * self.columns).map(cell).collect();
        Cells::from_cells(n_rows * n_columns, of_position)
    }
}

/// Which positions go together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells {
    n_cells: usize,
    of_position: Vec<u32>,
    /// The positions of all cells, cell by cell.
    positions: Vec<u32>,
    /// Where each cell begins in `positions`.
    starts: Vec<usize>,
}

impl Cells {
    /// Cells by the label of every position, in ascending order of labels. Labels need not be
    /// consecutive.
    ///
    /// ```
    /// use xai_attribution::perturbation::Cells;
    /// let cells = Cells::from_labels(&[7, 7, 2, 7]);
    /// assert_eq!((cells.n_cells(), cells.positions(0), cells.positions(1)), (2, &[2][..], &[0, 1, 3][..]));
    /// ```
    #[must_use]
    pub fn from_labels(labels: &[u32]) -> Self {
        let distinct = distinct(labels);
        let cell = |label: &u32| distinct.partition_point(|other| other < label) as u32;
        Self::from_cells(distinct.len(), labels.iter().map(cell).collect())
    }

    /// Cells from the cell of every position.
    fn from_cells(n_cells: usize, of_position: Vec<u32>) -> Self {
        let mut starts = vec![0; n_cells + 1];
        for &cell in &of_position {
            starts[cell as usize + 1] += 1;
        }
        for cell in 0..n_cells {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        let mut positions = vec![0; of_position.len()];
        for (position, &cell) in of_position.iter().enumerate() {
            positions[next[cell as usize]] = position as u32;
            next[cell as usize] += 1;
        }
        Self {
            n_cells,
            of_position,
            positions,
            starts,
        }
    }

    /// The positions of a cell, ascending.
    #[must_use]
    pub fn positions(&self, cell: usize) -> &[u32] {
        &self.positions[self.starts[cell]..self.starts[cell + 1]]
    }

    /// The number of cells.
    #[must_use]
    pub fn n_cells(&self) -> usize {
        self.n_cells
    }

    /// The sum over the positions of every cell.
    #[must_use]
    pub fn sums<T: Real>(&self, values: &[T]) -> Vec<f64> {
        let mut sums = vec![0.0; self.n_cells];
        for (&cell, x) in self.of_position.iter().zip(values) {
            sums[cell as usize] += x.to_f64_exact();
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_cover_the_positions_once_in_every_layout() {
        for (shape, layout, features, n_cells) in [
            (vec![1, 8, 8, 3], Layout::ChannelsLast, Features::Grid(3), 9),
            (
                vec![1, 3, 7, 5],
                Layout::ChannelsFirst,
                Features::Grid(9),
                35,
            ),
            (vec![1, 10, 4], Layout::TimeSeries, Features::Grid(5), 20),
            (vec![1, 6], Layout::Tabular, Features::Grid(2), 6),
            (
                vec![1, 4, 4, 1],
                Layout::ChannelsLast,
                Features::Positions,
                16,
            ),
            (
                vec![1, 3, 7, 5],
                Layout::ChannelsFirst,
                Features::Patches(3),
                6,
            ),
            (vec![1, 10, 4], Layout::TimeSeries, Features::Patches(4), 12),
            (vec![1, 6], Layout::Tabular, Features::Patches(4), 6),
            (
                vec![1, 4, 4, 1],
                Layout::ChannelsLast,
                Features::Patches(9),
                1,
            ),
        ] {
            let plane = Plane::new(&shape, layout);
            let cells = match features {
                Features::Grid(n) => plane.grid(n),
                Features::Patches(size) => plane.patches(size),
                _ => plane.grid(usize::MAX),
            };
            assert_eq!(cells.n_cells, n_cells, "{features:?}");
            let mut all: Vec<u32> = (0..n_cells)
                .flat_map(|cell| cells.positions(cell).to_vec())
                .collect();
            all.sort_unstable();
            assert!(all.iter().copied().eq(0..layout.n_positions(&shape) as u32));
            for (position, &cell) in cells.of_position.iter().enumerate() {
                assert!(cells.positions(cell as usize).contains(&(position as u32)));
            }
        }
        // Eight rows in three bands: ⌊(r + ½) · 3 / 8⌋ is 0 for r = 0..=2, 1 for 3 and 4, 2 for 5..=7.
        let cells = Plane::new(&[1, 8, 8, 1], Layout::ChannelsLast).grid(3);
        assert_eq!(cells.positions(0), [0, 1, 2, 8, 9, 10, 16, 17, 18]);
        assert_eq!(cells.positions(4), [27, 28, 35, 36]);
        // Five columns in patches of three: one is missing, and ⌊½⌋ = 0 of it on the left.
        let cells = Plane::new(&[1, 3, 5, 1], Layout::ChannelsLast).patches(3);
        assert_eq!(cells.of_position[..5], [0, 0, 0, 1, 1]);
        // Four columns in patches of three: two are missing, one on either side.
        let cells = Plane::new(&[1, 3, 4, 1], Layout::ChannelsLast).patches(3);
        assert_eq!(cells.of_position[..4], [0, 0, 1, 1]);
    }

    #[test]
    fn words_are_features() {
        for (word, features) in [
            ("positions", Features::Positions),
            ("grid:9", Features::Grid(9)),
            ("patches:16", Features::Patches(16)),
            ("segments", Features::Segments),
        ] {
            assert_eq!(word.parse::<Features>().unwrap(), features);
        }
        for word in ["", "grid", "grid:", "grid:x", "patches:-1", "pixels"] {
            assert!(word.parse::<Features>().is_err(), "{word}");
        }
    }
}
