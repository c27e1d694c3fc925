//! Remove and debias.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::rc::Rc;
use std::str::FromStr;
use std::sync::Arc;

use xai_core::output::arg_max;
use xai_core::random::{normal, random_stream};
use xai_core::{Direction, Error, Layout, MetricInfo, Real, Result};

use crate::batch::explained::{ExplainedBatch, MapWork};
use crate::batch::plan::Plan;
use crate::batch::run_data::RunData;
use crate::input;
use crate::metric::kinds::score_metric::SCORE_NEEDS;
use crate::metric::options::{
    GivenDraws, IMAGES_ONLY, MetricOption, OptionInfo, Registered, parse,
};
use crate::metric::parameters::takes_seed;
use crate::metric::protocol::{Measure, Metric};
use crate::perturbation::neighborhood::neighbors::GivenNeighbors;
use crate::perturbation::removal::removal_curve::CurveScores;
use crate::perturbation::removal::removal_order::{OrderedPositions, RemovalOrder};
use crate::perturbation::removal::removed::image;

/// Which order a [`RoadMetric`] removes pixels in.
pub trait RoadOrder: Debug + Copy + Default + PartialEq + Send + Sync + 'static {
    /// Name, question, direction, range, needs and source.
    const INFO: &'static MetricInfo;

    /// The order, and what the curve of it counts for.
    const ORDERS: &'static [(RemovalOrder, f64)];
}

/// Remove and debias: how often is the model right when the most, or least, relevant pixels are taken
/// away and filled from what is left around them?
///
/// ```text
/// ROAD_i = mean over p of 1[ the class predicted for x_i without its first p % of pixels is the target ]
/// ```
///
/// [`RoadMostRelevantFirst`] in [0, 1], **lower is better**; [`RoadLeastRelevantFirst`] in [0, 1],
/// **higher is better**; [`Road`] combines them as `(least first − most first) / 2` in [−½, ½], **higher is
/// better**, 0 as by chance. With [`RoadOf::Score`] the mean score stands for the share of right
/// predictions, and the range is the model's. Removed pixels are those of
/// [`Baseline::LinearImputation`](crate::perturbation::Baseline::LinearImputation) with a little noise, which tell the model less about where pixels were
/// removed than a constant: orders from both ends then rank explainers alike. Images only;
/// `⌊pixels · p / 100⌋` pixels are removed.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::metric::{ImputationNoise, Road, RoadOf};
/// use xai_attribution::Evaluate;
/// // The score is the first pixel.
/// let first = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     let rows = batch.outer_iter().map(|x| x[[0, 0, 0]]);
///     Ok(Array2::from_shape_vec((batch.shape()[0], 1), rows.collect()).unwrap())
/// };
/// let x = array![[[[4.0], [0.0]], [[0.0], [0.0]]]].into_dyn();
/// let metric = Road::new().percentages(&[25.0]).of(RoadOf::Score).noise(ImputationNoise::Gaussian(0.0));
/// // The first pixel from its neighbours is 0; without another it is 4.
/// assert_eq!(metric.evaluate(&first, x.view(), &[0], x.view())?.value, (4.0 - 0.0) / 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The model sees `n` rows per percentage and order; the three metrics share them.
///
/// # Source
/// Rong et al., *A Consistent and Efficient Evaluation Strategy for Attribution Methods*, 2022. The
/// combination is that of the package `grad-cam`. Quantus' accuracies come with its draws as
/// [`ImputationNoise::Given`], one percentage at a time as the mean of
/// [`RoadMostRelevantFirst`]; it fails for images of several channels and counts the first batch only.
#[derive(Debug, Clone, PartialEq)]
pub struct RoadMetric<K> {
    percentages: Arc<[f64]>,
    noise: ImputationNoise,
    seed: u64,
    of: RoadOf,
    order: PhantomData<K>,
}

/// [`RoadMetric`] from both ends.
pub type Road = RoadMetric<Combined>;

/// [`RoadMetric`] of the most relevant pixels.
pub type RoadMostRelevantFirst = RoadMetric<MostFirst>;

