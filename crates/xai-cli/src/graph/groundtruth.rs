//! `xai graph groundtruth`

use std::path::{Path, PathBuf};

use clap::Args;
use ndarray::{Array1, Array2, ArrayD, IxDyn};
use serde::ser::{Serialize, SerializeMap, Serializer};
use xai_files::arrays::StoredArray;
use xai_files::{Failure, Files, InFiles, arrays};
use xai_metrics::core::Real;
use xai_metrics::core::describe::Scores;
use xai_metrics::graph::ground_truth::{CountedElement, GroundTruthCurves};
use xai_metrics::graph::{GroundTruth, GroundTruthMetric, input};

use crate::output::rows;
use crate::{Context, Described, examples};

/// `xai graph groundtruth`
#[derive(Debug, Args)]
#[command(after_help = examples::of(&[
    "xai graph groundtruth --predicted mask.npy --target truth.npy",
    "xai graph groundtruth --predicted mask.npy --target truth.npy --selection truth-size --out -",
]))]
pub(crate) struct Groundtruth {
    /// Scores of the mask, any shape, in [0, 1].
    #[arg(long, value_name = "P.npy")]
    predicted: PathBuf,
    /// The truth, of the same shape: 0/1, or scores. With one more axis in front, several valid
    /// truths: the one that the mask fits best counts.
    #[arg(long, value_name = "T.npy")]
    target: PathBuf,
    #[command(flatten)]
    metric: Described<GroundTruthMetric>,
    /// Write a row per element: its score, its truth, and whether it is predicted and true. Of several
    /// truths it is the best.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

/// A mask, the truth that it was scored against, and the scores.
pub(crate) struct MaskAndTruth {
    pub(crate) scores: GroundTruth,
    /// Which of how many truths it was, where there is an axis for them.
    best_truth: Option<(usize, usize)>,
    predicted: Predicted,
    target: Array1<f64>,
}

/// The scores of a mask. Thresholds are compared in their precision, whatever the target is stored as:
/// of single-precision scores a threshold of 0.3 is the single-precision 0.3.
enum Predicted {
    Single(Array1<f32>),
    Double(Array1<f64>),
}

impl Predicted {
    /// The scores as `f64`.
    fn to_f64(&self) -> Vec<f64> {
        match self {
            Self::Single(scores) => scores.iter().map(|&score| f64::from(score)).collect(),
            Self::Double(scores) => scores.to_vec(),
        }
    }
}

impl Serialize for MaskAndTruth {
    /// Every score by its name, how many are undefined, and which of several truths it was.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut result = serializer.serialize_map(None)?;
        for (name, value) in self.scores.values() {
            result.serialize_entry(name, &value)?;
        }
        result.serialize_entry("n_undefined", &self.scores.n_undefined)?;
        if let Some(share) = self.scores.tied_share {
            result.serialize_entry("tied_share", &share)?;
        }
        if let Some((which, _)) = self.best_truth {
            result.serialize_entry("best_truth", &which)?;
        }
        result.end()
    }
}

impl MaskAndTruth {
    /// The scores of the mask, in the order of its elements.
    pub(crate) fn mask(&self) -> Vec<f64> {
        self.predicted.to_f64()
    }
}

