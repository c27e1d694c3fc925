//! The metrics by name.
//!
#![doc = include_str!("../METRICS.md")]

use std::cmp::Reverse;

use xai_core::Result;
use xai_core::describe::{Family, MetricEntry, Setting, Value, with};

use crate::data::CounterfactualData;
use crate::edit_distance::EDIT_DISTANCE;
use crate::input;
use crate::metric::{self, CounterfactualMetric};
use crate::values::CounterfactualValues;

/// A metric of the registry.
pub type Entry = MetricEntry<Computation>;

/// Computes a metric with some of its parameters set.
#[derive(Clone, Copy)]
pub struct Computation(Evaluate);

type Evaluate = fn(&[(String, Value)], &CounterfactualData<'_>) -> Result<CounterfactualValues>;

impl std::fmt::Debug for Computation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Computation")
    }
}

impl Computation {
    /// Computes the metric with some parameters set, defaults for the others.
    ///
    /// # Errors
    /// `InvalidParameter` for an unknown parameter or a value outside its domain, and as
    /// [`CounterfactualMetric::compute`].
    pub fn evaluate(
        &self,
        settings: &[(String, Value)],
        data: &CounterfactualData<'_>,
    ) -> Result<CounterfactualValues> {
        (self.0)(settings, data)
    }
}

const fn entry<M: CounterfactualMetric + Default + 'static>() -> Entry {
    let evaluate: Evaluate =
        |settings, data| with(M::default(), settings.iter().cloned())?.evaluate(data);
    MetricEntry::new(M::INFO, Computation(evaluate)).with_parameters::<M>()
}

/// The metrics that are computed from counterfactuals, in the order of the documentation.
pub const METRICS: &[Entry] = &[
    entry::<metric::Coverage>(),
    entry::<metric::Validity>(),
    entry::<metric::TargetConfidence>(),
    entry::<metric::Proximity>(),
    entry::<metric::Sparsity>(),
    entry::<metric::Diversity>(),
    entry::<metric::DppDiversity>(),
    entry::<metric::DistinctChanges>(),
    entry::<metric::NearestDistance>(),
    entry::<metric::Ynn>(),
    entry::<metric::LocalOutlierFactor>(),
    entry::<metric::Connectedness>(),
    entry::<metric::RelativeDistance>(),
    entry::<metric::NeighborRatio>(),
    entry::<metric::TrustScore>(),
    entry::<metric::Im1>(),
    entry::<metric::Im2>(),
    entry::<metric::InDomain>(),
    entry::<metric::ConstraintViolation>(),
    entry::<metric::CausalConsistency>(),
    entry::<metric::Cost>(),
    entry::<metric::Redundancy>(),
    entry::<metric::NoiseInvalidation>(),
    entry::<metric::ModelValidity>(),
    entry::<metric::SetDistance>(),
    entry::<metric::ChangeAgreement>(),
    entry::<metric::DiscriminativePower>(),
];

/// The metrics of counterfactuals, with the group gap and the edit distance of texts.
pub const FAMILY: Family = Family {
    name: "counterfactual",
    package: env!("CARGO_PKG_NAME"),
    title: "Counterfactual explanations",
    summary: "Are counterfactuals valid, near, plausible and possible?",
    metrics: || {
        let computed = METRICS.iter().map(Entry::description);
        computed
            .chain([metric::GROUP_GAP, EDIT_DISTANCE].map(|info| MetricEntry::new(info, ())))
            .collect()
    },
    operations: &[],
    inputs: input::INPUTS,
};

/// The metrics whose inputs are all known.
pub fn possible(data: &CounterfactualData<'_>) -> impl Iterator<Item = &'static Entry> {
    let is_possible = |entry: &&Entry| data.missing(entry.info.needs).is_empty();
    METRICS.iter().filter(is_possible)
}

/// Finds a metric by its own name; `_` may be written for `-`. `xai_metrics::find` also knows the names that metrics
/// have in other packages.
///
/// # Errors
/// `InvalidParameter` for an unknown name, with similar names.
pub fn find(name: &str) -> Result<&'static Entry> {
    xai_core::describe::find(METRICS, name)
}

/// Computes a metric with settings, such as `ynn(k=3)`.
///
/// ```
/// use ndarray::array;
/// use xai_counterfactual::{CounterfactualData, Schema, registry};
/// let schema = Schema::numeric(1);
/// let data = CounterfactualData::new(&schema, array![[0.0]].view(), array![[2.0]].view(), &[0])?;
/// let proximity = registry::evaluate(&"proximity(distance=manhattan)".parse()?, &data)?;
/// assert_eq!(proximity.value, Some(2.0));
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Errors
/// As [`find`] and [`Computation::evaluate`].
pub fn evaluate(setting: &Setting, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
    find(&setting.name)?
        .computation
        .evaluate(&setting.params, data)
}

/// Computes several metrics, which share the searches for nearest training rows. Values are in the order of the
/// settings.
///
/// Metrics that read more neighbours are computed first, so that their searches serve the others. `on_start` is called
/// before each metric, for example to show progress.
///
/// ```
/// use ndarray::array;
/// use xai_counterfactual::{CounterfactualData, Schema, registry};
/// let schema = Schema::numeric(1);
/// let data = CounterfactualData::new(&schema, array![[0.0]].view(), array![[2.0]].view(), &[0])?;
/// let settings = ["sparsity".parse()?, "proximity(distance=manhattan)".parse()?];
/// let values = registry::evaluate_all(&settings, &data, |_| {})?;
/// assert_eq!((values[0].value, values[1].value), (Some(1.0), Some(2.0)));
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Errors
/// As [`evaluate`]; names and parameters of all metrics are checked first.
pub fn evaluate_all(
    settings: &[Setting],
    data: &CounterfactualData<'_>,
    mut on_start: impl FnMut(&Setting),
) -> Result<Vec<CounterfactualValues>> {
    let n_neighbors = |setting: &Setting| -> Result<i128> {
        let params = find(&setting.name)?.params_with(&setting.params)?;
        let k = params.iter().find(|param| param.name == "k");
        Ok(k.and_then(|k| k.value.integer()).unwrap_or(0))
    };
    let mut order = Vec::with_capacity(settings.len());
    for (position, setting) in settings.iter().enumerate() {
        order.push((Reverse(n_neighbors(setting)?), position));
    }
    order.sort_unstable();
    let mut values = vec![CounterfactualValues::default(); settings.len()];
    for (_, position) in order {
        on_start(&settings[position]);
        values[position] = evaluate(&settings[position], data)?;
    }
    Ok(values)
}
