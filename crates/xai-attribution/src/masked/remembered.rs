//! A masked model that is asked nothing twice.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use super::MaskedModel;
use crate::model::BoxError;
use crate::model::black_box::{into_inner, lock};

/// A [`MaskedModel`] whose answers are remembered, and which may be asked only so many questions.
///
/// Metrics and explainers ask some questions in common, and a run that was stopped asks them again. What is remembered can be
/// stored ([`into_answers`](Self::into_answers)) and [taken up](Self::knowing) by a later run.
///
/// ```
/// use ndarray::{Array2, ArrayView2};
/// use xai_attribution::masked::{MaskedModel, Remembered};
/// let service = |samples: &[usize], kept: ArrayView2<'_, bool>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(Array2::from_elem((samples.len(), 1), 0.5))
/// };
/// let model = Remembered::new(&service).max_calls(1);
/// let kept = ndarray::array![[true, false], [true, false]];
/// model.outputs(&[0, 0], kept.view())?; // one question, asked twice
/// assert_eq!(model.questions(), 1);
/// assert!(model.outputs(&[1, 0], kept.view()).is_err()); // that about sample 1 would be the second
/// let answers = model.into_answers();
/// let later = Remembered::new(&service).knowing(answers).max_calls(0);
/// assert_eq!(later.outputs(&[0], kept.slice(ndarray::s![..1, ..]))?[[0, 0]], 0.5);
/// # Ok::<(), xai_attribution::model::BoxError>(())
/// ```
pub struct Remembered<'a> {
    model: &'a dyn MaskedModel,
    most: u64,
    asked: AtomicU64,
    answers: Mutex<HashMap<Question, Vec<f64>>>,
}

/// A sample, and which of its features are kept.
type Question = (usize, Vec<bool>);

impl std::fmt::Debug for Remembered<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remembered")
            .field("questions", &self.questions())
            .finish_non_exhaustive()
    }
}

impl<'a> Remembered<'a> {
    /// A model that was asked nothing yet.
    #[must_use]
    pub fn new(model: &'a dyn MaskedModel) -> Self {
        Self {
            model,
            most: u64::MAX,
            asked: AtomicU64::new(0),
            answers: Mutex::default(),
        }
    }

    /// The most questions that the model may be asked; one more is an error. Default: any number.
    #[must_use]
    pub fn max_calls(mut self, most: u64) -> Self {
        self.most = most;
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

    /// How many questions the model was asked.
    #[must_use]
    pub fn questions(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
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

impl MaskedModel for Remembered<'_> {
    fn outputs(
        &self,
        samples: &[usize],
        kept: ArrayView2<'_, bool>,
    ) -> Result<Array2<f64>, BoxError> {
        let question = |row: usize| -> Question {
            let of_row: ArrayView1<'_, bool> = kept.row(row);
            (samples[row], of_row.to_vec())
        };
        let mut new: HashMap<Question, usize> = HashMap::new();
        let rows: Vec<usize> = {
            let known = lock(&self.answers);
            let unknown = (0..samples.len()).filter(|&row| {
                let question = question(row);
                !known.contains_key(&question) && new.insert(question, row).is_none()
            });
            unknown.collect()
        };
        if !rows.is_empty() {
            let n_new = rows.len() as u64;
            let before = self.asked.fetch_add(n_new, Ordering::Relaxed);
            if before + n_new > self.most {
                self.asked.fetch_sub(n_new, Ordering::Relaxed);
                let told = format!(
                    "{} questions were asked, and {n_new} more would be above the limit of {}",
                    before, self.most
                );
                return Err(told.into());
            }
            let asked: Vec<usize> = rows.iter().map(|&row| samples[row]).collect();
            let outputs = self
                .model
                .outputs(&asked, kept.select(Axis(0), &rows).view())?;
            if outputs.nrows() != rows.len() {
                let told = format!(
                    "{} rows of outputs for {} questions",
                    outputs.nrows(),
                    rows.len()
                );
                return Err(told.into());
            }
            let answers = rows.iter().zip(outputs.outer_iter());
            lock(&self.answers).extend(answers.map(|(&row, of)| (question(row), of.to_vec())));
        }
        let known = lock(&self.answers);
        let mut outputs = Vec::new();
        for row in 0..samples.len() {
            outputs.extend_from_slice(&known[&question(row)]);
        }
        let n_outputs = outputs.len() / samples.len().max(1);
        Ok(Array2::from_shape_vec((samples.len(), n_outputs), outputs)?)
    }
}
