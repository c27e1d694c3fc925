//! Schemas in TOML, whose features are columns by name and whose categories are words.

use std::path::Path;
use std::sync::Mutex;

use ndarray::Array2;
use serde::{Deserialize, Serialize};
use xai_files::{Failure, Files, InFile, InFiles};
use xai_metrics::counterfactual::{Change, Feature, FeatureKind, Rule, Schema, input};

use crate::counterfactual::tables::{TableFile, TableSchema};

/// The file of a schema.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SchemaFile {
    /// Column of the predicted class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) class: Option<String>,
    /// The class that all queries should get.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<toml::Value>,
    /// Number of counterfactuals requested for each query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) asked: Option<usize>,
    #[serde(default)]
    feature: Vec<FeatureEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    causal: Vec<CausalEntry>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FeatureEntry {
    /// Name, and the column unless `columns` lists several.
    name: String,
    #[serde(default)]
    kind: FeatureKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "is_default")]
    change: Change,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    categories: Option<Vec<toml::Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A rule: when a feature moves, another one must move, too.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CausalEntry {
    when: Move,
    then: Move,
    /// Whether the other feature must move; otherwise it must not move the other way.
    #[serde(default = "yes")]
    strict: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    feature: String,
    moves: MoveDirection,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MoveDirection {
    Up = 1,
    Down = -1,
}

impl SchemaFile {
    /// Reads a file.
    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(file).map_err(Failure::cannot_be_opened);
        let parsed = text.and_then(|text| toml::from_str(&text).map_err(Failure::new));
        parsed.in_file(file)
    }

    /// Guesses the features of a table: words are categories, and numbers as [`Schema::guess`].
    pub(super) fn guess(table: &TableFile, exclude: &[String]) -> Result<Self, Failure> {
        let mut entries = Vec::new();
        for column in table.names().filter(|name| !exclude.contains(name)) {
            entries.push(match table.numbers(column)? {
                None => FeatureEntry {
                    kind: FeatureKind::Categorical,
                    categories: Some(table.words(column)?),
                    ..FeatureEntry::default()
                },
                Some(numbers) => {
                    let numbers = Array2::from_shape_vec((numbers.len(), 1), numbers)
                        .map_err(Failure::new)?;
                    let guessed = Schema::guess(numbers.view(), &[]).in_files(&table.places())?;
                    let feature = &guessed.features()[0];
                    FeatureEntry {
                        kind: feature.kind,
                        range: feature.low.zip(feature.high).map(|(low, high)| [low, high]),
                        step: feature.step,
                        ..FeatureEntry::default()
                    }
                }
            });
            if let Some(entry) = entries.last_mut() {
                entry.name.clone_from(column);
            }
        }
        Ok(Self {
            feature: entries,
            ..Self::default()
        })
    }

    /// A numeric feature for each column of an array.
    pub(super) fn numeric(n_columns: usize) -> Self {
        let feature = |column: usize| FeatureEntry {
            name: format!("column {column}"),
            ..FeatureEntry::default()
        };
        Self {
            feature: (0..n_columns).map(feature).collect(),
            ..Self::default()
        }
    }

    /// Columns of tables as features that may change in any way: numeric, or categories if one of the tables has words.
    pub(super) fn free(
        columns: &[&String],
        queries: &TableFile,
        others: &[&TableFile],
    ) -> Result<Self, Failure> {
        let mut file = Self::default();
        for column in columns {
            let tables = [queries].into_iter().chain(others.iter().copied());
            let mut words = Vec::new();
            let mut has_words = false;
            for table in tables {
                has_words |= table.numbers(column)?.is_none();
                words.extend(table.words(column)?);
            }
            let (kind, categories) = if has_words {
                words.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
                words.dedup();
                (FeatureKind::Categorical, Some(words))
            } else {
                (FeatureKind::Numeric, None)
            };
            file.feature.push(FeatureEntry {
                name: (*column).clone(),
                kind,
                categories,
                ..FeatureEntry::default()
            });
        }
        Ok(file)
    }

    /// Creates the schema. `file` is the file that it was read from.
    pub(super) fn build(&self, file: Option<&Path>) -> Result<TableSchema, Failure> {
        let (mut columns, mut features, mut words) = (Vec::new(), Vec::new(), Vec::new());
        for entry in &self.feature {
            let own = entry
                .columns
                .clone()
                .unwrap_or_else(|| vec![entry.name.clone()]);
            let positions = columns.len()..columns.len() + own.len();
            columns.extend(own);
            let mut feature = Feature::new(entry.kind, positions).named(&*entry.name);
            feature.change = entry.change;
            feature.low = entry.low.or(entry.range.map(|[low, _]| low));
            feature.high = entry.high.or(entry.range.map(|[_, high]| high));
            feature.step = entry.step;
            feature.cost = entry.cost.unwrap_or(1.0);
            let texts = entry.categories.as_ref().and_then(|values| texts(values));
            feature.categories = match (&entry.categories, &texts) {
                (Some(_), Some(texts)) => Some((0..texts.len()).map(|code| code as f64).collect()),
                (Some(values), None) => Some(values.iter().filter_map(number).collect()),
                (None, _) => None,
            };
            words.resize(columns.len(), texts);
            features.push(feature);
        }
        let file = file.map(Path::to_owned);
        let places = Files::new().optional(&[input::SCHEMA], file.as_ref());
        let position = |name: &str| {
            let names: Vec<&str> = columns.iter().map(String::as_str).collect();
            let missing = || Failure::no_column(name, &names);
            columns
                .iter()
                .position(|other| other == name)
                .ok_or_else(missing)
        };
        let rules = self.causal.iter().map(|rule| {
            Ok::<_, Failure>(Rule {
                cause: position(&rule.when.feature)?,
                direction: rule.when.moves as i8,
                effect: position(&rule.then.feature)?,
                effect_direction: rule.then.moves as i8,
                strict: rule.strict,
            })
        });
        Ok(TableSchema {
            rules: rules.collect::<Result<_, _>>()?,
            schema: Schema::new(columns.len(), features).in_files(&places)?,
            columns,
            words,
            further: Mutex::default(),
        })
    }
}

/// The words of categories; `None` if they are numbers.
fn texts(values: &[toml::Value]) -> Option<Vec<String>> {
    values
        .iter()
        .map(|value| value.as_str().map(str::to_owned))
        .collect()
}

fn number(value: &toml::Value) -> Option<f64> {
    value
        .as_float()
        .or(value.as_integer().map(|whole| whole as f64))
}
