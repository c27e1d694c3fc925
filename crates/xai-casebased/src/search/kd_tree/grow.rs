//! How a tree grows.

use std::ops::AddAssign;

use xai_core::parallel;

use crate::search::kernel::box_blocks::BoxBlocks;
use crate::search::kernel::lanes::ROWS;
use crate::search::kernel::rank::Rank;
use crate::training::rows::TrainingRows;

/// Rows in a leaf: two blocks, whose distances cost about as much as the bounds of one more group of
/// boxes. 16, 24 and 32 rows take 1.57, 1.62 and 1.65 µs per query at 57 000 × 5.
pub(crate) const LEAF_ROWS: usize = 2 * ROWS;

/// Children of a node: the boxes that one register holds.
pub(crate) const CHILDREN: usize = ROWS;

/// Below a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Child {
    Node(u32),
    /// The first block.
    Leaf(u32),
    Absent,
}

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
    /// The tree over `n_rows` rows, which are compared by this rank.
    ///
    /// The root is cut from the training rows themselves. Below it every part works on a copy of its
    /// rows, scaled and next to each other, and so does each of its parts, so that what is looked at
    /// again and again gets smaller than a cache: at 200 000 × 12 that and the threads make it 6 times as
    /// fast as one copy addressed through the index. The copies are gone afterwards: rows are
    /// scaled once more rather than held twice.
    pub(crate) fn over(rows: &TrainingRows, n_rows: u32, rank: Rank) -> Self {
        let d = rows.n_features();
        let source = Source::Training(rows);
        let all = Part::new(source, d, (0..n_rows).collect());
        if all.rows.len() <= LEAF_ROWS {
            return Self {
                index: all.rows,
                boxes: BoxBlocks::new(d, rank),
                nodes: Vec::new(),
                root: Child::Leaf(0),
            };
        }
        let parts = cut(source, d, all);
        let mut whole = Growing::new(d, rank, 0);
        whole.node(&parts);
        let mut starts = vec![0];
        for part in &parts {
            starts.push(starts[starts.len() - 1] + part.rows.len());
        }
        let subtrees = parallel::map_owned(parts, |i, part| {
            let mut growing = Growing::new(d, rank, starts[i]);
            let values = source.copy(d, &part.rows);
            let root = growing.child(&values, part);
            (growing, root)
        });
        for (i, (subtree, root)) in subtrees.into_iter().enumerate() {
            whole.nodes[0][i] = whole.join(subtree, root);
        }
        Self {
            index: whole.index,
            boxes: whole.boxes,
            nodes: whole.nodes,
            root: Child::Node(0),
        }
    }
}

/// How many boxes a ball touches, or many balls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Touched {
    pub(crate) leaves: usize,
    pub(crate) nodes: usize,
    /// Of the nodes, those with a leaf among their children.
    pub(crate) lowest: usize,
}

impl AddAssign for Touched {
    fn add_assign(&mut self, other: Self) {
        self.leaves += other.leaves;
        self.nodes += other.nodes;
        self.lowest += other.lowest;
    }
}

