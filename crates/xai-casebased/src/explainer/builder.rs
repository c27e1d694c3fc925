//! Settings of an explainer, and fitting.

use std::sync::Arc;

use ndarray::{Array2, ArrayView2};
use xai_core::describe::Parameters;
use xai_core::distance::{DistanceFunction, Mahalanobis};
use xai_core::number::{check_finite, labels_to_i64};
use xai_core::tensor::check_shape;
use xai_core::{Distance, Kernel, Label, Real, Result, Weighting, parallel};
use xai_neighbors::{CustomDistance, Standardization, UNRESTRICTED, check_non_empty};

use crate::correspondence::level::Thresholds;
use crate::explainer::case_explainer::CaseExplainer;
use crate::explainer::choices::{CaseExplainerBuilder, RowDistance};
#[cfg(feature = "persistence")]
use crate::explainer::choices::{Choices, DisclosureChoices};
use crate::explainer::disclosure::Disclosure;
use crate::input;
use crate::similarity::retrieval::Fitting;
use crate::similarity::strategy::Similarity;
use crate::training::Matrix;
use crate::training::metadata::MetadataColumn;

impl CaseExplainer {
    /// Creates a builder with the default settings.
    #[must_use]
    pub fn builder() -> CaseExplainerBuilder {
        CaseExplainerBuilder::default()
    }
}

impl CaseExplainerBuilder {
    /// Sets the similarity by which cases are found. Default: features.
    #[must_use]
    pub fn similarity(mut self, similarity: impl Into<Similarity>) -> Self {
        self.similarity = similarity.into();
        self
    }

    /// Sets a distance of your own: a closure of two rows, or another [`DistanceFunction`]. Nearest cases are found by
    /// a scan over all training rows, which is exact.
    ///
    /// The function is called with a sample and a training row, both standardised unless [`scale`](Self::scale) is off,
    /// or with the coordinates of an [`Embedding`](crate::similarity::Embedding). A distance that is NaN or negative is
    /// an error of the call that explains. An explainer with its own distance cannot be stored: fit it again instead.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::{CaseExplainer, ErrorKind};
    /// // Hours of the day: 23 is one hour from 0.
    /// let clock = |a: &[f64], b: &[f64]| {
    ///     let hours = (a[0] - b[0]).abs();
    ///     hours.min(24.0 - hours)
    /// };
    /// let train = array![[0.5], [12.0], [20.0]];
    /// let builder = CaseExplainer::builder().k(2).scale(false).distance_with(clock);
    /// let explainer = builder.fit(train.view(), &[0, 1, 1])?;
    /// let explanation = explainer.explain(array![23.0].view(), 0)?;
    /// let found = explanation.cases.iter().map(|case| (case.index, case.distance));
    /// assert!(found.eq([(0, 1.5), (2, 3.0)]));
    ///
    /// let undefined = CaseExplainer::builder().distance_with(|_: &[f64], _: &[f64]| f64::NAN);
    /// let error = undefined.fit(train.view(), &[0, 1, 1])?.explain(array![1.0].view(), 0).unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::OutOfDomain { .. }));
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    #[must_use]
    pub fn distance_with(self, distance: impl DistanceFunction + 'static) -> Self {
        self.distance(CustomDistance::new(distance))
    }

    /// Sets whether explanations contain the features and metadata of the cases. Default: true.
    #[must_use]
    pub fn provenance(mut self, provenance: bool) -> Self {
        self.disclosure.provenance = provenance;
        self
    }

    /// Weights cases with a kernel of their distance `d`. Default: [`Kernel::InverseCube`], `1 / (d + 1)³`.
    #[must_use]
    pub fn weighting(mut self, kernel: Kernel) -> Self {
        self.choices.correspondence = self.choices.correspondence.weighting(kernel);
        self
    }

    /// Weights cases with a closure of their distance, or another [`Weighting`].
    #[must_use]
    pub fn weighting_with(mut self, weighting: impl Weighting + 'static) -> Self {
        self.choices.correspondence = self.choices.correspondence.weighting_with(weighting);
        self
    }

