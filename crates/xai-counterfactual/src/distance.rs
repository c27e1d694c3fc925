//! Distances between rows of mixed features.

use std::collections::HashMap;

use ndarray::{Array2, ArrayView2, Axis};
use xai_core::Distance;
use xai_core::describe::{Parameter, Parameters};
use xai_core::distance::{DistanceFunction, Mahalanobis};
use xai_core::statistics::quantile;
use xai_core::{Error, Help, Result, parallel};

use crate::input;
use crate::schema::{FeatureKind, Schema};

/// For distances that are scaled by the training rows.
pub(crate) const GIVE_TRAIN_OR_RANGES: Help =
    Help::new("give training rows, or a range for every numeric feature of the schema");

/// A distance between rows.
///
/// | distance | formula |
/// |---|---|
/// | `gower` | `(1/p) Σ δ_j`, `s_j` the range of the feature |
/// | `heom` | `√ Σ δ_j²`, `s_j` the range of the feature |
/// | `mad` | `Σ δ_j`, `s_j` the median absolute deviation from the median |
///
/// `δ_j = |a_j − b_j| / s_j` of numeric and ordinal features, `[a_j ≠ b_j]` of categories. The range is that of the schema, or else
/// that of the training rows; deviations are those of the training rows. `changed` is the share of features
/// that differ. The other distances compare columns as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum MixedDistance {
    /// Mean over features of the difference relative to the range (Gower 1971).
    #[default]
    Gower,
    /// Sum over features of the difference relative to the median absolute deviation (Wachter et al. 2018).
    Mad,
    /// Euclidean length of the differences relative to the range (Wilson and Martinez 1997).
    Heom,
    /// Sum of absolute differences of columns.
    Manhattan,
    /// Euclidean distance of columns.
    Euclidean,
    /// Square of the Euclidean distance of columns.
    SquaredEuclidean,
    /// Largest absolute difference of a column.
    Chebyshev,
    /// Mahalanobis distance by the covariance of the training rows (n − 1).
    Mahalanobis,
    /// Share of the features that differ.
    Changed,
}

/// Treatment of numeric features whose scale is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "zero_scale")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ZeroScale {
    /// Nothing if it does not change; otherwise the distance is undefined.
    #[default]
    Undefined,
    /// Its difference, as if the scale were 1 (CEL, DiCE).
    One,
    /// Nothing (the package gower, the R package counterfactuals).
    Skip,
}

/// Sum or mean over features of the distance by median absolute deviations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "scale")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum MadScale {
    /// The sum.
    #[default]
    Sum,
    /// The mean.
    Mean,
}

/// A distance with its options, shared by the metrics that compare rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameters)]
pub struct DistanceOptions {
    /// Distance between rows.
    pub(crate) distance: MixedDistance,
    /// Treatment of numeric features whose scale is 0.
    pub(crate) zero_scale: ZeroScale,
    /// Sum or mean over features, for `mad`.
    pub(crate) scale: MadScale,
}

/// Contribution of a feature to a mixed distance.
#[derive(Debug, Clone)]
enum Part {
    /// A numeric or ordinal column and the factor of its difference.
    Number { column: usize, factor: f64 },
    /// A categorical feature, by its number in the schema, and the contribution of a different category.
    Category { feature: usize, height: f64 },
}

/// A distance between rows of a schema, ready to compute.
#[derive(Debug, Clone)]
pub(crate) struct PreparedDistance {
    schema: Schema,
    form: Form,
    /// Columns with scale 0, where any difference leaves the distance undefined.
    undefined_columns: Vec<usize>,
}

#[derive(Debug, Clone)]
enum Form {
    Columns(Distance),
    Changed,
    Sum(Vec<Part>),
    Length(Vec<Part>),
}

impl PreparedDistance {
    /// Prepares a distance: scales are those of the schema or the training rows.
    pub(crate) fn new(
        options: DistanceOptions,
        schema: &Schema,
        train: Option<ArrayView2<'_, f64>>,
    ) -> Result<Self> {
        let mut undefined_columns = Vec::new();
        let form = match options.distance {
            MixedDistance::Manhattan => Form::Columns(Distance::Manhattan),
            MixedDistance::Euclidean => Form::Columns(Distance::Euclidean),
            MixedDistance::SquaredEuclidean => Form::Columns(Distance::SquaredEuclidean),
            MixedDistance::Chebyshev => Form::Columns(Distance::Chebyshev),
            MixedDistance::Mahalanobis => {
                let train = train.ok_or_else(|| missing_train("mahalanobis"))?;
                Form::Columns(Distance::Mahalanobis(Mahalanobis::from_rows(train)?))
            }
            MixedDistance::Changed => Form::Changed,
            MixedDistance::Gower | MixedDistance::Mad | MixedDistance::Heom => {
                let parts = parts(options, schema, train, &mut undefined_columns)?;
                if options.distance == MixedDistance::Heom {
                    Form::Length(parts)
                } else {
                    Form::Sum(parts)
                }
            }
        };
        Ok(Self {
            schema: schema.clone(),
            form,
            undefined_columns,
        })
    }

