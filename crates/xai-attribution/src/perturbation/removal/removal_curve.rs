//! Scores along the gradual removal or insertion of features.

use std::sync::Arc;

use xai_core::describe::Parameter;
use xai_core::evaluation::TiedFeatures;
use xai_core::tensor::Positions;
use xai_core::{Real, Result, parallel};

use crate::batch::{Dataset, ExplainedBatch, MapWork, Plan, SampleBatch};
use crate::model::CurveScore;
use crate::perturbation::removal::removal_order::tied_features;
use crate::perturbation::removal::removed::Remover;
use crate::perturbation::removal::steps::Counts;
use crate::perturbation::{
    Baseline, BaselineInputs, BaselineOutputs, FeatureCells, Features, OrderedFeatures,
    OrderedPositions, RankBy, RemovalOrder, RemovalTies, Steps,
};

/// End from which a removal curve starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Start {
    /// From the input, setting positions to the baseline.
    #[default]
    Input,
    /// From the baseline, setting positions to the input.
    Blank,
}

/// Scores of every sample along the removal of features, in any order, from either end.
///
/// With a number of [`Steps`], at step `j = 0..=steps` the first `⌊j · max / steps⌋` features are flipped, where `max =
/// ⌊n_features · max_fraction⌋` and `n_features` is the largest number of features per sample. The channels of a pixel
/// are flipped together. Steps that flip the same number of features (if there are more steps than features) are one
/// point.
///
/// The two ends of a curve do not depend on the map, so explainers share them. If several steps of all samples of a
/// batch fit into the batch size, they go into one call of the model. A sample with fewer segments than others
/// reaches its end earlier, and is not passed to the model after that.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RemovalCurve {
    /// Order in which features are flipped.
    pub order: RemovalOrder,
    /// End from which the curve starts.
    pub start: Start,
    /// Number of features flipped at each point.
    pub steps: Steps,
    /// Replacement for removed values.
    pub baseline: Baseline,
    /// Grouping of positions into features.
    pub features: Features,
    /// Ranking of features with several positions.
    pub rank_by: RankBy,
    /// Quantity read from the outputs of the model.
    pub score: CurveScore,
    /// Order among tied features.
    pub ties: RemovalTies,
    /// Never flips features without a positive attribution. A sample stays at its last point once all
    /// features with a positive one are flipped.
    pub only_positive: bool,
}

/// Scores of a batch along a curve, such as a [`RemovalCurve`].
#[derive(Debug, Clone, PartialEq)]
pub struct CurveScores {
    /// Number of flipped features at each point, ascending from 0 for a [`RemovalCurve`]. The curves of
    /// [`Road`](crate::metric::Road) and [`SensitivityN`](crate::metric::SensitivityN) have a point per percentage or
    /// size, in the given order, and none at 0.
    pub n_flipped: Arc<Vec<usize>>,
    /// Scores by `[point][sample]`.
    pub scores: Vec<Vec<f64>>,
    /// Number of points of each sample, if samples may reach their end at different points: with groups of positions as
    /// features, or if only positive ones are flipped. At further points, their last score is repeated. `None` if all
    /// samples have all points.
    n_points: Option<Vec<usize>>,
}

impl CurveScores {
    /// Creates a curve whose points all samples share. NaN marks samples without a value at a point.
    pub(crate) fn from_shared_points(n_flipped: Vec<usize>, scores: Vec<Vec<f64>>) -> Self {
        Self {
            n_flipped: Arc::new(n_flipped),
            scores,
            n_points: None,
        }
    }

    /// Scores of a sample at its own points, starting with the start of the curve.
    pub fn for_sample(&self, sample: usize) -> impl ExactSizeIterator<Item = f64> + '_ {
        let n_points = self
            .n_points
            .as_ref()
            .map_or(self.scores.len(), |n| n[sample]);
        self.scores[..n_points]
            .iter()
            .map(move |scores| scores[sample])
    }

    /// Number of samples.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        self.scores[0].len()
    }
}

