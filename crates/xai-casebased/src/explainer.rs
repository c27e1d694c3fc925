//! From training rows to explanations.

use std::collections::BTreeMap;
use std::sync::Arc;

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use xai_core::{Error, Kernel, Label, Metric, Real, Result, Weighting, check_finite, parallel};

use crate::correspondence::Tally;
use crate::metadata::Metadata;
use crate::retrieval::{ClosureError, Retrieval, Samples};
use crate::training_rows::TrainingRows;
use crate::tree_leaf::check_row_count;
use crate::{
    AggregateExplanation, BruteForce, Case, ClassWeights, CorrespondenceMetric, Engine,
    Explanation, KdTree, MetadataColumn, Nearest, NeighborSearch, Similarity, Standardization,
    Thresholds, TrainingInfo,
};

/// Explains predictions by the nearest training cases: scaling, search, correspondence.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::{CaseExplainer, Level};
/// let train = array![[0.0, 1.0], [0.2, 0.9], [4.0, 5.0], [4.2, 5.1]];
/// let explainer = CaseExplainer::builder()
///     .k(2)
///     .class_name(1, "late")
///     .metadata("station", vec!["Ulm", "Bonn", "Ulm", "Jena"])
///     .fit(train.view(), &[0, 0, 1, 1])?;
/// let explanation = explainer.explain(array![4.1, 5.0].view(), 1)?;
/// assert_eq!(explanation.correspondence.score, Some(1.0));
/// assert_eq!(explanation.neighbors[0].features, [4.0, 5.0]);
/// assert!(explanation.to_string().contains("Predicted class: late (1)"));
/// assert!(explanation.to_string().contains("station: Jena"));
/// let wrong = explainer.explain(array![4.1, 5.0].view(), 0)?;
/// assert_eq!(wrong.level(), Level::Low);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
pub struct CaseExplainer {
    retrieval: Box<dyn Retrieval>,
    standardization: Option<Arc<Standardization>>,
    original: Arc<Array2<f64>>,
    labels: Vec<i64>,
    correspondence: CorrespondenceMetric,
    /// The choices that need no preparation, and those that storage needs again.
    choices: Choices,
    /// Of the features that explanations may show.
    shown_features: Vec<usize>,
    shown_names: Arc<[String]>,
    /// Of the metadata columns that explanations may show.
    shown_metadata: Vec<usize>,
    similarity: &'static str,
    engine: Engine,
    recall: Option<f64>,
}

/// What a builder was told, without its closures.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Choices {
    pub(crate) k: usize,
    pub(crate) metric: Metric,
    pub(crate) engine: Engine,
    pub(crate) scale: bool,
    pub(crate) provenance: bool,
    /// `None` for a closure.
    pub(crate) kernel: Option<Kernel>,
    pub(crate) class_weights: Vec<(i64, f64)>,
    pub(crate) thresholds: (f64, f64),
    pub(crate) class_names: BTreeMap<i64, Arc<str>>,
    pub(crate) feature_names: Option<Vec<String>>,
    pub(crate) metadata: Metadata,
    pub(crate) redacted: Vec<String>,
    pub(crate) aggregate_minimum: Option<usize>,
}

impl std::fmt::Debug for CaseExplainer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CaseExplainer")
            .field("n_rows", &self.original.nrows())
            .field("n_features", &self.original.ncols())
            .field("k", &self.choices.k)
            .field("metric", &self.choices.metric)
            .field("similarity", &self.similarity)
            .field("engine", &self.engine)
            .field("correspondence", &self.correspondence)
            .finish_non_exhaustive()
    }
}

/// The choices of a [`CaseExplainer`]; checked by [`fit`](Self::fit).
///
/// Default: 5 neighbours, Euclidean distance on standardised features, inverse-cube weights.
#[derive(Debug, Clone)]
pub struct CaseExplainerBuilder {
    choices: Choices,
    similarity: Similarity,
    correspondence: CorrespondenceMetric,
}

impl CaseExplainerBuilder {
    /// How many neighbours to ask, at least 1; more than there are means all.
    #[must_use]
    pub fn k(mut self, k: usize) -> Self {
        self.choices.k = k;
        self
    }

    /// The distance.
    #[must_use]
    pub fn metric(mut self, metric: Metric) -> Self {
        self.choices.metric = metric;
        self
    }

