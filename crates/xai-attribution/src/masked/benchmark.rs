//! Metrics of maps for samples with different numbers of features.

use std::collections::BTreeMap;
use std::sync::Arc;

use ndarray::{Array2, Array3};
use xai_core::{Error, Result};

use super::MaskedModel;
use super::budget::{Budget, Limited};
use super::model::PresenceModel;
use crate::model::{RowKind, Targets, rows_per_call};
use crate::side::Segments;
use crate::table::EvaluationValues;
use crate::{Benchmark, Evaluate, EvaluationData, EvaluationError, PlannedRows, input};

/// Evaluates metrics of explainers of a [`MaskedModel`]; see [the module](super).
///
/// Samples with the same number of features are evaluated together, as rows of presence indicators: 1 for a kept
/// feature, and the baseline 0 for a removed one. If all samples have the same number of features, the values are
/// bit-identical to those of a model of `x ⊙ kept`.
pub struct MaskedBenchmark<'a> {
    model: &'a dyn MaskedModel,
    targets: Targets,
    /// Samples grouped by their number of features.
    groups: Vec<Group>,
    n_features: Vec<usize>,
    /// Name and attributions of each sample, by explainer.
    explainers: Vec<(String, Vec<&'a [f64]>)>,
    most: Option<u64>,
}

impl std::fmt::Debug for MaskedBenchmark<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MaskedBenchmark")
            .field("n_features", &self.n_features)
            .finish_non_exhaustive()
    }
}

impl<'a> MaskedBenchmark<'a> {
    /// Creates an evaluation of samples with `n_features[i]` features each.
    #[must_use]
    pub fn new(model: &'a dyn MaskedModel, n_features: &[usize]) -> Self {
        // Ordered by the number of features, so that groups are evaluated in the same order every time.
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (sample, &features) in n_features.iter().enumerate() {
            groups.entry(features).or_default().push(sample);
        }
        Self {
            model,
            targets: Targets::Classes(vec![0; n_features.len()]),
            groups: groups
                .into_iter()
                .map(|(n_features, samples)| Group {
                    n_features,
                    samples: samples.into(),
                })
                .collect(),
            n_features: n_features.to_vec(),
            explainers: Vec::new(),
            most: None,
        }
    }

    /// Targets whose score is read, for models with several outputs. Default: output 0.
    #[must_use]
    pub fn targets(mut self, targets: Targets) -> Self {
        self.targets = targets;
        self
    }

