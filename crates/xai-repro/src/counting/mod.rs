//! Counting what pairs of runs share: tiles of pairs over packed runs, down to the registers.

pub(crate) mod kernels;
pub(crate) mod micro_tiles;
mod pair_cells;
pub(crate) mod pair_tiles;
pub(crate) mod pairs;
#[cfg(target_arch = "x86_64")]
mod registers;
