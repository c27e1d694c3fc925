//! Deletion and Insertion.

use std::ops::Range;

use ndarray::{ArrayViewD, Axis, IxDyn};
use xai_core::{
    Activation, Error, ExactMean, Layout, Real, Result, check_finite, position_attributions,
};

use crate::scoring::{checked_samples, rows};
use crate::{IntoTargets, Model, Scoring, Targets};

/// The score along a growing perturbation.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PerturbationCurve {
    /// The area under the curve: the mean of its trapezoids.
    pub auc: f64,
    /// The mean score at each step, from none flipped to all that are allowed.
    pub curve: Vec<CurvePoint>,
}

/// One step of a [`PerturbationCurve`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CurvePoint {
    /// How many positions of every sample are flipped.
    pub n_flipped: usize,
    /// The mean score over the samples.
    pub score: f64,
}

/// A curve of more points has more points than an input has positions.
const MOST_STEPS: usize = 1 << 24;

/// Which end the curve starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Delete,
    Insert,
}

/// The choices that both curves share.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Perturbation {
    scoring: Scoring,
    steps: Option<usize>,
    max_fraction: f64,
    baseline: f64,
}

impl Default for Perturbation {
    fn default() -> Self {
        Self {
            scoring: Scoring::default(),
            steps: Some(10),
            max_fraction: 1.0,
            baseline: 0.0,
        }
    }
}

