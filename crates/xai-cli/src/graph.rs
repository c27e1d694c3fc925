//! `xai graph`

#[cfg(feature = "onnx")]
mod model;
mod sweep;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ndarray::{Array1, Array2, ArrayD, Ix1, Ix2, IxDyn};
use serde::Serialize;
use xai_metrics::Error;
use xai_metrics::graph::{
    FidelityMetric, GroundTruth, GroundTruthMetric, KlDirection, OutputDistribution, Predictions,
    Real, ReturnType, Selection, UnfaithfulnessMetric, ZeroDivision, characterization_scores,
    edge_mask_properties, fidelity_curve_auc, mask_properties,
};

use crate::arrays::{self, Numbers, Stored};
use crate::context::Context;
use crate::failure::Failure;
use crate::output;

/// Commands of the group.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Does the prediction change without the explanation (fid+), or with it alone (fid-)?
    Fidelity(Fidelity),
    /// Necessary and sufficient in one number: fid+ and 1 - fid- combined.
    Characterization(Characterization),
    /// Area under fid+ / (1 - fid-) over explanation sizes.
    FidelityAuc(FidelityAuc),
    /// How far the answer on the explanation is from the answer on the whole graph.
    Unfaithfulness(Unfaithfulness),
    /// Does a mask find what is known to matter?
    Groundtruth(Groundtruth),
    /// Every score at every explanation size, and the best size.
    Sweep(Box<sweep::Sweep>),
    /// Fidelity that takes away a little at a time, of an ONNX model.
    #[cfg(feature = "onnx")]
    RobustFidelity(Box<model::RobustFidelity>),
    /// How small, how decided, how connected a mask is.
    Mask(Mask),
}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Fidelity(command) => command.run(context),
        Command::Characterization(command) => command.run(context),
        Command::FidelityAuc(command) => command.run(context),
        Command::Unfaithfulness(command) => command.run(context),
        Command::Groundtruth(command) => command.run(context),
        Command::Sweep(command) => command.run(context),
        #[cfg(feature = "onnx")]
        Command::RobustFidelity(command) => command.run(context),
        Command::Mask(command) => command.run(context),
    }
}

/// What explanations explain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// The model: does its prediction stay?
    Model,
    /// The phenomenon: does the prediction stay right?
    Phenomenon,
}

#[derive(Debug, Args)]
pub(crate) struct Fidelity {
    /// Predictions on the whole graph: labels (n,) or outputs (n, c).
    #[arg(long, value_name = "F.npy")]
    full: String,
    /// Predictions on the explanation alone.
    #[arg(long, value_name = "K.npy")]
    kept: String,
    /// Predictions on the graph without the explanation.
    #[arg(long, value_name = "C.npy")]
    complement: String,
    #[command(flatten)]
    compared: Compared,
    /// Write the predictions of each row.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct FidelityResult {
    pos_fidelity: f64,
    neg_fidelity: f64,
    characterization: f64,
    n_samples: u64,
}

/// What is compared, and on which rows.
#[derive(Debug, Args)]
pub(crate) struct Compared {
    /// True labels (n,), for explanations of the phenomenon.
    #[arg(long, value_name = "Y.npy")]
    target: Option<String>,
    /// Default: phenomenon with a target, model without.
    #[arg(long)]
    mode: Option<Mode>,
    /// Only these rows: positions (m,).
    #[arg(long, value_name = "I.npy")]
    index: Option<String>,
}

/// The files behind [`Compared`].
struct Comparison {
    target: Option<Array1<i64>>,
    index: Option<Vec<usize>>,
}

impl Compared {
    fn read(&self) -> Result<Comparison, Failure> {
        let mode = self.mode.unwrap_or(match self.target {
            Some(_) => Mode::Phenomenon,
            None => Mode::Model,
        });
        let target = match (mode, &self.target) {
            (Mode::Model, _) => None,
            (Mode::Phenomenon, Some(file)) => Some(arrays::read_labels::<Ix1>(file)?),
            (Mode::Phenomenon, None) => {
                return Err(Failure::usage("--mode phenomenon needs true labels")
                    .help("pass them with --target Y.npy"));
            }
        };
        let index = read_index(self.index.as_deref())?;
        Ok(Comparison { target, index })
    }

    /// What errors call the files.
    fn files(&self) -> [(&str, Option<&String>); 3] {
        [
            ("target", self.target.as_ref()),
            ("label", self.target.as_ref()),
            ("index", self.index.as_ref()),
        ]
    }
}