impl Groundtruth {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let compared = self.evaluate(context)?;
        self.write_elements(&compared)?;
        let scores = &compared.scores;
        context.present(&compared, || match compared.best_truth {
            None => scores.to_string(),
            Some((which, n_truths)) => format!("{scores}\nagainst truth {which} of {n_truths}"),
        })
    }

    /// The scores of the mask against its truth, or against the best of several.
    pub(crate) fn evaluate(&self, context: &Context) -> Result<MaskAndTruth, Failure> {
        let working = context.working("reading and ranking the mask");
        let (predicted, target) = (arrays::read(&self.predicted)?, arrays::read(&self.target)?);
        let n_truths = self.n_truths(&predicted, &target)?;
        let target = target.into_f64::<IxDyn>()?;
        let compared = if predicted.is_single() {
            let predicted = predicted.into_f32::<IxDyn>()?;
            self.against(predicted, target, n_truths, Predicted::Single)
        } else {
            let predicted = predicted.into_f64::<IxDyn>()?;
            self.against(predicted, target, n_truths, Predicted::Double)
        };
        drop(working);
        compared
    }

    /// What each element counts as, in the order of the elements.
    pub(crate) fn elements(&self, of: &MaskAndTruth) -> Result<Vec<CountedElement>, Failure> {
        let (metric, target) = (self.metric.read()?, of.target.view());
        let elements = match &of.predicted {
            Predicted::Single(predicted) => metric.per_element(predicted.view(), target),
            Predicted::Double(predicted) => metric.per_element(predicted.view(), target),
        };
        elements.in_files(&self.files())
    }

    /// The curves over all thresholds.
    pub(crate) fn curves(&self, of: &MaskAndTruth) -> Result<GroundTruthCurves, Failure> {
        let (metric, target) = (self.metric.read()?, of.target.view());
        let curves = match &of.predicted {
            Predicted::Single(predicted) => metric.curves(predicted.view(), target),
            Predicted::Double(predicted) => metric.curves(predicted.view(), target),
        };
        curves.in_files(&self.files())
    }

    /// The file of the mask.
    pub(crate) fn mask_file(&self) -> &Path {
        &self.predicted
    }

    /// The number of truths, where there is an axis for them.
    fn n_truths(
        &self,
        predicted: &StoredArray,
        target: &StoredArray,
    ) -> Result<Option<usize>, Failure> {
        match target.shape() {
            shape if shape == predicted.shape() => Ok(None),
            [n_truths, shape @ ..] if shape == predicted.shape() => Ok(Some(*n_truths)),
            shape => Err(Failure::new(format!(
                "expected the shape of the scores, {:?} in {}, got {shape:?}",
                predicted.shape(),
                self.predicted.display()
            ))
            .in_file(&self.target)),
        }
    }

    fn files(&self) -> Files<'_> {
        Files::new()
            .file(&[input::PREDICTED, input::ELEMENTS], &self.predicted)
            .file(&[input::TARGET, input::TRUTHS], &self.target)
            .and(Described::<GroundTruthMetric>::options())
    }

    /// Scores a mask of any shape against its truth, or against the best of several.
    fn against<T: Real>(
        &self,
        predicted: ArrayD<T>,
        target: ArrayD<f64>,
        n_truths: Option<usize>,
        kept_as: fn(Array1<T>) -> Predicted,
    ) -> Result<MaskAndTruth, Failure> {
        let metric = self.metric.read()?;
        let predicted: Array1<T> = predicted.into_iter().collect();
        let shape = (n_truths.unwrap_or(1), predicted.len());
        let truths = Array2::from_shape_vec(shape, target.into_iter().collect());
        let truths = truths.map_err(Failure::new)?;
        let best = match n_truths {
            None => metric
                .evaluate(predicted.view(), truths.row(0))
                .map(|scores| (None, scores)),
            Some(n_truths) => {
                let best = metric.best_of(predicted.view(), truths.view());
                best.map(|best| (Some((best.truth, n_truths)), best.scores))
            }
        };
        let (best_truth, scores) = best.in_files(&self.files())?;
        let row = best_truth.map_or(0, |(which, _)| which);
        Ok(MaskAndTruth {
            scores,
            best_truth,
            predicted: kept_as(predicted),
            target: truths.row(row).to_owned(),
        })
    }

    fn write_elements(&self, of: &MaskAndTruth) -> Result<(), Failure> {
        if self.out.is_none() {
            return Ok(());
        }
        let counted = self.elements(of)?;
        let elements = counted.into_iter().zip(&of.target).enumerate();
        let rows = elements.map(|(i, (counted, truth))| {
            let score = match &of.predicted {
                Predicted::Single(scores) => scores[i].to_string(),
                Predicted::Double(scores) => scores[i].to_string(),
            };
            [
                i.to_string(),
                score,
                truth.to_string(),
                u8::from(counted.is_predicted).to_string(),
                u8::from(counted.is_true).to_string(),
            ]
        });
        let header = ["element", "score", "target", "predicted", "true"];
        rows::write(self.out.as_deref(), header, rows)
    }
}
