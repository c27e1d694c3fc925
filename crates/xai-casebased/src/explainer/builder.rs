//! The choices of an explainer, and how it is fitted.

use std::sync::Arc;

use ndarray::{Array2, ArrayView2};
use xai_core::describe::Parameters;
use xai_core::distance::Mahalanobis;
use xai_core::number::{check_finite, labels_to_i64};
use xai_core::tensor::check_shape;
use xai_core::{Distance, Kernel, Label, Real, Result, Weighting, parallel};

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
use crate::training::rows::check_filled;
use crate::training::standardization::Standardization;

impl CaseExplainer {
    /// Starts with the default choices.
    #[must_use]
    pub fn builder() -> CaseExplainerBuilder {
        CaseExplainerBuilder::default()
    }
}

impl CaseExplainerBuilder {
    /// What makes rows similar; features unless chosen otherwise.
    #[must_use]
    pub fn similarity(mut self, similarity: impl Into<Similarity>) -> Self {
        self.similarity = similarity.into();
        self
    }

    /// Whether explanations carry the features and metadata of the neighbours (the default).
    #[must_use]
    pub fn provenance(mut self, provenance: bool) -> Self {
        self.disclosure.provenance = provenance;
        self
    }

    /// The weight of a neighbour by its distance.
    #[must_use]
    pub fn weighting(mut self, kernel: Kernel) -> Self {
        self.choices.correspondence = self.choices.correspondence.weighting(kernel);
        self
    }

    /// The weight of a neighbour by a closure of its distance.
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

    /// Where the levels begin.
    #[must_use]
    pub fn thresholds(mut self, thresholds: Thresholds) -> Self {
        self.choices.correspondence = self.choices.correspondence.thresholds(thresholds);
        self
    }

    /// The name of a class.
    #[must_use]
    pub fn class_name(mut self, label: i64, name: impl Into<Arc<str>>) -> Self {
        self.disclosure.class_names.insert(label, name.into());
        self
    }

    /// The names of the features, one each and all different; `feature_0`, `feature_1`, … unless
    /// given.
    #[must_use]
    pub fn feature_names<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.disclosure.feature_names = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// What is known of the training rows beside their features: a column with one value per
    /// row.
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

    /// Redacts a feature or a metadata column: none of its values leaves the explainer.
    ///
    /// This is what redaction means, here and on the command line. A value of a redacted column is
    ///
    /// - in no explanation, aggregate or audit, and so in none of their texts, JSON and tables;
    /// - in no error: one about a cell of a redacted feature, or about a whole row, of training rows
    ///   or of samples says where it is and what was expected, and not what is there. What the
    ///   closures of a model or a similarity say in their own errors is the caller's to decide;
    /// - in a stored explainer only if it is a feature, which distances need, and if the caller allows it
    ///   ([`SaveOptions::store_redacted`](crate::explainer::SaveOptions::store_redacted)). Redacted metadata is dropped when
    ///   the explainer is fitted.
    ///
    /// The name of the column is no secret, and a redacted feature still decides who is near. So
    /// distances remain: with all other features of a case, and the scale, one can compute what a
    /// redacted one contributed. Where that matters, use [`aggregate_only`](Self::aggregate_only). The
    /// classes of the neighbours are the explanation, and cannot be redacted.
    #[must_use]
    pub fn redact(mut self, column: impl Into<String>) -> Self {
        self.disclosure.redacted.push(column.into());
        self
    }

    /// Releases only shares of classes and the range of distances of the neighbours, never a
    /// training row: [`CaseExplainer::aggregate`] instead of explanations, refused where the
    /// neighbours are fewer than `minimum` distinct training rows, at least 2.
    ///
    /// A minimum near `k` keeps single persons out of sight; it is no guarantee against somebody
    /// who may ask as often as they like: the least distance is that of one row, and enough of them
    /// locate it.
    #[must_use]
    pub fn aggregate_only(mut self, minimum: usize) -> Self {
        self.disclosure.aggregate_minimum = Some(minimum);
        self
    }

