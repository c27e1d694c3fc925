//! `xai attribution texts`: attributions of the tokens of texts, compared with human rationales.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use xai_files::table::{Columns, Table};
use xai_files::{Failure, Files, InFile, InFiles};
use xai_metrics::attribution::input;
use xai_metrics::attribution::metric::{
    MaskFormula, MaskMetric, RationaleAuprc, TokenF1, TokenIou, key,
};
use xai_metrics::common::describe::{Described, Parameters};
use xai_metrics::common::evaluation::{
    EvaluationTable, EvaluationValues, MetricValues, check_names, check_size, parameter_settings,
};

use crate::named::Named;
use crate::output::text;
use crate::repro::table_runs::is_csv;
use crate::usage::interval_options::IntervalOptions;
use crate::{Context, examples};

/// Texts with the attributions of their tokens, and how far they agree with what people marked.
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai attribution texts --texts reviews.json",
    "xai attribution texts --texts reviews.csv --json",
]))]
pub(crate) struct Texts {
    /// The texts. JSON: {"tokens": [["not", "bad"], …], "explainers": {NAME: [[0.5, -0.2], …]}, "rationales": [[0, 1],
    /// …]}. CSV: a row for each token with the columns sample, token, perhaps rationale, and one for each explainer.
    /// Rationales are the tokens that people marked, 0 and 1, and may be missing. Where a token has a space at an end,
    /// texts are written as the tokens have it, else with spaces between.
    #[arg(long, value_name = "TEXTS.json|csv")]
    texts: PathBuf,
    #[command(flatten)]
    intervals: IntervalOptions,
}

/// Texts with the attributions of their tokens and human rationales.
#[derive(Debug, Default)]
pub(crate) struct TextFile {
    pub(crate) tokens: Vec<Vec<String>>,
    /// Names of the texts; `None` if the file has none, or if they are just the numbers from 0.
    pub(crate) names: Option<Vec<String>>,
    /// Explainers by name: the attribution of each token of each text.
    pub(crate) explainers: Vec<(String, Vec<Vec<f64>>)>,
    pub(crate) rationales: Option<Vec<Vec<bool>>>,
}

/// Texts with the table of their metrics.
pub(crate) struct ComparedTexts {
    pub(crate) file: TextFile,
    pub(crate) table: EvaluationTable,
}

impl Texts {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let compared = self.evaluate(context)?;
        let mut json = serde_json::to_value(compared.table.by_name()).map_err(Failure::new)?;
        if let Some(object) = json.as_object_mut() {
            object.remove("model_calls");
            if let Some(names) = &compared.file.names {
                object.insert("samples".to_owned(), names.as_slice().into());
            }
        }
        context.present(&json, || compared.to_text())
    }

    /// The metrics of the rationales; none if the file has no rationales. Fails if the rationales mark no token at all.
    pub(crate) fn evaluate(&self, context: &Context) -> Result<ComparedTexts, Failure> {
        let file = TextFile::read(&self.texts)?;
        let places = Files::with_main_file(&self.texts)
            .file(&[input::EXPLAINERS], &self.texts)
            .options(&IntervalOptions::NAMES);
        let names: Vec<&str> = file
            .explainers
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        check_names(input::EXPLAINERS, &names).in_files(&places)?;
        let statistics = self.intervals.statistics(context);
        check_size(N_METRICS, names.len(), &statistics).in_files(&places)?;
        let mut metrics = Vec::new();
        if let Some(marks) = &file.rationales {
            check_marks(marks).in_file(&self.texts)?;
            metrics = vec![
                file.values(&RationaleAuprc::new(), &places)?,
                file.values(&TokenF1::new(), &places)?,
                file.values(&TokenIou::new(), &places)?,
            ];
        }
        let values = EvaluationValues::new(names, file.tokens.len(), metrics);
        let table = values.table(&statistics).in_files(&places)?;
        Ok(ComparedTexts { file, table })
    }
}

/// Number of metrics of rationales.
const N_METRICS: usize = 3;

/// Refuses rationales without a marked token, for which all metrics are undefined.
fn check_marks(marks: &[Vec<bool>]) -> Result<(), Failure> {
    if marks.iter().flatten().any(|mark| *mark) {
        return Ok(());
    }
    let failure = Failure::new("rationales: no token of any text is marked");
    Err(failure.help("mark the tokens that matter with 1, or leave the rationales out"))
}

/// Whether an error says that a metric is undefined for every sample.
fn is_undefined(error: &xai_metrics::Error) -> bool {
    error.input() == input::VALUES && matches!(error.kind(), xai_metrics::ErrorKind::Empty)
}

impl TextFile {
    pub(crate) fn read(file: &Path) -> Result<Self, Failure> {
        let texts = if is_csv(file) {
            Self::from_csv(file)?
        } else {
            Self::from_json(file)?
        };
        texts.check().in_file(file)?;
        Ok(texts)
    }

