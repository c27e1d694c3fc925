//! Attribution maps: what `xai attribution compare` finds.

use ndarray::ArrayD;
use xai_files::Failure;
use xai_metrics::attribution::Layout;
use xai_metrics::attribution::model::{Concurrent, Samples};
use xai_metrics::attribution::run::masked_scores;
use xai_report::Origin;
use xai_report::section::attribution::Attribution;
use xai_report::section::gallery::{
    ChosenSample, Gallery, GalleryChoice, GalleryData, GalleryItem,
};

use crate::Context;
use crate::attribution::compare::{Compare, Compared};

/// Computes the section.
///
/// # Errors
/// As the command.
pub(crate) fn evaluate(
    arguments: &Compare,
    mut origin: Origin,
    context: &Context,
) -> Result<Attribution, Failure> {
    let compared = arguments.evaluate(context, &|_| context.computes())?;
    let said = compared
        .table
        .assumed
        .iter()
        .chain(&compared.table.warnings);
    origin.remarks.extend(said.map(ToString::to_string));
    if let Some(channels) = compared.reading.channels {
        let channels = channels.word().to_owned();
        origin.settings.insert("channels".to_owned(), channels);
    }
    let gallery = gallery(arguments, &compared)?;
    let activation = compared.scoring.activation;
    Attribution::new(origin, &compared.table, activation, gallery).map_err(Failure::new)
}

/// The best and the worst maps of each explainer, where the inputs are images.
///
/// # Errors
/// As the command.
fn gallery(arguments: &Compare, compared: &Compared) -> Result<Option<Gallery>, Failure> {
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
