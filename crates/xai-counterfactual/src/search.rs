//! Exact nearest rows.

use std::cmp::Ordering;

use ndarray::{Array2, ArrayView2};
use xai_core::Distance;
use xai_core::distance::DistanceFunction;
use xai_core::{Result, parallel};

use crate::distance::PreparedDistance;

/// A row near another one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Near {
    pub(crate) index: usize,
    pub(crate) distance: f64,
}

impl Near {
    /// Ascending distance; equal distances by lower index.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        self.distance
            .total_cmp(&other.distance)
            .then(self.index.cmp(&other.index))
    }
}

/// A scan over embedded rows.
#[derive(Debug)]
pub(crate) struct Engine {
    rows: Array2<f64>,
    distance: Distance,
}

impl Engine {
    pub(crate) fn new(rows: ArrayView2<'_, f64>, distance: &PreparedDistance) -> Result<Self> {
        Ok(Self {
            rows: rows.to_owned(),
            distance: distance.embedded_distance(),
        })
    }

    /// The `k` nearest rows of each query, nearest first.
    pub(crate) fn nearest(&self, queries: ArrayView2<'_, f64>, k: usize) -> Result<Vec<Vec<Near>>> {
        Ok(self.scan(queries, |mut all| {
            let k = k.min(all.len());
            // Selecting before sorting makes the scan linear in the number of rows. Ties go to the lower index, so the
            // order is total and an unstable selection is deterministic.
            if k < all.len() && k > 0 {
                all.select_nth_unstable_by(k - 1, Near::order);
            }
            all.truncate(k);
            all.sort_unstable_by(Near::order);
            all
        }))
    }

    /// The rows within `radius` of each query.
    pub(crate) fn within(
        &self,
        queries: ArrayView2<'_, f64>,
        radius: f64,
    ) -> Result<Vec<Vec<usize>>> {
        Ok(self.scan(queries, |all| {
            all.into_iter()
                .filter(|near| near.distance <= radius)
                .map(|near| near.index)
                .collect()
        }))
    }

    fn scan<T: Send>(
        &self,
        queries: ArrayView2<'_, f64>,
        pick: impl Fn(Vec<Near>) -> T + Sync + Send,
    ) -> Vec<T> {
        let (queries, rows) = (queries.as_standard_layout(), self.rows.as_standard_layout());
        parallel::map(queries.nrows(), |query| {
            let query = queries.row(query);
            let query = query.as_slice().expect("standard layout");
            let near = rows
                .rows()
                .into_iter()
                .enumerate()
                .map(|(index, row)| Near {
                    index,
                    distance: self
                        .distance
                        .distance(query, row.as_slice().expect("standard layout")),
                });
            pick(near.collect())
        })
    }
}
