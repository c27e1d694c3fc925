//! A scan over all training rows.

use ndarray::{Array2, ArrayView2};
use xai_core::{Distance, Error, Mahalanobis, Metric, Result, check_finite};

use crate::{Nearest, NeighborSearch};

/// Exact search by looking at every training row: any metric, any dimension, no preparation.
///
/// Cost: `n · d` operations a query, `k` rows of memory.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::{BruteForce, Metric, NeighborSearch};
/// let search = BruteForce::new(array![[0.0], [3.0], [-1.0], [1.0]].view(), Metric::Euclidean)?;
/// let found: Vec<_> = search.nearest(&[0.0], 3)?.iter().map(|n| (n.index, n.distance)).collect();
/// assert_eq!(found, [(0, 0.0), (2, 1.0), (3, 1.0)]); // a tie: the lower row first
/// # Ok::<(), xai_casebased::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BruteForce {
    /// Row-major; whitened where the metric is Mahalanobis.
    train: Array2<f64>,
    metric: Metric,
}

impl BruteForce {
    /// Prepares `(n, d)` training rows.
    ///
    /// # Errors
    /// [`Error::Empty`] without rows or features, [`Error::NonFinite`], and what the metric says
    /// of its parameter and of the rows.
    pub fn new(train: ArrayView2<'_, f64>, metric: Metric) -> Result<Self> {
        if train.nrows() == 0 {
            return Err(Error::empty("training rows"));
        }
        if train.ncols() == 0 {
            return Err(Error::empty("features"));
        }
        metric.validate()?;
        check_finite("train", train)?;
        metric.check_rows("train", train)?;
        let train = match &metric {
            Metric::Mahalanobis(m) => whitened(m, train)?,
            _ => train.as_standard_layout().into_owned(),
        };
        Ok(Self { train, metric })
    }
}

fn whitened(metric: &Mahalanobis, rows: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
    let values = rows
        .rows()
        .into_iter()
        .flat_map(|row| metric.whiten(&row.to_vec()))
        .collect();
    Array2::from_shape_vec(rows.raw_dim(), values)
        .map_err(|_| Error::shape("train", &[metric.n_features()], &[rows.ncols()]))
}

impl NeighborSearch for BruteForce {
    fn n_rows(&self) -> usize {
        self.train.nrows()
    }

    fn n_features(&self) -> usize {
        self.train.ncols()
    }

    fn nearest_to_checked(&self, query: &[f64], k: usize) -> Vec<Nearest> {
        match &self.metric {
            // The order of squares is not always that of their roots: two squares may share one.
            Metric::Mahalanobis(m) => {
                let query = m.whiten(query);
                self.scan(k, |row| Metric::Euclidean.distance(row, &query))
            }
            metric => self.scan(k, |row| metric.distance(row, query)),
        }
    }
}

impl BruteForce {
    fn scan(&self, k: usize, distance: impl Fn(&[f64]) -> f64) -> Vec<Nearest> {
        let k = k.min(self.n_rows());
        let mut best: Vec<Nearest> = Vec::with_capacity(k + 1);
        if k == 0 {
            return best;
        }
        let rows = self.train.as_slice().unwrap_or_default();
        if k == self.n_rows() {
            best.extend(
                rows.chunks_exact(self.n_features())
                    .enumerate()
                    .map(|(index, row)| Nearest {
                        index,
                        distance: distance(row),
                    }),
            );
            best.sort_unstable_by(|a, b| {
                a.distance
                    .total_cmp(&b.distance)
                    .then(a.index.cmp(&b.index))
            });
            return best;
        }
        for (index, row) in rows.chunks_exact(self.n_features()).enumerate() {
            let candidate = Nearest {
                index,
                distance: distance(row),
            };
            if best.len() == k {
                // Rows come in ascending index, so a tie with the last stays out.
                if candidate.distance >= best[k - 1].distance {
                    continue;
                }
                best.pop();
            }
            let place = best.partition_point(|kept| kept.precedes(&candidate));
            best.insert(place, candidate);
        }
        best
    }
}
