//! Fidelity curves of graph explainers, and their masks against the truth.

use ndarray::{Array1, Array2, Array3, Axis};
use xai_metrics::graph::{
    FidelityMetric, GroundTruthMetric, UnfaithfulnessMetric, fidelity_curve_auc,
};

use super::results::{CurvePoint, Graph, GraphScores};
use super::study::{self, GraphExplainer, Source};
use crate::failure::{Failure, InFile};

/// The threshold of masks against the truth, that of `xai graph groundtruth`.
const THRESHOLD: f64 = 0.5;

pub(super) fn evaluate(section: &study::Graph, source: &Source) -> Result<Graph, Failure> {
    let full: Array2<f64> = source.array(&section.full)?.into_f64()?;
    let index = match &section.index {
        Some(file) => Some(crate::graph::row_index(source.array(file)?)?),
        None => None,
    };
    let kept_fraction: Array1<f64> = source.array(&section.kept_fraction)?.into_f64()?;
    let truth = match &section.edge_mask_true {
        Some(file) => Some(source.array(file)?.into_f64()?),
        None => None,
    };
    let study = Study {
        full,
        index,
        kept_fraction: kept_fraction.to_vec(),
        truth,
    };
    let explainers = section
        .explainers
        .iter()
        .map(|explainer| study.score(explainer, source))
        .collect::<Result<_, _>>()?;
    Ok(Graph {
        n_explained: study.index.as_ref().map_or(study.full.nrows(), Vec::len),
        explainers,
    })
}

/// What all explainers share.
struct Study {
    full: Array2<f64>,
    index: Option<Vec<usize>>,
    kept_fraction: Vec<f64>,
    truth: Option<Array1<f64>>,
}

impl Study {
    fn score(&self, explainer: &GraphExplainer, source: &Source) -> Result<GraphScores, Failure> {
        let kept = self.levels(&explainer.kept, source)?;
        let complement = self.levels(&explainer.complement, source)?;
        let mut fidelity = FidelityMetric::model();
        let mut unfaithfulness = UnfaithfulnessMetric::new();
        if let Some(index) = &self.index {
            fidelity = fidelity.index(index);
            unfaithfulness = unfaithfulness.index(index);
        }
        let mut curve = Vec::with_capacity(self.kept_fraction.len());
        for (level, &kept_fraction) in self.kept_fraction.iter().enumerate() {
            let kept = kept.index_axis(Axis(0), level);
            let complement = complement.index_axis(Axis(0), level);
            let fidelity = fidelity
                .evaluate(&self.full, &kept, &complement)
                .in_file(&explainer.kept)?;
            curve.push(CurvePoint {
                kept_fraction,
                pos_fidelity: fidelity.pos,
                neg_fidelity: fidelity.neg,
                characterization: fidelity.characterization(),
                unfaithfulness: unfaithfulness
                    .evaluate(self.full.view(), kept)
                    .in_file(&explainer.kept)?
                    .value,
            });
        }
        Ok(GraphScores {
            name: explainer.name.clone(),
            fidelity_auc: self.area(&curve, &explainer.kept)?,
            curve,
            groundtruth: self.against_truth(explainer, source)?,
        })
    }

    /// Outputs at each level, `(levels, n, c)`.
    fn levels(&self, file: &str, source: &Source) -> Result<Array3<f64>, Failure> {
        let outputs: Array3<f64> = source.array(file)?.into_f64()?;
        let (n, c) = self.full.dim();
        let expected = (self.kept_fraction.len(), n, c);
        if outputs.dim() == expected {
            Ok(outputs)
        } else {
            Err(Failure::new(format!(
                "outputs at each kept fraction: expected shape {expected:?}, got {:?}",
                outputs.dim()
            ))
            .in_file(file))
        }
    }

    /// The area under the fidelity curve; undefined where the curve has no value (fid− = 1).
    fn area(&self, curve: &[CurvePoint], file: &str) -> Result<Option<f64>, Failure> {
        if curve.len() < 2 || curve.iter().any(|point| point.neg_fidelity >= 1.0) {
            return Ok(None);
        }
        let pos: Vec<f64> = curve.iter().map(|point| point.pos_fidelity).collect();
        let neg: Vec<f64> = curve.iter().map(|point| point.neg_fidelity).collect();
        fidelity_curve_auc(&pos, &neg, &self.kept_fraction)
            .map(Some)
            .in_file(file)
    }

    fn against_truth(
        &self,
        explainer: &GraphExplainer,
        source: &Source,
    ) -> Result<Option<crate::graph::GroundtruthResult>, Failure> {
        let (Some(truth), Some(file)) = (&self.truth, &explainer.edge_mask) else {
            return Ok(None);
        };
        let mask: Array1<f64> = source.array(file)?.into_f64()?;
        let scores = GroundTruthMetric::new(THRESHOLD)
            .and_then(|metric| metric.evaluate(mask.view(), truth.view()))
            .in_file(file)?;
        Ok(Some(scores.into()))
    }
}
