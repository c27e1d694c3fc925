//! Metrics that relate the samples of a data set to each other.

use std::any::Any;

use xai_core::{Error, Real, Result};

use crate::batch::{AllSamples, ExplainedBatch};
use crate::input;

/// A metric of every sample among all others: which of them have a map like its own, for instance.
///
/// It has two stages. Of every batch it takes down a note per sample: what it needs of model and
/// maps. When all batches are visited it is asked once per explainer for the values, with the notes
/// of all samples in their order, and may read the maps again, in blocks. Both stages must not
/// depend on how the samples were cut into batches.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::batch::{AllSamples, Data, ExplainedBatch};
/// use xai_attribution::metric::{Direction, Invariance, Measure, Metric, MetricInfo, Parameters, Range, Reading, Whole, WholeMetric};
/// use xai_attribution::{Evaluate, Real, Result, input};
/// /// The share of other samples whose maps have a smaller sum.
/// #[derive(Parameters)]
/// struct Louder;
/// impl Metric for Louder {
///     fn info(&self) -> &'static MetricInfo {
///         &MetricInfo {
///             name: "louder",
///             title: "Louder",
///             question: "Than which share of the other maps is a map louder?",
///             direction: Direction::None,
///             invariance: Invariance::SCALE_AND_MIRROR,
///             range: Range::SHARE,
///             needs: &[input::EXPLANATIONS],
///             source: "this example",
///             reading: Reading::NONE,
///         }
///     }
/// }
/// impl<T: Real> WholeMetric<T> for Louder {
///     type Note = T;
///     fn notes(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<T>> {
///         Ok(explained.maps()?.outer_iter().map(|map| map.sum()).collect())
///     }
///     fn relate(&self, _: &AllSamples<'_, T>, sums: &[T]) -> Result<Vec<Option<f64>>> {
///         let others = sums.len() as f64 - 1.0;
///         let share = |sum| sums.iter().filter(|other| *other < sum).count() as f64 / others;
///         Ok(sums.iter().map(|sum| (others > 0.0).then(|| share(sum))).collect())
///     }
/// }
/// impl<T: Real> Measure<T> for Louder {
///     fn whole(&self) -> Option<&dyn Whole<T>> {
///         Some(self)
///     }
/// }
/// let maps = array![[1.0, 2.0], [5.0, 5.0], [0.0, 0.0]];
/// let value = Louder.batch_size(1).evaluate_on(Data::of_maps(maps.view()))?;
/// assert_eq!(value.per_sample, [Some(0.5), Some(1.0), Some(0.0)]);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub trait WholeMetric<T: Real>: Sync {
    /// What is taken down of a sample.
    type Note: Send + 'static;

    /// Whether [`relate`](Self::relate) reads maps. Those of an explainer that has no stored maps
    /// are then held until the end, all of them: store them in a file where memory is short.
    fn reads_maps(&self) -> bool {
        false
    }

    /// One note per sample of a batch.
    ///
    /// # Errors
    /// The metric's own, and those of model and explainer.
    fn notes(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Self::Note>>;

    /// One value per sample from the notes of all; `None` where it is undefined.
    ///
    /// # Errors
    /// The metric's own, and those of reading maps.
    fn relate(&self, all: &AllSamples<'_, T>, notes: &[Self::Note]) -> Result<Vec<Option<f64>>>;
}

/// What a [`WholeMetric`] took down of a batch.
#[derive(Debug)]
pub struct Notes(Box<dyn Any + Send>);

/// A [`WholeMetric`], whatever its notes are.
pub trait Whole<T: Real>: Sync {
    /// As [`WholeMetric::reads_maps`].
    fn reads_maps(&self) -> bool;

    /// As [`WholeMetric::notes`].
    ///
    /// # Errors
    /// Those of the metric; a shape mismatch where there is not one note per sample.
    fn take_notes(&self, explained: &ExplainedBatch<'_, T>) -> Result<Notes>;

    /// As [`WholeMetric::relate`], of the notes of all batches in order.
    ///
    /// # Errors
    /// Those of the metric; a shape mismatch where there is not one value per sample.
    fn values(&self, all: &AllSamples<'_, T>, notes: Vec<Notes>) -> Result<Vec<Option<f64>>>;
}

impl<T: Real, M: WholeMetric<T>> Whole<T> for M {
    fn reads_maps(&self) -> bool {
        WholeMetric::reads_maps(self)
    }

    fn take_notes(&self, explained: &ExplainedBatch<'_, T>) -> Result<Notes> {
        let notes = self.notes(explained)?;
        check_number(explained.batch().n_samples(), notes.len())?;
        Ok(Notes(Box::new(notes)))
    }

    fn values(&self, all: &AllSamples<'_, T>, notes: Vec<Notes>) -> Result<Vec<Option<f64>>> {
        let own = notes
            .into_iter()
            .filter_map(|notes| notes.0.downcast::<Vec<M::Note>>().ok());
        let notes: Vec<M::Note> = own.flat_map(|notes| *notes).collect();
        check_number(all.n_samples(), notes.len())?;
        let values = self.relate(all, &notes)?;
        check_number(all.n_samples(), values.len())?;
        Ok(values)
    }
}

fn check_number(expected: usize, actual: usize) -> Result<()> {
    match expected == actual {
        true => Ok(()),
        false => Err(Error::shape(input::VALUES, &[expected], &[actual])),
    }
}
