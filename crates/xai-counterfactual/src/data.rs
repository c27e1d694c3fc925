//! The data that metrics read.

use std::sync::Arc;

use ndarray::{Array2, ArrayView2};
use xai_core::Label;
use xai_core::number::{check_finite, check_finite_slice, labels_to_i64};
use xai_core::tensor::check_shape;
use xai_core::{Error, Help, Input, Result};

use crate::distance::{DistanceOptions, RowDistance};
use crate::input;
use crate::neighborhood::{Searched, Wanted};
use crate::reference::Reference;
use crate::schema::Schema;
use crate::searches::{RowNeighbors, row_of};
use crate::selection::Rows;

/// For NaN in some columns of a counterfactual.
pub(crate) const DROP_MISSING_ROWS: Help =
    Help::new("leave out rows of counterfactuals that do not exist");
/// For metrics that need a model.
pub(crate) const GIVE_A_MODEL: Help =
    Help::new("give the model as a function of rows, or its predictions as arrays");

/// A model that predicts the class of each row, `(rows, d)` → `rows` classes.
pub type ModelFunction<'a> = dyn Fn(ArrayView2<'_, f64>) -> Result<Vec<i64>> + Send + Sync + 'a;

/// A causal rule: when one feature moves in a direction, another one must move, too.
///
/// A higher level of education, for instance, takes a higher age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Rule {
    /// Column of the cause.
    pub cause: usize,
    /// Direction of the cause that triggers the rule: 1 (up) or −1 (down).
    pub direction: i8,
    /// Column of the effect.
    pub effect: usize,
    /// Direction in which the effect must move: 1 (up) or −1 (down).
    pub effect_direction: i8,
    /// If `true`, the effect must move; otherwise it must not move the other way.
    pub strict: bool,
}

/// Counterfactuals of one method, with what the metrics need.
///
/// `counterfactuals` has any number of rows per query, none included, in any order; `query` has the index of the query
/// of each. A counterfactual that does not exist has no row. Everything else is optional; a metric returns an error
/// that names what it needs. If an input is set twice, the last value is used.
///
/// ```
/// use ndarray::array;
/// use xai_counterfactual::{CounterfactualData, CounterfactualMetric, Schema, metric::Sparsity};
/// let schema = Schema::numeric(2);
/// let queries = array![[0.0, 0.0], [1.0, 1.0]];
/// let counterfactuals = array![[0.0, 3.0], [4.0, 3.0]];
/// let data = CounterfactualData::new(&schema, queries.view(), counterfactuals.view(), &[0, 0])?;
/// let sparsity = Sparsity::new().evaluate(&data)?;
/// assert_eq!(sparsity.per_counterfactual, Some(vec![Some(0.5), Some(1.0)]));
/// assert_eq!(sparsity.per_query, [Some(0.75), None]); // query 1 has no counterfactual
/// # Ok::<(), xai_core::Error>(())
/// ```
pub struct CounterfactualData<'a> {
    schema: &'a Schema,
    reference: Option<&'a Reference>,
    model: Option<Box<ModelFunction<'a>>>,
    queries: Arc<Array2<f64>>,
    pub(crate) rows: Array2<f64>,
    pub(crate) query: Vec<usize>,
    classes: Vec<(Input, Vec<i64>)>,
    numbers: Vec<(Input, Vec<f64>)>,
    tables: Vec<(Input, Array2<f64>)>,
    class_tables: Vec<(Input, Array2<i64>)>,
    valid: Option<Vec<bool>>,
    requested: Option<usize>,
    rules: Option<Vec<Rule>>,
    others: Option<RowSet>,
    runs: Vec<RowSet>,
    /// Neighbours of the counterfactuals that metrics read before.
    neighbors: Searched<DistanceOptions>,
}

/// Rows with the query of each.
#[derive(Debug, Clone)]
pub(crate) struct RowSet {
    pub(crate) rows: Array2<f64>,
    pub(crate) query: Vec<usize>,
}

