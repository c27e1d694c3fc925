//! `xai attribution`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ndarray::{Array1, ArrayD, ArrayViewD, Ix1, Ix2, IxDyn};
use serde::{Deserialize, Serialize};
use xai_metrics::attribution::{
    Activation, AverageDrop, AverageGain, AverageIncrease, BaseScorePolicy, Layout, MaskedScores,
    SampleScores, ScoreFormula, ScoreMetric, Scoring, Targets, complexity, sparseness,
};

use crate::arrays::{self, Stored};
use crate::context::Context;
use crate::failure::{Failure, InFile};
use crate::output;

/// Commands of the group.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// How much of the score is lost when only what the map marks is kept (lower is better).
    AverageDrop(Masked),
    /// How often the score rises then (higher is better).
    AverageIncrease(Masked),
    /// How far towards certainty the score rises then (higher is better).
    AverageGain(Masked),
    /// How fast the score falls when the most important places go first (lower is better).
    #[cfg(feature = "onnx")]
    Deletion(Perturbed),
    /// How fast the score rises when they come back first (higher is better).
    #[cfg(feature = "onnx")]
    Insertion(Perturbed),
    /// Over how many places a map is spread: entropy in nats (lower is simpler).
    Complexity(Maps),
    /// How unequally a map is shared out: Gini index (higher is sparser).
    Sparseness(Maps),
}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::AverageDrop(masked) => masked.run(AverageDrop::new(), context),
        Command::AverageIncrease(masked) => masked.run(AverageIncrease::new(), context),
        Command::AverageGain(masked) => masked.run(AverageGain::new(), context),
        #[cfg(feature = "onnx")]
        Command::Deletion(perturbed) => perturbed.run("deletion", context),
        #[cfg(feature = "onnx")]
        Command::Insertion(perturbed) => perturbed.run("insertion", context),
        Command::Complexity(maps) => maps.run("complexity", complexity, context),
        Command::Sparseness(maps) => maps.run("sparseness", sparseness, context),
    }
}

/// `--activation`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ActivationName {
    /// The outputs as they are.
    #[default]
    None,
    /// One class of several.
    Softmax,
    /// Each output by itself.
    Sigmoid,
}

impl From<ActivationName> for Activation {
    fn from(name: ActivationName) -> Self {
        match name {
            ActivationName::None => Self::None,
            ActivationName::Softmax => Self::Softmax,
            ActivationName::Sigmoid => Self::Sigmoid,
        }
    }
}

/// `--channels`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ChannelsName {
    /// `(n, height, width, channels)`
    #[default]
    Last,
    /// `(n, channels, height, width)`
    First,
}

/// `--base-score-policy`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum PolicyName {
    /// Stop at a base score that the formula cannot divide by.
    #[default]
    Error,
    /// Divide by it all the same.
    AsIs,
    /// Leave the sample out, and count it.
    Skip,
}

impl From<PolicyName> for BaseScorePolicy {
    fn from(name: PolicyName) -> Self {
        match name {
            PolicyName::Error => Self::Error,
            PolicyName::AsIs => Self::AsIs,
            PolicyName::Skip => Self::Skip,
        }
    }
}

/// Average Drop, Increase and Gain: from a model, or from scores that exist.
#[derive(Debug, Args)]
pub(crate) struct Masked {
    /// The model.
    #[arg(long, value_name = "M.onnx", requires_all = ["inputs", "explanations", "targets"])]
    model: Option<String>,
    /// Its inputs: (n, features), (n, time, features) or images.
    #[arg(long, value_name = "X.npy", requires = "model")]
    inputs: Option<String>,
    /// The attribution maps, shaped like the inputs or without channels.
    #[arg(long, value_name = "E.npy", requires = "model")]
    explanations: Option<String>,
    /// Class indices (n,) or rows of weights (n, outputs).
    #[arg(long, value_name = "T.npy", requires = "model")]
    targets: Option<String>,
    /// What is applied to the model's outputs.
    #[arg(long, value_enum, default_value_t)]
    activation: ActivationName,
    /// Where images have their channels.
    #[arg(long, value_enum, default_value_t)]
    channels: ChannelsName,
    /// Samples the model is called with at once.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    batch_size: u32,
    /// What to do with base scores that the formula cannot divide by.
    #[arg(long, value_enum, default_value_t)]
    base_score_policy: PolicyName,
    /// Scores of the whole inputs (n,), instead of a model.
    #[arg(
        long,
        value_name = "B.npy",
        requires = "masked",
        conflicts_with = "model"
    )]
    base: Option<String>,
    /// Scores of the masked inputs (n,), instead of a model.
    #[arg(long, value_name = "A.npy", requires = "base")]
    masked: Option<String>,
    /// Write a row a sample: sample, base, masked, score.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct SampleResult {
    metric: &'static str,
    value: f64,
    n_undefined: usize,
    per_sample: Vec<Option<f64>>,
}