    /// Sets the weight of a class; classes without one have weight 1.
    #[must_use]
    pub fn class_weight(mut self, label: i64, weight: f64) -> Self {
        self.choices.class_weights.push((label, weight));
        self
    }

    /// Sets the thresholds of the levels. Default: high from 0.85, medium from 0.70.
    #[must_use]
    pub fn thresholds(mut self, thresholds: Thresholds) -> Self {
        self.choices.correspondence = self.choices.correspondence.thresholds(thresholds);
        self
    }

    /// Sets the name of a class.
    #[must_use]
    pub fn class_name(mut self, label: i64, name: impl Into<Arc<str>>) -> Self {
        self.disclosure.class_names.insert(label, name.into());
        self
    }

    /// Sets the names of the features, one for each and all different. Default: `feature_0`, `feature_1`, …
    #[must_use]
    pub fn feature_names<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.disclosure.feature_names = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Adds a metadata column with one value per training row. Explanations show it, but it is not compared.
    #[must_use]
    pub fn metadata(
        mut self,
        name: impl Into<Arc<str>>,
        column: impl Into<MetadataColumn>,
    ) -> Self {
        let columns = &mut self.disclosure.metadata.columns;
        columns.push((name.into(), column.into()));
        self
    }

    /// Redacts a feature or a metadata column: its values are never shown.
    ///
    /// This is the definition of redaction, here and on the command line. A value of a redacted column
    ///
    /// - is in no explanation, aggregate or audit, and therefore in none of their texts, JSON and tables;
    /// - is in no error. An error about a cell of a redacted feature, or about a whole row, of training rows
    ///   or of samples gives the position and the expectation, but not the value. Errors that the
    ///   closures of a model or a similarity return are the caller's responsibility;
    /// - is in a stored explainer only if it is a feature, which distances need, and only if the caller allows it
    ///   ([`SaveOptions::store_redacted`](crate::SaveOptions::store_redacted)). Redacted metadata is
    ///   dropped when the explainer is fitted.
    ///
    /// The name of the column is not secret, and a redacted feature is still part of the distances, which are
    /// shown. With all other features of a case and the scale, the contribution of a redacted feature can be
    /// computed from them. If that matters, use [`aggregate_only`](Self::aggregate_only). The classes of the
    /// cases are the explanation and cannot be redacted.
    #[must_use]
    pub fn redact(mut self, column: impl Into<String>) -> Self {
        self.disclosure.redacted.push(column.into());
        self
    }

    /// Releases only [aggregates](CaseExplainer::aggregate) (class shares and the range of distances of the nearest
    /// cases) instead of explanations, which show training rows. An aggregate over fewer than `minimum` distinct
    /// training rows is refused; `minimum` is at least 2.
    ///
    /// A minimum near `k` hides single persons. It is no guarantee against an unlimited number of queries: the smallest
    /// distance is that of one row, and enough such distances locate the row.
    #[must_use]
    pub fn aggregate_only(mut self, minimum: usize) -> Self {
        self.disclosure.aggregate_minimum = Some(minimum);
        self
    }

    /// Fits the explainer to `(n, d)` training rows and their `(n,)` classes.
    ///
    /// # Errors
    /// - [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for `k = 0`, for a distance,
    ///   engine, kernel, threshold, class weight or minimum outside its domain, for an engine that does not support the
    ///   distance, for a name that occurs twice, and for a redacted column that does not exist;
    /// - [`ErrorKind::Empty`](xai_core::ErrorKind::Empty) without rows or features;
    /// - [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) unless there is one label, and one value
    ///   of every metadata column, per row, one name per feature, and one weight per dimension of an embedding;
    /// - [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite) for NaN or infinite values (in metadata: infinite
    ///   values);
    /// - [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) for a label above `i64::MAX`, a feature whose
    ///   standard deviation overflows `f64`, a row for which the distance is undefined, and a weight of an embedding
    ///   that is not a finite number of at least 0;
    /// - for [`RowDistance::Mahalanobis`], [`ErrorKind::TooFew`](xai_core::ErrorKind::TooFew) if there are too few
    ///   rows for a covariance, and [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) about the feature
    ///   that makes it singular;
    /// - [`ErrorKind::Model`](xai_core::ErrorKind::Model) if the closure of the similarity fails.
    pub fn fit<T: Real, L: Label>(
        self,
        train: ArrayView2<'_, T>,
        labels: &[L],
    ) -> Result<CaseExplainer> {
        let classes = labels_to_i64(input::LABELS, labels.iter().copied())?;
        self.fit_matrix(Matrix::from_array(train.mapv(Real::to_f64_exact)), classes)
    }

