//! `xai attribution compare`: metrics of the maps of several explainers.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use serde::Serialize;
use xai_files::onnx::watched::WatchedModel;
use xai_files::{Failure, Files, InFiles};
use xai_metrics::attribution::model::{Concurrent, ModelCalls, Samples, Scoring, Targets};
use xai_metrics::attribution::table::EvaluationTable;
use xai_metrics::attribution::{
    Benchmark, CompletedScores, Evaluate, EvaluationData, EvaluationError, InputLayout,
    PlannedRows, help, input, input_spec,
};
use xai_metrics::common::{Error, ErrorKind, Input};

use crate::attribution::explainer_files::{ExplainerFiles, OpenedExplainers};
use crate::attribution::family::MapMetrics;
use crate::attribution::model_files::{self, OpenedModel};
use crate::attribution::options::{ArrayReading, Channels, ScoringOptions};
use crate::attribution::{inputs, options};
use crate::metric_commands::comparison::ComparisonOptions;
use crate::metric_commands::selection::{SelectedMetric, as_setting, wrong_setting};
use crate::metric_commands::{InputFiles, Run, arguments};
use crate::output::{rows, whole_file};
use crate::{Context, examples};

/// A metric of attribution maps in a comparison.
type MapMetric = SelectedMetric<MapMetrics>;

/// `xai attribution compare`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai attribution compare --model model.onnx --inputs x.npy --targets y.npy --explanations gradient=g.npy shap=s.npy",
    "xai attribution compare --model model.onnx --inputs x.npy --targets y.npy --explanations shap=s.npy --metrics 'deletion(steps=20),insertion' --out scores.csv",
]))]
pub(crate) struct Compare {
    #[command(flatten)]
    comparison: ComparisonOptions<MapMetrics>,
    #[command(flatten)]
    scoring: ScoringOptions,
}

impl Run for Compare {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        let compared = self.evaluate(context, &|rows| context.remark(planned(rows)))?;
        compared.reading.remark(context);
        for option in self.comparison.unused(|spec| self.reads(spec.input)) {
            context.remark(format!("--{option}: not used by these metrics"));
        }
        self.comparison.write_scores(&compared.table)?;
        let result = CompareResult {
            channels: compared.reading.channels,
            table: compared.table.by_name(),
        };
        context.present(&result, || compared.table.to_string())
    }
}

