//! Distances between rows of mixed features.

use ndarray::ArrayView2;
use xai_core::Distance;
use xai_core::describe::{Parameter, Parameters};
use xai_core::distance::{DistanceFunction, Mahalanobis};
use xai_core::input::DISTANCE;
use xai_core::statistics::quantile;
use xai_core::tensor::check_shape;
use xai_core::{Error, Help, Result};
use xai_neighbors::{MixedAggregation, MixedEmbedding, MixedFeature};

use crate::input;
use crate::schema::{Feature, FeatureKind, Schema};

/// For distances that are scaled by the training rows.
pub(crate) const GIVE_TRAIN_OR_RANGES: Help = Help::new(
    "the distance is scaled by the training rows: give them, or for {distance=gower} and heom a range for every numeric \
     feature of the schema, or choose {distance=manhattan}",
);

/// A distance between rows.
///
/// | distance | formula |
/// |---|---|
/// | `gower` | `(1/p) Σ δ_j`, `s_j` the range of the feature |
/// | `heom` | `√ Σ δ_j²`, `s_j` the range of the feature |
/// | `mad` | `Σ δ_j`, `s_j` the median absolute deviation from the median |
///
/// `δ_j = |a_j − b_j| / s_j` of numeric and ordinal features, `[a_j ≠ b_j]` of categories. The range is that of the
/// schema, or else that of the training rows; deviations are those of the training rows. `changed` is the share of
/// features that differ. The other distances compare columns as they are.
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

/// A distance between rows of a schema, with the scales of its features.
///
/// ```
/// use xai_counterfactual::{DistanceOptions, Feature, RowDistance, Schema};
/// let schema = Schema::new(2, vec![Feature::numeric(0).range(0.0, 8.0), Feature::categorical(1)])?;
/// let gower = RowDistance::new(DistanceOptions::default(), &schema, None)?;
/// assert_eq!(gower.between(&[1.0, 7.0], &[3.0, 7.0]), Some(0.125)); // 2 of 8 in one of two features
/// # Ok::<(), xai_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct RowDistance {
    form: Form,
    /// Columns with scale 0, where any difference leaves the distance undefined.
    undefined_columns: Vec<usize>,
}

#[derive(Debug, Clone)]
enum Form {
    Columns(Distance),
    Mixed(MixedAggregation, Vec<MixedFeature>),
}

impl RowDistance {
    /// Creates a distance with the scales of the schema or of the training rows.
    ///
    /// # Errors
    /// `InvalidParameter` for a distance that is scaled by training rows that are not given, and the errors of a
    /// covariance that has no inverse.
    pub fn new(
        options: DistanceOptions,
        schema: &Schema,
        train: Option<ArrayView2<'_, f64>>,
    ) -> Result<Self> {
        let columns = match options.distance {
            MixedDistance::Manhattan => Distance::Manhattan,
            MixedDistance::Euclidean => Distance::Euclidean,
            MixedDistance::SquaredEuclidean => Distance::SquaredEuclidean,
            MixedDistance::Chebyshev => Distance::Chebyshev,
            MixedDistance::Mahalanobis => {
                let train = train.ok_or_else(missing_train)?;
                Distance::Mahalanobis(Mahalanobis::from_rows(train)?)
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
                return Ok(Self {
                    form: Form::Mixed(MixedAggregation::FractionDifferent, features.collect()),
                    undefined_columns: Vec::new(),
                });
            }
            MixedDistance::Gower | MixedDistance::Mad | MixedDistance::Heom => {
                let scales = schema.features().iter().map(|of| scale(options, of, train));
                let scales = scales.collect::<Result<Vec<f64>>>()?;
                return Self::with_scales(options, schema, &scales);
            }
        };
        Ok(Self {
            form: Form::Columns(columns),
            undefined_columns: Vec::new(),
        })
    }

