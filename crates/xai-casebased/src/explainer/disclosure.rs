//! What explanations may show, and what errors may.
//!
//! What redaction means is written down once, at
//! [`CaseExplainerBuilder::redact`](crate::CaseExplainerBuilder::redact); all of it is decided here:
//! which columns a [`Case`] shows, which metadata is forgotten when the explainer is fitted, and which
//! errors lose the value they are about.

use std::sync::Arc;

use xai_core::tensor::check_shape;
use xai_core::{Error, ErrorKind, Result};

use crate::explainer::choices::DisclosureChoices;
use crate::result::explanation::Case;
use crate::search::nearest::Nearest;
use crate::training::metadata::MetadataColumn;
use crate::{help, input};

/// Inputs whose last axis is that of the features.
const BY_FEATURE: [xai_core::Input; 6] = [
    input::TRAIN,
    input::TRAIN_SCALED,
    input::SAMPLES,
    input::SAMPLES_SCALED,
    input::QUERIES,
    input::ROWS,
];

/// What leaves an explainer, decided once when it is fitted.
#[derive(Debug)]
pub(crate) struct Disclosure {
    choices: DisclosureChoices,
    /// Of the features that explanations may show.
    features: Vec<usize>,
    names: Arc<[String]>,
    /// Of the metadata columns that explanations may show.
    metadata: Vec<usize>,
    /// Of all features, whether each is redacted; `None` where none is.
    redacted: Option<Vec<bool>>,
}

impl Disclosure {
    /// For `(n, d)` training rows.
    ///
    /// # Errors
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) when a metadata column has not
    /// one value per row or there is not one name per feature,
    /// [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite),
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
        let shown = |name: &str| choices.provenance && !is_redacted(name);
        let features: Vec<usize> = (0..n_features).filter(|&i| shown(&names[i])).collect();
        let metadata = (0..columns.len()).filter(|&i| shown(&columns[i].0));
        let metadata = metadata.collect();
        let redacted: Vec<bool> = names.iter().map(|name| is_redacted(name)).collect();
        // Nothing is computed from metadata: what is never shown need not be kept, nor stored.
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

    /// An error about training rows or samples, without the value if that is one of a redacted
    /// feature or was computed from one.
    pub(crate) fn conceal(&self, error: Error) -> Error {
        let Some(redacted) = &self.redacted else {
            return error;
        };
        // An infinity is no value of the data, which is finite.
        let is_value =
            matches!(error.kind(), ErrorKind::OutOfDomain { value, .. } if value.is_finite());
        let of_shown_feature = BY_FEATURE.contains(&error.input())
            && matches!(error.index(), [_, feature] if redacted.get(*feature) == Some(&false));
        match is_value && !of_shown_feature {
            true => error.without_value(),
            false => error,
        }
    }

    /// Names the column of a cell that is not finite, if features have names, and says what can be done.
    pub(crate) fn name_column(&self, error: Error) -> Error {
        let names = self.choices.feature_names.as_ref();
        let name = match (names, error.index()) {
            (Some(names), [_, feature]) => names.get(*feature).cloned(),
            _ => None,
        };
        let error = error.with_help(help::FILL_MISSING_VALUES);
        match name {
            Some(name) => error.part(format!("column {name}")),
            None => error,
        }
    }

    pub(crate) fn choices(&self) -> &DisclosureChoices {
        &self.choices
    }

    /// The names of the features that cases show.
    pub(crate) fn shown_names(&self) -> &Arc<[String]> {
        &self.names
    }

    /// Which of all features these are.
    pub(crate) fn shown_features(&self) -> &[usize] {
        &self.features
    }

    /// The metadata columns that explanations show.
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

    /// A training row as explanations show it.
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
            features: match self.features.len() == row.len() {
                true => row.to_vec(),
                false => self.features.iter().map(|&i| row[i]).collect(),
            },
            metadata: metadata.collect(),
        }
    }

    /// Whether training rows may be shown.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](xai_core::ErrorKind::Refused) where they may not.
    pub(crate) fn check_release(&self) -> Result<()> {
        match self.choices.aggregate_minimum {
            None => Ok(()),
            Some(minimum) => Err(Error::refused(
                input::EXPLANATIONS,
                format!(
                    "they show training rows, and this explainer only releases aggregates of at \
                     least {minimum} of them"
                ),
            )
            .with_help(help::ASK_FOR_AGGREGATE)),
        }
    }

    /// Whether the aggregate of a sample may be released, behind which there are so many distinct
    /// training rows.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](xai_core::ErrorKind::Refused) where they are too few.
    pub(crate) fn check_aggregate(&self, sample: usize, n_distinct: usize) -> Result<()> {
        let minimum = self.choices.aggregate_minimum.unwrap_or(1);
        if n_distinct >= minimum {
            return Ok(());
        }
        Err(Error::refused(
            input::AGGREGATE,
            format!(
                "its neighbours are {n_distinct} distinct training rows, and fewer than {minimum} \
                 could be traced to persons"
            ),
        )
        .owner(format!("sample {sample}"))
        .with_help(help::ASK_MORE_NEIGHBORS))
    }
}

/// One name per feature, all different.
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