impl Compare {
    /// The files of the explainers.
    pub(crate) fn explainers(&self) -> ExplainerFiles<'_> {
        ExplainerFiles {
            explanations: self.comparison.named(input::EXPLANATIONS),
            explainers: self.comparison.named(input::EXPLAINER),
        }
    }

    /// Checks what needs no file to be opened: the metrics, their settings, and that the inputs that they need have
    /// files.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        for metric in self.selected(None)? {
            metric.check_inputs(|input| self.is_given(input))?;
            metric.check()?;
        }
        Ok(())
    }

    /// All metrics of all explainers; `planned` is called with the cost before the model is.
    pub(crate) fn evaluate(
        &self,
        context: &Context,
        planned: &(dyn Fn(&PlannedRows) + Sync),
    ) -> Result<Compared, Failure> {
        self.check()?;
        let working = context.working("opening the model");
        let engine = &self.scoring.engine;
        let explainers = self.explainers().open(engine)?;
        let (inputs, targets) = model_files::open_inputs(self.comparison.files())?;
        let model = model_files::open_model(self.comparison.files(), &inputs, engine, context)?;
        drop(working);
        let n = inputs.n_samples();
        self.check_shapes()?;
        let reading = self.scoring.reading(inputs.shape(), model.images)?;
        if let (true, Some(n_outputs)) = (context.is_check(), model.n_declared) {
            let files = self.files_of(None);
            check_targets(&targets, n_outputs).in_files(&places(&files))?;
        }
        let bar = context.progress(n as u64, "samples");
        let (n_calls, n_rows) = (AtomicU64::new(0), AtomicU64::new(0));
        let watched = WatchedModel {
            model,
            watch: |rows_of_call| {
                let calls = n_calls.fetch_add(1, Ordering::Relaxed) + 1;
                let rows = n_rows.fetch_add(rows_of_call, Ordering::Relaxed) + rows_of_call;
                bar.set_message(format!("{}, samples", ModelCalls { calls, rows }));
            },
        };
        let model = Concurrent(&watched);
        let scoring = self.scoring.scoring(&reading);
        let mut data = EvaluationData::new(&inputs, &targets)
            .model(&model)
            .scoring(scoring);
        for (input, file) in self.comparison.files().iter() {
            // Inputs may share a file by their option.
            if self.reads(input) {
                data = inputs::add(data, input, file, inputs.shape())?;
            }
        }
        let evaluation = Benchmark::on(data)
            .level(self.comparison.intervals.level)
            .replicates(self.comparison.intervals.n_replicates)
            .seed(context.seed())
            .with_curves()
            .on_plan(planned)
            .on_progress(|samples| bar.inc(samples as u64))
            .on_pairs(|done, total| bar.set_message(format!("{done} of {total} pairs of samples")));
        let mut evaluation = self.explainers().add_to(evaluation, &explainers)?;
        for selected in self.selected(scoring.layout_of(inputs.shape()).ok())? {
            let settings = selected.seeded_settings(context);
            let built = selected.entry.build::<f64>(&settings);
            let metric = built.map_err(|error| wrong_setting(&selected.name, &error))?;
            evaluation = evaluation.metric_named(selected.name, metric);
        }
        let evaluated = evaluation.evaluate();
        bar.finish_and_clear();
        let mut table = evaluated.map_err(|stopped| self.failure(&stopped))?;
        let assumed = reading.assumed.iter().cloned();
        table.assumed.splice(..0, assumed);
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

    /// Refuses maps of different shapes if a metric compares them with second maps: those have only one shape.
    fn check_shapes(&self) -> Result<(), Failure> {
        if !self.comparison.is_given(input::SECOND_MAPS) || !self.reads(input::SECOND_MAPS) {
            return Ok(());
        }
        match self.explainers().other_shape()? {
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

    /// The failure of an evaluation, about the file or option it comes from. Scores that were computed before are
    /// written to `--out`, if it is given.
    pub(crate) fn failure(&self, stopped: &EvaluationError) -> Failure {
        let files = self.files_of(stopped.explainer());
        let failure = match (stopped.metric(), stopped.error().kind()) {
            (Some(metric), ErrorKind::InvalidParameter { .. })
                if self.is_about_parameter(metric, stopped) =>
            {
                wrong_setting(metric, stopped.error())
            }
            _ => places(&files).failure(stopped.error()),
        };
        match self.write_completed(stopped.completed()) {
            Some(help) => failure.and_help(help),
            None => failure,
        }
    }

    fn is_about_parameter(&self, metric: &str, stopped: &EvaluationError) -> bool {
        let selected = self.selected(None).unwrap_or_default();
        let mut metrics = selected.iter().filter(|selected| selected.name == metric);
        metrics.any(|selected| selected.entry.has_param(stopped.error().input().name()))
    }

    /// The files of a run, with those of one explainer.
    fn files_of(&self, explainer: Option<&str>) -> InputFiles {
        let shared = self.comparison.files().iter();
        let read = shared.filter(|(input, _)| is_always_read(*input) || self.reads(*input));
        let files: InputFiles = read.map(|(input, file)| (input, file.to_owned())).collect();
        let own = self.explainers().maps_or_explainer(explainer);
        let maps = own.or(files.get(input::INPUTS)).map(Path::to_owned);
        files
            .with(input::EXPLAINER, self.explainers().explainer(explainer))
            .with(input::EXPLANATIONS, maps.as_deref())
    }

    fn reads(&self, input: Input) -> bool {
        let selected = self.selected(None).unwrap_or_default();
        let reads = |spec| {
            let mut metrics = selected.iter();
            metrics.any(|metric| {
                arguments::reads::<MapMetrics>(metric.entry, spec, |name| metric.value(name))
            })
        };
        input_spec(input).is_some_and(reads)
    }

    /// Whether an input has its file, or can be computed.
    fn is_given(&self, input: Input) -> bool {
        match input {
            input::EXPLAINER => self.explainers().all_compute_maps(),
            input::EXPLANATIONS => true,
            input => self.comparison.is_given(input),
        }
    }

    /// The selected metrics. The word `all` selects those whose inputs and number of classes, if they need them, are
    /// given, and that have values for inputs of `layout`; `None` allows every layout.
    fn selected(&self, layout: Option<InputLayout>) -> Result<Vec<MapMetric>, Failure> {
        self.comparison.select(|metric| {
            let lacks_classes =
                metric.entry.has_param("n_classes") && metric.value("n_classes").is_none();
            let mut needs = metric.entry.info.needs.iter();
            layout.is_none_or(|layout| metric.entry.takes(layout))
                && needs.all(|need| self.is_given(*need))
                && !lacks_classes
        })
    }

    /// Writes the scores that were computed before an evaluation stopped. Returns a sentence that says where they are
    /// or why they are lost; `None` if there are none, or without `--out`.
    fn write_completed(&self, completed: &[CompletedScores]) -> Option<String> {
        if completed.is_empty() {
            return None;
        }
        let out = self.comparison.out.as_ref()?;
        let scores = completed.iter().flat_map(|scores| {
            let explainer = scores.explainer.as_deref().unwrap_or_default();
            rows::per_sample(explainer, &scores.score, &scores.per_sample)
        });
        Some(match rows::write(Some(out), rows::SAMPLE_COLUMNS, scores) {
            Ok(()) => format!(
                "the scores computed until then are in {}",
                whole_file::display_name(out).display()
            ),
            Err(failure) => format!("the scores computed until then are lost: {failure}"),
        })
    }
}

/// Whether a comparison reads an input whatever the metrics are.
fn is_always_read(input: Input) -> bool {
    [input::MODEL, input::INPUTS, input::TARGETS].contains(&input)
}

/// The files and options that errors are about.
fn places(files: &InputFiles) -> Files<'_> {
    model_files::places(files)
        .and(options::names())
        .terms(as_setting)
}

/// Checks targets against the number of outputs that the file of a model declares, before the model is called.
fn check_targets(targets: &Targets, n_outputs: usize) -> xai_metrics::Result<()> {
    match targets {
        Targets::Classes(classes) => {
            let is_none = |class: &i64| usize::try_from(*class).map_or(true, |it| it >= n_outputs);
            let wrong = classes.iter().position(is_none);
            wrong.map_or(Ok(()), |i| {
                let error = Error::label_out_of_range(input::TARGETS, i, classes[i], n_outputs);
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
    /// Axis of images that was read as channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    channels: Option<Channels>,
    #[serde(flatten)]
    table: T,
}

/// A comparison with the files that it was computed from.
pub(crate) struct Compared {
    pub(crate) table: EvaluationTable,
    pub(crate) reading: ArrayReading,
    pub(crate) scoring: Scoring,
    pub(crate) opened: OpenedModel,
    pub(crate) explainers: OpenedExplainers,
}

/// The cost of a run, before it starts.
fn planned(rows: &PlannedRows) -> String {
    let at_least = if rows.unknown.is_empty() {
        ""
    } else {
        "at least "
    };
    let model = format!("the model will see {at_least}{} rows", rows.model);
    match rows.explainers {
        0 => model,
        n => format!("{model}, the explainers {at_least}{n}"),
    }
}
