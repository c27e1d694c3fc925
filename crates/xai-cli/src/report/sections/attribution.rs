//! Metrics of every attribution method of a study.

use serde::ser::{Serialize, SerializeMap, Serializer};
use xai_metrics::attribution::{Activation, Better, EvaluationTable, MetricResult};

use crate::attribution::options::ACTIVATIONS;
use crate::choice;
use crate::context::Context;
use crate::failure::Failure;
use crate::report::source::Source;
use crate::report::study_file::AttributionStudy;

/// Whether the model still believes its answer on what each map keeps.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AttributionSection {
    pub(crate) activation: Activation,
    pub(crate) table: EvaluationTable,
}

impl AttributionSection {
    /// The activation, as the study file calls it.
    pub(crate) fn activation_word(&self) -> &'static str {
        choice::word(ACTIVATIONS, &self.activation).unwrap_or_default()
    }

    /// What the page calls the metrics, in the order of the table.
    pub(crate) fn titles(&self) -> Vec<String> {
        let title = |result: &MetricResult| {
            let words = result.metric.split('_').map(|word| {
                let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
                first.to_uppercase() + rest
            });
            let better = match result.better {
                Better::Lower => "lower is better",
                Better::Higher => "higher is better",
            };
            format!("{} ({better})", words.collect::<Vec<_>>().join(" "))
        };
        self.table.metrics.iter().map(title).collect()
    }

    /// Each explainer with its value of each metric, in the order of the table.
    pub(crate) fn explainers(&self) -> Vec<(&str, Vec<Option<f64>>)> {
        let values = |e: usize| self.table.metrics.iter().map(move |m| m.scores[e].value);
        let explainers = self.table.explainers.iter().enumerate();
        explainers
            .map(|(e, name)| (name.as_str(), values(e).collect()))
            .collect()
    }
}

impl Serialize for AttributionSection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Explainer<'a>(&'a EvaluationTable, &'a str, Vec<Option<f64>>);
        impl Serialize for Explainer<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let Self(table, name, values) = self;
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("name", name)?;
                for (result, value) in table.metrics.iter().zip(values) {
                    map.serialize_entry(&result.metric, value)?;
                }
                map.end()
            }
        }
        let explainers = self.explainers().into_iter();
        let explainers = explainers.map(|(name, values)| Explainer(&self.table, name, values));
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("n_samples", &self.table.n_samples)?;
        map.serialize_entry("activation", self.activation_word())?;
        map.serialize_entry("explainers", &explainers.collect::<Vec<_>>())?;
        map.end()
    }
}

#[cfg(not(feature = "onnx"))]
pub(crate) fn evaluate(
    _: &AttributionStudy,
    _: &Source,
    context: &Context,
) -> Result<Option<AttributionSection>, Failure> {
    context.remark("attribution is left out: this build cannot run ONNX models");
    Ok(None)
}

#[cfg(feature = "onnx")]
pub(crate) fn evaluate(
    study: &AttributionStudy,
    source: &Source,
    context: &Context,
) -> Result<Option<AttributionSection>, Failure> {
    use crate::attribution::model_files::{ModelFiles, targets};
    use crate::input::onnx::rows::OnnxModel;
    use ndarray::IxDyn;
    use xai_metrics::attribution::{
        AverageDrop, AverageGain, AverageIncrease, Concurrent, Evaluation, Scoring,
    };

    let files = ModelFiles {
        model: source.path(&study.model),
        inputs: source.path(&study.inputs),
        targets: source.path(&study.targets),
    };
    let model = OnnxModel::parse(&files.model, &source.bytes(&study.model)?)?;
    let model = Concurrent(&model);
    let inputs = source.array(&study.inputs)?.into_f32::<IxDyn>()?;
    let targets = targets(source.array(&study.targets)?)?;
    let mut maps = Vec::with_capacity(study.explainers.len());
    for explainer in &study.explainers {
        maps.push(source.array(&explainer.maps)?.into_f32::<IxDyn>()?);
    }
    let bar = context.progress(inputs.shape()[0] as u64, "samples");
    let mut evaluation = Evaluation::new(&model, inputs.view(), &targets)
        .scoring(Scoring {
            activation: study.activation,
            batch_size: 64,
            layout: study.channels.layout(),
        })
        .replicates(0)
        .on_progress(|samples| bar.inc(samples as u64))
        .metric(AverageDrop::new())
        .metric(AverageIncrease::new())
        .metric(AverageGain::new());
    for (explainer, maps) in study.explainers.iter().zip(&maps) {
        evaluation = evaluation.explainer(&explainer.name, maps.view());
    }
    let table = evaluation.run();
    bar.finish_and_clear();
    let table = table.map_err(|stopped| {
        let mut explainers = study.explainers.iter();
        let explainer = explainers.find(|e| Some(e.name.as_str()) == stopped.explainer());
        let maps = explainer.map_or_else(|| files.inputs.clone(), |e| source.path(&e.maps));
        files.files(&maps).failure(stopped.error())
    })?;
    Ok(Some(AttributionSection {
        activation: study.activation,
        table,
    }))
}
