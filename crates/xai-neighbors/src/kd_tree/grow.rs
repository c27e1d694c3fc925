//! Construction of a tree.

use std::ops::AddAssign;

use xai_core::parallel;

use crate::kernel::box_blocks::BoxBlocks;
use crate::kernel::lanes::ROWS;
use crate::kernel::rank::Rank;
use crate::training_rows::TrainingRows;

/// Rows in a leaf: two blocks, whose distances cost about as much as the bounds of a group of boxes.
/// Measured at 57 000 × 5: 16, 24 and 32 rows take 1.57, 1.62 and 1.65 µs per query.
pub(crate) const LEAF_ROWS: usize = 2 * ROWS;

/// Children of a node: as many boxes as one kernel call bounds.
pub(crate) const CHILDREN: usize = ROWS;

/// A child of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Child {
    /// Index of a node, which is also that of its group of boxes.
    Node(u32),
    /// Index of the first block of a leaf.
    Leaf(u32),
    Absent,
}

/// The structure of a tree without the values of its rows.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    /// Training row at every position, leaf after leaf.
    pub(crate) index: Vec<u32>,
    pub(crate) boxes: BoxBlocks,
    pub(crate) nodes: Vec<[Child; CHILDREN]>,
    pub(crate) root: Child,
}

impl Shape {
    /// Builds the tree over `n_rows` rows that are compared by this rank.
    ///
    /// The children of the root are split from the training rows themselves. Below them, every part of the tree
    /// works on its own contiguous copy of its scaled rows, and so do its parts in turn, so that the data that are
    /// read repeatedly soon fit into a cache. At 200 000 × 12 this and the threads make building 6 times as fast as
    /// with one copy that is addressed through the index. The copies are dropped afterwards: the rows are scaled
    /// again for the search rather than stored twice.
    pub(crate) fn build(rows: &TrainingRows, n_rows: u32, rank: Rank) -> Self {
        let d = rows.n_features();
        let source = RowSource::Training(rows);
        let all = Part::new(source, d, (0..n_rows).collect());
        if all.rows.len() <= LEAF_ROWS {
            return Self {
                index: all.rows,
                boxes: BoxBlocks::new(d, rank),
                nodes: Vec::new(),
                root: Child::Leaf(0),
            };
        }
        let parts = split_into_children(source, d, all);
        let mut whole = TreeBuilder::new(d, rank, 0);
        whole.node(&parts);
        // The number of rows before each part fixes the positions of its leaves, so the parts can be built in parallel.
        let mut starts = vec![0];
        for part in &parts {
            starts.push(starts[starts.len() - 1] + part.rows.len());
        }
        let subtrees = parallel::map_owned(parts, |i, part| {
            let mut builder = TreeBuilder::new(d, rank, starts[i]);
            let values = source.copy(d, &part.rows);
            let root = builder.child(&values, part);
            (builder, root)
        });
        for (i, (subtree, root)) in subtrees.into_iter().enumerate() {
            whole.nodes[0][i] = whole.append(subtree, root);
        }
        Self {
            index: whole.index,
            boxes: whole.boxes,
            nodes: whole.nodes,
            root: Child::Node(0),
        }
    }
}

/// Numbers of boxes that a ball around a query touches, or a sum of such numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TouchedBoxes {
    pub(crate) leaves: usize,
    pub(crate) nodes: usize,
    /// Number of the nodes that have a leaf among their children.
    pub(crate) lowest: usize,
}

impl AddAssign for TouchedBoxes {
    fn add_assign(&mut self, other: Self) {
        self.leaves += other.leaves;
        self.nodes += other.nodes;
        self.lowest += other.lowest;
    }
}

