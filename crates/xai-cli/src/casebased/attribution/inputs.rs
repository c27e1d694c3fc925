//! Inputs of a metric from files.

use std::path::Path;

use ndarray::{CowArray, Ix2, IxDyn};
use xai_files::samples::FileSamples;
use xai_files::{Failure, Files, InFile, InFiles, arrays};
use xai_metrics::attribution::model::Samples;
use xai_metrics::casebased::data_attribution::{
    AttributionData, AttributionRows, InputArray, Subsets, spec,
};
use xai_metrics::casebased::input;
use xai_metrics::common::Input;
use xai_metrics::common::describe::Element;

use crate::metric_commands::InputFiles;

/// Rows of a file, in memory or read block by block.
struct FileRows {
    samples: FileSamples,
    shape: (usize, usize),
}

impl FileRows {
    fn open(file: &Path) -> Result<Self, Failure> {
        let samples = FileSamples::open(file)?;
        match samples.shape() {
            &[n_test, n_train] => Ok(Self {
                shape: (n_test, n_train),
                samples,
            }),
            shape => {
                let expected = format!("expected shape (n_test, n_train), got {shape:?}");
                Err(Failure::new(expected)).in_file(file)
            }
        }
    }
}

impl AttributionRows for FileRows {
    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn rows(
        &self,
        rows: std::ops::Range<usize>,
    ) -> Result<CowArray<'_, f64, Ix2>, Box<dyn std::error::Error + Send + Sync>> {
        Ok(self.samples.batch(rows)?.into_dimensionality()?)
    }
}

/// Reads the files of a metric.
pub(super) fn read(files: &InputFiles) -> Result<AttributionData<'static>, Failure> {
    let mut data = AttributionData::default();
    for (input, file) in files.iter() {
        add(&mut data, input, file)?;
    }
    Ok(data)
}

/// The file of every input; shapes follow from the attributions.
pub(super) fn places(files: &InputFiles) -> Files<'_> {
    let Some(attributions) = files.get(input::ATTRIBUTIONS) else {
        return files.places();
    };
    let inputs = files.iter().map(|(input, _)| input);
    let others: Vec<Input> = inputs.filter(|&it| it != input::ATTRIBUTIONS).collect();
    files.places().shaped_by(&others, attributions)
}

/// Reads the file of an input by its description. An input that was read before, of another explainer, is replaced.
pub(super) fn add(
    data: &mut AttributionData<'static>,
    input: Input,
    file: &Path,
) -> Result<(), Failure> {
    let rows = |file| Ok::<_, Failure>(InputArray::Rows(Box::new(FileRows::open(file)?)));
    match (input, spec(input).map(|spec| spec.element)) {
        (input::ATTRIBUTIONS | input::RANDOM_ATTRIBUTIONS, _) => data.insert(input, rows(file)?),
        (_, Some(Element::Number)) => data.insert(input, arrays::read_f64::<IxDyn>(file)?),
        (_, Some(Element::Subset)) => {
            let n_train = data.n_cases().map_or(0, |(_, n_train)| n_train);
            data.insert(input, read_subsets(file, n_train)?);
        }
        // Booleans would be positions 0 and 1.
        (_, Some(Element::Integer)) => data.insert(input, arrays::read_positions::<IxDyn>(file)?),
        _ => data.insert(input, arrays::read_labels::<IxDyn>(file)?),
    }
    Ok(())
}

/// Subsets as a mask, or as positions of training rows.
fn read_subsets(file: &Path, n_train: usize) -> Result<Subsets, Failure> {
    let stored = arrays::read(file)?;
    let is_boolean = stored.is_boolean();
    let subsets = stored.into_integers::<Ix2>()?;
    if is_boolean {
        return Ok(Subsets::from_mask(
            subsets.mapv(|member| member == 1).view(),
        ));
    }
    let subsets = subsets.rows().into_iter().map(|row| row.to_vec());
    let files = Files::with_main_file(file).file(&[input::SUBSETS], file);
    Subsets::from_integers(n_train, subsets).in_files(&files)
}
