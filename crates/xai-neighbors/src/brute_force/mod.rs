//! Exact search by a scan over all training rows.

pub(crate) mod byte_product;
pub(crate) mod byte_rows;
pub(crate) mod direct_scan;
pub(crate) mod filter;
pub(crate) mod filtered_scan;
pub(crate) mod matrix_product;

use ndarray::ArrayView2;
use xai_core::{Distance, Result, parallel};

use crate::brute_force::direct_scan::DirectScan;
use crate::brute_force::filter::Filter;
use crate::brute_force::filtered_scan::FilteredScan;
use crate::engine::Engine;
use crate::nearest::Neighbors;
use crate::neighbor_search::NeighborSearch;
use crate::queries::Queries;
use crate::training_rows::TrainingRows;

/// Number of features from which on matrix products are faster than the direct kernel: 4.0 instead of 5.2 µs per
/// query at 10 000 × 3, but 6.8 instead of 5.5 at 10 000 × 2. The break-even point is the same at 57 000 and 300
/// 000 rows.
const FILTER_FEATURES: usize = 3;

/// Exact search by a scan over all training rows, for any distance and any number of features.
///
/// For distances that are functions of inner products (Euclidean, squared Euclidean, Mahalanobis, cosine,
/// correlation, Minkowski with `p = 2`), blocked matrix products in single precision exclude rows that are too far
/// by a proven error bound, and the others are compared in `f64`. On processors that multiply bytes (AVX-512 VNNI),
/// products of 8-bit integers exclude most of the rows before, with a bound of their own. For other distances, and
/// for fewer than 3 features, a vectorised kernel computes every distance in full. All of these give the bits of
/// [`DistanceFunction`](xai_core::distance::DistanceFunction).
///
/// Cost: `n · d` operations per query. Measured growth with the number of rows: n^0.94 with matrix products and
/// n^1.08 with the direct kernel (16 000 to 256 000 rows of 30 features; the larger sets do not fit into the
/// cache). With the number of neighbours: k^0.5 and k^0.2 (10 to 1 000 neighbours).
///
/// Memory in addition to the rows: half their size for matrix products and an eighth for integers, or once their
/// size for the direct kernel; once their size more for Mahalanobis and correlation; and 1 MB per thread, for any
/// number of queries.
///
/// ```
/// use ndarray::array;
/// use xai_neighbors::{BruteForce, Distance, NeighborSearch};
/// let search = BruteForce::new(array![[0.0], [3.0], [-1.0], [1.0]].view(), Distance::Euclidean)?;
/// let found: Vec<_> = search.nearest(&[0.0], 3)?.iter().map(|n| (n.index, n.distance)).collect();
/// assert_eq!(found, [(0, 0.0), (2, 1.0), (3, 1.0)]); // a tie: the lower row first
/// # Ok::<(), xai_neighbors::Error>(())
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
    /// Creates a search over `(n, d)` training rows.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`](xai_core::ErrorKind::Empty) without rows or features,
    /// [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite) for NaN or infinite values, before or after whitening,
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) if the parameter of the distance is
    /// invalid, and the errors of [`Distance::check_rows`] for rows outside the domain of the distance.
    pub fn new(train: ArrayView2<'_, f64>, distance: Distance) -> Result<Self> {
        Self::from_rows(TrainingRows::from_array(train, &distance)?, distance)
    }

    /// As [`new`](Self::new), but computes every distance in full. Useful to measure the benefit of matrix products.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn without_filter(train: ArrayView2<'_, f64>, distance: Distance) -> Result<Self> {
        Self::build(TrainingRows::from_array(train, &distance)?, distance, false)
    }

    /// As [`new`](Self::new), but with matrix products whenever the distance allows, even for few features.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_filter(train: ArrayView2<'_, f64>, distance: Distance) -> Result<Self> {
        Self::build(TrainingRows::from_array(train, &distance)?, distance, true)
    }

    pub(crate) fn from_rows(rows: TrainingRows, distance: Distance) -> Result<Self> {
        let filter = Self::prefers_products(rows.n_features());
        Self::build(rows, distance, filter)
    }

    /// Returns whether matrix products are faster for this number of features, if the distance allows them.
    pub(crate) fn prefers_products(n_features: usize) -> bool {
        n_features >= FILTER_FEATURES
    }

    fn build(rows: TrainingRows, distance: Distance, filter: bool) -> Result<Self> {
        let (rows, prepared_distance) = rows.prepare(&distance)?;
        Ok(Self::from_prepared(rows, prepared_distance, distance, filter).with_byte_filter())
    }

    /// Creates a scan over prepared rows without the filter by integers, so that the
    /// [counted](Self::search_counting) offers are the same on every processor.
    pub(crate) fn from_prepared(
        rows: TrainingRows,
        prepared_distance: Distance,
        distance: Distance,
        filter: bool,
    ) -> Self {
        let (n_rows, n_features) = (rows.n_rows(), rows.n_features());
        let scan = parallel::with_work_size(8 * n_rows * n_features, || {
            // Both scans are exact, so this decides on cost only.
            if filter && Filter::supports(&prepared_distance, n_features) {
                Scan::Filtered(FilteredScan::new(rows, prepared_distance))
            } else {
                Scan::Direct(DirectScan::new(&rows, &prepared_distance))
            }
        });
        Self {
            distance,
            scan,
            n_rows,
            n_features,
        }
    }

    /// Adds the filter by integers if this processor has the instructions. It may let more rows pass.
    pub(crate) fn with_byte_filter(self) -> Self {
        let bytes = 8 * self.n_rows * self.n_features;
        let scan = match self.scan {
            Scan::Filtered(scan) => {
                Scan::Filtered(parallel::with_work_size(bytes, || scan.with_byte_filter()))
            }
            direct @ Scan::Direct(_) => direct,
        };
        Self { scan, ..self }
    }

    /// As [`search`](NeighborSearch::search), and also returns the number of rows that were offered to the lists of the
    /// nearest.
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

    /// Returns whether matrix products are used.
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