    /// Fits the explainer to `(n, d)` training rows and their `(n,)` classes.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for `k = 0`, a distance,
    /// engine, kernel, class weight or minimum outside its domain, a redacted column that does not
    /// exist; [`ErrorKind::Empty`](xai_core::ErrorKind::Empty) without rows or features;
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) when labels or a metadata
    /// column are not one per row, or names not one per feature;
    /// [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite);
    /// [`ErrorKind::TooFew`](xai_core::ErrorKind::TooFew) rows for a covariance, and
    /// [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) with the feature that makes it
    /// singular, for [`RowDistance::Mahalanobis`];
    /// [`ErrorKind::Model`](xai_core::ErrorKind::Model) when the closure of the similarity fails.
    pub fn fit<T: Real, L: Label>(
        self,
        train: ArrayView2<'_, T>,
        labels: &[L],
    ) -> Result<CaseExplainer> {
        let labels = labels_to_i64(input::LABELS, labels.iter().copied())?;
        self.fit_matrix(Matrix::from_array(train.mapv(Real::to_f64_exact)), labels)
    }

    /// As [`fit`](Self::fit), on rows that are given away: nothing is copied. For training sets of
    /// which there is only room for one.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_owned<L: Label>(self, train: Array2<f64>, labels: &[L]) -> Result<CaseExplainer> {
        let labels = labels_to_i64(input::LABELS, labels.iter().copied())?;
        self.fit_matrix(Matrix::from_array(train), labels)
    }

    /// With choices that come from elsewhere, for rows that are near in features.
    #[cfg(feature = "persistence")]
    pub(crate) fn of_features(choices: Choices, disclosure: DisclosureChoices) -> Self {
        Self {
            choices,
            disclosure,
            similarity: Similarity::Features,
        }
    }

    pub(crate) fn fit_matrix(self, train: Matrix, labels: Vec<i64>) -> Result<CaseExplainer> {
        self.check_params()?;
        let correspondence = self.choices.checked()?;
        self.similarity.check()?;
        let (n, d) = (train.n_rows(), train.n_columns());
        check_filled(&train)?;
        check_shape(input::LABELS, &[n], &[labels.len()])?;
        let disclosure = Disclosure::new(self.disclosure, n, d)?;
        check_finite(input::TRAIN, train.view()).map_err(|e| disclosure.name_column(e))?;
        let standardization = self.choices.scale.then(|| Standardization::of(&train));
        let standardization = standardization.transpose();
        let standardization = standardization
            .map_err(|e| disclosure.conceal(e))?
            .map(Arc::new);
        let distance = match self.choices.distance.clone() {
            RowDistance::Of(distance) => distance,
            RowDistance::Mahalanobis => mahalanobis(&train, standardization.as_deref())
                .map_err(|e| disclosure.conceal(e))?,
        };
        let train = Arc::new(train);
        let kind = self.similarity.kind();
        let fitting = Fitting {
            train: &train,
            standardization: standardization.as_ref(),
            distance: &distance,
            engine: self.choices.engine,
            k: self.choices.k,
        };
        let retrieval = parallel::with_work_size(16 * n * d, || self.similarity.fit(fitting));
        let retrieval = retrieval.map_err(|e| disclosure.conceal(e))?;
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

/// The Mahalanobis distance of rows as they are compared.
fn mahalanobis(train: &Matrix, standardization: Option<&Standardization>) -> Result<Distance> {
    let distance = match standardization {
        Some(standardization) => {
            Mahalanobis::from_rows(standardization.apply(train.view())?.view())
        }
        None => Mahalanobis::from_rows(train.view()),
    };
    let distance = distance.map_err(|e| e.renamed(input::ROWS, input::TRAIN))?;
    Ok(Distance::Mahalanobis(distance))
}