    /// How neighbours are searched; exact engines differ in cost only.
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.choices.engine = engine;
        self
    }

    /// What makes rows similar; features unless chosen otherwise.
    #[must_use]
    pub fn similarity(mut self, similarity: impl Into<Similarity>) -> Self {
        self.similarity = similarity.into();
        self
    }

    /// Whether features are standardised on the training set first (the default).
    #[must_use]
    pub fn scale(mut self, scale: bool) -> Self {
        self.choices.scale = scale;
        self
    }

    /// Whether explanations carry the features and metadata of the neighbours (the default).
    #[must_use]
    pub fn provenance(mut self, provenance: bool) -> Self {
        self.choices.provenance = provenance;
        self
    }

    /// The weight of a neighbour by its distance.
    #[must_use]
    pub fn weighting(mut self, kernel: Kernel) -> Self {
        self.choices.kernel = Some(kernel);
        self
    }

    /// The weight of a neighbour by a closure of its distance.
    #[must_use]
    pub fn weighting_with(mut self, weighting: impl Weighting + 'static) -> Self {
        self.choices.kernel = None;
        self.correspondence = self.correspondence.weighting_with(weighting);
        self
    }

    /// What a class counts; one without a weight counts 1.
    #[must_use]
    pub fn class_weight(mut self, label: i64, weight: f64) -> Self {
        self.choices.class_weights.push((label, weight));
        self
    }

    /// Where the levels begin.
    #[must_use]
    pub fn thresholds(mut self, thresholds: Thresholds) -> Self {
        self.choices.thresholds = (thresholds.high(), thresholds.medium());
        self
    }

    /// The name of a class.
    #[must_use]
    pub fn class_name(mut self, label: i64, name: impl Into<Arc<str>>) -> Self {
        self.choices.class_names.insert(label, name.into());
        self
    }

    /// The names of the features, one each and all different; `feature_0`, `feature_1`, … unless
    /// given.
    #[must_use]
    pub fn feature_names<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.choices.feature_names = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// What is known of the training rows beside their features: a column with one value a row.
    #[must_use]
    pub fn metadata(
        mut self,
        name: impl Into<Arc<str>>,
        column: impl Into<MetadataColumn>,
    ) -> Self {
        let columns = &mut self.choices.metadata.columns;
        columns.push((name.into(), column.into()));
        self
    }

    /// Keeps the values of a feature or metadata column out of every explanation, and so out of
    /// its text and JSON. A redacted feature still decides who is near.
    ///
    /// Distances remain: who knows all other features of a case, and the scale, can reckon what a
    /// redacted one contributed. Where that matters, use [`aggregate_only`](Self::aggregate_only).
    #[must_use]
    pub fn redact(mut self, column: impl Into<String>) -> Self {
        self.choices.redacted.push(column.into());
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
        self.choices.aggregate_minimum = Some(minimum);
        self
    }

    /// Fits the explainer to `(n, d)` training rows and their `(n,)` classes.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for `k = 0`, a metric, kernel, class weight or minimum outside
    /// its domain, a redacted column that does not exist; [`Error::Empty`] without rows or
    /// features; [`Error::ShapeMismatch`] when labels or a metadata column are not one a row, or
    /// names not one a feature; [`Error::NonFinite`]; [`Error::Model`] when the closure of the
    /// similarity fails.
    pub fn fit<T: Real, L: Label>(
        self,
        train: ArrayView2<'_, T>,
        labels: &[L],
    ) -> Result<CaseExplainer> {
        let labels = xai_core::labels_to_i64("labels", labels.iter().copied())?;
        self.fit_rows(Arc::new(train.mapv(Real::to_f64_exact)), labels)
    }

    /// As [`fit`](Self::fit), on rows that are given away: nothing is copied. For training sets of
    /// which there is only room for one.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_owned<L: Label>(self, train: Array2<f64>, labels: &[L]) -> Result<CaseExplainer> {
        let labels = xai_core::labels_to_i64("labels", labels.iter().copied())?;
        self.fit_rows(Arc::new(train), labels)
    }

    pub(crate) fn fit_rows(
        self,
        train: Arc<Array2<f64>>,
        labels: Vec<i64>,
    ) -> Result<CaseExplainer> {
        let choices = self.choices;
        if choices.k == 0 {
            return Err(Error::parameter("k", 0, "at least 1 neighbour"));
        }
        if let Some(minimum @ (0 | 1)) = choices.aggregate_minimum {
            return Err(Error::parameter(
                "minimum of distinct rows",
                minimum,
                "at least 2 training rows: the aggregate of one is that one",
            ));
        }
        if train.is_empty() {
            return Err(Error::empty(match train.nrows() {
                0 => "training rows",
                _ => "features",
            }));
        }
        if labels.len() != train.nrows() {
            return Err(Error::shape("labels", &[train.nrows()], &[labels.len()]));
        }
        let mut correspondence = self
            .correspondence
            .thresholds(Thresholds::new(choices.thresholds.0, choices.thresholds.1)?)
            .class_weights(ClassWeights::new(choices.class_weights.iter().copied())?);
        if let Some(kernel) = choices.kernel {
            correspondence = correspondence.weighting(kernel)?;
        }
        choices.metadata.validate(train.nrows())?;
        let shown = Shown::of(&choices, train.ncols())?;
        let standardization = choices
            .scale
            .then(|| Standardization::fit(train.view()).map(Arc::new))
            .transpose()?;
        check_row_count(train.nrows())?;
        let (metric, engine) = (&choices.metric, choices.engine);
        let mut resolved = engine;
        let similarity = self.similarity.name();
        let check = || -> Result<()> {
            metric.validate()?;
            check_finite("train", train.view())
        };
        let scaled = || -> Result<Array2<f64>> {
            check()?;
            match &standardization {
                Some(s) => s.apply(train.view()),
                None => Ok(train.as_ref().clone()),
            }
        };
        let retrieval: Box<dyn Retrieval> = match self.similarity {
            Similarity::Features => {
                let rows = TrainingRows::new(train.clone(), standardization.clone(), metric)?;
                resolved = engine.resolve(rows.n_rows(), rows.n_features(), metric);
                Box::new(search_of_rows(rows, metric, engine)?)
            }
            Similarity::Embedding(embedding) => {
                let scaled = scaled()?;
                Box::new(embedding.fit(train.view(), scaled.view(), metric, engine)?)
            }
            Similarity::TreeLeaf(tree) => {
                let scaled = scaled()?;
                metric.check_rows("train", scaled.view())?;
                Box::new(tree.fit(train.view(), scaled, metric, engine)?)
            }
            Similarity::ForestProximity(forest) => {
                check()?;
                Box::new(forest.fit(train.view())?)
            }
        };
        Ok(CaseExplainer {
            recall: retrieval.recall(),
            retrieval,
            standardization,
            original: train,
            labels,
            correspondence,
            choices,
            shown_features: shown.features,
            shown_names: shown.names,
            shown_metadata: shown.metadata,
            similarity,
            engine: resolved,
        })
    }
}

