//! The rows of two output arrays, and the divergence of each pair.

use std::ops::Range;

use ndarray::ArrayView2;
use xai_core::tensor::check_shape;
use xai_core::{Error, Real, Result};

use crate::outputs::output_rows::{OutputDistribution, RowSubset, TWO_COLUMNS, check_row};
use crate::unfaithfulness::metric::{KlDirection, Setup};
use crate::unfaithfulness::row_divergence::{LANES, RowDivergence};
use crate::{help, input};

/// Rows that one thread takes at a time.
pub(crate) const BLOCK: usize = 64 * LANES;

/// Two output arrays whose shapes agree, and the rows of them to visit.
pub(crate) struct RowPairs<'a, T> {
    full: ArrayView2<'a, T>,
    kept: ArrayView2<'a, T>,
    subset: RowSubset<'a>,
    n_rows: usize,
    setup: Setup,
}

impl<'a, T: Real> RowPairs<'a, T> {
    pub(crate) fn new(
        full: ArrayView2<'a, T>,
        kept: ArrayView2<'a, T>,
        subset: RowSubset<'a>,
        setup: Setup,
    ) -> Result<Self> {
        check_shape(input::KEPT, full.shape(), kept.shape())?;
        let n_rows = subset.n_rows(full.nrows())?;
        match (setup.output_distribution, full.ncols()) {
            (_, 0) => return Err(Error::empty(input::FULL).part("columns")),
            (OutputDistribution::Categorical, 1) => {
                let error = Error::shape_described(input::FULL, TWO_COLUMNS, full.shape());
                return Err(error.with_help(help::BERNOULLI_FOR_ONE_COLUMN));
            }
            _ => {}
        }
        Ok(Self {
            full,
            kept,
            subset,
            n_rows,
            setup,
        })
    }

    pub(crate) fn n_blocks(&self) -> usize {
        self.n_rows.div_ceil(BLOCK)
    }

    /// Calls `each` with the divergence of every row of a block, in order.
    pub(crate) fn divergences(&self, block: usize, mut each: impl FnMut(f64)) -> Result<()> {
        let range = block * BLOCK..((block + 1) * BLOCK).min(self.n_rows);
        let (p, q) = match self.setup.kl_direction {
            KlDirection::Forward => (self.full, self.kept),
            KlDirection::Reverse => (self.kept, self.full),
        };
        let (returns, distribution) = (self.setup.return_type, self.setup.output_distribution);
        let mut rows = RowDivergence::new(self.full.ncols(), returns, distribution);
        for start in range.clone().step_by(LANES) {
            let lanes = start..(start + LANES).min(range.end);
            let visited = lanes.clone().map(|visited| self.subset.row(visited));
            match rows.compute(p, q, visited) {
                Some(divergences) => divergences[..lanes.len()].iter().for_each(|&kl| each(kl)),
                None => return Err(self.first_error(lanes)),
            }
        }
        Ok(())
    }

    /// What is wrong with the first bad row among those visited. The kernel looks at the same bounds
    /// as the check of a row, so one is.
    #[cold]
    fn first_error(&self, visited: Range<usize>) -> Error {
        let (returns, distribution) = (self.setup.return_type, self.setup.output_distribution);
        let first = visited.start;
        let check = |visited| {
            let row = self.subset.row(visited);
            check_row(input::FULL, row, self.full.row(row), returns, distribution)?;
            check_row(input::KEPT, row, self.kept.row(row), returns, distribution)
        };
        visited
            .map(check)
            .find_map(Result::err)
            .unwrap_or_else(|| Error::non_finite(input::FULL, &[self.subset.row(first)]))
    }
}
