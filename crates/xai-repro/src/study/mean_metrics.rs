//! Every metric of some runs as one number.

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

/// The mean accuracy of runs and the mean of each metric over the pairs.
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
pub struct MeanMetrics {
    /// The mean accuracy of the runs, in [0, 1].
    pub accuracy: f64,
    /// One entry per name of [`MeanMetrics::names`]; `None` where no pair defines the metric.
    pub metrics: Vec<Option<f64>>,
}

impl MeanMetrics {
    /// The names of the metrics: those of the pair metrics of
    /// [`registry::PAIR_METRICS`](crate::registry::PAIR_METRICS), then those of the agreement of all
    /// runs at once.
    pub fn names() -> impl ExactSizeIterator<Item = &'static str> + Clone {
        let n = METRICS.len();
        (0..n + Agreement::SCORES.len()).map(move |metric| match metric.checked_sub(n) {
            None => METRICS[metric].name(),
            Some(score) => Agreement::SCORES[score].info.name,
        })
    }

    /// Of `(k, n)` predictions and `(n,)` true labels.
    ///
    /// # Errors
    /// As [`PackedRuns::new`].
    pub fn new<L: Label, M: Label>(predictions: ArrayView2<'_, L>, labels: &[M]) -> Result<Self> {
        Self::from_packed(&PackedRuns::new(METRICS, predictions, labels)?)
    }

    /// Of runs that were packed for all metrics.
    pub(super) fn from_packed(packed: &PackedRuns) -> Result<Self> {
        let evaluation = Evaluation {
            totals: &packed.totals,
            empty_union: EmptyUnion::Undefined,
        };
        let mut means = vec![ExactMean::new(); METRICS.len()];
        let mut agreeing = 0u128;
        let mut outcome = Ok(());
        count_tile(
            packed,
            &Tile::whole(packed.n_runs()),
            packed.needs,
            InstructionSet::fastest(),
            &mut TileBuffers::default(),
            |pair| {
                agreeing += 2 * u128::from(pair.equal);
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
        let of_all_runs = agreement.values().map(|(_, value)| value);
        let of_pairs = means.iter().map(ExactMean::value);
        let accuracies = accuracies(packed.totals.n_samples, &packed.totals.n_wrong);
        let accuracy: ExactMean = accuracies.into_iter().collect();
        Ok(Self {
            accuracy: accuracy.value().unwrap_or_default(),
            metrics: of_pairs.chain(of_all_runs).collect(),
        })
    }

    /// A metric by name; `None` where it is undefined or there is none of that name.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<f64> {
        let place = Self::names().position(|metric| metric == name)?;
        self.metrics.get(place).copied().flatten()
    }
}