/// [`RoadMetric`] of the least relevant pixels.
pub type RoadLeastRelevantFirst = RoadMetric<LeastFirst>;

/// The orders of [`Road`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Combined;

/// The order of [`RoadMostRelevantFirst`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MostFirst;

/// The order of [`RoadLeastRelevantFirst`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeastFirst;

const SOURCE: &str = "Rong et al., A Consistent and Efficient Evaluation Strategy (ROAD), 2022";

impl RoadOrder for Combined {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "road",
        title: "ROAD",
        question: "How much more often is the model right without the least than without the most relevant pixels, imputed?",
        direction: Direction::Higher,
        range: "[-0.5, 0.5]",
        needs: SCORE_NEEDS,
        source: SOURCE,
    };
    const ORDERS: &'static [(RemovalOrder, f64)] = &[
        (RemovalOrder::LeastRelevantFirst, 0.5),
        (RemovalOrder::MostRelevantFirst, -0.5),
    ];
}

impl RoadOrder for MostFirst {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "road-most-relevant-first",
        title: "ROAD, most relevant first",
        question: "How often is the model right without the most relevant pixels, imputed?",
        direction: Direction::Lower,
        range: "[0, 1]",
        needs: SCORE_NEEDS,
        source: SOURCE,
    };
    const ORDERS: &'static [(RemovalOrder, f64)] = &[(RemovalOrder::MostRelevantFirst, 1.0)];
}

impl RoadOrder for LeastFirst {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "road-least-relevant-first",
        title: "ROAD, least relevant first",
        question: "How often is the model right without the least relevant pixels, imputed?",
        direction: Direction::Higher,
        range: "[0, 1]",
        needs: SCORE_NEEDS,
        source: SOURCE,
    };
    const ORDERS: &'static [(RemovalOrder, f64)] = &[(RemovalOrder::LeastRelevantFirst, 1.0)];
}

/// Noise on imputed values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ImputationNoise {
    /// Normal noise of this standard deviation, at least 0, on every removed element: of a stream of its
    /// own for every sample.
    Gaussian(f64),
    /// What [`GivenNeighbors`] has for the removed elements, one draw per percentage.
    Given,
}

impl Default for ImputationNoise {
    /// 0.01
    fn default() -> Self {
        Self::Gaussian(0.01)
    }
}

/// What the mean over percentages is of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum RoadOf {
    /// Whether the predicted class is the target, or of rows of targets the one that weighs most.
    #[default]
    Accuracy,
    /// The score.
    Score,
}

impl FromStr for RoadOf {
    type Err = Error;

    /// `accuracy` or `score`.
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "accuracy" => Ok(Self::Accuracy),
            "score" => Ok(Self::Score),
            _ => Err(Error::parameter(input::OF, text, "accuracy or score")),
        }
    }
}

impl<K> Default for RoadMetric<K> {
    fn default() -> Self {
        Self {
            percentages: (1..10).map(|tenth| f64::from(10 * tenth)).collect(),
            noise: ImputationNoise::default(),
            seed: 1,
            of: RoadOf::default(),
            order: PhantomData,
        }
    }
}

impl<K: RoadOrder> RoadMetric<K> {
    /// 10, 20, …, 90 %, noise of 0.01, seed 1, shares of right predictions.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How much is removed, in percent, each in (0, 100): of nothing nothing can be imputed.
    #[must_use]
    pub fn percentages(mut self, percentages: &[f64]) -> Self {
        self.percentages = percentages.into();
        self
    }

    /// Noise on imputed values.
    #[must_use]
    pub fn noise(mut self, noise: ImputationNoise) -> Self {
        self.noise = noise;
        self
    }

    /// What the mean over percentages is of.
    #[must_use]
    pub fn of(mut self, of: RoadOf) -> Self {
        self.of = of;
        self
    }

    fn work(&self, order: RemovalOrder) -> ImputedCurve {
        ImputedCurve {
            order,
            percentages: Arc::clone(&self.percentages),
            noise: self.noise,
            seed: self.seed,
        }
    }