impl<'a> CounterfactualData<'a> {
    /// Takes the queries `(n, d)`, the counterfactuals `(N, d)` and the index of the query of each counterfactual.
    ///
    /// # Errors
    /// `Empty` without queries, `ShapeMismatch` for other numbers of columns or rows, `NonFinite`, `OutOfDomain` for
    /// the index of a query that does not exist, or for a query that breaks a one-hot group.
    pub fn new(
        schema: &'a Schema,
        queries: ArrayView2<'_, f64>,
        counterfactuals: ArrayView2<'_, f64>,
        query: &[usize],
    ) -> Result<Self> {
        if queries.nrows() == 0 {
            return Err(Error::empty(input::QUERIES));
        }
        check_shape(
            input::QUERIES,
            &[queries.nrows(), schema.n_columns()],
            queries.shape(),
        )?;
        check_finite(input::QUERIES, queries)?;
        schema.check_rows(input::QUERIES, queries)?;
        let set = checked_set(
            [input::COUNTERFACTUALS, input::QUERY],
            counterfactuals,
            query,
            queries,
        )?;
        Ok(Self {
            schema,
            reference: None,
            model: None,
            queries: Arc::new(queries.as_standard_layout().into_owned()),
            rows: set.rows,
            query: set.query,
            classes: Vec::new(),
            numbers: Vec::new(),
            tables: Vec::new(),
            class_tables: Vec::new(),
            valid: None,
            requested: None,
            rules: None,
            others: None,
            runs: Vec::new(),
            neighbors: Searched::default(),
        })
    }

    /// Sets the training rows, for scales of distances and for metrics of plausibility.
    ///
    /// # Errors
    /// `InvalidParameter` if its schema is another one.
    pub fn reference(mut self, reference: &'a Reference) -> Result<Self> {
        if reference.schema() != self.schema {
            return Err(Error::parameter(
                input::SCHEMA,
                "another schema",
                "the schema of the training rows",
            ));
        }
        self.reference = Some(reference);
        self.neighbors = Searched::default();
        Ok(self)
    }

