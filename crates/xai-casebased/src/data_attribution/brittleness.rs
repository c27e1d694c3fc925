//! Brittleness: the number of top cases that a prediction depends on.

use std::fmt;

use ndarray::ArrayView2;
use xai_core::describe::{Parameters, metric};
use xai_core::number::check_labels;
use xai_core::tensor::check_shape;
use xai_core::{Error, Label, Result};

use crate::data_attribution::values::decimals;
use crate::input;

/// Finds how many of the top cases must be left out of the training before each prediction changes.
///
/// ```text
/// first_k_t = min { k : prediction_t(without the k top cases) ≠ prediction_t(all cases) }
/// ```
///
/// `ks` are numbers of top cases, ascending from 0. `predictions`, `(n_test, n_ks)`, are those of models trained
/// without the `k` top cases of the test case; with several trainings per `k`, pass the majority vote or the sign of
/// the mean margin. **Lower is better** for `first_k`, higher for `curve`, the share of predictions that differ at each
/// `k`. The curve need not be monotone, because a prediction can flip back at a larger `k`.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::brittleness;
/// let predictions = array![[1, 1, 0], [0, 0, 0], [1, 0, 0]];
/// let result = brittleness(&[0, 10, 20], predictions.view())?;
/// assert_eq!(result.first_k, [Some(20), None, Some(10)]);
/// assert_eq!(result.curve, [0.0, 1.0 / 3.0, 2.0 / 3.0]);
/// assert_eq!((result.median_k, result.share_flipped), (Some(20.0), Some(2.0 / 3.0)));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Errors
/// `Empty` without `ks`; `OutOfDomain` unless they ascend from 0, and for a label above `i64::MAX`; `ShapeMismatch`
/// unless there is one column of predictions per `k`.
///
/// # Source
/// Ilyas et al., *Datamodels: Predicting Predictions from Training Data*, 2022. dattri compares with the label
/// instead of the first prediction, so the value of a test case whose prediction is wrong from the start is 0.
pub fn brittleness<L: Label>(ks: &[usize], predictions: ArrayView2<'_, L>) -> Result<Brittleness> {
    if ks.is_empty() {
        return Err(Error::empty(input::KS));
    }
    let first_invalid = if ks[0] == 0 {
        (1..ks.len()).find(|&i| ks[i] <= ks[i - 1])
    } else {
        Some(0)
    };
    if let Some(i) = first_invalid {
        let expected = "numbers of top cases, ascending from 0";
        return Err(Error::out_of_domain(
            input::KS,
            &[i],
            ks[i] as f64,
            expected,
        ));
    }
    let n = predictions.nrows();
    check_shape(input::PREDICTIONS, &[n, ks.len()], predictions.shape())?;
    check_labels(input::PREDICTIONS, predictions.iter().copied())?;
    // Compared with the first prediction, not with a label: the metric measures stability, not accuracy.
    let first = predictions.rows().into_iter().map(|row| {
        let differs = row.iter().position(|&prediction| prediction != row[0]);
        differs.map(|i| ks[i])
    });
    let first_k: Vec<Option<usize>> = first.collect();
    let share = |count: usize| count as f64 / n as f64;
    let curve = predictions.columns().into_iter().map(|column| {
        let pairs = column.into_iter().zip(predictions.column(0));
        share(pairs.filter(|(with_k, with_0)| with_k != with_0).count())
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

/// Median of `first_k`, with `None` as infinity; `None` if the median is infinite or there are no test cases.
fn median(first_k: &[Option<usize>]) -> Option<f64> {
    let mut sorted: Vec<usize> = first_k
        .iter()
        .map(|first| first.unwrap_or(usize::MAX))
        .collect();
    sorted.sort_unstable();
    let n = sorted.len();
    let (low, high) = (*sorted.get(n.checked_sub(1)? / 2)?, *sorted.get(n / 2)?);
    // Halving before adding cannot overflow.
    (high < usize::MAX).then(|| low as f64 / 2.0 + high as f64 / 2.0)
}

/// Result of [`brittleness`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Brittleness {
    /// Numbers of top cases.
    pub ks: Vec<usize>,
    /// Smallest of `ks` at which the prediction of each test case changes; `None` if it never does.
    pub first_k: Vec<Option<usize>>,
    /// Share of test cases whose prediction differs at each of `ks`; empty without test cases.
    pub curve: Vec<f64>,
    /// Share of test cases whose prediction changes at any of `ks`; `None` without test cases.
    pub share_flipped: Option<f64>,
    /// Median of `first_k`, counting "never" as infinity; `None` if the median is infinite or there are no test cases.
    pub median_k: Option<f64>,
    /// Number of predictions that never change.
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
/// Few: the prediction depends on the top rows. None: at least half of the predictions never change.
///
/// # Limits
/// It depends on the numbers of rows that were tried. Leaving out many rows of a class changes predictions whatever
/// the rows are: compare with random rows.
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
    constructor = false,
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub(super) struct BrittlenessMetric;
