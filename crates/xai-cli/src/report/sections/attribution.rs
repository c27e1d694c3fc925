//! Metrics of every attribution method of a study.

use serde::ser::{Serialize, SerializeMap, Serializer};
use xai_metrics::attribution::Activation;
use xai_metrics::attribution::evaluation::{EvaluationTable, MetricResult};
use xai_metrics::attribution::metric::{Direction, registry};

use crate::context::Context;
use crate::failure::Failure;
use crate::report::source::Source;
use crate::report::study_file::AttributionInputs;

/// Whether the model still believes its answer on what each map keeps.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AttributionSection {
    pub(crate) activation: Activation,
    pub(crate) table: EvaluationTable,
}

impl AttributionSection {
    /// What the page calls the metrics, in the order of the table.
    pub(crate) fn titles(&self) -> Vec<String> {
        let title = |result: &MetricResult| {
            let better = match result.direction {
                Direction::Lower => " (lower is better)",
                Direction::Higher => " (higher is better)",
                Direction::None => "",
            };
            let name = match registry::find(&result.metric) {
                Ok(entry) => entry.info.title,
                Err(_) => &result.metric,
            };
            format!("{name}{better}")
        };
        self.table.metrics.iter().map(title).collect()
    }

    /// Each explainer with its value of each metric, in the order of the table.
    pub(crate) fn explainers(&self) -> Vec<(&str, Vec<Option<f64>>)> {
        let values = |e: usize| self.table.metrics.iter().map(move |m| m.values[e].value);
        let explainers = self.table.explainers.iter().enumerate();
        explainers
            .map(|(e, name)| (name.as_str(), values(e).collect()))
            .collect()
    }
}

impl Serialize for AttributionSection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("n_samples", &self.table.n_samples)?;
        map.serialize_entry("activation", &self.activation)?;
        map.serialize_entry("explainers", &self.table.by_explainer())?;
        map.end()
    }
}

#[cfg(not(feature = "onnx"))]
pub(crate) fn evaluate(
    _: &AttributionInputs,
    _: &Source,
    context: &Context,
) -> Result<Option<AttributionSection>, Failure> {
    context.remark("attribution is left out: this build cannot run ONNX models");
    Ok(None)
}

#[cfg(feature = "onnx")]
pub(crate) fn evaluate(
    study: &AttributionInputs,
    source: &Source,
    context: &Context,
) -> Result<Option<AttributionSection>, Failure> {
    use crate::attribution::model_files::{ModelFiles, targets};
    use crate::attribution::options::Reading;
    use crate::failure::{Files, InFiles};
    use crate::input::onnx::engine::EngineOptions;
    use crate::input::onnx::model::OnnxModel;
    use ndarray::IxDyn;
    use xai_metrics::attribution::metric::SEED_OPTION;
    use xai_metrics::attribution::{Concurrent, Evaluate, Evaluation, Scoring, help, input};

    let files = ModelFiles {
        model: source.path(&study.model),
        inputs: source.path(&study.inputs),
        targets: source.path(&study.targets),
    };
    let engine = EngineOptions::new(study.engine, study.model_output.clone());
    let model = source.bytes(&study.model)?.into_owned();
    let model = OnnxModel::of_rows_in(&files.model, model, &engine)?;
    let model = Concurrent(&model);
    let inputs = source.array(&study.inputs)?.into_f32::<IxDyn>()?;
    let targets = targets(source.array(&study.targets)?)?;
    let mut maps = Vec::with_capacity(study.explainers.len());
    for explainer in &study.explainers {
        maps.push(source.array(&explainer.maps)?.into_f32::<IxDyn>()?);
    }
    // A single number has no axis of samples, which the evaluation says.
    let n_samples = inputs.shape().first().copied().unwrap_or_default();
    let bar = context.progress(n_samples as u64, "samples");
    let reading = Reading::of_inputs(study.channels, inputs.shape());
    let mut evaluation = Evaluation::new(&model, inputs.view(), &targets)
        .scoring(Scoring {
            activation: study.activation,
            batch_size: 64,
            layout: reading.layout,
        })
        .replicates(0)
        .on_progress(|samples| bar.inc(samples as u64));
    let (study_file, seed) = (source.study(), context.seed().to_string());
    for name in &study.metrics {
        let metric = registry::find(name).and_then(|entry| {
            let options = entry.options().into_iter();
            let seed_option = options.filter(|option| option.name == SEED_OPTION.name);
            let options: Vec<(&str, &str)> = seed_option.map(|o| (o.name, seed.as_str())).collect();
            entry.build::<f32>(&options)
        });
        let places = Files::mainly(&study_file).file(&[input::METRIC], &study_file);
        evaluation = evaluation.metric(metric.in_files(&places)?);
    }
    for (explainer, maps) in study.explainers.iter().zip(&maps) {
        evaluation = evaluation.maps(&explainer.name, maps.view());
    }
    let table = evaluation.evaluate();
    bar.finish_and_clear();
    let table = table.map_err(|stopped| {
        let mut explainers = study.explainers.iter();
        let explainer = explainers.find(|e| Some(e.name.as_str()) == stopped.explainer());
        let maps = explainer.map_or_else(|| files.inputs.clone(), |e| source.path(&e.maps));
        let in_study = [input::EXPLAINERS, input::METRICS];
        let places = Files::new().file(&in_study, &study_file).ways_out(&[
            (
                help::CHOOSE_ACTIVATION_OR_POLICY,
                "say activation = \"softmax\" or \"sigmoid\" in the study",
            ),
            (help::RENAME_METRIC, "name each of the metrics once"),
        ]);
        places.and(files.files(&maps)).failure(stopped.error())
    })?;
    reading.say(context);
    Ok(Some(AttributionSection {
        activation: study.activation,
        table,
    }))
}