/// What explanations may show.
struct Shown {
    features: Vec<usize>,
    names: Arc<[String]>,
    metadata: Vec<usize>,
}

impl Shown {
    fn of(choices: &Choices, n_features: usize) -> Result<Self> {
        let names = choices.all_feature_names(n_features);
        if names.len() != n_features {
            return Err(Error::shape("feature names", &[n_features], &[names.len()]));
        }
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::parameter(
                "feature name",
                twice[0],
                "one feature of that name",
            ));
        }
        let metadata = &choices.metadata.columns;
        for column in &choices.redacted {
            if !names.contains(column) && !metadata.iter().any(|(name, _)| **name == **column) {
                return Err(Error::parameter(
                    "redacted column",
                    column,
                    "the name of a feature or of a metadata column",
                ));
            }
        }
        let redacted = |name: &str| choices.redacted.iter().any(|r| r == name);
        let shown = |i: &usize| choices.provenance && !redacted(&names[*i]);
        let features: Vec<usize> = (0..n_features).filter(shown).collect();
        Ok(Self {
            names: features.iter().map(|&i| names[i].clone()).collect(),
            features,
            metadata: (0..metadata.len())
                .filter(|&i| choices.provenance && !redacted(&metadata[i].0))
                .collect(),
        })
    }
}

impl Choices {
    pub(crate) fn all_feature_names(&self, n_features: usize) -> Vec<String> {
        self.feature_names
            .clone()
            .unwrap_or_else(|| (0..n_features).map(|i| format!("feature_{i}")).collect())
    }

    pub(crate) fn into_builder(self) -> CaseExplainerBuilder {
        CaseExplainerBuilder {
            choices: self,
            similarity: Similarity::Features,
            correspondence: CorrespondenceMetric::default(),
        }
    }
}

