//! Redaction: what explanations and errors may show.
//!
//! Redaction is defined at [`CaseExplainerBuilder::redact`](crate::CaseExplainerBuilder::redact). This module
//! decides which columns a [`Case`] shows, which metadata is dropped when the explainer is fitted, and from which
//! errors the value is removed. Saving an explainer and access to its training rows have checks of their own.

use std::sync::Arc;

use xai_core::tensor::check_shape;
use xai_core::{Error, ErrorKind, Result};
use xai_neighbors::Nearest;

use crate::explainer::choices::DisclosureChoices;
use crate::result::explanation::Case;
use crate::training::metadata::MetadataColumn;
use crate::{help, input};

/// Inputs whose last axis is the feature.
const FEATURE_INPUTS: [xai_core::Input; 6] = [
    input::TRAIN,
    input::TRAIN_SCALED,
    input::SAMPLES,
    input::SAMPLES_SCALED,
    input::QUERIES,
    input::ROWS,
];

/// The columns that an explainer may show, decided once when it is fitted.
#[derive(Debug)]
pub(crate) struct Disclosure {
    choices: DisclosureChoices,
    /// Indices of the features that explanations show.
    features: Vec<usize>,
    /// Names of `features`.
    names: Arc<[String]>,
    /// Indices of the metadata columns that explanations show.
    metadata: Vec<usize>,
    /// Whether each feature is redacted; `None` if no feature is.
    redacted: Option<Vec<bool>>,
}

