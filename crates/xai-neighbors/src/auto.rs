//! Choice of the exact engine that does less work on the given rows.
//!
//! The operations that searches for some training rows need are counted and multiplied by fixed prices
//! ([`Cost`]). No clock is read, so the same rows always give the same engine.

use xai_core::random::{random_stream, uniform_index};
use xai_core::{Distance, Result};

use crate::brute_force::BruteForce;
use crate::cost::{Cost, Effort};
use crate::kd_tree::KdTree;
use crate::kd_tree::grow::{CHILDREN, LEAF_ROWS, Shape, TouchedBoxes};
use crate::kernel::rank::Ranking;
use crate::neighbor_search::NeighborSearch;
use crate::queries::Queries;
use crate::training_rows::TrainingRows;

/// Least number of rows for a tree; with fewer, it can skip too little.
const MIN_TREE_ROWS: usize = 512;

/// Number of training rows that are searched for.
const PROBES: usize = 32;

/// The first tree is built over one of every `MAX_STEP` rows, or over more rows if these are fewer than
/// [`MIN_SAMPLE_ROWS`].
const MAX_STEP: usize = 16;
const MIN_SAMPLE_ROWS: usize = 1024;

/// If the estimated costs of the engines differ by less than this factor, a second tree over
/// [`REFINEMENT`] times as many rows decides.
const MAX_UNCERTAINTY: f64 = 3.0;
const REFINEMENT: usize = 4;

/// Ratio of the boxes that a search visits to the boxes that its final ball touches, which are the ones
/// estimated.
///
/// A search visits more, because it starts before it knows the distance of its neighbours; also, the share of
/// touched boxes falls a little slower with depth than estimated. Measured on 60 000 rows of 6 to 64 features
/// (independent, clustered, heavy-tailed, on a grid, depending on few factors), the estimated price with this
/// factor is 0.7 to 1.8 times the price of the counted visits with every 4th row, and 0.6 to 2.7 times with every
/// 14th. It was worse for one-hot features (0.5 with both) and for 1 800 clusters of 33 rows (up to 6 with every
/// 14th row).
const SEARCH_FACTOR: f64 = 1.6;

/// Number of times that the rows of a node are halved to get its children.
const HALVINGS_PER_NODE: f64 = CHILDREN.ilog2() as f64;

/// Builds the exact engine that does less work in searches for the `k` neighbours of rows like the
/// training rows.
pub(crate) fn fastest(
    rows: TrainingRows,
    distance: Distance,
    k: usize,
) -> Result<Box<dyn NeighborSearch>> {
    let (rows, prepared_distance) = rows.prepare(&distance)?;
    let n = rows.n_rows();
    let filter = BruteForce::prefers_products(rows.n_features());
    let scan = BruteForce::from_prepared(
        rows.clone(),
        prepared_distance.clone(),
        distance.clone(),
        filter,
    );
    if !KdTree::supports(&distance) || n < MIN_TREE_ROWS || u32::try_from(n).is_err() || k >= n {
        return Ok(Box::new(scan.with_byte_filter()));
    }
    // The scan is built first in any case, because it finds the `k`-th neighbours of the probes.
    let probes = Probes::new(&rows, &prepared_distance, &scan, k);
    let step = (n / MIN_SAMPLE_ROWS).clamp(1, MAX_STEP);
    let (mut cost, mut shape) = probes.estimate(&rows, step);
    if step > 1 && (1.0 / MAX_UNCERTAINTY..MAX_UNCERTAINTY).contains(&(cost / probes.scan)) {
        (cost, shape) = probes.estimate(&rows, (step / REFINEMENT).max(1));
    }
    if cost / probes.scan >= 1.0 {
        return Ok(Box::new(scan.with_byte_filter()));
    }
    // Frees the memory of the scan before the tree allocates its own.
    drop(scan);
    Ok(Box::new(match shape {
        Some(shape) => KdTree::from_shape(&rows, &prepared_distance, distance, shape),
        None => KdTree::from_prepared(&rows, &prepared_distance, distance)?,
    }))
}

/// Training rows that are searched for, with the results and the cost of a scan for them.
struct Probes {
    queries: Queries<'static>,
    /// Rank of the `k`-th neighbour of each probe, with room for rounding.
    reach: Vec<f64>,
    /// Number of rows that were offered to a list of nearest neighbours, over all probes.
    offers: usize,
    cost: Cost,
    /// Cost of the scan for all probes.
    scan: f64,
}

