//! Mixed distances as distances of prepared rows.

use std::collections::HashMap;
use std::sync::Arc;

use ndarray::{Array2, ArrayView2};
use xai_core::distance::DistanceFunction;
use xai_core::tensor::Rows;
use xai_core::{Distance, parallel};

/// A feature of a table with mixed columns, and its difference `δ` between two rows.
#[derive(Debug, Clone, PartialEq)]
pub enum MixedFeature {
    /// A number: `δ = factor · |a − b|`.
    Number {
        /// Column of the table.
        column: usize,
        /// Factor of the difference, at least 0.
        factor: f64,
    },
    /// A category, in one column of codes or in several indicator columns: `δ = weight` if any of them differs,
    /// otherwise 0.
    Category {
        /// Columns of the table.
        columns: Vec<usize>,
        /// Difference of two categories, at least 0.
        weight: f64,
    },
}

impl MixedFeature {
    /// Returns the difference of two rows.
    ///
    /// # Panics
    /// If a row lacks a column of the feature.
    #[must_use]
    pub fn difference(&self, a: &[f64], b: &[f64]) -> f64 {
        match self {
            Self::Number { column, factor } => (a[*column] - b[*column]).abs() * factor,
            Self::Category { columns, weight } => {
                if columns.iter().any(|&column| a[column] != b[column]) {
                    *weight
                } else {
                    0.0
                }
            }
        }
    }
}

/// The distance that follows from the differences of the features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MixedAggregation {
    /// `Σ δ_j`, as in Gower's distance and in the Manhattan distance by median absolute deviations.
    Sum,
    /// `√Σ δ_j²`, as in HEOM.
    Norm,
    /// Fraction of the features that differ.
    FractionDifferent,
}

impl MixedAggregation {
    /// Returns the distance of two rows; 0 without features.
    ///
    /// # Panics
    /// If a row lacks a column of a feature.
    #[must_use]
    pub fn distance(self, features: &[MixedFeature], a: &[f64], b: &[f64]) -> f64 {
        let differences = features.iter().map(|feature| feature.difference(a, b));
        match self {
            Self::Sum => differences.sum(),
            Self::Norm => differences
                .map(|difference| difference * difference)
                .sum::<f64>()
                .sqrt(),
            Self::FractionDifferent => {
                let n_different = differences.filter(|&difference| difference > 0.0).count();
                n_different as f64 / features.len().max(1) as f64
            }
        }
    }
}

/// A mixed distance as a function of two rows.
#[derive(Debug, Clone)]
pub(crate) struct MixedDistance {
    aggregation: MixedAggregation,
    features: Arc<[MixedFeature]>,
}

impl DistanceFunction for MixedDistance {
    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        self.aggregation.distance(&self.features, a, b)
    }
}

/// Rows with mixed columns in the form in which engines compare them: the [distance](Self::distance) of an embedded row
/// to an embedded training row is the mixed distance of the rows, to rounding.
///
/// Numbers are multiplied by their factors, after the smallest training value is subtracted so that large numbers in a
/// small range keep their digits. A category becomes an indicator column per category of the training rows, and one for all others, so two categories
/// differ in two columns. For a sum, columns of height `weight / 2` add up exactly to the weight. For a norm there are
/// two copies of each indicator, so that four columns of height ½ differ and the squared difference is exactly 1; one
/// copy of height `1/√2` would not be exact. Categories that no training row has share a column, so only distances to
/// training rows are right.
///
/// ```
/// use ndarray::array;
/// use xai_neighbors::{Distance, Engine, MixedAggregation, MixedEmbedding, MixedFeature};
/// // Gower's distance of a number with the range 4 and a category.
/// let train = array![[0.0, 7.0], [4.0, 7.0], [2.0, 9.0]];
/// let features = [
///     MixedFeature::Number { column: 0, factor: 1.0 / 4.0 / 2.0 },
///     MixedFeature::Category { columns: vec![1], weight: 1.0 / 2.0 },
/// ];
/// let embedding = MixedEmbedding::fit(&features, MixedAggregation::Sum, train.view());
/// let search = Engine::Auto.build(embedding.embed(train.view()).view(), embedding.distance().clone())?;
/// let query = embedding.embed(array![[1.0, 9.0]].view());
/// let found = search.nearest_batch(query.view(), 2)?;
/// assert_eq!((found[0][0].index, found[0][0].distance), (2, 0.125));
/// assert_eq!((found[0][1].index, found[0][1].distance), (0, 0.625)); // another category, and a quarter of the range
/// # Ok::<(), xai_neighbors::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MixedEmbedding {
    distance: Distance,
    /// `None` leaves rows as they are.
    form: Option<Form>,
}

