//! Deletion and Insertion.

use std::ops::Range;
use std::sync::Mutex;

use xai_core::{Activation, Error, ExactMean, Layout, Real, Result};

use crate::batch::{Study, evaluate_all};
use crate::evaluation_metric::Collector;
use crate::places::{Places, for_each_row};
use crate::scoring::{into_inner, lock};
use crate::{
    Baseline, Better, EvaluationError, EvaluationMetric, ExplainedBatch, IntoTargets, Model,
    Samples, Scoring,
};

/// The score along a growing perturbation.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PerturbationCurve {
    /// The area under the curve, the mean of its trapezoids: the mean of `per_sample`.
    pub auc: f64,
    /// The area under the curve of each sample by itself.
    pub per_sample: Vec<f64>,
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
#[derive(Debug, Clone, PartialEq)]
struct Perturbation {
    scoring: Scoring,
    steps: Option<usize>,
    max_fraction: f64,
    baseline: Baseline,
}

impl Default for Perturbation {
    fn default() -> Self {
        Self {
            scoring: Scoring::default(),
            steps: Some(10),
            max_fraction: 1.0,
            baseline: Baseline::default(),
        }
    }
}

macro_rules! perturbation_metric {
    ($(#[$doc:meta])* $name:ident, $direction:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq)]
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

            /// What stands for absence: a number, a `Vec` of one number a channel, or any
            /// [`Baseline`].
            #[must_use]
            pub fn baseline(mut self, baseline: impl Into<Baseline>) -> Self {
                self.0.baseline = baseline.into();
                self
            }

            /// The curve for a model, its inputs and their attribution maps.
            ///
            /// `inputs` and `maps` are [`Samples`] (array views are) of a [`Layout`], `targets`
            /// class indices `(n,)` or rows `(n, n_outputs)`. The model sees `n` rows for every
            /// step that flips anything, and for the start. Where a batch has room for several
            /// steps of all its samples they go in one call.
            ///
            /// # Errors
            /// As [`AverageDrop::evaluate`](crate::AverageDrop::evaluate), and
            /// [`Error::InvalidParameter`] for steps, fraction or baseline outside their domain.
            pub fn evaluate<T: Real, M: Model<T> + ?Sized>(
                &self,
                model: &M,
                inputs: impl Samples<T>,
                targets: &(impl IntoTargets + ?Sized),
                maps: impl Samples<T>,
            ) -> Result<PerturbationCurve, EvaluationError> {
                self.0.evaluate($direction, model, inputs, targets, maps)
            }
        }

        impl<T: Real> EvaluationMetric<T> for $name {
            fn name(&self) -> &'static str {
                $direction.name()
            }

            fn better(&self) -> Better {
                match $direction {
                    Direction::Delete => Better::Lower,
                    Direction::Insert => Better::Higher,
                }
            }

            fn scores(&self, batch: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
                let curves = self.0.curves($direction, batch)?;
                Ok(curves.areas().collect())
            }

            fn check(&self, shape: &[usize], layout: Layout) -> Result<()> {
                self.0.levels(layout.n_positions(shape)).map(drop)
            }

            fn scoring(&self) -> Option<Scoring> {
                Some(self.0.scoring)
            }

            fn baseline(&self) -> Option<&Baseline> {
                Some(&self.0.baseline)
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

impl Direction {
    fn name(self) -> &'static str {
        match self {
            Self::Delete => "deletion",
            Self::Insert => "insertion",
        }
    }
}

/// A number of flipped positions, and how many steps have it: more steps than positions repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Level {
    flipped: usize,
    steps: usize,
}

/// The curves of the samples of a batch.
struct Curves {
    levels: Vec<Level>,
    /// The scores of all samples at each level.
    scores: Vec<Vec<f64>>,
}

impl Curves {
    /// The area under each sample's curve: the mean of its trapezoids.
    #[allow(clippy::cast_precision_loss)] // at most 2^24 steps
    fn areas(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        let last = self.scores.len() - 1;
        let trapezoids = self.levels.iter().map(|level| level.steps).sum::<usize>() - 1;
        (0..self.scores[0].len()).map(move |sample| {
            // Every step is a side of two trapezoids, but for the first and the last.
            let points = self.levels.iter().zip(&self.scores);
            let sum: f64 = points
                .map(|(l, scores)| l.steps as f64 * scores[sample])
                .sum();
            let ends = 0.5 * self.scores[0][sample] + 0.5 * self.scores[last][sample];
            Some((sum - ends) / trapezoids as f64)
        })
    }
}

impl Perturbation {
    /// The levels of the curve, parameters checked. There are never more of them than positions,
    /// however many steps.
    fn levels(&self, positions: usize) -> Result<Vec<Level>> {
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
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss
        )]
        let max = (positions as f64 * self.max_fraction).floor() as usize;
        if max == 0 {
            return Err(Error::parameter(
                "max_fraction",
                self.max_fraction,
                format!("a share that flips at least one of {positions} positions"),
            ));
        }
        let steps = self.steps.unwrap_or(max);
        let mut levels: Vec<Level> = Vec::with_capacity(steps.min(max) + 1);
        for flipped in (0..=steps).map(|j| j * max / steps) {
            match levels.last_mut() {
                Some(level) if level.flipped == flipped => level.steps += 1,
                _ => levels.push(Level { flipped, steps: 1 }),
            }
        }
        Ok(levels)
    }

    fn evaluate<T: Real, M: Model<T> + ?Sized>(
        &self,
        direction: Direction,
        model: &M,
        inputs: impl Samples<T>,
        targets: &(impl IntoTargets + ?Sized),
        maps: impl Samples<T>,
    ) -> Result<PerturbationCurve, EvaluationError> {
        let mut study = Study::new(inputs, targets.to_targets()?, self.scoring)?;
        let levels = self.levels(Places::new(study.shape(), study.layout()).positions)?;
        let means = Mutex::new(vec![ExactMean::new(); levels.len()]);
        let collector = Collector {
            name: direction.name(),
            baseline: Some(&self.baseline),
            collect: |batch: &ExplainedBatch<'_, T>| {
                let curves = self.curves(direction, batch)?;
                for (mean, scores) in lock(&means).iter_mut().zip(&curves.scores) {
                    mean.extend(scores.iter().copied());
                }
                Ok(curves.areas().collect())
            },
        };
        let scores = evaluate_all(model, &mut study, &[(None, &maps)], &[&collector], &|_| {})?;
        let per_sample: Vec<f64> = scores.into_iter().flatten().flatten().flatten().collect();
        let mean: ExactMean = per_sample.iter().copied().collect();
        let points = levels.iter().zip(into_inner(means));
        Ok(PerturbationCurve {
            auc: mean.value().unwrap_or_default(),
            per_sample,
            curve: points
                .filter_map(|(level, mean)| {
                    let n_flipped = level.flipped;
                    let point = mean.value().map(|score| CurvePoint { n_flipped, score })?;
                    Some(std::iter::repeat_n(point, level.steps))
                })
                .flatten()
                .collect(),
        })
    }

    /// The scores of all samples of a batch, level by level.
    fn curves<T: Real>(
        &self,
        direction: Direction,
        explained: &ExplainedBatch<'_, T>,
    ) -> Result<Curves> {
        let batch = explained.batch();
        let places = batch.places();
        let levels = self.levels(places.positions)?;
        let max = levels[levels.len() - 1].flipped;
        let blank = batch.blank(&self.baseline)?;
        let original = batch.values();
        let (from, to) = match direction {
            Direction::Delete => (original, blank.inputs.as_slice()),
            Direction::Insert => (blank.inputs.as_slice(), original),
        };
        // The two ends of a curve do not depend on the map; explainers share them.
        let ends = |start: bool| match (direction, start) {
            (Direction::Delete, true) | (Direction::Insert, false) => batch.base_scores(),
            _ => batch.blank_scores(&blank),
        };
        let is_end = |flipped: usize| flipped == 0 || flipped == places.positions;
        let between: Vec<usize> = levels
            .iter()
            .map(|level| level.flipped)
            .filter(|&flipped| !is_end(flipped))
            .collect();
        let n = batch.samples().len();
        let orders = orders(explained.attributions()?, places.positions, max);
        // Several steps share a call where the batch size allows it, so that few samples do not
        // mean many small calls.
        let steps_a_call = (batch.batch_size() / n).clamp(1, between.len().max(1));
        let calls: Vec<&[usize]> = between.chunks(steps_a_call).collect();
        let n_pieces = batch.n_pieces(calls.len()).max(1);
        let size = n * places.size();
        let scorer = batch.scorer();
        let answers = batch.run(n_pieces, |piece, model| {
            let calls =
                &calls[piece * calls.len() / n_pieces..(piece + 1) * calls.len() / n_pieces];
            let room = calls.first().map_or(0, |counts| counts.len());
            // Each of the blocks is flipped on from where it was a call before.
            let mut blocks = from.repeat(room);
            let mut done = vec![0; room];
            let mut scores = Vec::new();
            for counts in calls {
                for ((block, done), &count) in
                    blocks.chunks_exact_mut(size).zip(&mut done).zip(*counts)
                {
                    flip(places, block, to, &orders, *done..count);
                    *done = count;
                }
                let answer = scorer.scores(
                    model,
                    &blocks[..counts.len() * size],
                    |row| row % n,
                    &format!(", {} with {counts:?} positions flipped", direction.name()),
                )?;
                scores.extend(answer.chunks_exact(n).map(<[f64]>::to_vec));
            }
            Ok(scores)
        })?;
        let mut answers = answers.into_iter().flatten();
        let score = |level: &Level| match level.flipped {
            flipped if is_end(flipped) => ends(flipped == 0).map(<[f64]>::to_vec),
            _ => Ok(answers.next().unwrap_or_default()),
        };
        let scores = levels.iter().map(score).collect::<Result<_>>()?;
        Ok(Curves { levels, scores })
    }
}