impl Comparison {
    fn metric(&self) -> FidelityMetric<'_> {
        let metric = match &self.target {
            Some(target) => FidelityMetric::phenomenon(target),
            None => FidelityMetric::model(),
        };
        match &self.index {
            Some(index) => metric.index(index),
            None => metric,
        }
    }
}

impl Fidelity {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        let compared = self.compared.read()?;
        let answers = [&self.full, &self.kept, &self.complement].map(|file| Answers::read(file));
        let [full, kept, complement] = answers;
        let (full, kept, complement) = (full?, kept?, complement?);
        let metric = compared.metric();
        let files = [
            ("full", Some(&self.full)),
            ("samples", Some(&self.full)),
            ("kept", Some(&self.kept)),
            ("complement", Some(&self.complement)),
        ];
        let files = [&files[..], &self.compared.files()].concat();
        let (full, kept, complement) = (full.get(), kept.get(), complement.get());
        let fidelity = blame(metric.evaluate(&full, &kept, &complement), &files)?;
        if let Some(path) = &self.out {
            let all = || (0..full.n_samples()).collect();
            let rows: Vec<usize> = compared.index.clone().unwrap_or_else(all);
            let class = |predictions: &dyn Predictions, row: usize| {
                let mut class = [0];
                predictions.classes(&"row".into(), row..row + 1, &mut class)?;
                Ok::<_, Error>(class[0].to_string())
            };
            let rows = rows.into_iter().map(|row| {
                Ok([
                    row.to_string(),
                    class(full, row)?,
                    class(kept, row)?,
                    class(complement, row)?,
                ])
            });
            let rows: Vec<_> = rows.collect::<Result<_, Error>>()?;
            output::write_csv(path, &["row", "full", "kept", "complement"], rows)?;
        }
        let result = FidelityResult {
            pos_fidelity: fidelity.pos,
            neg_fidelity: fidelity.neg,
            characterization: fidelity.characterization(),
            n_samples: fidelity.n_samples,
        };
        context.present(&result, || fidelity.to_string())
    }
}

#[derive(Debug, Args)]
pub(crate) struct Characterization {
    /// fid+ of each explanation, (m,), in [0, 1].
    #[arg(long, value_name = "P.npy")]
    pos: String,
    /// fid- of each explanation, (m,), in [0, 1].
    #[arg(long, value_name = "Q.npy")]
    neg: String,
    /// Weight of fid+.
    #[arg(long, default_value_t = 0.5)]
    pos_weight: f64,
    /// Weight of 1 - fid-; the two sum to 1.
    #[arg(long, default_value_t = 0.5)]
    neg_weight: f64,
    /// Write one row an explanation.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct Values<'a> {
    values: &'a [f64],
}

#[derive(Serialize)]
struct Value {
    value: f64,
}

