//! `xai casebased attribution compare`: metrics of the attributions of several explainers.

use clap::Args;
use ndarray::Array2;
use serde_json::{Map, Value, json};
use xai_files::samples::FileSamples;
use xai_files::{Failure, Files, InFile, InFiles};
use xai_metrics::casebased::data_attribution::{
    AttributionComparison, AttributionData, DatasetResult, evaluate_all, negative_means,
};
use xai_metrics::casebased::input;
use xai_metrics::common::describe::{Setting, same_word};
use xai_metrics::common::evaluation::{EvaluationTable, check_size};
use xai_report::sections::data_attribution::KnownCases;

use crate::casebased::attribution::family::DataAttributionMetrics;
use crate::casebased::attribution::inputs::{self, places};
use crate::described::option_name;
use crate::metric_commands::comparison::ComparisonOptions;
use crate::metric_commands::{InputFiles, Run};
use crate::output::{intervals, text};
use crate::usage::interval_options::IntervalOptions;
use crate::usage::named_file::NamedFile;
use crate::{Context, examples};

/// `xai casebased attribution compare`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai casebased attribution compare --attributions tracin=a.npy trak=b.npy --train-labels y.npy --test-classes c.npy",
    "xai casebased attribution compare --attributions tracin=a.npy --flags flipped.npy --metrics mislabeling-detection",
]))]
pub(crate) struct CompareAttributions {
    #[command(flatten)]
    comparison: ComparisonOptions<DataAttributionMetrics>,
}

/// A comparison with its data.
pub(crate) struct ComparedAttributions {
    pub(crate) comparison: AttributionComparison,
    pub(crate) table: EvaluationTable,
    /// `(n_test, n_train)`
    pub(crate) n_cases: (usize, usize),
    /// Whether scores of training cases were computed from the attributions.
    derives_scores: bool,
    data: AttributionData<'static>,
}

impl Run for CompareAttributions {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        let working = context.working("reading attributions");
        let compared = self.evaluate(context)?;
        drop(working);
        self.comparison.write_scores(&compared.table)?;
        if let Some(remark) = compared.remark() {
            context.remark(remark);
        }
        let json = intervals::as_pairs(&compared.to_json().map_err(Failure::new)?)?;
        context.present(&json, || compared.to_text())
    }
}

impl CompareAttributions {
    /// All metrics of all explainers.
    pub(crate) fn evaluate(&self, context: &Context) -> Result<ComparedAttributions, Failure> {
        let metrics = self.selected()?;
        let reads_scores = |metric: &Setting| same_word(&metric.name, MISLABELING);
        let derives_scores =
            self.comparison.named(input::SCORES).is_empty() && metrics.iter().any(reads_scores);
        for (input, files) in self.comparison.all_named() {
            let option = format!("--{}", option_name(input.name()));
            self.check_names(&option, files)?;
        }
        let explainers = self.explainers().iter();
        let names: Vec<&str> = explainers
            .map(|explainer| explainer.name.as_str())
            .collect();
        let options = Files::new().options(&IntervalOptions::NAMES).options(&[
            (input::EXPLAINERS, "--attributions"),
            (input::ATTRIBUTIONS, "--attributions"),
            (input::METRICS, "--metrics"),
        ]);
        let statistics = self.comparison.intervals.statistics(context);
        statistics.check().in_files(&options)?;
        check_size(metrics.len(), names.len(), &statistics).in_files(&options)?;
        let mut data = AttributionData::default();
        let mut outcomes = Vec::new();
        for explainer in self.explainers() {
            let expected = data.n_cases().unwrap_or_default();
            let own = self.files_of(explainer);
            for (input, file) in own.iter() {
                inputs::add(&mut data, input, file)?;
            }
            let shared = self.comparison.files();
            if outcomes.is_empty() {
                for (input, file) in shared.iter() {
                    inputs::add(&mut data, input, file)?;
                }
            } else {
                self.check_shape(explainer, data.n_cases().unwrap_or_default(), expected)?;
            }
            let files = shared
                .iter()
                .fold(own, |files, (input, file)| files.with(input, Some(file)));
            let places = places(&files);
            if derives_scores {
                let scores = negative_means(&data).in_files(&places)?;
                data.insert(input::SCORES, scores);
            }
            outcomes.push(evaluate_all(&data, &metrics).in_files(&places)?);
        }
        let comparison =
            AttributionComparison::new(&names, &metrics, outcomes).in_files(&options)?;
        let table = comparison.values.table(&statistics);
        Ok(ComparedAttributions {
            table: table.in_files(&options)?,
            comparison,
            n_cases: data.n_cases().unwrap_or_default(),
            derives_scores,
            data,
        })
    }

    /// The attributions of some test cases by each explainer; `None` where some came through a pipe, which is read
    /// once.
    pub(crate) fn rows_of(&self, samples: &[usize]) -> Result<Option<Vec<Array2<f64>>>, Failure> {
        if !self.explainers().iter().all(|of| of.file.is_file()) {
            return Ok(None);
        }
        let rows = self.explainers().iter().map(|of| {
            let rows = FileSamples::open(&of.file)?
                .gather(samples)
                .in_file(&of.file)?;
            rows.into_dimensionality().map_err(Failure::new)
        });
        rows.collect::<Result<_, _>>().map(Some)
    }

