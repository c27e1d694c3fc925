//! Which positions are removed together.

use xai_core::{Error, Layout, Real, Result};

use crate::batch::run_data::{RunData, RunWork};
use crate::input;

/// A number of cells along height, width and time, at least 1; `None` takes every position by
/// itself, and so does a grid finer than the input.
///
/// A position is in cell `⌊(row + ½) · grid / height⌋`, `⌊(column + ½) · grid / width⌋`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid(pub Option<usize>);

impl<T: Real> RunWork<T> for Grid {
    type Output = Cells;

    fn compute(&self, run: &RunData<'_, T>) -> Result<Cells> {
        if self.0 == Some(0) {
            return Err(Error::parameter(input::GRID, 0, "at least 1 cell"));
        }
        let cells = Cells::new(run.shape(), run.layout(), self.0);
        if cells.n_cells < 2 {
            let grid = self.0.map_or_else(|| "none".to_owned(), |g| g.to_string());
            return Err(Error::parameter(
                input::GRID,
                grid,
                "a grid of at least 2 cells",
            ));
        }
        Ok(cells)
    }
}

/// Which positions go together: the cells of a grid of super-pixels on images, stretches of time of
/// one feature in time series, single features in tables.
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
    /// The cells of inputs of this shape. An input of 2^32 positions has no map.
    fn new(shape: &[usize], layout: Layout, grid: Option<usize>) -> Self {
        let along = |length: usize| grid.map_or(length, |cells| cells.min(length));
        let (rows, columns, grid_columns) = match layout {
            Layout::ChannelsLast => (shape[1], shape[2], along(shape[2])),
            Layout::ChannelsFirst => (shape[2], shape[3], along(shape[3])),
            // Time is cut into stretches, features are not.
            Layout::TimeSeries => (shape[1], shape[2], shape[2]),
            Layout::Tabular => (1, shape[1], shape[1]),
        };
        let grid_rows = along(rows);
        // The middle of a position says which cell it is in.
        let band =
            |place: usize, bands: usize, length: usize| (2 * place + 1) * bands / (2 * length);
        let cell = |row: usize, column: usize| {
            let row = band(row, grid_rows, rows);
            (row * grid_columns + band(column, grid_columns, columns)) as u32
        };
        let of_position: Vec<u32> = (0..rows * columns)
            .map(|p| cell(p / columns, p % columns))
            .collect();
        let n_cells = grid_rows * grid_columns;
        Self::from_cells(n_cells, of_position)
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
    pub fn positions_of(&self, cell: usize) -> &[u32] {
        &self.positions[self.starts[cell]..self.starts[cell + 1]]
    }

    /// The number of cells.
    #[must_use]
    pub fn n_cells(&self) -> usize {
        self.n_cells
    }

    /// The cell of every position.
    #[must_use]
    pub fn of_position(&self) -> &[u32] {
        &self.of_position
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_cover_the_positions_once_in_every_layout() {
        for (shape, layout, grid, n_cells) in [
            (vec![1, 8, 8, 3], Layout::ChannelsLast, Some(3), 9),
            (vec![1, 3, 7, 5], Layout::ChannelsFirst, Some(9), 35),
            (vec![1, 10, 4], Layout::TimeSeries, Some(5), 20),
            (vec![1, 6], Layout::Tabular, Some(2), 6),
            (vec![1, 4, 4, 1], Layout::ChannelsLast, None, 16),
        ] {
            let cells = Cells::new(&shape, layout, grid);
            assert_eq!(cells.n_cells, n_cells);
            let mut all: Vec<u32> = (0..n_cells)
                .flat_map(|cell| cells.positions_of(cell).to_vec())
                .collect();
            all.sort_unstable();
            assert!(all.iter().copied().eq(0..layout.n_positions(&shape) as u32));
            for (position, &cell) in cells.of_position.iter().enumerate() {
                assert!(
                    cells
                        .positions_of(cell as usize)
                        .contains(&(position as u32))
                );
            }
        }
        // Eight rows in three bands: ⌊(r + ½) · 3 / 8⌋ is 0 for r = 0..=2, 1 for 3 and 4, 2 for 5..=7.
        let cells = Cells::new(&[1, 8, 8, 1], Layout::ChannelsLast, Some(3));
        assert_eq!(cells.positions_of(0), [0, 1, 2, 8, 9, 10, 16, 17, 18]);
        assert_eq!(cells.positions_of(4), [27, 28, 35, 36]);
    }
}
