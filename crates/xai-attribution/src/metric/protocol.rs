//! What a metric is.

use std::fmt::Debug;
use std::sync::Arc;
use xai_core::describe::Described;

use xai_core::evaluation::{CurvePoint, Remark, TiedFeatures};
use xai_core::{Error, ExactMean, Input, Layout, Real, Result};

use crate::batch::{ExplainedBatch, Plan, RunData};
use crate::metric::{Direction, MetricInfo, Parameters, Whole};
use crate::perturbation::CurveScores;
use crate::{help, input};

/// A metric of attribution maps, or of an explainer: what it is called, asks and needs, and its parameters.
///
/// [`Parameters`] are derived from the fields of the metric. A run checks them before anything else.
pub trait Metric: Parameters {
    /// Name, question, direction, range, needs and source.
    fn info(&self) -> &'static MetricInfo;

    /// Which values are better with these parameters: by default those that [`info`](Self::info) says, which are those of the
    /// defaults. Some options reverse it, such as [`keep`](crate::metric::OutputMetric::keep).
    fn direction(&self) -> Direction {
        self.info().direction
    }
}

/// How a metric is computed: one value per sample, batch by batch.
///
/// All metrics of this crate implement it; so may yours. What an [`ExplainedBatch`] hands out is
/// shared: the base scores of a batch, for instance, are taken once for all metrics and all
/// explainers, and so is any [work](crate::batch) that two metrics have in common. How scores are
/// taken is the run's choice, not the metric's.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::batch::ExplainedBatch;
/// use xai_attribution::metric::{AverageDrop, Direction, Invariance, Measure, Metric, MetricInfo, Parameters, Range};
/// use xai_attribution::{Evaluation, Real, Result, input};
/// /// What is left of the score when only what the map marks is kept.
/// #[derive(Parameters)]
/// struct Left;
/// impl Metric for Left {
///     fn info(&self) -> &'static MetricInfo {
///         const {
///             &MetricInfo {
///                 summary: "Share of the score that is left when only what the map marks is kept",
///                 direction: Direction::Higher,
///                 invariance: Invariance::SCALE_AND_MIRROR,
///                 range: Range::NON_NEGATIVE,
///                 needs: &[input::MODEL, input::INPUTS, input::TARGETS, input::EXPLANATIONS],
///                 ..MetricInfo::named("left")
///             }
///         }
///     }
/// }
/// impl<T: Real> Measure<T> for Left {
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
/// let table = Evaluation::new(&model, inputs.view(), &[0, 1])
///     .maps("mine", maps.view())
///     .metric(Left)
///     .metric(AverageDrop::default())
///     .evaluate()?;
/// assert!((table.result("mine", "left").unwrap().value.unwrap() - 0.5).abs() < 1e-7);
/// assert_eq!(table.model_calls.rows, 4); // both metrics read the same scores
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub trait Measure<T: Real>: Metric + Sync {
    /// Checks the metric's parameters against the data, once per run and before the model is
    /// called, and does what all batches share.
    ///
    /// # Errors
    /// An invalid parameter for one outside its domain.
    fn prepare(&self, _run: &RunData<'_, T>) -> Result<()> {
        Ok(())
    }

    /// Adds what the metric asks model and explainer for, so that a run can say its cost before it
    /// starts. Called after [`prepare`](Self::prepare). By default a metric without either reads the
    /// maps, and any other is one whose cost is unknown.
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

    /// One value per sample of the batch; `None` where it is undefined. A metric of all samples has none, for they
    /// would depend on the batch: by default an error says so.
    ///
    /// # Errors
    /// The metric's own, and those of model and explainer. An index is that of a sample among all.
    fn per_sample(&self, _explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let expected = "a metric that is computed batch by batch, which this one is not";
        let error = Error::parameter(input::METRIC, self.info().name, expected);
        Err(error.with_help(help::ASK_FOR_WHOLE))
    }

    /// The scores of the batch along a curve, for metrics that are the area under one.
    ///
    /// # Errors
    /// As [`per_sample`](Self::per_sample).
    fn curve(&self, _explained: &ExplainedBatch<'_, T>) -> Result<Option<Arc<CurveScores>>> {
        Ok(None)
    }

    /// How many features of the batch have the attribution of another one of their sample, for metrics that remove features in
    /// the order of their attributions: what makes a part of that order arbitrary.
    ///
    /// # Errors
    /// As [`per_sample`](Self::per_sample).
    fn tied(&self, _explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        Ok(None)
    }

    /// The second stage of a metric that relates samples to each other, see
    /// [`WholeMetric`](crate::metric::WholeMetric). A run asks such a metric for what it takes down of every batch
    /// instead of [`per_sample`](Self::per_sample), and for all values at the end.
    fn whole(&self) -> Option<&dyn Whole<T>> {
        None
    }
}

