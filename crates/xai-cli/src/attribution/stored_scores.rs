//! Metrics over two scores of each sample, and files of such scores.

use std::path::Path;

use ndarray::Ix1;
use xai_metrics::attribution::metric::{
    BaseScorePolicy, DropFormula, Entry, GainFormula, IncreaseFormula, MetricInfo, MetricValue,
    ScoreFormula, ScoreMetric,
};
use xai_metrics::attribution::run::MaskedScores;

use xai_files::arrays;
use xai_files::failure::{Failure, InFile};

/// A metric as a function of scores.
pub(super) type OfScores = fn(BaseScorePolicy, &MaskedScores) -> xai_metrics::Result<MetricValue>;

const OF_SCORES: &[(&MetricInfo, OfScores)] = &[
    (DropFormula::INFO, evaluate::<DropFormula>),
    (IncreaseFormula::INFO, evaluate::<IncreaseFormula>),
    (GainFormula::INFO, evaluate::<GainFormula>),
];

/// A metric as a function of scores, if it is one.
pub(super) fn of_scores(entry: &Entry) -> Option<OfScores> {
    let mut metrics = OF_SCORES.iter();
    metrics.find_map(|(info, of_scores)| (info.name == entry.info.name).then_some(*of_scores))
}

fn evaluate<F: ScoreFormula>(
    policy: BaseScorePolicy,
    scores: &MaskedScores,
) -> xai_metrics::Result<MetricValue> {
    ScoreMetric::<F>::new()
        .base_score_policy(policy)
        .evaluate_scores(&scores.base, &scores.masked)
}

/// Reads scores of whole and of masked inputs.
pub(super) fn read(base: &Path, masked: &Path) -> Result<MaskedScores, Failure> {
    let scores = |file: &Path| Ok::<_, Failure>(arrays::read_f64::<Ix1>(file)?.to_vec());
    let scores = MaskedScores {
        base: scores(base)?,
        masked: scores(masked)?,
    };
    let (n_base, n_masked) = (scores.base.len(), scores.masked.len());
    if n_base != n_masked {
        let failure = Failure::new(format!(
            "{n_masked} scores, but {} has {n_base}",
            base.display()
        ));
        return Err(failure).in_file(masked);
    }
    Ok(scores)
}
