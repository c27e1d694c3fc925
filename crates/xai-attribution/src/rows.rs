//! Loops over the rows of a batch.

use xai_core::parallel;

/// Below this many elements threads cost more than they save.
const ELEMENTS_WORTH_A_THREAD: usize = 1 << 15;

/// Calls `visit(i, chunk)` for each chunk of `size` elements, on several threads if there are enough elements. The
/// last chunk may be shorter.
pub(crate) fn for_each_row<T: Send>(
    values: &mut [T],
    size: usize,
    visit: impl Fn(usize, &mut [T]) + Sync + Send,
) {
    if values.len() < ELEMENTS_WORTH_A_THREAD {
        for (row, values) in values.chunks_mut(size).enumerate() {
            visit(row, values);
        }
    } else {
        parallel::for_each_chunk(values, size, visit);
    }
}
