//! The scores along a growing perturbation.

use std::ops::Range;
use std::sync::Arc;

use xai_core::tensor::Positions;
use xai_core::{Error, Real, Result};

use crate::batch::explained::{ExplainedBatch, MapWork};
use crate::batch::run_data::{RunData, RunWork};
use crate::batch::samples::SampleBatch;
use crate::input;
use crate::map::positions::for_each_row;
use crate::perturbation::baseline::{Baseline, BlankInputs, BlankScores};
use crate::perturbation::removal_order::{OrderedPositions, RemovalOrder};

/// Which end a removal curve starts from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Start {
    /// The whole input; positions are set to the baseline.
    #[default]
    Input,
    /// The baseline; positions are set to the input.
    Blank,
}

/// How many positions the steps of a curve flip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steps {
    /// The number of steps, at least 1; `None` is one step per position.
    pub steps: Option<usize>,
    /// The share of positions that the last step has flipped, in (0, 1].
    pub max_fraction: f64,
}

impl Default for Steps {
    /// 10 steps over all positions.
    fn default() -> Self {
        Self {
            steps: Some(10),
            max_fraction: 1.0,
        }
    }
}

/// A curve of more points has more points than an input has positions.
const MOST_STEPS: usize = 1 << 24;

impl Steps {
    /// How many positions are flipped at each point of a curve over so many positions, ascending;
    /// parameters checked. Steps that flip the same number, of which a curve of more steps than
    /// positions has some, are one point.
    fn counts(self, positions: usize) -> Result<Vec<usize>> {
        let Self {
            steps,
            max_fraction,
        } = self;
        if let Some(steps) = steps.filter(|steps| !(1..=MOST_STEPS).contains(steps)) {
            return Err(Error::parameter(
                input::STEPS,
                steps,
                "at least 1 and at most 16 777 216, or one step per position",
            ));
        }
        let fraction =
            |expected: String| Error::parameter(input::MAX_FRACTION, max_fraction, expected);
        if !(max_fraction > 0.0 && max_fraction <= 1.0) {
            return Err(fraction("a share in (0, 1]".into()));
        }
        let max = (positions as f64 * max_fraction).floor() as usize;
        if max == 0 {
            return Err(fraction(format!(
                "a share that flips at least one of {positions} positions"
            )));
        }
        let steps = steps.unwrap_or(max);
        let steps = steps.min(max); // more of them repeat the same max + 1 counts
        Ok((0..=steps).map(|j| j * max / steps).collect())
    }
}

impl<T: Real> RunWork<T> for Steps {
    type Output = Vec<usize>;

    fn compute(&self, run: &RunData<'_, T>) -> Result<Vec<usize>> {
        self.counts(run.n_positions())
    }
}

/// The scores of every sample along the removal of positions, in any order, from either end.
///
/// At step `j = 0..=steps` the first `⌊j · max / steps⌋` positions are flipped, `max =
/// ⌊n_positions · max_fraction⌋`; the channels of a pixel go together. Steps that flip the same
/// number (more steps than positions, as any table of few features has) are one point. The two ends of a curve do
/// not depend on the map: explainers share them. Where a batch has room for several steps of all
/// its samples they go in one call of the model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RemovalCurve {
    /// Which positions go first.
    pub order: RemovalOrder,
    /// Which end it starts from.
    pub start: Start,
    /// The steps.
    pub steps: Steps,
    /// What stands for absence.
    pub baseline: Baseline,
}

/// The scores of a batch along a [`RemovalCurve`].
#[derive(Debug, Clone, PartialEq)]
pub struct CurveScores {
    /// How many positions are flipped at each point: 0 first, then ascending.
    pub n_flipped: Arc<Vec<usize>>,
    /// `[point][sample]`.
    pub scores: Vec<Vec<f64>>,
}

impl CurveScores {
    /// The area under each sample's curve: the mean of the trapezoids between its points.
    pub fn areas(&self) -> impl Iterator<Item = f64> + '_ {
        let last = self.scores.len() - 1;
        (0..self.scores[0].len()).map(move |sample| {
            // Every point is a side of two trapezoids, but for the first and the last.
            let sum: f64 = self.scores.iter().map(|scores| scores[sample]).sum();
            let ends = 0.5 * self.scores[0][sample] + 0.5 * self.scores[last][sample];
            (sum - ends) / last as f64
        })
    }
}

