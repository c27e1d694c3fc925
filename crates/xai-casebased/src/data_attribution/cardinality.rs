//! Number of distinct training cases in the explanations.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use xai_core::Result;
use xai_core::describe::{Parameters, metric};

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::values::decimals;
use crate::data_attribution::walk::{RowFunction, walk};
use crate::input;

/// Share of distinct training rows among the top-k attributions of all test rows.
///
/// ```text
/// u / (n k), u the number of rows among the top k of any test row; scaled: (u − k) / (min(n_train, n k) − k)
/// ```
///
/// `u` is the number of distinct training cases among the top `k` of the `n` kept test cases. **Higher is better**: a
/// few training cases that explain every prediction explain little. A `k` above the number of training cases is
/// reduced to it.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, TopKCardinality};
/// let attributions = array![[0.9, 0.1, 0.0], [0.8, 0.0, 0.1], [0.0, 0.7, 0.1]];
/// let cardinality = TopKCardinality::new().evaluate(&AttributionData::new(attributions.view()))?;
/// assert_eq!((cardinality.unique, cardinality.value), (2, Some(2.0 / 3.0)));
/// assert_eq!(cardinality.scaled, Some(0.5)); // (2 − 1) / (3 − 1)
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Extremes
/// 1/n, scaled 0: all explanations show the same rows. 1 or n_train/(n k), scaled 1: as many different rows as
/// possible.
///
/// # Limits
/// Random explanations show the most rows. Only the scaled value is comparable across numbers of test and training
/// rows and k.
///
/// # Source
/// Barshan, Brunet and Dziugaite, *RelatIF: Identifying Explanatory Training Samples via Relative Influence*, 2020.
///
/// The scaled value is ours, because the other one depends on the numbers of rows.
///
/// # Elsewhere
/// `quanda.TopKCardinalityMetric`
#[metric(
    name = "top-k-cardinality",
    direction = Direction::Higher,
    range = Range::above(0.0).up_to(1.0),
    invariance = Invariance::SCALE,
    needs = &[input::ATTRIBUTIONS],
    example = 1.0,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct TopKCardinality {
    /// Number of top cases per explanation.
    #[param(at_least = 1, default = 1)]
    k: usize,
}

/// Number of distinct training cases that the explanations show.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Cardinality {
    /// Number of distinct cases divided by `n k`, in [1/n, min(1, n_train/(n k))]. `None` without a kept test case.
    pub value: Option<f64>,
    /// Number of distinct cases.
    pub unique: usize,
    /// 0 if all explanations show the same cases, 1 if they show as many different cases as possible. `None` if these
    /// coincide: for at most one kept test case, and for `k` of at least the number of training cases.
    pub scaled: Option<f64>,
}

impl fmt::Display for Cardinality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, scaled) = (decimals(self.value), decimals(self.scaled));
        write!(
            f,
            "{value}, {} training cases, scaled {scaled}",
            self.unique
        )
    }
}

impl TopKCardinality {
    /// Counts the distinct training cases among the top `k` of all kept test cases.
    ///
    /// # Errors
    /// As [`AttributionMetric::evaluate`](super::AttributionMetric::evaluate).
    pub fn evaluate(&self, data: &AttributionData<'_>) -> Result<Cardinality> {
        self.check_params()?;
        let shown = Arc::new(self.shown(data)?);
        walk(data, &[&Shown::row_function(&shown)])?;
        Ok(shown.finish(data.n_kept()?))
    }

    pub(super) fn shown(&self, data: &AttributionData<'_>) -> Result<Shown> {
        let n_train = data.shape()?.1;
        // A bit per training case: the size does not depend on `n k`, and threads need no lock.
        let words = (0..n_train.div_ceil(64)).map(|_| AtomicU64::new(0));
        Ok(Shown {
            k: self.k.min(n_train),
            n_train,
            cases: words.collect(),
        })
    }
}

/// Set of the training cases that are shown, one bit each. Threads set bits concurrently; the set does not depend
/// on their order.
pub(super) struct Shown {
    k: usize,
    n_train: usize,
    cases: Vec<AtomicU64>,
}

impl Shown {
    pub(super) fn row_function<'d>(shown: &Arc<Self>) -> RowFunction<'d> {
        let (k, shown) = (shown.k, Arc::clone(shown));
        RowFunction::per_row(k, move |row| {
            for &case in row.top(k) {
                let word = &shown.cases[case as usize / 64];
                // Relaxed suffices: the words are read after the threads have been joined.
                word.fetch_or(1 << (case % 64), Ordering::Relaxed);
            }
            None
        })
    }

    /// Result for `n` kept test cases.
    pub(super) fn finish(&self, n: usize) -> Cardinality {
        let words = self.cases.iter().map(|word| word.load(Ordering::Relaxed));
        let unique: usize = words.map(|word| word.count_ones() as usize).sum();
        let all = n.saturating_mul(self.k);
        let most = all.min(self.n_train);
        let share = |part: usize, all: usize| part as f64 / all as f64;
        Cardinality {
            value: (all > 0).then(|| share(unique, all)),
            unique,
            scaled: (most > self.k).then(|| share(unique - self.k, most - self.k)),
        }
    }
}
