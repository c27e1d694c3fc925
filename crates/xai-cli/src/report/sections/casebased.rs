//! Correspondence of the test rows, by right and wrong predictions.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::ser::{Serialize, Serializer};
use xai_metrics::Accumulator;
use xai_metrics::casebased::result::{AuditGroup, ExplanationSummary, LevelCount};
use xai_metrics::casebased::{Audit, AuditReport, CaseExplainer, input};

use crate::casebased::missing::{self, MissingCells};
use crate::casebased::redaction;
use crate::casebased::samples::{TestColumns, TestRows};
use crate::casebased::training::{Roles, Training};
use crate::failure::{Failure, Files, InFiles};
use crate::input::left_out::LeftOut;
use crate::output::text;
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
    pub(crate) columns: ColumnsOfTraining,
    /// What the classes are called, where they are called by words.
    pub(crate) class_names: BTreeMap<i64, Arc<str>>,
}

/// Which columns of the training file were used.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub(crate) struct ColumnsOfTraining {
    columns_used: Vec<String>,
    columns_left_out: Vec<LeftOut>,
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
    let (train_file, test_file) = (source.path(&study.train), source.path(&study.test));
    let missing = MissingCells {
        drop_rows: study.drop_rows_with_missing,
        ways_out: &missing::KEYS,
    };
    let roles = Roles {
        label: &study.label,
        metadata: &[],
        predicted: Some(&study.predicted),
        dropped: &study.drop_columns,
        missing,
    };
    let mut training = Training::read(train, &roles)?;
    let columns = ColumnsOfTraining {
        columns_used: training.features.clone(),
        columns_left_out: std::mem::take(&mut training.left_out),
    };
    let mut rows = TestRows::new(
        test,
        &TestColumns {
            features: &columns.columns_used,
            label: Some(&study.label),
            predicted: Some(&study.predicted),
            missing,
            limit: usize::MAX,
            batch: 4096,
        },
    )?;
    let n_train = training.labels.len();
    let study_file = source.study();
    let builder = CaseExplainer::builder()
        .k(study.k)
        .provenance(training.n_dropped > 0);
    let builder = redaction::apply(builder, &study.redact, &training);
    let explainer = training
        .describe(builder)
        .fit_owned(training.rows, &training.labels)
        .in_files(&Files::mainly(&train_file).file(&[input::K], &study_file))?;
    let mut classes = training.classes;
    let of_test = Files::mainly(&test_file);
    let mut audit = Audit::listing(SHOWN).with_cases();
    while let Some(samples) = rows.next(&mut classes)? {
        let explanations = samples.explain(&explainer, &classes, &test_file)?;
        for (row, first, length) in samples.runs() {
            let mut run = Audit::listing(SHOWN).with_cases().starting_at(first);
            run.update(&explanations[row..row + length])
                .and_then(|()| audit.merge(run))
                .in_files(&of_test)?;
        }
    }
    Ok(CasebasedSection {
        n_train,
        k: study.k.min(n_train),
        audit: audit.finish().in_files(&of_test)?,
        columns,
        class_names: classes.names().clone(),
    })
}

impl CasebasedSection {
    /// A class as the tables call it.
    pub(crate) fn called(&self, label: &i64) -> String {
        let name = self.class_names.get(label);
        text::class(Some(*label), name.map(|name| &**name))
    }

    /// As [`called`](Self::called); a dash where the class is undefined.
    pub(crate) fn called_or_dash(&self, label: &Option<i64>) -> String {
        text::or_dash(label.as_ref().map(|label| self.called(label)))
    }

    /// The columns of the training table that are not used, and why, where there are some.
    pub(crate) fn left_out(&self) -> Option<String> {
        let columns = &self.columns.columns_left_out;
        let words = columns.iter().map(LeftOut::words).collect::<Vec<_>>();
        (!columns.is_empty()).then(|| words.join(", "))
    }

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
            #[serde(flatten)]
            columns: &'a ColumnsOfTraining,
            #[serde(skip_serializing_if = "BTreeMap::is_empty")]
            class_names: &'a BTreeMap<i64, Arc<str>>,
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
            columns: &self.columns,
            class_names: &self.class_names,
        };
        json.serialize(serializer)
    }
}
