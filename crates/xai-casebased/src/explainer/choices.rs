//! What a builder was told.

use std::collections::BTreeMap;
use std::sync::Arc;

use xai_core::{Distance, Error, Result};

use crate::correspondence::class_weights::ClassWeights;
use crate::correspondence::metric::CorrespondenceMetric;
use crate::input;
use crate::search::engine::Engine;
use crate::training::metadata::Metadata;

/// How neighbours are searched and weighted.
#[derive(Debug, Clone)]
pub(crate) struct Choices {
    pub(crate) k: usize,
    pub(crate) distance: Distance,
    /// Whether the distance is made of the training rows when they are known.
    pub(crate) mahalanobis_of_train: bool,
    pub(crate) engine: Engine,
    pub(crate) scale: bool,
    /// Weighting and thresholds; class weights join them in [`checked`](Self::checked).
    pub(crate) correspondence: CorrespondenceMetric,
    pub(crate) class_weights: Vec<(i64, f64)>,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            k: 5,
            distance: Distance::default(),
            mahalanobis_of_train: false,
            engine: Engine::Auto,
            scale: true,
            correspondence: CorrespondenceMetric::new(),
            class_weights: Vec::new(),
        }
    }
}

impl Choices {
    /// Checks all parameters, and gives the correspondence that they stand for.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for one outside its
    /// domain.
    pub(crate) fn checked(&self) -> Result<CorrespondenceMetric> {
        if self.k == 0 {
            return Err(Error::parameter(input::K, 0, "at least 1 neighbour"));
        }
        self.distance.validate()?;
        self.engine.check()?;
        let class_weights = ClassWeights::new(self.class_weights.iter().copied())?;
        let correspondence = self.correspondence.clone().class_weights(class_weights);
        correspondence.check()?;
        Ok(correspondence)
    }
}

/// What explanations may say, and in which names.
#[derive(Debug, Clone)]
pub(crate) struct DisclosureChoices {
    pub(crate) provenance: bool,
    pub(crate) class_names: BTreeMap<i64, Arc<str>>,
    pub(crate) feature_names: Option<Vec<String>>,
    pub(crate) metadata: Metadata,
    pub(crate) redacted: Vec<String>,
    pub(crate) aggregate_minimum: Option<usize>,
}

impl Default for DisclosureChoices {
    fn default() -> Self {
        Self {
            provenance: true,
            class_names: BTreeMap::new(),
            feature_names: None,
            metadata: Metadata::default(),
            redacted: Vec::new(),
            aggregate_minimum: None,
        }
    }
}

impl DisclosureChoices {
    /// The names of all features, redacted ones included.
    pub(crate) fn all_feature_names(&self, n_features: usize) -> Vec<String> {
        self.feature_names
            .clone()
            .unwrap_or_else(|| (0..n_features).map(|i| format!("feature_{i}")).collect())
    }
}
