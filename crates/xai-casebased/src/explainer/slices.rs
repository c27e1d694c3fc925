//! Training rows and samples in slices, for programs that use another array type.

use ndarray::{ArrayView1, ArrayView2};
use xai_core::{Error, Input, Label, Real, Result};

use crate::explainer::case_explainer::CaseExplainer;
use crate::explainer::choices::CaseExplainerBuilder;
use crate::input;
use crate::result::explanation::Explanation;

impl CaseExplainerBuilder {
    /// As [`fit`](Self::fit), for rows in one slice, row after row. The number of rows is that of the labels.
    ///
    /// It needs no `ndarray`: use it with the memory of another array type, such as another version of `ndarray`.
    ///
    /// # Errors
    /// As [`fit`](Self::fit); [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) unless `train` has
    /// `n_features` values per label.
    ///
    /// ```
    /// use xai_casebased::CaseExplainer;
    /// let explainer = CaseExplainer::builder().k(1).fit_slice(&[0.0, 1.0, 4.0, 5.0], 2, &[0, 1])?;
    /// let explanation = explainer.explain_slice(&[3.5, 5.0], 1)?;
    /// assert_eq!(explanation.cases[0].features, [4.0, 5.0]);
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn fit_slice<T: Real, L: Label>(
        self,
        train: &[T],
        n_features: usize,
        labels: &[L],
    ) -> Result<CaseExplainer> {
        let rows = row_major(input::TRAIN, train, labels.len(), n_features)?;
        self.fit(rows, labels)
    }
}

impl CaseExplainer {
    /// As [`explain`](Self::explain), for features in a slice.
    ///
    /// # Errors
    /// As [`explain`](Self::explain).
    pub fn explain_slice<T: Real, L: Label>(
        &self,
        sample: &[T],
        predicted: L,
    ) -> Result<Explanation> {
        self.explain(ArrayView1::from(sample), predicted)
    }

    /// As [`explain_batch`](Self::explain_batch), for samples in one slice, row after row. The number of samples is
    /// that of the predicted classes.
    ///
    /// # Errors
    /// As [`explain_batch`](Self::explain_batch); [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch)
    /// unless `samples` has one value per feature and predicted class.
    pub fn explain_batch_slice<T: Real, L: Label>(
        &self,
        samples: &[T],
        predicted: &[L],
    ) -> Result<Vec<Explanation>> {
        let n_features = self.train.n_columns();
        let rows = row_major(input::SAMPLES, samples, predicted.len(), n_features)?;
        self.explain_batch(rows, predicted)
    }
}

/// View of `(n, d)` rows that are stored row after row.
///
/// # Errors
/// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) about `rows_of` for another number of values.
fn row_major<T>(rows_of: Input, values: &[T], n: usize, d: usize) -> Result<ArrayView2<'_, T>> {
    // A view may be shorter than its slice, so the length is checked here.
    let rows = ArrayView2::from_shape((n, d), values);
    match rows {
        Ok(rows) if rows.len() == values.len() => Ok(rows),
        _ => {
            let expected = format!("({n} × {d}), one value per row and feature");
            Err(Error::shape_described(rows_of, expected, &[values.len()]))
        }
    }
}
