//! Weighted agreement of all runs: Gwet's AC2.

use ndarray::{Array2, ArrayView2};
use xai_core::describe::Parameter;
use xai_core::number::check_finite;
use xai_core::tensor::{Rows, check_shape};
use xai_core::{Error, ExactSum, Label, Result, parallel};

use crate::input;
use crate::packed::classes::{distinct, extremes};

/// Gwet's AC2 of `(k, n)` predictions: chance-corrected agreement of all runs, with partial agreement for similar
/// classes.
///
/// ```text
/// p_o = mean over samples and ordered pairs of runs of w(ŷ_i, ŷ_j)
/// p_e = (Σ_ab w(a, b) / (q (q − 1))) Σ_c p_c (1 − p_c)
/// AC2 = (p_o − p_e) / (1 − p_e)
/// ```
///
/// `p_c` is the share of class `c` among all predictions, `q` the number of classes that occur. 1 = always the same
/// prediction, 0 = as by chance. `None` if agreement by chance is certain, for example if only one class is predicted.
///
/// # Errors
/// `TooFew` for fewer than two runs, `Empty` without samples, `InvalidParameter` for a label above `i64::MAX`. Custom
/// weights: `ShapeMismatch` unless `(q, q)`, `NonFinite` for NaN or infinite weights, `OutOfDomain` for weights that
/// are outside [0, 1], asymmetric, or not 1 on the diagonal.
///
/// ```
/// use ndarray::array;
/// use xai_repro::Agreement;
/// use xai_repro::across_runs::{AgreementWeights, gwet_ac2};
/// let runs = array![[0, 0, 1, 2], [0, 1, 1, 2]];
/// let identity = gwet_ac2(runs.view(), &AgreementWeights::Identity)?;
/// assert_eq!(identity, Agreement::new(runs.view())?.gwet_ac1());
/// // Neighbouring classes of three have weight 1/2: p_o = 7/8. Shares are 3/8, 3/8 and 2/8, so
/// // p_e = (3 + 4·1/2)/6 · (15 + 15 + 12)/64 = 35/64.
/// let linear = gwet_ac2(runs.view(), &AgreementWeights::Linear)?.unwrap();
/// assert!((linear - (56.0 - 35.0) / (64.0 - 35.0)).abs() < 1e-15);
/// # Ok::<(), xai_repro::Error>(())
/// ```
///
/// # Source
/// Gwet, *Handbook of Inter-Rater Reliability*, 2014, chapter 5; the weights are those of the package `irrCAC`.
pub fn gwet_ac2<L: Label>(
    predictions: ArrayView2<'_, L>,
    weights: &AgreementWeights,
) -> Result<Option<f64>> {
    let (k, n) = predictions.dim();
    if k < 2 {
        return Err(Error::too_few(input::RUNS, 2, k));
    }
    if n == 0 {
        return Err(Error::empty(input::SAMPLES));
    }
    let rows = Rows::new(predictions);
    let labels = distinct_labels(&rows)?;
    let q = labels.len();
    weights.check(q)?;
    if q < 2 {
        return Ok(None);
    }
    let (agreeing, counts) = sum_pair_weights(&rows, &labels, weights);
    let observed = agreeing.value() / (n as f64 * k as f64 * (k - 1) as f64);
    let total_weight: ExactSum = (0..q)
        .flat_map(|a| (0..q).map(move |b| (a, b)))
        .map(|(a, b)| weights.weight(&labels, a, b))
        .collect();
    let spread: ExactSum = counts
        .iter()
        .map(|&count| count as f64 / (n as f64 * k as f64))
        .map(|share| share * (1.0 - share))
        .collect();
    let by_chance = total_weight.value() / (q as f64 * (q - 1) as f64) * spread.value();
    Ok((by_chance < 1.0).then(|| (observed - by_chance) / (1.0 - by_chance)))
}

/// Labels that occur in any run, in ascending order.
fn distinct_labels<L: Label>(rows: &Rows<'_, L>) -> Result<Vec<i64>> {
    let mut labels = Vec::new();
    for (run, row) in rows.iter().enumerate() {
        if let Some(extremes) = extremes(run, row)? {
            labels.extend(distinct(row, extremes));
        }
    }
    labels.sort_unstable();
    labels.dedup();
    Ok(labels)
}

