//! The section of attribution maps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_attribution::table::{EvaluationTable, MetricResult};
use xai_core::{Activation, Direction, Result};

use crate::origin::Origin;
use crate::sections::attribution::gallery::Gallery;
use crate::sections::compared::{Compared, title};

/// Section about attribution maps: how good are attribution maps of a model?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Attribution {
    /// Name and inputs of the section.
    #[serde(flatten)]
    pub origin: Origin,
    /// Activation that is applied to the model's outputs.
    pub activation: String,
    /// Number of rows for which the model was called.
    pub model_rows: u64,
    /// Largest number of rows per call of the model and the explainers. `None` if neither was called.
    pub batch_size: Option<usize>,
    /// The explainers by the metrics.
    #[serde(flatten)]
    pub compared: Compared,
    /// Curves of the metrics that are areas under a curve.
    pub curves: Vec<CurvesOfMetric>,
    /// Some maps, if the inputs are images.
    pub gallery: Option<Gallery>,
}

/// The curves of all explainers by one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CurvesOfMetric {
    /// Name of the metric.
    pub metric: String,
    /// Title.
    pub title: String,
    /// Direction in which values are better.
    #[schemars(with = "String", extend("enum" = ["higher", "lower", "none"]))]
    pub better: Direction,
    /// Curves of the explainers that have one.
    pub curves: Vec<Curve>,
}

/// Mean scores of the model while positions are removed or restored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Curve {
    /// Name of the explainer.
    pub explainer: String,
    /// Points of the curve, by number of changed positions.
    pub points: Vec<CurvePoint>,
}

/// A point of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CurvePoint {
    /// Number of changed positions.
    pub n_flipped: usize,
    /// Mean score over the samples.
    pub score: f64,
}

impl Attribution {
    /// Creates the section from a table of explainers and metrics. `activation` is the one that was applied to the
    /// outputs of the model.
    ///
    /// # Errors
    /// `NonFinite` for a value that is NaN or infinite, which evaluations never return.
    ///
    /// ```
    /// use ndarray::{Array2, ArrayViewD, array};
    /// use xai_attribution::metric::Complexity;
    /// use xai_attribution::Benchmark;
    /// use xai_core::Activation;
    /// use xai_report::sections::attribution::Attribution;
    /// use xai_report::Origin;
    ///
    /// let model = |rows: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
    ///     Ok(rows.into_dimensionality().unwrap().to_owned())
    /// };
    /// let (inputs, maps) = (array![[2.0, 1.0]].into_dyn(), array![[1.0, 1.0]].into_dyn());
    /// let table = Benchmark::new(&model, inputs.view(), &[0])
    ///     .maps("gradient", maps.view())
    ///     .metric(Complexity)
    ///     .evaluate()?;
    /// let origin = Origin::new(&Attribution::KIND, 1, "Two pixels");
    /// let section = Attribution::new(origin, &table, Activation::None, None)?;
    /// let complexity = section.compared.metrics[0].values[0].value.unwrap();
    /// assert!((complexity - 2f64.ln()).abs() < 1e-6); // both pixels alike
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        origin: Origin,
        table: &EvaluationTable,
        activation: Activation,
        gallery: Option<Gallery>,
    ) -> Result<Self> {
        Ok(Self {
            origin,
            activation: activation.to_string(),
            model_rows: table.model_calls.rows,
            batch_size: table.batch_size,
            compared: Compared::new(table)?,
            curves: curves(table),
            gallery,
        })
    }
}

fn curves(table: &EvaluationTable) -> Vec<CurvesOfMetric> {
    let of_metric = |result: &MetricResult| {
        let curves = result.values.iter().filter_map(|value| {
            let steps = value.curve.as_ref()?.iter();
            let points = steps.map(|point| CurvePoint {
                n_flipped: point.n_flipped,
                score: point.score,
            });
            Some(Curve {
                explainer: value.explainer.clone(),
                points: points.collect(),
            })
        });
        CurvesOfMetric {
            metric: result.metric.clone(),
            title: title(result),
            better: result.direction,
            curves: curves.collect(),
        }
    };
    let all = table.metrics.iter().map(of_metric);
    all.filter(|metric| !metric.curves.is_empty()).collect()
}
