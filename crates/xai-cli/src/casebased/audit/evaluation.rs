//! Evaluation of an audit, batch by batch.

use std::collections::BTreeMap;
use std::path::Path;

use ndarray::{Array2, ArrayView1, Axis};
use xai_files::classes::Classes;
use xai_files::{Failure, Files, InFiles};
use xai_metrics::Accumulator;
use xai_metrics::casebased::result::{FeatureComparison, Listing};
use xai_metrics::casebased::{Audit, AuditReport, Explanation};

use crate::Context;
use crate::casebased::explaining::{Explaining, Tables, TestTable};
use crate::casebased::samples::Samples;
use crate::output::rows::Rows;
use crate::output::{rows, text};

/// An audit of a test table, with remarks on the tables.
pub(crate) struct Audited {
    pub(crate) report: AuditReport,
    /// Features of the listed predictions compared with those of their nearest cases, by sample; empty unless
    /// requested.
    pub(crate) features: BTreeMap<usize, Vec<FeatureComparison>>,
    pub(crate) classes: Classes,
    /// Number of training cases.
    pub(crate) n_train: usize,
    /// Number of neighbours per sample.
    pub(crate) k: usize,
    /// Share of the true neighbours that an approximate search finds.
    pub(crate) recall: Option<f64>,
    pub(crate) tables: Tables,
    /// Remarks on the tables, for example on left-out columns.
    pub(crate) remarks: Vec<String>,
}

impl Audited {
    /// Audits the test table. `listing` is the number of least supported predictions to list; with `compares` their
    /// features are compared with those of their nearest cases. Writes a row per test row to `out`, if it is given.
    pub(super) fn evaluate(
        table: &TestTable,
        listing: Listing,
        compares: bool,
        out: Option<&Path>,
        context: &Context,
    ) -> Result<Self, Failure> {
        let fitted = table.fitted(compares, context)?;
        if fitted.aggregate_only {
            return Err(Failure::for_option(
                "--aggregate-only",
                "not possible for an audit, which lists single predictions",
            )
            .help("use `xai casebased explain`, which can show aggregates only"));
        }
        let mut explaining = table.explaining(fitted, usize::MAX)?;
        if context.is_check() {
            while explaining.samples()?.is_some() {}
        }
        context.end_check();
        let header = ["sample", "predicted", "true", "correspondence", "level"];
        let mut listed = compares.then(Listed::default);
        let report = rows::stream(out, header, |rows| {
            let test = &table.test;
            audit(&mut explaining, test, listing, &mut listed, rows, context)
        })?;
        let features = match listed {
            Some(listed) => listed.compare(&explaining, &table.test)?,
            None => BTreeMap::new(),
        };
        let fitted = &explaining.fitted;
        Ok(Self {
            report,
            features,
            classes: fitted.classes.clone(),
            n_train: fitted.explainer.training_info().n_rows,
            k: fitted.k,
            recall: fitted.recall,
            remarks: explaining.remarks(),
            tables: explaining.tables(),
        })
    }
}

fn audit(
    explaining: &mut Explaining<'_>,
    test: &Path,
    listing: Listing,
    listed: &mut Option<Listed>,
    rows: &mut Rows<'_>,
    context: &Context,
) -> Result<AuditReport, Failure> {
    let files = Files::with_main_file(test);
    let empty = || {
        Audit::listing(listing.n_least_supported)
            .with_cases()
            .with_distribution()
    };
    let mut audit = empty();
    let bar = context.progress_bytes(test, "auditing");
    while let Some(samples) = explaining.samples()? {
        let explanations = explaining.explain(&samples)?;
        // Samples have their indices in the file: an audit per run of consecutive rows, which are then merged.
        for (row, first, length) in samples.runs() {
            let mut run = empty().starting_at(first);
            run.update(&explanations[row..row + length])
                .and_then(|()| audit.merge(run))
                .in_files(&files)?;
        }
        if !rows.are_discarded() {
            explanations.iter().try_for_each(|e| write(e, rows))?;
        }
        if let Some(listed) = listed {
            listed.update(&audit, &samples, explanations);
        }
        bar.set_position(explaining.end_byte());
    }
    bar.finish_and_clear();
    audit.finish().in_files(&files)
}

fn write(e: &Explanation, rows: &mut Rows<'_>) -> Result<(), Failure> {
    rows.write([
        e.sample.to_string(),
        text::class(e.predicted, e.predicted_name.as_deref()),
        text::class(e.truth, e.truth_name.as_deref()),
        text::cell(e.correspondence.score),
        e.level().to_string(),
    ])
}

/// The explanations and feature rows of the least supported predictions so far, by sample.
#[derive(Default)]
struct Listed(BTreeMap<usize, (Explanation, Vec<f64>)>);

impl Listed {
    fn update(&mut self, audit: &Audit, samples: &Samples, explanations: Vec<Explanation>) {
        let listed = audit.least_supported_so_far();
        let is_listed = |sample: &usize| listed.iter().any(|summary| summary.sample == *sample);
        self.0.retain(|sample, _| is_listed(sample));
        for (explanation, row) in explanations.into_iter().zip(samples.rows.rows()) {
            if is_listed(&explanation.sample) {
                let row = row.to_vec();
                self.0.insert(explanation.sample, (explanation, row));
            }
        }
    }

    fn compare(
        self,
        explaining: &Explaining<'_>,
        test: &Path,
    ) -> Result<BTreeMap<usize, Vec<FeatureComparison>>, Failure> {
        let Some((_, (_, row))) = self.0.first_key_value() else {
            return Ok(BTreeMap::new());
        };
        let mut rows = Array2::zeros((0, row.len()));
        let mut explanations = Vec::with_capacity(self.0.len());
        for (explanation, row) in self.0.into_values() {
            rows.push(Axis(0), ArrayView1::from(&row))
                .map_err(Failure::new)?;
            explanations.push(explanation);
        }
        let explainer = &explaining.fitted.explainer;
        let comparisons = explainer
            .compare_features(&explanations, rows.view())
            .in_files(&Files::with_main_file(test))?;
        let samples = explanations.iter().map(|explanation| explanation.sample);
        Ok(samples.zip(comparisons).collect())
    }
}
