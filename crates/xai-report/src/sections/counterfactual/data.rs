//! The section of counterfactual explanations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_core::Result;
use xai_core::evaluation::EvaluationTable;

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

    /// The queries whose changes are shown: the best and the worst by the first metric with a better end, of the method that it
    /// ranks first, or evenly spread ones.
    #[must_use]
    pub fn shown(table: &EvaluationTable) -> Vec<usize> {
        shown(table, table.n_samples)
    }
}
