//! Fidelity curves of graph explainers, and their masks against the truth.

use ndarray::{Array1, Array2, Ix1, Ix3};
use serde::ser::{Serialize, Serializer};
use xai_metrics::core::Help;
use xai_metrics::graph::dataset::SweepCurve;
use xai_metrics::graph::{
    FidelityMetric, GroundTruth, GroundTruthMetric, Sweep, UnfaithfulnessMetric, help, input,
};

use crate::failure::{Failure, Files, InFiles};
use crate::graph::groundtruth::GroundtruthResult;
use crate::graph::options::index;
use crate::report::source::Source;
use crate::report::study_file::{GraphExplainer, GraphInputs};

/// Sufficiency and necessity of explanatory subgraphs.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub(crate) struct GraphSection {
    pub(crate) n_explained: usize,
    pub(crate) explainers: Vec<GraphScores>,
}

/// The scores of one graph explainer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GraphScores {
    pub(crate) name: String,
    /// Over the shares of the edges that are kept.
    pub(crate) sweep: SweepCurve,
    pub(crate) groundtruth: Option<GroundTruth>,
}

pub(crate) fn evaluate(study: &GraphInputs, source: &Source) -> Result<GraphSection, Failure> {
    let full: Array2<f64> = source.array(&study.full)?.into_f64()?;
    let index = study.index.as_ref();
    let index = index.map(|file| index::rows(source.array(file)?, || Ok(full.nrows())));
    let truth = study.edge_mask_true.as_ref();
    let truth = truth.map(|file| source.array(file)?.into_f64());
    let kept_fraction = source.array(&study.kept_fraction)?.into_f64::<Ix1>()?;
    let shared = Shared {
        index: index.transpose()?,
        full,
        kept_fraction: kept_fraction.to_vec(),
        truth: truth.transpose()?,
    };
    let explainers = study.explainers.iter();
    let explainers = explainers.map(|explainer| shared.scores(explainer, study, source));
    Ok(GraphSection {
        explainers: explainers.collect::<Result<_, _>>()?,
        n_explained: shared.index.as_ref().map_or(shared.full.nrows(), Vec::len),
    })
}

/// Ways out in terms of the files of a study.
const WAYS_OUT: &[(Help, &str)] = &[
    (
        help::SCORES_ARE_LOGITS,
        "apply a sigmoid to raw scores and save them again",
    ),
    (help::PASS_LABELS_FOR_ONE_COLUMN, TWO_COLUMNS),
    (help::BERNOULLI_FOR_ONE_COLUMN, TWO_COLUMNS),
];

/// For outputs of a single column.
const TWO_COLUMNS: &str = "save two columns of logits per row, 0 and the score, for a single score";

/// What all explainers share.
struct Shared {
    full: Array2<f64>,
    index: Option<Vec<usize>>,
    kept_fraction: Vec<f64>,
    truth: Option<Array1<f64>>,
}

impl Shared {
    fn scores(
        &self,
        explainer: &GraphExplainer,
        study: &GraphInputs,
        source: &Source,
    ) -> Result<GraphScores, Failure> {
        let path = |file: &String| source.path(file);
        let (full, levels) = (path(&study.full), path(&study.kept_fraction));
        let (kept, complement) = (path(&explainer.kept), path(&explainer.complement));
        let (index, truth) = (study.index.as_ref(), study.edge_mask_true.as_ref());
        let (index, truth) = (index.map(path), truth.map(path));
        let mask = explainer.edge_mask.as_ref().map(path);
        let mut files = Files::new();
        if let Some(mask) = &mask {
            files = files.shaped_by(&[input::TARGET], mask);
        }
        let files = files
            .file(&[input::FULL, input::SAMPLES], &full)
            .file(&[input::KEPT], &kept)
            .file(&[input::COMPLEMENT], &complement)
            .file(&[input::LEVELS], &levels)
            .shaped_by(&[input::KEPT, input::COMPLEMENT], &full)
            .shaped_by(&[input::KEPT, input::COMPLEMENT], &levels)
            .bounded_by(&[input::INDEX], &full)
            .optional(&[input::INDEX], index.as_ref())
            .optional(&[input::PREDICTED, input::ELEMENTS], mask.as_ref())
            .optional(&[input::TARGET], truth.as_ref())
            .ways_out(WAYS_OUT);
        Ok(GraphScores {
            name: explainer.name.clone(),
            sweep: self.sweep(explainer, source, &files)?,
            groundtruth: self.groundtruth(explainer, source, &files)?,
        })
    }

    fn sweep(
        &self,
        explainer: &GraphExplainer,
        source: &Source,
        files: &Files<'_>,
    ) -> Result<SweepCurve, Failure> {
        let kept = source.array(&explainer.kept)?.into_f64::<Ix3>()?;
        let complement = source.array(&explainer.complement)?.into_f64::<Ix3>()?;
        let mut fidelity = FidelityMetric::model();
        let mut unfaithfulness = UnfaithfulnessMetric::new();
        if let Some(index) = &self.index {
            fidelity = fidelity.index(index);
            unfaithfulness = unfaithfulness.index(index);
        }
        Sweep::new()
            .fidelity(fidelity)
            .unfaithfulness(unfaithfulness)
            .evaluate(
                self.full.view(),
                kept.view(),
                complement.view(),
                &self.kept_fraction,
            )
            .in_files(files)
    }

    fn groundtruth(
        &self,
        explainer: &GraphExplainer,
        source: &Source,
        files: &Files<'_>,
    ) -> Result<Option<GroundTruth>, Failure> {
        let (Some(truth), Some(file)) = (&self.truth, &explainer.edge_mask) else {
            return Ok(None);
        };
        let mask = source.array(file)?.into_f64::<Ix1>()?;
        GroundTruthMetric::new()
            .evaluate(mask.view(), truth.view())
            .map(Some)
            .in_files(files)
    }
}

impl Serialize for GraphScores {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Json<'a> {
            name: &'a str,
            curve: Vec<Point>,
            fidelity_auc: Option<f64>,
            groundtruth: Option<GroundtruthResult>,
        }
        #[derive(serde::Serialize)]
        struct Point {
            kept_fraction: f64,
            pos_fidelity: f64,
            neg_fidelity: f64,
            characterization: f64,
            unfaithfulness: f64,
        }
        let points = self.sweep.points.iter().map(|point| Point {
            kept_fraction: point.level,
            pos_fidelity: point.pos_fidelity,
            neg_fidelity: point.neg_fidelity,
            characterization: point.characterization,
            unfaithfulness: point.unfaithfulness,
        });
        let json = Json {
            name: &self.name,
            curve: points.collect(),
            fidelity_auc: self.sweep.fidelity_auc,
            groundtruth: self.groundtruth.as_ref().map(Into::into),
        };
        json.serialize(serializer)
    }
}
