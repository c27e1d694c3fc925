//! Settings of a builder.

use std::collections::BTreeMap;
use std::sync::Arc;

use xai_core::describe::{Parameter, Parameters};
use xai_core::{Distance, Result};
use xai_neighbors::{CustomDistance, Engine};

use crate::correspondence::class_weights::ClassWeights;
use crate::correspondence::metric::CorrespondenceMetric;
use crate::similarity::strategy::Similarity;
use crate::training::metadata::Metadata;

/// Settings of a [`CaseExplainer`](crate::CaseExplainer), which [`fit`](Self::fit) checks.
///
/// | setting | default |
/// |---|---|
/// | [`k`](Self::k) | 5 nearest cases |
/// | [`scale`](Self::scale) | standardised features |
/// | [`distance`](Self::distance), [`distance_with`](Self::distance_with) | Euclidean |
/// | [`weighting`](Self::weighting), [`weighting_with`](Self::weighting_with) | `1 / (d + 1)³` at distance `d`, which is 1 at distance 0; it is not `1 / d³` |
/// | [`class_weight`](Self::class_weight) | 1 for every class |
/// | [`thresholds`](Self::thresholds) | high from 0.85, medium from 0.70 |
/// | [`similarity`](Self::similarity) | distance between features |
/// | [`engine`](Self::engine) | the exact engine that does less work |
/// | [`provenance`](Self::provenance) | explanations show features and metadata of the cases |
/// | [`redact`](Self::redact), [`aggregate_only`](Self::aggregate_only) | nothing is hidden |
#[derive(Debug, Clone, Default, Parameters)]
pub struct CaseExplainerBuilder {
    #[param(flatten)]
    pub(crate) choices: Choices,
    #[param(flatten)]
    pub(super) disclosure: DisclosureChoices,
    #[param(skip)]
    pub(super) similarity: Similarity,
}

/// Settings of the search and the weights of cases.
#[derive(Debug, Clone, Parameters)]
#[params(of = CaseExplainerBuilder, at = choices)]
pub(crate) struct Choices {
    /// Number of neighbours per sample; all training rows if there are fewer.
    #[param(at_least = 1, default = 5)]
    pub(crate) k: usize,
    /// Distance between a sample and a training row.
    #[param(into, default = Distance::default().into())]
    pub(crate) distance: RowDistance,
    /// Search engine for the neighbours; exact engines differ in cost only.
    ///
    /// [`Engine::Auto`], the default, chooses for the `k` of this builder. The chosen engine is in
    /// [`TrainingInfo::engine`](crate::TrainingInfo::engine).
    #[param(default = Engine::Auto)]
    pub(crate) engine: Engine,
    /// Whether features are standardised with the mean and standard deviation of the training rows.
    #[param(default = true)]
    pub(crate) scale: bool,
    /// Weighting and thresholds. [`correspondence_metric`](Self::correspondence_metric) adds the class weights.
    #[param(flatten, default = CorrespondenceMetric::new())]
    pub(crate) correspondence: CorrespondenceMetric,
    #[param(skip)]
    pub(crate) class_weights: Vec<(i64, f64)>,
}

/// A distance that is fixed, computed from the training rows, or the caller's own.
#[derive(Debug, Clone, PartialEq, Parameter)]
#[param(name = "distance")]
#[non_exhaustive]
pub enum RowDistance {
    /// A distance that does not depend on the training rows.
    #[param(plain)]
    Fixed(Distance),
    /// Mahalanobis distance with the sample covariance of the training rows.
    ///
    /// Standardising the features changes this distance only by rounding.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::{CaseExplainer, RowDistance};
    /// let train = array![[0.0, 0.0], [2.0, 0.1], [0.0, 1.0], [2.0, 1.3]];
    /// let builder = CaseExplainer::builder().k(1).distance(RowDistance::Mahalanobis);
    /// let explainer = builder.fit(train.view(), &[0, 0, 1, 1])?;
    /// assert_eq!(explainer.training_info().distance, "mahalanobis");
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    Mahalanobis,
    /// The caller's own distance, see [`CaseExplainerBuilder::distance_with`].
    #[param(skip)]
    Custom(CustomDistance),
}

impl From<Distance> for RowDistance {
    fn from(distance: Distance) -> Self {
        Self::Fixed(distance)
    }
}

impl From<CustomDistance> for RowDistance {
    fn from(distance: CustomDistance) -> Self {
        Self::Custom(distance)
    }
}

impl RowDistance {
    /// The caller's own distance, if it is one.
    pub(crate) fn custom(&self) -> Option<&CustomDistance> {
        match self {
            Self::Custom(distance) => Some(distance),
            Self::Fixed(_) | Self::Mahalanobis => None,
        }
    }
}

impl Choices {
    /// Creates the metric with the class weights, and checks the settings that are not just the range of one parameter.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for a setting outside its
    /// domain.
    pub(crate) fn correspondence_metric(&self) -> Result<CorrespondenceMetric> {
        self.engine.check()?;
        let class_weights = ClassWeights::new(self.class_weights.iter().copied())?;
        let correspondence = self.correspondence.clone().class_weights(class_weights);
        correspondence.check()?;
        Ok(correspondence)
    }
}

/// Settings of what explanations show, and the names in them.
#[derive(Debug, Clone, Parameters)]
pub(crate) struct DisclosureChoices {
    #[param(skip, default = true)]
    pub(crate) provenance: bool,
    #[param(skip)]
    pub(crate) class_names: BTreeMap<i64, Arc<str>>,
    #[param(skip)]
    pub(crate) feature_names: Option<Vec<String>>,
    #[param(skip)]
    pub(crate) metadata: Metadata,
    #[param(skip)]
    pub(crate) redacted: Vec<String>,
    /// Release only class shares and the range of distances, never training rows, and only for neighbours with at
    /// least this number of distinct rows: the aggregate of a single row would reveal it.
    #[param(
        name = "aggregate_only",
        no_setter,
        at_least = 2,
        none = "off",
        none_doc = "Explanations show training rows."
    )]
    pub(crate) aggregate_minimum: Option<usize>,
}

impl DisclosureChoices {
    /// Names of all features, including redacted ones.
    pub(crate) fn all_feature_names(&self, n_features: usize) -> Vec<String> {
        self.feature_names
            .clone()
            .unwrap_or_else(|| (0..n_features).map(|i| format!("feature_{i}")).collect())
    }
}
