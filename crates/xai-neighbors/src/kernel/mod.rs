//! SIMD kernels: distances to eight rows and bounds of eight boxes at a time.

pub(crate) mod box_blocks;
pub(crate) mod lanes;
pub(crate) mod rank;
pub(crate) mod row_blocks;
