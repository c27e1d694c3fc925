//! Reading and writing of the draws of a study as CSV.

use std::fmt::Display;
use std::io::{BufRead, Write};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xai_core::{Error, Result};

use crate::input;
use crate::simulate::class_distribution::ClassDistribution;
use crate::simulate::predictions::ErrorSet;
use crate::study::mean_metrics::MeanMetrics;
use crate::study::simulation::StudyDraw;

/// Columns of the setting and the accuracy, in the order of the fields of [`StudyRow`].
const SETTING: [&str; 9] = [
    "draw",
    "n_classes",
    "label_distribution",
    "error_distribution",
    "error_reversed",
    "error_set",
    "max_error_share",
    "copied",
    "accuracy",
];

/// A draw as a row with the cells of [`columns`]. Numbers are written with enough digits to read the same bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StudyRow {
    draw: u64,
    n_classes: usize,
    label_distribution: Cell<ClassDistribution>,
    error_distribution: Cell<ClassDistribution>,
    error_reversed: bool,
    error_set: Cell<ErrorSet>,
    max_error_share: Cell<f64>,
    copied: Option<Cell<f64>>,
    accuracy: Cell<f64>,
    metrics: Vec<Option<Cell<f64>>>,
}

/// A value that is written by `Display` and read by `FromStr`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cell<T>(T);

impl<T: Display> Serialize for Cell<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de, T: FromStr> Deserialize<'de> for Cell<T>
where
    T::Err: Display,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let cell = String::deserialize(deserializer)?;
        cell.parse().map(Self).map_err(serde::de::Error::custom)
    }
}

impl From<&StudyDraw> for StudyRow {
    fn from(draw: &StudyDraw) -> Self {
        Self {
            draw: draw.draw,
            n_classes: draw.n_classes,
            label_distribution: Cell(draw.label_distribution),
            error_distribution: Cell(draw.error_distribution),
            error_reversed: draw.error_reversed,
            error_set: Cell(draw.error_set),
            max_error_share: Cell(draw.max_error_share),
            copied: draw.copied.map(Cell),
            accuracy: Cell(draw.accuracy),
            metrics: draw.metrics.iter().map(|value| value.map(Cell)).collect(),
        }
    }
}

impl From<StudyRow> for StudyDraw {
    fn from(row: StudyRow) -> Self {
        Self {
            draw: row.draw,
            n_classes: row.n_classes,
            label_distribution: row.label_distribution.0,
            error_distribution: row.error_distribution.0,
            error_reversed: row.error_reversed,
            error_set: row.error_set.0,
            max_error_share: row.max_error_share.0,
            copied: row.copied.map(|value| value.0),
            accuracy: row.accuracy.0,
            metrics: row
                .metrics
                .iter()
                .map(|cell| cell.map(|value| value.0))
                .collect(),
        }
    }
}

impl StudyDraw {
    /// True if all numbers are in their domains: shares in [0, 1], at least one class, and metrics finite.
    fn is_possible(&self) -> bool {
        let shares = [Some(self.max_error_share), self.copied, Some(self.accuracy)];
        let are_shares = shares
            .iter()
            .flatten()
            .all(|share| (0.0..=1.0).contains(share));
        let are_finite = self.metrics.iter().flatten().all(|value| value.is_finite());
        self.n_classes > 0 && are_shares && are_finite
    }
}

/// Names of the columns: setting and accuracy, then [`MeanMetrics::names`].
pub fn columns() -> impl Iterator<Item = &'static str> {
    SETTING.into_iter().chain(MeanMetrics::names())
}

/// Writes the header line of a file of draws.
///
/// # Errors
/// `Io` if writing fails.
pub fn write_header(file: impl Write) -> Result<()> {
    let mut writer = csv_writer(file);
    writer.write_record(columns()).map_err(write_error)?;
    writer
        .flush()
        .map_err(|error| Error::io(input::DRAWS, error))
}

/// Writes one line per draw.
///
/// # Errors
/// `Io` if writing fails.
pub fn write_draws(draws: &[StudyDraw], file: impl Write) -> Result<()> {
    let mut writer = csv_writer(file);
    for draw in draws {
        writer
            .serialize(StudyRow::from(draw))
            .map_err(write_error)?;
    }
    writer
        .flush()
        .map_err(|error| Error::io(input::DRAWS, error))
}

fn csv_writer<W: Write>(file: W) -> csv::Writer<W> {
    csv::WriterBuilder::new()
        .has_headers(false)
        .from_writer(file)
}

fn write_error(error: csv::Error) -> Error {
    Error::io(input::DRAWS, error.into())
}

/// Reads the draws of a file that may be incomplete, and returns them with the number of bytes of complete lines.
///
/// Bytes after that are an incomplete line; truncate the file there before appending. For an empty file, and for one
/// that ends within the header, the result is no draws and 0 bytes.
///
/// # Errors
/// `Corrupt` for another header, and, with the position of the draw as index, for a line that is not a draw or whose
/// draw number is not its position (from 0); `Io` if reading fails.
///
/// ```
/// use xai_repro::SimulationStudy;
/// use xai_repro::study::{StudySettings, read_draws, write_draws, write_header};
/// let study = SimulationStudy::new(StudySettings::default().n_samples(100))?;
/// let mut file = Vec::new();
/// write_header(&mut file)?;
/// write_draws(&study.simulate(0..1)?, &mut file)?;
/// let n_complete = file.len() as u64;
/// file.extend(b"1,7,step"); // interrupted
/// let (draws, bytes) = read_draws(&*file)?;
/// assert_eq!((draws, bytes), (study.simulate(0..1)?, n_complete));
/// # Ok::<(), xai_repro::Error>(())
/// ```
pub fn read_draws(mut file: impl BufRead) -> Result<(Vec<StudyDraw>, u64)> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .map_err(|error| Error::io(input::DRAWS, error))?;
    let header = columns().collect::<Vec<_>>().join(",") + "\n";
    let last_newline = bytes.iter().rposition(|&byte| byte == b'\n');
    let Some(last_newline) = last_newline else {
        // An incomplete header may be overwritten, but not a file with other content.
        return if header.as_bytes().starts_with(&bytes) {
            Ok((Vec::new(), 0))
        } else {
            Err(corrupt("another header"))
        };
    };
    let end = last_newline + 1;
    let Some(rows) = bytes[..end].strip_prefix(header.as_bytes()) else {
        return Err(corrupt("another header"));
    };
    Ok((parse(rows)?, end as u64))
}

/// Parses complete lines without the header.
fn parse(lines: &[u8]) -> Result<Vec<StudyDraw>> {
    // Flexible, because rows with a wrong number of cells are reported below with the position of the draw.
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(lines);
    let n_columns = columns().count();
    let mut draws = Vec::new();
    for record in reader.records() {
        let at = draws.len();
        let unreadable = |error: csv::Error| corrupt(error.to_string()).at(&[at]);
        let record = record.map_err(unreadable)?;
        if record.len() != n_columns {
            let why = format!("{} cells, expected {n_columns}", record.len());
            return Err(corrupt(why).at(&[at]));
        }
        let row: StudyRow = record.deserialize(None).map_err(unreadable)?;
        let draw = StudyDraw::from(row);
        if !draw.is_possible() {
            return Err(corrupt("a number that no study draws").at(&[at]));
        }
        if draw.draw != at as u64 {
            return Err(corrupt(format!("draw {}", draw.draw)).at(&[at]));
        }
        draws.push(draw);
    }
    Ok(draws)
}

fn corrupt(why: impl Into<xai_core::error::Name>) -> Error {
    Error::corrupt(input::DRAWS, why)
}
