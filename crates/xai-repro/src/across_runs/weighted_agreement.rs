//! Agreement that counts near misses: Gwet's AC2.

use ndarray::ArrayView2;
use xai_core::tensor::Rows;
use xai_core::{Error, ExactSum, Label, Result, parallel};

use crate::across_runs::agreement_weights::AgreementWeights;
use crate::input;
use crate::packed::classes::{distinct, extremes};

/// Gwet's AC2 of `(k, n)` predictions: chance-corrected agreement of all runs at once, where classes
/// that are near each other agree in part.
///
/// ```text
/// p_o = mean over samples and ordered pairs of runs of w(ŷ_i, ŷ_j)
/// p_e = (Σ_ab w(a, b) / (q (q − 1))) Σ_c p_c (1 − p_c)
/// AC2 = (p_o − p_e) / (1 − p_e)
/// ```
///
/// `p_c` is the share of class `c` among all predictions, `q` the number of classes that occur. 1 =
/// always the same prediction, 0 = as by chance. `None` where agreement is certain by chance: where one
/// class alone is predicted, for instance.
///
/// # Errors
/// [`TooFew`](xai_core::ErrorKind::TooFew) below two runs, [`Empty`](xai_core::ErrorKind::Empty) without
/// samples, [`InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for a label above `i64::MAX`;
/// for custom weights [`ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch),
/// [`NonFinite`](xai_core::ErrorKind::NonFinite) and [`OutOfDomain`](xai_core::ErrorKind::OutOfDomain).
///
/// ```
/// use ndarray::array;
/// use xai_repro::Agreement;
/// use xai_repro::across_runs::{AgreementWeights, gwet_ac2};
/// let runs = array![[0, 0, 1, 2], [0, 1, 1, 2]];
/// let identity = gwet_ac2(runs.view(), &AgreementWeights::Identity)?;
/// assert_eq!(identity, Agreement::new(runs.view())?.gwet_ac1());
/// // A miss of one class of three counts half: p_o = 7/8. Shares 3/8, 3/8, 2/8, so
/// // p_e = (3 + 4·1/2)/6 · (15 + 15 + 12)/64 = 35/64.
/// let linear = gwet_ac2(runs.view(), &AgreementWeights::Linear)?.unwrap();
/// assert!((linear - (56.0 - 35.0) / (64.0 - 35.0)).abs() < 1e-15);
/// # Ok::<(), xai_repro::Error>(())
/// ```
///
/// # Source
/// Gwet, *Handbook of Inter-Rater Reliability*, 2014, chapter 5; `irrCAC` takes the same weights.
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
    let labels = labels_of(&rows)?;
    let q = labels.len();
    weights.check(q)?;
    if q < 2 {
        return Ok(None);
    }
    let (agreeing, counts) = agreeing_pairs(&rows, &labels, weights);
    let observed = agreeing.value() / (n as f64 * k as f64 * (k - 1) as f64);
    let total: ExactSum = (0..q)
        .flat_map(|a| (0..q).map(move |b| (a, b)))
        .map(|(a, b)| weights.weight(&labels, a, b))
        .collect();
    let spread: ExactSum = counts
        .iter()
        .map(|&count| count as f64 / (n as f64 * k as f64))
        .map(|share| share * (1.0 - share))
        .collect();
    let by_chance = total.value() / (q as f64 * (q - 1) as f64) * spread.value();
    Ok((by_chance < 1.0).then(|| (observed - by_chance) / (1.0 - by_chance)))
}

/// The labels that occur, ascending.
fn labels_of<L: Label>(rows: &Rows<'_, L>) -> Result<Vec<i64>> {
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

/// The weights of all ordered pairs of runs over all samples, added up, and how often each class is
/// predicted.
fn agreeing_pairs<L: Label>(
    rows: &Rows<'_, L>,
    labels: &[i64],
    weights: &AgreementWeights,
) -> (ExactSum, Vec<u64>) {
    /// Samples whose columns are gathered at once, so that rows are read along.
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
                for &(a, times) in &present {
                    counts[a] += times as u64;
                    agreeing.add(times * (times - 1.0));
                    for &(b, other) in present.iter().filter(|&&(b, _)| b != a) {
                        agreeing.add(weights.weight(labels, a, b) * (times * other));
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
