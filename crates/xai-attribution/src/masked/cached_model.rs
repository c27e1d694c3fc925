//! A masked model that is asked nothing twice.

use std::collections::HashMap;
use std::sync::Mutex;

use ndarray::{Array2, ArrayView2, Axis};

use super::MaskedModel;
use super::budget::Budget;
use crate::model::BoxError;
use crate::model::black_box::{into_inner, lock};

/// A [`MaskedModel`] whose answers are remembered, and which may be asked only so many questions.
///
/// Metrics and explainers ask some questions in common, and a run that was stopped asks them again. What is remembered can be
/// stored ([`into_answers`](Self::into_answers)) and [taken up](Self::knowing) by a later run.
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
/// let later = CachedModel::new(&service).knowing(answers).max_calls(0);
/// assert_eq!(later.outputs(&[0], kept.slice(ndarray::s![..1, ..]))?[[0, 0]], 0.5);
/// # Ok::<(), xai_attribution::model::BoxError>(())
/// ```
pub struct CachedModel<'a> {
    model: &'a dyn MaskedModel,
    budget: Budget,
    answers: Mutex<HashMap<Question, Vec<f64>>>,
}

/// A sample, and which of its features are kept.
type Question = (usize, Vec<bool>);

impl std::fmt::Debug for CachedModel<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CachedModel")
            .field("n_calls", &self.n_calls())
            .finish_non_exhaustive()
    }
}

impl<'a> CachedModel<'a> {
    /// A model that was asked nothing yet.
    #[must_use]
    pub fn new(model: &'a dyn MaskedModel) -> Self {
        Self {
            model,
            budget: Budget::new(u64::MAX),
            answers: Mutex::default(),
        }
    }

    /// The most questions that the model may be asked; one more is an error. Default: any number.
    #[must_use]
    pub fn max_calls(mut self, most: u64) -> Self {
        self.budget.most = most;
        self
    }

    /// Takes up answers of an earlier run: the sample, the features that were kept, the outputs.
    #[must_use]
    pub fn knowing(self, answers: impl IntoIterator<Item = (usize, Vec<bool>, Vec<f64>)>) -> Self {
        let answers = answers
            .into_iter()
            .map(|(i, kept, outputs)| ((i, kept), outputs));
        lock(&self.answers).extend(answers);
        self
    }

    /// How many questions the model was asked, each of which may be a call of a service.
    #[must_use]
    pub fn n_calls(&self) -> u64 {
        self.budget.asked()
    }

    /// All answers, by sample and features.
    #[must_use]
    pub fn into_answers(self) -> Vec<(usize, Vec<bool>, Vec<f64>)> {
        let answers = into_inner(self.answers).into_iter();
        let mut answers: Vec<_> = answers.map(|((i, kept), of)| (i, kept, of)).collect();
        answers.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        answers
    }
}

impl MaskedModel for CachedModel<'_> {
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
        let mut new: HashMap<&Question, usize> = HashMap::new();
        {
            let known = lock(&self.answers);
            let unknown = questions.iter().enumerate();
            for (row, question) in unknown.filter(|(_, question)| !known.contains_key(question)) {
                new.entry(question).or_insert(row);
            }
        }
        let mut rows: Vec<usize> = new.into_values().collect();
        rows.sort_unstable();
        if !rows.is_empty() {
            let n_new = rows.len() as u64;
            self.budget.take(n_new)?;
            let asked: Vec<usize> = rows.iter().map(|&row| samples[row]).collect();
            let kept = kept.select(Axis(0), &rows);
            let outputs = self.model.outputs(&asked, kept.view())?;
            if outputs.nrows() != rows.len() {
                let n_answers = outputs.nrows();
                return Err(format!("{n_answers} rows of outputs for {n_new} questions").into());
            }
            if outputs.iter().any(|output| !output.is_finite()) {
                // It would be wrong in every later run, too.
                return Err("an answer is not a finite number, and is not remembered".into());
            }
            let answers = rows.iter().zip(outputs.outer_iter());
            let answers = answers.map(|(&row, of)| (questions[row].clone(), of.to_vec()));
            lock(&self.answers).extend(answers);
        }
        let known = lock(&self.answers);
        let outputs: Vec<f64> = questions
            .iter()
            .flat_map(|question| known[question].iter().copied())
            .collect();
        let n_outputs = outputs.len() / samples.len().max(1);
        Ok(Array2::from_shape_vec((samples.len(), n_outputs), outputs)?)
    }
}