    /// As [`fit`](Self::fit), but takes ownership of the rows instead of copying them, for training sets of which
    /// only one copy fits into memory.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_owned<L: Label>(self, train: Array2<f64>, labels: &[L]) -> Result<CaseExplainer> {
        let classes = labels_to_i64(input::LABELS, labels.iter().copied())?;
        self.fit_matrix(Matrix::from_array(train), classes)
    }

    /// Creates a builder from stored settings, with the similarity of features.
    #[cfg(feature = "persistence")]
    pub(crate) fn from_choices(choices: Choices, disclosure: DisclosureChoices) -> Self {
        Self {
            choices,
            disclosure,
            similarity: Similarity::Features,
        }
    }

    pub(crate) fn fit_matrix(self, train: Matrix, labels: Vec<i64>) -> Result<CaseExplainer> {
        self.check_params()?;
        let correspondence = self.choices.correspondence_metric()?;
        self.similarity.check()?;
        let (n, d) = (train.n_rows(), train.n_columns());
        check_non_empty(&train)?;
        check_shape(input::LABELS, &[n], &[labels.len()])?;
        // Before the values are checked, because errors about values name columns and conceal redacted ones.
        let disclosure = Disclosure::new(self.disclosure, n, d)?;
        check_finite(input::TRAIN, train.view()).map_err(|e| disclosure.name_column(e))?;
        // From here on errors may be about values of redacted features.
        let standardization = if self.choices.scale {
            let fitted = Standardization::fit_matrix(&train).map_err(|e| disclosure.conceal(e))?;
            Some(Arc::new(fitted))
        } else {
            None
        };
        let distance = match self.choices.distance.clone() {
            RowDistance::Fixed(distance) => distance,
            RowDistance::Mahalanobis => mahalanobis(&train, standardization.as_deref())
                .map_err(|e| disclosure.conceal(e))?,
            RowDistance::Custom(_) => UNRESTRICTED,
        };
        let train = Arc::new(train);
        let kind = self.similarity.kind();
        let fitting = Fitting {
            train: &train,
            standardization: standardization.as_ref(),
            distance: &distance,
            custom_distance: self.choices.distance.custom(),
            engine: self.choices.engine,
            k: self.choices.k,
        };
        let retrieval = parallel::with_work_size(16 * n * d, || self.similarity.fit(fitting))
            .map_err(|e| disclosure.conceal(e))?;
        let mut classes = labels.clone();
        classes.sort_unstable();
        classes.dedup();
        Ok(CaseExplainer {
            retrieval,
            classes,
            file_holds_redacted: false,
            standardization,
            train,
            labels,
            correspondence,
            distance,
            choices: self.choices,
            disclosure,
            similarity: kind,
        })
    }
}

/// Mahalanobis distance with the covariance of the training rows, standardised if they are.
fn mahalanobis(train: &Matrix, standardization: Option<&Standardization>) -> Result<Distance> {
    let fitted = match standardization {
        Some(standardization) => {
            Mahalanobis::from_rows(standardization.apply(train.view())?.view())
        }
        None => Mahalanobis::from_rows(train.view()),
    };
    fitted
        .map(Distance::Mahalanobis)
        .map_err(|e| e.renamed(input::ROWS, input::TRAIN))
}