impl SampleResult {
    fn new(metric: &'static str, scores: SampleScores) -> Self {
        Self {
            metric,
            value: scores.value,
            n_undefined: scores.n_undefined,
            per_sample: scores.per_sample,
        }
    }

    fn present(&self, context: &Context) -> Result<(), Failure> {
        context.present(self, || {
            let rows = [
                [self.metric.to_owned(), format!("{:.4}", self.value)],
                ["samples".to_owned(), self.per_sample.len().to_string()],
                ["undefined".to_owned(), self.n_undefined.to_string()],
            ];
            output::table(&["metric", "value"], rows)
        })
    }
}

/// Metrics of the maps alone.
#[derive(Debug, Args)]
pub(crate) struct Maps {
    /// The attribution maps, with or without channels.
    #[arg(long, value_name = "E.npy")]
    explanations: String,
    /// Where images have their channels.
    #[arg(long, value_enum, default_value_t)]
    channels: ChannelsName,
    /// Write a row a sample: sample, score.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

impl Maps {
    fn run(
        &self,
        name: &'static str,
        metric: fn(ArrayViewD<'_, f64>, Layout) -> xai_metrics::Result<SampleScores>,
        context: &Context,
    ) -> Result<(), Failure> {
        let maps = arrays::read_f64::<IxDyn>(&self.explanations)?;
        let layout = Layout::of_inputs(maps.shape(), self.channels == ChannelsName::First);
        let scores = layout
            .and_then(|layout| metric(maps.view(), layout))
            .in_file(&self.explanations)?;
        if let Some(out) = &self.out {
            let rows = scores.per_sample.iter().enumerate();
            let rows = rows.map(|(i, score)| [i.to_string(), output::cell(*score)]);
            output::write_csv(out, &["sample", "score"], rows)?;
        }
        SampleResult::new(name, scores).present(context)
    }
}

/// `--steps`
#[cfg(feature = "onnx")]
fn steps(text: &str) -> Result<Steps, String> {
    match text {
        "all" => Ok(Steps(None)),
        text => match text.parse() {
            Ok(steps) if steps > 0 => Ok(Steps(Some(steps))),
            _ => Err("expected a number of steps, at least 1, or all".to_owned()),
        },
    }
}

/// A number of steps, or one a position.
#[cfg(feature = "onnx")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Steps(Option<usize>);

/// Deletion and Insertion of a model.
#[cfg(feature = "onnx")]
#[derive(Debug, Args)]
pub(crate) struct Perturbed {
    /// The model.
    #[arg(long, value_name = "M.onnx")]
    model: String,
    /// Its inputs: (n, features), (n, time, features) or images.
    #[arg(long, value_name = "X.npy")]
    inputs: String,
    /// The attribution maps, shaped like the inputs or without channels.
    #[arg(long, value_name = "E.npy")]
    explanations: String,
    /// Class indices (n,) or rows of weights (n, outputs).
    #[arg(long, value_name = "T.npy")]
    targets: String,
    /// What is applied to the model's outputs.
    #[arg(long, value_enum, default_value_t)]
    activation: ActivationName,
    /// Where images have their channels.
    #[arg(long, value_enum, default_value_t)]
    channels: ChannelsName,
    /// Samples the model is called with at once.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    batch_size: u32,
    /// Steps of the curve, or `all` for one a position.
    #[arg(long, value_name = "N", default_value = "10", value_parser = steps)]
    steps: Steps,
    /// The share of positions that the last step has flipped.
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    max_fraction: f64,
    /// The value that stands for absence.
    #[arg(
        long,
        value_name = "VALUE",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    baseline: f64,
    /// Write a row a step: n_flipped, score.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

#[cfg(feature = "onnx")]
#[derive(Serialize)]
struct CurveResult {
    metric: &'static str,
    value: f64,
    curve: Vec<xai_metrics::attribution::CurvePoint>,
}

#[cfg(feature = "onnx")]
impl Perturbed {
    fn run(&self, metric: &'static str, context: &Context) -> Result<(), Failure> {
        use xai_metrics::attribution::{Deletion, Insertion};

        let study = ModelStudy {
            inputs: arrays::read(&self.inputs)?.into_f32::<IxDyn>()?,
            targets: read_targets(arrays::read(&self.targets)?)?,
            activation: self.activation,
            channels: self.channels,
            batch_size: self.batch_size as usize,
        };
        let maps = arrays::read(&self.explanations)?.into_f32::<IxDyn>()?;
        let model = crate::onnx::OnnxModel::read(&self.model)?;
        let n = study.inputs.shape().first().copied().unwrap_or_default() as u64;
        let steps = self.steps.0.map_or(0, |steps| steps as u64);
        let bar = context.progress(n * (steps + 1), "rows scored");
        let counted = Counted {
            model: &model,
            bar: &bar,
        };
        let Scoring {
            activation,
            batch_size,
            layout,
        } = study.scoring();
        macro_rules! curve {
            ($metric:ident) => {{
                let mut metric = $metric::new()
                    .activation(activation)
                    .batch_size(batch_size)
                    .steps(self.steps.0)
                    .max_fraction(self.max_fraction)
                    .baseline(self.baseline);
                if let Some(layout) = layout {
                    metric = metric.layout(layout);
                }
                metric.evaluate(&counted, study.inputs.view(), &study.targets, maps.view())
            }};
        }
        let curve = match metric {
            "deletion" => curve!(Deletion),
            _ => curve!(Insertion),
        };
        bar.finish_and_clear();
        let curve = curve.map_err(|error| {
            blame(
                error,
                [&self.inputs, &self.explanations, &self.targets],
                &self.model,
            )
        })?;
        if let Some(out) = &self.out {
            let rows = curve.curve.iter();
            let rows = rows.map(|p| [p.n_flipped.to_string(), p.score.to_string()]);
            output::write_csv(out, &["n_flipped", "score"], rows)?;
        }
        let result = CurveResult {
            metric,
            value: curve.auc,
            curve: curve.curve,
        };
        context.present(&result, || {
            let rows = result.curve.iter();
            let rows = rows.map(|p| [p.n_flipped.to_string(), format!("{:.4}", p.score)]);
            let curve = output::table(&["flipped", "mean score"], rows);
            format!(
                "{metric}: area under the curve {:.4}\n\n{curve}",
                result.value
            )
        })
    }
}

/// Names the file that an error of a metric with a model is about.
#[cfg(feature = "onnx")]
fn blame(error: xai_metrics::Error, [inputs, maps, targets]: [&String; 3], model: &str) -> Failure {
    if matches!(error, xai_metrics::Error::InvalidParameter { .. }) {
        return Failure::usage(error);
    }
    let message = error.to_string();
    let file = if message.starts_with("explanations") {
        maps
    } else if message.starts_with("targets") || message.starts_with("label") {
        targets
    } else if message.starts_with("inputs") {
        inputs
    } else {
        model
    };
    Failure::from(error).in_file(file)
}

impl Masked {
    fn run<F: ScoreFormula>(
        &self,
        metric: ScoreMetric<F>,
        context: &Context,
    ) -> Result<(), Failure> {
        let metric = metric.base_score_policy(self.base_score_policy.into());
        let (scores, file) = self.scores(context)?;
        let SampleScores {
            value,
            per_sample,
            n_undefined,
        } = metric
            .from_scores(&scores.base, &scores.masked)
            .in_file(file)?;
        if let Some(out) = &self.out {
            let rows = per_sample.iter().enumerate().map(|(i, score)| {
                let (base, masked) = (scores.base[i], scores.masked[i]);
                [
                    i.to_string(),
                    base.to_string(),
                    masked.to_string(),
                    output::cell(*score),
                ]
            });
            output::write_csv(out, &["sample", "base", "masked", "score"], rows)?;
        }
        let scores = SampleScores {
            value,
            per_sample,
            n_undefined,
        };
        SampleResult::new(F::NAME, scores).present(context)
    }

