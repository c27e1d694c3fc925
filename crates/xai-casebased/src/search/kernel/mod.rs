//! Distances and bounds, eight rows or boxes at a time.

pub(crate) mod box_blocks;
pub(crate) mod lanes;
pub(crate) mod rank;
pub(crate) mod row_blocks;
