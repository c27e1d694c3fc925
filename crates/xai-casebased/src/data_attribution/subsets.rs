//! Subsets of the training cases, and the sums of attributions over them.

use ndarray::{Array2, ArrayView2};
use xai_core::simd::{InstructionSet, Simd, SimdKernel};
use xai_core::{Error, ErrorKind, Help, Input, Result};

use crate::{help, input};

/// Subsets of the training cases that models were trained on, of any sizes; a case that was drawn twice counts twice.
///
/// ```
/// use xai_casebased::data_attribution::Subsets;
/// let subsets = Subsets::from_cases(4, [vec![0, 3], vec![1, 1, 2]])?;
/// assert_eq!((subsets.len(), subsets.n_train()), (2, 4));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subsets {
    n_subsets: usize,
    n_train: usize,
    /// How often each training case is in the subsets of a tile, tile after tile.
    counts: Vec<[u8; TILE]>,
}

/// Subsets whose sums are kept in registers at once.
const TILE: usize = 4;
/// Test cases that are summed at once, one in each lane.
const LANES: usize = 8;
/// Training cases whose sum is made in registers. Sums of such blocks are then added, so that errors of rounding do
/// not grow with the number of training cases.
const DEPTH: usize = 256;

impl Subsets {
    /// Creates subsets from lists of training cases below `n_train`.
    ///
    /// # Errors
    /// `OutOfDomain` for a case that there is not, for one that is in a subset more than 255 times, and for rows of a mask,
    /// which [`from_mask`](Self::from_mask) takes: if all lists have `n_train > 2` elements, all 0 or 1.
    pub fn from_cases<L: AsRef<[usize]>>(
        n_train: usize,
        subsets: impl IntoIterator<Item = L>,
    ) -> Result<Self> {
        let mut all = Self::none(n_train);
        let mut is_mask = n_train > 2;
        for subset in subsets {
            let (subset, j) = (subset.as_ref(), all.n_subsets);
            is_mask = is_mask && is_mask_row(subset, n_train);
            check_cases(input::SUBSETS, subset, n_train).map_err(|error| {
                let at = [j, error.index()[0]];
                error.at(&at)
            })?;
            all.push(subset.iter().copied())?;
        }
        if is_mask && !all.is_empty() {
            return Err(looks_like_a_mask(
                input::SUBSETS,
                n_train,
                help::MASK_AS_BOOLEANS,
            ));
        }
        Ok(all)
    }

    /// Creates subsets from lists of integers that are either rows of a mask or lists of training cases.
    ///
    /// Lists of zeros and ones that are all `n_train` long are a mask; any others list cases below `n_train`.
    ///
    /// ```
    /// use xai_casebased::data_attribution::Subsets;
    /// let from_mask = Subsets::from_integers(3, [[1, 0, 1], [0, 0, 1]])?;
    /// assert_eq!(from_mask, Subsets::from_integers(3, [vec![0, 2], vec![2]])?);
    /// assert!(Subsets::from_integers(2, [[0, 1]]).is_err()); // the cases 0 and 1, or case 1 alone?
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    ///
    /// # Errors
    /// `OutOfDomain` if both readings are possible, which they are for one or two training cases; for lists of more than two
    /// zeros and ones of another length than `n_train`; for a case that there is not, and for one that is in a subset more
    /// than 255 times.
    pub fn from_integers<L: AsRef<[i64]>>(
        n_train: usize,
        subsets: impl IntoIterator<Item = L>,
    ) -> Result<Self> {
        let lists: Vec<L> = subsets.into_iter().collect();
        let lists: Vec<&[i64]> = lists.iter().map(AsRef::as_ref).collect();
        let is_binary = lists
            .iter()
            .all(|list| list.iter().all(|&x| x == 0 || x == 1));
        let longest = lists.iter().map(|list| list.len()).max().unwrap_or(0);
        if is_binary && longest > 0 {
            let is_mask = lists.iter().all(|list| list.len() == n_train);
            if is_mask && n_train > 2 {
                let mut all = Self::none(n_train);
                for list in lists {
                    let cases = list.iter().enumerate().filter(|(_, is_in)| **is_in == 1);
                    all.push(cases.map(|(case, _)| case))?;
                }
                return Ok(all);
            }
            if is_mask || longest > 2 {
                return Err(looks_like_a_mask(
                    input::SUBSETS,
                    n_train,
                    help::MASK_OR_CASES,
                ));
            }
        }
        let cases = lists.iter().enumerate().map(|(j, list)| {
            let cases = list.iter().enumerate().map(|(at, &case)| {
                usize::try_from(case).map_err(|_| {
                    let expected =
                        format!("a training case, {}", xai_core::text::index_range(n_train));
                    Error::out_of_domain(input::SUBSETS, &[j, at], case as f64, expected)
                })
            });
            cases.collect::<Result<Vec<usize>>>()
        });
        Self::from_cases(n_train, cases.collect::<Result<Vec<_>>>()?)
    }

