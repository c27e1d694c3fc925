//! The traits that a metric implements, and the value that it returns.

use std::fmt::Debug;
use std::sync::Arc;
use xai_core::describe::Described;

use xai_core::evaluation::{CurvePoint, Remark, TiedFeatures};
use xai_core::{Error, ExactMean, Input, InputLayout, Real, Result};

use crate::batch::{Dataset, ExplainedBatch, Plan};
use crate::metric::{DatasetMetricDyn, Direction, MetricInfo, Parameters};
use crate::perturbation::CurveScores;
use crate::{help, input};

/// A metric of attribution maps, or of an explainer: its description and its parameters.
///
/// [`Parameters`] are derived from the fields of the metric. A run checks them before anything else.
pub trait Metric: Parameters {
    /// Returns the description: name, summary, direction, range, required inputs and source.
    fn info(&self) -> &'static MetricInfo;

    /// Returns which values are better with the parameters as they are set.
    ///
    /// By default this is the direction in [`info`](Self::info), which describes the metric with default parameters.
    /// Some options reverse it, such as [`keep`](crate::metric::OutputMetric::keep).
    fn direction(&self) -> Direction {
        self.info().direction
    }
}

/// The computation of a metric: one value per sample, batch by batch.
///
/// All metrics of this crate implement it, except for the few with a function of their own (see
/// [`Entry`](crate::metric::Entry)), and so can yours. Everything that an [`ExplainedBatch`] provides is shared: the
/// base scores of a batch, for instance, are computed once for all metrics and all explainers, and so is any
/// [work](crate::batch) that two metrics have in common. The run, not the metric, decides how scores are computed from
/// the model's outputs.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::batch::ExplainedBatch;
/// use xai_attribution::metric::{AverageDrop, Direction, Invariance, Measure, Metric, MetricInfo, Parameters, Range};
/// use xai_attribution::{Benchmark, Real, Result, input};
/// /// Share of the score that is left when the input is multiplied by its map.
/// #[derive(Parameters)]
/// struct ScoreLeft;
/// impl Metric for ScoreLeft {
///     fn info(&self) -> &'static MetricInfo {
///         const {
///             &MetricInfo {
///                 summary: "Share of the score that is left when the input is multiplied by its map",
///                 direction: Direction::Higher,
///                 invariance: Invariance::SCALE_AND_MIRROR,
///                 range: Range::NON_NEGATIVE,
///                 needs: &[input::MODEL, input::INPUTS, input::TARGETS, input::EXPLANATIONS],
///                 ..MetricInfo::named("score-left")
///             }
///         }
///     }
/// }
/// impl<T: Real> Measure<T> for ScoreLeft {
///     fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
///         let (base, masked) = (explained.batch().base_scores()?, explained.masked_scores()?);
///         // A constant map has no mask, and so no masked score.
///         Ok(base.iter().zip(masked).map(|(b, m)| m.filter(|_| *b != 0.0).map(|m| m / b)).collect())
///     }
/// }
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let inputs = array![[4.0, 1.0], [1.0, 2.0]];
/// let maps = array![[1.0, 0.0], [3.0, 0.0]];
/// let table = Benchmark::new(&model, inputs.view(), &[0, 1])
///     .maps("mine", maps.view())
///     .metric(ScoreLeft)
///     .metric(AverageDrop::default())
///     .evaluate()?;
/// assert!((table.result("mine", "score_left").unwrap().value.unwrap() - 0.5).abs() < 1e-7);
/// assert_eq!(table.model_calls.rows, 4); // both metrics read the same scores
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub trait Measure<T: Real>: Metric + Send + Sync {
    /// Checks the metric's parameters against the data and computes what all batches share. A run calls it once,
    /// before the model.
    ///
    /// # Errors
    /// A parameter that is invalid for these data, or a missing input.
    fn prepare(&self, _run: &Dataset<'_, T>) -> Result<()> {
        Ok(())
    }

    /// Adds the calls of model and explainer that the metric makes, so that a run can report its cost before it starts.
    ///
    /// A run calls it after [`prepare`](Self::prepare). By default, the cost of a metric that needs a model or an
    /// explainer is unknown, and any other metric only reads the maps.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let needs = self.info().needs;
        if needs.contains(&input::MODEL) || needs.contains(&input::EXPLAINER) {
            plan.unknown(self.info().name);
        } else if needs.contains(&input::EXPLANATIONS) {
            plan.maps();
        }
        Ok(())
    }

    /// Returns one value per sample of the batch; `None` where it is undefined.
    ///
    /// The default implementation returns an error. It is the right one for a metric that compares samples with each
    /// other, because values computed from a batch alone would depend on the batch size: see
    /// [`dataset_metric`](Self::dataset_metric).
    ///
    /// # Errors
    /// Errors of the metric, of the model and of the explainer. Indices in errors count the samples of the whole data
    /// set.
    fn per_sample(&self, _explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let expected = "a metric that is computed batch by batch, which this one is not";
        let error = Error::parameter(input::METRIC, self.info().name, expected);
        Err(error.with_help(help::ASK_FOR_WHOLE))
    }

    /// Returns the scores of the batch along the curve, for metrics that are computed from a curve, such as the area
    /// under it; `None` for all others.
    ///
    /// # Errors
    /// As [`per_sample`](Self::per_sample).
    fn curve(&self, _explained: &ExplainedBatch<'_, T>) -> Result<Option<Arc<CurveScores>>> {
        Ok(None)
    }

    /// Returns the number of features whose attribution equals that of another feature of the same sample, for metrics
    /// that depend on the order of the attributions, above all those that remove features in that order; `None` for all
    /// others. Ties make a part of that order arbitrary.
    ///
    /// # Errors
    /// As [`per_sample`](Self::per_sample).
    fn tied(&self, _explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        Ok(None)
    }

    /// Returns the metric as a [`DatasetMetric`](crate::metric::DatasetMetric), if it needs all samples before it can
    /// compute a value, for instance because it compares samples with each other.
    ///
    /// A run then calls [`record`](DatasetMetricDyn::record) for every batch instead of
    /// [`per_sample`](Self::per_sample), and [`values`](DatasetMetricDyn::values) at the end.
    fn dataset_metric(&self) -> Option<&dyn DatasetMetricDyn<T>> {
        None
    }
}

