//! Rectangles of rows, counted in micro-tiles: a block that is loaded is used for every row of the
//! other side while it is in a register.

use crate::packed::block::Block;

/// Rows against rows: cell `r * right.len() + c` is `left[r]` against `right[c]`.
pub(crate) struct Rectangle<'a> {
    left: &'a [&'a [Block]],
    right: &'a [&'a [Block]],
    above_diagonal: bool,
    counts: &'a mut [u64],
}

/// What is counted of at most `ROWS × COLUMNS` rows at once: as many as registers hold counters for.
pub(super) trait MicroKernel: Copy {
    /// 1, 2 or 4.
    const ROWS: usize;
    /// 1, 2 or 4.
    const COLUMNS: usize;

    /// The counts of all rows on the left against all on the right, which are of one length.
    fn count<const R: usize, const C: usize>(
        self,
        left: [&[Block]; R],
        right: [&[Block]; C],
    ) -> [[u64; C]; R];
}

impl<'a> Rectangle<'a> {
    /// Rows, which are of one length, and one counter per cell, which is added to. With
    /// `above_diagonal` only cells with `r < c` need be counted.
    pub(crate) fn new(
        left: &'a [&'a [Block]],
        right: &'a [&'a [Block]],
        above_diagonal: bool,
        counts: &'a mut [u64],
    ) -> Self {
        debug_assert_eq!(counts.len(), left.len() * right.len());
        Self {
            left,
            right,
            above_diagonal,
            counts,
        }
    }

    /// Counts it.
    #[inline(always)]
    pub(super) fn count<M: MicroKernel>(mut self, micro: M) {
        let mut row = 0;
        while row < self.left.len() {
            row += match self.left.len() - row {
                4.. if M::ROWS >= 4 => self.count_rows::<M, 4>(micro, row),
                2.. if M::ROWS >= 2 => self.count_rows::<M, 2>(micro, row),
                _ => self.count_rows::<M, 1>(micro, row),
            };
        }
    }

    #[inline(always)]
    fn count_rows<M: MicroKernel, const R: usize>(&mut self, micro: M, row: usize) -> usize {
        let mut column = 0;
        while column < self.right.len() {
            column += match self.right.len() - column {
                4.. if M::COLUMNS >= 4 => self.count_tile::<M, R, 4>(micro, row, column),
                2.. if M::COLUMNS >= 2 => self.count_tile::<M, R, 2>(micro, row, column),
                _ => self.count_tile::<M, R, 1>(micro, row, column),
            };
        }
        R
    }

    #[inline(always)]
    fn count_tile<M: MicroKernel, const R: usize, const C: usize>(
        &mut self,
        micro: M,
        row: usize,
        column: usize,
    ) -> usize {
        if !self.above_diagonal || row < column + C - 1 {
            let left: [&[Block]; R] = std::array::from_fn(|i| self.left[row + i]);
            let right: [&[Block]; C] = std::array::from_fn(|i| self.right[column + i]);
            for (i, counted) in micro.count(left, right).iter().enumerate() {
                let from = (row + i) * self.right.len() + column;
                for (count, &more) in self.counts[from..from + C].iter_mut().zip(counted) {
                    *count += more;
                }
            }
        }
        C
    }
}
