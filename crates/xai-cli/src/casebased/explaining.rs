//! Test rows on their way from the file to explanations.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use xai_files::table::Table;
use xai_files::{Failure, Files};
use xai_metrics::casebased::{Explanation, input};

use crate::Context;
use crate::casebased::fitting::{ColumnsUsed, Fitted, Source};
use crate::casebased::samples::{Samples, TestColumns, TestRows};

/// What was made of the tables, in JSON.
#[derive(Serialize)]
pub(crate) struct Tables {
    #[serde(flatten)]
    pub(crate) used: ColumnsUsed,
    /// Test rows that were left out for a missing cell, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    test_rows_dropped: Option<usize>,
    /// What the classes are called, where they are called by words.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) class_names: BTreeMap<i64, Arc<str>>,
}

/// Test cases in a file, and what they are explained by.
#[derive(Debug, Args)]
pub(super) struct TestTable {
    #[command(flatten)]
    source: Source,
    /// The test cases, with the same features by name; read piece by piece, so that the file may be
    /// larger than memory.
    #[arg(long, value_name = "Q.csv")]
    pub(super) test: PathBuf,
    /// The column of the true class: whole numbers, words, or True and False.
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,
    /// The column of the predicted class in the test file; without it the neighbours vote.
    #[arg(long, value_name = "COLUMN")]
    predicted: Option<String>,
}

impl TestTable {
    /// Fits or loads the explainer. `provenance` is whether rows of training cases will be shown.
    pub(super) fn fitted(&self, provenance: bool, context: &Context) -> Result<Fitted, Failure> {
        let _working = context.working("reading and fitting training cases");
        let (label, predicted) = (self.label.as_deref(), self.predicted.as_deref());
        self.source.explainer(label, predicted, provenance)
    }

    /// Opens the file. The rows after so many are left out.
    pub(super) fn explaining(
        &self,
        fitted: Fitted,
        limit: usize,
    ) -> Result<Explaining<'_>, Failure> {
        let table = Table::read(&self.test)?.concealing(&fitted.redacted);
        let missing = self.source.missing;
        let rows = TestRows::new(
            table,
            &TestColumns {
                features: &fitted.features,
                label: self.label.as_deref(),
                predicted: self.predicted.as_deref(),
                known: fitted.explainer.classes(),
                missing,
                limit,
                batch: fitted.batch(),
            },
        )?;
        Ok(Explaining {
            fitted,
            test: &self.test,
            rows,
            drops_rows: missing.drop_rows,
        })
    }
}

/// Test rows while they are read, and what they are explained by.
pub(super) struct Explaining<'a> {
    pub(super) fitted: Fitted,
    pub(super) test: &'a PathBuf,
    rows: TestRows,
    drops_rows: bool,
}

impl Explaining<'_> {
    /// The next batch.
    pub(super) fn samples(&mut self) -> Result<Option<Samples>, Failure> {
        self.rows.next(&mut self.fitted.classes)
    }

    /// Explains a batch.
    pub(super) fn explain(&self, samples: &Samples) -> Result<Vec<Explanation>, Failure> {
        samples.explain(&self.fitted.explainer, &self.fitted.classes, self.test)
    }

    /// Bytes of the test file that were read.
    pub(super) fn end_byte(&self) -> u64 {
        self.rows.end_byte()
    }

    /// An error that there are no rows.
    pub(super) fn no_rows(&self) -> Failure {
        let empty = xai_metrics::Error::empty(input::SAMPLES);
        Files::mainly(self.test).failure(&empty)
    }

    /// What a person may overlook of the tables.
    pub(super) fn remarks(&self) -> Vec<String> {
        let test = self.test.display();
        let mut remarks = self.fitted.used.remarks();
        let unseen = self.fitted.classes.unseen_names();
        let unseen: Vec<String> = unseen.map(|name| format!("`{name}`")).collect();
        if !unseen.is_empty() {
            let unseen = unseen.join(", ");
            remarks.push(format!(
                "{test}: classes that no training row has: {unseen}"
            ));
        }
        if self.rows.n_dropped > 0 {
            let n = self.rows.n_dropped;
            remarks.push(format!("{test}: {n} rows with a missing cell left out"));
        }
        remarks
    }

    /// What was made of the tables; says on standard error what a person may overlook.
    pub(super) fn finish(self, context: &Context) -> Tables {
        for remark in self.remarks() {
            context.remark(remark);
        }
        self.tables()
    }

    /// What was made of the tables.
    pub(super) fn tables(self) -> Tables {
        Tables {
            used: self.fitted.used,
            test_rows_dropped: self.drops_rows.then_some(self.rows.n_dropped),
            class_names: self.fitted.classes.names().clone(),
        }
    }
}
