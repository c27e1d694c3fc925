//! The section of counterfactual explanations.

use ndarray::ArrayView2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_core::evaluation::EvaluationTable;
use xai_core::input::EXPLAINERS;
use xai_core::tensor::check_shape;
use xai_core::{Error, Result};
use xai_counterfactual::{Change, Feature, FeatureKind, Schema, input};

use crate::origin::Origin;
use crate::sections::compared::Compared;
use crate::sections::compared::shown::shown;

/// Section about counterfactual explanations of several methods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Counterfactual {
    /// Name and inputs of the section.
    #[serde(flatten)]
    pub origin: Origin,
    /// The methods by metrics with a value of each query.
    #[serde(flatten)]
    pub compared: Compared,
    /// Share of the queries with a valid counterfactual by each method; `null` if validity is not known.
    pub success: Vec<Option<f64>>,
    /// Features that counterfactuals change although they cannot change in that way.
    pub violations: Vec<FeatureViolation>,
    /// Changed features of some queries.
    pub changes: Vec<FeatureChange>,
    /// Agreement of every two methods on the features that they change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agreement: Vec<MethodAgreement>,
}

/// Agreement of two methods on the features that they change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MethodAgreement {
    /// The methods.
    pub methods: [String; 2],
    /// Mean Jaccard index of the changed features over queries that both answer; `null` if there are none.
    pub jaccard: Option<f64>,
}

/// Forbidden changes of a feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FeatureViolation {
    /// Name of the feature.
    pub feature: String,
    /// Share of the counterfactuals of each method with a forbidden change; `null` without counterfactuals.
    pub shares: Vec<Option<f64>>,
}

/// Queries and the counterfactuals of each method, from which changes of features are listed.
#[derive(Debug, Clone, Copy)]
pub struct Changes<'a> {
    /// The features.
    pub schema: &'a Schema,
    /// The queries, a row each.
    pub queries: ArrayView2<'a, f64>,
    /// Counterfactuals of each method, and the query of each.
    pub methods: &'a [(ArrayView2<'a, f64>, &'a [usize])],
    /// Names of the columns.
    pub columns: &'a [String],
    /// Names of the categories of each column; `None` for numbers.
    pub categories: &'a [Option<Vec<String>>],
}

impl Changes<'_> {
    /// Checks the shapes, for a number of methods.
    fn check(&self, n_methods: usize) -> Result<()> {
        let (n, d) = (self.queries.nrows(), self.schema.n_columns());
        check_shape(input::QUERIES, &[n, d], self.queries.shape())?;
        check_shape(EXPLAINERS, &[n_methods], &[self.methods.len()])?;
        for (rows, query) in self.methods {
            check_shape(input::COUNTERFACTUALS, &[query.len(), d], rows.shape())?;
            if let Some(row) = query.iter().position(|&query| query >= n) {
                let expected = xai_core::text::index_range(n);
                let query = query[row] as f64;
                return Err(Error::out_of_domain(input::QUERY, &[row], query, expected));
            }
        }
        Ok(())
    }

    /// A counterfactual of a method, after its query.
    fn pair(&self, method: usize, row: usize) -> (Vec<f64>, Vec<f64>) {
        let (rows, query) = &self.methods[method];
        (
            self.queries.row(query[row]).to_vec(),
            rows.row(row).to_vec(),
        )
    }

    /// The value of a feature in a row: a number, or the name of a category.
    fn value(&self, feature: &Feature, row: &[f64]) -> String {
        let column = feature.columns[0];
        let category = |name: Option<&String>| {
            name.map_or_else(|| "another category".to_owned(), String::clone)
        };
        match self.categories.get(column).and_then(Option::as_ref) {
            _ if feature.kind == FeatureKind::OneHot => {
                let mut set = feature.columns.iter().filter(|&&column| row[column] != 0.0);
                let first = set.next().filter(|&&column| row[column] == 1.0);
                let hot = first.filter(|_| set.next().is_none());
                category(hot.and_then(|&column| self.columns.get(column)))
            }
            Some(names) => {
                let code = row[column];
                let is_code = code >= 0.0 && code.fract() == 0.0;
                category(names.get(code as usize).filter(|_| is_code))
            }
            None => row[column].to_string(),
        }
    }

    /// Shares of forbidden changes of each feature that some method changes although it cannot change in that way.
    fn violations(&self) -> Vec<FeatureViolation> {
        let features = self.schema.features().iter();
        let bound = features.filter(|feature| feature.change != Change::Any);
        let violations = bound.map(|feature| {
            let share = |method: usize| {
                let n = self.methods[method].1.len();
                let pairs = (0..n).map(|row| self.pair(method, row));
                let violated = pairs.filter(|(x, c)| feature.is_violated(x, c, 0.0));
                (n > 0).then(|| violated.count() as f64 / n as f64)
            };
            FeatureViolation {
                feature: feature.name.clone(),
                shares: (0..self.methods.len()).map(share).collect(),
            }
        });
        let is_violated = |violation: &FeatureViolation| {
            violation.shares.iter().flatten().any(|share| *share > 0.0)
        };
        violations.filter(is_violated).collect()
    }
}

