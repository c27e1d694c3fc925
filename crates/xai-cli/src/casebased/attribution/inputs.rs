//! What a metric is computed from, as the files have it.

use std::path::{Path, PathBuf};

use ndarray::{Array, Array2, Array3, CowArray, Dimension, Ix1, Ix2};
use xai_files::samples::FileSamples;
use xai_files::{Failure, Files, InFile, InFiles, arrays};
use xai_metrics::attribution::model::Samples;
use xai_metrics::casebased::data_attribution::{AttributionData, AttributionRows, Subsets};
use xai_metrics::casebased::input;
use xai_metrics::core::Input;

/// The arrays that were given, read but for attributions that are too large for memory.
#[derive(Default)]
pub(super) struct Inputs {
    attributions: Option<FileRows>,
    random_attributions: Option<FileRows>,
    labels: Vec<(Input, Vec<i64>)>,
    flags: Vec<(Input, Vec<bool>)>,
    places: Vec<(Input, Vec<usize>)>,
    lists: Vec<(Input, Vec<f64>)>,
    matrices: Vec<(Input, Array2<f64>)>,
    subsets: Option<Subsets>,
    logits: Option<Array3<f64>>,
    relevant: Option<Array2<bool>>,
    predictions: Option<Array2<i64>>,
}

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

impl Inputs {
    /// `(n_test, n_train)` of the attributions.
    pub(super) fn n_cases(&self) -> (usize, usize) {
        self.attributions.as_ref().map_or((0, 0), |rows| rows.shape)
    }

    /// Labels that were given.
    pub(super) fn labels(&self, of: Input) -> Option<&[i64]> {
        found(&self.labels, of).map(Vec::as_slice)
    }

    /// Flags that were given.
    pub(super) fn flags(&self, of: Input) -> Option<&[bool]> {
        found(&self.flags, of).map(Vec::as_slice)
    }

    /// Takes the scores of another explainer.
    pub(super) fn set_scores(&mut self, scores: Vec<f64>) {
        replace(&mut self.lists, input::SCORES, scores);
    }

    /// Reads the files of a metric.
    pub(super) fn read(files: &[(Input, PathBuf)]) -> Result<Self, Failure> {
        let mut read = Self::default();
        for (of, file) in files {
            read.add(*of, file)?;
        }
        Ok(read)
    }

    /// Reads a file. An input that was read before, of another explainer, is replaced.
    pub(super) fn add(&mut self, of: Input, file: &Path) -> Result<(), Failure> {
        match of {
            input::ATTRIBUTIONS => self.attributions = Some(FileRows::open(file)?),
            input::RANDOM_ATTRIBUTIONS => self.random_attributions = Some(FileRows::open(file)?),
            input::TRAIN_LABELS | input::TEST_CLASSES | input::TARGETS => {
                let labels = arrays::read_labels::<Ix1>(file)?.to_vec();
                replace(&mut self.labels, of, labels);
            }
            input::KEEP | input::FLAGS => {
                let flags = booleans::<Ix1>(file)?.to_vec();
                replace(&mut self.flags, of, flags);
            }
            input::REMOVED | input::KS => {
                let places = arrays::read_places::<Ix1>(file)?;
                let places = places_of(places.iter()).in_file(file)?;
                replace(&mut self.places, of, places);
            }
            input::SCORES | input::LOG_PROB => {
                let list = arrays::read_f64::<Ix1>(file)?.to_vec();
                replace(&mut self.lists, of, list);
            }
            input::OUTPUTS | input::DROPS | input::LOG_PROB_AFTER => {
                replace(&mut self.matrices, of, arrays::read_f64(file)?);
            }
            input::SUBSETS => self.subsets = Some(self.subsets_of(file)?),
            input::LOGITS => self.logits = Some(arrays::read_f64(file)?),
            input::RELEVANT => self.relevant = Some(booleans(file)?),
            // The only one that is left.
            _ => self.predictions = Some(arrays::read_labels(file)?),
        }
        Ok(())
    }