impl Shape {
    /// Counts the boxes whose bound for the query is at most `rank`; all boxes if it is infinite.
    pub(crate) fn count_within(&self, query: &[f64], rank: f64) -> TouchedBoxes {
        let mut touched = TouchedBoxes::default();
        let mut stack = vec![self.root];
        while let Some(child) = stack.pop() {
            match child {
                Child::Absent => {}
                Child::Leaf(_) => touched.leaves += 1,
                Child::Node(node) => {
                    let children = &self.nodes[node as usize];
                    touched.nodes += 1;
                    touched.lowest +=
                        usize::from(children.iter().any(|c| matches!(c, Child::Leaf(_))));
                    let (_, mut within) = self.boxes.bounds(node as usize, query, rank);
                    while within != 0 {
                        stack.push(children[within.trailing_zeros() as usize]);
                        within &= within - 1;
                    }
                }
            }
        }
        touched
    }
}

/// The rows that a part of the tree is split from.
#[derive(Clone, Copy)]
enum RowSource<'a> {
    /// Training rows, which are scaled whenever they are read.
    Training(&'a TrainingRows),
    /// Scaled rows in row-major order.
    Copied(&'a [f64]),
}

impl<'a> RowSource<'a> {
    /// Returns one row, either in place or written to the buffer.
    #[inline]
    fn row<'b>(self, row: u32, buffer: &'b mut [f64]) -> &'b [f64]
    where
        'a: 'b,
    {
        match self {
            Self::Training(rows) => {
                rows.write(row as usize, buffer);
                buffer
            }
            Self::Copied(values) => &values[row as usize * buffer.len()..][..buffer.len()],
        }
    }

    #[inline]
    fn value(self, d: usize, row: u32, feature: usize) -> f64 {
        match self {
            Self::Training(rows) => rows.value(row as usize, feature),
            Self::Copied(values) => values[row as usize * d + feature],
        }
    }

    fn copy(self, d: usize, rows: &[u32]) -> Vec<f64> {
        let mut values = vec![0.0; rows.len() * d];
        let mut buffer = vec![0.0; d];
        for (&row, to) in rows.iter().zip(values.chunks_exact_mut(d)) {
            to.copy_from_slice(self.row(row, &mut buffer));
        }
        values
    }
}

