//! Training and test rows from tables.

use std::path::{Path, PathBuf};

use ndarray::Array2;
use xai_metrics::casebased::training::MetadataColumn;
use xai_metrics::casebased::{CaseExplainer, Explanation, help};

use crate::failure::{Failure, Files, InFiles};
use crate::input::table::Table;

/// A training table: features, labels, and columns that only accompany them.
pub(crate) struct Training {
    pub(crate) features: Vec<String>,
    pub(crate) rows: Array2<f64>,
    pub(crate) labels: Vec<i64>,
    pub(crate) metadata: Vec<(String, MetadataColumn)>,
    /// Columns that begin as numbers and are left out for a cell further down: name and row.
    pub(crate) left_out: Vec<(String, usize)>,
}

/// A column that may be a feature.
struct Candidate {
    column: usize,
    values: Vec<f64>,
    /// The first value that is not finite; an error once the column is known to be numeric.
    not_finite: Option<Failure>,
}

impl Training {
    /// Reads a table piece by piece, so that its text is never in memory as a whole. All columns
    /// whose every cell is a number are features, but for the label and the `excluded` ones.
    pub(crate) fn read(
        pieces: impl Iterator<Item = Result<Table, Failure>>,
        label: &str,
        metadata: &[String],
        excluded: &[&str],
    ) -> Result<Self, Failure> {
        let mut file = PathBuf::new();
        let mut header: Option<Vec<String>> = None;
        let mut labels = Vec::new();
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut left_out = Vec::new();
        let mut accompanying: Vec<Vec<String>> = vec![Vec::new(); metadata.len()];
        for piece in pieces {
            let piece = piece?;
            if header.is_none() {
                file = piece.file().to_owned();
                header = Some(piece.header().to_vec());
                let is_candidate = |name: &String| {
                    name != label && !metadata.contains(name) && !excluded.contains(&name.as_str())
                };
                let columns =
                    (0..piece.header().len()).filter(|&i| is_candidate(&piece.header()[i]));
                candidates = columns
                    .map(|column| Candidate {
                        column,
                        values: Vec::new(),
                        not_finite: None,
                    })
                    .collect();
            }
            labels.extend(piece.labels(label)?);
            candidates.retain_mut(|candidate| match candidate.add(&piece) {
                None => true,
                Some(row) => {
                    if row > 1 {
                        left_out.push((piece.header()[candidate.column].clone(), row));
                    }
                    false
                }
            });
            for (name, values) in metadata.iter().zip(&mut accompanying) {
                let column = piece.column(name)?;
                values.extend((0..piece.n_rows()).map(|row| piece.text(row, column).to_owned()));
            }
        }
        if let Some(failure) = candidates.iter_mut().find_map(|c| c.not_finite.take()) {
            return Err(failure);
        }
        if candidates.is_empty() {
            let failure = Failure::new("no numeric column beside the label");
            return Err(failure.in_file(&file));
        }
        let header = header.unwrap_or_default();
        let shape = (labels.len(), candidates.len());
        let rows = Array2::from_shape_fn(shape, |(row, feature)| candidates[feature].values[row]);
        Ok(Self {
            features: candidates
                .iter()
                .map(|c| header[c.column].clone())
                .collect(),
            rows,
            labels,
            metadata: metadata
                .iter()
                .zip(accompanying)
                .map(|(name, values)| (name.clone(), typed(values)))
                .collect(),
            left_out,
        })
    }
}

impl Candidate {
    /// Adds a piece of the column, or says which row is no number.
    fn add(&mut self, piece: &Table) -> Option<usize> {
        for row in 0..piece.n_rows() {
            let Ok(value) = piece.text(row, self.column).parse::<f64>() else {
                return Some(piece.row_number(row));
            };
            if !value.is_finite() && self.not_finite.is_none() {
                self.not_finite = Some(piece.cell(row, self.column, "a finite number"));
            }
            self.values.push(value);
        }
        None
    }
}

/// The narrowest type that all values of a column have. A whole number that would be printed in
/// another way, as a code with leading zeros would, keeps the column text.
fn typed(values: Vec<String>) -> MetadataColumn {
    fn all<T: std::str::FromStr>(values: &[String]) -> Option<Vec<T>> {
        values.iter().map(|value| value.parse().ok()).collect()
    }
    let as_printed = |value: &String| value.parse().map_or(true, |x: i64| x.to_string() == *value);
    if !values.iter().all(as_printed) {
        return values.into();
    }
    if let Some(integers) = all::<i64>(&values) {
        return integers.into();
    }
    if let Some(numbers) = all::<f64>(&values) {
        return numbers.into();
    }
    match all::<bool>(&values) {
        Some(booleans) => booleans.into(),
        None => values.into(),
    }
}

/// Test rows with the features of a training table, by name.
pub(crate) struct Samples {
    pub(crate) rows: Array2<f64>,
    pub(crate) predicted: Option<Vec<i64>>,
    pub(crate) truth: Option<Vec<i64>>,
}

impl Samples {
    /// The first `limit` rows of a test table; the true class is known where it has the label
    /// column.
    pub(crate) fn read(
        test: &Table,
        features: &[String],
        label: Option<&str>,
        predicted: Option<&str>,
        limit: usize,
    ) -> Result<Self, Failure> {
        let test = test.first_rows(limit);
        let truth = match label {
            Some(label) if test.has_column(label) => Some(test.labels(label)?),
            _ => None,
        };
        Ok(Self {
            rows: test.matrix(features)?,
            predicted: predicted.map(|name| test.labels(name)).transpose()?,
            truth,
        })
    }

    /// Explains the rows.
    pub(crate) fn explain(
        &self,
        explainer: &CaseExplainer,
        file: &Path,
    ) -> Result<Vec<Explanation>, Failure> {
        let explanations = match &self.predicted {
            Some(predicted) => explainer.explain_batch(self.rows.view(), predicted),
            None => explainer.explain_votes(self.rows.view()),
        };
        let explanations = match &self.truth {
            Some(truth) => explanations.and_then(|e| explainer.with_truth(e, truth)),
            None => explanations,
        };
        explanations.in_files(&self.files(file))
    }

    /// What errors about the rows are about.
    pub(crate) fn files<'a>(&self, file: &'a Path) -> Files<'a> {
        Files::mainly(file).ways_out(&[
            (
                help::DO_NOT_SCALE,
                "leave the row out, pass --no-scale, or choose another --metric",
            ),
            (help::ASK_MORE_NEIGHBORS, "ask more neighbours: -k"),
        ])
    }
}
