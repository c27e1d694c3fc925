//! Random subsets of an input, and what the model says without them.

use ndarray::Array3;
use xai_core::describe::{Parameter, Parameters};
use xai_core::random::{random_stream, uniform, uniform_index};
use xai_core::simd::{InstructionSet, Simd, SimdKernel};
use xai_core::statistics::ranks::centred_ranks;
use xai_core::{Error, Input, Layout, Real, Result, parallel};

use crate::batch::{BatchWork, Plan, RunData, SampleBatch, SideInput};
use crate::input;
use crate::perturbation::removal::removed::Remover;
use crate::perturbation::{Baseline, FeatureCells, Features};

/// How subsets are drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
#[param(name = "sampling")]
pub enum SubsetSampling {
    /// All subsets have the same size.
    #[default]
    FixedSize,
    /// Every cell is in a subset with the probability of the fraction, by itself: sizes vary, and
    /// larger subsets both drop more and sum to more.
    Independent,
    /// Those handed in as [`GivenSubsets`], which also say their number and size: to repeat another
    /// tool's run.
    #[param(skip)]
    Given,
}

/// How many cells are in a subset.
#[derive(Debug, Clone, Copy, PartialEq, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SubsetSize {
    /// The nearest number to this share of the cells, in (0, 1), at least 1.
    #[param(plain, above = 0, below = 1)]
    Fraction(f64),
    /// So many, at least 1 and less than the cells; of a sample with fewer segments all.
    #[param(plain, at_least = 1)]
    Count(usize),
}

/// Subsets that were drawn elsewhere: the numbers of their features, `(draws, n, size)`. A feature is
/// a position in row-major order, or a cell, or the rank of a segment's label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenSubsets(pub Array3<u32>);

impl SideInput for GivenSubsets {
    const INPUT: Input = input::SUBSETS;

    fn check(&self, shape: &[usize], _layout: Layout) -> Result<()> {
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

/// Random subsets of the cells of every sample, each sample's from a stream of its own: the same
/// for all explainers.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct RandomSubsets {
    /// Which positions go together.
    pub features: Features,
    /// The number of cells in a subset, or their share.
    #[param(name = "subset_size")]
    pub size: SubsetSize,
    /// The number of subsets per sample.
    #[param(at_least = 2, at_most = 1 << 20)]
    pub n_subsets: usize,
    /// How subsets are drawn.
    pub sampling: SubsetSampling,
    /// What random choices depend on.
    pub seed: u64,
}

/// The subsets of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Subsets {
    /// The cells they are made of.
    pub cells: FeatureCells,
    n_subsets: usize,
    /// The words of a subset.
    words: usize,
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
    pub fn members(&self, subset: usize) -> impl Iterator<Item = usize> + '_ {
        let words = self.members[subset * self.words..(subset + 1) * self.words].iter();
        words.enumerate().flat_map(|(place, &word)| {
            let left = |word: u64| Some(word).filter(|&word| word != 0);
            std::iter::successors(left(word), move |&word| left(word & (word - 1)))
                .map(move |word| place * 64 + word.trailing_zeros() as usize)
        })
    }

    /// The sum of the attributions of each subset of a sample, given those of its positions.
    #[must_use]
    pub fn sums<T: Real>(&self, sample: usize, attributions: &[T]) -> Vec<f64> {
        let of_cell = self.cells.for_sample(sample).sums(attributions);
        let subsets = sample * self.n_subsets..(sample + 1) * self.n_subsets;
        let members = &self.members[subsets.start * self.words..subsets.end * self.words];
        let n_members: usize = members.iter().map(|word| word.count_ones() as usize).sum();
        if n_members * LEAST_SHARE < of_cell.len() * self.n_subsets {
            let sum = |subset| self.members(subset).map(|cell| of_cell[cell]).sum();
            return subsets.map(sum).collect();
        }
        let of_some = |members: &[u64]| {
            let sums = InstructionSet::fastest().run(Sums {
                members,
                words: self.words,
                of_cell: &of_cell,
            });
            sums.into_iter().take(members.len() / self.words)
        };
        members
            .chunks(SUMS * self.words)
            .flat_map(of_some)
            .collect()
    }
}

/// Subsets whose sums are taken side by side.
const SUMS: usize = 16;

/// Subsets of fewer cells than one in so many are added cell by cell: it takes about as long as to look at as many.
const LEAST_SHARE: usize = 16;

/// The sums of at most [`SUMS`] subsets. Each waits for its addition before, so they are taken side by side: every cell
/// is added to all, −0, which changes nothing, to those without it.
struct Sums<'a> {
    members: &'a [u64],
    words: usize,
    of_cell: &'a [f64],
}

