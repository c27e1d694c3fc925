//! Explanations as arrays, and access to the training data.

use ndarray::{Array2, ArrayView2};
use xai_core::{Error, Kernel, Real, Result};
use xai_neighbors::Standardization;

use crate::explainer::case_explainer::CaseExplainer;
use crate::input;
use crate::result::case_arrays::CaseArrays;
use crate::training::metadata::MetadataColumn;

/// Options of [`CaseExplainer::case_arrays`]. By default, the cases vote, and the number of cases and the weighting are
/// those of the explainer.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CaseOptions<'a> {
    predicted: Option<&'a [i64]>,
    k: Option<usize>,
    kernel: Option<Kernel>,
}

impl<'a> CaseOptions<'a> {
    /// Creates the default options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the predicted classes, one per sample.
    #[must_use]
    pub fn predicted(mut self, predicted: &'a [i64]) -> Self {
        self.predicted = Some(predicted);
        self
    }

    /// Sets the number of cases per sample.
    #[must_use]
    pub fn k(mut self, k: usize) -> Self {
        self.k = Some(k);
        self
    }

    /// Sets the weight of a case by its distance. Class weights and thresholds are those of the explainer.
    #[must_use]
    pub fn weighting(mut self, kernel: Kernel) -> Self {
        self.kernel = Some(kernel);
        self
    }
}

impl CaseExplainer {
    /// Returns the results of [`explain_batch`](Self::explain_batch), or of [`explain_votes`](Self::explain_votes)
    /// without predicted classes, as arrays. This is faster for many samples.
    ///
    /// # Errors
    /// As [`explain_batch`](Self::explain_batch) or [`explain_votes`](Self::explain_votes);
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for `k = 0` and for a kernel
    /// parameter outside its domain.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::{CaseExplainer, CaseOptions, Kernel};
    /// let explainer = CaseExplainer::builder().k(1).scale(false)
    ///     .fit(array![[0.0], [1.0], [5.0]].view(), &[0, 1, 1])?;
    /// let samples = array![[0.0], [4.0]];
    /// let options = CaseOptions::new().predicted(&[0, 1]).k(2).weighting(Kernel::Uniform);
    /// let found = explainer.case_arrays(samples.view(), options)?;
    /// assert_eq!((found.starts, found.indices), (vec![0, 2, 4], vec![0, 1, 2, 1]));
    /// assert_eq!(found.correspondence, [Some(0.5), Some(1.0)]);
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn case_arrays<T: Real>(
        &self,
        samples: ArrayView2<'_, T>,
        options: CaseOptions<'_>,
    ) -> Result<CaseArrays> {
        self.disclosure.check_release()?;
        self.check_samples(samples)?;
        let k = options.k.unwrap_or(self.choices.k);
        if k == 0 {
            return Err(Error::parameter(input::K, 0, "a whole number, at least 1"));
        }
        let mut metric = self.correspondence.clone();
        if let Some(kernel) = options.kernel {
            metric = metric.weighting(kernel);
        }
        metric.check()?;
        let found = self.map_samples_with(
            samples,
            options.predicted,
            k,
            &metric,
            |_, class, nearest, tally| (nearest, class, tally.score(class)),
        )?;
        let thresholds = metric.level_thresholds();
        let mut starts = vec![0];
        let (mut indices, mut distances) = (Vec::new(), Vec::new());
        let mut ties_at_k = Vec::with_capacity(found.len());
        for (nearest, ..) in &found {
            indices.extend(nearest.iter().map(|n| n.index));
            distances.extend(nearest.iter().map(|n| n.distance));
            starts.push(indices.len());
            ties_at_k.push(nearest.ties_at_k);
        }
        let scores = found.iter().map(|(.., score)| *score);
        Ok(CaseArrays {
            starts,
            indices,
            distances,
            ties_at_k,
            levels: scores
                .clone()
                .map(|score| thresholds.level(score))
                .collect(),
            predicted: found.iter().map(|(_, predicted, _)| *predicted).collect(),
            correspondence: scores.collect(),
        })
    }