impl RemovalCurve {
    /// Checks the parameters: what a metric does once per run, before the model is called.
    ///
    /// # Errors
    /// An invalid parameter, about steps, fraction or baseline.
    pub fn prepare<T: Real>(&self, run: &RunData<'_, T>) -> Result<()> {
        run.shared(&self.steps)?;
        self.baseline.prepare(run)
    }

    /// What errors of the model call it.
    fn name(&self) -> &'static str {
        match self.start {
            Start::Input => "deletion",
            Start::Blank => "insertion",
        }
    }

    /// The scores of all samples at points between the ends: `[point][sample]`.
    fn scores_between<T: Real>(
        &self,
        batch: &SampleBatch<'_, T>,
        orders: &[Vec<u32>],
        between: &[usize],
    ) -> Result<Vec<Vec<f64>>> {
        let (places, n) = (batch.run().positions(), batch.n_samples());
        let blank = batch.shared(&BlankInputs(self.baseline.clone()))?;
        let (from, to): (&[T], &[T]) = match self.start {
            Start::Input => (batch.values(), &blank),
            Start::Blank => (&blank, batch.values()),
        };
        // Several steps share a call where the batch size allows it, so that few samples do not
        // mean many small calls.
        let steps_per_call = (batch.batch_size() / n).clamp(1, between.len().max(1));
        let calls: Vec<&[usize]> = between.chunks(steps_per_call).collect();
        let n_pieces = batch.n_pieces(calls.len()).max(1);
        let size = n * places.size();
        let scorer = batch.scorer();
        let answers = batch.call_model(n_pieces, |piece, model| {
            let calls =
                &calls[piece * calls.len() / n_pieces..(piece + 1) * calls.len() / n_pieces];
            let room = calls.first().map_or(0, |counts| counts.len());
            // Each of the blocks is flipped on from where it was a call before.
            let mut blocks = from.repeat(room);
            let mut done = vec![0; room];
            let mut scores = Vec::new();
            for counts in calls {
                let steps = done.iter_mut().zip(*counts);
                for (block, (done, &count)) in blocks.chunks_exact_mut(size).zip(steps) {
                    flip(places, block, to, orders, *done..count);
                    *done = count;
                }
                let rows = &blocks[..counts.len() * size];
                let step = format!(", {} with {counts:?} positions flipped", self.name());
                let answer = scorer.scores(model, rows, |row| row % n, &step)?;
                scores.extend(answer.chunks_exact(n).map(<[f64]>::to_vec));
            }
            Ok(scores)
        })?;
        Ok(answers.into_iter().flatten().collect())
    }
}

impl<T: Real> MapWork<T> for RemovalCurve {
    type Output = CurveScores;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<CurveScores> {
        let batch = explained.batch();
        let n_flipped = batch.run().shared(&self.steps)?;
        let positions = batch.run().n_positions();
        let orders = explained.shared(&OrderedPositions {
            order: self.order,
            n: n_flipped[n_flipped.len() - 1],
        })?;
        let is_end = |count: usize| count == 0 || count == positions;
        let all = n_flipped.iter().copied();
        let between: Vec<usize> = all.filter(|&count| !is_end(count)).collect();
        let mut answers = self.scores_between(batch, &orders, &between)?.into_iter();
        let mut scores = Vec::with_capacity(n_flipped.len());
        for &count in &*n_flipped {
            let at_start = count == 0;
            scores.push(if !is_end(count) {
                answers
                    .next()
                    .expect("one answer per point between the ends")
            } else if at_start == (self.start == Start::Input) {
                batch.base_scores()?.to_vec()
            } else {
                batch.shared(&BlankScores(self.baseline.clone()))?.to_vec()
            });
        }
        Ok(CurveScores { n_flipped, scores })
    }
}

/// Copies the positions of rank `ranks` from `source`, in every sample.
fn flip<T: Real>(
    places: Positions,
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