/// The first `max` positions of each sample, by descending attribution, ties to the lower position.
fn orders<T: Real>(attributions: &[T], positions: usize, max: usize) -> Vec<Vec<u32>> {
    xai_core::parallel::map(attributions.len() / positions, |sample| {
        let attributions = &attributions[sample * positions..(sample + 1) * positions];
        // Integers that ascend as the attributions descend, positions behind them. Comparing through
        // an index instead: 44 ms for 40 (50 steps of 64 images of 64 × 64 × 3, a cheap model of 32).
        if size_of::<T>() == 4 {
            #[allow(clippy::cast_possible_truncation)] // `T` is f32: the value is one already
            let key = |x: f64| u64::from(descending_f32(x as f32)) << 32;
            first(
                attributions.iter().map(|x| key(x.to_f64_exact())),
                max,
                |key| key as u32,
            )
        } else {
            let key = |x: f64| u128::from(descending_f64(x)) << 64;
            first(
                attributions.iter().map(|x| key(x.to_f64_exact())),
                max,
                |key| key as u32,
            )
        }
    })
}

/// The places of the `max` least keys, in their order. Keys have room for a place in their low bits.
fn first<K>(keys: impl Iterator<Item = K>, max: usize, place: impl Fn(K) -> u32) -> Vec<u32>
where
    K: Copy + Ord + From<u32> + std::ops::BitOr<Output = K>,
{
    // An input of 2^32 positions has no map.
    let mut keys: Vec<K> = keys.zip(0u32..).map(|(key, i)| key | K::from(i)).collect();
    if max < keys.len() {
        keys.select_nth_unstable(max);
        keys.truncate(max);
    }
    keys.sort_unstable();
    keys.into_iter().map(place).collect()
}

