//! Features: their kinds, ranges, and how they may change.

use xai_core::describe::Parameter;
use xai_core::number::check_finite;
use xai_core::{Error, Help, Result};

use ndarray::ArrayView2;

use crate::input;

/// Help for columns that belong to no feature or to several.
pub(crate) const LIST_EACH_COLUMN_ONCE: Help = Help::new("list each column in exactly one feature");
/// Help for queries and training rows that break a one-hot group.
pub(crate) const ONE_HOT_GROUP: Help = Help::new(
    "a one-hot group has one 1 and otherwise 0; describe the columns as numeric if they are something else",
);

/// The kind of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum FeatureKind {
    /// A number.
    #[default]
    Numeric,
    /// A number with an order and steps, such as a level of education.
    Ordinal,
    /// A code without an order, in one column.
    Categorical,
    /// A category as one indicator column per value; all columns are one feature.
    OneHot,
}

/// Changes that a feature allows from a query to its counterfactual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Change {
    /// In any way.
    #[default]
    Any,
    /// Not at all.
    None,
    /// Only upwards.
    Increase,
    /// Only downwards.
    Decrease,
}

/// A feature: one column, or the columns of a one-hot group.
///
/// ```
/// use xai_counterfactual::{Change, Feature};
/// let age = Feature::ordinal(0).named("age").range(17.0, 90.0).change(Change::Increase);
/// let job = Feature::one_hot(1..4).named("job");
/// assert_eq!(job.columns, [1, 2, 3]);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Feature {
    /// The name in results and errors.
    pub name: String,
    /// The kind.
    pub kind: FeatureKind,
    /// The columns: several for a one-hot group, otherwise one.
    pub columns: Vec<usize>,
    /// Changes that it allows (default: any).
    #[cfg_attr(feature = "serde", serde(default))]
    pub change: Change,
    /// Smallest possible value, if it is bounded. Ignored for categories, like `high` and `step`.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub low: Option<f64>,
    /// Largest possible value, if it is bounded.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub high: Option<f64>,
    /// Distance between possible values, counted from `low` or else from 0.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub step: Option<f64>,
    /// Known categories of a categorical feature; without them, those of the training rows. Ignored for other kinds.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub categories: Option<Vec<f64>>,
    /// Cost of a change by 1, or of another category (default 1).
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub cost: f64,
}

#[cfg(feature = "serde")]
fn one() -> f64 {
    1.0
}

impl Feature {
    /// Creates a feature of a kind from its columns. Its name is the number of the first one, for example `column 3`.
    pub fn new(kind: FeatureKind, columns: impl IntoIterator<Item = usize>) -> Self {
        let columns: Vec<usize> = columns.into_iter().collect();
        let name = columns
            .first()
            .map_or_else(String::new, |column| format!("column {column}"));
        Self {
            name,
            kind,
            columns,
            change: Change::Any,
            low: None,
            high: None,
            step: None,
            categories: None,
            cost: 1.0,
        }
    }

    /// Creates a numeric feature.
    #[must_use]
    pub fn numeric(column: usize) -> Self {
        Self::new(FeatureKind::Numeric, [column])
    }

    /// Creates an ordinal feature.
    #[must_use]
    pub fn ordinal(column: usize) -> Self {
        Self::new(FeatureKind::Ordinal, [column])
    }

    /// Creates a categorical feature in one column of codes.
    #[must_use]
    pub fn categorical(column: usize) -> Self {
        Self::new(FeatureKind::Categorical, [column])
    }

    /// Creates a categorical feature from its indicator columns.
    #[must_use]
    pub fn one_hot(columns: impl IntoIterator<Item = usize>) -> Self {
        Self::new(FeatureKind::OneHot, columns)
    }

    /// Sets the name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the smallest and largest possible value.
    #[must_use]
    pub fn range(mut self, low: f64, high: f64) -> Self {
        (self.low, self.high) = (Some(low), Some(high));
        self
    }

    /// Sets the distance between possible values.
    #[must_use]
    pub fn step(mut self, step: f64) -> Self {
        self.step = Some(step);
        self
    }

    /// Sets the known categories.
    #[must_use]
    pub fn categories(mut self, categories: impl IntoIterator<Item = f64>) -> Self {
        self.categories = Some(categories.into_iter().collect());
        self
    }

    /// Sets how the feature may change.
    #[must_use]
    pub fn change(mut self, change: Change) -> Self {
        self.change = change;
        self
    }

    /// Sets the cost of a change.
    #[must_use]
    pub fn cost(mut self, cost: f64) -> Self {
        self.cost = cost;
        self
    }

