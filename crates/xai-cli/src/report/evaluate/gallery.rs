//! Some maps of images: those that a metric finds best and worst.

use ndarray::ArrayD;
use xai_metrics::attribution::Layout;
use xai_metrics::attribution::model::{Concurrent, Samples};
use xai_metrics::attribution::run::masked_scores;
use xai_report::section::gallery::{
    ChosenSample, Gallery, GalleryChoice, GalleryData, GalleryItem,
};

use crate::attribution::compare::{Compare, Compared};
use xai_files::failure::Failure;

/// The best and the worst maps of each explainer, where the inputs are images.
///
/// # Errors
/// As the command.
pub(super) fn gallery(
    arguments: &Compare,
    compared: &Compared,
) -> Result<Option<Gallery>, Failure> {
    let shape = compared.opened.inputs.shape();
    let layout = compared.scoring.layout_of(shape).ok();
    let is_image = |layout: &Layout| matches!(layout, Layout::ChannelsFirst | Layout::ChannelsLast);
    let choice = GalleryChoice::new(&compared.table);
    let (Some(layout), Some(choice)) = (layout.filter(is_image), choice) else {
        return Ok(None);
    };
    let mut items = Vec::new();
    for (explainer, chosen) in choice.samples.iter().enumerate() {
        if !chosen.is_empty() {
            items.extend(of_explainer(
                arguments, compared, layout, explainer, chosen,
            )?);
        }
    }
    Ok(choice.gallery(items))
}

fn of_explainer(
    arguments: &Compare,
    compared: &Compared,
    layout: Layout,
    explainer: usize,
    chosen: &[ChosenSample],
) -> Result<Vec<GalleryItem>, Failure> {
    let samples: Vec<usize> = chosen.iter().map(|chosen| chosen.sample).collect();
    let opened = &compared.opened;
    let inputs = opened.inputs.gather(&samples)?;
    let targets = opened.targets.gather(&samples);
    let given = (&inputs, &targets);
    let Some(maps) =
        arguments
            .explainers
            .maps_of(explainer, &compared.explainers, &samples, given)?
    else {
        return Ok(Vec::new());
    };
    let model = Concurrent(&opened.model);
    let scores = masked_scores(
        &model,
        inputs.view(),
        &targets,
        maps.view(),
        &compared.scoring,
    );
    // Single precision is enough for pictures.
    let single = |array: &ArrayD<f64>| array.mapv(|x| x as f32);
    let data = GalleryData {
        inputs: &single(&inputs),
        layout,
        maps: &single(&maps),
        targets: &targets,
        scores: &scores.map_err(|stopped| arguments.failure(&stopped))?,
    };
    let name = &compared.table.explainers[explainer];
    GalleryItem::of_explainer(name, chosen, data).map_err(Failure::new)
}
