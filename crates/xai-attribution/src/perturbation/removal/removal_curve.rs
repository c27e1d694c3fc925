//! The scores along a growing perturbation.

use std::sync::Arc;

use xai_core::describe::Parameter;
use xai_core::evaluation::TiedFeatures;
use xai_core::tensor::Positions;
use xai_core::{Real, Result, parallel};

use crate::batch::{ExplainedBatch, MapWork, Plan, RunData, SampleBatch};
use crate::model::CurveScore;
use crate::perturbation::removal::removal_order::tied_features;
use crate::perturbation::removal::removed::Remover;
use crate::perturbation::removal::steps::Counts;
use crate::perturbation::{
    Baseline, BaselineInputs, BaselineOutputs, FeatureCells, Features, OrderedFeatures,
    OrderedPositions, RankBy, RemovalOrder, RemovalTies, Steps,
};

/// Which end a removal curve starts from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Start {
    /// The whole input; positions are set to the baseline.
    #[default]
    Input,
    /// The baseline; positions are set to the input.
    Blank,
}

/// The scores of every sample along the removal of features, in any order, from either end.
///
/// At step `j = 0..=steps` the first `⌊j · max / steps⌋` features are flipped, `max = ⌊n_features ·
/// max_fraction⌋`; the channels of a pixel go together. Steps that flip the same number (more steps
/// than positions, as any table of few features has) are one point. The two ends of a curve do not
/// depend on the map: explainers share them. Where a batch has room for several steps of all its
/// samples they go in one call of the model. A sample with fewer segments than another is at its end
/// earlier, and the model is not asked about it again.
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
    /// Which positions go together.
    pub features: Features,
    /// What ranks features of several positions.
    pub rank_by: RankBy,
    /// What is read off the model's outputs.
    pub score: CurveScore,
    /// Which of tied features goes first.
    pub ties: RemovalTies,
    /// Whether features without a positive attribution are never flipped: a sample is at its last point when all others are.
    pub only_positive: bool,
}

/// The scores of a batch along a [`RemovalCurve`].
#[derive(Debug, Clone, PartialEq)]
pub struct CurveScores {
    /// How many features are flipped at each point: 0 first, then ascending.
    pub n_flipped: Arc<Vec<usize>>,
    /// `[point][sample]`.
    pub scores: Vec<Vec<f64>>,
    /// The points that each sample has, where some have fewer features than others: it stays at its
    /// last score.
    n_points: Option<Vec<usize>>,
}

impl CurveScores {
    /// Points that all samples have; NaN where a sample has no value at one.
    pub(crate) fn from_shared_points(n_flipped: Vec<usize>, scores: Vec<Vec<f64>>) -> Self {
        Self {
            n_flipped: Arc::new(n_flipped),
            scores,
            n_points: None,
        }
    }

    /// The scores of a sample at its own points, that of the start first.
    pub fn for_sample(&self, sample: usize) -> impl ExactSizeIterator<Item = f64> + '_ {
        let n_points = self
            .n_points
            .as_ref()
            .map_or(self.scores.len(), |n| n[sample]);
        self.scores[..n_points]
            .iter()
            .map(move |scores| scores[sample])
    }

    /// The number of samples.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        self.scores[0].len()
    }
}

impl RemovalCurve {
    /// How many features of a batch are tied with another one; `None` for an order that does not depend on attributions.
    ///
    /// # Errors
    /// Those of features and explainer.
    pub fn tied<T: Real>(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        tied_features(explained, self.features, self.order, self.rank_by)
    }

    /// Checks the parameters: what a metric does once per run, before the model is called.
    ///
    /// # Errors
    /// An invalid parameter, about steps, fraction, features or baseline; of given orders, those not
    /// given.
    pub fn prepare<T: Real>(&self, run: &RunData<'_, T>) -> Result<()> {
        self.features.prepare(run)?;
        self.order.prepare(run, self.features)?;
        let counts = run.shared(&self.counts())?;
        let last = counts.last().copied().unwrap_or_default();
        let has_blank = self.start == Start::Blank || last >= self.features.max_count(run)?;
        self.score.check(run.targets())?;
        self.baseline.prepare(run)?;
        match has_blank {
            true => self.baseline.prepare_whole(run),
            false => Ok(()),
        }
    }

