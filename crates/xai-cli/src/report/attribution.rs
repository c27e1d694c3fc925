//! Average Drop, Increase and Gain of every attribution method of a study.

use super::results::Attribution;
use super::study::{self, Source};
use crate::context::Context;
use crate::failure::Failure;

#[cfg(not(feature = "onnx"))]
pub(super) fn evaluate(
    _: &study::Attribution,
    _: &Source,
    _: &Context,
) -> Result<Option<Attribution>, Failure> {
    eprintln!("attribution is left out: this build cannot run ONNX models");
    Ok(None)
}

#[cfg(feature = "onnx")]
pub(super) fn evaluate(
    section: &study::Attribution,
    source: &Source,
    context: &Context,
) -> Result<Option<Attribution>, Failure> {
    use super::results::AttributionScores;
    use crate::attribution::{ModelStudy, read_targets};
    use crate::failure::InFile;
    use crate::onnx::OnnxModel;
    use xai_metrics::attribution::{
        AverageDrop, AverageGain, AverageIncrease, Concurrent, base_scores, masked_scores_with_base,
    };

    let model = OnnxModel::parse(&section.model, &source.bytes(&section.model)?)?;
    let model = Concurrent(&model);
    let study = ModelStudy {
        inputs: source.array(&section.inputs)?.into_f32()?,
        targets: read_targets(source.array(&section.targets)?)?,
        activation: section.activation,
        channels: section.channels,
        batch_size: 64,
    };
    let scoring = study.scoring();
    let base = base_scores(&model, study.inputs.view(), &study.targets, &scoring)
        .in_file(&section.model)?;
    let bar = context.progress(section.explainers.len() as u64, "explainers");
    let mut explainers = Vec::with_capacity(section.explainers.len());
    for explainer in &section.explainers {
        let maps = source
            .array(&explainer.maps)?
            .into_f32::<ndarray::IxDyn>()?;
        let scores = masked_scores_with_base(
            &model,
            base.clone(),
            study.inputs.view(),
            &study.targets,
            maps.view(),
            &scoring,
        )
        .in_file(&explainer.maps)?;
        let (base, masked) = (&scores.base, &scores.masked);
        let drop = AverageDrop::new()
            .from_scores(base, masked)
            .in_file(&section.model)?;
        let increase = AverageIncrease::new()
            .from_scores(base, masked)
            .in_file(&section.model)?;
        let gain = AverageGain::new()
            .from_scores(base, masked)
            .in_file(&section.model)?;
        explainers.push(AttributionScores {
            name: explainer.name.clone(),
            average_drop: drop.value,
            average_increase: increase.value,
            average_gain: gain.value,
        });
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(Some(Attribution {
        n_samples: study.inputs.shape()[0],
        activation: format!("{:?}", section.activation).to_lowercase(),
        explainers,
    }))
}
