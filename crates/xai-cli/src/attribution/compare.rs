//! Which explainer to trust: all metrics of all explainers.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use serde::Serialize;
use xai_files::failure::as_option;
use xai_files::onnx::watched::WatchedModel;
use xai_files::{Failure, Files, InFiles};
use xai_metrics::attribution::batch::{Data, PlannedRows};
use xai_metrics::attribution::evaluation::EvaluationTable;
use xai_metrics::attribution::metric::{Entry, Param, Setting, Settings, Value, registry};
use xai_metrics::attribution::model::{Concurrent, ModelCalls, Samples, Targets};
use xai_metrics::attribution::run::CompletedScores;
use xai_metrics::attribution::{
    Evaluate, Evaluation, EvaluationError, Layout, Scoring, help, input,
};
use xai_metrics::core::describe::same_word;
use xai_metrics::core::{Error, ErrorKind, Input};

use crate::attribution::explainer_files::{ExplainerFiles, OpenedExplainers};
use crate::attribution::metric::arguments;
use crate::attribution::model_files::{ModelFiles, OpenedModel};
use crate::attribution::options::{Channels, Reading, ScoringOptions};
use crate::attribution::parameters::with_seed;
use crate::attribution::parameters::{ALL_WORD, STANDARD_WORD};
use crate::attribution::side_inputs;
use crate::output::{rows, whole_file};
use crate::usage::interval_options::IntervalOptions;
use crate::usage::nearest;
use crate::{Context, examples};

/// The metrics that judge maps of a model, or maps alone.
fn entries() -> impl Iterator<Item = &'static Entry> {
    let given = [
        input::MODEL,
        input::INPUTS,
        input::TARGETS,
        input::EXPLANATIONS,
        input::EXPLAINER,
        input::MASKS,
        input::SEGMENTS,
        input::SECOND_MAPS,
        input::REFERENCE_MAPS,
    ];
    let is_given = move |need: &Input| given.contains(need);
    registry::metrics()
        .iter()
        .filter(move |entry| entry.is_built() && entry.info.needs.iter().all(is_given))
}

/// A setting of an advice: an option of the comparison, or of metrics.
fn as_setting(name: &str, value: Option<&str>) -> String {
    match (name, value) {
        ("activation" | "allow_batch_dependence", value) => as_option(name, value),
        (name, None) => format!("{name} (--metrics 'standard({name}=…)')"),
        (name, Some(value)) => format!("--metrics 'standard({name}={value})'"),
    }
}

fn metrics_help() -> String {
    format!(
        "The metrics, separated by commas, with settings of their parameters in brackets:\n\
         'deletion(steps=20), complexity'. `{STANDARD_WORD}` are {}; `{ALL_WORD}` are all that the files are enough \
         for, of which some ask the model once per position. Settings of these two words are those of every metric \
         that has the parameter: '{STANDARD_WORD}(baseline=mean)'. `xai attribution list` lists the metrics, `xai \
         attribution NAME --help` the parameters of one",
        registry::STANDARD.join(", ")
    )
}

/// A metric of a comparison: what tables call it, its entry, and settings of its parameters.
#[derive(Debug, Clone)]
struct Asked {
    name: String,
    entry: &'static Entry,
    settings: Vec<(String, Value)>,
}

impl Asked {
    /// The settings for the parameters that the metric has: of a word for several metrics.
    fn of_word(entry: &'static Entry, settings: &[(String, Value)]) -> Self {
        let params = entry.params();
        let has = |name: &str| params.iter().any(|param| same_word(param.name, name));
        let settings = settings.iter().filter(|(name, _)| has(name));
        Self {
            name: entry.key(),
            entry,
            settings: settings.cloned().collect(),
        }
    }

    fn value(&self, name: &str) -> Option<Value> {
        let mut settings = self.settings.iter();
        settings.find_map(|(given, value)| same_word(given, name).then(|| value.clone()))
    }

    /// Whether another one has the same values of all parameters, given or by default.
    fn is_same(&self, other: &Self) -> bool {
        let value = |of: &Self, param: &Param| match of.value(param.name) {
            Some(value) => value.to_string(),
            None => param.value.to_string(),
        };
        let is_equal = |param: &Param| value(self, param) == value(other, param);
        std::ptr::eq(self.entry, other.entry) && self.entry.params().iter().all(is_equal)
    }

