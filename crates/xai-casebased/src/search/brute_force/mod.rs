//! A scan over all training rows.

pub(crate) mod byte_product;
pub(crate) mod byte_rows;
pub(crate) mod direct_scan;
pub(crate) mod filter;
pub(crate) mod filtered_scan;
pub(crate) mod matrix_product;

use ndarray::ArrayView2;
use xai_core::{Distance, Result, parallel};

use crate::search::brute_force::direct_scan::DirectScan;
use crate::search::brute_force::filter::Filter;
use crate::search::brute_force::filtered_scan::FilteredScan;
use crate::search::engine::Engine;
use crate::search::nearest::Neighbors;
use crate::search::neighbor_search::NeighborSearch;
use crate::search::queries::Queries;
use crate::training::rows::TrainingRows;

/// From so many features on, matrix products beat the direct kernel: 4.0 against 5.2 µs per query at
/// 10 000 × 3, 6.8 against 5.5 at 10 000 × 2; the same at 57 000 and 300 000 rows.
const FILTER_FEATURES: usize = 3;

/// Exact search by looking at every training row: any distance, any number of features.
///
/// For the distances that an inner product decides (Euclidean, squared Euclidean, Mahalanobis, cosine,
/// correlation, Minkowski of 2)
/// blocked matrix products in single precision leave out the rows that a proven error bound keeps
/// away, and the rest are compared in `f64`; for the others, and for few features, a vectorised
/// kernel takes every distance in full. Where the processor multiplies bytes (AVX-512 VNNI), rows rounded to 8-bit integers leave
/// out most of them first, by a bound of their own. All give the bits of
/// [`DistanceFunction`](xai_core::distance::DistanceFunction).
///
/// Cost: `n · d` operations per query, measured to grow as n^0.94 by matrix products and n^1.08 by the
/// direct kernel (16 000 to 256 000 rows of 30 features; the latter leave the cache on the way); over k,
/// as k^0.5 and k^0.2 from 10 to 1 000 neighbours. Memory beside the rows: half their size again by matrix
/// products, and an eighth more as integers, once their size by the direct kernel, and 1 MB per thread, however many queries there are;
/// for Mahalanobis and correlation their size once more.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::Distance;
/// use xai_casebased::search::{BruteForce, NeighborSearch};
/// let search = BruteForce::new(array![[0.0], [3.0], [-1.0], [1.0]].view(), Distance::Euclidean)?;
/// let found: Vec<_> = search.nearest(&[0.0], 3)?.iter().map(|n| (n.index, n.distance)).collect();
/// assert_eq!(found, [(0, 0.0), (2, 1.0), (3, 1.0)]); // a tie: the lower row first
/// # Ok::<(), xai_casebased::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BruteForce {
    distance: Distance,
    scan: Scan,
    n_rows: usize,
    n_features: usize,
}

#[derive(Debug, Clone)]
enum Scan {
    Direct(DirectScan),
    Filtered(FilteredScan),
}

impl BruteForce {
    /// Prepares `(n, d)` training rows.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`](xai_core::ErrorKind::Empty) without rows or features,
    /// [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite), and what the distance says of its
    /// parameter and of the rows.
    pub fn new(train: ArrayView2<'_, f64>, distance: Distance) -> Result<Self> {
        Self::over(TrainingRows::handed_in(train, &distance)?, distance)
    }

    /// The same search with every distance taken in full, whatever it is: for measuring what the
    /// matrix products bring.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn direct(train: ArrayView2<'_, f64>, distance: Distance) -> Result<Self> {
        Self::scanning(TrainingRows::handed_in(train, &distance)?, distance, false)
    }

    /// The same search by matrix products wherever the distance allows, even for few features.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn filtered(train: ArrayView2<'_, f64>, distance: Distance) -> Result<Self> {
        Self::scanning(TrainingRows::handed_in(train, &distance)?, distance, true)
    }

    pub(crate) fn over(rows: TrainingRows, distance: Distance) -> Result<Self> {
        let filter = Self::filters(rows.n_features());
        Self::scanning(rows, distance, filter)
    }

    /// Whether matrix products pay for so many features, where the distance has them.
    pub(crate) fn filters(n_features: usize) -> bool {
        n_features >= FILTER_FEATURES
    }

    fn scanning(rows: TrainingRows, distance: Distance, filter: bool) -> Result<Self> {
        let (rows, compared_by) = rows.prepared(&distance)?;
        Ok(Self::of_prepared(rows, compared_by, distance, filter).ready())
    }

    /// Over prepared rows. What it [counts](Self::search_counting) is the same on every processor; [ready](Self::ready), it may
    /// be faster and count more.
    pub(crate) fn of_prepared(
        rows: TrainingRows,
        compared_by: Distance,
        distance: Distance,
        filter: bool,
    ) -> Self {
        let (n_rows, n_features) = (rows.n_rows(), rows.n_features());
        let scan = parallel::with_work_size(8 * n_rows * n_features, || {
            if filter && Filter::supports(&compared_by, n_features) {
                Scan::Filtered(FilteredScan::new(rows, compared_by))
            } else {
                Scan::Direct(DirectScan::new(&rows, &compared_by))
            }
        });
        Self {
            distance,
            scan,
            n_rows,
            n_features,
        }
    }

    /// With what this processor is faster by.
    pub(crate) fn ready(self) -> Self {
        let bytes = 8 * self.n_rows * self.n_features;
        let scan = match self.scan {
            Scan::Filtered(scan) => {
                Scan::Filtered(parallel::with_work_size(bytes, || scan.ready()))
            }
            direct @ Scan::Direct(_) => direct,
        };
        Self { scan, ..self }
    }

    /// As [`search`](NeighborSearch::search), and how many rows were offered a place among the nearest.
    pub(crate) fn search_counting(
        &self,
        queries: &Queries<'_>,
        k: usize,
    ) -> (Vec<Neighbors>, usize) {
        match &self.scan {
            Scan::Direct(scan) => scan.search_counting(queries, k),
            Scan::Filtered(scan) => scan.search_counting(queries, k),
        }
    }

    /// Whether matrix products leave out rows.
    pub(crate) fn is_filtered(&self) -> bool {
        matches!(self.scan, Scan::Filtered(_))
    }
}

impl NeighborSearch for BruteForce {
    fn n_rows(&self) -> usize {
        self.n_rows
    }

    fn n_features(&self) -> usize {
        self.n_features
    }

    fn distance(&self) -> &Distance {
        &self.distance
    }

    fn engine(&self) -> Engine {
        Engine::BruteForce
    }

    fn search(&self, queries: &Queries<'_>, k: usize) -> Vec<Neighbors> {
        self.search_counting(queries, k).0
    }
}