/// A feature of a query before and after its change by a method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FeatureChange {
    /// The query, from 0.
    pub query: usize,
    /// The method.
    pub explainer: String,
    /// Name of the feature.
    pub feature: String,
    /// Value of the query.
    pub before: String,
    /// Value of the counterfactual.
    pub after: String,
}

impl Counterfactual {
    /// Creates the section of a comparison of methods; `success` is the share of queries that each answers.
    ///
    /// # Errors
    /// `NonFinite` for a value that is NaN or infinite, which evaluations never return.
    ///
    /// ```
    /// use xai_core::Direction;
    /// use xai_core::evaluation::{EvaluationValues, MetricValues, Statistics};
    /// use xai_report::Origin;
    /// use xai_report::sections::counterfactual::Counterfactual;
    /// let metric = MetricValues::new("sparsity", Direction::Lower, vec![vec![Some(0.5), None]]);
    /// let table = EvaluationValues::new(["mine"], 2, vec![metric]).table(&Statistics::default())?;
    /// let origin = Origin::new(&Counterfactual::KIND, 1, "Two queries");
    /// let section = Counterfactual::new(origin, &table, vec![Some(0.5)])?;
    /// assert_eq!(section.compared.explainers, ["mine"]);
    /// # Ok::<(), xai_core::Error>(())
    /// ```
    pub fn new(origin: Origin, table: &EvaluationTable, success: Vec<Option<f64>>) -> Result<Self> {
        Ok(Self {
            origin,
            compared: Compared::new(table)?,
            success,
            violations: Vec::new(),
            changes: Vec::new(),
            agreement: Vec::new(),
        })
    }

    /// Adds the forbidden changes of features by each method of the table, and the features that its first
    /// counterfactual of some queries changes, instead of earlier ones.
    ///
    /// # Errors
    /// `ShapeMismatch` for another number of methods than in the table, or of columns than in the schema; `OutOfDomain`
    /// for a query that does not exist.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_core::Direction;
    /// use xai_core::evaluation::{EvaluationValues, MetricValues, Statistics};
    /// use xai_counterfactual::{Change, Feature, FeatureKind, Schema};
    /// use xai_report::Origin;
    /// use xai_report::sections::counterfactual::{Changes, Counterfactual};
    /// let metric = MetricValues::new("sparsity", Direction::Lower, vec![vec![Some(1.0)]]);
    /// let table = EvaluationValues::new(["mine"], 1, vec![metric]).table(&Statistics::default())?;
    /// let origin = Origin::new(&Counterfactual::KIND, 1, "One query");
    /// let mut section = Counterfactual::new(origin, &table, vec![Some(1.0)])?;
    /// let mut age = Feature::new(FeatureKind::Numeric, [0]);
    /// age.change = Change::Increase;
    /// let schema = Schema::new(2, vec![age, Feature::new(FeatureKind::Categorical, [1])])?;
    /// let (queries, rows) = (array![[40.0, 0.0]], array![[30.0, 1.0]]);
    /// let changes = Changes {
    ///     schema: &schema,
    ///     queries: queries.view(),
    ///     methods: &[(rows.view(), &[0])],
    ///     columns: &["age".to_owned(), "job".to_owned()],
    ///     categories: &[None, Some(vec!["clerk".to_owned(), "farmer".to_owned()])],
    /// };
    /// section.add_changes(&changes, &[0])?;
    /// assert_eq!(section.violations[0].shares, [Some(1.0)]); // the age decreases
    /// assert_eq!((&*section.changes[1].before, &*section.changes[1].after), ("clerk", "farmer"));
    /// # Ok::<(), xai_core::Error>(())
    /// ```
    pub fn add_changes(&mut self, changes: &Changes<'_>, queries: &[usize]) -> Result<()> {
        changes.check(self.compared.explainers.len())?;
        self.violations = changes.violations();
        self.changes.clear();
        for &query in queries {
            for (method, explainer) in self.compared.explainers.iter().enumerate() {
                let of_query = |of: &usize| *of == query;
                let row = changes.methods[method].1.iter().position(of_query);
                let Some((x, c)) = row.map(|row| changes.pair(method, row)) else {
                    continue;
                };
                let features = changes.schema.features().iter();
                let changed = features.filter(|feature| feature.differs(&x, &c, 0.0));
                self.changes.extend(changed.map(|feature| FeatureChange {
                    query,
                    explainer: explainer.clone(),
                    feature: feature.name.clone(),
                    before: changes.value(feature, &x),
                    after: changes.value(feature, &c),
                }));
            }
        }
        Ok(())
    }

    /// The queries whose changes are shown: the best and the worst by the first metric with a better end, of the
    /// method that it ranks first, or evenly spread ones.
    #[must_use]
    pub fn shown(table: &EvaluationTable) -> Vec<usize> {
        shown(table, table.n_samples)
    }
}