impl Disclosure {
    /// Checks the settings for `n_rows` training rows with `n_features` features.
    ///
    /// # Errors
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) unless every metadata column has
    /// one value per row and there is one name per feature,
    /// [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite) for infinite metadata, and
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for a name that occurs
    /// twice or a redacted column that does not exist.
    pub(crate) fn new(
        mut choices: DisclosureChoices,
        n_rows: usize,
        n_features: usize,
    ) -> Result<Self> {
        choices.metadata.check(n_rows)?;
        let names = choices.all_feature_names(n_features);
        check_names(&names, n_features)?;
        let columns = &choices.metadata.columns;
        for column in &choices.redacted {
            if !names.contains(column) && !columns.iter().any(|(name, _)| **name == **column) {
                return Err(Error::parameter(
                    input::REDACTED,
                    column,
                    "the name of a feature or of a metadata column",
                ));
            }
        }
        let is_redacted = |name: &str| choices.redacted.iter().any(|r| r == name);
        let is_shown = |name: &str| choices.provenance && !is_redacted(name);
        let features: Vec<usize> = (0..n_features).filter(|&i| is_shown(&names[i])).collect();
        let metadata = (0..columns.len())
            .filter(|&i| is_shown(&columns[i].0))
            .collect();
        let redacted: Vec<bool> = names.iter().map(|name| is_redacted(name)).collect();
        // Nothing is computed from metadata, so redacted values are not needed again, and must not be stored. The
        // column itself stays, with missing values, because its name is not secret and other columns are addressed
        // by index.
        for (name, column) in &mut choices.metadata.columns {
            if choices.redacted.iter().any(|r| **r == **name) {
                *column = MetadataColumn::Numbers(vec![f64::NAN; n_rows]);
            }
        }
        Ok(Self {
            names: features.iter().map(|&i| names[i].clone()).collect(),
            metadata,
            features,
            redacted: redacted.contains(&true).then_some(redacted),
            choices,
        })
    }

    /// Removes the value from an error about training rows or samples if it is, or may be computed from, a value of a
    /// redacted feature.
    pub(crate) fn conceal(&self, error: Error) -> Error {
        let Some(redacted) = &self.redacted else {
            return error;
        };
        // The data are finite, so an infinity reveals no value of them.
        let has_data_value =
            matches!(error.kind(), ErrorKind::OutOfDomain { value, .. } if value.is_finite());
        let is_shown_feature = FEATURE_INPUTS.contains(&error.input())
            && matches!(error.index(), [_, feature] if redacted.get(*feature) == Some(&false));
        if has_data_value && !is_shown_feature {
            error.without_value()
        } else {
            error
        }
    }

    /// Adds the name of the column, if features have names, and a hint to an error about a cell that is not finite.
    pub(crate) fn name_column(&self, error: Error) -> Error {
        let names = self.choices.feature_names.as_ref();
        let name = match (names, error.index()) {
            (Some(names), [_, feature]) => names.get(*feature).cloned(),
            _ => None,
        };
        let with_help = error.with_help(help::FILL_MISSING_VALUES);
        match name {
            Some(name) => with_help.part(format!("column {name}")),
            None => with_help,
        }
    }

    pub(crate) fn choices(&self) -> &DisclosureChoices {
        &self.choices
    }

    /// Names of the features that explanations show.
    pub(crate) fn shown_names(&self) -> &Arc<[String]> {
        &self.names
    }

    /// Indices of the features that explanations show.
    pub(crate) fn shown_features(&self) -> &[usize] {
        &self.features
    }

    /// Metadata columns that explanations show.
    pub(crate) fn shown_metadata(&self) -> impl Iterator<Item = (&str, &MetadataColumn)> {
        let columns = self
            .metadata
            .iter()
            .map(|&i| &self.choices.metadata.columns[i]);
        columns.map(|(name, column)| (&**name, column))
    }

    /// Names of the redacted features.
    #[cfg(feature = "persistence")]
    pub(crate) fn redacted_features(&self) -> Vec<&str> {
        let n_features = self.redacted.as_ref().map_or(0, Vec::len);
        let features = self.choices.all_feature_names(n_features);
        let redacted = self.choices.redacted.iter().map(String::as_str);
        redacted
            .filter(|name| features.iter().any(|feature| feature == name))
            .collect()
    }

    /// Returns true if a feature is redacted.
    pub(crate) fn redacts_features(&self) -> bool {
        self.redacted.is_some()
    }

    pub(crate) fn class_name(&self, label: i64) -> Option<Arc<str>> {
        self.choices.class_names.get(&label).cloned()
    }

    /// Creates the case of a training row, with the columns that are shown.
    pub(crate) fn case(&self, nearest: &Nearest, row: &[f64], label: i64) -> Case {
        let metadata = self.metadata.iter().map(|&i| {
            let (name, column) = &self.choices.metadata.columns[i];
            (name.clone(), column.value(nearest.index))
        });
        Case {
            index: nearest.index,
            distance: nearest.distance,
            label,
            class_name: self.class_name(label),
            features: if self.features.len() == row.len() {
                row.to_vec()
            } else {
                self.features.iter().map(|&i| row[i]).collect()
            },
            metadata: metadata.collect(),
        }
    }

    /// Checks that training rows may be shown.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](xai_core::ErrorKind::Refused) if only aggregates are released.
    pub(crate) fn check_release(&self) -> Result<()> {
        match self.choices.aggregate_minimum {
            None => Ok(()),
            Some(minimum) => Err(Error::refused(
                input::EXPLANATIONS,
                format!(
                    "they show training rows, but this explainer only releases aggregates over at \
                     least {minimum} of them"
                ),
            )
            .with_help(help::USE_AGGREGATE)),
        }
    }

    /// Checks that the aggregate of a sample with `n_distinct` distinct training rows may be released.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](xai_core::ErrorKind::Refused) if these are fewer than the minimum.
    pub(crate) fn check_aggregate(&self, sample: usize, n_distinct: usize) -> Result<()> {
        let minimum = self.choices.aggregate_minimum.unwrap_or(1);
        if n_distinct >= minimum {
            return Ok(());
        }
        Err(Error::refused(
            input::AGGREGATE,
            format!(
                "its neighbours are only {n_distinct} distinct training rows; fewer than {minimum} \
                 could identify persons"
            ),
        )
        .owner(format!("sample {sample}"))
        .with_help(help::USE_MORE_NEIGHBORS))
    }
}

/// Checks that there is one name per feature, and that all are different.
fn check_names(names: &[String], n_features: usize) -> Result<()> {
    check_shape(input::FEATURE_NAMES, &[n_features], &[names.len()])?;
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(twice) => Err(Error::parameter(
            input::FEATURE_NAMES,
            twice[0],
            "one feature of that name",
        )),
    }
}