/// The search over rows that are ready to be compared.
pub(crate) fn search_of(
    rows: Array2<f64>,
    metric: &Metric,
    engine: Engine,
) -> Result<Box<dyn NeighborSearch>> {
    search_of_rows(
        TrainingRows::new(Arc::new(rows), None, metric)?,
        metric,
        engine,
    )
}

fn search_of_rows(
    rows: TrainingRows,
    metric: &Metric,
    engine: Engine,
) -> Result<Box<dyn NeighborSearch>> {
    Ok(
        match engine.resolve(rows.n_rows(), rows.n_features(), metric) {
            Engine::KdTree => Box::new(KdTree::of(rows, metric.clone())?),
            #[cfg(feature = "approximate")]
            Engine::Approximate(hnsw) => {
                Box::new(crate::ApproximateSearch::of(rows, metric.clone(), hnsw)?)
            }
            Engine::Auto | Engine::BruteForce => {
                Box::new(BruteForce::of_rows(rows, metric.clone())?)
            }
        },
    )
}

impl CaseExplainer {
    /// Starts with the default choices.
    #[must_use]
    pub fn builder() -> CaseExplainerBuilder {
        let thresholds = Thresholds::default();
        Choices {
            k: 5,
            metric: Metric::default(),
            engine: Engine::Auto,
            scale: true,
            provenance: true,
            kernel: Some(Kernel::default()),
            class_weights: Vec::new(),
            thresholds: (thresholds.high(), thresholds.medium()),
            class_names: BTreeMap::new(),
            feature_names: None,
            metadata: Metadata::default(),
            redacted: Vec::new(),
            aggregate_minimum: None,
        }
        .into_builder()
    }

    /// Explains one prediction for `(d,)` features.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for another number of features, [`Error::NonFinite`],
    /// [`Error::OutOfDomain`] where the metric is undefined for the sample, and [`Error::Refused`]
    /// by an explainer that only releases [aggregates](CaseExplainerBuilder::aggregate_only).
    pub fn explain<T: Real, L: Label>(
        &self,
        sample: ArrayView1<'_, T>,
        predicted: L,
    ) -> Result<Explanation> {
        let mut explanations = self.explain_batch(sample.insert_axis(Axis(0)), &[predicted])?;
        explanations.pop().ok_or_else(|| Error::empty("samples"))
    }

