//! What a builder was told.

use std::collections::BTreeMap;
use std::sync::Arc;

use xai_core::describe::{Parameter, Parameters};
use xai_core::{Distance, Result};

use crate::correspondence::class_weights::ClassWeights;
use crate::correspondence::metric::CorrespondenceMetric;
use crate::search::engine::Engine;
use crate::similarity::strategy::Similarity;
use crate::training::metadata::Metadata;

/// The choices of a [`CaseExplainer`](crate::CaseExplainer); checked by [`fit`](Self::fit).
///
/// Default: 5 neighbours, Euclidean distance on standardised features, inverse-cube weights.
#[derive(Debug, Clone, Default, Parameters)]
pub struct CaseExplainerBuilder {
    #[param(flatten)]
    pub(crate) choices: Choices,
    #[param(flatten)]
    pub(super) disclosure: DisclosureChoices,
    #[param(skip)]
    pub(super) similarity: Similarity,
}

/// How neighbours are searched and weighted.
#[derive(Debug, Clone, Parameters)]
#[params(of = CaseExplainerBuilder, at = choices)]
pub(crate) struct Choices {
    /// How many neighbours are asked; more than there are means all.
    #[param(at_least = 1, default = 5)]
    pub(crate) k: usize,
    /// The distance of a sample from a training row.
    #[param(into, default = Distance::default().into())]
    pub(crate) distance: RowDistance,
    /// How neighbours are searched; exact engines differ in cost only.
    ///
    /// [`Engine::Auto`], the default, chooses for the `k` of this builder, see there; what it became is in
    /// [`TrainingInfo::engine`](crate::TrainingInfo::engine).
    #[param(default = Engine::Auto)]
    pub(crate) engine: Engine,
    /// Whether features are taken in units of their spread in the training rows.
    #[param(default = true)]
    pub(crate) scale: bool,
    /// Weighting and thresholds; class weights join them in [`checked`](Self::checked).
    #[param(flatten, default = CorrespondenceMetric::new())]
    pub(crate) correspondence: CorrespondenceMetric,
    #[param(skip)]
    pub(crate) class_weights: Vec<(i64, f64)>,
}

/// A distance, or one that is made of the training rows.
#[derive(Debug, Clone, PartialEq, Parameter)]
#[param(name = "distance")]
pub enum RowDistance {
    /// A distance that is known before the training rows are.
    #[param(plain)]
    Of(Distance),
    /// Distance in units of the training rows' own spread, correlations taken out: by their sample covariance.
    ///
    /// Standardising first changes nothing but the rounding of its values.
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
}

impl From<Distance> for RowDistance {
    fn from(distance: Distance) -> Self {
        Self::Of(distance)
    }
}

impl Choices {
    /// The correspondence that the choices stand for, which are checked already but for what is not the
    /// range of one parameter.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for one outside its
    /// domain.
    pub(crate) fn checked(&self) -> Result<CorrespondenceMetric> {
        self.engine.check()?;
        let class_weights = ClassWeights::new(self.class_weights.iter().copied())?;
        let correspondence = self.correspondence.clone().class_weights(class_weights);
        correspondence.check()?;
        Ok(correspondence)
    }
}

/// What explanations may say, and in which names.
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
    /// Release only shares of classes and the range of distances, of at least so many distinct training rows, and
    /// never a row: the aggregate of one row would be that row.
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
    /// The names of all features, redacted ones included.
    pub(crate) fn all_feature_names(&self, n_features: usize) -> Vec<String> {
        self.feature_names
            .clone()
            .unwrap_or_else(|| (0..n_features).map(|i| format!("feature_{i}")).collect())
    }
}