    /// Adds the rows that the model sees for it.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let n_flipped = plan.run().shared(&self.counts())?;
        let n_features = self.features.counts(plan.run())?;
        let last = n_flipped[n_flipped.len() - 1];
        let blank = BaselineOutputs(self.baseline.clone());
        // A sample is at its end at the first point that flips all of its features.
        let reaches_end = n_features.iter().any(|&features| features <= last);
        let (needs_base, needs_blank) = match self.start {
            Start::Input => (true, reaches_end),
            Start::Blank => (reaches_end, true),
        };
        if needs_base {
            plan.base_scores();
        }
        if needs_blank {
            blank.plan(plan);
        }
        plan.maps();
        plan.per_explainer(self, self.rows_between(plan.run())?);
        Ok(())
    }

    /// The rows that the model sees between the ends, over all samples.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub(crate) fn rows_between<T: Real>(&self, run: &RunData<'_, T>) -> Result<u64> {
        let n_flipped = run.shared(&self.counts())?;
        let between = |&features: &usize| {
            let inner = n_flipped.partition_point(|&count| count < features);
            inner.saturating_sub(1) as u64
        };
        Ok(self.features.counts(run)?.iter().map(between).sum())
    }

    fn counts(&self) -> Counts {
        Counts {
            steps: self.steps.clone(),
            features: self.features,
        }
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
        if self.baseline == Baseline::LinearImputation {
            return self.imputed_between(batch, orders, between);
        }
        let blank = batch.shared(&BaselineInputs(self.baseline.clone()))?;
        let values = batch.values();
        let ends = |sample: usize| {
            let value = &values[sample * places.size()..(sample + 1) * places.size()];
            match self.start {
                Start::Input => (value, blank.row(sample)),
                Start::Blank => (blank.row(sample), value),
            }
        };
        // Several steps share a call where the batch size allows it, so that few samples do not
        // mean many small calls.
        let steps_per_call = (batch.batch_size() / n).clamp(1, between.len().max(1));
        let calls: Vec<&[usize]> = between.chunks(steps_per_call).collect();
        let n_pieces = batch.n_pieces(calls.len()).max(1);
        let size = n * places.size();
        let (scorer, row_buffers) = (batch.scorer_for(self.score), batch.row_buffers());
        let answers = batch.call_model(n_pieces, |piece, model| {
            let calls =
                &calls[piece * calls.len() / n_pieces..(piece + 1) * calls.len() / n_pieces];
            let room = calls.first().map_or(0, |counts| counts.len());
            row_buffers.with_buffer(room * size, |blocks| {
                let (mut done, mut scores): (&[usize], _) = (&[], Vec::new());
                for counts in calls {
                    let mut rows_of: Vec<Vec<&mut [T]>> = (0..n).map(|_| Vec::new()).collect();
                    for (row, values) in blocks.chunks_exact_mut(places.size()).enumerate() {
                        rows_of[row % n].push(values);
                    }
                    parallel::with_work_size(room * size, || {
                        parallel::map_owned(rows_of, |sample, mut rows| {
                            let order = &orders[sample];
                            flip_rows(places, &mut rows, ends(sample), order, done, counts);
                        })
                    });
                    done = counts;
                    let rows = &blocks[..counts.len() * size];
                    let step = format!(", {} with {counts:?} positions flipped", self.name());
                    let answer = scorer.scores(model, rows, &|row| row % n, &step)?;
                    scores.extend(answer.chunks_exact(n).map(<[f64]>::to_vec));
                }
                Ok(scores)
            })
        })?;
        Ok(answers.into_iter().flatten().collect())
    }
}

