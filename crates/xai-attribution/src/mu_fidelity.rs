//! μFidelity.

use std::rc::Rc;

use xai_core::{
    Activation, Error, Layout, Real, Result, parallel, random_stream, uniform, uniform_index,
};

use crate::batch::SampleBatch;
use crate::evaluation_metric::evaluate_one;
use crate::places::for_each_row;
use crate::rank_correlation::{centred_ranks, correlation_of_ranks};
use crate::{
    Baseline, Better, EvaluationError, EvaluationMetric, ExplainedBatch, IntoTargets, Model,
    SampleScores, Samples, Scoring,
};

/// How the subsets of [`MuFidelity`] are drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SubsetSampling {
    /// All subsets have the same size, the nearest number of cells to the fraction (at least 1).
    #[default]
    FixedSize,
    /// Every cell is in a subset with the probability of the fraction, by itself: sizes vary, and
    /// larger subsets both drop more and sum to more.
    Independent,
}

/// Does the score fall as much as the attribution says, for random subsets of the input?
///
/// ```text
/// μF_i = Spearman over subsets S of ( Σ_{p ∈ S} attribution_p ,  g(f, x_i, y_i) − g(f, x_i with S at the baseline, y_i) )
/// ```
///
/// In [−1, 1], **higher is better**: 1 = drops are ranked as the attributions have them, 0 = as by
/// chance. The value is the mean over samples; a sample whose drops or attributions are all equal
/// has no rank correlation: `None`, and counted.
///
/// On images subsets are made of the cells of a grid (super-pixels), on time series of stretches of
/// time of one feature, on tables of single features. A cell is `⌊(row + ½) · grid / height⌋`,
/// `⌊(column + ½) · grid / width⌋`; a grid finer than the input means single positions. Sample `i` draws
/// from a stream of its own under the seed, the same for all explainers, so in an
/// [`Evaluation`](crate::Evaluation) the drops are taken once for all of them.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::MuFidelity;
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0, 1.0, 0.5]].into_dyn();
/// let fidelity = MuFidelity::new().n_subsets(50);
/// assert_eq!(fidelity.evaluate(&sum, x.view(), &[0], x.view())?.value, 1.0);
/// let reversed = x.mapv(|v| -v);
/// assert_eq!(fidelity.evaluate(&sum, x.view(), &[0], reversed.view())?.value, -1.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Bhatt et al., *Evaluating and Aggregating Feature-based Model Explanations*, 2020, definition 3.
/// Xplique's `MuFidelity` draws its subsets as [`SubsetSampling::Independent`] does, though its
/// text promises a fixed size, shares them between the samples of a batch, and counts an undefined
/// correlation as 0 (its mean is `value · (n − n_undefined) / n`).
#[derive(Debug, Clone, PartialEq)]
pub struct MuFidelity {
    scoring: Scoring,
    subsets: Subsets,
    baseline: Baseline,
}

/// Which subsets are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Subsets {
    grid: Option<usize>,
    fraction: f64,
    n_subsets: usize,
    sampling: SubsetSampling,
    seed: u64,
}

impl Default for MuFidelity {
    fn default() -> Self {
        Self {
            scoring: Scoring::default(),
            subsets: Subsets {
                grid: Some(9),
                fraction: 0.2,
                n_subsets: 200,
                sampling: SubsetSampling::default(),
                seed: 1,
            },
            baseline: Baseline::default(),
        }
    }
}

impl MuFidelity {
    /// 200 subsets of a fifth of a 9 × 9 grid, baseline 0, seed 1, no activation, batches of 64.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What is applied to the model's outputs.
    #[must_use]
    pub fn activation(mut self, activation: Activation) -> Self {
        self.scoring.activation = activation;
        self
    }

    /// The largest number of samples the model is called with, at least 1.
    #[must_use]
    pub fn batch_size(mut self, batch_size: usize) -> Self {
        self.scoring.batch_size = batch_size;
        self
    }

    /// How the axes of the inputs are read.
    #[must_use]
    pub fn layout(mut self, layout: Layout) -> Self {
        self.scoring.layout = Some(layout);
        self
    }

    /// The number of cells along height, width and time, at least 1; `None` takes every position
    /// by itself.
    #[must_use]
    pub fn grid(mut self, cells: Option<usize>) -> Self {
        self.subsets.grid = cells;
        self
    }

