//! The section `[[data_attribution]]`: results of `xai casebased attribution compare`.

use std::path::{Path, PathBuf};

use xai_files::InFile;
use xai_files::arrays::ElementType;
use xai_files::samples::FileSamples;
use xai_metrics::attribution::InputLayout;
use xai_metrics::attribution::model::Samples;
use xai_metrics::casebased::data_attribution::METRICS;
use xai_report::sections::data_attribution::DataAttribution;

use crate::casebased::attribution::compare::{CompareAttributions, ComparedAttributions};
use crate::metric_commands::selection::ALL_WORD;
use crate::report::digest::compared;
use crate::report::init::found::{FoundFile, name};
use crate::report::section::{
    Context, Draft, Explainers, Failure, Folder, MetricsKey, Origin, Prepared, Report,
    SectionCommand, SectionKeys, SectionKind, StudySection, into_report,
};

/// Keys that only studies have.
#[derive(Debug, clap::Args)]
struct Images {
    /// Images of the training cases, which the page shows.
    #[arg(long, value_name = "IMAGES.npy")]
    train_images: Option<PathBuf>,
    /// Images of the test cases, which the page shows.
    #[arg(long, value_name = "IMAGES.npy")]
    test_images: Option<PathBuf>,
}

const COMMANDS: &[SectionCommand] = &[
    SectionCommand::new::<CompareAttributions>(
        &["casebased", "attribution", "compare"],
        &[
            "out",
            "attributions",
            "random-attributions",
            "scores",
            "log-prob-after",
            "predictions",
        ],
    ),
    SectionCommand::study_keys::<Images>(),
];

const EXPLAINERS: &[(&str, &str)] = &[
    ("attributions", "--attributions"),
    ("random_attributions", "--random-attributions"),
    ("scores", "--scores"),
    ("log_prob_after", "--log-prob-after"),
    ("predictions", "--predictions"),
];

pub(super) struct DataAttributionSection;

impl StudySection for DataAttributionSection {
    fn kind(&self) -> &'static SectionKind {
        &DataAttribution::KIND
    }

    fn commands(&self) -> Vec<SectionCommand> {
        COMMANDS.to_vec()
    }

    fn explainers(&self) -> Explainers {
        Explainers::Files(EXPLAINERS)
    }

    fn metrics(&self) -> Option<MetricsKey> {
        let entries = METRICS.iter();
        Some(MetricsKey {
            metrics: entries.map(|entry| (entry.info, entry.params())).collect(),
            groups: &[ALL_WORD],
        })
    }

    fn prepare(&self, keys: &SectionKeys<'_>) -> Result<Prepared, Failure> {
        let help = "[[data_attribution.explainers]] with name = \"…\" and attributions = \"….npy\"";
        let (line, arguments) = keys.compared::<CompareAttributions>(help)?;
        let (images_line, images) = keys.command::<Images>(1)?;
        let incomplete = match (&images.train_images, &images.test_images) {
            (Some(_), None) => Some(["train_images", "test_images"]),
            (None, Some(_)) => Some(["test_images", "train_images"]),
            _ => None,
        };
        if let Some([key, other]) = incomplete {
            let at = keys
                .section
                .key(key)
                .map_or(&keys.section.at, |key| &key.at);
            return Err(keys.failure(at, format_args!("`{key}` needs `{other}`")));
        }
        let section =
            move |origin, context: &Context| evaluate(&arguments, &images, origin, context);
        let evaluate = into_report(section, |report| &mut report.data_attribution);
        Ok(keys.prepared(evaluate, &[line, images_line]))
    }

    /// Drafts a section for a folder with the classes of training and test cases, and attributions `(n_test, n_train)`.
    fn init(&self, folder: &Folder<'_>, draft: &mut Draft) -> Option<()> {
        let find_classes = |cases: &str| {
            folder.find(|file| {
                file.shape().len() == 1
                    && file.is_integer()
                    && file.name_contains(&[cases])
                    && file.name_contains(&["label", "target", "class", "y_"])
            })
        };
        let (train, test) = (find_classes("train")?, find_classes("test")?);
        let (n_train, n_test) = (train.shape()[0], test.shape()[0]);
        let explainers = folder.find_all(|file| {
            file.shape() == [n_test, n_train]
                && is_float(file)
                && !file.name_contains(&["output", "subset", "input", "feature"])
        });
        explainers.first()?;
        draft.begin(&folder.name(), "Which attributions to training cases match what training does? Keys: the options of `xai casebased attribution compare`.");
        draft.file("train_labels", train, false);
        draft.file("test_classes", test, false);
        let flags = folder.find(|file| {
            file.shape() == [n_train]
                && !is_float(file)
                && file.name_contains(&["flag", "flip", "mislabel", "nois"])
        });
        draft.guessed("flags", flags);
        let subsets = folder.find(|file| {
            file.shape().len() == 2 && file.is_integer() && file.name_contains(&["subset"])
        });
        let outputs = subsets.and_then(|subsets| {
            let shape = [subsets.shape()[0], n_test];
            folder.find(|file| {
                file.shape() == shape && is_float(file) && file.name_contains(&["output", "margin"])
            })
        });
        draft.guessed("subsets", subsets.filter(|_| outputs.is_some()));
        draft.guessed("outputs", outputs);
        for (key, cases, n_cases) in [
            ("train_images", "train", n_train),
            ("test_images", "test", n_test),
        ] {
            let images = folder.find(|file| {
                file.shape().len() >= 3
                    && file.shape()[0] == n_cases
                    && file.name_contains(&[cases])
            });
            draft.guessed(key, images);
        }
        for explainer in explainers {
            draft.begin_explainer(&name(&explainer.stem));
            draft.file("attributions", explainer, true);
            let scores = folder.find(|file| {
                file.shape() == [n_train]
                    && is_float(file)
                    && file.stem.starts_with(&explainer.stem)
                    && file.name_contains(&["score", "self"])
            });
            draft.guessed("scores", scores);
        }
        Some(())
    }

    fn digest(&self, report: &Report) -> Vec<String> {
        let sections = report.data_attribution.iter();
        compared(sections.map(|section| (&section.origin, &section.compared)))
    }
}

