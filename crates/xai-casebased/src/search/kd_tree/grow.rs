//! How a tree grows.

use std::ops::Range;

use crate::search::kd_tree::node::{CHILDREN, Child, LEAF_ROWS};
use crate::search::kernel::box_blocks::BoxBlocks;
use crate::search::kernel::lanes::ROWS;
use crate::search::kernel::rank::Rank;
use crate::training::rows::TrainingRows;

/// A tree without its rows.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    /// The training row of every place, leaf after leaf.
    pub(crate) index: Vec<u32>,
    pub(crate) boxes: BoxBlocks,
    pub(crate) nodes: Vec<[Child; CHILDREN]>,
    pub(crate) root: Child,
}

impl Shape {
    /// The tree over `n_rows` rows, which are compared by this rank. The copy of the scaled rows that
    /// it works on is gone afterwards: they are scaled once more rather than held twice.
    pub(crate) fn over(rows: &TrainingRows, n_rows: u32, rank: Rank) -> Self {
        let (n, d) = (rows.n_rows(), rows.n_features());
        let mut values = vec![0.0; n * d];
        for (row, to) in values.chunks_exact_mut(d).enumerate() {
            rows.write(row, to);
        }
        let mut growing = Growing {
            values,
            d,
            index: (0..n_rows).collect(),
            boxes: BoxBlocks::new(d, rank),
            nodes: Vec::new(),
        };
        let root = growing.child(0..n);
        Self {
            index: growing.index,
            boxes: growing.boxes,
            nodes: growing.nodes,
            root,
        }
    }
}

/// The tree while it grows.
struct Growing {
    values: Vec<f64>,
    d: usize,
    index: Vec<u32>,
    boxes: BoxBlocks,
    nodes: Vec<[Child; CHILDREN]>,
}

impl Growing {
    /// The subtree over a range of the index that starts at a leaf's boundary. Blocks and nodes are
    /// fewer than rows, so that their numbers fit.
    fn child(&mut self, range: Range<usize>) -> Child {
        if range.len() <= LEAF_ROWS {
            return Child::Leaf((range.start / ROWS) as u32);
        }
        let mut parts = vec![range];
        while parts.len() < CHILDREN && parts.iter().any(|p| p.len() > LEAF_ROWS) {
            parts = parts
                .into_iter()
                .flat_map(|part| self.halves(part))
                .collect();
        }
        let corners: Vec<_> = parts
            .iter()
            .map(|part| self.corners(part.clone()))
            .collect();
        let node = self.nodes.len();
        self.nodes.push([Child::Absent; CHILDREN]);
        self.boxes.push(&corners);
        for (i, part) in parts.into_iter().enumerate() {
            self.nodes[node][i] = self.child(part);
        }
        Child::Node(node as u32)
    }

    /// A range cut at the median of its widest feature, moved to a leaf's boundary so that all
    /// leaves but the last are full.
    fn halves(&mut self, range: Range<usize>) -> Vec<Range<usize>> {
        if range.len() <= LEAF_ROWS {
            return vec![range];
        }
        let (low, high) = self.corners(range.clone());
        let spread = |feature: &usize| high[*feature] - low[*feature];
        let widest = (0..self.d)
            .max_by(|a, b| spread(a).total_cmp(&spread(b)).then(b.cmp(a)))
            .unwrap_or(0);
        let leaves = range.len().div_ceil(LEAF_ROWS);
        let left = leaves.div_ceil(2) * LEAF_ROWS;
        let (values, d) = (&self.values, self.d);
        self.index[range.clone()].select_nth_unstable_by(left, |&a, &b| {
            let value = |row: u32| values[row as usize * d + widest];
            value(a).total_cmp(&value(b)).then(a.cmp(&b))
        });
        let middle = range.start + left;
        vec![range.start..middle, middle..range.end]
    }

    /// The tight box around a range.
    fn corners(&self, range: Range<usize>) -> (Vec<f64>, Vec<f64>) {
        let mut low = vec![f64::INFINITY; self.d];
        let mut high = vec![f64::NEG_INFINITY; self.d];
        for &row in &self.index[range] {
            let row = &self.values[row as usize * self.d..][..self.d];
            for ((low, high), &x) in low.iter_mut().zip(&mut high).zip(row) {
                *low = low.min(x);
                *high = high.max(x);
            }
        }
        (low, high)
    }
}