    /// The share of the cells in a subset, in (0, 1).
    #[must_use]
    pub fn fraction(mut self, fraction: f64) -> Self {
        self.subsets.fraction = fraction;
        self
    }

    /// The number of subsets of each sample, at least 2.
    #[must_use]
    pub fn n_subsets(mut self, n_subsets: usize) -> Self {
        self.subsets.n_subsets = n_subsets;
        self
    }

    /// How subsets are drawn.
    #[must_use]
    pub fn sampling(mut self, sampling: SubsetSampling) -> Self {
        self.subsets.sampling = sampling;
        self
    }

    /// What the subsets depend on.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.subsets.seed = seed;
        self
    }

    /// What stands for absence: a number, a `Vec` of one number a channel, or any [`Baseline`].
    #[must_use]
    pub fn baseline(mut self, baseline: impl Into<Baseline>) -> Self {
        self.baseline = baseline.into();
        self
    }

    /// The metric for a model, its inputs and their attribution maps.
    ///
    /// Arguments as in [`AverageDrop::evaluate`](crate::AverageDrop::evaluate). The model sees
    /// `n · (1 + n_subsets)` rows.
    ///
    /// # Errors
    /// As [`AverageDrop::evaluate`](crate::AverageDrop::evaluate), and [`Error::InvalidParameter`]
    /// for a parameter outside its domain; [`Error::Empty`] where no sample has a correlation.
    pub fn evaluate<T: Real, M: Model<T> + ?Sized>(
        &self,
        model: &M,
        inputs: impl Samples<T>,
        targets: &(impl IntoTargets + ?Sized),
        maps: impl Samples<T>,
    ) -> Result<SampleScores, EvaluationError> {
        let per_sample = evaluate_one(model, inputs, targets, maps, self.scoring, self)?;
        Ok(SampleScores::of(per_sample)?)
    }
}

impl<T: Real> EvaluationMetric<T> for MuFidelity {
    fn name(&self) -> &'static str {
        "mu_fidelity"
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn scores(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let drops = self.drops(batch)?;
        let drops: &Drops = &drops;
        let attributions = explained.attributions()?;
        let positions = batch.places().positions;
        let n_subsets = self.subsets.n_subsets;
        Ok(parallel::map(batch.samples().len(), |sample| {
            let attributions = &attributions[sample * positions..(sample + 1) * positions];
            let mut of_cell = vec![0.0; drops.cells.n_cells];
            for (&cell, x) in drops.cells.of_position.iter().zip(attributions) {
                of_cell[cell as usize] += x.to_f64_exact();
            }
            let sums: Vec<f64> = (sample * n_subsets..(sample + 1) * n_subsets)
                .map(|row| drops.subset(row).map(|cell| of_cell[cell]).sum())
                .collect();
            let ranks = &drops.ranks[sample * n_subsets..(sample + 1) * n_subsets];
            correlation_of_ranks(&centred_ranks(&sums), ranks)
        }))
    }

    fn check(&self, shape: &[usize], layout: Layout) -> Result<()> {
        let Subsets {
            grid,
            fraction,
            n_subsets,
            ..
        } = self.subsets;
        if grid == Some(0) {
            return Err(Error::parameter("grid", 0, "at least 1 cell"));
        }
        if !(fraction > 0.0 && fraction < 1.0) {
            return Err(Error::parameter("fraction", fraction, "a share in (0, 1)"));
        }
        if !(2..=1 << 20).contains(&n_subsets) {
            return Err(Error::parameter(
                "n_subsets",
                n_subsets,
                "at least 2 and at most 1 048 576",
            ));
        }
        let n_cells = Cells::new(shape, layout, grid).n_cells;
        if n_cells < 2 {
            return Err(Error::parameter(
                "grid",
                grid.map_or_else(|| "none".to_owned(), |g| g.to_string()),
                "a grid of at least 2 cells",
            ));
        }
        Ok(())
    }

    fn scoring(&self) -> Option<Scoring> {
        Some(self.scoring)
    }

    fn baseline(&self) -> Option<&Baseline> {
        Some(&self.baseline)
    }
}

/// Which positions go together.
struct Cells {
    n_cells: usize,
    of_position: Vec<u32>,
    /// The positions of all cells, cell by cell.
    positions: Vec<u32>,
    /// Where each cell begins in `positions`.
    starts: Vec<usize>,
}