fn is_float(file: &FoundFile) -> bool {
    file.has_elements(ElementType::Float)
}

/// Computes the section.
fn evaluate(
    arguments: &CompareAttributions,
    images: &Images,
    mut origin: Origin,
    context: &Context,
) -> Result<DataAttribution, Failure> {
    let compared = arguments.evaluate(context)?;
    origin.remarks.extend(compared.remark().map(str::to_owned));
    let ComparedAttributions {
        comparison, table, ..
    } = &compared;
    let (n_test, n_train) = compared.n_cases;
    let open = |file: &Option<PathBuf>, n: usize| {
        let opened = file.as_ref().map(|file| open_images(file, n).in_file(file));
        opened.transpose()
    };
    let opened_images = [
        open(&images.train_images, n_train)?,
        open(&images.test_images, n_test)?,
    ];
    let mut section =
        DataAttribution::new(origin, comparison, table, (n_test, n_train)).map_err(Failure::new)?;
    let samples = DataAttribution::shown(table, n_test);
    if samples.is_empty() {
        return Ok(section);
    }
    let Some(rows) = arguments.rows_of(&samples)? else {
        return Ok(section);
    };
    section.show(&samples, &rows, compared.known());
    if let [Some(train), Some(test)] = opened_images {
        let gathered = |images: &FileSamples, cases: &[usize]| {
            images.gather(cases).map(|chosen| chosen.mapv(|x| x as f32))
        };
        let (train, test) = (
            gathered(&train, &section.shown_cases())?,
            gathered(&test, &samples)?,
        );
        section.show_images(&train, &test, InputLayout::ChannelsLast);
    }
    Ok(section)
}

/// Largest number of channels: grey, RGB, or RGB with transparency.
const MAX_CHANNELS: usize = 4;

/// Opens a file with an image for each of `n` cases.
fn open_images(file: &Path, n: usize) -> Result<FileSamples, Failure> {
    let images = FileSamples::open(file)?;
    match images.shape() {
        [n_images, _, _] | [n_images, _, _, 1..=MAX_CHANNELS] if *n_images == n => Ok(images),
        shape => {
            let failure = Failure::new(format!(
                "expected images ({n}, height, width) or ({n}, height, width, channels) with at most {MAX_CHANNELS} channels, got {shape:?}"
            ));
            Err(match shape {
                [n_images, 1..=MAX_CHANNELS, _, _] if *n_images == n => failure
                    .help("the channels seem to be first: save numpy.moveaxis(images, 1, -1)"),
                _ => failure,
            })
        }
    }
}