impl SimdKernel for Sums<'_> {
    type Output = [f64; SUMS];

    #[inline(always)]
    fn run<S: Simd>(self) -> [f64; SUMS] {
        let mut sums = [-0.0; SUMS];
        for (word, of_cell) in self.of_cell.chunks(64).enumerate() {
            let mut bits = [0u64; SUMS];
            for (bits, members) in bits.iter_mut().zip(self.members.chunks_exact(self.words)) {
                *bits = members[word];
            }
            for &of_cell in of_cell {
                for lane in 0..SUMS {
                    sums[lane] += if bits[lane] & 1 == 0 { -0.0 } else { of_cell };
                    bits[lane] >>= 1;
                }
            }
        }
        sums
    }
}

impl RandomSubsets {
    /// Checks the parameters: what a metric does once per run, before the model is called.
    ///
    /// # Errors
    /// An invalid parameter, about features, size or the number of subsets; of given subsets, those
    /// not given, and features that a sample has not.
    pub fn prepare<T: Real>(&self, run: &RunData<'_, T>) -> Result<()> {
        self.features.prepare(run)?;
        let n_cells = self.features.max_count(run)?;
        if self.sampling == SubsetSampling::Given {
            return check_given(run.side::<GivenSubsets>()?, n_cells);
        }
        self.check_params()?;
        if run.is_masked_model() {
            // A sample of one feature has one subset, and no value, and others beside it have theirs.
            return Ok(());
        }
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

    /// Draws the subsets of one sample of so many cells.
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
            // There may be hundreds of thousands for one sample.
            parallel::check_stopped();
            if self.sampling == SubsetSampling::Independent {
                let drawn = (0..n_cells).filter(|_| uniform(&mut stream) < share);
                drawn.for_each(|cell| insert(subset, cell));
                continue;
            }
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

fn check_given(given: &GivenSubsets, n_cells: usize) -> Result<()> {
    match given
        .0
        .indexed_iter()
        .find(|(_, cell)| **cell as usize >= n_cells)
    {
        None => Ok(()),
        Some(((draw, sample, place), &cell)) => {
            let expected = format!("a feature of 0 to {}", n_cells.saturating_sub(1));
            Err(Error::out_of_domain(
                input::SUBSETS,
                &[draw, sample, place],
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
        let words = cells.max_count().div_ceil(64);
        let given = match self.sampling {
            SubsetSampling::Given => Some(&batch.run().side::<GivenSubsets>()?.0),
            _ => None,
        };
        let n_subsets = given.map_or(self.n_subsets, |given| given.dim().0);
        let mut members = vec![0u64; batch.n_samples() * n_subsets * words];
        let (run, first) = (batch.run(), batch.samples().start);
        parallel::for_each_chunk(&mut members, n_subsets * words, |sample, subsets| {
            let subsets = subsets.chunks_exact_mut(words);
            let n_cells = cells.for_sample(sample).n_cells();
            match given {
                None => self.draw(run.item(first + sample), n_cells, subsets),
                Some(given) => {
                    let of_sample = given.index_axis(ndarray::Axis(1), first + sample);
                    for (subset, drawn) in subsets.zip(of_sample.outer_iter()) {
                        // A feature that a sample with fewer segments has not is in no subset.
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

/// How far each sample's score drops when each of its subsets is set to the baseline: `n_subsets`
/// drops per sample.
#[derive(Debug, Clone, PartialEq)]
pub struct SubsetDrops {
    /// Which subsets.
    pub subsets: RandomSubsets,
    /// What stands for absence.
    pub baseline: Baseline,
}

impl SubsetDrops {
    /// Adds the rows that the model sees for it.
    ///
    /// # Errors
    /// As [`RandomSubsets::prepare`].
    pub fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let n_subsets = match self.subsets.sampling {
            SubsetSampling::Given => plan.run().side::<GivenSubsets>()?.0.dim().0,
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

/// The ranks of the [`SubsetDrops`] of each sample, centred: integers that sum to 0.
#[derive(Debug, Clone, PartialEq)]
pub struct SubsetDropRanks(pub SubsetDrops);

impl<T: Real> BatchWork<T> for SubsetDropRanks {
    type Output = Vec<f64>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<f64>> {
        let drops = batch.shared(&self.0)?;
        let of_sample = drops.chunks_exact(drops.len() / batch.n_samples());
        Ok(of_sample.flat_map(centred_ranks).collect())
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
        // As few cells as are added one by one, and more.
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