    /// The selected metrics, checked. Scores of training rows can be computed from the attributions, but that takes
    /// another reading of them: the word `all` does not select metrics of scores that are not given.
    fn selected(&self) -> Result<Vec<Setting>, Failure> {
        let selected = self.comparison.select(|metric| {
            let mut needs = metric.entry.info.needs.iter();
            needs.all(|need| self.comparison.is_given(*need))
        })?;
        if selected.is_empty() {
            let failure = Failure::for_option("--metrics", "the files are enough for no metric");
            return Err(failure.help("give --train-labels and --test-classes, --flags, --relevant, or others that `xai casebased attribution list` names"));
        }
        for metric in &selected {
            metric.check()?;
            metric
                .check_inputs(|input| input == input::SCORES || self.comparison.is_given(input))?;
        }
        let settings = selected.into_iter().map(|metric| Setting {
            name: metric.entry.info.name.to_owned(),
            params: metric.settings,
        });
        Ok(settings.collect())
    }

    /// The explainers: the names and files of the attributions.
    fn explainers(&self) -> &[NamedFile] {
        self.comparison.named(input::ATTRIBUTIONS)
    }

    /// The files of one explainer.
    fn files_of(&self, explainer: &NamedFile) -> InputFiles {
        let files = self
            .comparison
            .all_named()
            .iter()
            .filter_map(|(input, files)| {
                // Of two explainers of one name each has its own attributions, until the name is refused.
                let file = if *input == input::ATTRIBUTIONS {
                    &*explainer.file
                } else {
                    NamedFile::find(files, &explainer.name)?
                };
                Some((*input, file.to_owned()))
            });
        files.collect()
    }

    /// Refuses attributions of another shape than those of the first explainer.
    fn check_shape(
        &self,
        explainer: &NamedFile,
        actual: (usize, usize),
        expected: (usize, usize),
    ) -> Result<(), Failure> {
        if actual == expected {
            return Ok(());
        }
        let first = self.explainers().first();
        let as_first = first.map_or_else(String::new, |first| {
            format!(", as {} has", first.file.display())
        });
        let failure = Failure::new(format_args!(
            "expected shape {expected:?}, (n_test, n_train){as_first}, got {actual:?}"
        ));
        let is_transposed = (actual.1, actual.0) == expected;
        let help = if is_transposed {
            "it looks transposed: save array.T"
        } else {
            "explainers are compared on the same test and training cases"
        };
        Err(failure.help(help).in_file(&explainer.file))
    }

    /// Refuses files of an input that some explainers lack, and files of unknown explainers.
    fn check_names(&self, option: &str, files: &[NamedFile]) -> Result<(), Failure> {
        let lacks = |of: &&NamedFile| NamedFile::find(files, &of.name).is_none();
        let is_unknown = |of: &&NamedFile| NamedFile::find(self.explainers(), &of.name).is_none();
        if let Some(unknown) = files.iter().find(is_unknown) {
            let what = "no explainer of this name among --attributions";
            return Err(Failure::for_option(option, what).with_value(&unknown.name));
        }
        match self.explainers().iter().find(lacks) {
            Some(lacking) if !files.is_empty() => {
                let what = format!(
                    "expected a file of every explainer, {} has none",
                    lacking.name
                );
                Err(Failure::for_option(option, what))
            }
            _ => Ok(()),
        }
    }
}

/// The metric that reads scores.
const MISLABELING: &str = "mislabeling-detection";

impl ComparedAttributions {
    /// A remark on scores that were computed from the attributions.
    pub(crate) fn remark(&self) -> Option<&'static str> {
        let words = "mislabeling-detection inspects training cases by their negative mean attribution over the test cases";
        self.derives_scores.then_some(words)
    }

    /// The given classes and flags of the cases.
    pub(crate) fn known(&self) -> KnownCases<'_> {
        KnownCases {
            train_labels: self.data.integers(input::TRAIN_LABELS),
            test_classes: self.data.integers(input::TEST_CLASSES),
            flags: self.data.booleans(input::FLAGS),
            class_names: None,
        }
    }

    /// The table as JSON; metrics of one number for all test cases are under `whole`.
    fn to_json(&self) -> serde_json::Result<Value> {
        let mut json = serde_json::to_value(self.table.by_name())?;
        let mut whole = Map::new();
        for result in &self.comparison.dataset_results {
            whole.insert(result.metric.clone(), self.dataset_json(result)?);
        }
        if let Some(object) = json.as_object_mut() {
            object.remove("model_calls");
            object.insert("whole".to_owned(), Value::Object(whole));
            if let Some(remark) = self.remark() {
                let remark = json!({ "about": "scores", "text": remark });
                object.insert("assumed".to_owned(), json!([remark]));
            }
        }
        Ok(json)
    }

    fn dataset_json(&self, result: &DatasetResult) -> serde_json::Result<Value> {
        let mut explainers = Map::new();
        for (name, outcome) in self.table.explainers.iter().zip(&result.outcomes) {
            let mut fields = serde_json::to_value(outcome)?;
            if let Some(object) = fields.as_object_mut() {
                object.insert("value".to_owned(), serde_json::to_value(outcome.value())?);
            }
            explainers.insert(name.clone(), fields);
        }
        Ok(json!({ "better": result.info.direction, "explainers": explainers }))
    }

    fn to_text(&self) -> String {
        let mut parts = Vec::new();
        if !self.table.metrics.is_empty() {
            parts.push(self.table.to_string());
        }
        if !self.comparison.dataset_results.is_empty() {
            let explainers = self.table.explainers.iter().map(String::as_str);
            let header: Vec<&str> = ["of all test cases"]
                .into_iter()
                .chain(explainers)
                .collect();
            let rows = self.comparison.dataset_results.iter().map(|result| {
                let name = text::with_arrow(&result.metric, result.info.direction);
                let values = result.outcomes.iter().map(|of| text::decimals(of.value()));
                std::iter::once(name).chain(values).collect::<Vec<_>>()
            });
            parts.push(text::table(&header, rows));
        }
        parts.join("\n\n")
    }
}