    fn none(n_train: usize) -> Self {
        Self {
            n_subsets: 0,
            n_train,
            counts: Vec::new(),
        }
    }

    /// Creates subsets from booleans, `(n_subsets, n_train)`.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::data_attribution::Subsets;
    /// let subsets = Subsets::from_mask(array![[true, false, true]].view());
    /// assert_eq!(subsets, Subsets::from_cases(3, [[0, 2]])?);
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    #[must_use]
    pub fn from_mask(mask: ArrayView2<'_, bool>) -> Self {
        let mut all = Self::none(mask.ncols());
        for subset in mask.rows() {
            let cases = subset.iter().enumerate().filter(|(_, is_in)| **is_in);
            // Each case is in it once at most.
            let _ = all.push(cases.map(|(case, _)| case));
        }
        all
    }

    fn push(&mut self, cases: impl Iterator<Item = usize>) -> Result<()> {
        let (tile, place) = (self.n_subsets / TILE, self.n_subsets % TILE);
        if place == 0 {
            self.counts.resize((tile + 1) * self.n_train, [0; TILE]);
        }
        for (at, case) in cases.enumerate() {
            let count = &mut self.counts[tile * self.n_train + case][place];
            *count = count.checked_add(1).ok_or_else(|| {
                let expected = "a training case at most 255 times in a subset";
                Error::out_of_domain(input::SUBSETS, &[self.n_subsets, at], case as f64, expected)
            })?;
        }
        self.n_subsets += 1;
        Ok(())
    }

    /// The number of subsets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.n_subsets
    }

    /// Whether there is no subset.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n_subsets == 0
    }

    /// The number of training cases that there are subsets of.
    #[must_use]
    pub fn n_train(&self) -> usize {
        self.n_train
    }

    /// The sum of each row over each subset, `(rows, n_subsets)`. Rows are `n_train` long.
    pub(super) fn sums(&self, rows: &[&[f64]]) -> Array2<f64> {
        let mut sums = Array2::zeros((rows.len(), self.n_subsets));
        for (group, rows) in rows.chunks(LANES).enumerate() {
            let kernel = Sums {
                rows,
                counts: &self.counts,
                n_train: self.n_train,
            };
            let of_group = InstructionSet::fastest().run(kernel);
            for (j, of_subset) in of_group.iter().flatten().take(self.n_subsets).enumerate() {
                for (lane, &sum) in of_subset.iter().take(rows.len()).enumerate() {
                    sums[[group * LANES + lane, j]] = sum;
                }
            }
        }
        sums
    }
}

/// Returns true for zeros and ones, one for each training case.
pub(super) fn is_mask_row(cases: &[usize], n_train: usize) -> bool {
    cases.len() == n_train && cases.iter().all(|&case| case <= 1)
}

/// An error about an array of zeros and ones where positions of training cases are expected.
pub(super) fn looks_like_a_mask(input: Input, n_train: usize, help: Help) -> Error {
    let expected = format!(
        "positions of the {n_train} training cases; an array of only 0 and 1 may also be a mask"
    );
    Error::new(
        input,
        ErrorKind::InvalidParameter {
            value: "zeros and ones".to_owned(),
            expected: expected.into(),
        },
    )
    .with_help(help)
}

/// Checks that numbers are those of training cases.
pub(super) fn check_cases(input: Input, cases: &[usize], n_train: usize) -> Result<()> {
    match cases.iter().position(|&case| case >= n_train) {
        None => Ok(()),
        Some(at) => {
            let expected = format!("a training case, {}", xai_core::text::index_range(n_train));
            Err(Error::out_of_domain(
                input,
                &[at],
                cases[at] as f64,
                expected,
            ))
        }
    }
}

/// Sums of up to [`LANES`] rows over all tiles: a product of matrices that stays in registers.
///
/// A list of cases per subset would be read by index, once for each row: of half of 50 000 training cases that took 7 times as long.
struct Sums<'a> {
    rows: &'a [&'a [f64]],
    counts: &'a [[u8; TILE]],
    n_train: usize,
}

