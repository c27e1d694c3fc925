//! Metrics that relate the samples of a data set to each other.

use std::any::Any;

use xai_core::evaluation::PooledValue;
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
/// use xai_attribution::metric::{Invariance, Measure, Metric, MetricInfo, Parameters, Range, Related, Whole, WholeMetric};
/// use xai_attribution::{Evaluate, Real, Result, input};
/// /// The share of other samples whose maps have a smaller sum.
/// #[derive(Parameters)]
/// struct Louder;
/// impl Metric for Louder {
///     fn info(&self) -> &'static MetricInfo {
///         const {
///             &MetricInfo {
///                 summary: "Share of the other maps with a smaller sum",
///                 invariance: Invariance::SCALE_AND_MIRROR,
///                 range: Range::SHARE,
///                 needs: &[input::EXPLANATIONS],
///                 ..MetricInfo::named("louder")
///             }
///         }
///     }
/// }
/// impl<T: Real> WholeMetric<T> for Louder {
///     type Note = T;
///     fn notes(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<T>> {
///         Ok(explained.maps()?.outer_iter().map(|map| map.sum()).collect())
///     }
///     fn relate(&self, _: &AllSamples<'_, T>, sums: &[T]) -> Result<Related> {
///         let others = sums.len() as f64 - 1.0;
///         let share = |sum| sums.iter().filter(|other| *other < sum).count() as f64 / others;
///         let values = sums.iter().map(|sum| (others > 0.0).then(|| share(sum)));
///         Ok(Related::PerSample(values.collect()))
///     }
/// }
/// impl<T: Real> Measure<T> for Louder {
///     fn whole(&self) -> Option<&dyn Whole<T>> {
///         Some(self)
///     }
/// }
/// let maps = array![[1.0, 2.0], [5.0, 5.0], [0.0, 0.0]];
/// let value = Louder.batch_size(1).evaluate_on(Data::from_maps(maps.view()))?;
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

    /// Whether the values of parts of a data set are those of the whole, so that they join. Not by default: the second stage
    /// relates samples to each other.
    fn joins(&self) -> bool {
        false
    }

    /// One note per sample of a batch.
    ///
    /// # Errors
    /// The metric's own, and those of model and explainer.
    fn notes(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Self::Note>>;

    /// One value per sample from the notes of all, or one value of all samples together.
    ///
    /// # Errors
    /// The metric's own, and those of reading maps.
    fn relate(&self, all: &AllSamples<'_, T>, notes: &[Self::Note]) -> Result<Related>;
}

/// The values that a [`WholeMetric`] has for the samples of a data set.
#[derive(Debug, Clone, PartialEq)]
pub enum Related {
    /// One value per sample; `None` where it is undefined.
    PerSample(Vec<Option<f64>>),
    /// One value of all samples together, and none per sample: two explainers are then not compared sample by sample.
    Pooled(PooledValue),
}

impl Related {
    /// The values of single samples; `None` for each of `n` samples of a pooled metric.
    pub(crate) fn per_sample(&self, n: usize) -> Vec<Option<f64>> {
        match self {
            Self::PerSample(values) => values.clone(),
            Self::Pooled(_) => vec![None; n],
        }
    }

    /// All values, of samples or of all together.
    fn values(&self) -> &[Option<f64>] {
        match self {
            Self::PerSample(values) => values,
            Self::Pooled(pooled) => std::slice::from_ref(&pooled.value),
        }
    }

    /// Checks that values are finite.
    pub(crate) fn check_finite(&self) -> Result<()> {
        let infinite = |value: &Option<f64>| value.is_some_and(|x| !x.is_finite());
        match self.values().iter().position(infinite) {
            None => Ok(()),
            Some(i) => Err(Error::non_finite(input::VALUES, &[i])),
        }
    }
}

/// What a [`WholeMetric`] took down of a batch.
#[derive(Debug)]
pub struct Notes(Box<dyn Any + Send>);

/// A [`WholeMetric`], whatever its notes are.
pub trait Whole<T: Real>: Sync {
    /// As [`WholeMetric::reads_maps`].
    fn reads_maps(&self) -> bool;

    /// As [`WholeMetric::joins`].
    fn joins(&self) -> bool;

    /// As [`WholeMetric::notes`].
    ///
    /// # Errors
    /// Those of the metric; a shape mismatch where there is not one note per sample.
    fn take_notes(&self, explained: &ExplainedBatch<'_, T>) -> Result<Notes>;

    /// As [`WholeMetric::relate`], of the notes of all batches in order.
    ///
    /// # Errors
    /// Those of the metric; a shape mismatch for values of samples that are not one per sample.
    fn values(&self, all: &AllSamples<'_, T>, notes: Vec<Notes>) -> Result<Related>;
}

impl<T: Real, M: WholeMetric<T>> Whole<T> for M {
    fn reads_maps(&self) -> bool {
        WholeMetric::reads_maps(self)
    }

    fn joins(&self) -> bool {
        WholeMetric::joins(self)
    }

    fn take_notes(&self, explained: &ExplainedBatch<'_, T>) -> Result<Notes> {
        let notes = self.notes(explained)?;
        check_number(explained.batch().n_samples(), notes.len())?;
        Ok(Notes(Box::new(notes)))
    }

    fn values(&self, all: &AllSamples<'_, T>, notes: Vec<Notes>) -> Result<Related> {
        let own = notes
            .into_iter()
            .filter_map(|notes| notes.0.downcast::<Vec<M::Note>>().ok());
        let notes: Vec<M::Note> = own.flat_map(|notes| *notes).collect();
        check_number(all.n_samples(), notes.len())?;
        let related = self.relate(all, &notes)?;
        if let Related::PerSample(values) = &related {
            check_number(all.n_samples(), values.len())?;
        }
        Ok(related)
    }
}

fn check_number(expected: usize, actual: usize) -> Result<()> {
    match expected == actual {
        true => Ok(()),
        false => Err(Error::shape(input::VALUES, &[expected], &[actual])),
    }
}
