//! Explanation of the rows of a test file, batch by batch.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use xai_files::Failure;
use xai_files::table::Table;
use xai_metrics::casebased::Explanation;

use crate::Context;
use crate::casebased::fitting::{ColumnsUsed, ExplainerSource, FittedExplainer};
use crate::casebased::samples::{Samples, TestColumns, TestRows};

/// The part of the JSON about the columns and rows of the tables.
#[derive(Serialize)]
pub(crate) struct Tables {
    #[serde(flatten)]
    pub(crate) used: ColumnsUsed,
    /// Number of test rows left out because of a missing cell; `None` without `--drop-rows-with-missing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    test_rows_dropped: Option<usize>,
    /// Names of the classes, if they are words.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) class_names: BTreeMap<i64, Arc<str>>,
}

/// Options of the test file and of the explainer.
#[derive(Debug, Args)]
pub(super) struct TestTable {
    #[command(flatten)]
    source: ExplainerSource,
    /// The test cases, with columns of the same names as the features. Read in pieces, so that the file may be larger
    /// than memory.
    #[arg(long, value_name = "Q.csv")]
    pub(super) test: PathBuf,
    /// The column of the true class: whole numbers, words, or True and False.
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,
    /// The column of the predicted class in the test file. Without it, the neighbours vote.
    #[arg(long, value_name = "COLUMN")]
    predicted: Option<String>,
}

impl TestTable {
    /// Fits or loads the explainer. `provenance` is `true` if the output shows the rows of training cases.
    pub(super) fn fitted(
        &self,
        provenance: bool,
        context: &Context,
    ) -> Result<FittedExplainer, Failure> {
        let _working = context.working("reading and fitting training cases");
        let (label, predicted) = (self.label.as_deref(), self.predicted.as_deref());
        self.source.explainer(label, predicted, provenance)
    }

    /// Opens the test file, of which at most `limit` rows are read.
    pub(super) fn explaining(
        &self,
        fitted: FittedExplainer,
        limit: usize,
    ) -> Result<Explaining<'_>, Failure> {
        let table = Table::read(&self.test)?.conceal(&fitted.redacted);
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

/// An explainer and the test rows that it explains.
pub(super) struct Explaining<'a> {
    pub(super) fitted: FittedExplainer,
    pub(super) test: &'a PathBuf,
    rows: TestRows,
    drops_rows: bool,
}

impl Explaining<'_> {
    /// Reads the next batch; `None` at the end.
    pub(super) fn samples(&mut self) -> Result<Option<Samples>, Failure> {
        self.rows.next(&mut self.fitted.classes)
    }

    /// Explains a batch.
    pub(super) fn explain(&self, samples: &Samples) -> Result<Vec<Explanation>, Failure> {
        samples.explain(&self.fitted.explainer, &self.fitted.classes, self.test)
    }

    /// Returns the number of bytes of the test file that were read.
    pub(super) fn end_byte(&self) -> u64 {
        self.rows.end_byte()
    }

    /// Returns the error for a test file without rows that can be explained.
    pub(super) fn no_rows(&self) -> Failure {
        let what = if self.rows.n_dropped > 0 {
            "every row has a missing cell and was left out"
        } else {
            "the table has no rows below its header"
        };
        Failure::new(what).in_file(self.test)
    }

    /// Returns remarks on the tables: left-out columns and rows, and classes without training rows.
    pub(super) fn remarks(&self) -> Vec<String> {
        let test = self.test.display();
        let mut remarks = self.fitted.used.remarks();
        let unseen_classes: Vec<String> = self
            .fitted
            .classes
            .unseen_names()
            .map(|name| format!("`{name}`"))
            .collect();
        if !unseen_classes.is_empty() {
            remarks.push(format!(
                "{test}: classes that no training row has: {}",
                unseen_classes.join(", ")
            ));
        }
        if self.rows.n_dropped > 0 {
            let n = self.rows.n_dropped;
            remarks.push(format!("{test}: {n} rows with a missing cell left out"));
        }
        remarks
    }

    /// Prints the remarks on the tables and returns their part of the JSON.
    pub(super) fn finish(self, context: &Context) -> Tables {
        for remark in self.remarks() {
            context.remark(remark);
        }
        self.tables()
    }

    /// Returns the part of the JSON about the tables.
    pub(super) fn tables(self) -> Tables {
        Tables {
            used: self.fitted.used,
            test_rows_dropped: self.drops_rows.then_some(self.rows.n_dropped),
            class_names: self.fitted.classes.names().clone(),
        }
    }
}