macro_rules! perturbation_metric {
    ($(#[$doc:meta])* $name:ident, $direction:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq)]
        pub struct $name(Perturbation);

        impl $name {
            /// 10 steps over all positions, baseline 0, no activation, batches of 64.
            #[must_use]
            pub fn new() -> Self {
                Self::default()
            }

            /// What is applied to the model's outputs.
            #[must_use]
            pub fn activation(mut self, activation: Activation) -> Self {
                self.0.scoring.activation = activation;
                self
            }

            /// The largest number of samples the model is called with, at least 1.
            #[must_use]
            pub fn batch_size(mut self, batch_size: usize) -> Self {
                self.0.scoring.batch_size = batch_size;
                self
            }

            /// How the axes of the inputs are read.
            #[must_use]
            pub fn layout(mut self, layout: Layout) -> Self {
                self.0.scoring.layout = Some(layout);
                self
            }

            /// The number of steps, at least 1; `None` is a step a position.
            #[must_use]
            pub fn steps(mut self, steps: Option<usize>) -> Self {
                self.0.steps = steps;
                self
            }

            /// The share of positions that the last step has flipped, in (0, 1].
            #[must_use]
            pub fn max_fraction(mut self, max_fraction: f64) -> Self {
                self.0.max_fraction = max_fraction;
                self
            }

            /// The value that stands for absence.
            #[must_use]
            pub fn baseline(mut self, baseline: f64) -> Self {
                self.0.baseline = baseline;
                self
            }

            /// The curve for a model, its inputs and their attribution maps.
            ///
            /// `inputs` and `maps` as in [`Layout`], `targets` class indices `(n,)` or rows
            /// `(n, n_outputs)`. The model sees `n` rows a step that flips anything,
            /// one batch after another.
            ///
            /// # Errors
            /// As [`AverageDrop::evaluate`](crate::AverageDrop::evaluate), and
            /// [`Error::InvalidParameter`] for steps, fraction or baseline outside their domain.
            pub fn evaluate<T: Real, M: Model<T> + ?Sized>(
                &self,
                model: &M,
                inputs: ArrayViewD<'_, T>,
                targets: &(impl IntoTargets + ?Sized),
                maps: ArrayViewD<'_, T>,
            ) -> Result<PerturbationCurve> {
                self.0.curve($direction, model, inputs, &targets.to_targets()?, maps)
            }
        }
    };
}

perturbation_metric! {
    /// How fast the score falls when the most important places are removed first.
    ///
    /// Positions are ordered by descending attribution (the mean over channels, not its size; ties
    /// to the lower position). At step `j = 0..=steps` the first `⌊j · max / steps⌋` are set to the
    /// baseline, `max = ⌊n_positions · max_fraction⌋`; the channels of a pixel go together. The
    /// score of a step is the mean over samples; the area is the mean of the trapezoids.
    /// **Lower is better**: the model loses its answer with what the map ranks first.
    ///
    /// ```
    /// use ndarray::{Array2, ArrayViewD, array};
    /// use xai_attribution::Deletion;
    /// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
    ///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
    /// };
    /// let x = array![[4.0, 2.0]].into_dyn();
    /// let curve = Deletion::new().steps(None).evaluate(&sum, x.view(), &[0], x.view())?;
    /// let scores: Vec<f64> = curve.curve.iter().map(|p| p.score).collect();
    /// assert_eq!(scores, [6.0, 2.0, 0.0]);
    /// assert_eq!(curve.auc, 2.5); // ((6 + 2)/2 + (2 + 0)/2)/2
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    ///
    /// # Source
    /// Petsiuk et al., *RISE*, 2018.
    Deletion, Direction::Delete
}

perturbation_metric! {
    /// How fast the score rises when the most important places come back first.
    ///
    /// As [`Deletion`], from the baseline towards the input; **higher is better**. With
    /// `max_fraction = 1` the last step is the score of the whole input.
    ///
    /// ```
    /// use ndarray::{Array2, ArrayViewD, array};
    /// use xai_attribution::Insertion;
    /// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
    ///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
    /// };
    /// let x = array![[4.0, 2.0]].into_dyn();
    /// let curve = Insertion::new().steps(Some(2)).evaluate(&sum, x.view(), &[0], x.view())?;
    /// assert_eq!(curve.auc, 3.5); // ((0 + 4)/2 + (4 + 6)/2)/2
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    ///
    /// # Source
    /// Petsiuk et al., *RISE*, 2018.
    Insertion, Direction::Insert
}

impl Perturbation {
    fn check(&self) -> Result<()> {
        if let Some(steps) = self.steps.filter(|steps| !(1..=MOST_STEPS).contains(steps)) {
            return Err(Error::parameter(
                "steps",
                steps,
                "at least 1 and at most 16 777 216, or a step a position",
            ));
        }
        if !(self.max_fraction > 0.0 && self.max_fraction <= 1.0) {
            return Err(Error::parameter(
                "max_fraction",
                self.max_fraction,
                "a share in (0, 1]",
            ));
        }
        if !self.baseline.is_finite() {
            return Err(Error::parameter(
                "baseline",
                self.baseline,
                "a finite number",
            ));
        }
        Ok(())
    }

    fn curve<T: Real, M: Model<T> + ?Sized>(
        &self,
        direction: Direction,
        model: &M,
        inputs: ArrayViewD<'_, T>,
        targets: &Targets,
        maps: ArrayViewD<'_, T>,
    ) -> Result<PerturbationCurve> {
        self.check()?;
        let n = checked_samples(&inputs, targets, &self.scoring)?;
        let layout = self.scoring.layout_of(inputs.shape())?;
        let places = Places::new(&inputs, &maps, layout)?;
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss
        )]
        let max = (places.positions as f64 * self.max_fraction).floor() as usize;
        if max == 0 {
            return Err(Error::parameter(
                "max_fraction",
                self.max_fraction,
                format!(
                    "a share that flips at least one of {} positions",
                    places.positions
                ),
            ));
        }
        let steps = self.steps.unwrap_or(max);
        let flipped: Vec<usize> = (0..=steps).map(|j| j * max / steps).collect();
        let baseline = T::from_f64_nearest(self.baseline);
        let mut means = vec![ExactMean::new(); flipped.len()];
        // Batch by batch, so that only one batch is ever copied; within it each step flips only
        // what the step before has not.
        for start in (0..n).step_by(self.scoring.batch_size) {
            let samples = start..(start + self.scoring.batch_size).min(n);
            let original: Vec<T> = rows(&inputs, samples.clone()).iter().copied().collect();
            let blank = vec![baseline; original.len()];
            let (mut current, source) = match direction {
                Direction::Delete => (original, blank),
                Direction::Insert => (blank, original),
            };
            let mut shape = inputs.shape().to_vec();
            shape[0] = samples.len();
            let orders = places.orders(samples.clone(), max);
            let mut scores: Vec<f64> = Vec::new();
            for (step, mean) in means.iter_mut().enumerate() {
                let done = if step == 0 { 0 } else { flipped[step - 1] };
                if step == 0 || flipped[step] > done {
                    places.flip(&mut current, &source, &orders, done..flipped[step]);
                    let batch = ArrayViewD::from_shape(IxDyn(&shape), &current)
                        .map_err(|_| Error::shape("inputs", &shape, &[current.len()]))?;
                    let answer = model.outputs(batch);
                    scores = self.scoring.score_batch(samples.clone(), targets, answer)?;
                }
                mean.extend(scores.iter().copied());
            }
        }
        let scores: Vec<f64> = means.iter().filter_map(ExactMean::value).collect();
        let trapezoids: ExactMean = scores
            .windows(2)
            .map(|pair| 0.5 * pair[0] + 0.5 * pair[1])
            .collect();
        Ok(PerturbationCurve {
            auc: trapezoids.value().unwrap_or(scores[0]),
            curve: flipped
                .into_iter()
                .zip(scores)
                .map(|(n_flipped, score)| CurvePoint { n_flipped, score })
                .collect(),
        })
    }
}

