//! Which exact engine does less work on the rows at hand.
//!
//! Some training rows are searched for, and what the searches do is counted and priced; no clock is
//! read, so that the same rows always give the same engine.

use xai_core::random::{random_stream, uniform_index};
use xai_core::{Distance, Result};

use crate::search::brute_force::BruteForce;
use crate::search::cost::{Cost, Effort};
use crate::search::kd_tree::KdTree;
use crate::search::kd_tree::grow::{CHILDREN, LEAF_ROWS, Shape, Touched};
use crate::search::kernel::rank::Ranking;
use crate::search::neighbor_search::NeighborSearch;
use crate::search::queries::Queries;
use crate::training::rows::TrainingRows;

/// Below this many rows a tree has nothing to leave out.
const TREE_ROWS: usize = 512;

/// Training rows that are searched for.
const PROBES: usize = 32;

/// A first tree is grown over one of so many rows, but at least over so many rows where there are as many.
const SAMPLED: usize = 16;
const SAMPLE_ROWS: usize = 1024;

/// Where the costs of the engines then differ by less than this factor, a second tree over so many times the
/// rows decides.
const DOUBT: f64 = 3.0;
const FINER: usize = 4;

/// Visits of a search over the boxes that its answer touches, which are estimated: it looks at others before it
/// knows how far its neighbours are, and shares fall a little slower than the estimate takes them to. Measured
/// on 60 000 rows of 6 to 64 features (independent, clustered, heavy-tailed, on a grid, depending on few
/// factors), the estimate from one row of 4 is then 0.7 to 1.8 times the price of the counted visits, and that
/// from one row of 14 0.6 to 2.7 times. Worse were one-hot features (both 0.5) and 1 800 clusters of 33 rows
/// (from one row of 14 up to 6).
const SEARCHED: f64 = 1.6;

/// Halvings from a node to its children.
const NODE: f64 = CHILDREN.ilog2() as f64;

/// The exact search that does less work for `k` neighbours of rows like the training rows.
pub(crate) fn fastest(
    rows: TrainingRows,
    distance: Distance,
    k: usize,
) -> Result<Box<dyn NeighborSearch>> {
    let (rows, compared_by) = rows.prepared(&distance)?;
    let n = rows.n_rows();
    let filter = BruteForce::filters(rows.n_features());
    let scan = BruteForce::of_prepared(rows.clone(), compared_by.clone(), distance.clone(), filter);
    if !KdTree::supports(&distance) || n < TREE_ROWS || u32::try_from(n).is_err() || k >= n {
        return Ok(Box::new(scan.ready()));
    }
    let probing = Probing::new(&rows, &compared_by, &scan, k);
    let step = (n / SAMPLE_ROWS).clamp(1, SAMPLED);
    let (mut cost, mut shape) = probing.estimate(&rows, step);
    if step > 1 && (1.0 / DOUBT..DOUBT).contains(&(cost / probing.scan)) {
        (cost, shape) = probing.estimate(&rows, (step / FINER).max(1));
    }
    if cost / probing.scan >= 1.0 {
        return Ok(Box::new(scan.ready()));
    }
    drop(scan); // its memory, before the tree takes its own
    Ok(Box::new(match shape {
        Some(shape) => KdTree::of_shape(&rows, &compared_by, distance, shape),
        None => KdTree::of_prepared(&rows, &compared_by, distance)?,
    }))
}

/// The training rows that are searched for, and what a scan does about them.
struct Probing {
    queries: Queries<'static>,
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
        let k = k + 1; // a training row finds itself, too
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
            cost,
        }
    }

    /// The cost of the tree over all rows, from a tree over one row of `step`: from the share of its boxes
    /// that lie within the reach of the probes, which are the true ones. Where that is a tree over all rows, it
    /// comes along.
    ///
    /// The share falls from box to smaller box, here by a factor from nodes to leaves; it is taken to go on
    /// falling like that down to the leaves of the whole tree, which are some halvings deeper.
    fn estimate(&self, rows: &TrainingRows, step: usize) -> (f64, Option<Shape>) {
        let (n, d) = (rows.n_rows(), rows.n_features());
        // One row of every `step`, but not always the same one: rows may come in a rhythm.
        let mut stream = random_stream(0, n as u64);
        let sample: Vec<usize> = (0..n / step)
            .map(|block| block * step + uniform_index(&mut stream, step))
            .collect();
        let sample = TrainingRows::as_compared(rows.pick(&sample));
        let shape = Shape::over(&sample, sample.n_rows() as u32, self.cost.rank());
        let all = shape.touched(&vec![0.0; d], f64::INFINITY);
        let mut touched = Touched::default();
        for (probe, &reach) in self.reach.iter().enumerate() {
            touched += shape.touched(self.queries.row(probe), reach);
        }
        let probes = self.reach.len() as f64;
        let (all_leaves, all_lowest) = (all.leaves as f64, all.lowest as f64);
        // None may be touched at all; half a leaf by one of the probes is below every count.
        let share = (touched.leaves as f64).max(0.5) / (all_leaves * probes);
        let share_above = (touched.lowest as f64 / (all_lowest * probes)).max(share);
        // From a box to its halves.
        let fall = (share / share_above).powf(1.0 / (all_leaves / all_lowest).log2().max(1.0));
        let boxes = |halvings: f64| {
            let share = (share * fall.powf(halvings)).min(1.0);
            all_leaves * halvings.exp2() * share
        };
        let deeper = (n as f64 / LEAF_ROWS as f64 / all_leaves).log2().max(0.0);
        let between: f64 = std::iter::successors(Some(deeper - NODE), |depth| Some(depth - NODE))
            .take_while(|depth| *depth > -NODE)
            .map(boxes)
            .sum();
        // A leaf of the sample that is touched is at least one visit in the whole tree.
        let visits = (between + boxes(deeper)).max(share * all_leaves);
        let above = (touched.nodes - touched.lowest) as f64;
        let cost = self.cost.tree(Effort {
            leaves: SEARCHED * probes * (visits - between),
            nodes: SEARCHED * (probes * between + above),
            offers: self.offers as f64,
        });
        (cost, (step == 1).then_some(shape))
    }
}
