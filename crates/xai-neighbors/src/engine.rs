//! The choice of a search engine.

use std::fmt;

use xai_core::describe::Parameter;

#[cfg(feature = "approximate")]
use crate::hnsw::Hnsw;

/// How neighbours are searched. The exact engines give the same answer to the last bit and differ
/// in cost only.
///
/// The approximate engine, behind the feature `approximate`, misses some neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Engine {
    /// The exact engine that does less work on these rows: [`KdTree`](crate::KdTree) or
    /// [`BruteForce`](crate::BruteForce).
    ///
    /// The choice: A scan finds the neighbours of 32 evenly spaced training rows. A tree is built over a sample of
    /// the rows (up to every 16th), and its boxes that are as near to the 32 rows as their `k`-th neighbours are
    /// counted, which gives an estimate of the work of a tree over all rows. If the engines come within a factor of
    /// 3 of each other, a second sample (up to every 4th row) decides. Operations have fixed prices, measured once.
    /// No clock is read, so the same rows, distance and `k` give the same engine on any machine and any number of
    /// threads. Near the break-even point the choice can be wrong by a factor of about 1.3. The scan is used for a
    /// distance that boxes do not bound, for fewer than 512 rows, and for `k` of at least the number of rows.
    ///
    /// Cost: Fitting a case explainer takes longer than with the chosen engine named, by 5 to 20 % if that is the tree,
    /// and by 15 to 40 % if it is the scan (5 to 784 features, 57 000 to 1 000 000 rows). If the second sample is
    /// needed, it adds up to a third of the time of building the whole tree, and a fit with the scan takes up to 60 %
    /// longer.
    ///
    /// When to name an engine instead: For few queries over many rows name `BruteForce`, because building a tree takes
    /// as long as scanning for some hundreds of queries, and the number of queries is not known when the engine is
    /// chosen. For queries that are not distributed like the training rows, or another `k` than announced,
    /// measure both engines; the answers are the same.
    #[default]
    Auto,
    /// A scan over all training rows, with matrix products if the distance is a function of inner products.
    #[param(alias = "brute")]
    BruteForce,
    /// A tree of boxes, for the Minkowski family of distances.
    KdTree,
    /// A graph search that finds most of the neighbours, see [`Hnsw`]. `Auto` never chooses it.
    #[cfg(feature = "approximate")]
    #[param(
        name = "hnsw",
        value_name = "CONNECTIONS,EF_CONSTRUCTION,EF_SEARCH",
        default = Hnsw::default()
    )]
    Approximate(Hnsw),
}

impl fmt::Display for Engine {
    /// Writes the name that [`FromStr`](std::str::FromStr) reads, without the parameters of a graph.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let with_parameters = self.to_value().to_string();
        f.pad(with_parameters.split(':').next().unwrap_or_default())
    }
}
