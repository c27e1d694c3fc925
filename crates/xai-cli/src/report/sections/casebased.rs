//! Correspondence of the test rows, by right and wrong predictions.

use serde::ser::{Serialize, Serializer};
use xai_metrics::Accumulator;
use xai_metrics::casebased::result::{AuditGroup, ExplanationSummary, LevelCount};
use xai_metrics::casebased::{Audit, AuditReport, CaseExplainer, input};

use crate::casebased::cases::{Samples, Training};
use crate::casebased::redaction;
use crate::failure::{Failure, Files, InFiles};
use crate::report::source::Source;
use crate::report::study_file::CasebasedInputs;

/// How many of the least supported predictions are shown.
const SHOWN: usize = 10;

/// Agreement of predictions with their nearest training cases.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CasebasedSection {
    pub(crate) n_train: usize,
    pub(crate) k: usize,
    pub(crate) audit: AuditReport,
}

pub(crate) fn evaluate(
    study: &CasebasedInputs,
    source: &Source,
) -> Result<CasebasedSection, Failure> {
    let (label, predicted) = (Some(study.label.as_str()), Some(study.predicted.as_str()));
    if let Some((column, why)) = redaction::refused(&study.redact, label, predicted) {
        let failure = Failure::new(format!("redact: column `{column}`: {why}"));
        return Err(failure.in_file(source.study()));
    }
    let train = source.table(&study.train)?.concealing(&study.redact);
    for column in &study.redact {
        train.column(column)?;
    }
    let test = source.table(&study.test)?.concealing(&study.redact);
    let (train_file, test_file) = (train.file().to_owned(), test.file().to_owned());
    let training = Training::read(
        std::iter::once(Ok(train)),
        &study.label,
        &[],
        &[&study.predicted],
    )?;
    let samples = Samples::read(&test, &training.features, label, predicted, usize::MAX)?;
    let n_train = training.labels.len();
    let study_file = source.study();
    let builder = CaseExplainer::builder()
        .k(study.k)
        .feature_names(&training.features)
        .provenance(false);
    let explainer = redaction::apply(builder, &study.redact, &training)
        .fit_owned(training.rows, &training.labels)
        .in_files(&Files::mainly(&train_file).file(&[input::K], &study_file))?;
    let explanations = samples.explain(&explainer, &test_file)?;
    let mut audit = Audit::listing(SHOWN).with_cases();
    let audit = audit.update(&explanations).and_then(|()| audit.finish());
    Ok(CasebasedSection {
        n_train,
        k: study.k.min(n_train),
        audit: audit.in_files(&Files::mainly(&test_file))?,
    })
}

impl CasebasedSection {
    /// How many predictions have each level.
    pub(crate) fn levels(&self) -> &[LevelCount] {
        let cases = self.audit.cases.as_ref();
        cases.map_or(&[], |cases| &cases.levels)
    }

    /// The predictions with the lowest correspondence, lowest first.
    pub(crate) fn least_supported(&self) -> &[ExplanationSummary] {
        let cases = self.audit.cases.as_ref();
        cases.map_or(&[], |cases| &cases.least_supported)
    }
}

impl Serialize for CasebasedSection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Json<'a> {
            n_train: usize,
            n_test: usize,
            k: usize,
            mean_correspondence: Option<f64>,
            right: &'a AuditGroup,
            wrong: &'a AuditGroup,
            levels: &'a [LevelCount],
            least_supported: &'a [ExplanationSummary],
        }
        let json = Json {
            n_train: self.n_train,
            n_test: self.audit.n_samples,
            k: self.k,
            mean_correspondence: self.audit.mean_correspondence,
            right: &self.audit.right,
            wrong: &self.audit.wrong,
            levels: self.levels(),
            least_supported: self.least_supported(),
        };
        json.serialize(serializer)
    }
}
