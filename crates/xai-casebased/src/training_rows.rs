//! The training rows as the engines see them.

use std::sync::Arc;

use ndarray::Array2;
use xai_core::{Error, Metric, Result, check_finite};

use crate::Standardization;

/// Rows as they were handed in, and what is done to each before its distance is taken.
///
/// Engines that look at few rows in full scale each when they look at it, so that one copy serves
/// both the search and the explanations; a scaled row has the same bits every time.
#[derive(Debug, Clone)]
pub(crate) struct TrainingRows {
    values: Arc<Array2<f64>>,
    standardization: Option<Arc<Standardization>>,
}

impl TrainingRows {
    /// Rows that a search with this metric can use.
    ///
    /// # Errors
    /// [`Error::Empty`] without rows or features, [`Error::NonFinite`], and what the metric says
    /// of its parameter and of the rows.
    pub(crate) fn new(
        values: Arc<Array2<f64>>,
        standardization: Option<Arc<Standardization>>,
        metric: &Metric,
    ) -> Result<Self> {
        if values.nrows() == 0 {
            return Err(Error::empty("training rows"));
        }
        if values.ncols() == 0 {
            return Err(Error::empty("features"));
        }
        metric.validate()?;
        check_finite("train", values.view())?;
        let rows = Self {
            values: if values.is_standard_layout() {
                values
            } else {
                Arc::new(values.as_standard_layout().into_owned())
            },
            standardization,
        };
        match metric {
            // Whether a row is zero shows only after scaling.
            Metric::Cosine if rows.standardization.is_some() => {
                let mut buffer = vec![0.0; rows.n_features()];
                for row in 0..rows.n_rows() {
                    rows.write(row, &mut buffer);
                    if buffer.iter().all(|&x| x == 0.0) {
                        return Err(Error::out_of_domain(
                            "train (scaled)",
                            &[row],
                            0.0,
                            "a row with a direction: cosine distance is undefined for a row of \
                             zeros, here the mean of all rows; leave it out, do not scale, or \
                             choose another metric",
                        ));
                    }
                }
            }
            _ => metric.check_rows("train", rows.values.view())?,
        }
        Ok(rows)
    }

    /// The rows that a search with this metric compares: whitened where it is Mahalanobis.
    ///
    /// # Errors
    /// [`Error::NonFinite`] for a row that whitening takes beyond `f64`.
    pub(crate) fn whitened(self, metric: &Metric) -> Result<Self> {
        let Metric::Mahalanobis(mahalanobis) = metric else {
            return Ok(self);
        };
        let mut whitened = Array2::zeros(self.values.raw_dim());
        let mut buffer = vec![0.0; self.n_features()];
        for (row, mut to) in whitened.rows_mut().into_iter().enumerate() {
            self.write(row, &mut buffer);
            for (to, from) in to.iter_mut().zip(mahalanobis.whiten(&buffer)) {
                *to = from;
            }
        }
        check_finite("train (whitened)", whitened.view())?;
        Ok(Self {
            values: Arc::new(whitened),
            standardization: None,
        })
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.values.nrows()
    }

    pub(crate) fn n_features(&self) -> usize {
        self.values.ncols()
    }

    /// Writes one prepared row.
    #[inline]
    pub(crate) fn write(&self, row: usize, to: &mut [f64]) {
        let d = self.n_features();
        let values = self.values.as_slice().unwrap_or_default();
        let from = &values[row * d..(row + 1) * d];
        match &self.standardization {
            Some(s) => s.write(from, to),
            None => to.copy_from_slice(from),
        }
    }
}