    /// Whether it asks for the number of classes, which nobody gave.
    fn lacks_classes(&self) -> bool {
        self.entry.has_param("n_classes") && self.value("n_classes").is_none()
    }
}

/// All metrics of all explainers of one model.
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai attribution compare --model model.onnx --inputs x.npy --targets y.npy --explanations gradient=g.npy shap=s.npy",
    "xai attribution compare --model model.onnx --inputs x.npy --targets y.npy --explanations shap=s.npy --metrics 'deletion(steps=20),insertion' --out scores.csv",
]))]
pub(crate) struct Compare {
    #[command(flatten)]
    files: ModelFiles,
    #[command(flatten)]
    pub(crate) explainers: ExplainerFiles,
    /// Where the object is, for the metrics that need it: booleans (n, height, width), of tables (n, features).
    #[arg(long, value_name = "M.npy")]
    masks: Option<PathBuf>,
    /// The segment of each position, for the metrics that need it and for features that are segments:
    /// integers (n, height, width) or (height, width).
    #[arg(long, value_name = "S.npy")]
    segments: Option<PathBuf>,
    /// What removed positions are set to, for the metrics that are asked for with `baseline=given`: numbers shaped like the
    /// inputs, or (1, …) for all samples.
    #[arg(long, value_name = "B.npy")]
    baselines: Option<PathBuf>,
    /// Maps that those of all explainers are compared with, for the metrics that need them: true ones,
    /// or of the randomized or the shifted model.
    #[arg(long, value_name = "E2.npy")]
    other_explanations: Option<PathBuf>,
    /// The metrics, separated by commas, with settings in brackets: `deletion(steps=20), complexity`.
    #[arg(long, value_name = "METRICS", default_value = STANDARD_WORD, long_help = metrics_help())]
    metrics: Vec<Settings>,
    #[command(flatten)]
    scoring: ScoringOptions,
    #[command(flatten)]
    intervals: IntervalOptions,
    /// Write a row per explainer, metric and sample: explainer, metric, sample, score.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

impl Compare {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let compared = self.evaluate(context, &|rows| context.remark(planned(rows)))?;
        compared.reading.say(context);
        for option in self.unused() {
            context.remark(format!("--{option}: not used by these metrics"));
        }
        let of_metrics = compared.table.metrics.iter().flat_map(|metric| {
            let values = metric.values.iter();
            values.flat_map(|v| rows::per_sample(&v.explainer, &metric.metric, &v.per_sample))
        });
        rows::write(self.out.as_deref(), rows::SAMPLE_COLUMNS, of_metrics)?;
        let result = CompareResult {
            channels: compared.reading.channels,
            table: compared.table.by_name(),
        };
        context.present(&result, || compared.table.to_string())
    }

