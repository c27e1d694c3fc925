//! Counting what pairs of runs share: tiles of pairs over packed runs, down to the registers.

pub(crate) mod kernels;
mod micro_kernel;
mod pair_cells;
pub(crate) mod pair_tiles;
#[cfg(target_arch = "x86_64")]
mod registers;
