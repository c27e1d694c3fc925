//! From training rows to explanations.

use std::collections::BTreeMap;

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use xai_core::{Error, Kernel, Label, Metric, Real, Result, Weighting, check_finite, parallel};

use crate::correspondence::Tally;
use crate::{
    BruteForce, Case, ClassWeights, CorrespondenceMetric, Explanation, Nearest, NeighborSearch,
    Standardization, Thresholds,
};

/// Explains predictions by the nearest training cases: scaling, exact search, correspondence.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::{CaseExplainer, Level};
/// let train = array![[0.0, 1.0], [0.2, 0.9], [4.0, 5.0], [4.2, 5.1]];
/// let explainer = CaseExplainer::builder().k(2).class_name(1, "late").fit(train.view(), &[0, 0, 1, 1])?;
/// let explanation = explainer.explain(array![4.1, 5.0].view(), 1)?;
/// assert_eq!(explanation.correspondence.score, Some(1.0));
/// assert_eq!(explanation.neighbors[0].features, [4.0, 5.0]);
/// assert!(explanation.to_string().contains("Predicted class: late (1)"));
/// let wrong = explainer.explain(array![4.1, 5.0].view(), 0)?;
/// assert_eq!(wrong.level(), Level::Low);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
pub struct CaseExplainer {
    search: Box<dyn NeighborSearch>,
    standardization: Option<Standardization>,
    original: Option<Array2<f64>>,
    labels: Vec<i64>,
    k: usize,
    metric: Metric,
    correspondence: CorrespondenceMetric,
    class_names: BTreeMap<i64, String>,
}

impl std::fmt::Debug for CaseExplainer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CaseExplainer")
            .field("n_rows", &self.search.n_rows())
            .field("n_features", &self.search.n_features())
            .field("k", &self.k)
            .field("metric", &self.metric)
            .field("correspondence", &self.correspondence)
            .finish_non_exhaustive()
    }
}

/// The choices of a [`CaseExplainer`]; checked by [`fit`](Self::fit).
///
/// Default: 5 neighbours, Euclidean distance on standardised features, inverse-cube weights.
#[derive(Debug, Clone)]
pub struct CaseExplainerBuilder {
    k: usize,
    metric: Metric,
    scale: bool,
    provenance: bool,
    kernel: Option<Kernel>,
    class_weights: Vec<(i64, f64)>,
    correspondence: CorrespondenceMetric,
    class_names: BTreeMap<i64, String>,
}

impl CaseExplainerBuilder {
    /// How many neighbours to ask, at least 1; more than there are means all.
    #[must_use]
    pub fn k(mut self, k: usize) -> Self {
        self.k = k;
        self
    }

    /// The distance.
    #[must_use]
    pub fn metric(mut self, metric: Metric) -> Self {
        self.metric = metric;
        self
    }

    /// Whether features are standardised on the training set first (the default).
    #[must_use]
    pub fn scale(mut self, scale: bool) -> Self {
        self.scale = scale;
        self
    }

    /// Whether explanations carry the features of the neighbours (the default).
    #[must_use]
    pub fn provenance(mut self, provenance: bool) -> Self {
        self.provenance = provenance;
        self
    }

    /// The weight of a neighbour by its distance.
    #[must_use]
    pub fn weighting(mut self, kernel: Kernel) -> Self {
        self.kernel = Some(kernel);
        self
    }

    /// The weight of a neighbour by a closure of its distance.
    #[must_use]
    pub fn weighting_with(mut self, weighting: impl Weighting + 'static) -> Self {
        self.kernel = None;
        self.correspondence = self.correspondence.weighting_with(weighting);
        self
    }

    /// What a class counts; one without a weight counts 1.
    #[must_use]
    pub fn class_weight(mut self, label: i64, weight: f64) -> Self {
        self.class_weights.push((label, weight));
        self
    }

    /// Where the levels begin.
    #[must_use]
    pub fn thresholds(mut self, thresholds: Thresholds) -> Self {
        self.correspondence = self.correspondence.thresholds(thresholds);
        self
    }

    /// The name of a class.
    #[must_use]
    pub fn class_name(mut self, label: i64, name: impl Into<String>) -> Self {
        self.class_names.insert(label, name.into());
        self
    }

