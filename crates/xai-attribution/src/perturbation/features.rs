//! Grouping of positions into features, which are removed as a whole.

use std::sync::Arc;

use ndarray::{CowArray, Ix3};
use xai_core::describe::Parameter;
use xai_core::{InputLayout, Real, Result, parallel};

use crate::batch::{BatchWork, Dataset, DatasetWork, SampleBatch};
use crate::input;
use crate::side::Segments;

/// Grouping of positions into features, which are removed as a whole.
///
/// Grids and patches divide both axes of images, but only the time axis of time series, so that every variable has
/// intervals of its own. In tables every feature is a group by itself, whatever the number or size of cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Features {
    /// Every position is a feature.
    #[default]
    Positions,
    /// Grid with this number of cells along height, width and time, at least 1. A position is in cell `⌊(row + ½) ·
    /// cells / height⌋`, `⌊(column + ½) · cells / width⌋`. If the grid is finer than the input, every position is a
    /// feature.
    #[param(value_name = "CELLS", at_least = 1)]
    Grid(usize),
    /// Patches of this number of positions along height, width and time, at least 1. If patches do not fill an axis
    /// exactly, they are centred and the outer ones are smaller: a position is in patch `⌊(row + missing) / size⌋`,
    /// where `missing` is half the number of rows that the last patch lacks, rounded down.
    #[param(value_name = "SIZE", at_least = 1)]
    Patches(usize),
    /// The given [`Segments`]: positions with the same label form a feature.
    Segments,
}

impl Features {
    /// Checks the parameters. Called once per run, before the model.
    ///
    /// # Errors
    /// An invalid parameter about the size of cells; an empty-input error if segments are needed but not given.
    pub fn prepare<T: Real>(self, dataset: &Dataset<'_, T>) -> Result<()> {
        input::check_kind(input::FEATURES, &self)?;
        match self {
            Self::Positions => Ok(()),
            Self::Grid(_) | Self::Patches(_) => dataset.shared(&self).map(drop),
            Self::Segments => dataset.side::<Segments>().map(drop),
        }
    }

    /// Largest number of features per sample.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn max_count<T: Real>(self, dataset: &Dataset<'_, T>) -> Result<usize> {
        match self {
            Self::Positions => Ok(dataset.n_positions()),
            Self::Grid(_) | Self::Patches(_) => Ok(dataset.shared(&self)?.n_cells()),
            Self::Segments => {
                let counts = dataset.shared(&SegmentCounts)?;
                Ok(counts.iter().copied().max().unwrap_or_default())
            }
        }
    }

    /// Number of features of every sample of the run.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn counts<T: Real>(self, dataset: &Dataset<'_, T>) -> Result<Arc<Vec<usize>>> {
        match self {
            Self::Segments => dataset.shared(&SegmentCounts),
            _ => Ok(Arc::new(vec![
                self.max_count(dataset)?;
                dataset.n_samples()
            ])),
        }
    }
}

/// Cells that are the same for all samples: every kind of features except segments.
impl<T: Real> DatasetWork<T> for Features {
    type Output = Cells;

    fn compute(&self, dataset: &Dataset<'_, T>) -> Result<Cells> {
        let plane = Plane::new(dataset.shape(), dataset.layout());
        Ok(match self {
            Self::Grid(cells) => plane.grid(*cells),
            Self::Patches(size) => plane.patches(*size),
            // A grid is never finer than the input, so this has one cell per position.
            Self::Positions | Self::Segments => plane.grid(usize::MAX),
        })
    }
}

/// Cells of every sample of a batch.
impl<T: Real> BatchWork<T> for Features {
    type Output = FeatureCells;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<FeatureCells> {
        if *self != Self::Segments {
            return Ok(FeatureCells::Shared(batch.dataset().shared(self)?));
        }
        let segments = batch.dataset().side::<Segments>()?.read(batch.samples())?;
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

/// Number of segments of every sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SegmentCounts;

impl<T: Real> DatasetWork<T> for SegmentCounts {
    type Output = Vec<usize>;

    fn compute(&self, dataset: &Dataset<'_, T>) -> Result<Vec<usize>> {
        let segments = dataset.side::<Segments>()?;
        let mut counts = Vec::with_capacity(dataset.n_samples());
        for samples in dataset.batches() {
            let batch = segments.read(samples)?;
            counts.extend(parallel::map(batch.len_of(ndarray::Axis(0)), |sample| {
                distinct(&labels(&batch, sample)).len()
            }));
        }
        Ok(counts)
    }
}

/// Distinct labels in ascending order.
fn distinct(labels: &[u32]) -> Vec<u32> {
    let mut distinct = labels.to_vec();
    // Removing runs first makes the sort cheap: neighbouring positions mostly have the same label.
    distinct.dedup();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// Cells of every sample of a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum FeatureCells {
    /// All samples have the same cells.
    Shared(Arc<Cells>),
    /// Each sample has its own cells.
    PerSample(Arc<Vec<Cells>>),
}

impl FeatureCells {
    /// Cells of a sample of the batch.
    #[must_use]
    pub fn for_sample(&self, sample: usize) -> &Cells {
        match self {
            Self::Shared(cells) => cells,
            Self::PerSample(cells) => &cells[sample],
        }
    }

    /// Largest number of cells per sample.
    #[must_use]
    pub fn max_count(&self) -> usize {
        match self {
            Self::Shared(cells) => cells.n_cells(),
            Self::PerSample(cells) => cells.iter().map(Cells::n_cells).max().unwrap_or_default(),
        }
    }
}

/// Positions of a sample as a plane of rows and columns.
pub(crate) struct Plane {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// True if columns are grouped as well as rows.
    pub(crate) cuts_columns: bool,
}

impl Plane {
    /// Plane of the positions for inputs of this shape. (Position indices fit into `u32`: maps with 2³² positions do
    /// not fit into memory.)
    pub(crate) fn new(shape: &[usize], layout: InputLayout) -> Self {
        let (rows, columns, cuts_columns) = match layout {
            InputLayout::ChannelsLast => (shape[1], shape[2], true),
            InputLayout::ChannelsFirst => (shape[2], shape[3], true),
            // Time is divided into intervals; variables are kept apart.
            InputLayout::TimeSeries => (shape[1], shape[2], false),
            // Inputs that fit no layout are treated as rows of a table.
            InputLayout::Tabular => (1, layout.n_positions(shape), false),
        };
        Self {
            rows,
            columns,
            cuts_columns,
        }
    }

    fn grid(&self, cells: usize) -> Cells {
        // The centre of a position decides which cell it belongs to.
        let cut = |length: usize| {
            let n = cells.min(length);
            (n, move |index: usize| (2 * index + 1) * n / (2 * length))
        };
        self.cells(cut(self.rows), cut(self.columns))
    }

    fn patches(&self, size: usize) -> Cells {
        let cut = |length: usize| {
            let size = size.min(length);
            let n = length.div_ceil(size);
            let missing = (n * size - length) / 2;
            (n, move |index: usize| (index + missing) / size)
        };
        self.cells(cut(self.rows), cut(self.columns))
    }

    /// Cells from the number of bands along each axis and functions from an index to its band.
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
        let cell_indices = (0..self.rows * self.columns).map(cell).collect();
        Cells::from_cells(n_rows * n_columns, cell_indices)
    }
}

/// Partition of positions into cells, which are removed as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells {
    n_cells: usize,
    /// Cell of every position.
    cell_indices: Vec<u32>,
    /// Positions of all cells, concatenated in the order of the cells.
    positions: Vec<u32>,
    /// Start of each cell in `positions`.
    starts: Vec<usize>,
}