type OfTile = [[f64; LANES]; TILE];

impl SimdKernel for Sums<'_> {
    type Output = Vec<OfTile>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Vec<OfTile> {
        let n_tiles = self.counts.len() / self.n_train.max(1);
        let mut sums = vec![OfTile::default(); n_tiles];
        let mut columns = [[0.0; LANES]; DEPTH];
        let mut weights = [[0.0; TILE]; DEPTH];
        for start in (0..self.n_train).step_by(DEPTH) {
            let depth = DEPTH.min(self.n_train - start);
            for (lane, row) in self.rows.iter().enumerate() {
                for (column, &value) in columns.iter_mut().zip(&row[start..start + depth]) {
                    column[lane] = value;
                }
            }
            for (tile, sums) in sums.iter_mut().enumerate() {
                let counts = &self.counts[tile * self.n_train + start..][..depth];
                for (weights, counts) in weights.iter_mut().zip(counts) {
                    *weights = counts.map(f64::from);
                }
                let mut of_block = OfTile::default();
                for (column, weights) in columns[..depth].iter().zip(&weights) {
                    for (sum, weight) in of_block.iter_mut().zip(weights) {
                        for (sum, value) in sum.iter_mut().zip(column) {
                            *sum += weight * value;
                        }
                    }
                }
                for (sums, of_block) in sums.iter_mut().flatten().zip(of_block.iter().flatten()) {
                    *sums += of_block;
                }
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_are_those_over_the_lists(
            lists in prop::collection::vec(prop::collection::vec(0usize..600, 0..40), 0..9),
            n_rows in 1usize..20,
        ) {
            // Multiples of 1/8: no sum rounds.
            let row = |t: usize| (0..600).map(|i| ((i * 37 + t * 11) % 101) as f64 / 8.0 - 6.0).collect::<Vec<_>>();
            let rows: Vec<Vec<f64>> = (0..n_rows).map(row).collect();
            let views: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
            let sums = Subsets::from_cases(600, &lists).unwrap().sums(&views);
            prop_assert_eq!(sums.dim(), (n_rows, lists.len()));
            for ((t, j), &sum) in sums.indexed_iter() {
                prop_assert_eq!(sum, lists[j].iter().map(|&i| rows[t][i]).sum::<f64>());
            }
        }
    }

    #[test]
    fn zeros_and_ones_for_all_training_cases_are_a_mask_or_refused() {
        let refused = |subsets: Result<Subsets>, help: Help| {
            let error = subsets.unwrap_err();
            assert_eq!((error.input(), error.help()), (input::SUBSETS, Some(help)));
        };
        let mask = [[1, 0, 0, 1], [0, 1, 1, 1]];
        let expected = Subsets::from_cases(4, [vec![0, 3], vec![1, 2, 3]]).unwrap();
        assert_eq!(Subsets::from_integers(4, mask).unwrap(), expected);
        let typed = mask.map(|row| row.map(|x| x as usize));
        refused(Subsets::from_cases(4, typed), help::MASK_AS_BOOLEANS);
        // Of another length, or for so few cases that positions are possible, too.
        refused(Subsets::from_integers(5, mask), help::MASK_OR_CASES);
        refused(
            Subsets::from_integers(2, [[0, 1], [1, 0]]),
            help::MASK_OR_CASES,
        );
        refused(Subsets::from_integers(1, [[0]]), help::MASK_OR_CASES);
        // Positions: one that is above 1, or lists too short to be a mask.
        let positions = Subsets::from_integers(4, [[1, 0, 0, 2]]).unwrap();
        assert_eq!(positions, Subsets::from_cases(4, [[1, 0, 0, 2]]).unwrap());
        let short = Subsets::from_integers(4, [[0, 1], [1, 0]]).unwrap();
        assert_eq!(short, Subsets::from_cases(4, [[0, 1], [1, 0]]).unwrap());
        let error = Subsets::from_integers(4, [[0, -1]]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "subsets[0, 1] = -1: expected a training case, 0 to 3"
        );
    }

    #[test]
    fn a_case_that_there_is_not_is_named_with_its_place() {
        let error = Subsets::from_cases(3, [vec![0], vec![1, 3]]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "subsets[1, 1] = 3: expected a training case, 0 to 2"
        );
        let error = Subsets::from_cases(1, [[0; 256]]).unwrap_err();
        assert_eq!(
            (error.input(), error.index()),
            (input::SUBSETS, &[0, 255][..])
        );
    }
}
