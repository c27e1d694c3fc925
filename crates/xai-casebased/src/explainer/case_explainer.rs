//! A fitted explainer.

use std::collections::BTreeMap;
use std::sync::Arc;

use ndarray::{ArrayView1, ArrayView2, Axis};
use xai_core::number::{check_finite, labels_to_i64};
use xai_core::tensor::check_shape;
use xai_core::text::numbered_range;
use xai_core::{Distance, Error, Label, Real, Result, parallel};
use xai_neighbors::{Engine, Nearest, Neighbors, Standardization};

use crate::correspondence::known_classes::check_known_classes;
use crate::correspondence::metric::CorrespondenceMetric;
use crate::correspondence::tally::Tally;
use crate::explainer::choices::Choices;
use crate::explainer::disclosure::Disclosure;
use crate::input;
use crate::result::aggregate::{Aggregate, AggregateExplanation};
use crate::result::explanation::Explanation;
use crate::result::training_info::TrainingInfo;
use crate::similarity::closure::ClosureError;
use crate::similarity::retrieval::{Retrieval, Samples};
use crate::similarity::strategy::SimilarityKind;
use crate::training::Matrix;

/// Explains predictions by their nearest training cases, with scaling, search and correspondence.
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
/// assert_eq!(explanation.cases[0].features, [4.0, 5.0]);
/// assert!(explanation.to_string().contains("Predicted class: late (1)"));
/// assert!(explanation.to_string().contains("station: Jena"));
/// let wrong = explainer.explain(array![4.1, 5.0].view(), 0)?;
/// assert_eq!(wrong.level(), Level::Low);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
pub struct CaseExplainer {
    pub(crate) retrieval: Box<dyn Retrieval>,
    pub(crate) standardization: Option<Arc<Standardization>>,
    /// Unscaled training rows.
    pub(crate) train: Arc<Matrix>,
    pub(crate) labels: Vec<i64>,
    pub(crate) correspondence: CorrespondenceMetric,
    /// Distance between (scaled) rows; [`UNRESTRICTED`](xai_neighbors::UNRESTRICTED) for a custom one, which
    /// is in `choices`.
    pub(crate) distance: Distance,
    /// Settings of the builder, which are stored with the explainer.
    pub(crate) choices: Choices,
    pub(crate) disclosure: Disclosure,
    pub(crate) similarity: SimilarityKind,
    /// Distinct labels, ascending.
    pub(crate) classes: Vec<i64>,
    /// Whether the file that the explainer was loaded from contains the values of redacted features.
    pub(crate) file_holds_redacted: bool,
}