    /// Returns whether its values have no order.
    #[must_use]
    pub fn is_nominal(&self) -> bool {
        matches!(self.kind, FeatureKind::Categorical | FeatureKind::OneHot)
    }

    /// Returns whether two rows differ in it by more than a tolerance.
    #[must_use]
    pub fn differs(&self, a: &[f64], b: &[f64], tolerance: f64) -> bool {
        self.columns
            .iter()
            .any(|&column| (a[column] - b[column]).abs() > tolerance)
    }

    /// Returns whether a counterfactual changes it by more than a tolerance in a way that it does not allow.
    #[must_use]
    pub fn is_violated(&self, query: &[f64], counterfactual: &[f64], tolerance: f64) -> bool {
        // Only features with an order, which have one column, can be bound to a direction.
        let rise = counterfactual[self.columns[0]] - query[self.columns[0]];
        match self.change {
            Change::Any => false,
            Change::None => self.differs(query, counterfactual, tolerance),
            Change::Increase => -rise > tolerance,
            Change::Decrease => rise > tolerance,
        }
    }

    /// Returns whether the columns of a row are an indicator of one category.
    fn is_one_hot(&self, row: &[f64]) -> bool {
        let values = || self.columns.iter().map(|&column| row[column]);
        values().all(|value| value == 0.0 || value == 1.0) && values().sum::<f64>() == 1.0
    }

    /// Returns whether the value of a row is possible: a number within the range and on a step, a known category, or
    /// one 1 and otherwise 0 in a one-hot group.
    ///
    /// `seen` contains the categories of the training rows, for features without a list of their own. Without either,
    /// every category is possible.
    pub(crate) fn is_possible(&self, row: &[f64], seen: Option<&[f64]>) -> bool {
        let value = row[self.columns[0]];
        match self.kind {
            FeatureKind::OneHot => self.is_one_hot(row),
            FeatureKind::Categorical => {
                let known = self.categories.as_deref().or(seen);
                known.is_none_or(|known| known.contains(&value))
            }
            FeatureKind::Numeric | FeatureKind::Ordinal => {
                let is_on_step = self.step.is_none_or(|step| {
                    let low = self.low.unwrap_or(0.0);
                    let steps = (value - low) / step;
                    // 0.3 / 0.1 is 2.9999999999999996: value, low and step are each rounded to half an ulp.
                    let rounding = 2.0 * f64::EPSILON * (value.abs() + low.abs()) / step;
                    (steps - steps.round()).abs() <= rounding
                });
                let is_in_range = self.low.is_none_or(|low| value >= low)
                    && self.high.is_none_or(|high| value <= high);
                is_in_range && is_on_step
            }
        }
    }

    fn check(&self, n_columns: usize) -> Result<()> {
        let wrong = |value: &dyn std::fmt::Display, expected: &'static str| {
            Err(Error::parameter(input::SCHEMA, value, expected).part(self.name.clone()))
        };
        if self.columns.is_empty() || self.kind != FeatureKind::OneHot && self.columns.len() > 1 {
            return wrong(
                &self.columns.len(),
                "one column, or the columns of a one-hot group",
            );
        }
        if let Some(column) = self.columns.iter().find(|&&column| column >= n_columns) {
            return wrong(column, "a column of the table");
        }
        let low = self.low.unwrap_or(f64::NEG_INFINITY);
        let high = self.high.unwrap_or(f64::INFINITY);
        // Also false for NaN.
        let is_range = low <= high;
        if !is_range {
            return wrong(
                &format_args!("{low} to {high}"),
                "a range from a smaller to a larger number",
            );
        }
        if let Some(step) = self.step
            && !(step > 0.0 && step.is_finite())
        {
            return wrong(&step, "a step above 0");
        }
        if !(self.cost >= 0.0 && self.cost.is_finite()) {
            return wrong(&self.cost, "a cost of at least 0");
        }
        if self.is_nominal() && matches!(self.change, Change::Increase | Change::Decrease) {
            return wrong(
                &self.change.to_value(),
                "any or none, because categories have no order",
            );
        }
        Ok(())
    }
}

/// The features of a table. Each column belongs to exactly one of them.
///
/// ```
/// use xai_counterfactual::{Feature, Schema};
/// let schema = Schema::new(4, vec![Feature::numeric(0), Feature::one_hot(1..4)])?;
/// assert_eq!((schema.n_columns(), schema.features().len()), (4, 2));
/// assert!(Schema::new(4, vec![Feature::numeric(0)]).is_err()); // columns 1 to 3 belong to no feature
/// # Ok::<(), xai_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredSchema"))]
pub struct Schema {
    n_columns: usize,
    features: Vec<Feature>,
}