impl Characterization {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        let pos = arrays::read_f64::<Ix1>(&self.pos)?.to_vec();
        let neg = arrays::read_f64::<Ix1>(&self.neg)?.to_vec();
        let files = [
            ("pos_fidelity", Some(&self.pos)),
            ("neg_fidelity", Some(&self.neg)),
        ];
        let scores = characterization_scores(&pos, &neg, self.pos_weight, self.neg_weight);
        let values = blame(scores, &files)?;
        let header = [
            "explanation",
            "pos_fidelity",
            "neg_fidelity",
            "characterization",
        ];
        let row = |i: usize, number: fn(f64) -> String| {
            [
                i.to_string(),
                number(pos[i]),
                number(neg[i]),
                number(values[i]),
            ]
        };
        if let Some(path) = &self.out {
            let rows = (0..values.len()).map(|i| row(i, |x| x.to_string()));
            output::write_csv(path, &header, rows)?;
        }
        context.present(&Values { values: &values }, || {
            let rows = (0..values.len()).map(|i| row(i, |x| format!("{x:.4}")));
            output::table(&["explanation", "fid+", "fid-", "characterization"], rows)
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct FidelityAuc {
    /// fid+ at each point of the curve, (m,).
    #[arg(long, value_name = "P.npy")]
    pos: String,
    /// fid- at each point of the curve, (m,), below 1.
    #[arg(long, value_name = "Q.npy")]
    neg: String,
    /// Where the points are, (m,), ascending.
    #[arg(long, value_name = "X.npy")]
    x: String,
}

impl FidelityAuc {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        let read = |file: &str| Ok::<_, Failure>(arrays::read_f64::<Ix1>(file)?.to_vec());
        let (pos, neg, x) = (read(&self.pos)?, read(&self.neg)?, read(&self.x)?);
        let files = [
            ("pos_fidelity", Some(&self.pos)),
            ("neg_fidelity", Some(&self.neg)),
            ("x", Some(&self.x)),
            ("points", Some(&self.pos)),
        ];
        let value = blame(fidelity_curve_auc(&pos, &neg, &x), &files)?;
        context.present(&Value { value }, || {
            format!("area under fid+ / (1 - fid-): {value:.4}")
        })
    }
}

/// What output files hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Returns {
    Logits,
    Probs,
    LogProbs,
}

impl From<Returns> for ReturnType {
    fn from(returns: Returns) -> Self {
        match returns {
            Returns::Logits => Self::Logits,
            Returns::Probs => Self::Probs,
            Returns::LogProbs => Self::LogProbs,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Direction {
    /// KL(full || kept), as the papers define it.
    Forward,
    /// KL(kept || full), what PyTorch Geometric computes.
    Reverse,
}

impl From<Direction> for KlDirection {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Forward => Self::Forward,
            Direction::Reverse => Self::Reverse,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Columns {
    /// One class of several: softmax.
    Categorical,
    /// Each a yes or no (binary, multi-label): sigmoid.
    Bernoulli,
}

/// How outputs are compared.
#[derive(Debug, Args)]
pub(crate) struct Divergence {
    /// What the outputs are.
    #[arg(long, default_value = "logits")]
    returns: Returns,
    /// Direction of the divergence.
    #[arg(long, default_value = "forward")]
    kl: Direction,
    /// What the columns are to one another.
    #[arg(long, default_value = "categorical")]
    columns: Columns,
}

impl Divergence {
    fn metric(&self) -> UnfaithfulnessMetric<'static> {
        UnfaithfulnessMetric::new()
            .returns(self.returns.into())
            .direction(self.kl.into())
            .distribution(match self.columns {
                Columns::Categorical => OutputDistribution::Categorical,
                Columns::Bernoulli => OutputDistribution::Bernoulli,
            })
    }
}

#[derive(Debug, Args)]
pub(crate) struct Unfaithfulness {
    /// Outputs on the whole graph, (n, c).
    #[arg(long, value_name = "F.npy")]
    full: String,
    /// Outputs on the explanation alone, (n, c).
    #[arg(long, value_name = "K.npy")]
    kept: String,
    #[command(flatten)]
    divergence: Divergence,
    /// Only these rows: positions (m,).
    #[arg(long, value_name = "I.npy")]
    index: Option<String>,
    /// Write the unfaithfulness of each row.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

impl Unfaithfulness {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        let (full, kept) = (arrays::read(&self.full)?, arrays::read(&self.kept)?);
        let index = read_index(self.index.as_deref())?;
        let metric = match &index {
            Some(index) => self.divergence.metric().index(index),
            None => self.divergence.metric(),
        };
        let files = [
            ("full", Some(&self.full)),
            ("samples", Some(&self.full)),
            ("kept", Some(&self.kept)),
            ("index", self.index.as_ref()),
        ];
        let per_row = self.out.is_some();
        let (gef, rows) = if is_single(&full) && is_single(&kept) {
            let (full, kept) = (full.into_f32::<Ix2>()?, kept.into_f32::<Ix2>()?);
            let rows = per_row.then(|| metric.per_row(full.view(), kept.view()));
            (metric.evaluate(full.view(), kept.view()), rows)
        } else {
            let (full, kept) = (full.into_f64::<Ix2>()?, kept.into_f64::<Ix2>()?);
            let rows = per_row.then(|| metric.per_row(full.view(), kept.view()));
            (metric.evaluate(full.view(), kept.view()), rows)
        };
        let gef = blame(gef, &files)?;
        if let (Some(path), Some(rows)) = (&self.out, rows) {
            let rows = rows?.into_iter().enumerate().map(|(i, value)| {
                let row = index.as_ref().map_or(i, |index| index[i]);
                [row.to_string(), value.to_string()]
            });
            output::write_csv(path, &["row", "unfaithfulness"], rows)?;
        }
        context.present(&Value { value: gef.value }, || gef.to_string())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OnZeroDivision {
    Undefined,
    #[value(name = "0")]
    Zero,
    #[value(name = "1")]
    One,
}

#[derive(Debug, Args)]
pub(crate) struct Groundtruth {
    /// Scores of the mask, any shape, in [0, 1].
    #[arg(long, value_name = "P.npy")]
    predicted: String,
    /// The truth, of the same shape: 0/1, or scores. With one more axis in front, several valid
    /// truths: the one that the mask fits best counts.
    #[arg(long, value_name = "T.npy")]
    target: String,
    /// True when target >= threshold, predicted when score > threshold.
    #[arg(long, default_value_t = 0.5)]
    threshold: f64,
    /// What statistics are that divide nothing by nothing.
    #[arg(long, default_value = "undefined")]
    zero_division: OnZeroDivision,
    /// The scores are logits.
    #[arg(long)]
    logits: bool,
    /// Predicted are the K largest scores instead.
    #[arg(long, value_name = "K", conflicts_with = "truth_size")]
    top_k: Option<usize>,
    /// Predicted are the largest scores, as many as are true.
    #[arg(long)]
    truth_size: bool,
}

/// The JSON of `xai graph groundtruth`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct GroundtruthResult {
    pub(crate) accuracy: Option<f64>,
    pub(crate) recall: Option<f64>,
    pub(crate) precision: Option<f64>,
    pub(crate) f1_score: Option<f64>,
    pub(crate) auroc: Option<f64>,
    pub(crate) average_precision: Option<f64>,
    pub(crate) jaccard: Option<f64>,
    pub(crate) n_undefined: usize,
    /// Which of several truths it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) best_truth: Option<usize>,
}

impl From<GroundTruth> for GroundtruthResult {
    fn from(scores: GroundTruth) -> Self {
        Self {
            accuracy: Some(scores.accuracy),
            recall: scores.recall,
            precision: scores.precision,
            f1_score: scores.f1_score,
            auroc: scores.auroc,
            average_precision: scores.average_precision,
            jaccard: scores.jaccard,
            n_undefined: scores.n_undefined,
            best_truth: None,
        }
    }
}

impl Groundtruth {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        let selection = match (self.top_k, self.truth_size) {
            (Some(k), _) => Selection::TopK(k),
            (None, true) => Selection::TruthSize,
            (None, false) => Selection::AboveThreshold,
        };
        let metric = GroundTruthMetric::new(self.threshold)?
            .selection(selection)
            .logits(self.logits)
            .zero_division(match self.zero_division {
                OnZeroDivision::Undefined => ZeroDivision::Undefined,
                OnZeroDivision::Zero => ZeroDivision::Zero,
                OnZeroDivision::One => ZeroDivision::One,
            });
        let (predicted, target) = (arrays::read(&self.predicted)?, arrays::read(&self.target)?);
        let n_truths = match target.shape() {
            shape if shape == predicted.shape() => None,
            [n_truths, shape @ ..] if shape == predicted.shape() => Some(*n_truths),
            shape => {
                return Err(Failure::new(format!(
                    "expected the shape of the scores, {:?}, got {shape:?}",
                    predicted.shape()
                ))
                .in_file(&self.target));
            }
        };
        let files = [
            ("predicted", Some(&self.predicted)),
            ("target", Some(&self.target)),
            ("truths", Some(&self.target)),
            ("elements", Some(&self.predicted)),
        ];
        // Single precision stays single: a threshold of 0.3 then means the single-precision 0.3.
        let scores = if is_single(&predicted) && !matches!(target.numbers, Numbers::F64(_)) {
            let (predicted, target) = (predicted.into_f32::<IxDyn>()?, target.into_f32::<IxDyn>()?);
            against(&metric, predicted, target, n_truths)
        } else {
            let (predicted, target) = (predicted.into_f64::<IxDyn>()?, target.into_f64::<IxDyn>()?);
            against(&metric, predicted, target, n_truths)
        };
        let (best_truth, scores) = blame(scores, &files)?;
        let mut text = scores.to_string();
        if let Some(which) = best_truth {
            text.push_str(&format!(
                "\nagainst truth {which} of {}",
                n_truths.unwrap_or(1)
            ));
        }
        let result = GroundtruthResult {
            best_truth,
            ..scores.into()
        };
        context.present(&result, || text)
    }
}

#[derive(Debug, Args)]
pub(crate) struct Mask {
    /// The mask, (m,) in [0, 1].
    #[arg(long, value_name = "M.npy")]
    mask: String,
    /// Edges of the mask, (2, m): tells how connected it is.
    #[arg(long, value_name = "E.npy")]
    edge_index: Option<String>,
    /// Selected are the elements above.
    #[arg(long, default_value_t = 0.0)]
    threshold: f64,
}

impl Mask {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        let mask = arrays::read_f64::<Ix1>(&self.mask)?;
        let files = [
            ("mask", Some(&self.mask)),
            ("edge_index", self.edge_index.as_ref()),
        ];
        let properties = match &self.edge_index {
            None => mask_properties(mask.view(), self.threshold),
            Some(file) => {
                let edges = arrays::read_labels::<Ix2>(file)?;
                let last = edges.iter().copied().max().unwrap_or(-1);
                let n_nodes = usize::try_from(last + 1).unwrap_or_default();
                edge_mask_properties(mask.view(), edges.view(), n_nodes, self.threshold)
            }
        };
        let properties = blame(properties, &files)?;
        context.present(&properties, || properties.to_string())
    }
}

/// Scores a mask of any shape against its truth, or against the best of several.
fn against<T: Real>(
    metric: &GroundTruthMetric,
    predicted: ArrayD<T>,
    target: ArrayD<T>,
    n_truths: Option<usize>,
) -> Result<(Option<usize>, GroundTruth), Error> {
    let predicted: Array1<T> = predicted.into_iter().collect();
    match n_truths {
        None => {
            let target: Array1<T> = target.into_iter().collect();
            let scores = metric.evaluate(predicted.view(), target.view())?;
            Ok((None, scores))
        }
        Some(n_truths) => {
            let shape = (n_truths, predicted.len());
            let target = Array2::from_shape_vec(shape, target.into_iter().collect())
                .map_err(|e| Error::parameter("target", e, "one truth a row"))?;
            let (which, scores) = metric.best_of(predicted.view(), target.view())?;
            Ok((Some(which), scores))
        }
    }
}

/// Predictions from a file: integers of one axis are labels, numbers of two axes are outputs.
enum Answers {
    Labels(Array1<i64>),
    Single(Array2<f32>),
    Double(Array2<f64>),
}

impl Answers {
    fn read(file: &str) -> Result<Self, Failure> {
        let stored = arrays::read(file)?;
        match (stored.shape().len(), &stored.numbers) {
            (1, Numbers::Integers(_)) => stored.into_labels().map(Self::Labels),
            (1, _) => Err(
                Failure::new("labels: expected integers or booleans, got floats")
                    .help("outputs have two axes, (n, c); labels are converted with .astype(int)")
                    .in_file(file),
            ),
            (2, Numbers::F32(_)) => stored.into_f32().map(Self::Single),
            (2, _) => stored.into_f64().map(Self::Double),
            _ => Err(Failure::new(format!(
                "expected labels (n,) or outputs (n, c), got shape {:?}",
                stored.shape()
            ))
            .in_file(file)),
        }
    }

    fn get(&self) -> &dyn Predictions {
        match self {
            Self::Labels(labels) => labels,
            Self::Single(outputs) => outputs,
            Self::Double(outputs) => outputs,
        }
    }
}

fn is_single(stored: &Stored) -> bool {
    matches!(stored.numbers, Numbers::F32(_))
}

fn read_index(file: Option<&str>) -> Result<Option<Vec<usize>>, Failure> {
    file.map(|file| row_index(arrays::read(file)?)).transpose()
}

/// Positions of rows.
pub(crate) fn row_index(stored: Stored) -> Result<Vec<usize>, Failure> {
    let file = stored.file.clone();
    let positions: Array1<i64> = stored.into_labels()?;
    let row = |(i, &position): (usize, &i64)| {
        usize::try_from(position).map_err(|_| {
            Failure::new(format!(
                "index[{i}] = {position}: expected a row, at least 0"
            ))
            .in_file(&file)
        })
    };
    positions.iter().enumerate().map(row).collect()
}

/// Names the file that an error of the library is about: the first word of the message that stands
/// for one. Advice in terms of the library becomes advice in terms of the options.
fn blame<T>(result: Result<T, Error>, files: &[(&str, Option<&String>)]) -> Result<T, Failure> {
    result.map_err(|error| {
        let message = error.to_string();
        let (what, advice) = message.split_once(';').unwrap_or((&message, ""));
        // What was given instead stands behind the advice.
        let (advice, got) = match advice.rfind(", got ") {
            Some(at) => advice.split_at(at),
            None => (advice, ""),
        };
        let mut failure = Failure::new(format!("{what}{got}"));
        let help = match (advice.contains("Logits"), advice.contains("Bernoulli")) {
            (true, true) => {
                "pass --returns logits for raw scores, --columns bernoulli for independent columns"
            }
            (true, false) => "pass --returns logits for raw scores",
            (false, true) => "pass --columns bernoulli for a single score a row",
            _ if advice.contains("logits") => "pass --logits for raw scores",
            _ => advice.trim(),
        };
        if !help.is_empty() {
            failure = failure.help(help);
        }
        let word = |c: char| !(c.is_alphanumeric() || c == '_');
        let file = message
            .split(word)
            .find_map(|word| files.iter().find(|(name, _)| *name == word)?.1);
        match file {
            Some(file) => failure.in_file(file),
            None => failure,
        }
    })
}