    /// Checks what no file is needed for: the metrics, their settings, and whether all has a file that they need.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        for asked in self.asked(None)? {
            side_inputs::check(
                asked.entry,
                |name| asked.value(name),
                |input| self.is_given(input),
                |param, value| format!("--metrics {}({param}={value})", asked.entry.key()),
            )?;
            let built = asked.entry.build::<f64>(&asked.settings);
            built.map_err(|error| wrong_setting(&asked.name, &error))?;
        }
        Ok(())
    }

    /// All metrics of all explainers; `planned` is told what that costs before the model is asked.
    pub(crate) fn evaluate(
        &self,
        context: &Context,
        planned: &(dyn Fn(&PlannedRows) + Sync),
    ) -> Result<Compared, Failure> {
        self.check()?;
        let working = context.working("opening the model");
        let explainers = self.explainers.open(&self.scoring.engine)?;
        let OpenedModel {
            model,
            inputs,
            targets,
        } = self.files.open(&self.scoring.engine)?;
        drop(working);
        let n = inputs.n_samples();
        self.check_shapes()?;
        let reading = self.scoring.reading(inputs.shape(), model.images)?;
        if let (true, Some(n_outputs)) = (context.is_check(), model.n_declared) {
            check_targets(&targets, n_outputs).in_files(&self.places(&self.files.inputs))?;
        }
        let bar = context.progress(n as u64, "samples");
        let (n_calls, n_rows) = (AtomicU64::new(0), AtomicU64::new(0));
        let watched = WatchedModel {
            model,
            watch: |of_call| {
                let calls = n_calls.fetch_add(1, Ordering::Relaxed) + 1;
                let rows = n_rows.fetch_add(of_call, Ordering::Relaxed) + of_call;
                bar.set_message(format!("{}, samples", ModelCalls { calls, rows }));
            },
        };
        let model = Concurrent(&watched);
        let scoring = self.scoring.scoring(&reading);
        let data = Data::new(&inputs, &targets).model(&model);
        let mut data = data.scoring(scoring);
        for (input, file) in self.sides() {
            data = side_inputs::add(data, input, file, inputs.shape())?;
        }
        let mut evaluation = Evaluation::on(data)
            .level(self.intervals.level)
            .replicates(self.intervals.n_replicates)
            .seed(context.seed())
            .with_curves()
            .on_plan(planned)
            .on_progress(|samples| bar.inc(samples as u64))
            .on_pairs(|done, total| bar.set_message(format!("{done} of {total} pairs of samples")));
        evaluation = self.explainers.add_to(evaluation, &explainers)?;
        let layout = scoring.layout_of(inputs.shape());
        for Asked {
            name,
            entry,
            settings,
        } in self.asked(layout.ok())?
        {
            let metric = entry.build::<f64>(&with_seed(entry, &settings, context));
            let metric = metric.map_err(|error| wrong_setting(&name, &error))?;
            evaluation = evaluation.metric_named(name, metric);
        }
        let table = evaluation.evaluate();
        bar.finish_and_clear();
        let mut table = table.map_err(|stopped| self.failure(&stopped))?;
        let of_evaluation = std::mem::take(&mut table.assumed);
        table.assumed.extend(reading.assumed.iter().cloned());
        table.assumed.extend(of_evaluation);
        Ok(Compared {
            table,
            reading,
            scoring,
            opened: OpenedModel {
                model: watched.model,
                inputs,
                targets,
            },
            explainers,
        })
    }

    /// Refuses maps of several shapes for a metric that compares them with second maps: these have one shape, which is that of
    /// the maps.
    fn check_shapes(&self) -> Result<(), Failure> {
        if self.other_explanations.is_none() || !self.takes(input::SECOND_MAPS) {
            return Ok(());
        }
        match self.explainers.other_shape()? {
            None => Ok(()),
            Some([first, other]) => Err(Failure::new(format_args!(
                "maps of shape {:?}, but {} has maps of shape {:?}: second maps are compared with those of every explainer, \
                 which need one shape for that",
                other.1,
                first.0.display(),
                first.1
            ))
            .in_file(other.0)
            .help("save the maps of all explainers with a channel axis, or all without")),
        }
    }

    /// What went wrong with which file. What was computed before is kept.
    pub(crate) fn failure(&self, stopped: &EvaluationError) -> Failure {
        let name = stopped.explainer();
        let maps = self.explainers.file_of(name);
        let mut places = self.places(maps.unwrap_or(&self.files.inputs));
        if let Some(explainer) = self.explainers.explainer_of(name) {
            places = places.file(&[input::EXPLAINER], explainer);
        }
        let failure = match (stopped.metric(), stopped.error().kind()) {
            (Some(metric), ErrorKind::InvalidParameter { .. }) if self.has(metric, stopped) => {
                wrong_setting(metric, stopped.error())
            }
            _ => places.failure(stopped.error()),
        };
        match self.keep(stopped.completed()) {
            Some(help) => failure.and_help(help),
            None => failure,
        }
    }

    /// Whether an error is about a parameter of a metric.
    fn has(&self, metric: &str, stopped: &EvaluationError) -> bool {
        let asked = self.asked(None).unwrap_or_default();
        let mut asked = asked.iter().filter(|asked| asked.name == metric);
        asked.any(|asked| asked.entry.has_param(stopped.error().input().name()))
    }

    /// What errors are about.
    fn places<'a>(&'a self, maps: &'a Path) -> Files<'a> {
        let mut files = self.files.files(maps).terms(as_setting);
        for (of, file) in self.sides() {
            files = files.file(&[of], file);
        }
        let sides: Vec<Input> = self.sides().map(|(of, _)| of).collect();
        files.shaped_by(&sides, &self.files.inputs)
    }

    /// The further inputs that a metric takes, and their files.
    fn sides(&self) -> impl Iterator<Item = (Input, &Path)> {
        let given = self.side_files().into_iter();
        let given = given.filter_map(|(_, of, file)| Some((of, file?)));
        // One file for all samples is of reference maps alone; who asks decides.
        given.filter(|(of, _)| self.takes(*of))
    }

    /// The options of further inputs that were given, and no metric takes.
    fn unused(&self) -> impl Iterator<Item = &'static str> {
        let is_taken = |option| {
            let mut inputs = self.side_files().into_iter();
            inputs.any(|(of_input, input, _)| of_input == option && self.takes(input))
        };
        let mut given: Vec<_> = self.side_files().into_iter().collect();
        given.retain(|(option, _, file)| file.is_some() && !is_taken(*option));
        given.dedup_by_key(|(option, ..)| *option);
        given.into_iter().map(|(option, ..)| option)
    }

    /// The further inputs, with their options and files.
    fn side_files(&self) -> [(&'static str, Input, Option<&Path>); 5] {
        [
            ("masks", input::MASKS, self.masks.as_deref()),
            ("segments", input::SEGMENTS, self.segments.as_deref()),
            ("baselines", input::BASELINE, self.baselines.as_deref()),
            (
                "other-explanations",
                input::SECOND_MAPS,
                self.other_explanations.as_deref(),
            ),
            (
                "other-explanations",
                input::REFERENCE_MAPS,
                self.other_explanations.as_deref(),
            ),
        ]
    }

    /// Whether a metric takes a further input.
    fn takes(&self, of: Input) -> bool {
        let asked = self.asked(None).unwrap_or_default();
        let mut asked = asked.iter();
        asked.any(|asked| side_inputs::takes(asked.entry, |name| asked.value(name), of))
    }

    /// Whether a further input has its file, or can be made.
    fn is_given(&self, input: Input) -> bool {
        let mut files = self.side_files().into_iter();
        match files.find(|(_, of, _)| *of == input) {
            Some((_, _, file)) => file.is_some(),
            None => input != input::EXPLAINER || self.explainers.can_be_asked(),
        }
    }

    /// The metrics that were asked for, each with its settings; of `all`, those that have values for inputs of a
    /// layout. A metric that is asked for with several settings is called by them.
    ///
    /// # Errors
    /// Wrong usage for a metric that there is not, for a setting that it has not, and for the same metric with the same
    /// settings twice.
    fn asked(&self, layout: Option<Layout>) -> Result<Vec<Asked>, Failure> {
        let mut asked: Vec<Asked> = Vec::new();
        for setting in self.metrics.iter().flat_map(|settings| &settings.0) {
            let of_word: Vec<Asked> = match setting.name.as_str() {
                STANDARD_WORD => {
                    let names = registry::STANDARD.into_iter();
                    let entries = names.filter_map(|name| registry::find(name).ok());
                    entries
                        .map(|e| Asked::of_word(e, &setting.params))
                        .collect()
                }
                ALL_WORD => self.possible(layout, &setting.params),
                name => {
                    let entry = entries().find(|entry| same_word(entry.info.name, name));
                    vec![Asked {
                        name: String::new(),
                        entry: entry.ok_or_else(|| unknown_metric(name))?,
                        settings: setting.params.clone(),
                    }]
                }
            };
            let is_of_none = |name: &str| of_word.iter().all(|asked| asked.value(name).is_none());
            if let Some((name, _)) = setting.params.iter().find(|(name, _)| is_of_none(name)) {
                let none = format_args!("none of these metrics has a parameter `{name}`");
                return Err(of_metrics(setting, none));
            }
            for one in of_word {
                if asked.iter().any(|other| other.is_same(&one)) {
                    let what = format_args!("{} is asked for twice", one.entry.info.name);
                    let help = "name every metric once, or with other settings";
                    return Err(of_metrics(setting, what).help(help));
                }
                asked.push(one);
            }
        }
        let entries: Vec<&'static Entry> = asked.iter().map(|asked| asked.entry).collect();
        for one in &mut asked {
            let times = entries
                .iter()
                .filter(|other| std::ptr::eq(**other, one.entry));
            one.name = match times.count() {
                1 => one.entry.key(),
                _ => Setting {
                    name: one.entry.key(),
                    params: one.settings.clone(),
                }
                .to_string(),
            };
        }
        Ok(asked)
    }

    /// All metrics that the files are enough for.
    fn possible(&self, layout: Option<Layout>, settings: &[(String, Value)]) -> Vec<Asked> {
        let is_possible = |asked: &Asked| {
            layout.is_none_or(|layout| asked.entry.takes(layout))
                && asked
                    .entry
                    .info
                    .needs
                    .iter()
                    .all(|need| self.is_given(*need))
                && !asked.lacks_classes()
        };
        let all = entries().map(|entry| Asked::of_word(entry, settings));
        all.filter(is_possible).collect()
    }

    /// Writes what was computed before an evaluation stopped, and says so.
    fn keep(&self, completed: &[CompletedScores]) -> Option<String> {
        let out = self.out.as_ref().filter(|_| !completed.is_empty())?;
        let of_scores = completed.iter().flat_map(|scores| {
            let explainer = scores.explainer.as_deref().unwrap_or_default();
            rows::per_sample(explainer, &scores.score, &scores.per_sample)
        });
        Some(
            match rows::write(Some(out), rows::SAMPLE_COLUMNS, of_scores) {
                Ok(()) => format!(
                    "the scores computed until then are in {}",
                    whole_file::display_name(out).display()
                ),
                Err(failure) => format!("the scores computed until then are lost: {failure}"),
            },
        )
    }
}

