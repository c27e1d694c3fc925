//! Distances between rows of mixed features.

use ndarray::ArrayView2;
use xai_core::Distance;
use xai_core::describe::{Parameter, Parameters};
use xai_core::distance::{DistanceFunction, Mahalanobis};
use xai_core::statistics::quantile;
use xai_core::{Error, Help, Result};
use xai_neighbors::{MixedAggregation, MixedEmbedding, MixedFeature};

use crate::input;
use crate::schema::{Feature, FeatureKind, Schema};

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

/// A distance between rows of a schema, ready to compute.
#[derive(Debug, Clone)]
pub(crate) struct PreparedDistance {
    form: Form,
    /// Columns with scale 0, where any difference leaves the distance undefined.
    undefined_columns: Vec<usize>,
}

#[derive(Debug, Clone)]
enum Form {
    Columns(Distance),
    Mixed(MixedAggregation, Vec<MixedFeature>),
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
            MixedDistance::Changed => {
                let features = schema.features().iter().map(|feature| match feature.kind {
                    FeatureKind::OneHot => category(feature, 1.0),
                    // Any difference counts, so codes are compared as numbers.
                    _ => MixedFeature::Number {
                        column: feature.columns[0],
                        factor: 1.0,
                    },
                });
                Form::Mixed(MixedAggregation::ShareOfDifferent, features.collect())
            }
            MixedDistance::Gower | MixedDistance::Mad | MixedDistance::Heom => {
                let features = scaled_features(options, schema, train, &mut undefined_columns)?;
                let aggregation = if options.distance == MixedDistance::Heom {
                    MixedAggregation::Length
                } else {
                    MixedAggregation::Sum
                };
                Form::Mixed(aggregation, features)
            }
        };
        Ok(Self {
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
        Some(match &self.form {
            Form::Columns(distance) => distance.distance(a, b),
            Form::Mixed(aggregation, features) => aggregation.distance(features, a, b),
        })
    }

    /// Columns in which any difference leaves the distance undefined.
    pub(crate) fn undefined_columns(&self) -> &[usize] {
        &self.undefined_columns
    }

    /// The embedding with which engines compare rows by this distance.
    pub(crate) fn embedding(&self, train: ArrayView2<'_, f64>) -> MixedEmbedding {
        match &self.form {
            Form::Columns(distance) => MixedEmbedding::unchanged(distance.clone()),
            Form::Mixed(aggregation, features) => {
                MixedEmbedding::fit(features, *aggregation, train)
            }
        }
    }
}

fn category(feature: &Feature, weight: f64) -> MixedFeature {
    MixedFeature::Category {
        columns: feature.columns.clone(),
        weight,
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

/// The features with their scales. Columns where any difference leaves the distance undefined are added to `undefined`.
fn scaled_features(
    options: DistanceOptions,
    schema: &Schema,
    train: Option<ArrayView2<'_, f64>>,
    undefined: &mut Vec<usize>,
) -> Result<Vec<MixedFeature>> {
    // A mean over features is a sum of parts that already have the factor 1/p.
    let is_mean = options.distance == MixedDistance::Gower
        || options.distance == MixedDistance::Mad && options.scale == MadScale::Mean;
    let share = if is_mean {
        1.0 / schema.features().len() as f64
    } else {
        1.0
    };
    let mut features = Vec::with_capacity(schema.features().len());
    for feature in schema.features() {
        if feature.is_nominal() {
            features.push(category(feature, share));
            continue;
        }
        let column = feature.columns[0];
        let scale = match (options.distance, feature.low, feature.high, train) {
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
        features.push(MixedFeature::Number { column, factor });
    }
    Ok(features)
}

fn median_absolute_deviation(values: &[f64]) -> Result<f64> {
    let middle = quantile(values, 0.5)?.unwrap_or(0.0);
    let deviations: Vec<f64> = values.iter().map(|x| (x - middle).abs()).collect();
    Ok(quantile(&deviations, 0.5)?.unwrap_or(0.0))
}