/// What points to a metric is one.
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
            fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
                (**self).prepare(run)
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

            fn whole(&self) -> Option<&dyn Whole<T>> {
                (**self).whole()
            }
        }
    )+};
}

pointers!(&M, Box<M>);

/// The name of a metric as tables and JSON have it: `average_drop` for `average-drop`.
#[must_use]
pub fn key(info: &MetricInfo) -> String {
    info.name.replace('-', "_")
}

/// The layouts of metrics for images only.
pub const IMAGES_ONLY: &[Layout] = &[Layout::ChannelsLast, Layout::ChannelsFirst];

/// What a metric draws, as an input that was drawn elsewhere: to repeat another tool's run.
#[derive(Debug)]
pub struct GivenDraws<M> {
    /// The side input: [`GivenSubsets`](crate::perturbation::GivenSubsets) and its like.
    pub input: Input,
    /// The metric that takes it.
    pub take: fn(M) -> M,
}

/// A metric that the registry can make: with the defaults of its parameters, some of which are then set.
pub trait Registered: Described + Metric + Default + Debug + 'static {
    /// Whether these parameters reverse the direction that [`INFO`](Described::INFO) says.
    fn reverses_direction(&self) -> bool {
        false
    }

    /// The layouts of inputs that it has values for.
    const TAKES: &'static [Layout] = &[
        Layout::Tabular,
        Layout::TimeSeries,
        Layout::ChannelsLast,
        Layout::ChannelsFirst,
    ];

    /// Draws that were made elsewhere, which it can take instead of its own.
    const GIVEN_DRAWS: Option<GivenDraws<Self>> = None;
}

/// A metric's value for a data set and for each sample.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MetricValue {
    /// The mean over the samples that are defined; of a metric that pools all samples, their common value.
    pub value: f64,
    /// One per sample; `None` where the metric is undefined or a policy left the sample out, and for every sample of a
    /// pooled metric.
    pub per_sample: Vec<Option<f64>>,
    /// How many samples have no value; of a pooled metric 0.
    pub n_undefined: usize,
    /// Choices that nobody made, and that the values depend on.
    #[cfg_attr(feature = "serde", serde(default))]
    pub assumed: Vec<Remark>,
    /// What looks wrong with the inputs.
    #[cfg_attr(feature = "serde", serde(default))]
    pub warnings: Vec<Remark>,
    /// The curve under which the value is the area, for metrics that have one.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub curve: Option<Vec<CurvePoint>>,
    /// How many features are tied with another one, for metrics that remove features in the order of their attributions.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub tied: Option<TiedFeatures>,
}

impl MetricValue {
    /// A value from those of the samples, of which some may be undefined.
    ///
    /// # Errors
    /// Empty where none is defined.
    pub fn new(per_sample: Vec<Option<f64>>) -> Result<Self> {
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
        })
    }

    /// A value of `n` samples together, none of which has a value by itself.
    ///
    /// # Errors
    /// Empty where it is undefined.
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
