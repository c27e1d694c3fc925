//! Index from the leaves of a tree to training rows.

use xai_core::{Error, Result};

use crate::input;

/// Training rows in each leaf of one tree.
#[derive(Debug, Clone)]
pub(crate) struct LeafIndex {
    /// Leaves with at least one row, ascending.
    leaves: Vec<u32>,
    /// Index in `rows` of the first row of each leaf, followed by the number of rows.
    starts: Vec<usize>,
    /// Rows leaf by leaf, ascending within each leaf.
    rows: Vec<u32>,
}

impl LeafIndex {
    /// Creates the index from the leaf of every row. There must be fewer than 2³² rows.
    pub(crate) fn new(leaf_by_row: impl Iterator<Item = u32>) -> Self {
        let mut pairs: Vec<(u32, u32)> = leaf_by_row.zip(0..).collect();
        // By leaf, then by row: rows of a leaf ascend, so that they can be searched by bisection.
        pairs.sort_unstable();
        let (mut leaves, mut starts) = (Vec::new(), Vec::new());
        for (position, (leaf, _)) in pairs.iter().enumerate() {
            if leaves.last() != Some(leaf) {
                leaves.push(*leaf);
                starts.push(position);
            }
        }
        starts.push(pairs.len());
        Self {
            leaves,
            starts,
            rows: pairs.into_iter().map(|(_, row)| row).collect(),
        }
    }

    /// Rows of a leaf, ascending; empty for a leaf without training rows.
    pub(crate) fn rows(&self, leaf: u32) -> &[u32] {
        match self.leaves.binary_search(&leaf) {
            Ok(i) => &self.rows[self.starts[i]..self.starts[i + 1]],
            Err(_) => &[],
        }
    }
}

/// Checks that row indices fit into 32 bits.
pub(crate) fn check_row_count(n_rows: usize) -> Result<()> {
    match u32::try_from(n_rows) {
        Ok(_) => Ok(()),
        Err(_) => {
            let most = "fewer than 2^32 rows";
            Err(Error::parameter(input::TRAIN, n_rows, most).part("number of rows"))
        }
    }
}
