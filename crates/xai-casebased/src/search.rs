//! Nearest neighbours, exactly.

use std::fmt;
use std::str::FromStr;

use ndarray::ArrayView2;
use xai_core::{Error, Metric, Result, check_finite};

/// One neighbour of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Nearest {
    /// The training row.
    pub index: usize,
    /// Its distance to the query.
    pub distance: f64,
}

impl Nearest {
    /// Ascending distance, equal distances by lower training index: the order of every answer.
    pub(crate) fn precedes(&self, other: &Self) -> bool {
        self.distance < other.distance
            || (self.distance == other.distance && self.index < other.index)
    }
}

/// A search over fixed training rows.
///
/// Every exact engine gives the same answer to the last bit: that of a scan over all rows in
/// `f64` with [`Distance`](xai_core::Distance), in ascending distance, equal distances by lower
/// training index, `k` larger than the training set meaning all of it.
pub trait NeighborSearch: Send + Sync {
    /// The number of training rows.
    fn n_rows(&self) -> usize;

    /// The number of features.
    fn n_features(&self) -> usize;

    /// The distance.
    fn metric(&self) -> &Metric;

    /// The nearest `k` training rows of each of `(m, d)` queries that callers have checked, lists
    /// in the order of the queries. Engines run blocks of queries in parallel.
    #[doc(hidden)]
    fn search_checked(&self, queries: ArrayView2<'_, f64>, k: usize) -> Vec<Vec<Nearest>>;

    /// The nearest `k` training rows of one query.
    ///
    /// # Errors
    /// As [`nearest_batch`](Self::nearest_batch).
    fn nearest(&self, query: &[f64], k: usize) -> Result<Vec<Nearest>> {
        let query = ArrayView2::from_shape((1, query.len()), query)
            .map_err(|_| Error::shape("queries", &[1, self.n_features()], &[1, query.len()]))?;
        Ok(self.nearest_batch(query, k)?.pop().unwrap_or_default())
    }

    /// The nearest `k` training rows of each of `(m, d)` queries, in parallel.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for another number of features, [`Error::NonFinite`], and
    /// [`Error::OutOfDomain`] naming a query for which the metric is undefined, or whose distances
    /// leave the range of `f64`.
    fn nearest_batch(&self, queries: ArrayView2<'_, f64>, k: usize) -> Result<Vec<Vec<Nearest>>> {
        let (m, d) = queries.dim();
        if d != self.n_features() {
            return Err(Error::shape("queries", &[m, self.n_features()], &[m, d]));
        }
        check_finite("queries", queries)?;
        self.metric().check_rows("queries", queries)?;
        let found = self.search_checked(queries, k);
        // The relative metrics may say ∞ of finite rows and mean it.
        if !matches!(self.metric(), Metric::BrayCurtis) {
            let beyond =
                |list: &Vec<Nearest>| list.last().is_some_and(|n| n.distance.is_infinite());
            if let Some(query) = found.iter().position(beyond) {
                return Err(Error::out_of_domain(
                    "distance of query",
                    &[query],
                    f64::INFINITY,
                    "a distance within the range of f64; scale the features down",
                ));
            }
        }
        Ok(found)
    }
}

/// How neighbours are searched. The exact engines give the same answer to the last bit and differ
/// in cost only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Engine {
    /// The exact engine that is expected to be fastest for the shape of the data: [`KdTree`] for
    /// few features, else [`BruteForce`].
    ///
    /// [`KdTree`]: crate::KdTree
    /// [`BruteForce`]: crate::BruteForce
    #[default]
    Auto,
    /// A scan over all training rows, by matrix products where the metric has an inner product.
    BruteForce,
    /// A tree of boxes, for the Minkowski family of metrics.
    KdTree,
}

/// Up to how many features a tree is expected to beat a scan: measured on independent normal
/// features, the hardest case for a tree, where the two meet between 9 (10 000 rows) and
/// 11 (300 000 rows) features.
const TREE_FEATURES: usize = 9;

/// Below this many rows a tree has nothing to leave out.
const TREE_ROWS: usize = 512;

impl Engine {
    /// What [`Engine::Auto`] stands for with this many rows and features and this metric.
    #[must_use]
    pub fn resolve(self, n_rows: usize, n_features: usize, metric: &Metric) -> Self {
        match self {
            Self::Auto
                if crate::KdTree::supports(metric)
                    && n_features <= TREE_FEATURES
                    && n_rows >= TREE_ROWS =>
            {
                Self::KdTree
            }
            Self::Auto => Self::BruteForce,
            named => named,
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Auto => "auto",
            Self::BruteForce => "brute",
            Self::KdTree => "kd-tree",
        })
    }
}

impl FromStr for Engine {
    type Err = Error;

    /// `auto`, `brute` or `kd-tree`.
    fn from_str(name: &str) -> Result<Self> {
        match name {
            "auto" => Ok(Self::Auto),
            "brute" | "brute-force" => Ok(Self::BruteForce),
            "kd-tree" => Ok(Self::KdTree),
            _ => Err(Error::parameter("engine", name, "auto, brute or kd-tree")),
        }
    }
}