    /// Adds an explainer by its attributions of each sample, one per feature.
    #[must_use]
    pub fn maps<M: AsRef<[f64]> + ?Sized + 'a>(
        mut self,
        name: impl Into<String>,
        maps: impl IntoIterator<Item = &'a M>,
    ) -> Self {
        let maps = maps.into_iter().map(AsRef::as_ref).collect();
        self.explainers.push((name.into(), maps));
        self
    }

    /// Largest number of queries to the model. A query is one row of a call, and may be a call of a service. Default:
    /// unlimited.
    ///
    /// If the metrics plan more queries, the model is not called at all. The query that checks whether outputs depend
    /// on the batch counts as well, unless that is [allowed](Evaluate::allow_batch_dependence) or only one query is
    /// planned. A metric whose queries cannot be planned (NAOPC with beam search) stops with an error before the call
    /// that would exceed the limit. [`CachedModel::max_calls`](super::CachedModel::max_calls) does not count cached
    /// queries.
    #[must_use]
    pub fn max_calls(mut self, most: u64) -> Self {
        self.most = Some(most);
        self
    }

    /// Returns the planned number of queries to the model, without the one that checks whether outputs depend on the
    /// batch. Checks everything that [`values`](Self::values) checks, without calling the model.
    ///
    /// # Errors
    /// As [`values`](Self::values).
    pub fn plan<C>(&self, configure: C) -> Result<PlannedRows, EvaluationError>
    where
        C: for<'e> Fn(Benchmark<'e, f64>, &[usize]) -> Benchmark<'e, f64>,
    {
        self.check()?;
        let mut planned = PlannedRows::default();
        let mut checks_dependence = false;
        for group in &self.groups {
            let model = group.model(self.model);
            let evaluation = self.evaluation(group, &model, &configure)?;
            if let Some(metric) = evaluation.whole_metric()
                && self.groups.len() > 1
            {
                let expected =
                    "metrics of single samples, as these differ in their numbers of features";
                return Err(Error::parameter(input::METRICS, metric, expected).into());
            }
            checks_dependence |= !evaluation.scoring_settings().allow_batch_dependence;
            let rows = evaluation
                .plan()
                .map_err(|error| self.renumbered(group, error))?;
            planned.add(rows);
        }
        // A call with a single query has no batch that its output could depend on.
        checks_dependence &= planned.model > 1;
        let n_questions = planned.model + u64::from(checks_dependence);
        match self.most {
            Some(most) if n_questions > most => {
                let alone = if checks_dependence {
                    ", and the one that shows whether answers depend on the batch"
                } else {
                    ""
                };
                let n = planned.model;
                let expected =
                    format!("at least {n_questions}: the {n} that the metrics ask{alone}");
                Err(Error::parameter(input::MAX_CALLS, most, expected).into())
            }
            _ => Ok(planned),
        }
    }

    /// Evaluates everything and returns the values of all samples.
    ///
    /// `configure` receives an evaluation and the samples that it covers, and adds the metrics, their further inputs
    /// for these samples (for example [`PrecomputedSubsets`](crate::perturbation::PrecomputedSubsets)) and the scoring
    /// settings. It is called once per number of features for planning, and once more for evaluation.
    ///
    /// # Errors
    /// An empty-input error without samples; too few features for a sample without any; a shape mismatch for another
    /// number of maps or targets than samples, and for a map without one attribution per feature; NaN or infinity in
    /// maps; an invalid parameter if more queries are planned than allowed, for a baseline other than 0, and for
    /// metrics that compare samples with each other if samples have different numbers of features; errors of the
    /// model, and those of [`Benchmark::values`]. Errors of inputs and parameters are returned before the model is
    /// called.
    pub fn values<C>(&self, configure: C) -> Result<EvaluationValues, EvaluationError>
    where
        C: for<'e> Fn(Benchmark<'e, f64>, &[usize]) -> Benchmark<'e, f64>,
    {
        self.plan(&configure)?;
        let limited = Limited {
            model: self.model,
            budget: &Budget::new(self.most.unwrap_or(u64::MAX)),
        };
        let mut joined: Option<EvaluationValues> = None;
        let mut order = Vec::with_capacity(self.n_features.len());
        // One query per run checks whether outputs depend on the batch. It belongs to the largest group, whose calls
        // are the most likely to contain different rows.
        let size = |group: &&Group| group.n_features * group.samples.len();
        let largest_group = self.groups.iter().max_by_key(size);
        let checked_group = largest_group.map(|group| group.n_features);
        for group in &self.groups {
            let model = group.model(&limited);
            let mut evaluation = self.evaluation(group, &model, &configure)?;
            if Some(group.n_features) != checked_group {
                evaluation = evaluation.allow_batch_dependence(true);
            }
            let values = evaluation
                .values()
                .map_err(|error| self.renumbered(group, error))?;
            order.extend_from_slice(&group.samples);
            match &mut joined {
                None => joined = Some(values),
                Some(joined) => joined.merge(values)?,
            }
        }
        let values = joined.ok_or_else(|| Error::empty(input::EXPLANATIONS))?;
        Ok(values.reordered(&order))
    }

    fn evaluation<'e>(
        &self,
        group: &Group,
        model: &'e PresenceModel<'_>,
        configure: &impl Fn(Benchmark<'e, f64>, &[usize]) -> Benchmark<'e, f64>,
    ) -> Result<Benchmark<'e, f64>> {
        let targets = self.targets.gather(&group.samples);
        let (n, features) = (group.samples.len(), group.n_features);
        // The unchanged input has all its features.
        let presence = Array2::<f64>::ones((n, features));
        let data = EvaluationData::new(presence, &targets)
            .with_presence_of(Arc::clone(&group.samples))
            .model(model)
            // If a metric needs segments, each feature is a segment of its own.
            .with(Segments::new(Array3::from_shape_fn(
                (n, 1, features),
                |(_, _, f)| f as u32,
            )));
        let mut evaluation = Benchmark::on(data);
        for (name, maps) in &self.explainers {
            let values = group.samples.iter().flat_map(|&i| maps[i].iter().copied());
            let group_maps = Array2::from_shape_vec((n, features), values.collect())
                .map_err(|_| Error::empty(input::EXPLANATIONS))?;
            evaluation = evaluation.maps(name.clone(), group_maps);
        }
        let most_features = self.n_features.iter().max().copied().unwrap_or_default();
        Ok(configure(evaluation, &group.samples).configure(|scoring| {
            // The same for all groups, because the result has one batch size.
            let default = || rows_per_call(RowKind::Structured, most_features * size_of::<bool>());
            scoring.batch_size.get_or_insert_with(default);
        }))
    }

    /// Renumbers the samples of an error of a group as those of the whole data set.
    fn renumbered(&self, group: &Group, error: EvaluationError) -> EvaluationError {
        error.renumbered(&group.samples, self.n_features.len())
    }

    fn check(&self) -> Result<()> {
        for (name, maps) in &self.explainers {
            let named = |error: Error| error.owner(name.clone());
            if maps.len() != self.n_features.len() {
                let (expected, actual) = ([self.n_features.len()], [maps.len()]);
                return Err(named(Error::shape(input::EXPLANATIONS, &expected, &actual)));
            }
            for (sample, (map, &features)) in maps.iter().zip(&self.n_features).enumerate() {
                if map.len() != features {
                    let error = Error::shape(input::EXPLANATIONS, &[features], &[map.len()]);
                    return Err(named(error.at(&[sample])));
                }
                if let Some(feature) = map.iter().position(|value| !value.is_finite()) {
                    let error = Error::non_finite(input::EXPLANATIONS, &[sample, feature]);
                    return Err(named(error));
                }
            }
        }
        if self.targets.n_samples() != self.n_features.len() {
            let (expected, actual) = ([self.n_features.len()], [self.targets.n_samples()]);
            return Err(Error::shape(input::TARGETS, &expected, &actual));
        }
        match self.groups.first() {
            Some(group) if group.n_features == 0 => {
                Err(Error::too_few(input::FEATURES, 1, 0).at(&group.samples[..1]))
            }
            _ => Ok(()),
        }
    }
}

/// Samples with the same number of features.
struct Group {
    n_features: usize,
    samples: Arc<[usize]>,
}

impl Group {
    fn model<'m>(&'m self, model: &'m dyn MaskedModel) -> PresenceModel<'m> {
        PresenceModel {
            model,
            samples: &self.samples,
        }
    }
}