impl Shape {
    /// The boxes that hold a point of at most this rank to the query; all boxes where it is infinite.
    pub(crate) fn touched(&self, query: &[f64], rank: f64) -> Touched {
        let mut touched = Touched::default();
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

/// Where a part reads its rows.
#[derive(Clone, Copy)]
enum Source<'a> {
    Training(&'a TrainingRows),
    /// Row after row.
    Copied(&'a [f64]),
}

impl<'a> Source<'a> {
    /// One row, which the buffer may hold.
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

/// Some rows of a source, and the tight box around them.
struct Part {
    rows: Vec<u32>,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Part {
    fn new(source: Source<'_>, d: usize, rows: Vec<u32>) -> Self {
        const BLOCK: usize = 1 << 12;
        let corners = |rows: &[u32]| {
            let mut low = vec![f64::INFINITY; d];
            let mut high = vec![f64::NEG_INFINITY; d];
            let mut buffer = vec![0.0; d];
            for &row in rows {
                widen(&mut low, &mut high, source.row(row, &mut buffer));
            }
            (low, high)
        };
        let (low, high) = match source {
            Source::Copied(_) => corners(&rows),
            Source::Training(_) => {
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

    /// Cut at the median of the widest feature, moved to a leaf's boundary so that all leaves but the
    /// last are full.
    fn halves(self, source: Source<'_>, d: usize) -> Vec<Self> {
        if self.rows.len() <= LEAF_ROWS {
            return vec![self];
        }
        let spread = |feature: &usize| self.high[*feature] - self.low[*feature];
        let widest = (0..d)
            .max_by(|a, b| spread(a).total_cmp(&spread(b)).then(b.cmp(a)))
            .unwrap_or(0);
        let key = |&row| (source.value(d, row, widest), row);
        let mut keys: Vec<(f64, u32)> = self.rows.iter().map(key).collect();
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

#[inline]
fn widen(low: &mut [f64], high: &mut [f64], row: &[f64]) {
    for ((low, high), &x) in low.iter_mut().zip(high).zip(row) {
        *low = if x < *low { x } else { *low };
        *high = if x > *high { x } else { *high };
    }
}

/// The children of a node over more rows than a leaf has.
fn cut(source: Source<'_>, d: usize, part: Part) -> Vec<Part> {
    let mut parts = vec![part];
    while parts.len() < CHILDREN && parts.iter().any(|p| p.rows.len() > LEAF_ROWS) {
        let halves = match source {
            Source::Training(_) => parallel::map_owned(parts, |_, part| part.halves(source, d)),
            Source::Copied(_) => parts.into_iter().map(|p| p.halves(source, d)).collect(),
        };
        parts = halves.into_iter().flatten().collect();
    }
    parts
}

/// A tree, or a part of one, while it grows.
struct Growing {
    d: usize,
    /// Rows in leaves before the first of this one.
    first_row: usize,
    index: Vec<u32>,
    boxes: BoxBlocks,
    nodes: Vec<[Child; CHILDREN]>,
}

impl Growing {
    fn new(d: usize, rank: Rank, first_row: usize) -> Self {
        Self {
            d,
            first_row,
            index: Vec::new(),
            boxes: BoxBlocks::new(d, rank),
            nodes: Vec::new(),
        }
    }

    /// The subtree over a part of the training rows, whose values lie in the order of the part. It starts
    /// at a leaf's boundary. Blocks and nodes are fewer than rows, so that their numbers fit.
    fn child(&mut self, values: &[f64], part: Part) -> Child {
        if part.rows.len() <= LEAF_ROWS {
            let place = self.first_row + self.index.len();
            self.index.extend(part.rows);
            return Child::Leaf((place / ROWS) as u32);
        }
        let source = Source::Copied(values);
        let ids = part.rows;
        let local = Part {
            rows: (0..ids.len() as u32).collect(),
            ..part
        };
        let parts = cut(source, self.d, local);
        let node = self.node(&parts);
        for (i, mut part) in parts.into_iter().enumerate() {
            let values = source.copy(self.d, &part.rows);
            part.rows
                .iter_mut()
                .for_each(|row| *row = ids[*row as usize]);
            self.nodes[node][i] = self.child(&values, part);
        }
        Child::Node(node as u32)
    }

    /// Adds a node with the boxes of its children, who are still absent.
    fn node(&mut self, parts: &[Part]) -> usize {
        self.nodes.push([Child::Absent; CHILDREN]);
        let corners = parts.iter().map(|part| (&part.low[..], &part.high[..]));
        self.boxes.push(&corners.collect::<Vec<_>>());
        self.nodes.len() - 1
    }

    /// Takes over a tree that grew by itself, after the leaves that are there.
    fn join(&mut self, subtree: Self, root: Child) -> Child {
        let offset = self.nodes.len() as u32;
        let moved = |child| match child {
            Child::Node(node) => Child::Node(node + offset),
            child => child,
        };
        let nodes = subtree.nodes.into_iter().map(|node| node.map(moved));
        self.nodes.extend(nodes);
        self.boxes.join(subtree.boxes);
        self.index.extend(subtree.index);
        moved(root)
    }
}
