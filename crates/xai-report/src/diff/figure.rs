//! Figures: the numbers by which two reports are compared.

use std::collections::BTreeMap;
use std::fmt::Display;

use xai_core::Direction;

use crate::estimate::Estimate;

/// A number of a section, by which two reports are compared.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    /// Name in the section, for example `average_drop / saliency`.
    pub(crate) name: String,
    pub(crate) better: Direction,
    pub(crate) estimate: Estimate,
    /// Settings of the metric on which the number depends; empty if unknown.
    pub(crate) settings: Settings,
}

/// Values of settings by name.
pub(crate) type Settings = BTreeMap<String, String>;

impl Figure {
    /// Creates a figure without settings.
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

    /// Adds a setting.
    pub(crate) fn with(mut self, name: &str, value: impl Display) -> Self {
        self.settings.insert(name.to_owned(), value.to_string());
        self
    }
}
