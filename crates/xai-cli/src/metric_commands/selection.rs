//! The metrics of `--metrics`: by name with settings, or by a word for several.

use std::fmt::Display;

use xai_files::Failure;
use xai_files::failure::as_option;
use xai_metrics::common::Error;
use xai_metrics::common::describe::{Param, Setting, Settings, Value, same_word};

use crate::Context;
use crate::described::SEED;
use crate::metric_commands::{Family, RegisteredMetric, arguments};
use crate::usage::nearest;

/// The word for the metrics of [`Family::STANDARD`].
pub(crate) const STANDARD_WORD: &str = "standard";
/// The word for all metrics whose inputs are given.
pub(crate) const ALL_WORD: &str = "all";

/// A metric of a comparison with settings of its parameters.
#[derive(Debug)]
pub(crate) struct SelectedMetric<F: Family> {
    /// The name in tables: the metric's, with settings if it is selected more than once.
    pub(crate) name: String,
    pub(crate) entry: &'static F::Entry,
    pub(crate) settings: Vec<(String, Value)>,
}

impl<F: Family> Clone for SelectedMetric<F> {
    fn clone(&self) -> Self {
        let (name, settings) = (self.name.clone(), self.settings.clone());
        Self {
            name,
            entry: self.entry,
            settings,
        }
    }
}

impl<F: Family> SelectedMetric<F> {
    /// A metric with those settings whose parameters it has.
    fn with_known(entry: &'static F::Entry, settings: &[(String, Value)]) -> Self {
        let params = entry.params();
        let has = |name: &str| params.iter().any(|param| same_word(param.name, name));
        let known = settings.iter().filter(|(name, _)| has(name));
        Self {
            name: entry.info().key(),
            entry,
            settings: known.cloned().collect(),
        }
    }

    /// The value of a parameter, if it is set.
    pub(crate) fn value(&self, name: &str) -> Option<Value> {
        let mut settings = self.settings.iter();
        settings.find_map(|(param, value)| same_word(param, name).then(|| value.clone()))
    }

    /// The settings, with the seed of the command if the metric has a seed that they do not set.
    pub(crate) fn seeded_settings(&self, context: &Context) -> Vec<(String, Value)> {
        with_seed(self.entry, &self.settings, context)
    }

    /// Whether another one is the same metric with the same values of all parameters, set or by default.
    fn is_same(&self, other: &Self) -> bool {
        let text = |metric: &Self, param: &Param| match metric.value(param.name) {
            Some(value) => value.to_string(),
            None => param.value.to_string(),
        };
        let mut params = self.entry.params().into_iter();
        std::ptr::eq(self.entry, other.entry)
            && params.all(|param| text(self, &param) == text(other, &param))
    }

    /// Refuses settings that the metric does not take.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match self.entry.entry().params_with(&self.settings) {
            Ok(_) => Ok(()),
            Err(error) => Err(wrong_setting(&self.name, &error)),
        }
    }

    /// Refuses a metric whose inputs were not given.
    pub(crate) fn check_inputs(
        &self,
        is_given: impl Fn(xai_metrics::common::Input) -> bool,
    ) -> Result<(), Failure> {
        arguments::check_inputs::<F>(
            self.entry,
            |name| self.value(name),
            is_given,
            |param, value| format!("--metrics {}({param}={value})", self.entry.info().key()),
            F::compared_option,
        )
    }
}

/// Settings of a metric, with the seed of the command if the metric has a seed that they do not set.
pub(crate) fn with_seed(
    entry: &impl RegisteredMetric,
    settings: &[(String, Value)],
    context: &Context,
) -> Vec<(String, Value)> {
    let mut all = settings.to_vec();
    if entry.entry().has_param(SEED) && settings.iter().all(|(name, _)| name != SEED) {
        all.push((SEED.to_owned(), Value::from(context.seed())));
    }
    all
}

/// The metrics of a family that `compare` can compute.
pub(crate) fn compared<F: Family>() -> impl Iterator<Item = &'static F::Entry> {
    F::metrics().iter().filter(|entry| F::is_compared(entry))
}