    /// Standardisation of the features; `None` if they are not standardised.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](xai_core::ErrorKind::Refused) if features are redacted, because the mean of a
    /// constant feature is its value, or if the explainer only releases
    /// [aggregates](crate::CaseExplainerBuilder::aggregate_only).
    pub fn standardization(&self) -> Result<Option<&Standardization>> {
        self.disclosure.check_release()?;
        self.check_features_shown()?;
        Ok(self.standardization.as_deref())
    }

    /// Checks that no feature is redacted.
    fn check_features_shown(&self) -> Result<()> {
        if self.disclosure.redacts_features() {
            return Err(Error::refused(input::TRAIN, "some features are redacted"));
        }
        Ok(())
    }

    /// Distinct classes of the training rows, ascending. Predictions must have one of these.
    #[must_use]
    pub fn classes(&self) -> &[i64] {
        &self.classes
    }

    /// Class label of each training row.
    #[must_use]
    pub fn labels(&self) -> &[i64] {
        &self.labels
    }

    /// Unscaled training rows, `(n, d)`.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](xai_core::ErrorKind::Refused) if features are redacted, or if the
    /// explainer only releases [aggregates](crate::CaseExplainerBuilder::aggregate_only).
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::CaseExplainer;
    /// let train = array![[0.0], [1.0]];
    /// let explainer = CaseExplainer::builder().fit(train.view(), &[0, 1])?;
    /// assert_eq!(explainer.training_rows()?, train);
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn training_rows(&self) -> Result<ArrayView2<'_, f64>> {
        self.disclosure.check_release()?;
        self.check_features_shown()?;
        Ok(self.train.view())
    }

    /// Returns the features of some training rows that explanations show, `(rows, shown features)`, in the order of
    /// [`feature_names`](Self::feature_names).
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](xai_core::ErrorKind::Refused) if the explainer only releases
    /// [aggregates](crate::CaseExplainerBuilder::aggregate_only), and
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for a row that does not exist.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::CaseExplainer;
    /// let explainer = CaseExplainer::builder().redact("feature_0")
    ///     .fit(array![[0.0, 3.0], [1.0, 4.0]].view(), &[0, 1])?;
    /// assert_eq!(explainer.shown_features(&[1, 0])?, array![[4.0], [3.0]]);
    /// assert_eq!(explainer.feature_names(), ["feature_1"]);
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn shown_features(&self, rows: &[usize]) -> Result<Array2<f64>> {
        self.disclosure.check_release()?;
        let n = self.train.n_rows();
        if let Some(row) = rows.iter().find(|row| **row >= n) {
            let expected = format!("a row below {n}");
            return Err(Error::parameter(input::TRAIN, row, expected).part("row"));
        }
        let shown = self.disclosure.shown_features();
        Ok(Array2::from_shape_fn(
            (rows.len(), shown.len()),
            |(i, j)| self.train.row(rows[i])[shown[j]],
        ))
    }

    /// Names of the features that explanations show. Redacted features are left out; empty if provenance is off.
    #[must_use]
    pub fn feature_names(&self) -> &[String] {
        self.disclosure.shown_names()
    }

    /// Class weights as they were set, in the order of the calls.
    #[must_use]
    pub fn class_weights(&self) -> &[(i64, f64)] {
        &self.choices.class_weights
    }

    /// Names and columns of the metadata that explanations show. Redacted columns are left out; empty if provenance is
    /// off.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](xai_core::ErrorKind::Refused) if the explainer only releases
    /// [aggregates](crate::CaseExplainerBuilder::aggregate_only).
    pub fn shown_metadata(&self) -> Result<impl Iterator<Item = (&str, &MetadataColumn)>> {
        self.disclosure.check_release()?;
        Ok(self.disclosure.shown_metadata())
    }
}
