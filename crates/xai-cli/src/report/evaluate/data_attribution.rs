//! Attributions to training cases: what `xai casebased attribution compare` finds.

use std::path::PathBuf;

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
        let gathered = |file: &PathBuf, n: usize, cases: &[usize]| {
            let all = FileSamples::open(file)?;
            match all.shape() {
                [of, _, _] | [of, _, _, _] if *of == n => {
                    all.gather(cases).map(|some| some.mapv(|x| x as f32))
                }
                shape => Err(Failure::new(format!(
                    "expected images ({n}, height, width) or ({n}, height, width, channels), got {shape:?}"
                ))),
            }
            .in_file(file)
        };
        let cases = section.shown_cases();
        let (train, test) = (
            gathered(train, n_train, &cases)?,
            gathered(test, n_test, &samples)?,
        );
        section.show_images(&train, &test, Layout::ChannelsLast);
    }
    Ok(section)
}
