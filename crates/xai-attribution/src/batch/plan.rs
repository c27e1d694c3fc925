//! Number of rows that the model and the explainers will be called with, known before the run starts.

use std::any::Any;

use xai_core::{Real, Result};

use crate::batch::Dataset;

/// Numbers of rows that a run will pass to the model and the explainers. Excludes the single row that checks whether
/// [outputs depend on the batch](crate::Evaluate::allow_batch_dependence). For curves that only flip features with a
/// positive attribution, whose number is not known before the run, `model` is an upper bound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedRows {
    /// Rows for the model, over all explainers.
    pub model: u64,
    /// Rows for the model that are unchanged inputs, each counted once. Included in `model`.
    pub whole: u64,
    /// Rows for all explainers together.
    pub explainers: u64,
    /// Names of metrics without a plan. If there are any, the numbers of rows are lower bounds.
    pub unknown: Vec<&'static str>,
}

impl PlannedRows {
    /// Adds the rows of other samples for the same metrics.
    pub(crate) fn add(&mut self, other: Self) {
        self.model += other.model;
        self.whole += other.whole;
        self.explainers += other.explainers;
        self.unknown = other.unknown;
    }
}

/// Planned work of the metrics of a run, each piece counted once.
///
/// A metric adds its work in [`Measure::plan`](crate::metric::Measure::plan). Two equal values are the same work, as
/// in [`SampleBatch::shared`](crate::batch::SampleBatch::shared).
pub struct Plan<'p, 'a, T> {
    dataset: &'p Dataset<'a, T>,
    /// Rows for the model, shared by all explainers.
    once: Vec<(Box<dyn Any>, u64)>,
    /// Rows for the model, per explainer.
    per_explainer: Vec<(Box<dyn Any>, u64)>,
    /// Rows for each explainer.
    explained: Vec<(Box<dyn Any>, u64)>,
    needs_maps: bool,
    scales_inputs: bool,
    unknown: Vec<&'static str>,
}

impl<T: Real> std::fmt::Debug for Plan<'_, '_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plan")
            .field("run", self.dataset)
            .finish_non_exhaustive()
    }
}

/// Key of scores of unchanged inputs.
#[derive(PartialEq, Clone)]
struct Base;

/// Key of scores of masked inputs.
#[derive(PartialEq, Clone)]
struct Masked;

impl<'p, 'a, T: Real> Plan<'p, 'a, T> {
    pub(crate) fn new(dataset: &'p Dataset<'a, T>) -> Self {
        Self {
            dataset,
            once: Vec::new(),
            per_explainer: Vec::new(),
            explained: Vec::new(),
            needs_maps: false,
            scales_inputs: false,
            unknown: Vec::new(),
        }
    }

    /// Data of the run.
    #[must_use]
    pub fn dataset(&self) -> &'p Dataset<'a, T> {
        self.dataset
    }

    /// Number of samples.
    #[must_use]
    pub fn n_samples(&self) -> u64 {
        self.dataset.n_samples() as u64
    }

    /// Adds one row per sample for the model, its unchanged input, shared by all explainers.
    pub fn base_scores(&mut self) {
        self.once(&Base, self.n_samples());
    }

    /// Adds one row per sample and explainer for the model: the input masked by the map.
    pub fn masked_scores(&mut self) {
        self.maps();
        self.scales_inputs = true;
        self.per_explainer(&Masked, self.n_samples());
    }

    /// Records that maps are read: an explainer without stored maps is called with every sample.
    pub fn maps(&mut self) {
        self.needs_maps = true;
    }

    /// Adds work that calls the model with `rows` rows, once for all explainers.
    pub fn once<W: PartialEq + Clone + 'static>(&mut self, work: &W, rows: u64) {
        add(&mut self.once, work, rows);
    }

    /// Adds work that calls the model with `rows` rows for each explainer.
    pub fn per_explainer<W: PartialEq + Clone + 'static>(&mut self, work: &W, rows: u64) {
        add(&mut self.per_explainer, work, rows);
    }

    /// Adds work that calls each explainer with `rows` rows.
    pub fn explained<W: PartialEq + Clone + 'static>(&mut self, work: &W, rows: u64) {
        add(&mut self.explained, work, rows);
    }

    /// Adds a metric that does not plan its work.
    pub fn unknown(&mut self, metric: &'static str) {
        self.unknown.push(metric);
    }

    /// Refuses a masked model if inputs are multiplied by maps.
    pub(crate) fn check(&self) -> Result<()> {
        if self.scales_inputs {
            self.dataset.refuse_masked_model()
        } else {
            Ok(())
        }
    }

    /// Totals for `n_explainers` explainers, of which `n_without_maps` have to compute their maps.
    pub(crate) fn rows(self, n_explainers: usize, n_without_maps: usize) -> PlannedRows {
        let sum = |works: &[(Box<dyn Any>, u64)]| works.iter().map(|(_, rows)| rows).sum::<u64>();
        let maps = if self.needs_maps {
            self.n_samples() * n_without_maps as u64
        } else {
            0
        };
        let is_base = |(work, _): &&(Box<dyn Any>, u64)| work.is::<Base>();
        PlannedRows {
            whole: self.once.iter().find(is_base).map_or(0, |(_, rows)| *rows),
            model: sum(&self.once) + sum(&self.per_explainer) * n_explainers as u64,
            explainers: maps + sum(&self.explained) * n_explainers as u64,
            unknown: self.unknown,
        }
    }
}

fn add<W: PartialEq + Clone + 'static>(works: &mut Vec<(Box<dyn Any>, u64)>, work: &W, rows: u64) {
    let mut known = works
        .iter()
        .filter_map(|(known, _)| known.downcast_ref::<W>());
    // A linear search is enough: a run has a few dozen pieces of work, and types without a common hash.
    if !known.any(|known| known == work) {
        works.push((Box::new(work.clone()), rows));
    }
}
