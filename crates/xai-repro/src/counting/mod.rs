//! Counts over pairs of packed runs, in layers: tiles of pairs, rectangles of rows, micro-kernels on registers.

pub(crate) mod kernels;
mod micro_kernel;
mod pair_cells;
pub(crate) mod pair_tiles;
#[cfg(target_arch = "x86_64")]
mod registers;