/// Some rows of a source and their bounding box.
struct Part {
    rows: Vec<u32>,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Part {
    fn new(source: RowSource<'_>, d: usize, rows: Vec<u32>) -> Self {
        const BLOCK: usize = 1 << 12;
        // The box is computed from the rows, not from the box of the parent and the cut: a tight box excludes more.
        let corners = |rows: &[u32]| {
            let mut low = vec![f64::INFINITY; d];
            let mut high = vec![f64::NEG_INFINITY; d];
            let mut buffer = vec![0.0; d];
            for &row in rows {
                widen(&mut low, &mut high, source.row(row, &mut buffer));
            }
            (low, high)
        };
        // Copied rows belong to a subtree, which is built on one thread anyway.
        let (low, high) = match source {
            RowSource::Copied(_) => corners(&rows),
            RowSource::Training(_) => {
                let blocks = parallel::map_blocks(rows.len(), BLOCK, |b| corners(&rows[b]));
                let mut all = corners(&[]);
                for (low, high) in blocks {
                    widen(&mut all.0, &mut all.1, &low);
                    widen(&mut all.0, &mut all.1, &high);
                }
                all
            }
        };
        Self { rows, low, high }
    }

    /// Splits the part at the median of its widest feature, rounded to a multiple of the leaf size so that all
    /// leaves except the last are full. A part that fits into a leaf is returned as it is.
    fn split(self, source: RowSource<'_>, d: usize) -> Vec<Self> {
        if self.rows.len() <= LEAF_ROWS {
            return vec![self];
        }
        let spread = |feature: &usize| self.high[*feature] - self.low[*feature];
        let widest = (0..d)
            .max_by(|a, b| spread(a).total_cmp(&spread(b)).then(b.cmp(a)))
            .unwrap_or(0);
        // Values are copied next to their row before the selection, which then reads no row. Ties are split by row,
        // so that the tree is deterministic.
        let key = |&row| (source.value(d, row, widest), row);
        let mut keys: Vec<(f64, u32)> = self.rows.iter().map(key).collect();
        // Half of the leaves, rounded up. Since the rows do not fit into one leaf, both sides get some.
        let left = keys.len().div_ceil(LEAF_ROWS).div_ceil(2) * LEAF_ROWS;
        keys.select_nth_unstable_by(left, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let rows = |keys: &[(f64, u32)]| keys.iter().map(|key| key.1).collect();
        let (before, after) = keys.split_at(left);
        vec![
            Self::new(source, d, rows(before)),
            Self::new(source, d, rows(after)),
        ]
    }
}

/// Enlarges a box so that it contains a row.
#[inline]
fn widen(low: &mut [f64], high: &mut [f64], row: &[f64]) {
    for ((low, high), &x) in low.iter_mut().zip(high).zip(row) {
        *low = if x < *low { x } else { *low };
        *high = if x > *high { x } else { *high };
    }
}

/// Splits a part with more rows than a leaf into the children of a node: halves three times, unless only leaves are
/// left.
fn split_into_children(source: RowSource<'_>, d: usize, part: Part) -> Vec<Part> {
    let mut parts = vec![part];
    while parts.len() < CHILDREN && parts.iter().any(|p| p.rows.len() > LEAF_ROWS) {
        let halves = match source {
            RowSource::Training(_) => parallel::map_owned(parts, |_, part| part.split(source, d)),
            RowSource::Copied(_) => parts.into_iter().map(|p| p.split(source, d)).collect(),
        };
        parts = halves.into_iter().flatten().collect();
    }
    parts
}

/// A tree, or a subtree, under construction.
struct TreeBuilder {
    d: usize,
    /// Number of rows in the leaves before the first one of this subtree.
    first_row: usize,
    index: Vec<u32>,
    boxes: BoxBlocks,
    nodes: Vec<[Child; CHILDREN]>,
}

impl TreeBuilder {
    fn new(d: usize, rank: Rank, first_row: usize) -> Self {
        Self {
            d,
            first_row,
            index: Vec::new(),
            boxes: BoxBlocks::new(d, rank),
            nodes: Vec::new(),
        }
    }

    /// Builds the subtree over a part of the training rows. `values` are its rows in the order of the part.
    ///
    /// The part starts at the boundary of a leaf. There are fewer blocks and nodes than rows, so their indices fit
    /// into `u32`.
    fn child(&mut self, values: &[f64], part: Part) -> Child {
        if part.rows.len() <= LEAF_ROWS {
            let position = self.first_row + self.index.len();
            self.index.extend(part.rows);
            return Child::Leaf((position / ROWS) as u32);
        }
        let source = RowSource::Copied(values);
        // Within the copy, rows are numbered from 0; `ids` translates them back to training rows.
        let ids = part.rows;
        let local = Part {
            rows: (0..ids.len() as u32).collect(),
            ..part
        };
        let parts = split_into_children(source, self.d, local);
        let node = self.node(&parts);
        for (i, mut part) in parts.into_iter().enumerate() {
            let values = source.copy(self.d, &part.rows);
            for row in &mut part.rows {
                *row = ids[*row as usize];
            }
            self.nodes[node][i] = self.child(&values, part);
        }
        Child::Node(node as u32)
    }

    /// Adds a node with the boxes of its children, and returns its index. The children are still absent.
    fn node(&mut self, parts: &[Part]) -> usize {
        self.nodes.push([Child::Absent; CHILDREN]);
        let corners = parts.iter().map(|part| (&part.low[..], &part.high[..]));
        self.boxes.push(&corners.collect::<Vec<_>>());
        self.nodes.len() - 1
    }

    /// Appends a subtree that was built separately, and returns its translated root.
    fn append(&mut self, subtree: Self, root: Child) -> Child {
        let offset = self.nodes.len() as u32;
        let moved = |child| match child {
            Child::Node(node) => Child::Node(node + offset),
            child => child,
        };
        let nodes = subtree.nodes.into_iter().map(|node| node.map(moved));
        self.nodes.extend(nodes);
        self.boxes.append(subtree.boxes);
        self.index.extend(subtree.index);
        moved(root)
    }
}
