//! Random subsets of an input, and the drops of the score when they are removed.

use ndarray::Array3;
use xai_core::describe::{Parameter, Parameters};
use xai_core::random::{random_stream, uniform, uniform_index};
use xai_core::simd::{InstructionSet, Simd, SimdKernel};
use xai_core::statistics::centred_ranks;
use xai_core::{Error, Input, InputLayout, Real, Result, parallel, stop};

use crate::batch::{BatchWork, Dataset, Plan, SampleBatch};
use crate::input;
use crate::perturbation::removal::removed::Remover;
use crate::perturbation::{Baseline, FeatureCells, Features};
use crate::side::SideInput;

/// Sampling of subsets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
#[param(name = "sampling")]
pub enum SubsetSampling {
    /// All subsets have the same size.
    #[default]
    FixedSize,
    /// Each cell is in a subset with the probability of the fraction, independently of the others. Sizes vary, and
    /// larger subsets have both larger drops and larger sums, which raises correlations.
    Independent,
    /// The subsets of [`PrecomputedSubsets`], which also determine their number and size, for reproducing a run of
    /// another tool.
    #[param(skip)]
    Given,
}

/// Number of cells in a subset.
#[derive(Debug, Clone, Copy, PartialEq, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SubsetSize {
    /// The number nearest to this share of the cells, in (0, 1), at least 1.
    #[param(plain, above = 0, below = 1)]
    Fraction(f64),
    /// This number, at least 1 and less than the number of cells. Samples with fewer segments use all of them.
    #[param(plain, at_least = 1)]
    Count(usize),
}

/// Given subsets: the indices of their features, `(draws, n, size)`. The index of a feature is that of its position
/// in row-major order, of its cell, or the rank of its segment label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrecomputedSubsets(pub Array3<u32>);

impl SideInput for PrecomputedSubsets {
    const INPUT: Input = input::SUBSETS;

    fn check(&self, shape: &[usize], _layout: InputLayout) -> Result<()> {
        let (draws, n, size) = self.0.dim();
        if n == shape[0] && draws >= 2 && size >= 1 {
            return Ok(());
        }
        let expected = format!(
            "(at least 2 draws, {} samples, at least 1 feature)",
            shape[0]
        );
        Err(Error::shape_described(
            Self::INPUT,
            expected,
            self.0.shape(),
        ))
    }
}

/// Random subsets of the cells of every sample, drawn from a stream per sample, so that they are the same for all
/// explainers.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct RandomSubsets {
    /// Grouping of positions into features.
    pub features: Features,
    /// Number of cells in a subset, or their share.
    #[param(name = "subset_size")]
    pub size: SubsetSize,
    /// Number of subsets per sample.
    #[param(at_least = 2, at_most = 1 << 20)]
    pub n_subsets: usize,
    /// Sampling of subsets.
    pub sampling: SubsetSampling,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// Subsets of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Subsets {
    /// Cells that the subsets consist of.
    pub cells: FeatureCells,
    n_subsets: usize,
    /// Number of words per subset.
    words: usize,
    /// Bit set of cells per subset, sample by sample, each starting at a new word. Lists of cells as `u32` would take
    /// six times the memory for subsets of 20 % of the cells, which matters if every pixel is a cell.
    members: Vec<u64>,
}

impl Subsets {
    /// Number of subsets per sample.
    #[must_use]
    pub fn n_subsets(&self) -> usize {
        self.n_subsets
    }

