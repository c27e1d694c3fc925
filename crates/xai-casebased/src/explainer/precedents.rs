//! Explanations as arrays, and the training rows behind them.

use ndarray::{Array2, ArrayView2};
use xai_core::{Error, Kernel, Real, Result};

use crate::explainer::case_explainer::CaseExplainer;
use crate::input;
use crate::result::precedents::Precedents;
use crate::training::metadata::MetadataColumn;
use crate::training::standardization::Standardization;

impl CaseExplainer {
    /// What [`explain_batch`](Self::explain_batch) finds, as arrays: for many samples, or for a reader
    /// that takes arrays. `predicted` is `None` for a vote.
    ///
    /// `k` neighbours are asked, and weighted by `kernel`, where they are given instead of those that
    /// the explainer was fitted with.
    ///
    /// # Errors
    /// As [`explain_batch`](Self::explain_batch);
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for `k = 0` and for a kernel
    /// parameter outside its domain.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::{CaseExplainer, Kernel};
    /// let explainer = CaseExplainer::builder().k(1).scale(false)
    ///     .fit(array![[0.0], [1.0], [5.0]].view(), &[0, 1, 1])?;
    /// let samples = array![[0.0], [4.0]];
    /// let found = explainer.precedents(samples.view(), Some(&[0, 1]), Some(2), Some(Kernel::Uniform))?;
    /// assert_eq!((found.starts, found.indices), (vec![0, 2, 4], vec![0, 1, 2, 1]));
    /// assert_eq!(found.correspondence, [Some(0.5), Some(1.0)]);
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn precedents<T: Real>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: Option<&[i64]>,
        k: Option<usize>,
        kernel: Option<Kernel>,
    ) -> Result<Precedents> {
        self.disclosure.check_release()?;
        self.check_samples(samples)?;
        let k = k.unwrap_or(self.choices.k);
        if k == 0 {
            return Err(Error::parameter(input::K, 0, "a whole number, at least 1"));
        }
        let by = self.correspondence.clone();
        let by = kernel
            .into_iter()
            .fold(by, |by, kernel| by.weighting(kernel));
        by.check()?;
        let judged =
            self.each_of_checked(samples, predicted, k, &by, |_, class, nearest, tally| {
                (nearest, class, tally.score(class))
            })?;
        let thresholds = by.level_thresholds();
        let mut starts = vec![0];
        let (mut indices, mut distances) = (Vec::new(), Vec::new());
        let mut ties_at_k = Vec::with_capacity(judged.len());
        for (nearest, ..) in &judged {
            indices.extend(nearest.iter().map(|n| n.index));
            distances.extend(nearest.iter().map(|n| n.distance));
            starts.push(indices.len());
            ties_at_k.push(nearest.ties_at_k);
        }
        let scores = judged.iter().map(|(.., score)| *score);
        Ok(Precedents {
            starts,
            indices,
            distances,
            ties_at_k,
            levels: scores
                .clone()
                .map(|score| thresholds.level(score))
                .collect(),
            predicted: judged.iter().map(|(_, predicted, _)| *predicted).collect(),
            correspondence: scores.collect(),
        })
    }

    /// How features are standardised; `None` if they are not.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](xai_core::ErrorKind::Refused) if features are redacted: the mean of a constant feature is its
    /// value.
    pub fn standardization(&self) -> Result<Option<&Standardization>> {
        self.check_features_shown()?;
        Ok(self.standardization.as_deref())
    }

    fn check_features_shown(&self) -> Result<()> {
        if self.disclosure.redacts_features() {
            return Err(Error::refused(input::TRAIN, "some features are redacted"));
        }
        Ok(())
    }

    /// The distinct classes of the training rows, ascending: those that a prediction can have.
    #[must_use]
    pub fn classes(&self) -> &[i64] {
        &self.classes
    }

    /// The classes of the training rows, in their order.
    #[must_use]
    pub fn labels(&self) -> &[i64] {
        &self.labels
    }

    /// The `(n, d)` training rows as they were handed in.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](xai_core::ErrorKind::Refused) where features are redacted, and by an
    /// explainer that only releases [aggregates](crate::CaseExplainerBuilder::aggregate_only).
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

    /// The features of some training rows, `(rows, shown features)`: those that explanations show, in
    /// the order of [`feature_names`](Self::feature_names).
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](xai_core::ErrorKind::Refused) by an explainer that only releases
    /// [aggregates](crate::CaseExplainerBuilder::aggregate_only);
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for a row that there is not.
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

    /// The names of the features that explanations show: without redacted ones, none without provenance.
    #[must_use]
    pub fn feature_names(&self) -> &[String] {
        self.disclosure.shown_names()
    }

    /// What each class counts, as it was chosen.
    #[must_use]
    pub fn class_weights(&self) -> &[(i64, f64)] {
        &self.choices.class_weights
    }

    /// The metadata columns that explanations show, by name: without redacted ones, none without
    /// provenance.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](xai_core::ErrorKind::Refused) by an explainer that only releases
    /// [aggregates](crate::CaseExplainerBuilder::aggregate_only).
    pub fn shown_metadata(&self) -> Result<impl Iterator<Item = (&str, &MetadataColumn)>> {
        self.disclosure.check_release()?;
        Ok(self.disclosure.shown_metadata())
    }
}
