//! What was fitted, and what it answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use ndarray::{ArrayView1, ArrayView2, Axis};
use xai_core::number::{check_finite, labels_to_i64};
use xai_core::tensor::check_shape;
use xai_core::text::numbered_range;
use xai_core::{Distance, Error, Label, Real, Result, parallel};

use crate::correspondence::known_classes::check_known_classes;
use crate::correspondence::metric::CorrespondenceMetric;
use crate::correspondence::tally::Tally;
use crate::explainer::choices::Choices;
use crate::explainer::disclosure::Disclosure;
use crate::input;
use crate::result::aggregate::AggregateExplanation;
use crate::result::explanation::Explanation;
use crate::result::training_info::TrainingInfo;
use crate::search::engine::Engine;
use crate::search::nearest::{Nearest, Neighbors};
use crate::similarity::closure::ClosureError;
use crate::similarity::retrieval::{Retrieval, Samples};
use crate::similarity::strategy::SimilarityKind;
use crate::training::Matrix;
use crate::training::standardization::Standardization;

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
    pub(crate) retrieval: Box<dyn Retrieval>,
    pub(crate) standardization: Option<Arc<Standardization>>,
    /// The training rows as they were handed in.
    pub(crate) train: Arc<Matrix>,
    pub(crate) labels: Vec<i64>,
    pub(crate) correspondence: CorrespondenceMetric,
    /// The distance that rows are compared by.
    pub(crate) distance: Distance,
    /// What storage needs again.
    pub(crate) choices: Choices,
    pub(crate) disclosure: Disclosure,
    pub(crate) similarity: SimilarityKind,
    /// The distinct labels, ascending.
    pub(crate) classes: Vec<i64>,
    pub(crate) file_holds_redacted: bool,
}

impl std::fmt::Debug for CaseExplainer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CaseExplainer")
            .field("n_rows", &self.train.n_rows())
            .field("n_features", &self.train.n_columns())
            .field("k", &self.choices.k)
            .field("distance", &self.distance)
            .field("similarity", &self.similarity)
            .field("engine", &self.engine())
            .field("correspondence", &self.correspondence)
            .finish_non_exhaustive()
    }
}