    /// Fits the explainer to `(n, d)` training rows and their `(n,)` classes.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for `k = 0`, a metric, kernel or class weight outside its
    /// domain; [`Error::Empty`] without rows or features; [`Error::ShapeMismatch`] when the labels
    /// are not one a row; [`Error::NonFinite`].
    pub fn fit<T: Real, L: Label>(
        self,
        train: ArrayView2<'_, T>,
        labels: &[L],
    ) -> Result<CaseExplainer> {
        if self.k == 0 {
            return Err(Error::parameter("k", 0, "at least 1 neighbour"));
        }
        if labels.len() != train.nrows() {
            return Err(Error::shape("labels", &[train.nrows()], &[labels.len()]));
        }
        let labels = xai_core::labels_to_i64("labels", labels.iter().copied())?;
        let train = train.mapv(Real::to_f64_exact);
        let mut correspondence = self
            .correspondence
            .class_weights(ClassWeights::new(self.class_weights)?);
        if let Some(kernel) = self.kernel {
            correspondence = correspondence.weighting(kernel)?;
        }
        let standardization = self
            .scale
            .then(|| Standardization::fit(train.view()))
            .transpose()?;
        let search = match &standardization {
            Some(s) => crate::KdTree::new(s.apply(train.view())?.view(), self.metric.clone())?,
            None => crate::KdTree::new(train.view(), self.metric.clone())?,
        };
        Ok(CaseExplainer {
            search: Box::new(search),
            standardization,
            original: self.provenance.then_some(train),
            labels,
            k: self.k,
            metric: self.metric,
            correspondence,
            class_names: self.class_names,
        })
    }
}

impl CaseExplainer {
    /// Starts with the default choices.
    #[must_use]
    pub fn builder() -> CaseExplainerBuilder {
        CaseExplainerBuilder {
            k: 5,
            metric: Metric::default(),
            scale: true,
            provenance: true,
            kernel: None,
            class_weights: Vec::new(),
            correspondence: CorrespondenceMetric::default(),
            class_names: BTreeMap::new(),
        }
    }

    /// Explains one prediction for `(d,)` features.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for another number of features, [`Error::NonFinite`], and
    /// [`Error::OutOfDomain`] where the metric is undefined for the sample.
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

    /// Explains the class that the neighbours themselves vote for: that of the largest weight,
    /// the lower label of several.
    ///
    /// # Errors
    /// As [`explain_batch`](Self::explain_batch); [`Error::OutOfDomain`] for a sample whose
    /// neighbours all weigh 0 and so elect nobody.
    pub fn explain_votes<T: Real>(&self, samples: ArrayView2<'_, T>) -> Result<Vec<Explanation>> {
        self.explanations(samples, None)
    }

    fn explanations<T: Real>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: Option<&[i64]>,
    ) -> Result<Vec<Explanation>> {
        let (m, d) = samples.dim();
        if m == 0 {
            return Err(Error::empty("samples"));
        }
        if d != self.search.n_features() {
            return Err(Error::shape(
                "samples",
                &[m, self.search.n_features()],
                &[m, d],
            ));
        }
        if let Some(predicted) = predicted.filter(|p| p.len() != m) {
            return Err(Error::shape("predicted", &[m], &[predicted.len()]));
        }
        check_finite("samples", samples)?;
        let samples = samples.mapv(Real::to_f64_exact);
        let scaled = match &self.standardization {
            Some(s) => s.apply(samples.view())?,
            None => samples,
        };
        self.metric.check_rows("samples", scaled.view())?;
        let found = self.search.nearest_batch(scaled.view(), self.k)?;
        parallel::try_map(m, |sample| {
            let nearest = &found[sample];
            let tally = self
                .correspondence
                .tally(nearest.iter().map(|n| (n.distance, self.labels[n.index])))?;
            let predicted = match predicted {
                Some(predicted) => predicted[sample],
                None => tally.vote().ok_or_else(|| {
                    Error::out_of_domain(
                        "weights of the neighbours",
                        &[sample],
                        0.0,
                        "a positive sum, so that they can vote",
                    )
                })?,
            };
            Ok(self.explanation(sample, predicted, nearest, &tally))
        })
    }

    fn explanation(
        &self,
        sample: usize,
        predicted: i64,
        nearest: &[Nearest],
        tally: &Tally,
    ) -> Explanation {
        let name = |label: i64| self.class_names.get(&label).cloned();
        let neighbors = nearest
            .iter()
            .map(|n| Case {
                index: n.index,
                distance: n.distance,
                label: self.labels[n.index],
                class_name: name(self.labels[n.index]),
                features: self
                    .original
                    .as_ref()
                    .map_or_else(Vec::new, |rows| rows.row(n.index).to_vec()),
            })
            .collect();
        Explanation {
            sample,
            predicted,
            predicted_name: name(predicted),
            truth: None,
            correspondence: tally.correspondence(predicted, self.correspondence.level_thresholds()),
            neighbors,
        }
    }
}
