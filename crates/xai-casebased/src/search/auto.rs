//! Which exact engine does less work on the rows at hand.
//!
//! Some training rows are searched for, and what the searches do is counted and priced; no clock is
//! read, so that the same rows always give the same engine.

use xai_core::random::{random_stream, uniform_index};
use xai_core::{Distance, Result};

use crate::search::brute_force::BruteForce;
use crate::search::cost::Cost;
use crate::search::kd_tree::KdTree;
use crate::search::kd_tree::effort::Effort;
use crate::search::kd_tree::grow::Shape;
use crate::search::kd_tree::node::{CHILDREN, LEAF_ROWS};
use crate::search::kernel::rank::Ranking;
use crate::search::neighbor_search::NeighborSearch;
use crate::search::queries::Queries;
use crate::training::rows::TrainingRows;

/// Below this many rows a tree has nothing to leave out.
const TREE_ROWS: usize = 512;

/// Training rows that are searched for.
const PROBES: usize = 32;

/// A first tree is grown over one of so many rows, but at least over so many.
const SAMPLED: usize = 16;
const SAMPLE_ROWS: usize = 4096;

/// The first tree decides by itself where the costs of the engines differ by more than this factor. Its
/// estimates are within a factor of 2 of the counts of the whole tree on independent, clustered, one-hot and
/// heavy-tailed features.
const DOUBT: f64 = 2.5;

/// The exact search that does less work for `k` neighbours of rows like the training rows.
pub(crate) fn fastest(
    rows: TrainingRows,
    distance: Distance,
    k: usize,
) -> Result<Box<dyn NeighborSearch>> {
    let (rows, compared_by) = rows.whitened(&distance)?;
    let n = rows.n_rows();
    let filter = BruteForce::filters(rows.n_features());
    let scan = BruteForce::of_whitened(rows.clone(), compared_by.clone(), distance.clone(), filter);
    if !KdTree::supports(&distance) || n < TREE_ROWS || u32::try_from(n).is_err() || k >= n {
        return Ok(Box::new(scan));
    }
    let probing = Probing::new(&rows, &compared_by, &scan, k);
    let step = (n / SAMPLE_ROWS).clamp(1, SAMPLED);
    if step > 1 {
        let dearer = probing.estimate(&rows, step) / probing.scan;
        if dearer > DOUBT {
            return Ok(Box::new(scan));
        }
        if dearer < 1.0 / DOUBT {
            drop(scan); // its memory, before the tree takes its own
            return Ok(Box::new(KdTree::of_whitened(
                &rows,
                &compared_by,
                distance,
            )?));
        }
    }
    let tree = KdTree::of_whitened(&rows, &compared_by, distance)?;
    let effort = tree.effort(&probing.queries, probing.k);
    if probing.cost.tree(effort) < probing.scan {
        Ok(Box::new(tree))
    } else {
        Ok(Box::new(scan))
    }
}

/// The training rows that are searched for, and what a scan does about them.
struct Probing {
    queries: Queries<'static>,
    /// Neighbours to ask for: a training row finds itself, too.
    k: usize,
    /// The rank of each one's `k`-th neighbour, rounding included.
    reach: Vec<f64>,
    /// Rows that were offered a place for all of them.
    offers: usize,
    cost: Cost,
    /// The cost of the scan for all of them.
    scan: f64,
}

impl Probing {
    fn new(rows: &TrainingRows, compared_by: &Distance, scan: &BruteForce, k: usize) -> Self {
        let (n, d) = (rows.n_rows(), rows.n_features());
        let probes: Vec<usize> = (0..PROBES)
            .map(|i| (2 * i + 1) * n / (2 * PROBES))
            .collect();
        let ranking = Ranking::of(compared_by, d);
        let queries = Queries::of_training(rows.pick(&probes));
        let k = k + 1;
        let (found, offers) = scan.search_counting(&queries, k);
        let reach = found.iter().map(|nearest| {
            let farthest = nearest.last().map_or(f64::INFINITY, |n| n.distance);
            ranking.limit(farthest)
        });
        let cost = Cost::new(n, d, k, ranking.rank);
        Self {
            reach: reach.collect(),
            scan: cost.scan(PROBES, offers, scan.is_filtered()),
            offers,
            queries,
            k,
            cost,
        }
    }

    /// The cost of the tree over all rows, from a tree over one row of `step`: from the share of its boxes
    /// that lie within the reach of the probes, which are the true ones.
    ///
    /// The share falls from box to smaller box, here by a factor from nodes to leaves; it is taken to go on
    /// falling like that down to the leaves of the whole tree.
    fn estimate(&self, rows: &TrainingRows, step: usize) -> f64 {
        let (n, d) = (rows.n_rows(), rows.n_features());
        // One row of every `step`, but not always the same one: rows may come in a rhythm.
        let mut stream = random_stream(0, n as u64);
        let sample: Vec<usize> = (0..n / step)
            .map(|block| block * step + uniform_index(&mut stream, step))
            .collect();
        let sample = TrainingRows::as_compared(rows.pick(&sample));
        let shape = Shape::over(&sample, sample.n_rows() as u32, self.cost.rank());
        let all = shape.touched(&vec![0.0; d], f64::INFINITY);
        let (mut leaves, mut nodes) = (0.0, 0.0);
        for (probe, &reach) in self.reach.iter().enumerate() {
            let touched = shape.touched(self.queries.row(probe), reach);
            leaves += touched.leaves as f64;
            nodes += touched.nodes as f64;
        }
        let probes = self.reach.len() as f64;
        let (all_leaves, all_nodes) = (all.leaves as f64, all.nodes as f64);
        // None may be touched at all; half a leaf by one of the probes is below every count.
        let share = leaves.max(0.5) / (all_leaves * probes);
        let share_above = (nodes / (all_nodes * probes)).max(share);
        // By halving of a box.
        let fall = (share / share_above).powf(1.0 / (all_leaves / all_nodes).log2().max(1.0));
        let n_leaves = (n as f64 / LEAF_ROWS as f64).max(all_leaves);
        let share_of_all = share * fall.powf((n_leaves / all_leaves).log2());
        // A leaf of the sample that is touched is at least one leaf that is visited.
        let leaves = (share_of_all * n_leaves).max(share * all_leaves);
        self.cost.tree(Effort {
            leaves: leaves * probes,
            nodes: probes * nodes_above(leaves, n_leaves, fall),
            offers: self.offers as f64,
        })
    }
}

/// How many nodes are visited above so many of all leaves, where a share of them falls by a factor from
/// box to box of half its size.
fn nodes_above(visited: f64, n_leaves: f64, fall: f64) -> f64 {
    let halvings = (CHILDREN as f64).log2();
    let (mut nodes, mut level, mut share) = (0.0, n_leaves, visited / n_leaves);
    while level > 1.0 {
        level /= CHILDREN as f64;
        share = (share / fall.powf(halvings)).min(1.0);
        nodes += (level * share).max(1.0);
    }
    nodes
}
