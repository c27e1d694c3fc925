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
    /// How it chooses: 32 training rows, evenly spaced, are searched for by a scan. From how far their
    /// `k`-th neighbours are follows how many boxes of a tree over one of up to 16 rows a search would
    /// touch, and from that how many of the whole tree. Where that says a factor of more than 2.5, it is
    /// the choice; where it does not, the whole tree is built and what it does for the 32 rows is counted.
    /// Visits have fixed prices, measured once; no clock is read, so that the same rows, distance and
    /// `k` give the same engine everywhere, on any number of threads. A distance without a bound by
    /// boxes, fewer than 512 rows, or `k` of at least the number of rows mean the scan.
    ///
    /// Cost, beside building what is chosen: where the tree is chosen, the 32 scans and the small tree
    /// take about a tenth of the building of the tree, and the scan that is built first, which is dropped again,
    /// as much; where the scan is chosen, a fifth to two fifths of its building. In doubt, where the
    /// engines differ by less than a factor of 2.5, the whole tree is built even if the scan is chosen:
    /// `n log n · d` operations, five to ten times those that build the scan.
    ///
    /// When to name an engine instead: for few queries of many rows name `BruteForce`, since building a tree takes
    /// as long as scanning for some hundreds of queries; the choice knows nothing of how many there
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
            _ => Err(Error::parameter(
                input::ENGINE,
                name,
                if cfg!(feature = "approximate") {
                    "auto, brute, kd-tree or hnsw"
                } else {
                    "auto, brute or kd-tree"
                },
            )),
        }
    }
}
