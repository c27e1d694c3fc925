//! How many top cases a prediction hangs on.

use std::fmt;

use ndarray::ArrayView2;
use xai_core::describe::{MetricInfo, metric};
use xai_core::number::check_labels;
use xai_core::tensor::check_shape;
use xai_core::{Error, Label, Result};

use crate::data_attribution::values::decimals;
use crate::input;

/// How many of the top cases must be left out of the training before a prediction changes?
///
/// ```text
/// first_k_t = min { k : prediction_t(without the k top cases) ≠ prediction_t(all cases) }
/// ```
///
/// `ks` are numbers of top cases, ascending from 0; `predictions` `(n_test, n_ks)` are those of models trained without the
/// `k` top cases of the test case: of several trainings the majority, or the sign of the mean margin. **Lower is better** for
/// `first_k`, higher for the curve, the share of predictions that differ at each `k`. It may fall again: a prediction that
/// flips back counts as such.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::brittleness;
/// let predictions = array![[1, 1, 0], [0, 0, 0], [1, 0, 0]];
/// let of = brittleness(&[0, 10, 20], predictions.view())?;
/// assert_eq!(of.first_k, [Some(20), None, Some(10)]);
/// assert_eq!(of.curve, [0.0, 1.0 / 3.0, 2.0 / 3.0]);
/// assert_eq!((of.median_k, of.share_flipped), (Some(20.0), Some(2.0 / 3.0)));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Errors
/// `Empty` without `ks`, `OutOfDomain` where they do not ascend from 0 and for a label above `i64::MAX`, `ShapeMismatch`.
///
/// # Source
/// Ilyas et al., *Datamodels: Predicting Predictions from Training Data*, 2022. dattri compares with the label instead of
/// the first prediction: a test case that is wrong from the start has 0 there.
pub fn brittleness<L: Label>(ks: &[usize], predictions: ArrayView2<'_, L>) -> Result<Brittleness> {
    if ks.is_empty() {
        return Err(Error::empty(input::KS));
    }
    let ascends = |at: usize| ks[at] > ks[at - 1];
    let wrong = (ks[0] != 0)
        .then_some(0)
        .or_else(|| (1..ks.len()).find(|&at| !ascends(at)));
    if let Some(at) = wrong {
        let expected = "numbers of top cases, ascending from 0";
        return Err(Error::out_of_domain(
            input::KS,
            &[at],
            ks[at] as f64,
            expected,
        ));
    }
    let n = predictions.nrows();
    check_shape(input::PREDICTIONS, &[n, ks.len()], predictions.shape())?;
    check_labels(input::PREDICTIONS, predictions.iter().copied())?;
    let first = predictions.rows().into_iter().map(|row| {
        let differs = row.iter().position(|&prediction| prediction != row[0]);
        differs.map(|at| ks[at])
    });
    let first_k: Vec<Option<usize>> = first.collect();
    let share = |count: usize| count as f64 / n as f64;
    let curve = predictions.columns().into_iter().map(|column| {
        let pairs = column.into_iter().zip(predictions.column(0));
        share(pairs.filter(|(at_k, at_0)| at_k != at_0).count())
    });
    Ok(Brittleness {
        ks: ks.to_vec(),
        curve: if n > 0 { curve.collect() } else { Vec::new() },
        share_flipped: (n > 0).then(|| share(first_k.iter().flatten().count())),
        median_k: median(&first_k),
        n_undefined: first_k.iter().filter(|first| first.is_none()).count(),
        first_k,
    })
}

/// The median where `None` is more than any number.
fn median(first_k: &[Option<usize>]) -> Option<f64> {
    let mut sorted: Vec<usize> = first_k
        .iter()
        .map(|first| first.unwrap_or(usize::MAX))
        .collect();
    sorted.sort_unstable();
    let n = sorted.len();
    let (low, high) = (*sorted.get(n.checked_sub(1)? / 2)?, *sorted.get(n / 2)?);
    (high < usize::MAX).then(|| low as f64 / 2.0 + high as f64 / 2.0)
}

/// How many top cases the predictions hang on.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Brittleness {
    /// The numbers of top cases.
    pub ks: Vec<usize>,
    /// The least of them without which the prediction of each test case changes; `None` where it never does.
    pub first_k: Vec<Option<usize>>,
    /// The share of test cases whose prediction differs at each number; empty without test cases.
    pub curve: Vec<f64>,
    /// The share of test cases whose prediction changes at all; `None` without test cases.
    pub share_flipped: Option<f64>,
    /// The median of `first_k`, where never is more than any number; `None` where it is never.
    pub median_k: Option<f64>,
    /// How many predictions never change.
    pub n_undefined: usize,
}

impl fmt::Display for Brittleness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (median, share) = (decimals(self.median_k), decimals(self.share_flipped));
        write!(f, "median k {median}, share that changes {share}")
    }
}

/// Median number of top training rows to leave out before the prediction changes.
///
/// ```text
/// median over t of min { k : prediction_t(without the top k rows) ≠ prediction_t(all rows) }
/// ```
///
/// # Extremes
/// Few: the prediction depends on the top rows. None: more than half of the predictions never change.
///
/// # Limits
/// It depends on the numbers of rows that were tried. Leaving out any rows of a class changes predictions: compare with random
/// ones.
///
/// # Source
/// Ilyas et al., *Datamodels: Predicting Predictions from Training Data*, 2022.
///
/// # Elsewhere
/// `dattri.brittleness`
#[metric(
    name = "brittleness",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    needs = &[input::KS, input::PREDICTIONS],
    example = 20.0,
)]
pub(super) const DESCRIPTION: &MetricInfo = INFO;