/// Holds targets against the number of outputs that a model declares: the model itself is asked later.
fn check_targets(targets: &Targets, n_outputs: usize) -> xai_metrics::Result<()> {
    match targets {
        Targets::Classes(classes) => {
            let is_none = |class: &i64| usize::try_from(*class).map_or(true, |it| it >= n_outputs);
            let wrong = classes.iter().position(is_none);
            wrong.map_or(Ok(()), |i| {
                let (of, class) = (input::TARGETS, classes[i]);
                let error = Error::label_out_of_range(of, i, class, n_outputs);
                Err(match n_outputs {
                    1 => error.with_help(help::ONE_OUTPUT),
                    _ => error,
                })
            })
        }
        Targets::Rows(rows) if rows.ncols() != n_outputs => {
            let expected = [rows.nrows(), n_outputs];
            Err(Error::shape(input::TARGETS, &expected, rows.shape()))
        }
        Targets::Rows(_) => Ok(()),
    }
}

/// The JSON of `xai attribution compare`.
#[derive(Serialize)]
struct CompareResult<T> {
    /// Where images were read to have their channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    channels: Option<Channels>,
    #[serde(flatten)]
    table: T,
}

/// What a comparison found, and what it was made from.
pub(crate) struct Compared {
    pub(crate) table: EvaluationTable,
    pub(crate) reading: Reading,
    pub(crate) scoring: Scoring,
    pub(crate) opened: OpenedModel,
    pub(crate) explainers: OpenedExplainers,
}

