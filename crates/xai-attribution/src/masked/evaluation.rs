//! Metrics of maps of samples that differ in their numbers of features.

use std::collections::BTreeMap;
use std::sync::Arc;

use ndarray::{Array2, Array3};
use xai_core::{Error, Result};

use super::MaskedModel;
use super::budget::{Budget, Limited};
use super::model::PresenceModel;
use crate::batch::{Data, PlannedRows, Segments};
use crate::evaluation::{Evaluation, EvaluationValues};
use crate::input;
use crate::model::{Concurrent, Targets};
use crate::run::{Evaluate, EvaluationError};

/// Metrics of explainers of a [`MaskedModel`]; see [the module](super).
///
/// Samples of the same number of features are evaluated together, as rows of presence: 1 where a feature is there, and the
/// baseline 0 where it is removed. With equal numbers the values are, to the last bit, those of a model of `x ⊙ kept`.
pub struct MaskedEvaluation<'a> {
    model: &'a dyn MaskedModel,
    targets: Targets,
    /// By the number of features.
    groups: Vec<Group>,
    n_features: Vec<usize>,
    /// By explainer: the attributions of each sample.
    explainers: Vec<(String, Vec<&'a [f64]>)>,
    most: Option<u64>,
}

impl std::fmt::Debug for MaskedEvaluation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MaskedEvaluation")
            .field("n_features", &self.n_features)
            .finish_non_exhaustive()
    }
}

impl<'a> MaskedEvaluation<'a> {
    /// An evaluation of samples with so many features each.
    #[must_use]
    pub fn new(model: &'a dyn MaskedModel, n_features: &[usize]) -> Self {
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

    /// What the score is read from, where the model has several outputs. Default:
    /// output 0.
    #[must_use]
    pub fn targets(mut self, targets: Targets) -> Self {
        self.targets = targets;
        self
    }

    /// An explainer to judge, by the attributions of each sample, one per feature.
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

    /// The most questions that the model may be asked, where a question, a row of a call, may be a call of a service. If the metrics
    /// plan more, nothing is asked. The plan includes the one question that shows whether answers depend on the batch,
    /// unless that is [allowed](Evaluate::allow_batch_dependence). A metric whose questions cannot be planned (NAOPC by beams) ends with an
    /// error before the call that would ask too much. Default: any number. [`CachedModel::max_calls`](super::CachedModel::max_calls) does
    /// not count what is known.
    #[must_use]
    pub fn max_calls(mut self, most: u64) -> Self {
        self.most = Some(most);
        self
    }

    /// The number of questions that the model is going to be asked, without the one that shows whether answers depend on the batch.
    /// Checks what [`values`](Self::values) checks, and asks nothing.
    ///
    /// # Errors
    /// As [`values`](Self::values).
    pub fn plan<C>(&self, configure: C) -> Result<PlannedRows, EvaluationError>
    where
        C: for<'e> Fn(Evaluation<'e, f64>, &[usize]) -> Evaluation<'e, f64>,
    {
        self.check()?;
        let mut planned = PlannedRows::default();
        let mut is_tried_alone = false;
        for group in &self.groups {
            let model = group.model(self.model);
            let model = Concurrent(&model);
            let evaluation = self.evaluation(group, &model, &configure)?;
            if let Some(metric) = evaluation.whole_metric()
                && self.groups.len() > 1
            {
                let expected =
                    "metrics of single samples, as these differ in their numbers of features";
                return Err(Error::parameter(input::METRICS, metric, expected).into());
            }
            is_tried_alone |= !evaluation.scoring_of_run().allow_batch_dependence;
            let of_group = evaluation.plan();
            planned.add(of_group.map_err(|error| self.located(group, error))?);
        }
        // A single question has no others in its call.
        let is_tried_alone = is_tried_alone && planned.model > 1;
        let n_questions = planned.model + u64::from(is_tried_alone);
        match self.most {
            Some(most) if n_questions > most => {
                let alone = if is_tried_alone {
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

    /// The values of all samples. `configure` is given an evaluation and the samples that it is about, and adds metrics, their side
    /// inputs for these samples ([`GivenSubsets`](crate::perturbation::GivenSubsets), for instance) and how scores are taken; it is called more than once.
    ///
    /// # Errors
    /// Empty without samples; a shape mismatch for attributions that are not one per feature, not finite for NaN in them; an invalid parameter
    /// where more questions are planned than allowed, for a baseline that is not 0, and for several numbers of features with a metric that relates samples to each other; the
    /// model's own errors, and those of [`Evaluation::values`]. All but the model's come before it is asked.
    pub fn values<C>(&self, configure: C) -> Result<EvaluationValues, EvaluationError>
    where
        C: for<'e> Fn(Evaluation<'e, f64>, &[usize]) -> Evaluation<'e, f64>,
    {
        self.plan(&configure)?;
        let limited = Limited {
            model: self.model,
            budget: Budget::new(self.most.unwrap_or(u64::MAX)),
        };
        let mut joined: Option<EvaluationValues> = None;
        let mut order = Vec::with_capacity(self.n_features.len());
        // One row alone shows whether answers depend on the batch: where a call is most likely to have different rows.
        let size = |group: &&Group| group.n_features * group.samples.len();
        let largest = self.groups.iter().max_by_key(size);
        let largest = largest.map(|group| group.n_features);
        for group in &self.groups {
            let model = group.model(&limited);
            let model = Concurrent(&model);
            let mut evaluation = self.evaluation(group, &model, &configure)?;
            if Some(group.n_features) != largest {
                evaluation = evaluation.allow_batch_dependence(true);
            }
            let values = evaluation
                .values()
                .map_err(|error| self.located(group, error))?;
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
        model: &'e Concurrent<'e, PresenceModel<'_>>,
        configure: &impl Fn(Evaluation<'e, f64>, &[usize]) -> Evaluation<'e, f64>,
    ) -> Result<Evaluation<'e, f64>> {
        let targets = self.targets.gather(&group.samples);
        let (n, features) = (group.samples.len(), group.n_features);
        let presence = Array2::<f64>::ones((n, features));
        let data = Data::new(presence, &targets)
            .with_presence_of(Arc::clone(&group.samples))
            .model(model)
            // Where a metric asks for segments, each feature is one.
            .with(Segments::new(Array3::from_shape_fn(
                (n, 1, features),
                |(_, _, f)| f as u32,
            )));
        let mut evaluation = Evaluation::on(data);
        for (name, maps) in &self.explainers {
            let of_group = group.samples.iter().flat_map(|&i| maps[i].iter().copied());
            let of_group = Array2::from_shape_vec((n, features), of_group.collect());
            let of_group = of_group.map_err(|_| Error::empty(input::EXPLANATIONS))?;
            evaluation = evaluation.maps(name.clone(), of_group);
        }
        Ok(configure(evaluation, &group.samples))
    }

    /// An error of a group, with the samples as all are numbered.
    fn located(&self, group: &Group, error: EvaluationError) -> EvaluationError {
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

/// Samples of the same number of features.
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