impl std::fmt::Debug for CaseExplainer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CaseExplainer")
            .field("n_rows", &self.train.n_rows())
            .field("n_features", &self.train.n_columns())
            .field("k", &self.choices.k)
            .field("distance", &self.distance_name())
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
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) if the number of features differs,
    /// [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite) for NaN or infinite values,
    /// [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) if the distance is undefined for the sample, if
    /// no training row has the predicted class, or if the caller's weighting returns a weight that is not a finite
    /// number of at least 0, [`ErrorKind::Model`](xai_core::ErrorKind::Model) if the closure of the similarity fails,
    /// and [`ErrorKind::Refused`](xai_core::ErrorKind::Refused) if the explainer only releases
    /// [aggregates](crate::CaseExplainerBuilder::aggregate_only).
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
    /// As [`explain`](Self::explain); [`ErrorKind::Empty`](xai_core::ErrorKind::Empty) without samples; and
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) unless there is one predicted class per sample.
    pub fn explain_batch<T: Real, L: Label>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: &[L],
    ) -> Result<Vec<Explanation>> {
        let classes = labels_to_i64(input::PREDICTED, predicted.iter().copied())?;
        self.disclosure.check_release()?;
        self.check_samples(samples)?;
        self.explanations(samples, Some(&classes))
    }

    /// Explains the predictions of a model for `(m, d)` samples. The closure is called once with all
    /// samples and returns `(m,)` classes.
    ///
    /// # Errors
    /// As [`explain_batch`](Self::explain_batch); [`ErrorKind::Model`](xai_core::ErrorKind::Model) if the model
    /// fails, with its error as source; and [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) unless
    /// it returns one class per sample.
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
        // Before the model is called, so that it never gets invalid samples.
        self.disclosure.check_release()?;
        self.check_samples(samples)?;
        let predicted = model(samples)
            .map_err(|e| Error::model(numbered_range("sample", &(0..samples.nrows())), e))?;
        let classes = labels_to_i64(input::PREDICTED, predicted.iter().copied())?;
        self.explanations(samples, Some(&classes))
    }

    /// Explains the class that the nearest cases vote for: the one with the largest total weight, ties by lower label.
    /// `predicted` is `None` for a sample without cases, or whose cases all have weight 0.
    ///
    /// # Errors
    /// As [`explain_batch`](Self::explain_batch);
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for an embedding with weights by class,
    /// which needs predictions.
    pub fn explain_votes<T: Real>(&self, samples: ArrayView2<'_, T>) -> Result<Vec<Explanation>> {
        self.disclosure.check_release()?;
        self.check_samples(samples)?;
        self.explanations(samples, None)
    }

    /// Explains samples without showing training rows: by the correspondence, the class shares and the range of the
    /// distances of their nearest cases.
    ///
    /// A sample is [refused](Aggregate::Refused) if its nearest cases have fewer distinct training rows than the
    /// minimum of [`aggregate_only`](crate::CaseExplainerBuilder::aggregate_only) (default 1). If `predicted` is
    /// `None`, the cases vote.
    ///
    /// # Errors
    /// As [`explain_votes`](Self::explain_votes) without `Refused`, for the whole batch.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::CaseExplainer;
    /// // Two of the three nearest rows are one person, entered twice.
    /// let train = array![[1.0], [1.0], [2.0], [3.0], [9.0]];
    /// let explainer = CaseExplainer::builder().k(3).aggregate_only(3).fit(train.view(), &[0, 0, 0, 1, 1])?;
    /// let released = explainer.aggregate(array![[1.0], [3.0]].view(), Some(&[0, 1]))?;
    /// assert!(released[0].released().is_none());
    /// assert_eq!(released[1].released().unwrap().class_shares[&1], 1.0 / 3.0);
    /// assert!(explainer.explain(array![1.0].view(), 0).is_err()); // no rows, ever
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn aggregate<T: Real>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: Option<&[i64]>,
    ) -> Result<Vec<Aggregate>> {
        // No `check_release`: aggregates are what a restricted explainer releases.
        self.check_samples(samples)?;
        self.map_samples(samples, predicted, |sample, predicted, nearest, tally| {
            let n_distinct = self.count_distinct_rows(&nearest);
            match self.disclosure.check_aggregate(sample, n_distinct) {
                Ok(()) => Aggregate::Released(AggregateExplanation::new(
                    sample,
                    predicted,
                    &tally.correspondence(predicted, self.correspondence.level_thresholds()),
                    nearest.iter().map(|n| (n.distance, self.labels[n.index])),
                    (n_distinct, nearest.ties_at_k),
                )),
                Err(error) => Aggregate::Refused(error),
            }
        })
    }

    /// Adds the true classes and their names to explanations.
    ///
    /// # Errors
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) unless there is one label per explanation,
    /// [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) for a label above `i64::MAX`.
    pub fn with_truth<L: Label>(
        &self,
        explanations: Vec<Explanation>,
        truth: &[L],
    ) -> Result<Vec<Explanation>> {
        let mut labelled = Explanation::with_truth(explanations, truth)?;
        for explanation in &mut labelled {
            explanation.truth_name = explanation
                .truth
                .and_then(|truth| self.disclosure.class_name(truth));
        }
        Ok(labelled)
    }

    /// Returns a description of the training data and the settings.
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
            distance: self.distance_name(),
            scaled: self.standardization.is_some(),
            similarity: self.similarity,
            engine: self.engine(),
            recall: self.retrieval.recall(),
            file_holds_redacted: self.file_holds_redacted,
        }
    }

    fn distance_name(&self) -> String {
        match self.choices.distance.custom() {
            Some(_) => "custom".to_owned(),
            None => self.distance.to_string(),
        }
    }

    /// The engine in use, or the setting if the similarity needs no engine.
    fn engine(&self) -> Engine {
        self.retrieval.engine().unwrap_or(self.choices.engine)
    }

    /// Checks the shape and the values of samples.
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

    /// Checks that there is one predicted class per sample, and that it occurs in the training rows. A class that
    /// does not occur is most likely encoded differently, and its correspondence would always be 0.
    pub(crate) fn check_predicted(&self, n_samples: usize, predicted: &[i64]) -> Result<()> {
        check_shape(input::PREDICTED, &[n_samples], &[predicted.len()])?;
        let named = |label: i64| match self.disclosure.class_name(label) {
            Some(name) => format!("{label} ({name})"),
            None => label.to_string(),
        };
        check_known_classes(predicted, &self.classes, named)
    }

    /// Explains checked samples.
    fn explanations<T: Real>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: Option<&[i64]>,
    ) -> Result<Vec<Explanation>> {
        self.map_samples(samples, predicted, |sample, predicted, nearest, tally| {
            self.explanation(sample, predicted, &nearest, tally)
        })
    }

    /// Finds the nearest cases of checked samples, and maps each sample in parallel:
    /// `map(sample, predicted class, neighbours, weights by class)`.
    fn map_samples<T: Real, R: Send>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: Option<&[i64]>,
        map: impl Fn(usize, Option<i64>, Neighbors, Tally) -> R + Send + Sync,
    ) -> Result<Vec<R>> {
        let (k, metric) = (self.choices.k, &self.correspondence);
        self.map_samples_with(samples, predicted, k, metric, map)
    }

    /// As [`map_samples`](Self::map_samples), with another number of neighbours and other weights.
    pub(crate) fn map_samples_with<T: Real, R: Send>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: Option<&[i64]>,
        k: usize,
        metric: &CorrespondenceMetric,
        map: impl Fn(usize, Option<i64>, Neighbors, Tally) -> R + Send + Sync,
    ) -> Result<Vec<R>> {
        parallel::with_work_size(samples.len().saturating_mul(self.train.n_rows()), || {
            let found = self.nearest_rows(samples, predicted, k)?;
            let mapped = parallel::map_owned(found, |sample, nearest| {
                let neighbors = nearest.iter().map(|n| (n.distance, self.labels[n.index]));
                let tally = metric.tally(neighbors, Vec::new())?;
                let class = match predicted {
                    Some(predicted) => Some(predicted[sample]),
                    None => tally.vote(),
                };
                Ok(map(sample, class, nearest, tally))
            });
            mapped.into_iter().collect()
        })
    }

    /// Returns the `k` nearest training rows of checked samples.
    pub(crate) fn nearest_rows<T: Real>(
        &self,
        samples: ArrayView2<'_, T>,
        predicted: Option<&[i64]>,
        k: usize,
    ) -> Result<Vec<Neighbors>> {
        if let Some(predicted) = predicted {
            self.check_predicted(samples.nrows(), predicted)?;
        }
        let original = samples.mapv(Real::to_f64_exact);
        let scaled = match &self.standardization {
            Some(s) => Some(s.apply(original.view())?),
            None => None,
        };
        let prepared = Samples {
            original: original.view(),
            scaled: scaled
                .as_ref()
                .map_or_else(|| original.view(), |s| s.view()),
            predicted,
        };
        // Errors of a search are about queries, which the caller knows as samples.
        let input_name = match self.standardization {
            Some(_) => input::SAMPLES_SCALED,
            None => input::SAMPLES,
        };
        self.retrieval.nearest(prepared, k).map_err(|e| {
            self.disclosure
                .conceal(e.renamed(input::QUERIES, input_name))
        })
    }

    fn explanation(
        &self,
        sample: usize,
        predicted: Option<i64>,
        nearest: &Neighbors,
        tally: Tally,
    ) -> Explanation {
        let cases = nearest.iter().map(|n| {
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
            cases: cases.collect(),
            ties_at_k: nearest.ties_at_k,
            feature_names: self.disclosure.shown_names().clone(),
            recall: self.retrieval.recall(),
        }
    }

    /// Number of distinct rows of features among the cases.
    fn count_distinct_rows(&self, nearest: &[Nearest]) -> usize {
        let mut rows: Vec<Vec<u64>> = nearest
            .iter()
            .map(|n| {
                let row = self.train.row(n.index).iter();
                // Rows are compared by their bits, and adding 0 turns −0 into 0.
                row.map(|x| (x + 0.0).to_bits()).collect()
            })
            .collect();
        rows.sort_unstable();
        rows.dedup();
        rows.len()
    }
}