/// What is wrong with a metric of `--metrics`.
fn of_metrics(metric: impl Display, what: impl Display) -> Failure {
    Failure::for_option("--metrics", what).with_value(metric)
}

/// A metric that is not one of a comparison: it needs what no file holds, or there is none of this name.
fn unknown_metric(name: &str) -> Failure {
    if let Ok(entry) = registry::find(name) {
        return of_metrics(name, "not a metric of a comparison").help(other_way(entry));
    }
    let names: Vec<&str> = entries().map(|entry| entry.info.name).collect();
    let near = nearest(&name.replace('_', "-"), &names);
    of_metrics(name, "no metric of a comparison").help(near)
}

/// How a metric is computed that is not one of a comparison.
pub(crate) fn other_way(entry: &Entry) -> String {
    let name = entry.info.name;
    let has_command = arguments::entries().any(|other| std::ptr::eq(other, entry));
    if has_command {
        return format!("it has a command of its own, `xai attribution {name}`");
    }
    let needs: Vec<&str> = entry.info.needs.iter().map(|input| input.name()).collect();
    format!(
        "it needs {}, which no file holds: compute it in Python, xai_metrics.attribution, or in Rust",
        needs.join(", ")
    )
}

/// A parameter of a metric that it has not, or a value that is none.
fn wrong_setting(metric: &str, error: &xai_metrics::Error) -> Failure {
    let failure = of_metrics(metric, error.problem());
    match error.help() {
        Some(help) => failure.help(help.render(as_setting)),
        None => failure,
    }
}

/// What a run costs, before it starts.
fn planned(rows: &PlannedRows) -> String {
    let at_least = match rows.unknown.is_empty() {
        true => "",
        false => "at least ",
    };
    let model = format!("the model will see {at_least}{} rows", rows.model);
    match rows.explainers {
        0 => model,
        n => format!("{model}, the explainers {at_least}{n}"),
    }
}