impl RemovalCurve {
    /// As [`scores_between`](Self::scores_between), of what depends on all that is removed: every row is
    /// made anew.
    fn imputed_between<T: Real>(
        &self,
        batch: &SampleBatch<'_, T>,
        orders: &[Vec<u32>],
        between: &[usize],
    ) -> Result<Vec<Vec<f64>>> {
        let n = batch.n_samples();
        let remover = Remover::new(batch, &self.baseline)?;
        let scores = batch.score_changed_with(
            self.score,
            between.len() * n,
            |row| row % n,
            |row, values| {
                let removed = &orders[row % n][..between[row / n]];
                remover.remove(row % n, values, removed.iter().copied());
            },
            ", deletion with imputation",
        )?;
        remover.check()?;
        Ok(scores.chunks_exact(n).map(<[f64]>::to_vec).collect())
    }

    /// Position by position.
    fn over_positions<T: Real>(
        &self,
        explained: &ExplainedBatch<'_, T>,
        n_flipped: Arc<Vec<usize>>,
    ) -> Result<CurveScores> {
        let batch = explained.batch();
        let positions = batch.run().n_positions();
        let orders = explained.shared(&OrderedPositions {
            order: self.order,
            n: n_flipped[n_flipped.len() - 1],
            ties: self.ties,
        })?;
        let is_end = |count: usize| count == 0 || count == positions;
        let all = n_flipped.iter().copied();
        let between: Vec<usize> = all.filter(|&count| !is_end(count)).collect();
        let mut answers = self.scores_between(batch, &orders, &between)?.into_iter();
        let mut scores = Vec::with_capacity(n_flipped.len());
        for &count in &*n_flipped {
            scores.push(match is_end(count) {
                true => self.end(batch, count == 0)?,
                false => answers
                    .next()
                    .expect("one answer per point between the ends"),
            });
        }
        Ok(CurveScores {
            n_flipped,
            scores,
            n_points: None,
        })
    }

    /// The scores of all samples at the start of the curve, or at its end.
    fn end<T: Real>(&self, batch: &SampleBatch<'_, T>, is_start: bool) -> Result<Vec<f64>> {
        if is_start == (self.start == Start::Input) {
            if self.score == CurveScore::Target {
                return batch.base_scores().map(<[f64]>::to_vec);
            }
            let scorer = batch.scorer_for(self.score);
            return scorer.scores_of(batch.base_outputs()?, &|row| row);
        }
        let blank = batch.shared(&BaselineOutputs(self.baseline.clone()))?;
        batch.scorer_for(self.score).scores_of(&blank, &|row| row)
    }