/// The selected metrics; of the word `all` those that are `possible`.
///
/// # Errors
/// Wrong usage for a metric that is unknown or that `compare` cannot compute, for a setting of a word (`standard`,
/// `all`) if none of its metrics has the parameter, and for the same metric with the same settings twice. The settings
/// of a single metric are not checked here, but by [`SelectedMetric::check`].
pub(crate) fn select<F: Family>(
    metrics: &[Settings],
    possible: impl Fn(&SelectedMetric<F>) -> bool,
) -> Result<Vec<SelectedMetric<F>>, Failure> {
    let mut selected: Vec<SelectedMetric<F>> = Vec::new();
    for setting in metrics.iter().flat_map(|settings| &settings.0) {
        let with_known = |entry| SelectedMetric::<F>::with_known(entry, &setting.params);
        let metrics: Vec<SelectedMetric<F>> = match setting.name.as_str() {
            STANDARD_WORD if !F::STANDARD.is_empty() => {
                let standard = F::STANDARD.iter().filter_map(|name| find::<F>(name));
                standard.map(with_known).collect()
            }
            ALL_WORD => compared::<F>().map(with_known).filter(&possible).collect(),
            name => vec![SelectedMetric {
                name: String::new(),
                entry: find_compared::<F>(name)?,
                settings: setting.params.clone(),
            }],
        };
        let is_of_none = |name: &str| metrics.iter().all(|metric| metric.value(name).is_none());
        if let Some((name, _)) = setting.params.iter().find(|(name, _)| is_of_none(name)) {
            let none = format_args!("none of these metrics has a parameter `{name}`");
            let mut names: Vec<&str> = (metrics.iter())
                .flat_map(|metric| metric.entry.params())
                .map(|param| param.name)
                .collect();
            names.sort_unstable();
            names.dedup();
            let near = nearest(&name.replace('-', "_"), &names);
            return Err(wrong_metric(setting, none).help(near));
        }
        for metric in metrics {
            if selected.iter().any(|other| other.is_same(&metric)) {
                let twice = format_args!("{} is asked for twice", metric.entry.info().name);
                let help = "name every metric once, or with other settings";
                return Err(wrong_metric(setting, twice).help(help));
            }
            selected.push(metric);
        }
    }
    let entries: Vec<&'static F::Entry> = selected.iter().map(|metric| metric.entry).collect();
    for metric in &mut selected {
        let is_same = |entry: &&&F::Entry| std::ptr::eq(**entry, metric.entry);
        let params = if entries.iter().filter(is_same).count() == 1 {
            Vec::new()
        } else {
            metric.settings.clone()
        };
        let name = metric.entry.info().key();
        metric.name = Setting { name, params }.to_string();
    }
    Ok(selected)
}

fn find<F: Family>(name: &str) -> Option<&'static F::Entry> {
    let mut metrics = F::metrics().iter();
    metrics.find(|entry| same_word(entry.info().name, name))
}

/// The metric of a name, if `compare` can compute it.
fn find_compared<F: Family>(name: &str) -> Result<&'static F::Entry, Failure> {
    match find::<F>(name) {
        Some(entry) if F::is_compared(entry) => Ok(entry),
        Some(entry) => {
            Err(wrong_metric(name, "not a metric of a comparison").help(other_way::<F>(entry)))
        }
        None => {
            let names: Vec<&str> = compared::<F>().map(|entry| entry.info().name).collect();
            let near = nearest(&name.replace('_', "-"), &names);
            Err(wrong_metric(name, "no metric of a comparison").help(near))
        }
    }
}

/// Advice for a metric that a command cannot compute.
pub(crate) fn other_way<F: Family>(entry: &F::Entry) -> String {
    let info = entry.info();
    if F::has_command(entry) {
        return format!(
            "it has a command of its own, `xai {} {}`",
            F::COMMAND,
            info.name
        );
    }
    format!(
        "no command computes it: use xai_metrics.{} in Python, or Rust",
        F::COMMAND.replace(' ', ".")
    )
}

/// A failure about a metric of `--metrics`.
fn wrong_metric(metric: impl Display, what: impl Display) -> Failure {
    Failure::for_option("--metrics", what).with_value(metric)
}

/// An unknown parameter of a metric, or a value that it does not take.
pub(crate) fn wrong_setting(metric: &str, error: &Error) -> Failure {
    let failure = wrong_metric(metric, error.problem());
    match error.help() {
        Some(help) => failure.help(help.render(as_setting)),
        None => failure,
    }
}

/// A setting of an advice: an option of the comparison, or of metrics.
pub(crate) fn as_setting(name: &str, value: Option<&str>) -> String {
    match (name, value) {
        ("activation" | "allow_batch_dependence", value) => as_option(name, value),
        (name, None) => format!("{name} (--metrics 'standard({name}=…)')"),
        (name, Some(value)) => format!("--metrics 'standard({name}={value})'"),
    }
}
