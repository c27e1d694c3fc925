//! A masked model that caches its outputs.

use std::collections::HashMap;
use std::sync::Mutex;

use ndarray::{Array2, ArrayView2, Axis};

use super::budget::Budget;
use super::{MaskedJob, MaskedModel};
use crate::model::BoxError;
use crate::model::black_box::{into_inner, lock};

/// A [`MaskedModel`] that answers repeated queries from a cache, with an optional limit on the number of calls.
///
/// Metrics and explainers have some queries in common, and a run that is restarted repeats all of them. The cache can
/// be stored with [`into_answers`](Self::into_answers) and loaded into a later run with
/// [`with_answers`](Self::with_answers). Calls are concurrent if the model is [`Concurrent`](crate::model::Concurrent).
///
/// ```
/// use ndarray::{Array2, ArrayView2};
/// use xai_attribution::masked::{MaskedModel, CachedModel};
/// let service = |samples: &[usize], kept: ArrayView2<'_, bool>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(Array2::from_elem((samples.len(), 1), 0.5))
/// };
/// let model = CachedModel::new(&service).max_calls(1);
/// let kept = ndarray::array![[true, false], [true, false]];
/// model.outputs(&[0, 0], kept.view())?; // one question, asked twice
/// assert_eq!(model.n_calls(), 1);
/// assert!(model.outputs(&[1, 0], kept.view()).is_err()); // that about sample 1 would be the second
/// let answers = model.into_answers();
/// let later = CachedModel::new(&service).with_answers(answers).max_calls(0);
/// assert_eq!(later.outputs(&[0], kept.slice(ndarray::s![..1, ..]))?[[0, 0]], 0.5);
/// # Ok::<(), xai_attribution::model::BoxError>(())
/// ```
pub struct CachedModel<'a> {
    model: &'a dyn MaskedModel,
    cache: Cache,
}

/// Outputs of earlier queries, and the number of queries that may still be made.
struct Cache {
    budget: Budget,
    answers: Mutex<HashMap<Question, Vec<f64>>>,
}

/// A sample and which of its features are kept.
type Question = (usize, Vec<bool>);

impl std::fmt::Debug for CachedModel<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CachedModel")
            .field("n_calls", &self.n_calls())
            .finish_non_exhaustive()
    }
}

impl<'a> CachedModel<'a> {
    /// Creates a model with an empty cache.
    #[must_use]
    pub fn new(model: &'a dyn MaskedModel) -> Self {
        Self {
            model,
            cache: Cache {
                budget: Budget::new(u64::MAX),
                answers: Mutex::default(),
            },
        }
    }

    /// Largest number of queries passed on to the model; one more is an error. Default: unlimited.
    #[must_use]
    pub fn max_calls(mut self, most: u64) -> Self {
        self.cache.budget.most = most;
        self
    }

    /// Adds outputs of an earlier run to the cache, as `(sample, kept features, outputs)`.
    #[must_use]
    pub fn with_answers(
        self,
        answers: impl IntoIterator<Item = (usize, Vec<bool>, Vec<f64>)>,
    ) -> Self {
        let answers = answers
            .into_iter()
            .map(|(i, kept, outputs)| ((i, kept), outputs));
        lock(&self.cache.answers).extend(answers);
        self
    }

    /// Number of queries passed on to the model, each of which may be a call of a service.
    #[must_use]
    pub fn n_calls(&self) -> u64 {
        self.cache.budget.used()
    }

    /// Returns the cache, sorted by sample and features.
    #[must_use]
    pub fn into_answers(self) -> Vec<(usize, Vec<bool>, Vec<f64>)> {
        let mut answers: Vec<_> = into_inner(self.cache.answers)
            .into_iter()
            .map(|((sample, kept), outputs)| (sample, kept, outputs))
            .collect();
        answers.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        answers
    }
}

/// A model whose outputs are cached.
struct WithCache<'a> {
    model: &'a dyn MaskedModel,
    cache: &'a Cache,
}

impl MaskedModel for WithCache<'_> {
    fn outputs(
        &self,
        samples: &[usize],
        kept: ArrayView2<'_, bool>,
    ) -> Result<Array2<f64>, BoxError> {
        let questions: Vec<Question> = samples
            .iter()
            .zip(kept.outer_iter())
            .map(|(&sample, kept)| (sample, kept.to_vec()))
            .collect();
        // First row of each distinct query that is not cached. A repeated query costs one call.
        let mut new: HashMap<&Question, usize> = HashMap::new();
        {
            let known = lock(&self.cache.answers);
            let unknown = questions.iter().enumerate();
            for (row, question) in unknown.filter(|(_, question)| !known.contains_key(question)) {
                new.entry(question).or_insert(row);
            }
        }
        let mut rows: Vec<usize> = new.into_values().collect();
        // In the order of the call: the iteration order of a hash map differs from run to run.
        rows.sort_unstable();
        if !rows.is_empty() {
            let n_new = rows.len() as u64;
            self.cache.budget.take(n_new)?;
            let samples: Vec<usize> = rows.iter().map(|&row| samples[row]).collect();
            let kept = kept.select(Axis(0), &rows);
            // The lock is not held meanwhile: a slow model would serialise all threads. Two threads may then make the
            // same query.
            let outputs = self.model.outputs(&samples, kept.view())?;
            if outputs.nrows() != rows.len() {
                let n_answers = outputs.nrows();
                return Err(format!("{n_answers} rows of outputs for {n_new} questions").into());
            }
            if outputs.iter().any(|output| !output.is_finite()) {
                // A cached NaN would fail every later run as well.
                return Err("an answer is not a finite number, and is not remembered".into());
            }
            let new_answers = rows
                .iter()
                .zip(outputs.outer_iter())
                .map(|(&row, outputs)| (questions[row].clone(), outputs.to_vec()));
            lock(&self.cache.answers).extend(new_answers);
        }
        let known = lock(&self.cache.answers);
        let outputs: Vec<f64> = questions
            .iter()
            .flat_map(|question| known[question].iter().copied())
            .collect();
        let n_outputs = outputs.len() / samples.len().max(1);
        Ok(Array2::from_shape_vec((samples.len(), n_outputs), outputs)?)
    }
}

impl MaskedModel for CachedModel<'_> {
    fn outputs(
        &self,
        samples: &[usize],
        kept: ArrayView2<'_, bool>,
    ) -> Result<Array2<f64>, BoxError> {
        let (model, cache) = (self.model, &self.cache);
        WithCache { model, cache }.outputs(samples, kept)
    }

    fn run(&self, n_jobs: usize, job: &MaskedJob<'_>) {
        let cache = &self.cache;
        self.model.run(n_jobs, &|index, model| {
            job(index, &WithCache { model, cache })
        });
    }

    fn threads(&self) -> usize {
        self.model.threads()
    }
}
