//! Metrics that need all samples of a data set before they can compute a value.

use std::any::Any;

use xai_core::evaluation::PooledValue;
use xai_core::{Error, Real, Result};

use crate::batch::{AllSamples, ExplainedBatch};
use crate::input;

/// A metric that needs all samples before it can compute a value.
///
/// It compares samples with each other (for instance counts those with similar maps), pools them into one value, or
/// decides something for the whole run.
///
/// It has two stages. For every batch, [`notes`](Self::notes) records what the second stage needs of model and
/// maps, one note per sample. After all batches, [`combine`](Self::combine) is called once per explainer with the
/// notes of all samples in their order; it can read the maps again, in blocks. Neither stage may depend on how
/// the samples are split into batches.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, batch::{AllSamples, ExplainedBatch}};
/// use xai_attribution::metric::{
///     CombinedValues, DatasetMetric, DatasetMetricDyn, Invariance, Measure, Metric, MetricInfo, Parameters, Range,
/// };
/// use xai_attribution::{Evaluate, Real, Result, input};
/// /// Share of the other samples whose maps have a smaller sum.
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
/// impl<T: Real> DatasetMetric<T> for Louder {
///     type Note = T;
///     fn notes(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<T>> {
///         Ok(explained.maps()?.outer_iter().map(|map| map.iter().copied().sum()).collect())
///     }
///     fn combine(&self, _: &AllSamples<'_, T>, sums: &[T]) -> Result<CombinedValues> {
///         let others = sums.len() as f64 - 1.0;
///         let share = |sum| sums.iter().filter(|other| *other < sum).count() as f64 / others;
///         let values = sums.iter().map(|sum| (others > 0.0).then(|| share(sum)));
///         Ok(CombinedValues::PerSample(values.collect()))
///     }
/// }
/// impl<T: Real> Measure<T> for Louder {
///     fn dataset_metric(&self) -> Option<&dyn DatasetMetricDyn<T>> {
///         Some(self)
///     }
/// }
/// let maps = array![[1.0, 2.0], [5.0, 5.0], [0.0, 0.0]];
/// let value = Louder.batch_size(1).evaluate_on(EvaluationData::from_maps(maps.view()))?;
/// assert_eq!(value.per_sample, [Some(0.5), Some(1.0), Some(0.0)]);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub trait DatasetMetric<T: Real>: Sync {
    /// Data recorded per sample.
    type Note: Send + 'static;

    /// Returns `true` if [`combine`](Self::combine) reads maps.
    ///
    /// The maps of an explainer that computes them during the run are then kept in memory until the end. If memory is
    /// short, store the maps in a file first.
    fn reads_maps(&self) -> bool {
        false
    }

    /// Returns `true` if a data set may be evaluated in parts, because each sample's value is the same in any part.
    ///
    /// The default is `false`, for metrics that compare samples with each other or pool them.
    fn is_splittable(&self) -> bool {
        false
    }

    /// Returns one note per sample of a batch.
    ///
    /// # Errors
    /// Errors of the metric, of the model and of the explainer.
    fn notes(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Self::Note>>;

    /// Computes one value per sample, or one value of all samples together, from the notes of all samples.
    ///
    /// # Errors
    /// Errors of the metric, and those of reading maps.
    fn combine(&self, all: &AllSamples<'_, T>, notes: &[Self::Note]) -> Result<CombinedValues>;
}

/// Values that a [`DatasetMetric`] computes for a data set.
#[derive(Debug, Clone, PartialEq)]
pub enum CombinedValues {
    /// One value per sample; `None` where it is undefined.
    PerSample(Vec<Option<f64>>),
    /// One value of all samples together and none per sample, so that two explainers cannot be compared sample by
    /// sample.
    Pooled(PooledValue),
}

impl CombinedValues {
    /// Returns the values of the samples; `n` times `None` for a pooled value.
    pub(crate) fn per_sample(&self, n: usize) -> Vec<Option<f64>> {
        match self {
            Self::PerSample(values) => values.clone(),
            Self::Pooled(_) => vec![None; n],
        }
    }

    fn values(&self) -> &[Option<f64>] {
        match self {
            Self::PerSample(values) => values,
            Self::Pooled(pooled) => std::slice::from_ref(&pooled.value),
        }
    }

    /// Returns an error if a value is infinite or NaN.
    pub(crate) fn check_finite(&self) -> Result<()> {
        let infinite = |value: &Option<f64>| value.is_some_and(|x| !x.is_finite());
        match self.values().iter().position(infinite) {
            None => Ok(()),
            Some(i) => Err(Error::non_finite(input::VALUES, &[i])),
        }
    }
}

/// Notes that a [`DatasetMetric`] recorded for a batch, with the type of the notes erased.
#[derive(Debug)]
pub struct SampleNotes(Box<dyn Any + Send>);

/// A [`DatasetMetric`] with the type of its notes erased, so that a run can keep metrics of different types in one
/// list.
pub trait DatasetMetricDyn<T: Real>: Sync {
    /// As [`DatasetMetric::reads_maps`].
    fn reads_maps(&self) -> bool;

    /// As [`DatasetMetric::is_splittable`].
    fn is_splittable(&self) -> bool;

    /// As [`DatasetMetric::notes`].
    ///
    /// # Errors
    /// Errors of the metric, and a shape mismatch if it does not return one note per sample.
    fn record(&self, explained: &ExplainedBatch<'_, T>) -> Result<SampleNotes>;

    /// As [`DatasetMetric::combine`], with the notes of all batches in order.
    ///
    /// # Errors
    /// Errors of the metric, and a shape mismatch unless there is one note per sample and, if values are not pooled,
    /// one value per sample.
    fn values(&self, all: &AllSamples<'_, T>, notes: Vec<SampleNotes>) -> Result<CombinedValues>;
}

impl<T: Real, M: DatasetMetric<T>> DatasetMetricDyn<T> for M {
    fn reads_maps(&self) -> bool {
        DatasetMetric::reads_maps(self)
    }

    fn is_splittable(&self) -> bool {
        DatasetMetric::is_splittable(self)
    }

    fn record(&self, explained: &ExplainedBatch<'_, T>) -> Result<SampleNotes> {
        let notes = self.notes(explained)?;
        check_count(explained.batch().n_samples(), notes.len())?;
        Ok(SampleNotes(Box::new(notes)))
    }

    fn values(&self, all: &AllSamples<'_, T>, notes: Vec<SampleNotes>) -> Result<CombinedValues> {
        // Notes of another metric would be skipped here; the count below then reports them as missing.
        let batches = notes
            .into_iter()
            .filter_map(|notes| notes.0.downcast::<Vec<M::Note>>().ok());
        let all_notes: Vec<M::Note> = batches.flat_map(|notes| *notes).collect();
        check_count(all.n_samples(), all_notes.len())?;
        let combined = self.combine(all, &all_notes)?;
        if let CombinedValues::PerSample(values) = &combined {
            check_count(all.n_samples(), values.len())?;
        }
        Ok(combined)
    }
}

fn check_count(expected: usize, actual: usize) -> Result<()> {
    if expected == actual {
        Ok(())
    } else {
        Err(Error::shape(input::VALUES, &[expected], &[actual]))
    }
}