    /// Sets the model, a function from rows to their classes.
    #[must_use]
    pub fn model(
        mut self,
        model: impl Fn(ArrayView2<'_, f64>) -> Result<Vec<i64>> + Send + Sync + 'a,
    ) -> Self {
        self.model = Some(Box::new(model));
        self
    }

    /// Sets classes: [`CLASS`](input::CLASS) or [`TARGET`](input::TARGET) of the queries,
    /// [`PREDICTED`](input::PREDICTED) or [`ROW_CLASS`](input::ROW_CLASS) of the counterfactuals.
    ///
    /// # Errors
    /// `ShapeMismatch` for another number of classes, `OutOfDomain` for a class above `i64::MAX`, `InvalidParameter`
    /// for an input that has no classes.
    pub fn classes<L: Label>(mut self, which: Input, classes: &[L]) -> Result<Self> {
        let n = if which == input::CLASS || which == input::TARGET {
            self.queries.nrows()
        } else if which == input::PREDICTED || which == input::ROW_CLASS {
            self.rows.nrows()
        } else {
            return Err(not_of_kind(which, "classes"));
        };
        check_shape(which, &[n], &[classes.len()])?;
        let classes = labels_to_i64(which, classes.iter().copied())?;
        set(&mut self.classes, which, classes);
        Ok(self)
    }

    /// Sets numbers: [`P_TARGET`](input::P_TARGET) of the counterfactuals, [`P_TARGET_QUERY`](input::P_TARGET_QUERY) or
    /// [`INPUT_DISTANCE`](input::INPUT_DISTANCE) of the queries.
    ///
    /// # Errors
    /// `ShapeMismatch`, `NonFinite`, `OutOfDomain` for a probability outside [0, 1] or a negative distance,
    /// `InvalidParameter` for an input that has no numbers.
    pub fn numbers(mut self, which: Input, numbers: &[f64]) -> Result<Self> {
        let is_probability = which == input::P_TARGET || which == input::P_TARGET_QUERY;
        if !is_probability && which != input::INPUT_DISTANCE {
            return Err(not_of_kind(which, "numbers"));
        }
        let n = if which == input::P_TARGET {
            self.rows.nrows()
        } else {
            self.queries.nrows()
        };
        check_shape(which, &[n], &[numbers.len()])?;
        check_finite_slice(which, numbers)?;
        let (high, expected) = if is_probability {
            (1.0, "a probability in [0, 1]")
        } else {
            (f64::INFINITY, "a distance of at least 0")
        };
        if let Some(i) = numbers.iter().position(|x| !(0.0..=high).contains(x)) {
            return Err(Error::out_of_domain(which, &[i], numbers[i], expected));
        }
        set(&mut self.numbers, which, numbers.to_vec());
        Ok(self)
    }

    /// Sets the reconstructions of the counterfactuals `(N, d)` by the autoencoder of the target class
    /// ([`RECONSTRUCTION_TARGET`](input::RECONSTRUCTION_TARGET)), of the query's class
    /// ([`RECONSTRUCTION_ORIGIN`](input::RECONSTRUCTION_ORIGIN)) or of all data
    /// ([`RECONSTRUCTION_ALL`](input::RECONSTRUCTION_ALL)).
    ///
    /// # Errors
    /// `ShapeMismatch`, `NonFinite`, `InvalidParameter` for another input.
    pub fn reconstruction(mut self, which: Input, rows: ArrayView2<'_, f64>) -> Result<Self> {
        if ![
            input::RECONSTRUCTION_TARGET,
            input::RECONSTRUCTION_ORIGIN,
            input::RECONSTRUCTION_ALL,
        ]
        .contains(&which)
        {
            return Err(not_of_kind(which, "reconstructions"));
        }
        check_shape(which, self.rows.shape(), rows.shape())?;
        check_finite(which, rows)?;
        set(&mut self.tables, which, rows.to_owned());
        Ok(self)
    }

    /// Sets predicted classes of noisy copies of each counterfactual, `(N, S)`
    /// ([`NOISY_PREDICTIONS`](input::NOISY_PREDICTIONS)), or of the counterfactuals by other models, `(J, N)`
    /// ([`MODEL_PREDICTIONS`](input::MODEL_PREDICTIONS)).
    ///
    /// # Errors
    /// `ShapeMismatch`, `Empty` without copies or models, `OutOfDomain` for a class above `i64::MAX`,
    /// `InvalidParameter` for another input.
    pub fn predictions<L: Label>(
        mut self,
        which: Input,
        classes: ArrayView2<'_, L>,
    ) -> Result<Self> {
        let (n, at) = (self.rows.nrows(), classes.dim());
        let expected = if which == input::NOISY_PREDICTIONS {
            [n, at.1]
        } else if which == input::MODEL_PREDICTIONS {
            [at.0, n]
        } else {
            return Err(not_of_kind(which, "predictions"));
        };
        check_shape(which, &expected, classes.shape())?;
        if n > 0 && classes.is_empty() {
            return Err(Error::empty(which));
        }
        let classes = labels_to_i64(which, classes.iter().copied())?;
        let classes = Array2::from_shape_vec(at, classes).expect("as many as there were");
        set(&mut self.class_tables, which, classes);
        Ok(self)
    }

    /// Sets whether each counterfactual has the wanted class. If it is not set, this follows from given classes.
    ///
    /// # Errors
    /// `ShapeMismatch` for another number.
    pub fn valid(mut self, valid: &[bool]) -> Result<Self> {
        check_shape(input::VALID, &[self.rows.nrows()], &[valid.len()])?;
        self.valid = Some(valid.to_vec());
        Ok(self)
    }

    /// Sets the number of counterfactuals that were requested for each query.
    ///
    /// # Errors
    /// `InvalidParameter` for 0.
    pub fn requested(mut self, requested: usize) -> Result<Self> {
        if requested == 0 {
            return Err(Error::parameter(input::REQUESTED, requested, "at least 1"));
        }
        self.requested = Some(requested);
        Ok(self)
    }

    /// Sets causal rules.
    ///
    /// # Errors
    /// `InvalidParameter` for a column that does not exist, and for a direction other than 1 and −1.
    pub fn rules(mut self, rules: Vec<Rule>) -> Result<Self> {
        for rule in &rules {
            let column = rule.cause.max(rule.effect);
            if column >= self.schema.n_columns() {
                return Err(Error::parameter(
                    input::CONSTRAINTS,
                    column,
                    "a column of the table",
                ));
            }
            if let Some(direction) = [rule.direction, rule.effect_direction]
                .iter()
                .find(|direction| ![1, -1].contains(*direction))
            {
                return Err(Error::parameter(
                    input::CONSTRAINTS,
                    direction,
                    "1 (up) or -1 (down)",
                ));
            }
        }
        self.rules = Some(rules);
        Ok(self)
    }

    /// Sets the counterfactuals of another method for the same queries.
    ///
    /// # Errors
    /// As [`new`](Self::new) about counterfactuals.
    pub fn others(mut self, rows: ArrayView2<'_, f64>, query: &[usize]) -> Result<Self> {
        let set = checked_set(
            [input::OTHERS, input::OTHER_QUERY],
            rows,
            query,
            self.queries.view(),
        )?;
        self.others = Some(set);
        Ok(self)
    }

    /// Adds a repeated run of the method for the same queries.
    ///
    /// # Errors
    /// As [`new`](Self::new) about counterfactuals.
    pub fn run(mut self, rows: ArrayView2<'_, f64>, query: &[usize]) -> Result<Self> {
        let set = checked_set([input::RUNS, input::RUNS], rows, query, self.queries.view())?;
        self.runs.push(set);
        Ok(self)
    }

    /// Number of queries.
    #[must_use]
    pub fn n_queries(&self) -> usize {
        self.queries.nrows()
    }

    /// Number of counterfactuals.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.rows.nrows()
    }