/// A schema as it is read, before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredSchema {
    n_columns: usize,
    features: Vec<Feature>,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredSchema> for Schema {
    type Error = Error;

    fn try_from(stored: StoredSchema) -> Result<Self> {
        Self::new(stored.n_columns, stored.features)
    }
}

impl Schema {
    /// Creates a schema for a table with `n_columns` columns.
    ///
    /// # Errors
    /// `InvalidParameter` about [`input::SCHEMA`](crate::input::SCHEMA) for a column that belongs to no feature or to
    /// several, or that the table does not have; for a feature without columns, and for one with several that is not
    /// one-hot; for an impossible range, step or cost; and for a category that may only increase or decrease. `Empty`
    /// without features.
    pub fn new(n_columns: usize, features: Vec<Feature>) -> Result<Self> {
        if features.is_empty() {
            return Err(Error::empty(input::SCHEMA).part("features"));
        }
        let mut uses = vec![0_usize; n_columns];
        for feature in &features {
            feature.check(n_columns)?;
            for &column in &feature.columns {
                uses[column] += 1;
            }
        }
        if let Some(column) = uses.iter().position(|&n| n != 1) {
            let expected = "each column in exactly one feature";
            let error = Error::parameter(
                input::SCHEMA,
                format_args!("column {column} in {}", uses[column]),
                expected,
            );
            return Err(error.with_help(LIST_EACH_COLUMN_ONCE));
        }
        Ok(Self {
            n_columns,
            features,
        })
    }

    /// Creates a schema of numeric features, one per column, that may change in any way.
    #[must_use]
    pub fn numeric(n_columns: usize) -> Self {
        Self {
            n_columns,
            features: (0..n_columns).map(Feature::numeric).collect(),
        }
    }

    /// Guesses a schema from a table, to be checked by a person.
    ///
    /// Columns with the two values 0 and 1 are categorical. Other columns of integers with at most 20 different values
    /// are ordinal with step 1; this includes columns with only one of 0 and 1. All others are numeric. Ordinal and
    /// numeric features get the range of their column.
    ///
    /// One-hot groups are not guessed, not even from names such as `job=clerk` and `job_clerk`. Columns beyond the end
    /// of `names` are named by their number.
    ///
    /// # Errors
    /// `NonFinite` for a table with values that are not finite.
    pub fn guess(table: ArrayView2<'_, f64>, names: &[String]) -> Result<Self> {
        const MAX_LEVELS: usize = 20;
        check_finite(input::ROWS, table)?;
        let features = table
            .columns()
            .into_iter()
            .enumerate()
            .map(|(column, values)| {
                let mut levels: Vec<f64> = values.to_vec();
                levels.sort_unstable_by(f64::total_cmp);
                levels.dedup();
                let are_integers = levels.iter().all(|value| value.fract() == 0.0);
                let feature = if levels == [0.0, 1.0] {
                    Feature::categorical(column)
                } else if are_integers && levels.len() <= MAX_LEVELS {
                    Feature::ordinal(column).step(1.0)
                } else {
                    Feature::numeric(column)
                };
                let feature = match (levels.first(), levels.last()) {
                    (Some(&low), Some(&high)) if !feature.is_nominal() => feature.range(low, high),
                    _ => feature,
                };
                match names.get(column) {
                    Some(name) => feature.named(name.as_str()),
                    None => feature,
                }
            });
        Self::new(table.ncols(), features.collect())
    }

    /// Number of columns.
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// The features.
    #[must_use]
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// Indices of the features in which two rows differ by more than a tolerance, ascending.
    #[must_use]
    pub fn changed(&self, a: &[f64], b: &[f64], tolerance: f64) -> Vec<usize> {
        let features = self.features.iter().enumerate();
        features
            .filter(|(_, feature)| feature.differs(a, b, tolerance))
            .map(|(j, _)| j)
            .collect()
    }

    /// Checks the one-hot groups of queries or training rows. Counterfactuals are not checked: they may break a group.
    pub(crate) fn check_rows(
        &self,
        what: xai_core::Input,
        rows: ArrayView2<'_, f64>,
    ) -> Result<()> {
        let groups = self
            .features
            .iter()
            .filter(|feature| feature.kind == FeatureKind::OneHot);
        for feature in groups {
            for (i, row) in rows.rows().into_iter().enumerate() {
                let row = row.to_vec();
                if !feature.is_one_hot(&row) {
                    let column = feature.columns[0];
                    let error = Error::out_of_domain(
                        what,
                        &[i, column],
                        row[column],
                        format!("an indicator of one category of {}", feature.name),
                    );
                    return Err(error.with_help(ONE_HOT_GROUP));
                }
            }
        }
        Ok(())
    }
}