    fn from_json(file: &Path) -> Result<Self, Failure> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Stored {
            tokens: Vec<Vec<String>>,
            explainers: Named<Vec<Vec<f64>>>,
            rationales: Option<Vec<Option<Vec<Mark>>>>,
        }
        let form = "`xai attribution texts --help` shows the form";
        let stored: Stored = xai_files::json::read(file, form)?;
        let rationales = stored.rationales.map(|texts| {
            let marks = |(i, marks): (usize, Option<Vec<Mark>>)| {
                let marks = marks.ok_or_else(|| {
                    Failure::new(format_args!("rationales[{i}] is null: expected 0 or 1 for each token"))
                        .help("leave texts without a rationale out, and write zeros if people marked nothing in one")
                })?;
                Ok(marks.into_iter().map(|mark| mark.0).collect())
            };
            texts.into_iter().enumerate().map(marks).collect::<Result<_, Failure>>()
        });
        Ok(Self {
            tokens: stored.tokens,
            names: None,
            explainers: stored.explainers.0,
            rationales: rationales.transpose().in_file(file)?,
        })
    }

    /// Reads a row for each token. The rows of a text have to be adjacent.
    fn from_csv(file: &Path) -> Result<Self, Failure> {
        let table = Table::read(file)?;
        let header = table.header();
        let (sample, token) = (table.column("sample")?, table.column("token")?);
        let rationale = header.position("rationale");
        let is_own = |column| [Some(sample), Some(token), rationale].contains(&Some(column));
        let numbers = (0..header.n_columns())
            .filter(|&column| !is_own(column) && !header.is_index(column))
            .collect();
        let columns = Columns {
            numbers,
            texts: [sample, token].into_iter().chain(rationale).collect(),
        };
        let piece = table.whole(&columns)?;
        let odd = piece
            .first_invalid()
            .into_iter()
            .chain(piece.first_missing());
        if let Some((column, cell)) = odd.min_by_key(|(column, cell)| (cell.row, *column)) {
            return Err(piece.cell(cell.row, column, &cell.text, "a finite number"));
        }
        let (samples, tokens) = (piece.text(sample)?, piece.text(token)?);
        // Where each text ends.
        let is_last =
            |row: &usize| *row == piece.n_rows() || samples.get(*row) != samples.get(*row - 1);
        let ends: Vec<usize> = (1..=piece.n_rows()).filter(is_last).collect();
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let rows: Vec<_> = starts.zip(&ends).map(|(start, &end)| start..end).collect();
        // Separated rows of a text would be counted as two texts.
        let mut seen = HashSet::new();
        if let Some(again) = rows
            .iter()
            .find(|rows| !seen.insert(samples.get(rows.start)))
        {
            let name = samples.get(again.start);
            return Err(piece.cell(again.start, sample, name, "the rows of a sample together"));
        }
        let mark = |row, column| match piece.text(column)?.get(row) {
            "0" | "0.0" | "false" | "False" | "FALSE" => Ok(false),
            "1" | "1.0" | "true" | "True" | "TRUE" => Ok(true),
            other => Err(piece.cell(row, column, other, "0 or 1, or false or true")),
        };
        let rationales = rationale.map(|column| {
            let of_text = |rows: &Range<usize>| rows.clone().map(|row| mark(row, column)).collect();
            rows.iter().map(of_text).collect::<Result<_, Failure>>()
        });
        let names: Vec<&str> = rows.iter().map(|rows| samples.get(rows.start)).collect();
        // Names that are the numbers from 0 are not stored: texts without names are called by these numbers.
        let are_counted = (0..names.len()).all(|i| names[i] == i.to_string());
        let values = piece.numbers();
        let numbers = columns.numbers.iter().zip(values.columns());
        let explainers = numbers.map(|(&column, values)| {
            let maps = rows
                .iter()
                .map(|rows| rows.clone().map(|row| values[row]).collect());
            (
                piece.context().header().name(column).to_owned(),
                maps.collect(),
            )
        });
        Ok(Self {
            // Spaces at the ends of tokens are kept, because texts may be written with them.
            tokens: rows
                .iter()
                .map(|rows| {
                    rows.clone()
                        .map(|row| tokens.verbatim(row).to_owned())
                        .collect()
                })
                .collect(),
            names: (!are_counted).then(|| names.into_iter().map(str::to_owned).collect()),
            explainers: explainers.collect(),
            rationales: rationales.transpose()?,
        })
    }

    /// The name of a text, or its number.
    fn name(&self, sample: usize) -> String {
        let named = self.names.as_ref().map(|names| names[sample].clone());
        named.unwrap_or_else(|| sample.to_string())
    }

    /// A part of a text in messages: `tokens[3]`.
    fn place(&self, part: &str, sample: usize) -> String {
        match &self.names {
            Some(names) => format!("{part} of text `{}`", names[sample]),
            None => format!("{part}[{sample}]"),
        }
    }

    /// Checks that attributions and rationales have a finite value for each token.
    fn check(&self) -> Result<(), Failure> {
        let lengths: Vec<usize> = self.tokens.iter().map(Vec::len).collect();
        if lengths.is_empty() {
            return Err(Failure::new("there are no texts"));
        }
        if let Some(empty) = lengths.iter().position(|n| *n == 0) {
            return Err(Failure::new(format_args!(
                "{} is empty: a text needs a token",
                self.place("tokens", empty)
            )));
        }
        let check = |what: &str, of: Vec<usize>| {
            if of.len() != lengths.len() {
                let (n, found) = (lengths.len(), of.len());
                return Err(Failure::new(format_args!(
                    "{what}: expected {n} texts, got {found}"
                )));
            }
            match (0..of.len()).find(|&sample| of[sample] != lengths[sample]) {
                None => Ok(()),
                Some(sample) => Err(Failure::new(format_args!(
                    "{}: expected {} numbers, one for each token, got {}",
                    self.place(what, sample),
                    lengths[sample],
                    of[sample]
                ))),
            }
        };
        for (name, maps) in &self.explainers {
            check(name, maps.iter().map(Vec::len).collect())?;
            if let Some(sample) = maps
                .iter()
                .position(|map| map.iter().any(|x| !x.is_finite()))
            {
                return Err(Failure::new(format_args!(
                    "{}: not a finite number",
                    self.place(name, sample)
                )));
            }
        }
        self.rationales.as_ref().map_or(Ok(()), |marks| {
            check("rationales", marks.iter().map(Vec::len).collect())
        })
    }

    /// A metric of what people marked, of all explainers.
    fn values<F>(&self, metric: &MaskMetric<F>, places: &Files<'_>) -> Result<MetricValues, Failure>
    where
        F: MaskFormula,
        MaskMetric<F>: Described,
    {
        let info = <MaskMetric<F> as Described>::INFO;
        let marks = self.rationales.as_deref().unwrap_or_default();
        let n = self.tokens.len();
        let of_explainers = self.explainers.iter().map(|(name, maps)| {
            match metric.evaluate_ragged::<f64>(maps, marks) {
                Ok(value) => Ok(value.per_sample),
                // Undefined for every text is no error: other explainers and metrics may have values.
                Err(error) if is_undefined(&error) => Ok(vec![None; n]),
                Err(error) => Err(error.owner(name.clone())).in_files(places),
            }
        });
        let per_sample = of_explainers.collect::<Result<Vec<_>, Failure>>()?;
        let has_value = per_sample.iter().flatten().any(Option::is_some);
        let why = "in every text either no token is marked or all attributions are equal";
        Ok(MetricValues {
            is_share: info.range.is_share(),
            info: Some(info),
            settings: parameter_settings(&metric.params()),
            undefined: (!has_value).then(|| why.to_owned()),
            ..MetricValues::new(key(info), info.direction, per_sample)
        })
    }
}