    /// The distance of two rows; `None` if a feature with scale 0 differs.
    pub(crate) fn between(&self, a: &[f64], b: &[f64]) -> Option<f64> {
        // Tested first, because these columns have the factor 0 in the sums.
        if self
            .undefined_columns
            .iter()
            .any(|&column| a[column] != b[column])
        {
            return None;
        }
        let delta = |part: &Part| match *part {
            Part::Number { column, factor } => (a[column] - b[column]).abs() * factor,
            Part::Category { feature, height } => {
                if self.schema.features()[feature].differs(a, b, 0.0) {
                    height
                } else {
                    0.0
                }
            }
        };
        Some(match &self.form {
            Form::Columns(distance) => distance.distance(a, b),
            Form::Changed => {
                let n_changed = self.schema.changed(a, b, 0.0).len();
                n_changed as f64 / self.schema.features().len() as f64
            }
            Form::Sum(parts) => parts.iter().map(delta).sum(),
            Form::Length(parts) => parts
                .iter()
                .map(|part| delta(part).powi(2))
                .sum::<f64>()
                .sqrt(),
        })
    }

    /// Columns in which any difference leaves the distance undefined.
    pub(crate) fn undefined_columns(&self) -> &[usize] {
        &self.undefined_columns
    }

    /// The distance that compares [embedded](Embedding::embed) rows as this one compares rows.
    pub(crate) fn embedded_distance(&self) -> Distance {
        match &self.form {
            Form::Columns(distance) => distance.clone(),
            Form::Changed => Distance::Hamming,
            Form::Sum(_) => Distance::Manhattan,
            Form::Length(_) => Distance::Euclidean,
        }
    }
}

fn missing_train(distance: &str) -> Error {
    Error::parameter(
        input::TRAIN,
        "none",
        format!("training rows, by which the distance {distance} is scaled"),
    )
    .with_help(GIVE_TRAIN_OR_RANGES)
}

fn parts(
    options: DistanceOptions,
    schema: &Schema,
    train: Option<ArrayView2<'_, f64>>,
    undefined: &mut Vec<usize>,
) -> Result<Vec<Part>> {
    // A mean over features is a sum of parts that already have the factor 1/p.
    let is_mean = options.distance == MixedDistance::Gower
        || options.distance == MixedDistance::Mad && options.scale == MadScale::Mean;
    let share = if is_mean {
        1.0 / schema.features().len() as f64
    } else {
        1.0
    };
    let mut parts = Vec::with_capacity(schema.features().len());
    for (feature, described) in schema.features().iter().enumerate() {
        if described.is_nominal() {
            parts.push(Part::Category {
                feature,
                height: share,
            });
            continue;
        }
        let column = described.columns[0];
        let scale = match (options.distance, described.low, described.high, train) {
            (MixedDistance::Gower | MixedDistance::Heom, Some(low), Some(high), _) => high - low,
            (MixedDistance::Mad, _, _, Some(train)) => {
                median_absolute_deviation(&train.column(column).to_vec())?
            }
            // Gower or HEOM, for a feature without a full range in the schema.
            (_, _, _, Some(train)) => {
                let (low, high) = train
                    .column(column)
                    .iter()
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| {
                        (low.min(x), high.max(x))
                    });
                high - low
            }
            (distance, ..) => return Err(missing_train(&distance.to_value().to_string())),
        };
        let factor = if scale > 0.0 {
            share / scale
        } else {
            match options.zero_scale {
                ZeroScale::One => share,
                ZeroScale::Skip => 0.0,
                // A column whose difference leaves the distance undefined adds nothing where there is none.
                ZeroScale::Undefined => {
                    undefined.push(column);
                    0.0
                }
            }
        };
        parts.push(Part::Number { column, factor });
    }
    Ok(parts)
}