    /// Feature by feature: few, so that every row is made anew from its sample.
    fn over_features<T: Real>(
        &self,
        explained: &ExplainedBatch<'_, T>,
        n_flipped: Arc<Vec<usize>>,
    ) -> Result<CurveScores> {
        let batch = explained.batch();
        let n = batch.n_samples();
        let cells = batch.shared(&self.features)?;
        let orders = explained.shared(&OrderedFeatures {
            features: self.features,
            order: self.order,
            rank_by: self.rank_by,
            ties: self.ties,
        })?;
        let remover = Remover::new(batch, &self.baseline)?;
        let most: Vec<usize> = match self.only_positive {
            true => n_positive(&cells, explained.attributions()?, batch.run().n_positions()),
            false => (0..n)
                .map(|sample| cells.for_sample(sample).n_cells())
                .collect(),
        };
        // A sample is at its last point at the first one that flips all that are flipped of its features.
        let n_points: Vec<usize> = most
            .iter()
            .map(|most| (n_flipped.partition_point(|count| count < most) + 1).min(n_flipped.len()))
            .collect();
        let n_of = |sample: usize, point: usize| n_flipped[point].min(most[sample]);
        let is_end =
            |sample: usize, point: usize| n_of(sample, point) == cells.for_sample(sample).n_cells();
        let is_row =
            |sample: usize, point: usize| point < n_points[sample] && !is_end(sample, point);
        let rows: Vec<(usize, usize)> = (1..n_flipped.len())
            .flat_map(|point| (0..n).map(move |sample| (sample, point)))
            .filter(|&(sample, point)| is_row(sample, point))
            .collect();
        let answers = batch.score_changed_with(
            self.score,
            rows.len(),
            |row| rows[row].0,
            |row, values| {
                let (sample, point) = rows[row];
                let order = orders[sample].split_at(n_of(sample, point));
                let removed = match self.start {
                    Start::Input => order.0,
                    Start::Blank => order.1,
                };
                let positions = |&cell: &u32| cells.for_sample(sample).positions(cell as usize);
                let removed = removed.iter().flat_map(positions);
                remover.remove(sample, values, removed.copied());
            },
            match self.start {
                Start::Input => ", without features",
                Start::Blank => ", with some features only",
            },
        )?;
        remover.check()?;
        let mut scores = vec![self.end(batch, true)?];
        let ends: Vec<f64> = match n_points.iter().enumerate().any(|(i, n)| is_end(i, n - 1)) {
            true => self.end(batch, false)?,
            false => Vec::new(),
        };
        let mut answers = answers.into_iter();
        for point in 1..n_flipped.len() {
            let before: &[f64] = &scores[point - 1];
            let of_sample = |sample| match (is_end(sample, point), is_row(sample, point)) {
                (true, _) => ends[sample],
                (false, true) => answers.next().expect("one answer per row"),
                (false, false) => before[sample],
            };
            let of_point = (0..n).map(of_sample).collect();
            scores.push(of_point);
        }
        Ok(CurveScores {
            n_flipped,
            scores,
            n_points: Some(n_points),
        })
    }
}

impl<T: Real> MapWork<T> for RemovalCurve {
    type Output = CurveScores;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<CurveScores> {
        let n_flipped = Arc::clone(&*explained.batch().run().shared(&self.counts())?);
        match self.features {
            Features::Positions if !self.only_positive => self.over_positions(explained, n_flipped),
            _ => self.over_features(explained, n_flipped),
        }
    }
}

/// How many features of each sample have a positive attribution.
fn n_positive<T: Real>(cells: &FeatureCells, attributions: &[T], positions: usize) -> Vec<usize> {
    let of_samples = attributions.chunks_exact(positions).enumerate();
    let positive = |(sample, of_sample): (usize, &[T])| {
        let sums = cells.for_sample(sample).sums(of_sample);
        sums.iter().filter(|sum| **sum > 0.0).count()
    };
    of_samples.map(positive).collect()
}

/// What a copied position takes at most: a line of the cache.
const LINE_BYTES: usize = 64;

/// Makes the rows of one sample with so many positions flipped. There are those of the call before in them, with `done`
/// of them flipped; none, before the first.
fn flip_rows<T: Real>(
    places: Positions,
    rows: &mut [&mut [T]],
    (start, end): (&[T], &[T]),
    order: &[u32],
    done: &[usize],
    counts: &[usize],
) {
    // A row is flipped on from where it was, or from a copy of the row a step before, which takes fewer flips but is
    // read and written in full.
    let own_flips = done.first().map_or(usize::MAX, |done| counts[0] - done);
    let goes_on = own_flips.saturating_mul(LINE_BYTES) < size_of_val(start);
    for (place, &count) in counts.iter().enumerate() {
        let (before, rest) = rows.split_at_mut(place);
        let Some((row, behind)) = rest.split_first_mut() else {
            return;
        };
        let flipped = match (before.last(), behind.last(), done.last()) {
            _ if goes_on => done[place],
            (Some(before), ..) => {
                row.copy_from_slice(before);
                counts[place - 1]
            }
            (None, _, None) => {
                row.copy_from_slice(start);
                0
            }
            (None, last, Some(&flipped)) => {
                last.into_iter().for_each(|last| row.copy_from_slice(last));
                flipped
            }
        };
        places.copy_all(row, end, order[flipped..count].iter().copied());
    }
}