    /// Base and masked scores, and the file to name when they do not suit the metric.
    fn scores(&self, context: &Context) -> Result<(MaskedScores, &str), Failure> {
        if let (Some(base), Some(masked)) = (&self.base, &self.masked) {
            let read = |file: &str| arrays::read_f64::<Ix1>(file).map(|a: Array1<f64>| a.to_vec());
            let (base_scores, masked_scores) = (read(base)?, read(masked)?);
            if base_scores.len() != masked_scores.len() {
                return Err(Failure::new(format!(
                    "{} scores, but {base} has {}",
                    masked_scores.len(),
                    base_scores.len()
                ))
                .in_file(masked));
            }
            return Ok((
                MaskedScores {
                    base: base_scores,
                    masked: masked_scores,
                },
                base,
            ));
        }
        let (Some(model), Some(inputs), Some(maps), Some(targets)) =
            (&self.model, &self.inputs, &self.explanations, &self.targets)
        else {
            return Err(Failure::usage("nothing to measure").help(
                "pass --model, --inputs, --explanations and --targets, or --base and --masked",
            ));
        };
        let study = ModelStudy {
            inputs: arrays::read(inputs)?.into_f32::<IxDyn>()?,
            targets: read_targets(arrays::read(targets)?)?,
            activation: self.activation,
            channels: self.channels,
            batch_size: self.batch_size as usize,
        };
        let explanations = arrays::read(maps)?;
        let scores = run_model(
            model,
            &study,
            explanations,
            [inputs, maps, targets],
            context,
        )?;
        Ok((scores, model))
    }
}

/// Class indices `(n,)` or rows of weights `(n, outputs)`.
pub(crate) fn read_targets(stored: Stored) -> Result<Targets, Failure> {
    if stored.shape().len() == 1 {
        Ok(Targets::Classes(stored.into_labels::<Ix1>()?.to_vec()))
    } else {
        Ok(Targets::Rows(stored.into_f64::<Ix2>()?))
    }
}

/// What stays the same for all explainers of a study.
pub(crate) struct ModelStudy {
    pub(crate) inputs: ArrayD<f32>,
    pub(crate) targets: Targets,
    pub(crate) activation: ActivationName,
    pub(crate) channels: ChannelsName,
    pub(crate) batch_size: usize,
}

impl ModelStudy {
    /// How scores are taken.
    pub(crate) fn scoring(&self) -> Scoring {
        Scoring {
            activation: self.activation.into(),
            batch_size: self.batch_size,
            layout: (self.channels == ChannelsName::First).then_some(Layout::ChannelsFirst),
        }
    }
}

#[cfg(feature = "onnx")]
fn run_model(
    model: &str,
    study: &ModelStudy,
    explanations: Stored,
    [inputs, maps, targets]: [&String; 3],
    context: &Context,
) -> Result<MaskedScores, Failure> {
    use xai_metrics::attribution::masked_scores;

    let file = model;
    let model = crate::onnx::OnnxModel::read(file)?;
    let explanations = explanations.into_f32::<IxDyn>()?;
    let n = study.inputs.shape().first().copied().unwrap_or_default();
    let bar = context.progress(2 * n as u64, "rows scored");
    let counted = Counted {
        model: &model,
        bar: &bar,
    };
    let scores = masked_scores(
        &counted,
        study.inputs.view(),
        &study.targets,
        explanations.view(),
        &study.scoring(),
    );
    bar.finish_and_clear();
    scores.map_err(|error| blame(error, [inputs, maps, targets], file))
}

#[cfg(not(feature = "onnx"))]
fn run_model(
    _: &str,
    _: &ModelStudy,
    _: Stored,
    _: [&String; 3],
    _: &Context,
) -> Result<MaskedScores, Failure> {
    Err(Failure::usage("this build cannot run ONNX models")
        .help("install with the feature `onnx`, or pass --base and --masked"))
}

/// A model that moves a progress bar.
#[cfg(feature = "onnx")]
struct Counted<'a> {
    model: &'a crate::onnx::OnnxModel,
    bar: &'a indicatif::ProgressBar,
}

#[cfg(feature = "onnx")]
impl xai_metrics::attribution::Model<f32> for Counted<'_> {
    fn outputs(
        &self,
        batch: ndarray::ArrayViewD<'_, f32>,
    ) -> Result<ndarray::Array2<f64>, xai_metrics::attribution::BoxError> {
        let rows = batch.shape()[0] as u64;
        let outputs = self.model.outputs(batch);
        self.bar.inc(rows);
        outputs
    }
}
