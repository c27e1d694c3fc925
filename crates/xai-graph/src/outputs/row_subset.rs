//! The rows that a metric visits.

use xai_core::{Error, Result};

use crate::input;

/// All rows, or some by their position; one named twice is visited twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RowSubset<'a> {
    index: Option<&'a [usize]>,
}

impl<'a> RowSubset<'a> {
    /// The rows of an index.
    pub(crate) fn new(index: &'a [usize]) -> Self {
        Self { index: Some(index) }
    }

    /// The positions; `None` for all rows.
    pub(crate) fn index(self) -> Option<&'a [usize]> {
        self.index
    }

    /// The row that is visited at a position.
    #[inline]
    pub(crate) fn row(self, visited: usize) -> usize {
        self.index.map_or(visited, |index| index[visited])
    }

    /// The number of rows to visit among those of `n_samples`.
    ///
    /// # Errors
    /// `Empty` when there are none, `OutOfDomain` for one beyond the samples.
    pub(crate) fn n_rows(self, n_samples: usize) -> Result<usize> {
        let Some(index) = self.index else {
            return match n_samples {
                0 => Err(Error::empty(input::SAMPLES)),
                n => Ok(n),
            };
        };
        if index.is_empty() {
            return Err(Error::empty(input::INDEX));
        }
        if let Some(at) = index.iter().position(|&row| row >= n_samples) {
            let expected = format!("a sample, 0..{n_samples}");
            let value = index[at] as f64;
            return Err(Error::out_of_domain(input::INDEX, &[at], value, expected));
        }
        Ok(index.len())
    }
}