/// Bits that descend as finite values ascend; −0 and 0 have the same.
fn descending_f32(x: f32) -> u32 {
    let bits = (x + 0.0).to_bits();
    if bits >> 31 == 1 {
        bits
    } else {
        !bits & 0x7fff_ffff
    }
}

/// As [`descending_f32`].
fn descending_f64(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 1 {
        bits
    } else {
        !bits & (u64::MAX >> 1)
    }
}

/// Copies the positions of rank `ranks` from `source`, in every sample.
fn flip<T: Real>(
    places: Places,
    current: &mut [T],
    source: &[T],
    orders: &[Vec<u32>],
    ranks: Range<usize>,
) {
    let size = places.size();
    for_each_row(current, size, |sample, current| {
        let source = &source[sample * size..(sample + 1) * size];
        for &position in &orders[sample][ranks.clone()] {
            places.copy(current, source, position as usize);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_comparison<T: Real>(attributions: &[T], max: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..attributions.len() as u32).collect();
        let value = |i: &u32| attributions[*i as usize];
        order.sort_by(|a, b| value(b).partial_cmp(&value(a)).unwrap());
        order.truncate(max);
        order
    }

    proptest! {
        #[test]
        fn keys_order_as_comparisons_do(
            values in prop::collection::vec(
                prop_oneof![any::<f32>().prop_filter("finite", |x| x.is_finite()), -2.0..2.0f32, Just(0.0), Just(-0.0), Just(1.0)],
                1..60,
            ),
            share in 0.0..1.0f64,
        ) {
            let max = ((values.len() as f64 * share) as usize).max(1);
            prop_assert_eq!(&orders(&values, values.len(), max)[0], &by_comparison(&values, max));
            let double: Vec<f64> = values.iter().map(|&x| f64::from(x) * 1e200).collect();
            prop_assert_eq!(&orders(&double, double.len(), max)[0], &by_comparison(&double, max));
        }
    }
}
