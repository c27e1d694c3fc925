//! Which engine searches.

use std::fmt;

use xai_core::describe::Parameter;

#[cfg(feature = "approximate")]
use crate::search::hnsw::Hnsw;

/// How neighbours are searched. The exact engines give the same answer to the last bit and differ
/// in cost only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Engine {
    /// The exact engine that does less work on these rows: [`KdTree`](crate::search::KdTree) or
    /// [`BruteForce`](crate::search::BruteForce).
    ///
    /// How it chooses: 32 training rows, evenly spaced, are searched for by a scan. A tree is grown over one of
    /// up to 16 rows, and the boxes are counted that lie as near these 32 as their `k`-th neighbours; from that
    /// follows what the tree over all rows would look at. Where the engines come within a factor of 3 of each
    /// other, one of up to 4 rows is taken instead. What is looked at has fixed prices, measured once; no
    /// clock is read, so that the same rows, distance and `k` give the same engine everywhere, on any
    /// number of threads. Near the break-even point the choice can be wrong by a factor of about 1.3. A distance
    /// without a bound by boxes, fewer than 512 rows, or `k` of at least the number of rows mean the
    /// scan.
    ///
    /// Cost: [`CaseExplainerBuilder::fit`](crate::CaseExplainerBuilder::fit) takes 5 to 20 % longer than with
    /// the engine named that is chosen, where that is the tree, and 15 to 40 % where it is the scan (5 to
    /// 784 features, 57 000 to 1 000 000 rows); in doubt the second tree adds up to a third of what building
    /// the whole tree takes, and a fit with the scan takes up to 60 % longer.
    ///
    /// When to name an engine instead: for few queries of many rows name `BruteForce`, since building a tree takes
    /// as long as scanning for some hundreds of queries, and the choice knows nothing of how many there
    /// will be. For queries that lie elsewhere than the training rows, or another `k` than was
    /// announced, measure both: the answers are the same.
    #[default]
    Auto,
    /// A scan over all training rows, by matrix products where the distance has an inner product.
    #[param(alias = "brute")]
    BruteForce,
    /// A tree of boxes, for the Minkowski family of distances.
    KdTree,
    /// A graph that finds most of the neighbours, see [`Hnsw`]: never chosen by itself.
    #[cfg(feature = "approximate")]
    #[param(
        name = "hnsw",
        value_name = "CONNECTIONS,EF_CONSTRUCTION,EF_SEARCH",
        default = Hnsw::default()
    )]
    Approximate(Hnsw),
}

impl fmt::Display for Engine {
    /// The word that [`FromStr`](std::str::FromStr) reads, without the parameters of a graph.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.to_value().to_string();
        f.pad(word.split(':').next().unwrap_or_default())
    }
}