impl Cells {
    /// Creates cells from the label of every position, numbered in ascending order of the labels. Labels need not be
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

    /// Creates cells from the cell of every position, by a counting sort.
    fn from_cells(n_cells: usize, cell_indices: Vec<u32>) -> Self {
        // First counts the positions of each cell, then accumulates the counts to offsets.
        let mut starts = vec![0; n_cells + 1];
        for &cell in &cell_indices {
            starts[cell as usize + 1] += 1;
        }
        for cell in 0..n_cells {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        let mut positions = vec![0; cell_indices.len()];
        // Visited in ascending order, so that the positions of each cell ascend as well.
        for (position, &cell) in cell_indices.iter().enumerate() {
            positions[next[cell as usize]] = position as u32;
            next[cell as usize] += 1;
        }
        Self {
            n_cells,
            cell_indices,
            positions,
            starts,
        }
    }

    /// Positions of a cell, ascending.
    #[must_use]
    pub fn positions(&self, cell: usize) -> &[u32] {
        &self.positions[self.starts[cell]..self.starts[cell + 1]]
    }

    /// Number of cells.
    #[must_use]
    pub fn n_cells(&self) -> usize {
        self.n_cells
    }

    /// Sum of the values of the positions of every cell.
    #[must_use]
    pub fn sums<T: Real>(&self, values: &[T]) -> Vec<f64> {
        let mut sums = vec![0.0; self.n_cells];
        // Added in the order of the positions, whatever their cells, so that sums are reproducible.
        for (&cell, x) in self.cell_indices.iter().zip(values) {
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
            (
                vec![1, 8, 8, 3],
                InputLayout::ChannelsLast,
                Features::Grid(3),
                9,
            ),
            (
                vec![1, 3, 7, 5],
                InputLayout::ChannelsFirst,
                Features::Grid(9),
                35,
            ),
            (
                vec![1, 10, 4],
                InputLayout::TimeSeries,
                Features::Grid(5),
                20,
            ),
            (vec![1, 6], InputLayout::Tabular, Features::Grid(2), 6),
            (
                vec![1, 4, 4, 1],
                InputLayout::ChannelsLast,
                Features::Positions,
                16,
            ),
            (
                vec![1, 3, 7, 5],
                InputLayout::ChannelsFirst,
                Features::Patches(3),
                6,
            ),
            (
                vec![1, 10, 4],
                InputLayout::TimeSeries,
                Features::Patches(4),
                12,
            ),
            (vec![1, 6], InputLayout::Tabular, Features::Patches(4), 6),
            (
                vec![1, 4, 4, 1],
                InputLayout::ChannelsLast,
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
            for (position, &cell) in cells.cell_indices.iter().enumerate() {
                assert!(cells.positions(cell as usize).contains(&(position as u32)));
            }
        }
        // Eight rows in three bands: ⌊(r + ½) · 3 / 8⌋ is 0 for r = 0..=2, 1 for 3 and 4, 2 for 5..=7.
        let cells = Plane::new(&[1, 8, 8, 1], InputLayout::ChannelsLast).grid(3);
        assert_eq!(cells.positions(0), [0, 1, 2, 8, 9, 10, 16, 17, 18]);
        assert_eq!(cells.positions(4), [27, 28, 35, 36]);
        // Five columns in patches of three: one is missing, at the end.
        let cells = Plane::new(&[1, 3, 5, 1], InputLayout::ChannelsLast).patches(3);
        assert_eq!(cells.cell_indices[..5], [0, 0, 0, 1, 1]);
        // Four columns in patches of three: two are missing, one on either side.
        let cells = Plane::new(&[1, 3, 4, 1], InputLayout::ChannelsLast).patches(3);
        assert_eq!(cells.cell_indices[..4], [0, 0, 1, 1]);
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
