//! Which training rows lie in a leaf.

use xai_core::{Error, Result};

use crate::input;

/// Training rows by leaf of one tree.
#[derive(Debug, Clone)]
pub(crate) struct LeafIndex {
    /// The leaves that have rows, ascending.
    leaves: Vec<u32>,
    /// Where the rows of each leaf begin; one more at the end.
    starts: Vec<usize>,
    /// Rows leaf by leaf, ascending within each.
    rows: Vec<u32>,
}

impl LeafIndex {
    /// From the leaf of every row, fewer than 2³² of them.
    pub(crate) fn new(leaf_of: impl Iterator<Item = u32>) -> Self {
        let mut pairs: Vec<(u32, u32)> = leaf_of.zip(0..).collect();
        pairs.sort_unstable();
        let (mut leaves, mut starts) = (Vec::new(), Vec::new());
        for (place, (leaf, _)) in pairs.iter().enumerate() {
            if leaves.last() != Some(leaf) {
                leaves.push(*leaf);
                starts.push(place);
            }
        }
        starts.push(pairs.len());
        Self {
            leaves,
            starts,
            rows: pairs.into_iter().map(|(_, row)| row).collect(),
        }
    }

    /// The rows of a leaf; none of one that no training row reached.
    pub(crate) fn rows(&self, leaf: u32) -> &[u32] {
        match self.leaves.binary_search(&leaf) {
            Ok(i) => &self.rows[self.starts[i]..self.starts[i + 1]],
            Err(_) => &[],
        }
    }
}

/// Leaf indices number rows with 32 bits.
pub(crate) fn check_row_count(n_rows: usize) -> Result<()> {
    match u32::try_from(n_rows) {
        Ok(_) => Ok(()),
        Err(_) => {
            let most = "fewer than 2^32 rows";
            Err(Error::parameter(input::TRAIN, n_rows, most).part("number of rows"))
        }
    }
}