impl Probes {
    fn new(rows: &TrainingRows, prepared_distance: &Distance, scan: &BruteForce, k: usize) -> Self {
        let (n, d) = (rows.n_rows(), rows.n_features());
        // The middle row of each of `PROBES` equal ranges.
        let probes: Vec<usize> = (0..PROBES)
            .map(|i| (2 * i + 1) * n / (2 * PROBES))
            .collect();
        let ranking = Ranking::new(prepared_distance, d);
        let queries = Queries::from_training(rows.select(&probes));
        // A probe is a training row and finds itself at distance 0.
        let k_with_self = k + 1;
        let (found, offers) = scan.search_counting(&queries, k_with_self);
        let reach = found.iter().map(|nearest| {
            let farthest = nearest.last().map_or(f64::INFINITY, |n| n.distance);
            ranking.limit(farthest)
        });
        let cost = Cost::new(n, d, k_with_self, ranking.rank);
        Self {
            reach: reach.collect(),
            scan: cost.scan(PROBES, offers, scan.is_filtered()),
            offers,
            queries,
            cost,
        }
    }

    /// Estimates the cost of a tree over all rows from a tree over one random row of every `step`. Also returns
    /// the tree if it is over all rows (`step` 1).
    ///
    /// The sample tree shows which share of its boxes lies within the reach of the probes, for leaves and for the
    /// nodes above them. The share falls from larger to smaller boxes by a factor per halving. The leaves of the
    /// full tree are some halvings smaller, and the share is assumed to keep falling by the same factor.
    fn estimate(&self, rows: &TrainingRows, step: usize) -> (f64, Option<Shape>) {
        let (n, d) = (rows.n_rows(), rows.n_features());
        // A random row of every `step` rows: a fixed one could pick a single group from rows that are in periodic
        // order.
        let mut stream = random_stream(0, n as u64);
        let sample: Vec<usize> = (0..n / step)
            .map(|block| block * step + uniform_index(&mut stream, step))
            .collect();
        let sample_rows = TrainingRows::from_prepared(rows.select(&sample));
        let shape = Shape::build(&sample_rows, sample_rows.n_rows() as u32, self.cost.rank());
        // An infinite reach touches every box.
        let all = shape.count_within(&vec![0.0; d], f64::INFINITY);
        let mut touched = TouchedBoxes::default();
        for (probe, &reach) in self.reach.iter().enumerate() {
            touched += shape.count_within(self.queries.row(probe), reach);
        }
        let probes = self.reach.len() as f64;
        let (all_leaves, all_lowest) = (all.leaves as f64, all.lowest as f64);
        // At least half a leaf in total, below any count, because a share of 0 would have no logarithm.
        let share = (touched.leaves as f64).max(0.5) / (all_leaves * probes);
        let share_above = (touched.lowest as f64 / (all_lowest * probes)).max(share);
        // Factor per halving. A node has `all_leaves / all_lowest` leaves on average, so the two shares are the
        // logarithm of that many halvings apart.
        let fall = (share / share_above).powf(1.0 / (all_leaves / all_lowest).log2().max(1.0));
        // Boxes within reach of one probe, `halvings` below the leaves of the sample tree (negative: above them).
        let boxes = |halvings: f64| {
            let share = (share * fall.powf(halvings)).min(1.0);
            all_leaves * halvings.exp2() * share
        };
        let deeper = (n as f64 / LEAF_ROWS as f64 / all_leaves).log2().max(0.0);
        // Nodes that the full tree has between the leaves of the sample and its own: a search visits these levels, too.
        let between: f64 = std::iter::successors(Some(deeper - HALVINGS_PER_NODE), |depth| {
            Some(depth - HALVINGS_PER_NODE)
        })
        .take_while(|depth| *depth > -HALVINGS_PER_NODE)
        .map(boxes)
        .sum();
        // A touched leaf of the sample contains at least one box that is visited in the full tree.
        let visits = (between + boxes(deeper)).max(share * all_leaves);
        let above = (touched.nodes - touched.lowest) as f64;
        let cost = self.cost.tree(Effort {
            leaves: SEARCH_FACTOR * probes * (visits - between),
            nodes: SEARCH_FACTOR * (probes * between + above),
            offers: self.offers as f64,
        });
        (cost, (step == 1).then_some(shape))
    }
}
