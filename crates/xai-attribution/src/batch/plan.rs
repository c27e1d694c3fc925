//! How many rows model and explainers will see, before they are asked.

use std::any::Any;

use xai_core::{Real, Result};

use crate::batch::RunData;

/// The rows that a run asks for: what it costs beside its own arithmetic. The one row that shows whether
/// [answers depend on the batch](crate::Evaluate::allow_batch_dependence) is not counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlannedRows {
    /// Rows that the model sees, over all explainers.
    pub model: u64,
    /// Rows among these that are whole inputs, each seen once.
    pub whole: u64,
    /// Rows that the explainers see, all together.
    pub explainers: u64,
    /// The metrics that do not say what they ask for: the rows are then a lower bound.
    pub unknown: Vec<&'static str>,
}

impl PlannedRows {
    /// Adds what other samples ask for, by the same metrics.
    pub(crate) fn add(&mut self, other: Self) {
        self.model += other.model;
        self.whole += other.whole;
        self.explainers += other.explainers;
        self.unknown = other.unknown;
    }
}

/// What the metrics of a run are going to ask for, each piece of work once.
///
/// A metric adds its work in [`Measure::plan`](crate::metric::Measure::plan). Two values that are
/// equal are the same work, as in [`SampleBatch::shared`](crate::batch::SampleBatch::shared).
pub struct Plan<'p, 'a, T> {
    run: &'p RunData<'a, T>,
    /// Rows of the model, once for all explainers.
    once: Vec<(Box<dyn Any>, u64)>,
    /// Rows of the model for each explainer.
    of_each: Vec<(Box<dyn Any>, u64)>,
    /// Rows of each explainer.
    explained: Vec<(Box<dyn Any>, u64)>,
    needs_maps: bool,
    scales_inputs: bool,
    unknown: Vec<&'static str>,
}

impl<T: Real> std::fmt::Debug for Plan<'_, '_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plan")
            .field("run", self.run)
            .finish_non_exhaustive()
    }
}

/// Scores of whole inputs.
#[derive(PartialEq, Clone)]
struct Base;

/// Scores of masked inputs.
#[derive(PartialEq, Clone)]
struct Masked;

impl<'p, 'a, T: Real> Plan<'p, 'a, T> {
    pub(crate) fn new(run: &'p RunData<'a, T>) -> Self {
        Self {
            run,
            once: Vec::new(),
            of_each: Vec::new(),
            explained: Vec::new(),
            needs_maps: false,
            scales_inputs: false,
            unknown: Vec::new(),
        }
    }

    /// The data of the run.
    #[must_use]
    pub fn run(&self) -> &'p RunData<'a, T> {
        self.run
    }

    /// The number of samples.
    #[must_use]
    pub fn n_samples(&self) -> u64 {
        self.run.n_samples() as u64
    }

    /// The model sees every sample as it is, once for all explainers.
    pub fn base_scores(&mut self) {
        self.once(&Base, self.n_samples());
    }

    /// The model sees what the map keeps of every sample.
    pub fn masked_scores(&mut self) {
        self.maps();
        self.scales_inputs = true;
        self.per_explainer(&Masked, self.n_samples());
    }

    /// The maps are read: an explainer whose maps are not given sees every sample.
    pub fn maps(&mut self) {
        self.needs_maps = true;
    }

    /// Work for which the model sees so many rows, once for all explainers.
    pub fn once<W: PartialEq + Clone + 'static>(&mut self, work: &W, rows: u64) {
        add(&mut self.once, work, rows);
    }

    /// Work for which the model sees so many rows for each explainer.
    pub fn per_explainer<W: PartialEq + Clone + 'static>(&mut self, work: &W, rows: u64) {
        add(&mut self.of_each, work, rows);
    }

    /// Work for which each explainer sees so many rows.
    pub fn explained<W: PartialEq + Clone + 'static>(&mut self, work: &W, rows: u64) {
        add(&mut self.explained, work, rows);
    }

    /// A metric that does not say what it asks for.
    pub fn unknown(&mut self, metric: &'static str) {
        self.unknown.push(metric);
    }

    /// Refuses a masked model where inputs are multiplied by maps.
    pub(crate) fn check(&self) -> Result<()> {
        match self.scales_inputs {
            true => self.run.refuse_masked_model(),
            false => Ok(()),
        }
    }

    /// The rows for so many explainers, of which some are asked for their maps.
    pub(crate) fn rows(self, n_explainers: usize, n_without_maps: usize) -> PlannedRows {
        let sum = |works: &[(Box<dyn Any>, u64)]| works.iter().map(|(_, rows)| rows).sum::<u64>();
        let maps = match self.needs_maps {
            true => self.n_samples() * n_without_maps as u64,
            false => 0,
        };
        let is_base = |(work, _): &&(Box<dyn Any>, u64)| work.is::<Base>();
        PlannedRows {
            whole: self.once.iter().find(is_base).map_or(0, |(_, rows)| *rows),
            model: sum(&self.once) + sum(&self.of_each) * n_explainers as u64,
            explainers: maps + sum(&self.explained) * n_explainers as u64,
            unknown: self.unknown,
        }
    }
}

fn add<W: PartialEq + Clone + 'static>(works: &mut Vec<(Box<dyn Any>, u64)>, work: &W, rows: u64) {
    let mut known = works
        .iter()
        .filter_map(|(known, _)| known.downcast_ref::<W>());
    if !known.any(|known| known == work) {
        works.push((Box::new(work.clone()), rows));
    }
}
