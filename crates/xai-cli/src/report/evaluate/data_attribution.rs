//! Attributions to training cases: what `xai casebased attribution compare` finds.

use std::path::{Path, PathBuf};

use xai_files::samples::FileSamples;
use xai_files::{Failure, InFile};
use xai_metrics::attribution::Layout;
use xai_metrics::attribution::model::Samples;
use xai_report::Origin;
use xai_report::section::data_attribution::DataAttribution;

use crate::Context;
use crate::casebased::attribution::compare::{CompareAttributions, ComparedAttributions};

/// Computes the section; `images` are the files of training and test cases.
///
/// # Errors
/// As the command; for images that are not one of each case.
pub(crate) fn evaluate(
    arguments: &CompareAttributions,
    images: &[Option<PathBuf>; 2],
    mut origin: Origin,
    context: &Context,
) -> Result<DataAttribution, Failure> {
    let compared = arguments.evaluate(context)?;
    origin.remarks.extend(compared.remark().map(str::to_owned));
    let ComparedAttributions {
        comparison, table, ..
    } = &compared;
    let (n_test, n_train) = compared.n_cases;
    let opened = |file: &Option<PathBuf>, n: usize| {
        let opened = file.as_ref().map(|file| open_images(file, n).in_file(file));
        opened.transpose()
    };
    let images = [opened(&images[0], n_train)?, opened(&images[1], n_test)?];
    let section = DataAttribution::new(origin, comparison, table, (n_test, n_train));
    let mut section = section.map_err(Failure::new)?;
    let samples = DataAttribution::shown(table, n_test);
    let rows = match samples.is_empty() {
        true => None,
        false => arguments.rows_of(&samples)?,
    };
    let Some(rows) = rows else {
        return Ok(section);
    };
    section.show(&samples, &rows, compared.known());
    if let [Some(train), Some(test)] = images {
        let gathered = |images: &FileSamples, cases: &[usize]| {
            images.gather(cases).map(|some| some.mapv(|x| x as f32))
        };
        let (train, test) = (
            gathered(&train, &section.shown_cases())?,
            gathered(&test, &samples)?,
        );
        section.show_images(&train, &test, Layout::ChannelsLast);
    }
    Ok(section)
}

/// Grey, RGB, or RGB with transparency.
const MOST_CHANNELS: usize = 4;

/// Opens the file of an image for each of `n` cases.
fn open_images(file: &Path, n: usize) -> Result<FileSamples, Failure> {
    let images = FileSamples::open(file)?;
    match images.shape() {
        [of, _, _] | [of, _, _, 1..=MOST_CHANNELS] if *of == n => Ok(images),
        shape => {
            let failure = Failure::new(format!(
                "expected images ({n}, height, width) or ({n}, height, width, channels), at most {MOST_CHANNELS} channels, got {shape:?}"
            ));
            Err(match shape {
                [of, 1..=MOST_CHANNELS, _, _] if *of == n => {
                    failure.help("the channels look first: numpy.moveaxis(images, 1, -1)")
                }
                _ => failure,
            })
        }
    }
}