#[derive(Debug, Clone)]
struct Form {
    mixed: MixedDistance,
    parts: Vec<Part>,
    width: usize,
}

/// The columns of a feature in embedded rows.
#[derive(Debug, Clone)]
enum Part {
    /// One column, `(x − offset) · factor`.
    Number {
        column: usize,
        offset: f64,
        factor: f64,
    },
    /// Indicators, each of them `copies` times.
    Indicators {
        codes: Codes,
        height: f64,
        copies: usize,
    },
    /// One column with the number of the category.
    Code(Codes),
}

impl Part {
    fn width(&self) -> usize {
        match self {
            Self::Number { .. } | Self::Code(_) => 1,
            Self::Indicators { codes, copies, .. } => copies * (codes.numbers.len() + 1),
        }
    }

    /// Writes the columns of a row to `to`, which is all zeros.
    fn write(&self, row: &[f64], to: &mut [f64]) {
        match self {
            Self::Number {
                column,
                offset,
                factor,
            } => to[0] = (row[*column] - offset) * factor,
            Self::Code(codes) => to[0] = codes.number(row) as f64,
            Self::Indicators {
                codes,
                height,
                copies,
            } => to[copies * codes.number(row)..][..*copies].fill(*height),
        }
    }
}

/// The categories of the training rows, numbered in the order of their appearance.
#[derive(Debug, Clone)]
struct Codes {
    columns: Vec<usize>,
    /// By the bits of the values.
    numbers: HashMap<Vec<u64>, usize>,
}

impl Codes {
    fn fit(columns: &[usize], train: ArrayView2<'_, f64>) -> Self {
        let mut numbers = HashMap::new();
        for row in train.rows() {
            let next = numbers.len();
            let values = columns.iter().map(|&column| bits(row[column]));
            numbers.entry(values.collect()).or_insert(next);
        }
        Self {
            columns: columns.to_vec(),
            numbers,
        }
    }

    /// Number of the category of a row; the number after the last one for categories that training rows lack.
    fn number(&self, row: &[f64]) -> usize {
        let values: Vec<u64> = self
            .columns
            .iter()
            .map(|&column| bits(row[column]))
            .collect();
        let known = self.numbers.get(&values).copied();
        known.unwrap_or(self.numbers.len())
    }
}

/// The bits of a value, −0 as 0.
fn bits(value: f64) -> u64 {
    (value + 0.0).to_bits()
}

impl MixedEmbedding {
    /// Creates an embedding that leaves rows as they are, for a distance between columns.
    #[must_use]
    pub fn identity(distance: Distance) -> Self {
        Self {
            distance,
            form: None,
        }
    }