    /// `[percentage][sample]`
    fn combined<T: Real>(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Vec<f64>>> {
        let n = explained.batch().n_samples();
        let mut combined = vec![vec![0.0; n]; self.percentages.len()];
        for &(order, weight) in K::ORDERS {
            let answers = explained.shared(&self.work(order))?;
            for (combined, answers) in combined.iter_mut().zip(answers.chunks_exact(n)) {
                for (value, answer) in combined.iter_mut().zip(answers) {
                    *value += weight
                        * match self.of {
                            RoadOf::Accuracy => f64::from(u8::from(answer.is_right)),
                            RoadOf::Score => answer.score,
                        };
                }
            }
        }
        Ok(combined)
    }
}

takes_seed!(RoadMetric<K: RoadOrder>, seed);

/// What the model says to inputs with some of their pixels imputed, in one order: `[percentage][sample]`.
#[derive(Debug, Clone, PartialEq)]
struct ImputedCurve {
    order: RemovalOrder,
    percentages: Arc<[f64]>,
    noise: ImputationNoise,
    seed: u64,
}

#[derive(Debug, Clone, Copy)]
struct Answer {
    score: f64,
    is_right: bool,
}

/// How many pixels are removed at each percentage.
fn counts(percentages: &[f64], positions: usize) -> Vec<usize> {
    let count = |percentage: &f64| (positions as f64 * percentage / 100.0) as usize;
    percentages.iter().map(count).collect()
}

impl<T: Real> MapWork<T> for ImputedCurve {
    type Output = Vec<Answer>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Answer>> {
        let batch = explained.batch();
        let (run, n, image) = (batch.run(), batch.n_samples(), image(batch.run()));
        let counts = counts(&self.percentages, run.n_positions());
        let orders = explained.shared(&OrderedPositions {
            order: self.order,
            n: counts.iter().copied().max().unwrap_or_default(),
        })?;
        let orders: &[Vec<u32>] = &orders;
        let given = match self.noise {
            ImputationNoise::Given => Some(&run.side::<GivenNeighbors>()?.0),
            ImputationNoise::Gaussian(_) => None,
        };
        let first_sample = batch.samples().start;
        let items: Vec<u64> = (0..n).map(|sample| batch.item(sample)).collect();
        let (targets, scorer) = (run.targets(), batch.scorer());
        let add = |to: &mut T, noise: f64| {
            *to = T::from_f64_nearest(to.to_f64_exact() + noise);
        };
        batch.ask_changed(
            counts.len() * n,
            |row| row % n,
            |row, values| {
                let (sample, point) = (row % n, row / n);
                let mut missing = orders[sample][..counts[point]].to_vec();
                missing.sort_unstable();
                image.impute(values, &missing);
                let elements = missing
                    .iter()
                    .flat_map(|&p| image.places.elements(p as usize));
                if let Some(given) = given {
                    let noise = given.index_axis(ndarray::Axis(0), point);
                    let noise = noise.index_axis_move(ndarray::Axis(0), first_sample + sample);
                    let noise: Vec<f64> = noise.iter().copied().collect();
                    elements.for_each(|element| add(&mut values[element], noise[element]));
                } else if let ImputationNoise::Gaussian(sigma) = self.noise
                    && sigma > 0.0
                {
                    let mut stream = random_stream(self.seed, items[sample]);
                    elements.for_each(|e| add(&mut values[e], sigma * normal(&mut stream)));
                }
            },
            |first, rows, model| {
                let sample_of = |row: usize| (first + row) % n;
                let outputs = scorer.outputs(model, rows, sample_of, ", with imputed pixels")?;
                let scores = scorer.scores_of(&outputs, sample_of)?.into_iter();
                let answer = |(row, score): (usize, f64)| {
                    let predicted = arg_max(&outputs.row(row).to_vec());
                    Answer {
                        score,
                        is_right: predicted == targets.class(first_sample + sample_of(row)),
                    }
                };
                Ok(scores.enumerate().map(answer).collect())
            },
        )
    }
}

impl<K: RoadOrder> Metric for RoadMetric<K> {
    fn info(&self) -> &'static MetricInfo {
        K::INFO
    }
}

