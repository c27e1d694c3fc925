//! Correspondence of the test rows, by right and wrong predictions.

use serde::ser::{Serialize, Serializer};
use xai_metrics::Accumulator;
use xai_metrics::casebased::{Audit, AuditGroup, AuditReport, CaseExplainer, Explanation, Level};

use crate::casebased::cases::{Samples, Training};
use crate::casebased::explanation::ExplanationResult;
use crate::failure::{Failure, Files, InFiles, input};
use crate::report::source::Source;
use crate::report::study_file::CasebasedStudy;

/// How many of the least supported predictions are shown.
const SHOWN: usize = 10;

/// Agreement of predictions with their nearest training cases.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CasebasedSection {
    pub(crate) n_train: usize,
    pub(crate) k: usize,
    pub(crate) audit: AuditReport,
    /// How many predictions have each level.
    pub(crate) levels: Vec<(Level, usize)>,
    /// The predictions with the lowest correspondence, lowest first.
    pub(crate) least_supported: Vec<Explanation>,
}

pub(crate) fn evaluate(
    study: &CasebasedStudy,
    source: &Source,
) -> Result<CasebasedSection, Failure> {
    let train = source.table(&study.train)?.concealing(&study.redact);
    let test = source.table(&study.test)?.concealing(&study.redact);
    let (train_file, test_file) = (train.file().to_owned(), test.file().to_owned());
    let training = Training::read(
        std::iter::once(Ok(train)),
        &study.label,
        &[],
        &[&study.predicted],
    )?;
    let (label, predicted) = (Some(study.label.as_str()), Some(study.predicted.as_str()));
    let samples = Samples::read(&test, &training.features, label, predicted, usize::MAX)?;
    let n_train = training.labels.len();
    let study_file = source.study();
    let explainer = CaseExplainer::builder()
        .k(study.k)
        .provenance(false)
        .fit_owned(training.rows, &training.labels)
        .in_files(&Files::only(&train_file).file(&[input::K], &study_file))?;
    let explanations = samples.explain(&explainer, &test_file)?;
    let mut audit = Audit::listing(SHOWN);
    let audit = audit.update(&explanations).and_then(|()| audit.finish());
    let audit = audit.in_files(&Files::only(&test_file))?;
    let levels = [Level::High, Level::Medium, Level::Low, Level::Undefined];
    let has_level = |level| move |e: &&Explanation| e.level() == level;
    let levels = levels.map(|level| (level, explanations.iter().filter(has_level(level)).count()));
    let listed = audit.least_supported.iter();
    Ok(CasebasedSection {
        n_train,
        k: study.k.min(n_train),
        levels: levels.to_vec(),
        least_supported: listed.map(|e| explanations[e.sample].clone()).collect(),
        audit,
    })
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
            levels: Vec<LevelCount>,
            least_supported: Vec<ExplanationResult>,
        }
        #[derive(serde::Serialize)]
        struct LevelCount {
            level: Level,
            n: usize,
        }
        let levels = self.levels.iter();
        let json = Json {
            n_train: self.n_train,
            n_test: self.audit.n_samples,
            k: self.k,
            mean_correspondence: self.audit.mean_correspondence,
            right: &self.audit.right,
            wrong: &self.audit.wrong,
            levels: levels.map(|&(level, n)| LevelCount { level, n }).collect(),
            least_supported: self.least_supported.iter().map(Into::into).collect(),
        };
        json.serialize(serializer)
    }
}
