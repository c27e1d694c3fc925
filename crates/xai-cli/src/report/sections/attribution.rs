//! The section `[[attribution]]`: results of `xai attribution compare`.

use ndarray::ArrayD;
use xai_files::content::Content;
use xai_files::onnx::model::ends_in_logits;
use xai_metrics::attribution::InputLayout;
use xai_metrics::attribution::metric::registry;
use xai_metrics::attribution::model::{Concurrent, Samples};
use xai_metrics::attribution::scores::masked_scores;
use xai_report::sections::attribution::Attribution;
use xai_report::sections::attribution::gallery::{
    ChosenSample, Gallery, GalleryChoice, GalleryData, GalleryItem,
};

use crate::attribution::compare::{Compare, Compared};
use crate::metric_commands::selection::{ALL_WORD, STANDARD_WORD};
use crate::report::digest::compared;
use crate::report::init::found::name;
use crate::report::section::{
    Context, Draft, Explainers, Failure, Folder, MetricsKey, Origin, Prepared, Report,
    SectionCommand, SectionKeys, SectionKind, StudySection, into_report,
};

const EXPLAINERS: &[(&str, &str)] = &[("maps", "--explanations"), ("explainer", "--explainers")];

pub(super) struct AttributionSection;

impl StudySection for AttributionSection {
    fn kind(&self) -> &'static SectionKind {
        &Attribution::KIND
    }

    fn commands(&self) -> Vec<SectionCommand> {
        // The explainers are tables of the section.
        let left_out = &["out", "explanations", "explainers"];
        vec![SectionCommand::new::<Compare>(
            &["attribution", "compare"],
            left_out,
        )]
    }

    fn explainers(&self) -> Explainers {
        Explainers::Files(EXPLAINERS)
    }

    fn metrics(&self) -> Option<MetricsKey> {
        let entries = registry::metrics().iter().filter(|entry| entry.is_built());
        Some(MetricsKey {
            metrics: entries.map(|entry| (entry.info, entry.params())).collect(),
            groups: &[STANDARD_WORD, ALL_WORD],
        })
    }

    fn prepare(&self, keys: &SectionKeys<'_>) -> Result<Prepared, Failure> {
        let help = "[[attribution.explainers]] with name = \"…\" and maps = \"….npy\"";
        let (line, arguments) = keys.compared::<Compare>(help)?;
        arguments
            .check()
            .map_err(|failure| keys.in_study(failure))?;
        let section = move |origin, context: &Context| evaluate(&arguments, origin, context);
        let evaluate = into_report(section, |report| &mut report.attribution);
        Ok(keys.prepared(evaluate, &[line]))
    }

    /// Drafts a section for a folder with a model, its inputs and targets, and maps.
    fn init(&self, folder: &Folder<'_>, draft: &mut Draft) -> Option<()> {
        let model = folder
            .find(|file| file.holds == Content::Model && !file.name_contains(&["explainer"]))?;
        let inputs = folder.find(|file| {
            file.shape().len() >= 2 && (file.name_contains(&["input", "image"]) || file.stem == "x")
        })?;
        let n_samples = inputs.shape()[0];
        let maps = folder
            .find_all(|file| file.path != inputs.path && is_map(file.shape(), inputs.shape()));
        maps.first()?;
        let targets = folder.find(|file| {
            file.shape() == [n_samples]
                && (file.name_contains(&["target", "label", "class"]) || file.stem == "y")
        })?;
        draft.begin(
            &folder.name(),
            "How good are attribution maps? Keys: the options of `xai attribution compare`.",
        );
        draft.file("model", model, false);
        draft.file("inputs", inputs, false);
        draft.file("targets", targets, false);
        // Some metrics fail for negative scores, so logits are converted to probabilities.
        if ends_in_logits(&model.file) {
            draft.entry("activation", "softmax", true);
        } else {
            draft.comment(
                "activation = \"softmax\"  # if the outputs of the model are logits of classes",
            );
        }
        for maps in maps {
            draft.begin_explainer(&name(&maps.stem));
            draft.file("maps", maps, true);
        }
        Some(())
    }

    fn digest(&self, report: &Report) -> Vec<String> {
        let sections = report.attribution.iter();
        compared(sections.map(|section| (&section.origin, &section.compared)))
    }

    // The model computes in single precision, with an order of summation that depends on the width of the registers.
    fn tolerance(&self) -> f64 {
        1e-4
    }
}

/// Returns `true` if an array has the shape of maps of the inputs, with or without channels.
fn is_map(shape: &[usize], inputs: &[usize]) -> bool {
    let without = |axis: usize| {
        let mut rest = inputs.to_vec();
        rest.remove(axis);
        rest
    };
    shape == inputs || (inputs.len() == 4 && (shape == without(1) || shape == without(3)))
}

/// Computes the section.
fn evaluate(
    arguments: &Compare,
    mut origin: Origin,
    context: &Context,
) -> Result<Attribution, Failure> {
    let compared = arguments.evaluate(context, &|_| context.end_check())?;
    let remarks = compared
        .table
        .assumed
        .iter()
        .chain(&compared.table.warnings);
    origin.remarks.extend(remarks.map(ToString::to_string));
    if let Some(channels) = compared.reading.channels {
        let channels = channels.word().to_owned();
        origin.settings.insert("channels".to_owned(), channels);
    }
    let gallery = gallery(arguments, &compared)?;
    let activation = compared.scoring.activation;
    Attribution::new(origin, &compared.table, activation, gallery).map_err(Failure::new)
}

/// Collects the best and the worst maps of the explainers that [`GalleryChoice`] includes. `None` if the inputs are not
/// images, if no metric has a better end, or if there is no map to show.
fn gallery(arguments: &Compare, compared: &Compared) -> Result<Option<Gallery>, Failure> {
    let shape = compared.opened.inputs.shape();
    let layout = compared.scoring.layout_of(shape).ok();
    let is_image = |layout: &InputLayout| {
        matches!(
            layout,
            InputLayout::ChannelsFirst | InputLayout::ChannelsLast
        )
    };
    let choice = GalleryChoice::new(&compared.table);
    let (Some(layout), Some(choice)) = (layout.filter(is_image), choice) else {
        return Ok(None);
    };
    let mut items = Vec::new();
    for (explainer, chosen) in choice.samples.iter().enumerate() {
        if !chosen.is_empty() {
            items.extend(gallery_items(
                arguments, compared, layout, explainer, chosen,
            )?);
        }
    }
    Ok(choice.gallery(items))
}

/// Returns the gallery items of an explainer for the chosen samples.
fn gallery_items(
    arguments: &Compare,
    compared: &Compared,
    layout: InputLayout,
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
            .explainers()
            .maps(explainer, &compared.explainers, &samples, given)?
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
    // Pictures need only single precision.
    let single = |array: &ArrayD<f64>| array.mapv(|x| x as f32);
    let data = GalleryData {
        inputs: &single(&inputs),
        layout,
        maps: &single(&maps),
        targets: &targets,
        scores: &scores.map_err(|stopped| arguments.failure(&stopped))?,
    };
    let name = &compared.table.explainers[explainer];
    GalleryItem::for_explainer(name, chosen, data).map_err(Failure::new)
}