    pub(crate) fn schema(&self) -> &Schema {
        self.schema
    }

    pub(crate) fn require_reference(&self) -> Result<&'a Reference> {
        self.reference.ok_or_else(|| Error::missing(input::TRAIN))
    }

    pub(crate) fn known_reference(&self) -> Option<&'a Reference> {
        self.reference
    }

    pub(crate) fn require_model(&self) -> Result<&ModelFunction<'a>> {
        self.model
            .as_deref()
            .ok_or_else(|| Error::missing(input::MODEL).with_help(GIVE_A_MODEL))
    }

    pub(crate) fn require_classes(&self, which: Input) -> Result<&[i64]> {
        self.known_classes(which)
            .ok_or_else(|| Error::missing(which))
    }

    pub(crate) fn known_classes(&self, which: Input) -> Option<&[i64]> {
        get(&self.classes, which).map(Vec::as_slice)
    }

    pub(crate) fn require_numbers(&self, which: Input) -> Result<&[f64]> {
        self.known_numbers(which)
            .ok_or_else(|| Error::missing(which))
    }

    pub(crate) fn known_numbers(&self, which: Input) -> Option<&[f64]> {
        get(&self.numbers, which).map(Vec::as_slice)
    }

    pub(crate) fn require_table(&self, which: Input) -> Result<ArrayView2<'_, f64>> {
        let table = get(&self.tables, which).ok_or_else(|| Error::missing(which))?;
        Ok(table.view())
    }

    pub(crate) fn require_predictions(&self, which: Input) -> Result<ArrayView2<'_, i64>> {
        let table = get(&self.class_tables, which).ok_or_else(|| Error::missing(which))?;
        Ok(table.view())
    }

    pub(crate) fn known_requested(&self) -> Option<usize> {
        self.requested
    }

    pub(crate) fn require_requested(&self) -> Result<usize> {
        self.requested
            .ok_or_else(|| Error::missing(input::REQUESTED))
    }

    pub(crate) fn require_rules(&self) -> Result<&[Rule]> {
        self.rules
            .as_deref()
            .ok_or_else(|| Error::missing(input::CONSTRAINTS))
    }

    pub(crate) fn require_others(&self) -> Result<&RowSet> {
        self.others
            .as_ref()
            .ok_or_else(|| Error::missing(input::OTHERS))
    }

    pub(crate) fn runs(&self) -> &[RowSet] {
        &self.runs
    }

    /// Returns whether each row has the wanted class: as given, or else the predicted class compared with the target,
    /// or with the class of the query. `None` if it is not known.
    pub(crate) fn validity(&self) -> Option<Vec<bool>> {
        if let Some(valid) = &self.valid {
            return Some(valid.clone());
        }
        let predicted = self.known_classes(input::PREDICTED)?;
        let rows = predicted.iter().zip(&self.query);
        if let Some(target) = self.known_classes(input::TARGET) {
            return Some(
                rows.map(|(predicted, &query)| *predicted == target[query])
                    .collect(),
            );
        }
        let class = self.known_classes(input::CLASS)?;
        Some(
            rows.map(|(predicted, &query)| *predicted != class[query])
                .collect(),
        )
    }

    /// The class that each row is compared with in the training data: as given, or else the target, or else the
    /// predicted class.
    pub(crate) fn row_class(&self) -> Result<Vec<i64>> {
        if let Some(classes) = self.known_classes(input::ROW_CLASS) {
            return Ok(classes.to_vec());
        }
        if let Some(target) = self.known_classes(input::TARGET) {
            return Ok(self.query.iter().map(|&query| target[query]).collect());
        }
        self.require_classes(input::PREDICTED).map(<[i64]>::to_vec)
    }

    /// The indices of the rows of each query that count.
    pub(crate) fn members(&self, rows: Rows) -> Vec<Vec<usize>> {
        let valid = if rows == Rows::Valid {
            self.validity()
        } else {
            None
        };
        let mut members = vec![Vec::new(); self.n_queries()];
        for (row, &query) in self.query.iter().enumerate() {
            if valid.as_ref().is_none_or(|valid| valid[row]) {
                members[query].push(row);
            }
        }
        members
    }

    /// The indices of the rows of each query, without those that the caller marked as invalid.
    pub(crate) fn members_not_marked_invalid(&self, rows: Rows) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.n_queries()];
        for (row, &query) in self.query.iter().enumerate() {
            if rows == Rows::All || self.valid.as_ref().is_none_or(|valid| valid[row]) {
                members[query].push(row);
            }
        }
        members
    }

    /// A distance between rows, with the scales of the training rows if there are any.
    pub(crate) fn distance(&self, options: DistanceOptions) -> Result<RowDistance> {
        RowDistance::new(options, self.schema, self.reference.map(Reference::rows))
    }

    /// The nearest training rows of the counterfactuals, searched once for all metrics.
    pub(crate) fn row_neighbors(
        &self,
        options: DistanceOptions,
        wanted: Wanted,
    ) -> Result<RowNeighbors<'_>> {
        let searches = self.require_reference()?.searches(options)?;
        let own = self.row_class().ok();
        let rows = self.rows.view();
        let found = searches.nearest_to_counterfactuals(
            &self.neighbors,
            options,
            rows,
            own.as_deref(),
            wanted,
        )?;
        Ok(RowNeighbors {
            searches,
            found,
            rows: &self.rows,
        })
    }

    /// The nearest training rows of the queries with these own classes, searched once for all metrics and methods.
    pub(crate) fn query_neighbors(
        &self,
        options: DistanceOptions,
        own: &[i64],
        wanted: Wanted,
    ) -> Result<RowNeighbors<'_>> {
        let searches = self.require_reference()?.searches(options)?;
        let found = searches.nearest_to_queries(&self.queries, own, wanted)?;
        Ok(RowNeighbors {
            searches,
            found,
            rows: &self.queries,
        })
    }

    pub(crate) fn query_row(&self, query: usize) -> &[f64] {
        row_of(&self.queries, query)
    }

    pub(crate) fn row(&self, row: usize) -> &[f64] {
        row_of(&self.rows, row)
    }
}

