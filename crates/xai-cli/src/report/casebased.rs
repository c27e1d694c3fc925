//! Correspondence of the test rows, by right and wrong predictions.

use xai_metrics::casebased::{CaseExplainer, Explanation, Level};

use super::results::{Casebased, Group, LevelCount};
use super::study::{self, Source};
use crate::casebased::{ExplanationResult, Samples, Training, mean_correspondence};
use crate::failure::{Failure, InFile};

/// How many of the least-supported predictions are shown.
const SHOWN: usize = 10;

pub(super) fn evaluate(section: &study::Casebased, source: &Source) -> Result<Casebased, Failure> {
    let train = source.table(&section.train)?;
    let test = source.table(&section.test)?;
    let train_file = train.file().to_owned();
    let training = Training::read(
        std::iter::once(Ok(train)),
        &section.label,
        &[],
        &[&section.predicted],
    )?;
    let samples = Samples::read(
        &test,
        &training.features,
        Some(&section.label),
        Some(&section.predicted),
        usize::MAX,
    )?;
    let n_train = training.labels.len();
    let explainer = CaseExplainer::builder()
        .k(section.k)
        .provenance(false)
        .fit_owned(training.rows, &training.labels)
        .in_file(&train_file)?;
    let explanations = samples.explain(&explainer, test.file())?;
    let group = |right: bool| {
        let members = || {
            explanations
                .iter()
                .filter(move |e| e.is_correct() == Some(right))
        };
        Group {
            n: members().count(),
            mean_correspondence: mean_correspondence(members()),
        }
    };
    let levels =
        [Level::High, Level::Medium, Level::Low, Level::Undefined].map(|level| LevelCount {
            level,
            n: explanations.iter().filter(|e| e.level() == level).count(),
        });
    Ok(Casebased {
        n_train,
        n_test: samples.rows.nrows(),
        k: section.k.min(n_train),
        mean_correspondence: mean_correspondence(&explanations),
        right: group(true),
        wrong: group(false),
        levels: levels.to_vec(),
        least_supported: least_supported(&explanations),
    })
}

/// The lowest correspondences first; without one at all even before them.
fn least_supported(explanations: &[Explanation]) -> Vec<ExplanationResult> {
    let mut order: Vec<&Explanation> = explanations.iter().collect();
    let score = |e: &Explanation| e.correspondence.score.unwrap_or(-1.0);
    order.sort_by(|a, b| score(a).total_cmp(&score(b)));
    order.into_iter().take(SHOWN).map(Into::into).collect()
}