    /// Cells of a subset, ascending. Subset `j` of sample `i` of the batch has the index `i · n_subsets + j`.
    pub fn members(&self, subset: usize) -> impl Iterator<Item = usize> + '_ {
        let words = self.members[subset * self.words..(subset + 1) * self.words].iter();
        words.enumerate().flat_map(|(index, &word)| {
            // `word & (word - 1)` clears the lowest set bit, so the iterator visits set bits only.
            let nonzero = |word: u64| Some(word).filter(|&word| word != 0);
            std::iter::successors(nonzero(word), move |&word| nonzero(word & (word - 1)))
                .map(move |word| index * 64 + word.trailing_zeros() as usize)
        })
    }

    /// Sum of the attributions in each subset of a sample of the batch, from the attributions of its positions.
    #[must_use]
    pub fn sums<T: Real>(&self, sample: usize, attributions: &[T]) -> Vec<f64> {
        let cell_sums = self.cells.for_sample(sample).sums(attributions);
        let subsets = sample * self.n_subsets..(sample + 1) * self.n_subsets;
        let members = &self.members[subsets.start * self.words..subsets.end * self.words];
        let n_members: usize = members.iter().map(|word| word.count_ones() as usize).sum();
        // Both ways add the members of a subset in ascending order, so the choice does not change a bit.
        if n_members * SPARSE < cell_sums.len() * self.n_subsets {
            let sum = |subset| self.members(subset).map(|cell| cell_sums[cell]).sum();
            return subsets.map(sum).collect();
        }
        let sums_side_by_side = |members: &[u64]| {
            let sums = InstructionSet::fastest().run(Sums {
                members,
                words: self.words,
                cell_sums: &cell_sums,
            });
            sums.into_iter().take(members.len() / self.words)
        };
        members
            .chunks(SUMS * self.words)
            .flat_map(sums_side_by_side)
            .collect()
    }
}

/// Number of subsets that are summed side by side.
const SUMS: usize = 16;

/// Subsets that contain on average fewer than one in this many cells are summed cell by cell, because adding one cell
/// takes about as long as testing this many bits.
const SPARSE: usize = 16;

/// Sums of up to [`SUMS`] subsets side by side, because a single sum would wait for each addition before the next.
/// Each cell adds a term to every sum: −0 for subsets without it, which changes no value, not even the sign of a zero.
struct Sums<'a> {
    members: &'a [u64],
    words: usize,
    cell_sums: &'a [f64],
}

impl SimdKernel for Sums<'_> {
    type Output = [f64; SUMS];

    #[inline(always)]
    fn run<S: Simd>(self) -> [f64; SUMS] {
        let mut sums = [-0.0; SUMS];
        for (word, cell_sums) in self.cell_sums.chunks(64).enumerate() {
            let mut bits = [0u64; SUMS];
            for (bits, members) in bits.iter_mut().zip(self.members.chunks_exact(self.words)) {
                *bits = members[word];
            }
            for &cell_sum in cell_sums {
                // A select instead of a branch, so that this vectorises.
                for lane in 0..SUMS {
                    sums[lane] += if bits[lane] & 1 == 0 { -0.0 } else { cell_sum };
                    bits[lane] >>= 1;
                }
            }
        }
        sums
    }
}