/// Where the positions of an input are, and in which order a map flips them.
struct Places<T> {
    attributions: Vec<T>,
    positions: usize,
    channels: usize,
    channels_first: bool,
}

impl<T: Real> Places<T> {
    fn new(inputs: &ArrayViewD<'_, T>, maps: &ArrayViewD<'_, T>, layout: Layout) -> Result<Self> {
        let shape = inputs.shape();
        // In time series and tables every element is a feature of its own, also where the map has
        // only one value a time step.
        let expanded;
        let maps = if layout == Layout::TimeSeries && maps.shape() == &shape[..2] {
            expanded = maps.view().insert_axis(Axis(2));
            expanded
                .broadcast(shape)
                .ok_or_else(|| Error::shape("explanations", shape, maps.shape()))?
        } else {
            maps.view()
        };
        check_finite("explanations", maps.view())?;
        let (channels, channels_first) = match layout {
            Layout::ChannelsLast => (shape[3], false),
            Layout::ChannelsFirst => (shape[1], true),
            Layout::Tabular | Layout::TimeSeries => (1, false),
        };
        Ok(Self {
            attributions: position_attributions(maps, shape, layout)?,
            positions: layout.n_positions(shape),
            channels,
            channels_first,
        })
    }

    /// The first `max` positions of each sample, by descending attribution.
    fn orders(&self, samples: Range<usize>, max: usize) -> Vec<Vec<u32>> {
        xai_core::parallel::map(samples.len(), |i| {
            let start = (samples.start + i) * self.positions;
            let attributions = &self.attributions[start..start + self.positions];
            #[allow(clippy::cast_possible_truncation)] // an input of 2^32 positions has no map
            let mut order: Vec<u32> = (0..self.positions as u32).collect();
            let by_attribution = |a: &u32, b: &u32| {
                let (x, y) = (attributions[*a as usize], attributions[*b as usize]);
                y.partial_cmp(&x)
                    .unwrap_or(std::cmp::Ordering::Equal)
                    .then(a.cmp(b))
            };
            if max < order.len() {
                order.select_nth_unstable_by(max, by_attribution);
                order.truncate(max);
            }
            order.sort_unstable_by(by_attribution);
            order
        })
    }

    /// Copies the positions of rank `ranks` from `source`.
    fn flip(&self, current: &mut [T], source: &[T], orders: &[Vec<u32>], ranks: Range<usize>) {
        let size = self.positions * self.channels;
        let samples = current
            .chunks_exact_mut(size)
            .zip(source.chunks_exact(size));
        for ((current, source), order) in samples.zip(orders) {
            for &position in &order[ranks.clone()] {
                let position = position as usize;
                if self.channels_first {
                    for channel in 0..self.channels {
                        let at = channel * self.positions + position;
                        current[at] = source[at];
                    }
                } else {
                    let pixel = position * self.channels..(position + 1) * self.channels;
                    current[pixel.clone()].copy_from_slice(&source[pixel]);
                }
            }
        }
    }
}