impl std::fmt::Debug for CounterfactualData<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("CounterfactualData");
        shown
            .field("n_queries", &self.n_queries())
            .field("n_rows", &self.n_rows())
            .finish_non_exhaustive()
    }
}

fn checked_set(
    [rows_of, query_of]: [Input; 2],
    rows: ArrayView2<'_, f64>,
    query: &[usize],
    queries: ArrayView2<'_, f64>,
) -> Result<RowSet> {
    check_shape(rows_of, &[rows.nrows(), queries.ncols()], rows.shape())?;
    check_finite(rows_of, rows).map_err(|error| error.with_help(DROP_MISSING_ROWS))?;
    check_shape(query_of, &[rows.nrows()], &[query.len()])?;
    if let Some(i) = query.iter().position(|&query| query >= queries.nrows()) {
        let expected = format!(
            "the index of one of {} queries, counted from 0",
            queries.nrows()
        );
        return Err(Error::out_of_domain(
            query_of,
            &[i],
            query[i] as f64,
            expected,
        ));
    }
    Ok(RowSet {
        rows: rows.as_standard_layout().into_owned(),
        query: query.to_vec(),
    })
}

/// Sets the value of an input, instead of an earlier one.
fn set<T>(values: &mut Vec<(Input, T)>, which: Input, value: T) {
    values.retain(|(input, _)| *input != which);
    values.push((which, value));
}

fn get<T>(values: &[(Input, T)], which: Input) -> Option<&T> {
    let mut values = values.iter();
    values.find_map(|(input, value)| (*input == which).then_some(value))
}

pub(crate) fn not_of_kind(which: Input, kind: &str) -> Error {
    Error::parameter(which, which, format!("an input that takes {kind}"))
}