impl Cells {
    #[allow(clippy::cast_possible_truncation)] // an input of 2^32 positions has no map
    fn new(shape: &[usize], layout: Layout, grid: Option<usize>) -> Self {
        let along = |length: usize| grid.map_or(length, |cells| cells.min(length));
        let (rows, columns, grid_columns) = match layout {
            Layout::ChannelsLast => (shape[1], shape[2], along(shape[2])),
            Layout::ChannelsFirst => (shape[2], shape[3], along(shape[3])),
            // Time is cut into stretches, features are not.
            Layout::TimeSeries => (shape[1], shape[2], shape[2]),
            Layout::Tabular => (1, shape[1], shape[1]),
        };
        let grid_rows = along(rows);
        // The middle of a position says which cell it is in.
        let band =
            |place: usize, bands: usize, length: usize| (2 * place + 1) * bands / (2 * length);
        let cell = |row: usize, column: usize| {
            let row = band(row, grid_rows, rows);
            (row * grid_columns + band(column, grid_columns, columns)) as u32
        };
        let of_position: Vec<u32> = (0..rows * columns)
            .map(|p| cell(p / columns, p % columns))
            .collect();
        let n_cells = grid_rows * grid_columns;
        let mut starts = vec![0; n_cells + 1];
        for &cell in &of_position {
            starts[cell as usize + 1] += 1;
        }
        for cell in 0..n_cells {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        let mut positions = vec![0; of_position.len()];
        for (position, &cell) in of_position.iter().enumerate() {
            positions[next[cell as usize]] = position as u32;
            next[cell as usize] += 1;
        }
        Self {
            n_cells,
            of_position,
            positions,
            starts,
        }
    }

    fn positions_of(&self, cell: usize) -> &[u32] {
        &self.positions[self.starts[cell]..self.starts[cell + 1]]
    }
}

/// The subsets of a batch, and how far the score drops without each: explainers share them.
pub(crate) struct Drops {
    subsets: Subsets,
    baseline: Baseline,
    cells: Cells,
    /// A bit a cell: the subsets sample by sample, each from a new word on. Lists of cells would
    /// take six times the memory, which counts where every pixel is a cell.
    members: Vec<u64>,
    /// The ranks of the drops of each sample.
    ranks: Vec<f64>,
}

impl Drops {
    /// The cells of a subset, ascending.
    fn subset(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        let words = self.cells.n_cells.div_ceil(64);
        let words = self.members[row * words..(row + 1) * words].iter();
        words.enumerate().flat_map(|(place, &word)| {
            let left = |word: u64| Some(word).filter(|&word| word != 0);
            std::iter::successors(left(word), move |&word| left(word & (word - 1)))
                .map(move |word| place * 64 + word.trailing_zeros() as usize)
        })
    }
}

impl MuFidelity {
    fn drops<T: Real>(&self, batch: &SampleBatch<'_, T>) -> Result<Rc<Drops>> {
        let known =
            |drops: &&Rc<Drops>| drops.subsets == self.subsets && drops.baseline == self.baseline;
        if let Some(drops) = batch.drops.borrow().iter().find(known) {
            return Ok(Rc::clone(drops));
        }
        let mut drops = self.drawn(batch);
        let n_subsets = self.subsets.n_subsets;
        let scores = self.perturbed_scores(batch, &drops)?;
        for (sample, &base) in batch.base_scores()?.iter().enumerate() {
            let scores = &scores[sample * n_subsets..(sample + 1) * n_subsets];
            let of_sample: Vec<f64> = scores.iter().map(|score| base - score).collect();
            drops.ranks.extend(centred_ranks(&of_sample));
        }
        let drops = Rc::new(drops);
        batch.drops.borrow_mut().push(Rc::clone(&drops));
        Ok(drops)
    }