impl RandomSubsets {
    /// Checks the parameters. Called once per run, before the model.
    ///
    /// # Errors
    /// An invalid parameter about features, size or number of subsets; too few segments if no sample has two; an
    /// empty-input error for missing segments or given subsets; out of domain for given subsets with features that no
    /// sample has. For a masked model, neither the number of features nor a size that exceeds it is an error.
    pub fn prepare<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.features.prepare(dataset)?;
        let n_cells = self.features.max_count(dataset)?;
        // Given subsets also determine their number and size, so the parameters below do not matter.
        if self.sampling == SubsetSampling::Given {
            return check_given(dataset.side::<PrecomputedSubsets>()?, n_cells);
        }
        self.check_params()?;
        if dataset.is_masked_model() {
            // A sample with one feature has a single subset and no value, but other samples may have theirs.
            return Ok(());
        }
        // With fewer than two cells, no size is valid. A size of 1 then gets one of the errors below, which say more.
        if let SubsetSize::Count(count) = self.size
            && count >= n_cells.max(2)
        {
            let expected = format!("1 to {}, less than all features", n_cells.max(2) - 1);
            return Err(Error::parameter(input::SUBSET_SIZE, count, expected));
        }
        if n_cells >= 2 {
            return Ok(());
        }
        Err(match self.features {
            Features::Segments => Error::too_few(input::SEGMENTS, 2, n_cells),
            Features::Patches(_) => Error::parameter(
                input::FEATURES,
                self.features.to_value(),
                "a size of which at least 2 patches fit",
            ),
            Features::Grid(_) => {
                let cells = self.features.to_value();
                Error::parameter(input::FEATURES, cells, "a grid of at least 2 cells")
            }
            Features::Positions => {
                Error::parameter(input::FEATURES, "positions", "a grid of at least 2 cells")
            }
        })
    }

    /// Draws the subsets of one sample with `n_cells` cells.
    fn draw(&self, item: u64, n_cells: usize, subsets: std::slice::ChunksExactMut<'_, u64>) {
        let mut stream = random_stream(self.seed, item);
        let mut deck: Vec<u32> = (0..n_cells as u32).collect();
        let (size, share) = match self.size {
            SubsetSize::Fraction(share) => {
                (((n_cells as f64 * share).round() as usize).max(1), share)
            }
            SubsetSize::Count(count) => (count.min(n_cells), count as f64 / n_cells as f64),
        };
        for subset in subsets {
            // A sample may have hundreds of thousands of subsets.
            stop::check_stopped();
            if self.sampling == SubsetSampling::Independent {
                let drawn = (0..n_cells).filter(|_| uniform(&mut stream) < share);
                drawn.for_each(|cell| insert(subset, cell));
                continue;
            }
            // A partial Fisher-Yates shuffle. It is uniform from any order of the deck, so the deck is not reset.
            for drawn in 0..size {
                let other = drawn + uniform_index(&mut stream, n_cells - drawn);
                deck.swap(drawn, other);
                insert(subset, deck[drawn] as usize);
            }
        }
    }
}

fn insert(subset: &mut [u64], cell: usize) {
    subset[cell / 64] |= 1 << (cell % 64);
}

fn check_given(given: &PrecomputedSubsets, n_cells: usize) -> Result<()> {
    match given
        .0
        .indexed_iter()
        .find(|(_, cell)| **cell as usize >= n_cells)
    {
        None => Ok(()),
        Some(((draw, sample, index), &cell)) => {
            let expected = format!("a feature of 0 to {}", n_cells.saturating_sub(1));
            Err(Error::out_of_domain(
                input::SUBSETS,
                &[draw, sample, index],
                f64::from(cell),
                expected,
            ))
        }
    }
}

impl<T: Real> BatchWork<T> for RandomSubsets {
    type Output = Subsets;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Subsets> {
        let cells = FeatureCells::clone(&*batch.shared(&self.features)?);
        // Samples with fewer cells leave bits at the end of their sets unused.
        let words = cells.max_count().div_ceil(64);
        let given = match self.sampling {
            SubsetSampling::Given => Some(&batch.dataset().side::<PrecomputedSubsets>()?.0),
            _ => None,
        };
        let n_subsets = given.map_or(self.n_subsets, |given| given.dim().0);
        let mut members = vec![0u64; batch.n_samples() * n_subsets * words];
        let (dataset, first) = (batch.dataset(), batch.samples().start);
        parallel::for_each_chunk(&mut members, n_subsets * words, |sample, subsets| {
            let subsets = subsets.chunks_exact_mut(words);
            let n_cells = cells.for_sample(sample).n_cells();
            match given {
                None => self.draw(dataset.item(first + sample), n_cells, subsets),
                Some(given) => {
                    let draws = given.index_axis(ndarray::Axis(1), first + sample);
                    for (subset, drawn) in subsets.zip(draws.outer_iter()) {
                        // Features that a sample with fewer segments lacks are in none of its subsets.
                        let drawn = drawn.iter().map(|&cell| cell as usize);
                        drawn
                            .filter(|&cell| cell < n_cells)
                            .for_each(|cell| insert(subset, cell));
                    }
                }
            }
        });
        Ok(Subsets {
            cells,
            n_subsets,
            words,
            members,
        })
    }
}