    /// Subsets as a mask, or as positions of training cases.
    fn subsets_of(&self, file: &Path) -> Result<Subsets, Failure> {
        let stored = arrays::read(file)?;
        if stored.is_boolean() {
            return Ok(Subsets::of_mask(booleans::<Ix2>(file)?.view()));
        }
        let n_train = self.attributions.as_ref().map_or(0, |rows| rows.shape.1);
        let subsets = stored.into_integers::<Ix2>()?;
        let subsets = subsets.rows().into_iter().map(|row| row.to_vec());
        let of_file = Files::mainly(file).file(&[input::SUBSETS], file);
        Subsets::of_integers(n_train, subsets).in_files(&of_file)
    }

    /// The data for the library.
    pub(super) fn data(&self) -> AttributionData<'_> {
        let mut data = match &self.attributions {
            Some(rows) => AttributionData::new(rows),
            None => AttributionData::default(),
        };
        if let Some(rows) = &self.random_attributions {
            data = data.random_attributions(rows);
        }
        for (of, labels) in &self.labels {
            data = match *of {
                input::TRAIN_LABELS => data.train_labels(labels),
                input::TEST_CLASSES => data.test_classes(labels),
                _ => data.targets(labels),
            };
        }
        for (of, flags) in &self.flags {
            data = match *of {
                input::KEEP => data.keep(flags),
                _ => data.flags(flags),
            };
        }
        if let Some(subsets) = &self.subsets {
            data = data.subsets(subsets);
        }
        if let Some(logits) = &self.logits {
            data = data.logits(logits.view());
        }
        if let Some(relevant) = &self.relevant {
            data = data.relevant(relevant.view());
        }
        if let Some(removed) = found(&self.places, input::REMOVED) {
            data = data.removed(removed);
        }
        if let Some(scores) = found(&self.lists, input::SCORES) {
            data = data.scores(scores);
        }
        if let Some(outputs) = found(&self.matrices, input::OUTPUTS) {
            data = data.outputs(outputs.view());
        }
        if let Some(drops) = found(&self.matrices, input::DROPS) {
            data = data.drops(drops.view());
        }
        let before = found(&self.lists, input::LOG_PROB);
        if let Some((before, after)) = before.zip(found(&self.matrices, input::LOG_PROB_AFTER)) {
            data = data.log_probs(before, after.view());
        }
        let ks = found(&self.places, input::KS);
        if let Some((ks, predictions)) = ks.zip(self.predictions.as_ref()) {
            data = data.predictions(ks, predictions.view());
        }
        data
    }
}

fn replace<T>(read: &mut Vec<(Input, T)>, of: Input, array: T) {
    read.retain(|(other, _)| *other != of);
    read.push((of, array));
}

fn found<T>(read: &[(Input, T)], wanted: Input) -> Option<&T> {
    read.iter()
        .find_map(|(of, array)| (*of == wanted).then_some(array))
}

/// Booleans, or 0 and 1.
fn booleans<D: Dimension>(file: &Path) -> Result<Array<bool, D>, Failure> {
    let labels = arrays::read_labels::<D>(file)?;
    let other = labels.iter().find(|&&label| !matches!(label, 0 | 1));
    match other {
        None => Ok(labels.mapv(|label| label == 1)),
        Some(other) => Err(Failure::new(format!(
            "{other}: expected booleans, or 0 and 1"
        )))
        .in_file(file),
    }
}

/// Numbers of cases.
fn places_of<'a>(numbers: impl Iterator<Item = &'a i64>) -> Result<Vec<usize>, Failure> {
    let place = |&number: &i64| {
        usize::try_from(number)
            .map_err(|_| Failure::new(format!("{number}: expected numbers of at least 0")))
    };
    numbers.map(place).collect()
}
