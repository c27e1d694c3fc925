//! `xai casebased attribution compare`: which explainer by training cases to trust.

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches};
use ndarray::Array2;
use serde_json::{Map, Value, json};
use xai_files::samples::FileSamples;
use xai_files::{Failure, InFile, InFiles};
use xai_metrics::casebased::data_attribution::{
    AttributionComparison, AttributionData, DatasetResult, Entry, INPUTS, METRICS, evaluate_all,
    negative_means,
};
use xai_metrics::casebased::input;
use xai_metrics::core::Input;
use xai_metrics::core::describe::{InputSpec, Setting, Settings, same_word};
use xai_metrics::core::evaluation::{EvaluationTable, check_size};
use xai_report::sections::data_attribution::KnownCases;

use crate::casebased::attribution::arguments;
use crate::casebased::attribution::inputs;
use crate::casebased::attribution::metric::places;
use crate::described::option_name;
use crate::output::{intervals, rows, text};
use crate::usage::interval_options::IntervalOptions;
use crate::usage::named_file::NamedFile;
use crate::usage::nearest;
use crate::{Context, examples};

/// Several explainers side by side: metrics with intervals over test cases, ranks and paired tests.
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai casebased attribution compare --attributions tracin=a.npy trak=b.npy --train-labels y.npy --test-classes c.npy",
    "xai casebased attribution compare --attributions tracin=a.npy --flags flipped.npy --metrics mislabeling-detection",
]))]
pub(crate) struct CompareAttributions {
    #[command(flatten)]
    own: OwnFiles,
    #[command(flatten)]
    shared: SharedFiles,
    /// The metrics, separated by commas, with settings in brackets: `class-detection(k=5), class-auroc`. By default all that
    /// the files are enough for.
    #[arg(long, value_name = "METRICS")]
    metrics: Vec<Settings>,
    #[command(flatten)]
    intervals: IntervalOptions,
    /// Write a row per explainer, metric and test case: explainer, metric, sample, score.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

/// The files that are the same for all explainers, each an option of its input's name.
#[derive(Debug)]
struct SharedFiles(Vec<(Input, PathBuf)>);

impl Args for SharedFiles {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.args(arguments::shared().map(arguments::optional))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SharedFiles {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = arguments::shared().filter_map(|file| {
            let path = matches.get_one::<PathBuf>(file.input.name())?;
            Some((file.input, path.clone()))
        });
        Ok(Self(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The files that each explainer has for itself, each an option of its input's name.
#[derive(Debug)]
struct OwnFiles(Vec<(Input, Vec<NamedFile>)>);

impl OwnFiles {
    /// The files of an input; none where it was not given.
    fn of(&self, wanted: Input) -> &[NamedFile] {
        let mut files = self.0.iter();
        let found = files.find_map(|(input, files)| (*input == wanted).then_some(files.as_slice()));
        found.unwrap_or_default()
    }

    /// The explainers: the names and files of the attributions.
    fn explainers(&self) -> &[NamedFile] {
        self.of(input::ATTRIBUTIONS)
    }
}

impl Args for OwnFiles {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.args(arguments::own().map(arguments::named))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for OwnFiles {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = arguments::own().filter_map(|spec| {
            let files = matches.get_many::<NamedFile>(spec.input.name())?;
            Some((spec.input, files.cloned().collect()))
        });
        Ok(Self(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// What a comparison found.
pub(crate) struct ComparedAttributions {
    pub(crate) comparison: AttributionComparison,
    pub(crate) table: EvaluationTable,
    /// `(n_test, n_train)`
    pub(crate) n_cases: (usize, usize),
    /// Whether mislabeled cases were looked for by what attributions say of them.
    derives_scores: bool,
    data: AttributionData<'static>,
}

impl CompareAttributions {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let working = context.working("reading attributions");
        let compared = self.evaluate(context)?;
        drop(working);
        let of_metrics = compared.table.metrics.iter().flat_map(|metric| {
            let values = metric.values.iter();
            values.flat_map(|v| rows::per_sample(&v.explainer, &metric.metric, &v.per_sample))
        });
        rows::write(self.out.as_deref(), rows::SAMPLE_COLUMNS, of_metrics)?;
        if let Some(remark) = compared.remark() {
            context.remark(remark);
        }
        let json = intervals::as_pairs(&compared.to_json().map_err(Failure::new)?)?;
        context.present(&json, || compared.to_text())
    }

    /// All metrics of all explainers.
    pub(crate) fn evaluate(&self, context: &Context) -> Result<ComparedAttributions, Failure> {
        let metrics = self.asked()?;
        let is_of_scores = |metric: &Setting| same_word(&metric.name, MISLABELING);
        let derives_scores =
            self.own.of(input::SCORES).is_empty() && metrics.iter().any(is_of_scores);
        for (of, files) in &self.own.0 {
            let option = format!("--{}", option_name(of.name()));
            self.check_names(&option, files)?;
        }
        let names: Vec<&str> = self
            .own
            .explainers()
            .iter()
            .map(|of| of.name.as_str())
            .collect();
        let options = places(&[]).options(&IntervalOptions::NAMES).options(&[
            (input::EXPLAINERS, "--attributions"),
            (input::ATTRIBUTIONS, "--attributions"),
            (input::METRICS, "--metrics"),
        ]);
        let statistics = self.intervals.statistics(context);
        statistics.check().in_files(&options)?;
        check_size(metrics.len(), names.len(), &statistics).in_files(&options)?;
        let mut data = AttributionData::default();
        let mut outcomes = Vec::new();
        for explainer in self.own.explainers() {
            let expected = data.n_cases().unwrap_or_default();
            let own = self.files_of(explainer);
            for (of, file) in &own {
                inputs::add(&mut data, *of, file)?;
            }
            if outcomes.is_empty() {
                for (of, file) in &self.shared.0 {
                    inputs::add(&mut data, *of, file)?;
                }
            } else {
                self.check_shape(explainer, data.n_cases().unwrap_or_default(), expected)?;
            }
            let all = [own, self.shared.0.clone()].concat();
            let places = places(&all);
            if derives_scores {
                let scores = negative_means(&data).in_files(&places)?;
                data.insert(input::SCORES, scores);
            }
            outcomes.push(evaluate_all(&data, &metrics).in_files(&places)?);
        }
        let comparison = AttributionComparison::new(&names, &metrics, outcomes);
        let comparison = comparison.in_files(&options)?;
        let table = comparison.values.table(&statistics);
        Ok(ComparedAttributions {
            table: table.in_files(&options)?,
            comparison,
            n_cases: data.n_cases().unwrap_or_default(),
            derives_scores,
            data,
        })
    }

    /// The attributions of some test cases by each explainer; `None` where some came through a pipe, which is read once.
    pub(crate) fn rows_of(&self, samples: &[usize]) -> Result<Option<Vec<Array2<f64>>>, Failure> {
        if !self.own.explainers().iter().all(|of| of.file.is_file()) {
            return Ok(None);
        }
        let rows = self.own.explainers().iter().map(|of| {
            let rows = FileSamples::open(&of.file)?
                .gather(samples)
                .in_file(&of.file)?;
            rows.into_dimensionality().map_err(Failure::new)
        });
        rows.collect::<Result<_, _>>().map(Some)
    }

    /// The metrics that were asked for, checked; else all that the files are enough for.
    fn asked(&self) -> Result<Vec<Setting>, Failure> {
        let asked = self.metrics.iter().flat_map(|settings| &settings.0);
        let mut asked: Vec<Setting> = asked.cloned().collect();
        if self.metrics.is_empty() {
            asked.extend(self.possible().map(|entry| Setting {
                name: entry.info.name.to_owned(),
                params: Vec::new(),
            }));
        }
        if asked.is_empty() {
            let failure = Failure::for_option("--metrics", "the files are enough for no metric");
            return Err(failure.help("give --train-labels and --test-classes, --flags, --relevant, or others that `xai casebased attribution list` names"));
        }
        for metric in &asked {
            let is_named = |entry: &&Entry| same_word(entry.info.name, &metric.name);
            let Some(entry) = METRICS.iter().find(is_named) else {
                let names: Vec<&str> = METRICS.iter().map(|entry| entry.info.name).collect();
                let failure = Failure::for_option("--metrics", "no metric of a comparison");
                let near = nearest(&metric.name.replace('_', "-"), &names);
                return Err(failure.with_value(&metric.name).help(near));
            };
            entry.params_with(&metric.params).map_err(|error| {
                Failure::for_option("--metrics", error.problem()).with_value(metric)
            })?;
            let mut needs = entry.info.needs.iter();
            // Scores of training cases may be made of attributions.
            let lacks = |of: &&Input| **of != input::SCORES && !self.is_given(**of);
            if let Some(lacking) = needs.find(lacks) {
                let option = format!("--{}", option_name(lacking.name()));
                let what = format_args!("needed by {}", entry.info.name);
                return Err(Failure::for_option(&option, what).with_value("FILE.npy"));
            }
        }
        Ok(asked)
    }

    /// The metrics that the files are enough for.
    fn possible(&self) -> impl Iterator<Item = &'static Entry> {
        // Scores can be made of attributions, but that reads them once more: only if it is asked for.
        METRICS
            .iter()
            .filter(|entry| entry.info.needs.iter().all(|of| self.is_given(*of)))
    }

    /// Whether an input has its file, or one that replaces it has.
    fn is_given(&self, wanted: Input) -> bool {
        let is_given = |wanted| {
            let is_shared = self.shared.0.iter().any(|(input, _)| *input == wanted);
            is_shared || !self.own.of(wanted).is_empty()
        };
        let replaces = |spec: &&InputSpec| spec.instead_of == Some(wanted);
        is_given(wanted)
            || INPUTS
                .iter()
                .filter(replaces)
                .any(|spec| is_given(spec.input))
    }

    /// The files of one explainer.
    fn files_of(&self, explainer: &NamedFile) -> Vec<(Input, PathBuf)> {
        let files = self.own.0.iter();
        let mut files: Vec<(Input, PathBuf)> = files
            .filter_map(|(of, files)| {
                Some((*of, NamedFile::find(files, &explainer.name)?.to_owned()))
            })
            .collect();
        // Of two explainers of one name each has its own, until the name is refused.
        if let Some((_, file)) = files.first_mut() {
            file.clone_from(&explainer.file);
        }
        files
    }

    /// Refuses attributions of other cases than those of the first explainer.
    fn check_shape(
        &self,
        explainer: &NamedFile,
        actual: (usize, usize),
        expected: (usize, usize),
    ) -> Result<(), Failure> {
        if actual == expected {
            return Ok(());
        }
        let first = self.own.explainers().first();
        let first = first.map_or_else(String::new, |first| {
            format!(", as {} has", first.file.display())
        });
        let failure = Failure::new(format_args!(
            "expected shape {expected:?}, (n_test, n_train){first}, got {actual:?}"
        ));
        let is_transposed = (actual.1, actual.0) == expected;
        Err(match is_transposed {
            true => failure.help("it looks transposed: save array.T"),
            false => failure.help("explainers are compared on the same test and training cases"),
        }
        .in_file(&explainer.file))
    }

    /// Refuses further files that are not of all explainers, or of others.
    fn check_names(&self, option: &str, files: &[NamedFile]) -> Result<(), Failure> {
        let lacks = |of: &&NamedFile| NamedFile::find(files, &of.name).is_none();
        let is_unknown =
            |of: &&NamedFile| NamedFile::find(self.own.explainers(), &of.name).is_none();
        if let Some(unknown) = files.iter().find(is_unknown) {
            let what = "no explainer of this name among --attributions";
            return Err(Failure::for_option(option, what).with_value(&unknown.name));
        }
        match self.own.explainers().iter().find(lacks) {
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
    /// What a reader may overlook.
    pub(crate) fn remark(&self) -> Option<&'static str> {
        let words = "mislabeling-detection inspects training cases by their negative mean attribution over the test cases";
        self.derives_scores.then_some(words)
    }

    /// What was given of the cases.
    pub(crate) fn known(&self) -> KnownCases<'_> {
        KnownCases {
            train_labels: self.data.integers(input::TRAIN_LABELS),
            test_classes: self.data.integers(input::TEST_CLASSES),
            flags: self.data.booleans(input::FLAGS),
        }
    }

    /// The table as JSON; metrics of one number for all test cases are under `whole`.
    fn to_json(&self) -> serde_json::Result<Value> {
        let mut json = serde_json::to_value(self.table.by_name())?;
        let mut whole = Map::new();
        for result in &self.comparison.dataset_results {
            whole.insert(result.metric.clone(), self.of_whole(result)?);
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

    fn of_whole(&self, result: &DatasetResult) -> serde_json::Result<Value> {
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
            let header = ["of all test cases"].into_iter();
            let header: Vec<&str> = header
                .chain(self.table.explainers.iter().map(String::as_str))
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
