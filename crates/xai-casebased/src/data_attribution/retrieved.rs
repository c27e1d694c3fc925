//! Weights of neighbours as attributions.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, Axis, CowArray, Ix2, s};
use xai_core::number::labels_to_i64;
use xai_core::{Label, Real, Result};

use crate::data_attribution::rows::AttributionRows;
use crate::explainer::case_explainer::CaseExplainer;
use crate::input;
use crate::similarity::ClosureError;

/// Attributions by a [`CaseExplainer`]: the weight of each training case for each sample. Created by
/// [`CaseExplainer::attributions`].
#[derive(Debug)]
pub struct RetrievedRows<'a> {
    explainer: &'a CaseExplainer,
    samples: Array2<f64>,
    predicted: Vec<i64>,
    is_signed: bool,
}

impl CaseExplainer {
    /// Returns attributions, `(n_samples, n_train)`: the weights of *all* training cases as neighbours of the
    /// samples. With them, the metrics of [`data_attribution`](crate::data_attribution) can compare similarities:
    /// features, hidden activations, leaves and forests. A case that the search does not return even for this number
    /// of neighbours has weight 0: one of another leaf with
    /// [`Overflow::Truncate`](crate::similarity::Overflow::Truncate), or one that an approximate search misses.
    ///
    /// The weights of a sample are relative to its largest one, so that they do not underflow. The weight of a case is
    /// negative if it has another class than the predicted one, because it is evidence against the prediction;
    /// [`RetrievedRows::unsigned`] removes the signs. Rows are computed when they are read.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, ClassDetection};
    /// use xai_casebased::input;
    /// use xai_casebased::{CaseExplainer, Kernel};
    /// let train = array![[0.0], [1.0], [3.0]];
    /// let kernel = Kernel::InversePower { exponent: 1.0, offset: 1.0 };
    /// let explainer = CaseExplainer::builder().k(1).scale(false).weighting(kernel).fit(train.view(), &[0, 1, 1])?;
    /// let samples = array![[1.0]];
    /// let of_top_case = |rows| {
    ///     let data = AttributionData::new(rows).with(input::TRAIN_LABELS, &[0, 1, 1]).with(input::TEST_CLASSES, &[0]);
    ///     Ok::<_, xai_casebased::Error>(ClassDetection::new().evaluate(&data)?.value)
    /// };
    /// let rows = || explainer.attributions(samples.view(), &[0]); // weights 1/2, 1 and 1/3
    /// assert_eq!(of_top_case(rows()?)?, Some(1.0)); // 1/2, −1 and −1/3
    /// assert_eq!(of_top_case(rows()?.unsigned())?, Some(0.0));
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`explain_batch`](Self::explain_batch). Errors of the search and of closures occur when rows are read.
    pub fn attributions<T: Real, L: Label>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: &[L],
    ) -> Result<RetrievedRows<'_>> {
        self.disclosure.check_release()?;
        self.check_samples(samples)?;
        let classes = labels_to_i64(input::PREDICTED, predicted.iter().copied())?;
        self.check_predicted(samples.nrows(), &classes)?;
        Ok(RetrievedRows {
            explainer: self,
            samples: samples.mapv(Real::to_f64_exact),
            predicted: classes,
            is_signed: true,
        })
    }
}

impl RetrievedRows<'_> {
    /// Removes the signs of the weights.
    #[must_use]
    pub fn unsigned(self) -> Self {
        Self {
            is_signed: false,
            ..self
        }
    }

    /// Computes all rows, `(n_samples, n_train)`, in memory.
    ///
    /// # Errors
    /// As [`CaseExplainer::explain_batch`].
    pub fn to_array(&self) -> Result<Array2<f64>> {
        // Few samples at a time, because neighbours take twice the memory of their weights.
        const ROWS: usize = 256;
        let mut all = Array2::zeros(self.shape());
        for (part, mut rows) in all.axis_chunks_iter_mut(Axis(0), ROWS).enumerate() {
            let start = part * ROWS;
            let end = start + rows.nrows();
            rows.assign(&self.block(start..end)?);
        }
        Ok(all)
    }

    /// Computes some rows.
    fn block(&self, rows: Range<usize>) -> Result<Array2<f64>> {
        let (samples, n_train) = (self.samples.slice(s![rows.clone(), ..]), self.shape().1);
        let (explainer, metric) = (self.explainer, &self.explainer.correspondence);
        let predicted = Some(&self.predicted[rows.clone()]);
        let found = explainer.nearest_rows(samples, predicted, n_train)?;
        let mut weights = Array2::zeros((rows.len(), n_train));
        let mut relative = Vec::new();
        for ((sample, found), mut row) in rows.zip(found).zip(weights.rows_mut()) {
            let neighbors = found
                .iter()
                .map(|near| (near.distance, explainer.labels[near.index]));
            metric.relative_weights(neighbors, &mut relative)?;
            // Neighbours are in the order of the search; their weights are written back to the order of the training
            // rows.
            for (near, &(label, weight)) in found.iter().zip(&relative) {
                let is_against = self.is_signed && label != self.predicted[sample];
                row[near.index] = if is_against { -weight } else { weight };
            }
        }
        Ok(weights)
    }
}

impl AttributionRows for RetrievedRows<'_> {
    fn shape(&self) -> (usize, usize) {
        (self.samples.nrows(), self.explainer.labels.len())
    }

    fn rows(&self, rows: Range<usize>) -> Result<CowArray<'_, f64, Ix2>, ClosureError> {
        Ok(self.block(rows)?.into())
    }
}