/// Implements [`Metric`] and [`Measure`] for pointers to metrics. Methods with a default are forwarded too; otherwise
/// the default would be called instead of the method of the metric.
macro_rules! pointers {
    ($($pointer:ty),+) => {$(
        impl<M: Metric + ?Sized> Metric for $pointer {
            fn info(&self) -> &'static MetricInfo {
                (**self).info()
            }

            fn direction(&self) -> Direction {
                (**self).direction()
            }
        }

        impl<T: Real, M: Measure<T> + ?Sized> Measure<T> for $pointer {
            fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
                (**self).prepare(dataset)
            }

            fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
                (**self).plan(plan)
            }

            fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
                (**self).per_sample(explained)
            }

            fn curve(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<Arc<CurveScores>>> {
                (**self).curve(explained)
            }

            fn tied(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
                (**self).tied(explained)
            }

            fn dataset_metric(&self) -> Option<&dyn DatasetMetricDyn<T>> {
                (**self).dataset_metric()
            }
        }
    )+};
}

pointers!(&M, Box<M>);

/// Returns the name of a metric in tables and JSON: `average_drop` for `average-drop`.
#[must_use]
pub fn key(info: &MetricInfo) -> String {
    info.name.replace('-', "_")
}

/// Layouts of images.
pub const IMAGES_ONLY: &[InputLayout] = &[InputLayout::ChannelsLast, InputLayout::ChannelsFirst];