/// Sum of the weights of all ordered pairs of runs over all samples, and the number of predictions of each class.
fn sum_pair_weights<L: Label>(
    rows: &Rows<'_, L>,
    labels: &[i64],
    weights: &AgreementWeights,
) -> (ExactSum, Vec<u64>) {
    /// Number of consecutive samples per block, so that the memory read from each row is contiguous.
    const BLOCK: usize = 256;
    parallel::fold_blocks(
        rows.n_columns(),
        BLOCK,
        || (ExactSum::new(), vec![0u64; labels.len()]),
        |(agreeing, counts), range| {
            let mut column: Vec<usize> = Vec::with_capacity(rows.n_rows());
            for sample in range {
                column.clear();
                let class = |label: L| label.to_i64().and_then(|x| labels.binary_search(&x).ok());
                column.extend(rows.iter().filter_map(|row| class(row[sample])));
                column.sort_unstable();
                let present: Vec<(usize, f64)> = column
                    .chunk_by(|a, b| a == b)
                    .map(|same| (same[0], same.len() as f64))
                    .collect();
                // Pairs of runs are counted by class: the cost grows with the classes of the sample instead of the
                // pairs.
                for &(a, n_a) in &present {
                    counts[a] += n_a as u64;
                    agreeing.add(n_a * (n_a - 1.0));
                    for &(b, n_b) in present.iter().filter(|&&(b, _)| b != a) {
                        agreeing.add(weights.weight(labels, a, b) * (n_a * n_b));
                    }
                }
            }
        },
        |(agreeing, counts), (other, others)| {
            agreeing.add_sum(&other);
            for (count, more) in counts.iter_mut().zip(others) {
                *count += more;
            }
        },
    )
}

/// Agreement weights of two classes: 1 for equal classes, less for others.
///
/// The classes are the labels that occur, in ascending order. `x_a` is the label with rank `a` (from 0), and `q` is the
/// number of labels. Distances are differences of labels, so label ordered categories with consecutive integers.
///
/// | weights | `w(a, b)` |
/// |---|---|
/// | `Identity` | 1 if `a = b`, else 0 |
/// | `Linear` | `1 − \|x_a − x_b\| / (x_max − x_min)` |
/// | `Quadratic` | `1 − (x_a − x_b)² / (x_max − x_min)²` |
/// | `Radical` | `1 − √\|x_a − x_b\| / √(x_max − x_min)` |
/// | `Ordinal` | `1 − M(a, b) / M(0, q − 1)`, `M(a, b) = d (d + 1)/2` with `d = \|a − b\|` |
/// | `Custom` | any `(q, q)` matrix that is symmetric, in [0, 1], and 1 on the diagonal |
///
/// # Source
/// Gwet, *Handbook of Inter-Rater Reliability*, 2014, chapter 3.
#[derive(Debug, Clone, Default, PartialEq, Parameter)]
#[param(name = "weights")]
#[non_exhaustive]
pub enum AgreementWeights {
    /// Only equal classes agree, which makes AC2 equal to AC1.
    Identity,
    /// Falls with the distance of the labels.
    #[default]
    Linear,
    /// Falls with the squared distance of the labels.
    Quadratic,
    /// Falls with the square root of the distance of the labels.
    Radical,
    /// Depends on the ranks of the labels, not on their distances.
    Ordinal,
    /// Custom weights, with rows and columns in ascending order of the labels that occur.
    #[param(skip)]
    Custom(Array2<f64>),
}

impl AgreementWeights {
    /// Checks custom weights against the number of classes.
    pub(super) fn check(&self, q: usize) -> Result<()> {
        let Self::Custom(weights) = self else {
            return Ok(());
        };
        check_shape(input::WEIGHTS, &[q, q], weights.shape())?;
        check_finite(input::WEIGHTS, weights.view())?;
        for ((a, b), &weight) in weights.indexed_iter() {
            // Symmetry is tested exactly, without a tolerance.
            let expected = if !(0.0..=1.0).contains(&weight) {
                "a weight in [0, 1]"
            } else if a == b && weight != 1.0 {
                "1 on the diagonal"
            } else if weight != weights[[b, a]] {
                "the weight at the transposed position (weights are symmetric)"
            } else {
                continue;
            };
            let at = [a, b];
            return Err(Error::out_of_domain(input::WEIGHTS, &at, weight, expected));
        }
        Ok(())
    }

    /// Weight of the classes with ranks `a` and `b` among at least two labels in ascending order.
    pub(super) fn weight(&self, labels: &[i64], a: usize, b: usize) -> f64 {
        if a == b {
            return 1.0;
        }
        let last = labels.len() - 1;
        let share = labels[a].abs_diff(labels[b]) as f64 / labels[last].abs_diff(labels[0]) as f64;
        match self {
            Self::Identity => 0.0,
            Self::Linear => 1.0 - share,
            Self::Quadratic => 1.0 - share * share,
            Self::Radical => 1.0 - share.sqrt(),
            Self::Ordinal => {
                let steps = |d: usize| d as f64 * (d + 1) as f64;
                1.0 - steps(a.abs_diff(b)) / steps(last)
            }
            Self::Custom(weights) => weights[[a, b]],
        }
    }
}
