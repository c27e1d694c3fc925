//! What the counting loops of every processor have in common.

use crate::packed::bit_planes::Block;

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