impl CaseExplainer {
    /// Explains one prediction for `(d,)` features.
    ///
    /// # Errors
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) for another number of features, [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite),
    /// [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) if the distance is undefined for the sample, or if no training
    /// row has the predicted class, and [`ErrorKind::Refused`](xai_core::ErrorKind::Refused)
    /// by an explainer that only releases [aggregates](crate::CaseExplainerBuilder::aggregate_only).
    pub fn explain<T: Real, L: Label>(
        &self,
        sample: ArrayView1<'_, T>,
        predicted: L,
    ) -> Result<Explanation> {
        let mut explanations = self.explain_batch(sample.insert_axis(Axis(0)), &[predicted])?;
        Ok(explanations.swap_remove(0))
    }

    /// Explains a prediction for each of `(m, d)` samples, in parallel.
    ///
    /// # Errors
    /// As [`explain`](Self::explain); [`ErrorKind::Empty`](xai_core::ErrorKind::Empty) without samples.
    pub fn explain_batch<T: Real, L: Label>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: &[L],
    ) -> Result<Vec<Explanation>> {
        let predicted = labels_to_i64(input::PREDICTED, predicted.iter().copied())?;
        self.disclosure.check_release()?;
        self.check_samples(samples)?;
        self.explanations(samples, Some(&predicted))
    }

    /// Explains what a model predicts for each of `(m, d)` samples: the closure is given all of
    /// them and returns `(m,)` classes.
    ///
    /// # Errors
    /// As [`explain_batch`](Self::explain_batch); [`ErrorKind::Model`](xai_core::ErrorKind::Model) with the model's own error as
    /// source, [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) when it does not return one class per sample.
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
        self.disclosure.check_release()?;
        self.check_samples(samples)?;
        let predicted = model(samples)
            .map_err(|e| Error::model(numbered_range("sample", &(0..samples.nrows())), e))?;
        let predicted = labels_to_i64(input::PREDICTED, predicted.iter().copied())?;
        self.explanations(samples, Some(&predicted))
    }

    /// Explains the class that the neighbours themselves vote for: that of the largest weight,
    /// the lower label of several; a sample whose neighbours all weigh 0 has no such class, and its
    /// `predicted` is `None`.
    ///
    /// # Errors
    /// As [`explain_batch`](Self::explain_batch).
    pub fn explain_votes<T: Real>(&self, samples: ArrayView2<'_, T>) -> Result<Vec<Explanation>> {
        self.disclosure.check_release()?;
        self.check_samples(samples)?;
        self.explanations(samples, None)
    }

    /// What may be said of each sample without showing a training row: the correspondence, the
    /// shares of the classes and the range of the distances of its neighbours.
    ///
    /// A sample whose neighbours are fewer than the minimum of distinct training rows (see
    /// [`aggregate_only`](crate::CaseExplainerBuilder::aggregate_only); 1 unless chosen) is
    /// [`ErrorKind::Refused`](xai_core::ErrorKind::Refused); the others are answered. `predicted` is `None` for a vote.
    ///
    /// # Errors
    /// As [`explain_batch`](Self::explain_batch), for the batch.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::{CaseExplainer, ErrorKind};
    /// // Two of the three nearest rows are one person, entered twice.
    /// let train = array![[1.0], [1.0], [2.0], [3.0], [9.0]];
    /// let explainer = CaseExplainer::builder().k(3).aggregate_only(3).fit(train.view(), &[0, 0, 0, 1, 1])?;
    /// let released = explainer.aggregate(array![[1.0], [3.0]].view(), Some(&[0, 1]))?;
    /// assert!(matches!(released[0].as_ref().unwrap_err().kind(), ErrorKind::Refused { .. }));
    /// assert_eq!(released[1].as_ref().unwrap().class_shares[&1], 1.0 / 3.0);
    /// assert!(explainer.explain(array![1.0].view(), 0).is_err()); // no rows, ever
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn aggregate<T: Real>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: Option<&[i64]>,
    ) -> Result<Vec<Result<AggregateExplanation>>> {
        self.check_samples(samples)?;
        self.each_sample(samples, predicted, |sample, predicted, nearest, tally| {
            let n_distinct = self.distinct_rows(&nearest);
            self.disclosure.check_aggregate(sample, n_distinct)?;
            Ok(AggregateExplanation::new(
                sample,
                predicted,
                &tally.correspondence(predicted, self.correspondence.level_thresholds()),
                nearest.iter().map(|n| (n.distance, self.labels[n.index])),
                (n_distinct, nearest.ties_at_k),
            ))
        })
    }

    /// The same explanations with the true classes and their names, so that they can tell right
    /// from wrong.
    ///
    /// # Errors
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) when there is not one label per explanation.
    pub fn with_truth<L: Label>(
        &self,
        explanations: Vec<Explanation>,
        truth: &[L],
    ) -> Result<Vec<Explanation>> {
        let mut explanations = Explanation::with_truth(explanations, truth)?;
        for explanation in &mut explanations {
            explanation.truth_name = explanation
                .truth
                .and_then(|truth| self.disclosure.class_name(truth));
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
        let (n_rows, n_features) = (self.train.n_rows(), self.train.n_columns());
        let shown = self.disclosure.choices();
        let metadata = shown.metadata.columns.iter();
        TrainingInfo {
            n_rows,
            n_features,
            class_counts,
            class_names: shown.class_names.clone(),
            feature_names: shown.all_feature_names(n_features),
            metadata_names: metadata.map(|(name, _)| name.clone()).collect(),
            redacted: shown.redacted.clone(),
            aggregate_minimum: shown.aggregate_minimum,
            k: self.choices.k,
            distance: self.distance.to_string(),
            scaled: self.standardization.is_some(),
            similarity: self.similarity,
            engine: self.engine(),
            recall: self.retrieval.recall(),
            file_holds_redacted: self.file_holds_redacted,
        }
    }

    /// The engine that searches; what [`Engine::Auto`] became wherever something is searched.
    fn engine(&self) -> Engine {
        self.retrieval.engine().unwrap_or(self.choices.engine)
    }

    pub(crate) fn check_samples<T: Real>(&self, samples: ArrayView2<'_, T>) -> Result<()> {
        let m = samples.nrows();
        if m == 0 {
            return Err(Error::empty(input::SAMPLES));
        }
        check_shape(
            input::SAMPLES,
            &[m, self.train.n_columns()],
            samples.shape(),
        )?;
        check_finite(input::SAMPLES, samples).map_err(|e| self.disclosure.name_column(e))
    }

    /// Checks that there is one predicted class per sample, and that training rows have it: otherwise its score would be 0
    /// because of another encoding of the classes.
    pub(crate) fn check_predicted(&self, n_samples: usize, predicted: &[i64]) -> Result<()> {
        check_shape(input::PREDICTED, &[n_samples], &[predicted.len()])?;
        let named = |label: i64| match self.disclosure.class_name(label) {
            Some(name) => format!("{label} ({name})"),
            None => label.to_string(),
        };
        check_known_classes(predicted, &self.classes, named)
    }

    /// Explains samples that are checked.
    fn explanations<T: Real>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: Option<&[i64]>,
    ) -> Result<Vec<Explanation>> {
        self.each_sample(samples, predicted, |sample, predicted, nearest, tally| {
            self.explanation(sample, predicted, &nearest, tally)
        })
    }

    /// Finds the neighbours of samples that are checked and makes something of them, in parallel.
    fn each_sample<T: Real, R: Send>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: Option<&[i64]>,
        make: impl Fn(usize, Option<i64>, Neighbors, &Tally<'_>) -> R + Send + Sync,
    ) -> Result<Vec<R>> {
        let (k, by) = (self.choices.k, &self.correspondence);
        self.each_of_checked(samples, predicted, k, by, make)
    }

    /// As [`each_sample`](Self::each_sample), by another number of neighbours and other weights.
    pub(crate) fn each_of_checked<T: Real, R: Send>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: Option<&[i64]>,
        k: usize,
        by: &CorrespondenceMetric,
        make: impl Fn(usize, Option<i64>, Neighbors, &Tally<'_>) -> R + Send + Sync,
    ) -> Result<Vec<R>> {
        parallel::with_work_size(samples.len().saturating_mul(self.train.n_rows()), || {
            let found = self.nearest_of_checked(samples, predicted, k)?;
            let judged = parallel::map_owned(found, |sample, nearest| {
                let neighbors = nearest.iter();
                let neighbors = neighbors.map(|n| (n.distance, self.labels[n.index]));
                let mut weights = Vec::new();
                let tally = by.tally(neighbors, &mut weights)?;
                let predicted = match predicted {
                    Some(predicted) => Some(predicted[sample]),
                    None => tally.vote(),
                };
                Ok(make(sample, predicted, nearest, &tally))
            });
            judged.into_iter().collect()
        })
    }

    /// The `k` nearest training rows of samples that are checked.
    pub(crate) fn nearest_of_checked<T: Real>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: Option<&[i64]>,
        k: usize,
    ) -> Result<Vec<Neighbors>> {
        if let Some(predicted) = predicted {
            self.check_predicted(samples.nrows(), predicted)?;
        }
        let samples = samples.mapv(Real::to_f64_exact);
        let scaled = match &self.standardization {
            Some(s) => Some(s.apply(samples.view())?),
            None => None,
        };
        // The caller speaks of samples where a search speaks of queries.
        let searched = match self.standardization {
            Some(_) => input::SAMPLES_SCALED,
            None => input::SAMPLES,
        };
        let wanted = Samples {
            original: samples.view(),
            scaled: scaled.as_ref().map_or_else(|| samples.view(), |s| s.view()),
            predicted,
        };
        self.retrieval
            .nearest(wanted, k)
            .map_err(|e| self.disclosure.conceal(e.renamed(input::QUERIES, searched)))
    }

    fn explanation(
        &self,
        sample: usize,
        predicted: Option<i64>,
        nearest: &Neighbors,
        tally: &Tally<'_>,
    ) -> Explanation {
        let neighbors = nearest.iter().map(|n| {
            let row = self.train.row(n.index);
            self.disclosure.case(n, row, self.labels[n.index])
        });
        Explanation {
            sample,
            predicted,
            predicted_name: predicted.and_then(|label| self.disclosure.class_name(label)),
            truth: None,
            truth_name: None,
            correspondence: tally.correspondence(predicted, self.correspondence.level_thresholds()),
            neighbors: neighbors.collect(),
            ties_at_k: nearest.ties_at_k,
            feature_names: self.disclosure.shown_names().clone(),
            recall: self.retrieval.recall(),
        }
    }

    /// How many of the neighbours differ in some feature.
    fn distinct_rows(&self, nearest: &[Nearest]) -> usize {
        let mut rows: Vec<Vec<u64>> = nearest
            .iter()
            .map(|n| {
                let row = self.train.row(n.index).iter();
                // Adding 0 makes one of the two zeros.
                row.map(|x| (x + 0.0).to_bits()).collect()
            })
            .collect();
        rows.sort_unstable();
        rows.dedup();
        rows.len()
    }
}