    /// The subsets of a batch; each sample draws from its own stream.
    fn drawn<T: Real>(&self, batch: &SampleBatch<'_, T>) -> Drops {
        let Subsets {
            grid,
            fraction,
            n_subsets,
            sampling,
            seed,
        } = self.subsets;
        let cells = Cells::new(batch.inputs().shape(), batch.layout(), grid);
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss
        )]
        let size = ((cells.n_cells as f64 * fraction).round() as usize).max(1);
        let words = cells.n_cells.div_ceil(64);
        let mut members = vec![0u64; batch.samples().len() * n_subsets * words];
        let mut deck: Vec<usize> = (0..cells.n_cells).collect();
        for (sample, subsets) in members.chunks_exact_mut(n_subsets * words).enumerate() {
            let mut stream = random_stream(seed, batch.stream_of(sample));
            deck.sort_unstable();
            for subset in subsets.chunks_exact_mut(words) {
                let mut add = |cell: usize| subset[cell / 64] |= 1 << (cell % 64);
                match sampling {
                    SubsetSampling::FixedSize => {
                        for drawn in 0..size {
                            let other = drawn + uniform_index(&mut stream, deck.len() - drawn);
                            deck.swap(drawn, other);
                            add(deck[drawn]);
                        }
                    }
                    SubsetSampling::Independent => {
                        let drawn = (0..deck.len()).filter(|_| uniform(&mut stream) < fraction);
                        drawn.for_each(&mut add);
                    }
                }
            }
        }
        Drops {
            subsets: self.subsets,
            baseline: self.baseline.clone(),
            cells,
            members,
            ranks: Vec::with_capacity(batch.samples().len() * n_subsets),
        }
    }

    /// The score of every sample without each of its subsets.
    fn perturbed_scores<T: Real>(
        &self,
        batch: &SampleBatch<'_, T>,
        drops: &Drops,
    ) -> Result<Vec<f64>> {
        let n_subsets = self.subsets.n_subsets;
        let places = batch.places();
        let size = places.size();
        let blank = batch.blank(&self.baseline)?;
        // Shared with the threads; the cache beside it is not.
        let blank: &[T] = &blank.inputs;
        let original = batch.values();
        let n_rows = batch.samples().len() * n_subsets;
        let batch_size = batch.batch_size();
        let scorer = batch.scorer();
        let n_calls = n_rows.div_ceil(batch_size);
        let n_pieces = batch.n_pieces(n_calls).max(1);
        let answers = batch.run(n_pieces, |piece, model| {
            let calls = piece * n_calls / n_pieces..(piece + 1) * n_calls / n_pieces;
            let mut rows = vec![T::zero(); batch_size.min(n_rows) * size];
            let mut scores = Vec::new();
            for call in calls {
                let first = call * batch_size;
                let last = (first + batch_size).min(n_rows);
                let rows = &mut rows[..(last - first) * size];
                for_each_row(rows, size, |row, values| {
                    let sample = (first + row) / n_subsets;
                    let of_sample = sample * size..(sample + 1) * size;
                    values.copy_from_slice(&original[of_sample.clone()]);
                    for cell in drops.subset(first + row) {
                        for &position in drops.cells.positions_of(cell) {
                            places.copy(values, &blank[of_sample.clone()], position as usize);
                        }
                    }
                });
                scores.extend(scorer.scores(
                    model,
                    rows,
                    |row| (first + row) / n_subsets,
                    ", without random subsets",
                )?);
            }
            Ok(scores)
        })?;
        Ok(answers.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_cover_the_positions_once_in_every_layout() {
        for (shape, layout, grid, n_cells) in [
            (vec![1, 8, 8, 3], Layout::ChannelsLast, Some(3), 9),
            (vec![1, 3, 7, 5], Layout::ChannelsFirst, Some(9), 35),
            (vec![1, 10, 4], Layout::TimeSeries, Some(5), 20),
            (vec![1, 6], Layout::Tabular, Some(2), 6),
            (vec![1, 4, 4, 1], Layout::ChannelsLast, None, 16),
        ] {
            let cells = Cells::new(&shape, layout, grid);
            assert_eq!(cells.n_cells, n_cells);
            let mut all: Vec<u32> = (0..n_cells)
                .flat_map(|cell| cells.positions_of(cell).to_vec())
                .collect();
            all.sort_unstable();
            assert!(all.iter().copied().eq(0..layout.n_positions(&shape) as u32));
            for (position, &cell) in cells.of_position.iter().enumerate() {
                assert!(
                    cells
                        .positions_of(cell as usize)
                        .contains(&(position as u32))
                );
            }
        }
        // Eight rows in three bands: ⌊(r + ½) · 3 / 8⌋ is 0 for r = 0..=2, 1 for 3 and 4, 2 for 5..=7.
        let cells = Cells::new(&[1, 8, 8, 1], Layout::ChannelsLast, Some(3));
        assert_eq!(cells.positions_of(0), [0, 1, 2, 8, 9, 10, 16, 17, 18]);
        assert_eq!(cells.positions_of(4), [27, 28, 35, 36]);
    }
}