    /// Explains a prediction for each of `(m, d)` samples, in parallel.
    ///
    /// # Errors
    /// As [`explain`](Self::explain); [`Error::Empty`] without samples.
    pub fn explain_batch<T: Real, L: Label>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: &[L],
    ) -> Result<Vec<Explanation>> {
        let predicted = xai_core::labels_to_i64("predicted", predicted.iter().copied())?;
        self.explanations(samples, Some(&predicted))
    }

    /// Explains what a model predicts for each of `(m, d)` samples: the closure is given all of
    /// them and returns `(m,)` classes.
    ///
    /// # Errors
    /// As [`explain_batch`](Self::explain_batch); [`Error::Model`] with the model's own error as
    /// source, [`Error::ShapeMismatch`] when it does not return one class a sample.
    ///
    /// ```
    /// use ndarray::{ArrayView2, array};
    /// use xai_casebased::CaseExplainer;
    /// let model = |rows: ArrayView2<f64>| {
    ///     Ok::<_, std::convert::Infallible>(rows.rows().into_iter().map(|r| i32::from(r[0] > 2.0)).collect::<Vec<_>>())
    /// };
    /// let explainer = CaseExplainer::builder().k(1).fit(array![[1.0], [3.0]].view(), &[0, 1])?;
    /// let explanations = explainer.explain_with(array![[2.5], [0.0]].view(), model)?;
    /// assert_eq!(explanations[0].predicted, Some(1));
    /// assert_eq!(explanations[1].correspondence.score, Some(1.0));
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn explain_with<T: Real, L: Label, E: Into<ClosureError>>(
        &self,
        samples: ArrayView2<'_, T>,
        model: impl FnOnce(ArrayView2<'_, T>) -> Result<Vec<L>, E>,
    ) -> Result<Vec<Explanation>> {
        self.check_release()?;
        self.check_samples(samples, None)?;
        let predicted = model(samples)
            .map_err(|e| Error::model(format!("samples 0..{}", samples.nrows()), e))?;
        self.explain_batch(samples, &predicted)
    }

    /// Explains the class that the neighbours themselves vote for: that of the largest weight,
    /// the lower label of several; a sample whose neighbours all weigh 0 elects nobody, and its
    /// `predicted` is `None`.
    ///
    /// # Errors
    /// As [`explain_batch`](Self::explain_batch).
    pub fn explain_votes<T: Real>(&self, samples: ArrayView2<'_, T>) -> Result<Vec<Explanation>> {
        self.explanations(samples, None)
    }

    /// What may be said of each sample without showing a training row: the correspondence, the
    /// shares of the classes and the range of the distances of its neighbours.
    ///
    /// A sample whose neighbours are fewer than the minimum of distinct training rows (see
    /// [`aggregate_only`](CaseExplainerBuilder::aggregate_only); 1 unless chosen) is
    /// [`Error::Refused`]; the others are answered. `predicted` is `None` for a vote.
    ///
    /// # Errors
    /// As [`explain_batch`](Self::explain_batch), for the batch.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::CaseExplainer;
    /// // Two of the three nearest rows are one person, entered twice.
    /// let train = array![[1.0], [1.0], [2.0], [3.0], [9.0]];
    /// let explainer = CaseExplainer::builder().k(3).aggregate_only(3).fit(train.view(), &[0, 0, 0, 1, 1])?;
    /// let released = explainer.aggregate(array![[1.0], [3.0]].view(), Some(&[0, 1]))?;
    /// assert!(released[0].as_ref().unwrap_err().to_string().contains("2 distinct training rows"));
    /// assert_eq!(released[1].as_ref().unwrap().class_shares[&1], 1.0 / 3.0);
    /// assert!(explainer.explain(array![1.0].view(), 0).is_err()); // no rows, ever
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn aggregate<T: Real>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: Option<&[i64]>,
    ) -> Result<Vec<Result<AggregateExplanation>>> {
        let minimum = self.choices.aggregate_minimum.unwrap_or(1);
        self.each_sample(samples, predicted, |sample, predicted, nearest, tally| {
            let distinct = self.distinct_rows(nearest);
            if distinct < minimum {
                return Err(Error::Refused {
                    what: format!("aggregate of sample {sample}").into(),
                    why: format!(
                        "its neighbours are {distinct} distinct training rows, and fewer than \
                         {minimum} could be traced to persons; ask more neighbours (k)"
                    )
                    .into(),
                });
            }
            Ok(AggregateExplanation::new(
                sample,
                predicted,
                &tally.correspondence(predicted, self.correspondence.level_thresholds()),
                nearest.iter().map(|n| (n.distance, self.labels[n.index])),
                distinct,
            ))
        })
    }

    /// The same explanations with the true classes and their names, so that they can tell right
    /// from wrong.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when there is not one label an explanation.
    pub fn with_truth<L: Label>(
        &self,
        explanations: Vec<Explanation>,
        truth: &[L],
    ) -> Result<Vec<Explanation>> {
        let mut explanations = Explanation::with_truth(explanations, truth)?;
        for explanation in &mut explanations {
            explanation.truth_name = explanation.truth.and_then(|truth| self.name(truth));
        }
        Ok(explanations)
    }

    /// What the explainer was fitted to, and how.
    #[must_use]
    pub fn training_info(&self) -> TrainingInfo {
        let mut class_counts = BTreeMap::new();
        for &label in &self.labels {
            *class_counts.entry(label).or_insert(0) += 1;
        }
        TrainingInfo {
            n_rows: self.original.nrows(),
            n_features: self.original.ncols(),
            class_counts,
            class_names: self.choices.class_names.clone(),
            feature_names: self.choices.all_feature_names(self.original.ncols()),
            metadata_names: self
                .choices
                .metadata
                .columns
                .iter()
                .map(|(name, _)| name.clone())
                .collect(),
            redacted: self.choices.redacted.clone(),
            aggregate_minimum: self.choices.aggregate_minimum,
            k: self.choices.k,
            metric: self.choices.metric.to_string(),
            scaled: self.standardization.is_some(),
            similarity: self.similarity,
            engine: self.engine,
            recall: self.recall,
        }
    }

    #[cfg(feature = "persistence")]
    pub(crate) fn stored_parts(&self) -> (&Choices, &Array2<f64>, &[i64], &'static str) {
        (&self.choices, &self.original, &self.labels, self.similarity)
    }

    fn check_samples<T: Real>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: Option<&[i64]>,
    ) -> Result<()> {
        let (m, d) = samples.dim();
        if m == 0 {
            return Err(Error::empty("samples"));
        }
        let expected = self.original.ncols();
        if d != expected {
            return Err(Error::shape("samples", &[m, expected], &[m, d]));
        }
        if let Some(predicted) = predicted.filter(|p| p.len() != m) {
            return Err(Error::shape("predicted", &[m], &[predicted.len()]));
        }
        check_finite("samples", samples)
    }

    fn explanations<T: Real>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: Option<&[i64]>,
    ) -> Result<Vec<Explanation>> {
        self.check_release()?;
        self.each_sample(samples, predicted, |sample, predicted, nearest, tally| {
            self.explanation(sample, predicted, nearest, tally)
        })
    }

    /// Whether training rows may be shown.
    fn check_release(&self) -> Result<()> {
        match self.choices.aggregate_minimum {
            None => Ok(()),
            Some(minimum) => Err(Error::Refused {
                what: "explanations".into(),
                why: format!(
                    "they show training rows, and this explainer only releases aggregates of at \
                     least {minimum} of them; ask for `aggregate`"
                )
                .into(),
            }),
        }
    }

    /// Finds the neighbours of every sample and makes something of them, in parallel.
    fn each_sample<T: Real, R: Send>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: Option<&[i64]>,
        make: impl Fn(usize, Option<i64>, &[Nearest], &Tally) -> R + Send + Sync,
    ) -> Result<Vec<R>> {
        self.check_samples(samples, predicted)?;
        let samples = samples.mapv(Real::to_f64_exact);
        let scaled = match &self.standardization {
            Some(s) => Some(s.apply(samples.view())?),
            None => None,
        };
        let found = self
            .retrieval
            .nearest(
                Samples {
                    original: samples.view(),
                    scaled: scaled.as_ref().map_or_else(|| samples.view(), |s| s.view()),
                    predicted,
                },
                self.choices.k,
            )
            .map_err(of_samples)?;
        parallel::try_map(found.len(), |sample| {
            let nearest = &found[sample];
            let tally = self
                .correspondence
                .tally(nearest.iter().map(|n| (n.distance, self.labels[n.index])))?;
            let predicted = match predicted {
                Some(predicted) => Some(predicted[sample]),
                None => tally.vote(),
            };
            Ok(make(sample, predicted, nearest, &tally))
        })
    }

    fn explanation(
        &self,
        sample: usize,
        predicted: Option<i64>,
        nearest: &[Nearest],
        tally: &Tally,
    ) -> Explanation {
        let neighbors = nearest
            .iter()
            .map(|n| {
                let row = self.original.row(n.index);
                Case {
                    index: n.index,
                    distance: n.distance,
                    label: self.labels[n.index],
                    class_name: self.name(self.labels[n.index]),
                    features: self.shown_features.iter().map(|&i| row[i]).collect(),
                    metadata: self
                        .shown_metadata
                        .iter()
                        .map(|&i| {
                            let (name, column) = &self.choices.metadata.columns[i];
                            (name.clone(), column.value(n.index))
                        })
                        .collect(),
                }
            })
            .collect();
        Explanation {
            sample,
            predicted,
            predicted_name: predicted.and_then(|label| self.name(label)),
            truth: None,
            truth_name: None,
            correspondence: tally.correspondence(predicted, self.correspondence.level_thresholds()),
            neighbors,
            feature_names: self.shown_names.clone(),
            recall: self.recall,
        }
    }

    fn name(&self, label: i64) -> Option<Arc<str>> {
        self.choices.class_names.get(&label).cloned()
    }

    /// How many of the neighbours differ in some feature.
    fn distinct_rows(&self, nearest: &[Nearest]) -> usize {
        let mut rows: Vec<Vec<u64>> = nearest
            .iter()
            .map(|n| {
                let row = self.original.row(n.index);
                // Adding 0 makes one of the two zeros.
                row.iter().map(|x| (x + 0.0).to_bits()).collect()
            })
            .collect();
        rows.sort_unstable();
        rows.dedup();
        rows.len()
    }
}

/// The caller speaks of samples where a search speaks of queries.
fn of_samples(error: Error) -> Error {
    match error {
        Error::OutOfDomain {
            what,
            index,
            value,
            expected,
        } => Error::OutOfDomain {
            what: match &*what {
                "queries" => "samples".into(),
                "distance of query" => "distance of sample".into(),
                _ => what,
            },
            index,
            value,
            expected,
        },
        Error::NonFinite { what, index } if what.starts_with("queries") => Error::NonFinite {
            what: what.replace("queries", "samples (scaled)").into(),
            index,
        },
        other => other,
    }
}
