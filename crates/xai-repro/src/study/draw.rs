//! One draw of the study, and how it is written down.

use std::fmt::Write;
use std::io::BufRead;

use xai_core::{Error, Result};

use crate::{ClassDistribution, ErrorSet, PairMetric};

/// One draw of the study: the setting, and each metric's mean over the pairs of runs.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StudyDraw {
    /// The number of the draw; with the seed it determines the rest.
    pub draw: u64,
    /// The number of classes.
    pub n_classes: usize,
    /// The law of the true labels.
    pub label_distribution: ClassDistribution,
    /// The law of the labels that runs draw where they may err.
    pub error_distribution: ClassDistribution,
    /// Whether the error law favours the classes that are rare among the true labels.
    pub error_reversed: bool,
    /// Where runs may err.
    pub error_set: ErrorSet,
    /// The largest share of samples that a run gets wrong, `s`.
    pub max_error_share: f64,
    /// The share of errors that runs copy from a common base, `r`; `None` where runs are independent.
    pub copied: Option<f64>,
    /// The mean accuracy of the runs.
    pub accuracy: f64,
    /// The mean of each metric over the pairs, in the order of [`StudyDraw::METRICS`]; `None` where no
    /// pair defines it.
    pub metrics: Vec<Option<f64>>,
}

/// The columns of the setting.
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

impl StudyDraw {
    /// The number of metrics of a draw.
    pub const N_METRICS: usize = PairMetric::ALL.len() + 3;

    /// The names of the metrics of a draw: those of [`PairMetric::ALL`], then the agreement of all
    /// runs at once.
    pub const METRICS: [&str; Self::N_METRICS] = [
        "ec_local",
        "ec_global",
        "ec_acc",
        "ec_corr",
        "pa_acc",
        "pa_kappa",
        "pa_cramers_v",
        "ec_matthews",
        "pa_disagreement",
        "pa_nmi",
        "fleiss_kappa",
        "krippendorff_alpha",
        "gwet_ac1",
    ];

    /// The first line of a file of draws, without its end.
    #[must_use]
    pub fn csv_header() -> String {
        let columns: Vec<&str> = SETTING.into_iter().chain(Self::METRICS).collect();
        columns.join(",")
    }

    /// The draw as a line of such a file, without its end. Numbers are written so that reading gives
    /// the same bits.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut line = format!(
            "{},{},{},{},{},{},{},",
            self.draw,
            self.n_classes,
            self.label_distribution,
            self.error_distribution,
            self.error_reversed,
            self.error_set,
            self.max_error_share,
        );
        let mut cell = |value: Option<f64>| {
            if let Some(value) = value {
                // Writing to a string does not fail.
                let _ = write!(line, "{value}");
            }
            line.push(',');
        };
        cell(self.copied);
        cell(Some(self.accuracy));
        for &value in &self.metrics {
            cell(value);
        }
        line.pop();
        line
    }

    /// The draw that a line holds.
    ///
    /// # Errors
    /// [`Error::Corrupt`] for a line that [`to_csv`](Self::to_csv) does not write.
    ///
    /// ```
    /// use xai_repro::{Study, StudyDraw};
    /// let draw = Study::builder().n_samples(100).build()?.draw(3)?;
    /// assert_eq!(StudyDraw::from_csv(&draw.to_csv())?, draw);
    /// # Ok::<(), xai_repro::Error>(())
    /// ```
    pub fn from_csv(line: &str) -> Result<Self> {
        let cells: Vec<&str> = line.split(',').collect();
        if cells.len() != SETTING.len() + Self::N_METRICS {
            return Err(damaged(format!(
                "a line of {} cells, expected {}",
                cells.len(),
                SETTING.len() + Self::N_METRICS
            )));
        }
        let (setting, metrics) = cells.split_at(SETTING.len());
        Ok(Self {
            draw: parse(setting, 0)?,
            n_classes: parse(setting, 1)?,
            label_distribution: parse(setting, 2)?,
            error_distribution: parse(setting, 3)?,
            error_reversed: parse(setting, 4)?,
            error_set: parse(setting, 5)?,
            max_error_share: present(number(setting[6])?, 6)?,
            copied: number(setting[7])?,
            accuracy: present(number(setting[8])?, 8)?,
            metrics: metrics
                .iter()
                .map(|cell| number(cell))
                .collect::<Result<_>>()?,
        })
    }

    /// The draws of an interrupted file, and the number of bytes they take: what is beyond is half a line,
    /// to be cut off before going on. An empty file has none, and 0 bytes.
    ///
    /// # Errors
    /// [`Error::Corrupt`] for another header, a line that is not a draw, or draws that do not count up
    /// from 0; [`Error::Io`] when reading fails.
    ///
    /// ```
    /// use xai_repro::{Study, StudyDraw};
    /// let study = Study::builder().n_samples(100).build()?;
    /// let whole = format!("{}\n{}\n", StudyDraw::csv_header(), study.draw(0)?.to_csv());
    /// let interrupted = format!("{whole}1,7,step");
    /// let (draws, bytes) = StudyDraw::read_csv(interrupted.as_bytes())?;
    /// assert_eq!((draws.len(), bytes), (1, whole.len() as u64));
    /// # Ok::<(), xai_repro::Error>(())
    /// ```
    pub fn read_csv(mut file: impl BufRead) -> Result<(Vec<Self>, u64)> {
        let mut draws = Vec::new();
        let mut bytes = 0u64;
        let mut line = String::new();
        loop {
            line.clear();
            let read = file.read_line(&mut line).map_err(|source| Error::Io {
                what: "draws of the study".into(),
                source,
            })?;
            let Some(whole) = line.strip_suffix('\n') else {
                // Half a header may be overwritten; somebody else's file may not.
                if bytes == 0 && !Self::csv_header().starts_with(&line) {
                    return Err(damaged("another header".to_owned()));
                }
                return Ok((draws, bytes));
            };
            if bytes == 0 {
                if whole != Self::csv_header() {
                    return Err(damaged("another header".to_owned()));
                }
            } else {
                let draw = Self::from_csv(whole)?;
                if draw.draw != draws.len() as u64 {
                    return Err(damaged(format!(
                        "draw {} where {} was expected",
                        draw.draw,
                        draws.len()
                    )));
                }
                draws.push(draw);
            }
            bytes += read as u64;
        }
    }
}

fn damaged(why: String) -> Error {
    Error::Corrupt {
        what: "draws of the study".into(),
        why: why.into(),
    }
}

fn parse<T: std::str::FromStr>(cells: &[&str], at: usize) -> Result<T> {
    cells[at]
        .parse()
        .map_err(|_| damaged(format!("\"{}\" in column {}", cells[at], SETTING[at])))
}

fn present(value: Option<f64>, column: usize) -> Result<f64> {
    value.ok_or_else(|| damaged(format!("nothing in column {}", SETTING[column])))
}

fn number(cell: &str) -> Result<Option<f64>> {
    match cell {
        "" => Ok(None),
        cell => cell
            .parse()
            .ok()
            .filter(|x: &f64| x.is_finite())
            .map(Some)
            .ok_or_else(|| damaged(format!("\"{cell}\" is not a number"))),
    }
}
