//! Comparison of samples with their nearest training cases, feature by feature.

use ndarray::{ArrayView1, ArrayView2};
use xai_core::tensor::check_shape;
use xai_core::{ExactMean, Real, Result};
use xai_neighbors::Standardization;

use crate::explainer::case_explainer::CaseExplainer;
use crate::input;
use crate::result::explanation::{Case, Explanation};
use crate::result::feature_comparison::FeatureComparison;

impl CaseExplainer {
    /// Compares the features of `(m, d)` samples with those of the nearest cases in their explanations.
    ///
    /// The features of each sample are sorted by descending magnitude of their difference in standard deviations of
    /// the training rows; features without a difference are last. Redacted features are left out, and the list of every
    /// sample is empty if provenance is off.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`](xai_core::ErrorKind::Empty) without samples;
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) unless there is one sample per
    /// explanation, with the features of this explainer, and the cases show the same features;
    /// [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite) for NaN or infinite values; and
    /// [`ErrorKind::Refused`](xai_core::ErrorKind::Refused) if the explainer only releases
    /// [aggregates](crate::CaseExplainerBuilder::aggregate_only).
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::CaseExplainer;
    /// let train = array![[0.0, 7.0], [2.0, 7.0]];
    /// let explainer = CaseExplainer::builder().k(2).fit(train.view(), &[0, 1])?;
    /// let sample = array![[4.0, 9.0]];
    /// let explanations = explainer.explain_batch(sample.view(), &[1])?;
    /// let features = &explainer.compare_features(&explanations, sample.view())?[0];
    /// // The nearest cases have 2 and 0, a mean of 1; the deviation of the training rows is 1.
    /// assert_eq!((features[0].value, features[0].cases.as_slice()), (4.0, &[2.0, 0.0][..]));
    /// assert_eq!(features[0].difference, Some(3.0));
    /// assert_eq!(features[1].difference, None); // always 7 in the training rows
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn compare_features<T: Real>(
        &self,
        explanations: &[Explanation],
        samples: ArrayView2<'_, T>,
    ) -> Result<Vec<Vec<FeatureComparison>>> {
        self.disclosure.check_release()?;
        self.check_samples(samples)?;
        let n_shown = self.disclosure.shown_features().len();
        let found = [explanations.len()];
        check_shape(input::EXPLANATIONS, &[samples.nrows()], &found)?;
        // Explanations carry no reference to their explainer. A different number of shown features reveals a mix-up.
        for case in explanations.iter().flat_map(|e| &e.cases) {
            check_shape(input::EXPLANATIONS, &[n_shown], &[case.features.len()])
                .map_err(|e| e.part("features of cases"))?;
        }
        let spreads = Standardization::spreads(&self.train);
        let rows = explanations.iter().zip(samples.rows());
        Ok(rows
            .map(|(explanation, row)| self.compare(&explanation.cases, row, &spreads))
            .collect())
    }

    fn compare<T: Real>(
        &self,
        cases: &[Case],
        row: ArrayView1<'_, T>,
        spreads: &[Option<f64>],
    ) -> Vec<FeatureComparison> {
        let names = self.disclosure.shown_names().iter();
        let shown = names.zip(self.disclosure.shown_features()).enumerate();
        let mut compared: Vec<FeatureComparison> = shown
            .map(|(column, (name, &feature))| {
                let value = row[feature].to_f64_exact();
                let values: Vec<f64> = cases.iter().map(|case| case.features[column]).collect();
                let mean = values.iter().copied().collect::<ExactMean>().value();
                let difference = mean.zip(spreads[feature]).map(|(m, s)| (value - m) / s);
                FeatureComparison {
                    feature: name.clone(),
                    value,
                    cases: values,
                    difference: difference.filter(|difference| difference.is_finite()),
                }
            })
            .collect();
        // The sort is stable: ties keep the order of the columns. −1 puts features without a difference last.
        let key = |comparison: &FeatureComparison| comparison.difference.map_or(-1.0, f64::abs);
        compared.sort_by(|a, b| key(b).total_cmp(&key(a)));
        compared
    }
}
