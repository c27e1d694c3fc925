//! The figures of a report that two reports are compared by.

use std::collections::BTreeMap;
use std::fmt::Display;

use xai_core::Direction;

use crate::estimate::Estimate;

/// A number of a section.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    /// Its name in the section: `average_drop / saliency`.
    pub(crate) name: String,
    pub(crate) better: Direction,
    pub(crate) estimate: Estimate,
    /// Settings of the metric that the number depends on; empty where they are not known.
    pub(crate) settings: Settings,
}

/// Values of settings by name.
pub(crate) type Settings = BTreeMap<String, String>;

impl Figure {
    /// A figure without settings of its own.
    pub(crate) fn new(
        name: impl Into<String>,
        better: Direction,
        estimate: impl Into<Estimate>,
    ) -> Self {
        Self {
            name: name.into(),
            better,
            estimate: estimate.into(),
            settings: Settings::new(),
        }
    }

    /// The figure with a setting.
    pub(crate) fn with(mut self, name: &str, value: impl Display) -> Self {
        self.settings.insert(name.to_owned(), value.to_string());
        self
    }
}
