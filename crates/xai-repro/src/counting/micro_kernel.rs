//! Interface of the innermost counting loops, which differ between processors.

use crate::packed::bit_planes::Block;

/// A loop that counts a small rectangle of row pairs at once, as large as the registers have room for counters.
pub(super) trait MicroKernel: Copy {
    /// Largest number of rows on the left: 1, 2 or 4.
    const ROWS: usize;
    /// Largest number of rows on the right: 1, 2 or 4.
    const COLUMNS: usize;

    /// Counts each row on the left against each row on the right. All rows have the same length.
    fn count<const R: usize, const C: usize>(
        self,
        left: [&[Block]; R],
        right: [&[Block]; C],
    ) -> [[u64; C]; R];
}
