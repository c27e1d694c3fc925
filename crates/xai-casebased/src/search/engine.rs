//! Which engine searches.

use std::fmt;
use std::str::FromStr;

use xai_core::{Error, Result};

use crate::input;
#[cfg(feature = "approximate")]
use crate::search::approximate::hnsw::Hnsw;

/// How neighbours are searched. The exact engines give the same answer to the last bit and differ
/// in cost only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
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
    BruteForce,
    /// A tree of boxes, for the Minkowski family of distances.
    KdTree,
    /// A graph that finds most of the neighbours: never chosen by itself.
    #[cfg(feature = "approximate")]
    Approximate(Hnsw),
}

impl Engine {
    /// The names that an engine is parsed from, as a person lists them.
    pub const NAMES: &'static str = if cfg!(feature = "approximate") {
        "auto, brute, kd-tree or hnsw"
    } else {
        "auto, brute or kd-tree"
    };
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Auto => "auto",
            Self::BruteForce => "brute",
            Self::KdTree => "kd-tree",
            #[cfg(feature = "approximate")]
            Self::Approximate(_) => "hnsw",
        })
    }
}

impl FromStr for Engine {
    type Err = Error;

    /// `auto`, `brute`, `kd-tree`, or `hnsw` where approximate search is built in.
    fn from_str(name: &str) -> Result<Self> {
        match name {
            "auto" => Ok(Self::Auto),
            "brute" | "brute-force" => Ok(Self::BruteForce),
            "kd-tree" => Ok(Self::KdTree),
            #[cfg(feature = "approximate")]
            "hnsw" => Ok(Self::Approximate(Hnsw::default())),
            _ => Err(Error::parameter(input::ENGINE, name, Self::NAMES)),
        }
    }
}