    /// Creates the distance `gower`, `heom` or `mad` with a scale per feature, the number by which its differences are
    /// divided. Scales of categories are not used.
    ///
    /// # Errors
    /// `ShapeMismatch` for another number of scales than of features, `OutOfDomain` for a scale that is negative, not
    /// finite, or not above 1e-308 although it is not 0, `InvalidParameter` for another distance.
    pub fn with_scales(options: DistanceOptions, schema: &Schema, scales: &[f64]) -> Result<Self> {
        check_shape(input::SCALES, &[schema.features().len()], &[scales.len()])?;
        let aggregation = match options.distance {
            MixedDistance::Gower | MixedDistance::Mad => MixedAggregation::Sum,
            MixedDistance::Heom => MixedAggregation::Norm,
            other => {
                let expected = "gower, heom or mad, which have scales";
                return Err(Error::parameter(DISTANCE, other.to_value(), expected));
            }
        };
        // A mean over features is a sum of parts that already have the factor 1/p.
        let is_mean = options.distance == MixedDistance::Gower
            || options.distance == MixedDistance::Mad && options.scale == MadScale::Mean;
        let share = if is_mean {
            1.0 / scales.len() as f64
        } else {
            1.0
        };
        let mut undefined_columns = Vec::new();
        let mut features = Vec::with_capacity(scales.len());
        for (position, (feature, &scale)) in schema.features().iter().zip(scales).enumerate() {
            if feature.is_nominal() {
                features.push(category(feature, share));
                continue;
            }
            // Differences are multiplied by the reciprocal.
            let is_valid = scale == 0.0 || (scale > 1e-308 && scale.is_finite());
            if !is_valid {
                let expected = "a finite scale of at least 0, above 1e-308 unless it is 0";
                return Err(Error::out_of_domain(
                    input::SCALES,
                    &[position],
                    scale,
                    expected,
                ));
            }
            let column = feature.columns[0];
            let factor = match options.zero_scale {
                _ if scale > 0.0 => share / scale,
                ZeroScale::One => share,
                ZeroScale::Skip => 0.0,
                // A column whose difference leaves the distance undefined adds nothing where there is none.
                ZeroScale::Undefined => {
                    undefined_columns.push(column);
                    0.0
                }
            };
            features.push(MixedFeature::Number { column, factor });
        }
        Ok(Self {
            form: Form::Mixed(aggregation, features),
            undefined_columns,
        })
    }

    /// Returns the distance of two rows; `None` if they differ in a feature whose scale is 0, unless the options give it
    /// another meaning. It is NaN if a value is.
    ///
    /// # Panics
    /// If a row lacks a column of the schema.
    #[must_use]
    pub fn between(&self, a: &[f64], b: &[f64]) -> Option<f64> {
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
            Form::Columns(distance) => MixedEmbedding::identity(distance.clone()),
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

/// Error about a distance that is scaled by the training rows, which are not given.
fn missing_train() -> Error {
    Error::missing(input::TRAIN).with_help(GIVE_TRAIN_OR_RANGES)
}

/// The number by which differences of a feature are divided; 1 for categories.
fn scale(
    options: DistanceOptions,
    feature: &Feature,
    train: Option<ArrayView2<'_, f64>>,
) -> Result<f64> {
    if feature.is_nominal() {
        return Ok(1.0);
    }
    // A range with an open end has no length.
    let range = feature.low.zip(feature.high);
    let range = range.filter(|(low, high)| (high - low).is_finite());
    if let (MixedDistance::Gower | MixedDistance::Heom, Some((low, high))) =
        (options.distance, range)
    {
        return Ok(high - low);
    }
    let Some(train) = train else {
        return Err(missing_train());
    };
    let values = train.column(feature.columns[0]);
    if options.distance == MixedDistance::Mad {
        return median_absolute_deviation(&values.to_vec());
    }
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = values
        .iter()
        .fold(ends, |(low, high), &x| (low.min(x), high.max(x)));
    Ok(high - low)
}

fn median_absolute_deviation(values: &[f64]) -> Result<f64> {
    let middle = quantile(values, 0.5)?.unwrap_or(0.0);
    let deviations: Vec<f64> = values.iter().map(|x| (x - middle).abs()).collect();
    Ok(quantile(&deviations, 0.5)?.unwrap_or(0.0))
}