/// A token's entry in a rationale: 0 or 1, false or true.
struct Mark(bool);

impl<'de> Deserialize<'de> for Mark {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde_json::Value;
        match Value::deserialize(deserializer)? {
            Value::Bool(mark) => Ok(Self(mark)),
            Value::Number(number) if number.as_f64() == Some(0.0) => Ok(Self(false)),
            Value::Number(number) if number.as_f64() == Some(1.0) => Ok(Self(true)),
            other => Err(D::Error::custom(format_args!(
                "rationales: {other}: expected 0 and 1, or false and true"
            ))),
        }
    }
}

/// Number of texts that are shown on a terminal, the first of the file, and number of tokens with the largest
/// attributions (by magnitude) that are shown for each text and explainer.
const SHOWN: (usize, usize) = (6, 3);

impl ComparedTexts {
    fn to_text(&self) -> String {
        let mut parts = Vec::new();
        if !self.table.metrics.is_empty() {
            parts.push(self.table.to_string());
        }
        let samples = self.file.tokens.iter().enumerate().take(SHOWN.0);
        let rows = samples.flat_map(|(sample, tokens)| {
            self.file.explainers.iter().map(move |(name, maps)| {
                let map = &maps[sample];
                let mut order: Vec<usize> = (0..map.len()).collect();
                order.sort_by(|&i, &j| map[j].abs().total_cmp(&map[i].abs()));
                let top = order.into_iter().take(SHOWN.1);
                let cells: Vec<String> = top
                    .map(|token| format!("{} ({:+.3})", tokens[token].trim(), map[token]))
                    .collect();
                [self.file.name(sample), name.clone(), cells.join(", ")]
            })
        });
        parts.push(text::table(
            &["text", "explainer", "largest attributions"],
            rows,
        ));
        parts.join("\n\n")
    }
}
