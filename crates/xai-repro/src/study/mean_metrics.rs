//! Every metric of several runs as a single number: means over pairs and coefficients of all runs.

use ndarray::ArrayView2;
use xai_core::describe::Scores;
use xai_core::simd::InstructionSet;
use xai_core::{ExactMean, Label, Result};

use crate::across_runs::agreement::Agreement;
use crate::across_runs::error_sets::accuracies;
use crate::counting::pair_tiles::{Tile, TileBuffers, count_tile};
use crate::packed::packed_runs::PackedRuns;
use crate::pair_metric::formulas::METRICS;
use crate::pairwise::evaluate::Evaluation;
use crate::pairwise::options::EmptyUnion;

/// Mean accuracy of several runs, mean of each pair metric over the pairs, and agreement of all runs.
///
/// ```
/// use ndarray::array;
/// use xai_repro::study::MeanMetrics;
/// let predictions = array![[0u32, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
/// let means = MeanMetrics::new(predictions.view(), &[0, 1, 1, 0])?;
/// assert!((means.accuracy - 7.0 / 12.0).abs() < 1e-15);
/// assert!((means.metric("ec_local").unwrap() - 5.0 / 18.0).abs() < 1e-15); // 1/3, 1/2, 0
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MeanMetrics {
    /// Mean accuracy of the runs, in [0, 1].
    pub accuracy: f64,
    /// Values in the order of [`MeanMetrics::names`]. `None` if a pair metric is undefined for all pairs, or a
    /// coefficient of all runs is undefined.
    pub metrics: Vec<Option<f64>>,
}

impl MeanMetrics {
    /// Names of the metrics: the pair metrics of [`metrics::PAIR_METRICS`](crate::metrics::PAIR_METRICS), then the
    /// coefficients of [`Agreement`](crate::Agreement).
    pub fn names() -> impl ExactSizeIterator<Item = &'static str> + Clone {
        let n = METRICS.len();
        (0..n + Agreement::SCORES.len()).map(move |metric| match metric.checked_sub(n) {
            None => METRICS[metric].name(),
            Some(score) => Agreement::SCORES[score].info.name,
        })
    }

    /// Evaluates all metrics for `(k, n)` predictions and `(n,)` true labels.
    ///
    /// # Errors
    /// As [`PackedRuns::new`].
    pub fn new<L: Label, M: Label>(predictions: ArrayView2<'_, L>, labels: &[M]) -> Result<Self> {
        Self::from_packed(&PackedRuns::new(METRICS, predictions, labels)?)
    }

    /// Evaluates all metrics for runs that were packed for all of them.
    pub(super) fn from_packed(packed: &PackedRuns) -> Result<Self> {
        let evaluation = Evaluation {
            totals: &packed.totals,
            empty_union: EmptyUnion::Undefined,
        };
        let mut means = vec![ExactMean::new(); METRICS.len()];
        let mut agreeing = 0u128;
        let mut outcome = Ok(());
        // One tile on the calling thread: the study is parallel over draws.
        count_tile(
            packed,
            &Tile::whole(packed.n_runs()),
            packed.needs,
            InstructionSet::fastest(),
            &mut TileBuffers::default(),
            |pair| {
                agreeing += 2 * u128::from(pair.equal);
                // The closure cannot return an error, so the last one is kept until the tile is finished.
                for (mean, &metric) in means.iter_mut().zip(METRICS) {
                    match evaluation.value(metric, &pair) {
                        Ok(Some(value)) => mean.add(value),
                        Ok(None) => {}
                        Err(error) => outcome = Err(error),
                    }
                }
            },
        );
        outcome?;
        let agreement = Agreement::from_counts(&packed.totals, agreeing);
        let coefficients = agreement.values().map(|(_, value)| value);
        let pair_means = means.iter().map(ExactMean::value);
        let accuracies = accuracies(packed.totals.n_samples, &packed.totals.n_wrong);
        let accuracy: ExactMean = accuracies.into_iter().collect();
        Ok(Self {
            accuracy: accuracy.value().unwrap_or_default(),
            metrics: pair_means.chain(coefficients).collect(),
        })
    }

    /// Value of the metric with this name; `None` if it is undefined or no metric has this name.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<f64> {
        let index = Self::names().position(|metric| metric == name)?;
        self.metrics.get(index).copied().flatten()
    }
}