impl<T: Real, K: RoadOrder> Measure<T> for RoadMetric<K> {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        run.only(
            IMAGES_ONLY,
            "images, whose pixels are imputed from those beside them",
        )?;
        let is_bad = |p: &&f64| !(**p > 0.0 && **p < 100.0);
        if let Some(percentage) = self.percentages.iter().find(is_bad) {
            let expected = "more than 0 and less than 100: from nothing nothing can be imputed";
            return Err(Error::parameter(input::PERCENTAGES, percentage, expected));
        }
        if self.percentages.is_empty() {
            return Err(Error::empty(input::PERCENTAGES));
        }
        match self.noise {
            ImputationNoise::Gaussian(sigma) if !(sigma >= 0.0 && sigma.is_finite()) => {
                let expected = "a finite standard deviation, at least 0";
                Err(Error::parameter(input::NOISE, sigma, expected))
            }
            ImputationNoise::Gaussian(_) => Ok(()),
            ImputationNoise::Given => {
                let given = &run.side::<GivenNeighbors>()?.0;
                let (expected, actual) = (self.percentages.len(), given.shape()[0]);
                match expected == actual {
                    true => Ok(()),
                    false => Err(Error::shape(input::NEIGHBORS, &[expected], &[actual])
                        .part("draws, one per percentage")),
                }
            }
        }
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let rows = plan.n_samples() * self.percentages.len() as u64;
        plan.maps();
        for &(order, _) in K::ORDERS {
            plan.per_explainer(&self.work(order), rows);
        }
        Ok(())
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let combined = self.combined(explained)?;
        let value = |sample: usize| {
            let sum: f64 = combined.iter().map(|values| values[sample]).sum();
            Some(sum / combined.len() as f64)
        };
        Ok((0..explained.batch().n_samples()).map(value).collect())
    }

    fn curve(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<Rc<CurveScores>>> {
        let n_positions = explained.batch().run().n_positions();
        let counts = counts(&self.percentages, n_positions);
        let curve = CurveScores::of_all(counts, self.combined(explained)?);
        Ok(Some(Rc::new(curve)))
    }
}

impl<K: RoadOrder> Registered for RoadMetric<K> {
    const INFO: &'static MetricInfo = K::INFO;
    const OPTIONS: &'static [MetricOption<Self>] = &[
        MetricOption {
            info: OptionInfo {
                name: "percentages",
                value_name: "LIST",
                default: "10,20,30,40,50,60,70,80,90",
                help: "How much is removed, in percent, separated by commas",
            },
            set: |metric, text| {
                let expected = "numbers in (0, 100), separated by commas";
                let number = |text| parse(input::PERCENTAGES, text, expected);
                let percentages: Vec<f64> = text.split(',').map(number).collect::<Result<_>>()?;
                Ok(metric.percentages(&percentages))
            },
        },
        MetricOption {
            info: OptionInfo {
                name: "of",
                value_name: "accuracy|score",
                default: "accuracy",
                help: "What the mean over percentages is of: right predictions, or the score",
            },
            set: |metric, text| Ok(metric.of(text.parse()?)),
        },
        MetricOption {
            info: OptionInfo {
                name: "noise",
                value_name: "SIGMA",
                default: "0.01",
                help: "Standard deviation of the noise on imputed values",
            },
            set: |metric, text| {
                let sigma = parse(input::NOISE, text, "a standard deviation, at least 0")?;
                Ok(metric.noise(ImputationNoise::Gaussian(sigma)))
            },
        },
        Self::SEED,
    ];

    const GIVEN_DRAWS: Option<GivenDraws<Self>> = Some(GivenDraws {
        input: input::NEIGHBORS,
        take: |metric| metric.noise(ImputationNoise::Given),
    });

    const TAKES: &'static [Layout] = IMAGES_ONLY;

    fn with_defaults() -> Self {
        Self::new()
    }
}