/// Draws from outside that replace the random draws of a metric `M`, for instance to reproduce another tool's run.
#[derive(Debug)]
pub struct PrecomputedDraws<M> {
    /// The side input that contains the draws, such as [`PrecomputedSubsets`](crate::perturbation::PrecomputedSubsets).
    pub input: Input,
    /// Sets the metric to read that input instead of drawing.
    pub take: fn(M) -> M,
}

/// A metric that the registry can build by name, from its default parameters and settings that replace some of them.
pub trait Registered: Described + Metric + Default + Debug + 'static {
    /// Returns `true` if the parameters reverse the direction in [`INFO`](Described::INFO).
    fn reverses_direction(&self) -> bool {
        false
    }

    /// Layouts of inputs that the metric supports.
    const TAKES: &'static [InputLayout] = &[
        InputLayout::Tabular,
        InputLayout::TimeSeries,
        InputLayout::ChannelsLast,
        InputLayout::ChannelsFirst,
    ];

    /// Side input with draws from outside, for metrics that support it; otherwise `None`.
    const PRECOMPUTED_DRAWS: Option<PrecomputedDraws<Self>> = None;
}

/// A metric's value for a data set and for each sample.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MetricValue {
    /// Mean over the samples that have a value; for a metric that pools all samples, their common value.
    pub value: f64,
    /// One value per sample. `None` where the metric is undefined or a policy left the sample out, and for every sample
    /// of a pooled metric.
    pub per_sample: Vec<Option<f64>>,
    /// Number of samples without a value; 0 for a pooled metric.
    pub n_undefined: usize,
    /// Assumptions that the values depend on and that the caller did not choose explicitly.
    #[cfg_attr(feature = "serde", serde(default))]
    pub assumed: Vec<Remark>,
    /// Suspicious properties of the inputs.
    #[cfg_attr(feature = "serde", serde(default))]
    pub warnings: Vec<Remark>,
    /// Curve of mean scores, for metrics that are computed from one.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub curve: Option<Vec<CurvePoint>>,
    /// Number of features that are tied with another one, for metrics that remove features in the order of their
    /// attributions.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub tied: Option<TiedFeatures>,
    /// Largest number of rows per call of the model and the explainers. `None` if neither was called.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub batch_size: Option<usize>,
}

impl MetricValue {
    /// Creates a value from the values of the samples, some of which may be undefined.
    ///
    /// # Errors
    /// An empty-input error if no sample has a value.
    pub fn new(per_sample: Vec<Option<f64>>) -> Result<Self> {
        // An exact sum: the mean has the same bits for any order of the samples, and so for any batch size.
        let mean: ExactMean = per_sample.iter().flatten().copied().collect();
        let Some(value) = mean.value() else {
            return Err(Error::empty(input::VALUES).with_help(help::NO_SAMPLE_HAS_A_VALUE));
        };
        Ok(Self {
            value,
            n_undefined: per_sample.iter().filter(|score| score.is_none()).count(),
            per_sample,
            assumed: Vec::new(),
            warnings: Vec::new(),
            curve: None,
            tied: None,
            batch_size: None,
        })
    }

    /// Creates the common value of `n` samples that have no values of their own.
    ///
    /// # Errors
    /// An empty-input error if the value is undefined.
    pub fn pooled(value: Option<f64>, n: usize) -> Result<Self> {
        let Some(value) = value else {
            return Err(Error::empty(input::VALUES).with_help(help::NO_SAMPLE_HAS_A_VALUE));
        };
        Ok(Self {
            value,
            per_sample: vec![None; n],
            n_undefined: 0,
            assumed: Vec::new(),
            warnings: Vec::new(),
            curve: None,
            tied: None,
            batch_size: None,
        })
    }
}

impl std::fmt::Display for MetricValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:.4} over {} samples",
            self.value,
            self.per_sample.len()
        )?;
        match self.n_undefined {
            0 => Ok(()),
            n => write!(f, ", {n} of them undefined"),
        }
    }
}
