//! Random subsets of an input, and what the model says without them.

use std::sync::Arc;

use xai_core::random::{random_stream, uniform, uniform_index};
use xai_core::{Error, Real, Result};

use crate::batch::run_data::RunData;
use crate::batch::samples::{BatchWork, SampleBatch};
use crate::input;
use crate::perturbation::baseline::{Baseline, BlankInputs};
use crate::perturbation::cells::{Cells, Grid};
use xai_core::statistics::ranks::centred_ranks;

/// How random subsets are drawn.
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

/// Random subsets of the cells of every sample, each sample's from a stream of its own: the same
/// for all explainers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomSubsets {
    /// Which positions go together.
    pub grid: Grid,
    /// The share of the cells in a subset, in (0, 1).
    pub fraction: f64,
    /// The number of subsets per sample, 2 to 1 048 576.
    pub n_subsets: usize,
    /// How they are drawn.
    pub sampling: SubsetSampling,
    /// What they depend on.
    pub seed: u64,
}

/// The subsets of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Subsets {
    /// The cells they are made of.
    pub cells: Arc<Cells>,
    n_subsets: usize,
    /// One bit per cell: the subsets sample by sample, each from a new word on. Lists of cells
    /// would take six times the memory, which counts where every pixel is a cell.
    members: Vec<u64>,
}

impl Subsets {
    /// The number of subsets per sample.
    #[must_use]
    pub fn n_subsets(&self) -> usize {
        self.n_subsets
    }

    /// The cells of a subset, ascending. Subset `j` of sample `i` is `i · n_subsets + j`.
    pub fn cells_of(&self, subset: usize) -> impl Iterator<Item = usize> + '_ {
        let words = self.cells.n_cells().div_ceil(64);
        let words = self.members[subset * words..(subset + 1) * words].iter();
        words.enumerate().flat_map(|(place, &word)| {
            let left = |word: u64| Some(word).filter(|&word| word != 0);
            std::iter::successors(left(word), move |&word| left(word & (word - 1)))
                .map(move |word| place * 64 + word.trailing_zeros() as usize)
        })
    }
}

impl RandomSubsets {
    /// Checks the parameters: what a metric does once per run, before the model is called.
    ///
    /// # Errors
    /// An invalid parameter, about grid, fraction or the number of subsets.
    pub fn prepare<T: Real>(&self, run: &RunData<'_, T>) -> Result<()> {
        if !(self.fraction > 0.0 && self.fraction < 1.0) {
            return Err(Error::parameter(
                input::FRACTION,
                self.fraction,
                "a share in (0, 1)",
            ));
        }
        if !(2..=1 << 20).contains(&self.n_subsets) {
            return Err(Error::parameter(
                input::N_SUBSETS,
                self.n_subsets,
                "at least 2 and at most 1 048 576",
            ));
        }
        run.shared(&self.grid).map(drop)
    }
}

impl<T: Real> BatchWork<T> for RandomSubsets {
    type Output = Subsets;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Subsets> {
        let cells = batch.run().shared(&self.grid)?;
        let size = ((cells.n_cells() as f64 * self.fraction).round() as usize).max(1);
        let words = cells.n_cells().div_ceil(64);
        let mut members = vec![0u64; batch.n_samples() * self.n_subsets * words];
        let mut deck: Vec<usize> = (0..cells.n_cells()).collect();
        for (sample, subsets) in members.chunks_exact_mut(self.n_subsets * words).enumerate() {
            let mut stream = random_stream(self.seed, batch.item(sample));
            deck.sort_unstable();
            for subset in subsets.chunks_exact_mut(words) {
                let mut add = |cell: usize| subset[cell / 64] |= 1 << (cell % 64);
                match self.sampling {
                    SubsetSampling::FixedSize => {
                        for drawn in 0..size {
                            let other = drawn + uniform_index(&mut stream, deck.len() - drawn);
                            deck.swap(drawn, other);
                            add(deck[drawn]);
                        }
                    }
                    SubsetSampling::Independent => {
                        let drawn =
                            (0..deck.len()).filter(|_| uniform(&mut stream) < self.fraction);
                        drawn.for_each(&mut add);
                    }
                }
            }
        }
        Ok(Subsets {
            cells,
            n_subsets: self.n_subsets,
            members,
        })
    }
}

/// How far each sample's score drops when each of its subsets is set to the baseline: `n_subsets`
/// drops per sample.
#[derive(Debug, Clone, PartialEq)]
pub struct SubsetDrops {
    /// Which subsets.
    pub subsets: RandomSubsets,
    /// What stands for absence.
    pub baseline: Baseline,
}

impl<T: Real> BatchWork<T> for SubsetDrops {
    type Output = Vec<f64>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<f64>> {
        let subsets = batch.shared(&self.subsets)?;
        let blank = batch.shared(&BlankInputs(self.baseline.clone()))?;
        // What threads may share; the caches may not be.
        let (subsets, blank): (&Subsets, &[T]) = (&subsets, &blank);
        let (places, n_subsets) = (batch.run().positions(), subsets.n_subsets);
        let size = places.size();
        let scores = batch.score_changed(
            batch.n_samples() * n_subsets,
            |row| row / n_subsets,
            |row, values| {
                let sample = row / n_subsets;
                let blank = &blank[sample * size..(sample + 1) * size];
                for cell in subsets.cells_of(row) {
                    for &position in subsets.cells.positions_of(cell) {
                        places.copy(values, blank, position as usize);
                    }
                }
            },
            ", without random subsets",
        )?;
        let base = batch.base_scores()?.iter();
        let drops = base.zip(scores.chunks_exact(n_subsets));
        Ok(drops
            .flat_map(|(base, scores)| scores.iter().map(move |score| base - score))
            .collect())
    }
}

/// The ranks of the [`SubsetDrops`] of each sample, centred: integers that sum to 0.
#[derive(Debug, Clone, PartialEq)]
pub struct SubsetDropRanks(pub SubsetDrops);

impl<T: Real> BatchWork<T> for SubsetDropRanks {
    type Output = Vec<f64>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<f64>> {
        let drops = batch.shared(&self.0)?;
        let of_sample = drops.chunks_exact(self.0.subsets.n_subsets);
        Ok(of_sample.flat_map(centred_ranks).collect())
    }
}