impl RemovalCurve {
    /// Number of features of a batch that are tied with another one. `None` for an order that does not depend on
    /// attributions.
    ///
    /// # Errors
    /// Those of features and explainer.
    pub fn tied<T: Real>(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        tied_features(explained, self.features, self.order, self.rank_by)
    }

    /// Checks the parameters. Called once per run, before the model.
    ///
    /// # Errors
    /// An invalid parameter about steps, fraction, features, baseline or score; errors of given orders, baselines or
    /// segments that are missing or do not fit.
    pub fn prepare<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.features.prepare(dataset)?;
        self.order.prepare(dataset, self.features)?;
        let counts = dataset.shared(&self.counts())?;
        let last = counts.last().copied().unwrap_or_default();
        let includes_baseline =
            self.start == Start::Blank || last >= self.features.max_count(dataset)?;
        self.score.check(dataset.targets())?;
        self.baseline.prepare(dataset)?;
        if includes_baseline {
            self.baseline.prepare_whole(dataset)
        } else {
            Ok(())
        }
    }

    /// Adds the planned rows of this work.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let n_flipped = plan.dataset().shared(&self.counts())?;
        let n_features = self.features.counts(plan.dataset())?;
        let last = n_flipped[n_flipped.len() - 1];
        let baseline = BaselineOutputs(self.baseline.clone());
        // A sample reaches its end at the first point that flips all of its features.
        let reaches_end = n_features.iter().any(|&features| features <= last);
        let (needs_base, needs_baseline) = match self.start {
            Start::Input => (true, reaches_end),
            Start::Blank => (reaches_end, true),
        };
        if needs_base {
            plan.base_scores();
        }
        if needs_baseline {
            baseline.plan(plan);
        }
        plan.maps();
        plan.per_explainer(self, self.rows_between(plan.dataset())?);
        Ok(())
    }

    /// Number of rows for the model between the ends, over all samples; an upper bound with `only_positive`, because
    /// the number of positive features depends on the maps.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub(crate) fn rows_between<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<u64> {
        let n_flipped = dataset.shared(&self.counts())?;
        let between = |&features: &usize| {
            if self.only_positive {
                // The most rows are those of a sample with a single feature that is not positive: its last point is a
                // row as well, because it does not flip everything.
                let most = features.saturating_sub(1);
                let inner = n_flipped.partition_point(|&count| count < most);
                return inner.min(n_flipped.len() - 1) as u64;
            }
            // Points strictly between the ends; the start at 0 is subtracted.
            let inner = n_flipped.partition_point(|&count| count < features);
            inner.saturating_sub(1) as u64
        };
        Ok(self.features.counts(dataset)?.iter().map(between).sum())
    }

    fn counts(&self) -> Counts {
        Counts {
            steps: self.steps.clone(),
            features: self.features,
        }
    }

    /// Name in errors of the model.
    fn name(&self) -> &'static str {
        match self.start {
            Start::Input => "deletion",
            Start::Blank => "insertion",
        }
    }

    /// Scores of all samples at points between the ends, by `[point][sample]`.
    fn scores_between<T: Real>(
        &self,
        batch: &SampleBatch<'_, T>,
        orders: &[Vec<u32>],
        between: &[usize],
    ) -> Result<Vec<Vec<f64>>> {
        let (layout, n) = (batch.dataset().positions(), batch.n_samples());
        if self.baseline == Baseline::LinearImputation {
            return self.imputed_between(batch, orders, between);
        }
        let baselines = batch.shared(&BaselineInputs(self.baseline.clone()))?;
        let values = batch.values();
        let ends = |sample: usize| {
            let input = &values[sample * layout.size()..(sample + 1) * layout.size()];
            match self.start {
                Start::Input => (input, baselines.row(sample)),
                Start::Blank => (baselines.row(sample), input),
            }
        };
        // Several steps share a call if the batch size allows it, so that a few samples do not lead to many small
        // calls.
        let steps_per_call = (batch.batch_size() / n).clamp(1, between.len().max(1));
        let calls: Vec<&[usize]> = between.chunks(steps_per_call).collect();
        // Calls of a piece run in order, so that rows continue from the previous call instead of from the start.
        let n_pieces = batch.n_pieces(calls.len()).max(1);
        let size = n * layout.size();
        let (scorer, row_buffers) = (batch.scorer_for(self.score), batch.row_buffers());
        let answers = batch.call_model(n_pieces, |piece, model| {
            let calls =
                &calls[piece * calls.len() / n_pieces..(piece + 1) * calls.len() / n_pieces];
            // The first call of a piece is never shorter than the others.
            let n_points = calls.first().map_or(0, |counts| counts.len());
            row_buffers.with_buffer(n_points * size, |blocks| {
                let (mut done, mut scores): (&[usize], _) = (&[], Vec::new());
                for counts in calls {
                    // Rows are stored point by point, as the model reads them, but flipped sample by sample.
                    let mut sample_rows: Vec<Vec<&mut [T]>> = (0..n).map(|_| Vec::new()).collect();
                    for (row, values) in blocks.chunks_exact_mut(layout.size()).enumerate() {
                        sample_rows[row % n].push(values);
                    }
                    parallel::with_work_size(n_points * size, || {
                        parallel::map_owned(sample_rows, |sample, mut rows| {
                            let order = &orders[sample];
                            flip_rows(layout, &mut rows, ends(sample), order, done, counts);
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
    /// Like [`scores_between`](Self::scores_between), for imputation. Imputed values depend on everything that is
    /// removed, so every row is computed from the input.
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

    /// Curve with single positions as features. Rows are updated from step to step.
    fn over_positions<T: Real>(
        &self,
        explained: &ExplainedBatch<'_, T>,
        n_flipped: Arc<Vec<usize>>,
    ) -> Result<CurveScores> {
        let batch = explained.batch();
        let positions = batch.dataset().n_positions();
        let orders = explained.shared(&OrderedPositions {
            order: self.order,
            n: n_flipped[n_flipped.len() - 1],
            ties: self.ties,
        })?;
        // The two ends need no rows of their own: their scores are shared by all explainers.
        let is_end = |count: usize| count == 0 || count == positions;
        let all = n_flipped.iter().copied();
        let between: Vec<usize> = all.filter(|&count| !is_end(count)).collect();
        let mut answers = self.scores_between(batch, &orders, &between)?.into_iter();
        let mut scores = Vec::with_capacity(n_flipped.len());
        for &count in &*n_flipped {
            scores.push(if is_end(count) {
                self.end(batch, count == 0)?
            } else {
                answers
                    .next()
                    .expect("one answer per point between the ends")
            });
        }
        Ok(CurveScores {
            n_flipped,
            scores,
            n_points: None,
        })
    }

    /// Scores of all samples at the start or the end of the curve.
    fn end<T: Real>(&self, batch: &SampleBatch<'_, T>, is_start: bool) -> Result<Vec<f64>> {
        if is_start == (self.start == Start::Input) {
            if self.score == CurveScore::Target {
                return batch.base_scores().map(<[f64]>::to_vec);
            }
            let scorer = batch.scorer_for(self.score);
            return scorer.scores_of(batch.base_outputs()?, &|row| row);
        }
        let outputs = batch.shared(&BaselineOutputs(self.baseline.clone()))?;
        batch.scorer_for(self.score).scores_of(&outputs, &|row| row)
    }

    /// Curve with groups of positions as features, or of any features if only positive ones are flipped. Every row is
    /// computed from its sample: usually there are few groups, and so few rows.
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
        let max_flipped: Vec<usize> = if self.only_positive {
            n_positive(
                &cells,
                explained.attributions()?,
                batch.dataset().n_positions(),
            )
        } else {
            (0..n)
                .map(|sample| cells.for_sample(sample).n_cells())
                .collect()
        };
        // The last point of a sample is the first one at which everything that is flipped in it has been flipped.
        let n_points: Vec<usize> = max_flipped
            .iter()
            .map(|max| (n_flipped.partition_point(|count| count < max) + 1).min(n_flipped.len()))
            .collect();
        let n_in_sample = |sample: usize, point: usize| n_flipped[point].min(max_flipped[sample]);
        let is_end = |sample: usize, point: usize| {
            n_in_sample(sample, point) == cells.for_sample(sample).n_cells()
        };
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
                // Insertion from the baseline equals removal of everything that has not been inserted yet.
                let order = orders[sample].split_at(n_in_sample(sample, point));
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
        // Computed only if some sample reaches it, because it may cost calls of the model.
        let reaches_end = n_points.iter().enumerate().any(|(i, n)| is_end(i, n - 1));
        let ends: Vec<f64> = if reaches_end {
            self.end(batch, false)?
        } else {
            Vec::new()
        };
        // Answers come in the order of `rows`: point by point, and sample by sample within a point.
        let mut answers = answers.into_iter();
        for point in 1..n_flipped.len() {
            let before: &[f64] = &scores[point - 1];
            let score = |sample| match (is_end(sample, point), is_row(sample, point)) {
                (true, _) => ends[sample],
                (false, true) => answers.next().expect("one answer per row"),
                (false, false) => before[sample],
            };
            let point_scores = (0..n).map(score).collect();
            scores.push(point_scores);
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
        let n_flipped = Arc::clone(&*explained.batch().dataset().shared(&self.counts())?);
        match self.features {
            Features::Positions if !self.only_positive => self.over_positions(explained, n_flipped),
            _ => self.over_features(explained, n_flipped),
        }
    }
}

/// Number of features with a positive attribution, by sample.
fn n_positive<T: Real>(cells: &FeatureCells, attributions: &[T], positions: usize) -> Vec<usize> {
    let maps = attributions.chunks_exact(positions).enumerate();
    let n_positive = |(sample, map): (usize, &[T])| {
        let sums = cells.for_sample(sample).sums(map);
        sums.iter().filter(|sum| **sum > 0.0).count()
    };
    maps.map(n_positive).collect()
}

/// Upper bound of the memory traffic for a copied position: a cache line.
const LINE_BYTES: usize = 64;

/// Computes the rows of one sample with `counts` positions flipped. `rows` contain those of the previous call, with
/// `done` positions flipped, or anything if `done` is empty.
fn flip_rows<T: Real>(
    layout: Positions,
    rows: &mut [&mut [T]],
    (start, end): (&[T], &[T]),
    order: &[u32],
    done: &[usize],
    counts: &[usize],
) {
    // A row is updated either from its own previous content, or from a copy of the row one step before. The latter
    // needs fewer flips, but reads and writes the whole row. Each flip costs up to a cache line.
    let own_flips = done.first().map_or(usize::MAX, |done| counts[0] - done);
    let continues_own_row = own_flips.saturating_mul(LINE_BYTES) < size_of_val(start);
    for (index, &count) in counts.iter().enumerate() {
        let (before, rest) = rows.split_at_mut(index);
        let Some((row, behind)) = rest.split_first_mut() else {
            return;
        };
        let flipped = match (before.last(), behind.last(), done.last()) {
            _ if continues_own_row => done[index],
            (Some(before), ..) => {
                row.copy_from_slice(before);
                counts[index - 1]
            }
            (None, _, None) => {
                row.copy_from_slice(start);
                0
            }
            // The first row continues from the last point of the previous call, which is in the last row.
            (None, last, Some(&flipped)) => {
                last.into_iter().for_each(|last| row.copy_from_slice(last));
                flipped
            }
        };
        layout.copy_all(row, end, order[flipped..count].iter().copied());
    }
}
