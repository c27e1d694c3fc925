//! `xai graph groundtruth`

use std::path::{Path, PathBuf};

use clap::Args;
use ndarray::{Array1, Array2, ArrayD, IxDyn};
use serde::ser::{Serialize, SerializeMap, Serializer};
use xai_files::arrays::StoredArray;
use xai_files::{Failure, Files, InFiles, arrays};
use xai_metrics::common::Real;
use xai_metrics::common::describe::Scores;
use xai_metrics::graph::ground_truth::{CountedElement, GroundTruthCurves};
use xai_metrics::graph::{GroundTruth, GroundTruthMetric, input};

use crate::output::rows;
use crate::{Context, Described, examples};

/// `xai graph groundtruth`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai graph groundtruth --predicted mask.npy --target truth.npy",
    "xai graph groundtruth --predicted mask.npy --target truth.npy --selection truth-size --out -",
]))]
pub(crate) struct Groundtruth {
    /// Scores of the mask, any shape, in [0, 1], or any numbers with `--logits`.
    #[arg(long, value_name = "P.npy")]
    predicted: PathBuf,
    /// The true explanation, of the same shape: 0 and 1, or scores in [0, 1]. With an additional first axis, several
    /// valid true explanations, of which the one that fits the mask best is used.
    #[arg(long, value_name = "T.npy")]
    target: PathBuf,
    #[command(flatten)]
    metric: Described<GroundTruthMetric>,
    /// Write a row per element: its score, its true value (of the best true explanation), and whether it counts as
    /// predicted and as true.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

/// A mask, the true explanation that it was compared with, and the scores.
pub(crate) struct MaskAndTruth {
    pub(crate) scores: GroundTruth,
    /// Index of the best true explanation, and the number of true explanations. `None` if the target has no axis for
    /// several.
    best_truth: Option<(usize, usize)>,
    predicted: Predicted,
    target: Array1<f64>,
}

/// The scores of a mask: single precision if their file has it, otherwise double. Thresholds are compared in this
/// precision: for single-precision scores, a threshold of 0.3 is the single-precision number 0.3.
enum Predicted {
    Single(Array1<f32>),
    Double(Array1<f64>),
}

impl Predicted {
    fn to_f64(&self) -> Vec<f64> {
        match self {
            Self::Single(scores) => scores.iter().map(|&score| f64::from(score)).collect(),
            Self::Double(scores) => scores.to_vec(),
        }
    }
}

impl Serialize for MaskAndTruth {
    /// Serializes the scores by name and the number of undefined ones; the share of tied elements if a selection by
    /// rank was used; and the index of the best true explanation if the target has an axis for several.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut result = serializer.serialize_map(None)?;
        for (name, value) in self.scores.values() {
            result.serialize_entry(name, &value)?;
        }
        result.serialize_entry("n_undefined", &self.scores.n_undefined)?;
        if let Some(share) = self.scores.tied_share {
            result.serialize_entry("tied_share", &share)?;
        }
        if let Some((index, _)) = self.best_truth {
            result.serialize_entry("best_truth", &index)?;
        }
        result.end()
    }
}

impl MaskAndTruth {
    /// Returns the scores of the mask, in the order of its elements.
    pub(crate) fn mask(&self) -> Vec<f64> {
        self.predicted.to_f64()
    }
}

impl Groundtruth {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let result = self.evaluate(context)?;
        self.write_elements(&result)?;
        let scores = &result.scores;
        context.present(&result, || match result.best_truth {
            None => scores.to_string(),
            Some((index, n_truths)) => format!(
                "{scores}\ncompared with true explanation {index} (from 0) of {n_truths}, the best fit"
            ),
        })
    }

    /// Computes the scores of the mask against its true explanation, or against the best of several.
    pub(crate) fn evaluate(&self, context: &Context) -> Result<MaskAndTruth, Failure> {
        let working = context.working("reading and ranking the mask");
        let (predicted, target) = (arrays::read(&self.predicted)?, arrays::read(&self.target)?);
        let n_truths = self.n_truths(&predicted, &target)?;
        let target_array = target.into_f64::<IxDyn>()?;
        let result = if predicted.is_single() {
            let scores = predicted.into_f32::<IxDyn>()?;
            self.compare(scores, target_array, n_truths, Predicted::Single)
        } else {
            let scores = predicted.into_f64::<IxDyn>()?;
            self.compare(scores, target_array, n_truths, Predicted::Double)
        };
        drop(working);
        result
    }

    /// Returns for each element, in order, whether it counts as predicted and as true.
    pub(crate) fn elements(&self, mask: &MaskAndTruth) -> Result<Vec<CountedElement>, Failure> {
        let (metric, target) = (self.metric.read()?, mask.target.view());
        let elements = match &mask.predicted {
            Predicted::Single(predicted) => metric.per_element(predicted.view(), target),
            Predicted::Double(predicted) => metric.per_element(predicted.view(), target),
        };
        elements.in_files(&self.files())
    }

    /// Returns the ROC and precision-recall curves over all thresholds.
    pub(crate) fn curves(&self, mask: &MaskAndTruth) -> Result<GroundTruthCurves, Failure> {
        let (metric, target) = (self.metric.read()?, mask.target.view());
        let curves = match &mask.predicted {
            Predicted::Single(predicted) => metric.curves(predicted.view(), target),
            Predicted::Double(predicted) => metric.curves(predicted.view(), target),
        };
        curves.in_files(&self.files())
    }

    pub(crate) fn mask_file(&self) -> &Path {
        &self.predicted
    }

    /// Returns the number of true explanations if the target has an axis for several. Fails if its shape does not fit.
    fn n_truths(
        &self,
        predicted: &StoredArray,
        target: &StoredArray,
    ) -> Result<Option<usize>, Failure> {
        match target.shape() {
            shape if shape == predicted.shape() => Ok(None),
            [n_truths, shape @ ..] if shape == predicted.shape() => Ok(Some(*n_truths)),
            shape => Err(Failure::new(format!(
                "expected the shape of the mask, {:?} in {}, got {shape:?}",
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

    /// Compares a mask of any shape with its true explanation, or with the best of several. `store` wraps the flattened
    /// mask.
    fn compare<T: Real>(
        &self,
        mask: ArrayD<T>,
        target: ArrayD<f64>,
        n_truths: Option<usize>,
        store: fn(Array1<T>) -> Predicted,
    ) -> Result<MaskAndTruth, Failure> {
        let metric = self.metric.read()?;
        let predicted: Array1<T> = mask.into_iter().collect();
        let shape = (n_truths.unwrap_or(1), predicted.len());
        let truths =
            Array2::from_shape_vec(shape, target.into_iter().collect()).map_err(Failure::new)?;
        let best = match n_truths {
            None => metric
                .evaluate(predicted.view(), truths.row(0))
                .map(|scores| (None, scores)),
            Some(n_truths) => {
                let best = metric.best_truth(predicted.view(), truths.view());
                best.map(|best| (Some((best.truth, n_truths)), best.scores))
            }
        };
        let (best_truth, scores) = best.in_files(&self.files())?;
        let row = best_truth.map_or(0, |(index, _)| index);
        Ok(MaskAndTruth {
            scores,
            best_truth,
            predicted: store(predicted),
            target: truths.row(row).to_owned(),
        })
    }

    fn write_elements(&self, mask: &MaskAndTruth) -> Result<(), Failure> {
        if self.out.is_none() {
            return Ok(());
        }
        let counted = self.elements(mask)?;
        let elements = counted.into_iter().zip(&mask.target).enumerate();
        let rows = elements.map(|(i, (counted, truth))| {
            let score = match &mask.predicted {
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
