//! Nearest neighbours, exactly.

use std::fmt;
use std::str::FromStr;

use ndarray::{Array1, Array2, ArrayView2, CowArray, Ix2};
use xai_core::{Error, Metric, Result, check_finite};

use crate::KdTree;
use crate::filtered_scan::FilteredScan;

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

    /// The share of true neighbours that the search finds; `None` for an exact search.
    fn recall(&self) -> Option<f64> {
        None
    }

    /// The nearest `k` training rows of each of `(m, d)` queries, which are checked, in row-major
    /// order and in the space of the rows; lists in the order of the queries. Engines run blocks of
    /// queries in parallel.
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
        let found = self.search_checked(in_space(self.metric(), queries)?.view(), k);
        check_distances(&found)?;
        Ok(found)
    }
}

/// Queries as the training rows are compared with them: in row-major order, and whitened where the
/// metric is Mahalanobis.
pub(crate) fn in_space<'a>(
    metric: &Metric,
    queries: ArrayView2<'a, f64>,
) -> Result<CowArray<'a, f64, Ix2>> {
    let Metric::Mahalanobis(mahalanobis) = metric else {
        return Ok(match queries.is_standard_layout() {
            true => queries.into(),
            false => queries.as_standard_layout().into_owned().into(),
        });
    };
    let mut whitened = Array2::zeros(queries.raw_dim());
    for (from, mut to) in queries.rows().into_iter().zip(whitened.rows_mut()) {
        to.assign(&Array1::from(mahalanobis.whiten(&from.to_vec())));
    }
    check_finite("queries (whitened)", whitened.view())?;
    Ok(whitened.into())
}

/// Distances beyond the range of `f64` have lost their order.
pub(crate) fn check_distances(found: &[Vec<Nearest>]) -> Result<()> {
    let beyond = |list: &Vec<Nearest>| list.last().is_some_and(|n| !n.distance.is_finite());
    match found.iter().position(beyond) {
        None => Ok(()),
        Some(query) => Err(Error::out_of_domain(
            "distance of query",
            &[query],
            f64::INFINITY,
            "a distance within the range of f64; scale the features down",
        )),
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
    /// [`BruteForce`]: crate::BruteForce
    #[default]
    Auto,
    /// A scan over all training rows, by matrix products where the metric has an inner product.
    BruteForce,
    /// A tree of boxes, for the Minkowski family of metrics.
    KdTree,
    /// A graph that finds most of the neighbours: never chosen by itself.
    #[cfg(feature = "approximate")]
    Approximate(crate::Hnsw),
}

/// Up to how many features a tree is expected to beat a scan by matrix products, and one that takes
/// every distance: measured on independent normal features, the hardest case for a tree. It meets
/// the matrix products between 8 (10 000 rows) and 10 (300 000 rows) features, the full distances
/// between 10 and 12.
const TREE_FEATURES: usize = 9;
const TREE_FEATURES_WITHOUT_FILTER: usize = 11;

/// Below this many rows a tree has nothing to leave out.
const TREE_ROWS: usize = 512;

impl Engine {
    /// Builds this engine over `(n, d)` training rows.
    ///
    /// # Errors
    /// As [`KdTree::new`] and [`BruteForce::new`](crate::BruteForce::new).
    ///
    /// ```
    /// use ndarray::Array2;
    /// use xai_casebased::{Engine, Metric};
    /// let train = Array2::from_shape_fn((600, 3), |(i, j)| ((i * 7 + j * 3) % 11) as f64);
    /// let chosen = Engine::Auto.build(train.view(), Metric::Manhattan)?;
    /// let scan = Engine::BruteForce.build(train.view(), Metric::Manhattan)?;
    /// assert_eq!(chosen.nearest(&[1.0, 2.0, 3.0], 4)?, scan.nearest(&[1.0, 2.0, 3.0], 4)?);
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn build(
        self,
        train: ArrayView2<'_, f64>,
        metric: Metric,
    ) -> Result<Box<dyn NeighborSearch>> {
        crate::explainer::search_of(train.to_owned(), &metric, self)
    }

    /// What [`Engine::Auto`] stands for with this many rows and features and this metric.
    #[must_use]
    pub fn resolve(self, n_rows: usize, n_features: usize, metric: &Metric) -> Self {
        match self {
            Self::Auto => {
                let most = match FilteredScan::supports(metric, n_features) {
                    true => TREE_FEATURES,
                    false => TREE_FEATURES_WITHOUT_FILTER,
                };
                let tree = KdTree::supports(metric) && n_features <= most && n_rows >= TREE_ROWS;
                if tree { Self::KdTree } else { Self::BruteForce }
            }
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
            "hnsw" => Ok(Self::Approximate(crate::Hnsw::default())),
            _ => Err(Error::parameter(
                "engine",
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