/// Drops of each sample's score when one of its subsets is replaced by the baseline: `n_subsets` drops per sample.
#[derive(Debug, Clone, PartialEq)]
pub struct SubsetDrops {
    /// Subsets of every sample.
    pub subsets: RandomSubsets,
    /// Replacement for removed values.
    pub baseline: Baseline,
}

impl SubsetDrops {
    /// Adds the planned rows of this work.
    ///
    /// # Errors
    /// An empty-input error if given subsets are missing.
    pub fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let n_subsets = match self.subsets.sampling {
            SubsetSampling::Given => plan.dataset().side::<PrecomputedSubsets>()?.0.dim().0,
            _ => self.subsets.n_subsets,
        };
        plan.base_scores();
        plan.once(self, plan.n_samples() * n_subsets as u64);
        Ok(())
    }
}

impl<T: Real> BatchWork<T> for SubsetDrops {
    type Output = Vec<f64>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<f64>> {
        let subsets = batch.shared(&self.subsets)?;
        let remover = Remover::new(batch, &self.baseline)?;
        let n_subsets = subsets.n_subsets;
        let scores = batch.score_changed(
            batch.n_samples() * n_subsets,
            |row| row / n_subsets,
            |row, values| {
                let sample = row / n_subsets;
                let cells = subsets.cells.for_sample(sample);
                let removed = subsets.members(row).flat_map(|cell| cells.positions(cell));
                remover.remove(sample, values, removed.copied());
            },
            ", without random subsets",
        )?;
        remover.check()?;
        let base = batch.base_scores()?.iter();
        let drops = base.zip(scores.chunks_exact(n_subsets));
        Ok(drops
            .flat_map(|(base, scores)| scores.iter().map(move |score| base - score))
            .collect())
    }
}

/// Centred ranks of the [`SubsetDrops`] of each sample: twice the difference of each rank from the mean rank, which are
/// integers that sum to 0.
#[derive(Debug, Clone, PartialEq)]
pub struct SubsetDropRanks(pub SubsetDrops);

impl<T: Real> BatchWork<T> for SubsetDropRanks {
    type Output = Vec<f64>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<f64>> {
        let drops = batch.shared(&self.0)?;
        let sample_drops = drops.chunks_exact(drops.len() / batch.n_samples());
        Ok(sample_drops.flat_map(centred_ranks).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perturbation::Cells;

    #[test]
    fn sums_side_by_side_are_those_of_one_subset_after_another() {
        let (n_cells, n_subsets) = (150_usize, 37);
        let mut stream = random_stream(3, 0);
        let labels: Vec<u32> = (0..n_cells as u32).collect();
        let values: Vec<f64> = labels.iter().map(|_| uniform(&mut stream) - 0.5).collect();
        // Sparse subsets, which are summed cell by cell, and denser ones.
        for size in [1, 8, 40, 149] {
            let words = n_cells.div_ceil(64);
            let mut members = vec![0; n_subsets * words];
            for subset in members.chunks_exact_mut(words) {
                (0..size).for_each(|_| insert(subset, uniform_index(&mut stream, n_cells)));
            }
            let cells = FeatureCells::PerSample(vec![Cells::from_labels(&labels)].into());
            let subsets = Subsets {
                cells,
                n_subsets,
                words,
                members,
            };
            let sum = |subset| -> f64 { subsets.members(subset).map(|cell| values[cell]).sum() };
            let expected: Vec<u64> = (0..n_subsets).map(|subset| sum(subset).to_bits()).collect();
            let sums = subsets.sums(0, &values);
            assert_eq!(
                sums.into_iter().map(f64::to_bits).collect::<Vec<_>>(),
                expected
            );
        }
    }
}