fn median_absolute_deviation(values: &[f64]) -> Result<f64> {
    let middle = quantile(values, 0.5)?.unwrap_or(0.0);
    let deviations: Vec<f64> = values.iter().map(|x| (x - middle).abs()).collect();
    Ok(quantile(&deviations, 0.5)?.unwrap_or(0.0))
}

/// Rows as an engine compares them: by the Manhattan, Euclidean or Hamming distance of embedded rows, which is the mixed distance of
/// the rows.
///
/// A category becomes one indicator column per value that the training rows have, and one for all others. Two rows of different
/// categories differ in two columns. By Manhattan, two columns of height ½ add up exactly to 1; by Euclid, each indicator stands
/// twice at height ½, because 4 · ¼ is exactly 1 and 1/√2 would break ties by an ulp.
#[derive(Debug, Clone)]
pub(crate) struct Embedding {
    distance: PreparedDistance,
    /// For each categorical feature, by its number, the column of each value.
    categories: HashMap<usize, HashMap<Vec<u64>, usize>>,
}

impl Embedding {
    /// Learns the categories of the training rows.
    pub(crate) fn fit(distance: PreparedDistance, train: ArrayView2<'_, f64>) -> Self {
        let mut categories = HashMap::new();
        for (number, feature) in distance
            .schema
            .features()
            .iter()
            .enumerate()
            .filter(|(_, feature)| feature.is_nominal())
        {
            let known: &mut HashMap<Vec<u64>, usize> = categories.entry(number).or_default();
            for row in train.rows() {
                let next = known.len();
                known
                    .entry(key(&feature.columns, |column| row[column]))
                    .or_insert(next);
            }
        }
        Self {
            distance,
            categories,
        }
    }

    /// Embeds rows.
    pub(crate) fn embed(&self, rows: ArrayView2<'_, f64>) -> Array2<f64> {
        let parts = match &self.distance.form {
            Form::Columns(_) => return rows.to_owned(),
            Form::Changed => return self.codes(rows),
            Form::Sum(parts) | Form::Length(parts) => parts,
        };
        // One copy of the indicators for Manhattan, two for Euclid: see the documentation of the type.
        let copies = if matches!(self.distance.form, Form::Length(_)) {
            2
        } else {
            1
        };
        let width = parts.iter().map(|part| match part {
            Part::Number { .. } => 1,
            Part::Category { feature, .. } => copies * (self.categories[feature].len() + 1),
        });
        let width: usize = width.sum();
        let embedded = parallel::map(rows.nrows(), |i| {
            let row = rows.row(i);
            let mut out = Vec::with_capacity(width);
            for part in parts {
                match part {
                    Part::Number { column, factor } => out.push(row[*column] * factor),
                    Part::Category { feature, height } => {
                        let known = &self.categories[feature];
                        let code = self
                            .code(*feature, |column| row[column])
                            // The indicator after those of the known categories stands for all categories that training
                            // rows lack. They differ from those of all training rows, with which alone embedded rows
                            // are compared.
                            .unwrap_or(known.len());
                        let start = out.len();
                        out.resize(start + copies * (known.len() + 1), 0.0);
                        for copy in 0..copies {
                            out[start + copies * code + copy] = 0.5 * height;
                        }
                    }
                }
            }
            out
        });
        Array2::from_shape_vec((rows.nrows(), width), embedded.concat())
            .expect("each row has `width` columns")
    }

    /// One column per feature: numbers as they are, categories as codes.
    fn codes(&self, rows: ArrayView2<'_, f64>) -> Array2<f64> {
        let features = self.distance.schema.features();
        let mut codes = Array2::zeros((rows.nrows(), features.len()));
        for (row, mut to) in rows.axis_iter(Axis(0)).zip(codes.axis_iter_mut(Axis(0))) {
            for (number, feature) in features.iter().enumerate() {
                to[number] = if feature.kind == FeatureKind::OneHot {
                    // Categories that training rows lack differ from all of theirs.
                    self.code(number, |column| row[column])
                        .map_or(-1.0, |code| code as f64)
                } else {
                    row[feature.columns[0]]
                };
            }
        }
        codes
    }

    fn code(&self, feature: usize, value: impl Fn(usize) -> f64) -> Option<usize> {
        let columns = &self.distance.schema.features()[feature].columns;
        self.categories[&feature].get(&key(columns, value)).copied()
    }
}

/// The bits of the values of a category, −0 as 0.
fn key(columns: &[usize], value: impl Fn(usize) -> f64) -> Vec<u64> {
    columns
        .iter()
        .map(|&column| (value(column) + 0.0).to_bits())
        .collect()
}