    /// Creates the embedding for a mixed distance, with the categories of the training rows.
    ///
    /// [`FractionDifferent`](MixedAggregation::FractionDifferent) ignores factors and weights, which must be above 0.
    ///
    /// # Panics
    /// If the table lacks a column of a feature.
    #[must_use]
    pub fn fit(
        features: &[MixedFeature],
        aggregation: MixedAggregation,
        train: ArrayView2<'_, f64>,
    ) -> Self {
        let part = |feature: &MixedFeature| match (feature, aggregation) {
            (MixedFeature::Number { column, .. }, MixedAggregation::FractionDifferent) => {
                Part::Number {
                    column: *column,
                    offset: 0.0,
                    factor: 1.0,
                }
            }
            (MixedFeature::Number { column, factor }, _) => {
                let values = train.column(*column).into_iter().copied();
                let offset = values.fold(f64::INFINITY, f64::min);
                // Not finite without training rows.
                let offset = if offset.is_finite() { offset } else { 0.0 };
                Part::Number {
                    column: *column,
                    offset,
                    factor: *factor,
                }
            }
            (MixedFeature::Category { columns, .. }, MixedAggregation::FractionDifferent) => {
                Part::Code(Codes::fit(columns, train))
            }
            (MixedFeature::Category { columns, weight }, _) => Part::Indicators {
                codes: Codes::fit(columns, train),
                height: 0.5 * weight,
                copies: if aggregation == MixedAggregation::Norm {
                    2
                } else {
                    1
                },
            },
        };
        let parts: Vec<Part> = features.iter().map(part).collect();
        Self {
            distance: match aggregation {
                MixedAggregation::Sum => Distance::Manhattan,
                MixedAggregation::Norm => Distance::Euclidean,
                MixedAggregation::FractionDifferent => Distance::Hamming,
            },
            form: Some(Form {
                mixed: MixedDistance {
                    aggregation,
                    features: features.into(),
                },
                width: parts.iter().map(Part::width).sum(),
                parts,
            }),
        }
    }

    /// The mixed distance of rows that are not embedded; `None` for the identity.
    pub(crate) fn mixed_distance(&self) -> Option<&MixedDistance> {
        self.form.as_ref().map(|form| &form.mixed)
    }

    /// Returns whether distances of embedded rows are those of the rows to the last bit.
    pub(crate) fn is_exact(&self) -> bool {
        self.mixed_distance()
            .is_none_or(|mixed| mixed.aggregation == MixedAggregation::FractionDifferent)
    }

    /// Bound of the difference between the distance of an embedded query to an embedded training row and that of the
    /// rows themselves; `largest` is the largest [`size`](Self::size) of an embedded training row.
    pub(crate) fn rounding(query: &[f64], largest: f64) -> f64 {
        // Coordinates are rounded twice on either side, and a sum once per term, in both ways to compute it.
        let n_roundings = 8.0 + 2.0 * query.len() as f64;
        n_roundings * f64::EPSILON * (Self::size(query) + largest)
    }

    /// Sum of the coordinates of an embedded row without their signs.
    pub(crate) fn size(row: &[f64]) -> f64 {
        row.iter().map(|value| value.abs()).sum()
    }

    /// Number of columns of embedded rows, of which `d` columns are embedded.
    pub(crate) fn width(&self, d: usize) -> usize {
        self.form.as_ref().map_or(d, |form| form.width)
    }

    /// Returns the distance between embedded rows.
    #[must_use]
    pub fn distance(&self) -> &Distance {
        &self.distance
    }

    /// Embeds `(m, d)` rows.
    ///
    /// # Panics
    /// If the rows lack a column of a feature.
    #[must_use]
    pub fn embed(&self, rows: ArrayView2<'_, f64>) -> Array2<f64> {
        let rows = Rows::new(rows);
        self.embed_with(rows.n_rows(), rows.n_columns(), |i| rows.row(i))
    }

    /// Embeds `n` rows of `d` columns that `row` returns.
    pub(crate) fn embed_with<'r>(
        &self,
        n: usize,
        d: usize,
        row: impl Fn(usize) -> &'r [f64] + Sync + Send,
    ) -> Array2<f64> {
        /// Rows per task of a thread.
        const ROWS: usize = 256;
        let width = self.width(d);
        let mut embedded = Array2::zeros((n, width));
        let values = embedded.as_slice_mut().expect("a new array is contiguous");
        parallel::with_work_size(4 * n * width, || {
            parallel::for_each_chunk(values, ROWS * width, |chunk, values| {
                for (i, to) in values.chunks_exact_mut(width.max(1)).enumerate() {
                    self.write(row(chunk * ROWS + i), to);
                }
            });
        });
        embedded
    }

    fn write(&self, row: &[f64], to: &mut [f64]) {
        let Some(form) = &self.form else {
            return to.copy_from_slice(row);
        };
        let mut rest = to;
        for part in &form.parts {
            let (own, others) = rest.split_at_mut(part.width());
            part.write(row, own);
            rest = others;
        }
    }
}
