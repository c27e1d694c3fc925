//! Subsets of the training cases, and sums of attributions over them.

use ndarray::{Array2, ArrayView2};
use xai_core::simd::{InstructionSet, Simd, SimdKernel};
use xai_core::{Error, ErrorKind, Help, Input, Result};

use crate::{help, input};

/// Subsets of the training cases that models were trained on, of any sizes. A case that was drawn twice counts twice.
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
    /// Number of occurrences of each training case in the subsets of a tile, tile after tile.
    counts: Vec<[u8; TILE]>,
}

/// Number of subsets whose sums are in registers at the same time.
const TILE: usize = 4;
/// Number of test cases that are summed at the same time, one per lane.
const LANES: usize = 8;
/// Number of training cases that are summed in registers. The sums of such blocks are then added, so rounding errors
/// grow with the size of a block and the number of blocks, but not with their product.
const DEPTH: usize = 256;

impl Subsets {
    /// Creates subsets from lists of positions of training cases, below `n_train`.
    ///
    /// # Errors
    /// `OutOfDomain` for a case that does not exist, and for a case that is in a subset more than 255 times;
    /// `InvalidParameter` for lists that look like rows of a mask, because each has `n_train > 2` elements that are
    /// all 0 or 1 (see [`from_mask`](Self::from_mask)).
    pub fn from_cases<L: AsRef<[usize]>>(
        n_train: usize,
        subsets: impl IntoIterator<Item = L>,
    ) -> Result<Self> {
        let mut all = Self::empty(n_train);
        let mut is_mask = n_train > 2;
        for subset in subsets {
            let (cases, j) = (subset.as_ref(), all.n_subsets);
            // Refused only if all lists look like rows of a mask: a single one may be a list of repeated cases.
            is_mask = is_mask && is_mask_row(cases, n_train);
            check_cases(input::SUBSETS, cases, n_train).map_err(|error| {
                let index = [j, error.index()[0]];
                error.at(&index)
            })?;
            all.push(cases.iter().copied())?;
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

    /// Creates subsets from lists of integers that are either rows of a mask or positions of training cases.
    ///
    /// Lists of zeros and ones that all have length `n_train` are a mask; other lists are positions below `n_train`.
    ///
    /// ```
    /// use xai_casebased::data_attribution::Subsets;
    /// let mask = Subsets::from_integers(3, [[1, 0, 1], [0, 0, 1]])?;
    /// assert_eq!(mask, Subsets::from_integers(3, [vec![0, 2], vec![2]])?);
    /// assert!(Subsets::from_integers(2, [[0, 1]]).is_err()); // the cases 0 and 1, or case 1 alone?
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidParameter` if all lists consist of zeros and ones and it is unclear what they are: if all have length
    /// `n_train` and there are only one or two training cases, or if their lengths are not all `n_train` and one has
    /// more than two elements; `OutOfDomain` for a case that does not exist, and for a case that is in a subset more
    /// than 255 times.
    pub fn from_integers<L: AsRef<[i64]>>(
        n_train: usize,
        subsets: impl IntoIterator<Item = L>,
    ) -> Result<Self> {
        let subsets: Vec<L> = subsets.into_iter().collect();
        let lists: Vec<&[i64]> = subsets.iter().map(AsRef::as_ref).collect();
        let is_binary = lists
            .iter()
            .all(|list| list.iter().all(|&x| x == 0 || x == 1));
        let longest = lists.iter().map(|list| list.len()).max().unwrap_or(0);
        if is_binary && longest > 0 {
            let is_mask = lists.iter().all(|list| list.len() == n_train);
            if is_mask && n_train > 2 {
                let mut all = Self::empty(n_train);
                for list in lists {
                    let cases = list.iter().enumerate().filter(|(_, is_in)| **is_in == 1);
                    all.push(cases.map(|(case, _)| case))?;
                }
                return Ok(all);
            }
            // Either a mask for one or two cases, which may also be positions, or a list of more than two zeros and
            // ones, which would name one case twice.
            if is_mask || longest > 2 {
                return Err(looks_like_a_mask(
                    input::SUBSETS,
                    n_train,
                    help::MASK_OR_CASES,
                ));
            }
        }
        let to_cases = |(j, list): (usize, &&[i64])| {
            let cases = list.iter().enumerate().map(|(i, &case)| {
                usize::try_from(case).map_err(|_| {
                    let expected =
                        format!("a training case, {}", xai_core::text::index_range(n_train));
                    Error::out_of_domain(input::SUBSETS, &[j, i], case as f64, expected)
                })
            });
            cases.collect::<Result<Vec<usize>>>()
        };
        let cases = lists.iter().enumerate().map(to_cases);
        Self::from_cases(n_train, cases.collect::<Result<Vec<_>>>()?)
    }

    /// Creates an empty list of subsets.
    fn empty(n_train: usize) -> Self {
        Self {
            n_subsets: 0,
            n_train,
            counts: Vec::new(),
        }
    }

    /// Creates subsets from a mask, `(n_subsets, n_train)`.
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
        let mut all = Self::empty(mask.ncols());
        for subset in mask.rows() {
            let cases = subset.iter().enumerate().filter(|(_, is_in)| **is_in);
            // Cannot fail: each case is in a subset at most once.
            let _ = all.push(cases.map(|(case, _)| case));
        }
        all
    }

    /// Appends a subset.
    fn push(&mut self, cases: impl Iterator<Item = usize>) -> Result<()> {
        let (tile, column) = (self.n_subsets / TILE, self.n_subsets % TILE);
        if column == 0 {
            self.counts.resize((tile + 1) * self.n_train, [0; TILE]);
        }
        for (i, case) in cases.enumerate() {
            let count = &mut self.counts[tile * self.n_train + case][column];
            *count = count.checked_add(1).ok_or_else(|| {
                let expected = "a training case at most 255 times in a subset";
                Error::out_of_domain(input::SUBSETS, &[self.n_subsets, i], case as f64, expected)
            })?;
        }
        self.n_subsets += 1;
        Ok(())
    }

    /// Number of subsets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.n_subsets
    }

    /// Returns whether there is no subset.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n_subsets == 0
    }

    /// Number of training cases.
    #[must_use]
    pub fn n_train(&self) -> usize {
        self.n_train
    }

    /// Sums each row over each subset, `(rows, n_subsets)`. Rows have length `n_train`.
    pub(super) fn sums(&self, rows: &[&[f64]]) -> Array2<f64> {
        let mut sums = Array2::zeros((rows.len(), self.n_subsets));
        for (group, rows) in rows.chunks(LANES).enumerate() {
            let kernel = Sums {
                rows,
                counts: &self.counts,
                n_train: self.n_train,
            };
            let group_sums = InstructionSet::fastest().run(kernel);
            // The last tile and the last group may have unused columns and lanes.
            for (j, lanes) in group_sums.iter().flatten().take(self.n_subsets).enumerate() {
                for (lane, &sum) in lanes.iter().take(rows.len()).enumerate() {
                    sums[[group * LANES + lane, j]] = sum;
                }
            }
        }
        sums
    }
}

/// Returns whether a list has a zero or one for each training case.
pub(super) fn is_mask_row(cases: &[usize], n_train: usize) -> bool {
    cases.len() == n_train && cases.iter().all(|&case| case <= 1)
}

/// Error about an array of zeros and ones where positions of training cases are expected.
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

/// Checks that positions are below `n_train`.
pub(super) fn check_cases(input: Input, cases: &[usize], n_train: usize) -> Result<()> {
    match cases.iter().position(|&case| case >= n_train) {
        None => Ok(()),
        Some(i) => {
            let expected = format!("a training case, {}", xai_core::text::index_range(n_train));
            Err(Error::out_of_domain(input, &[i], cases[i] as f64, expected))
        }
    }
}

/// Kernel that sums up to [`LANES`] rows over all subsets: a matrix product with counts as weights, whose sums stay in
/// registers.
///
/// Lists of cases instead of counts would be read by index, once per row; with half of 50 000 training cases per
/// subset, this took 7 times as long.
struct Sums<'a> {
    rows: &'a [&'a [f64]],
    counts: &'a [[u8; TILE]],
    n_train: usize,
}

/// Sums of a tile of subsets: `[subset][lane]`.
type TileSums = [[f64; LANES]; TILE];

impl SimdKernel for Sums<'_> {
    type Output = Vec<TileSums>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Vec<TileSums> {
        let n_tiles = self.counts.len() / self.n_train.max(1);
        let mut sums = vec![TileSums::default(); n_tiles];
        // A block of the rows, transposed, so that a register holds the values of all rows for one training case.
        // All tiles share it.
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
                let mut block_sums = TileSums::default();
                for (column, weights) in columns[..depth].iter().zip(&weights) {
                    for (sum, weight) in block_sums.iter_mut().zip(weights) {
                        for (sum, value) in sum.iter_mut().zip(column) {
                            *sum += weight * value;
                        }
                    }
                }
                let pairs = sums.iter_mut().flatten().zip(block_sums.iter().flatten());
                for (sum, block_sum) in pairs {
                    *sum += block_sum;
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
