//! Metadata of training rows: values that are shown with a case but not compared.

use std::fmt;
use std::sync::Arc;

use xai_core::tensor::check_shape;
use xai_core::{Error, Result};

use crate::input;

/// A metadata column with one value per training row.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum MetadataColumn {
    /// Whole numbers, such as years or identifiers.
    Integers(Vec<i64>),
    /// Measurements; NaN is a missing value.
    Numbers(Vec<f64>),
    /// Truth values.
    Booleans(Vec<bool>),
    /// Texts.
    Texts(Vec<Arc<str>>),
}

impl MetadataColumn {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Integers(values) => values.len(),
            Self::Numbers(values) => values.len(),
            Self::Booleans(values) => values.len(),
            Self::Texts(values) => values.len(),
        }
    }

    pub(crate) fn value(&self, row: usize) -> MetadataValue {
        match self {
            Self::Integers(values) => MetadataValue::Integer(values[row]),
            Self::Numbers(values) if values[row].is_nan() => MetadataValue::Missing,
            Self::Numbers(values) => MetadataValue::Number(values[row]),
            Self::Booleans(values) => MetadataValue::Boolean(values[row]),
            Self::Texts(values) => MetadataValue::Text(values[row].clone()),
        }
    }
}

macro_rules! from_values {
    ($($variant:ident of $value:ty),*) => {$(
        impl From<Vec<$value>> for MetadataColumn {
            fn from(values: Vec<$value>) -> Self {
                Self::$variant(values.into_iter().map(Into::into).collect())
            }
        }
    )*};
}

from_values!(Integers of i64, Numbers of f64, Booleans of bool, Texts of String, Texts of &str);

/// One value of a [`MetadataColumn`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(untagged))]
#[non_exhaustive]
pub enum MetadataValue {
    /// A truth value.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A measurement.
    Number(f64),
    /// A text.
    Text(Arc<str>),
    /// A missing measurement, `null` in JSON.
    Missing,
}

impl fmt::Display for MetadataValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Number(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
            Self::Missing => f.pad("missing"),
        }
    }
}

/// Named metadata columns of a training set.
#[derive(Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Metadata {
    pub(crate) columns: Vec<(Arc<str>, MetadataColumn)>,
}

/// Prints column names only, because values may be redacted.
impl fmt::Debug for Metadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.columns.iter().map(|(name, _)| name))
            .finish()
    }
}

impl Metadata {
    /// Checks that every column has a unique name and one value per row, and that no value is infinite.
    pub(crate) fn check(&self, n_rows: usize) -> Result<()> {
        for (i, (name, column)) in self.columns.iter().enumerate() {
            let name_column = |error: Error| error.part(format!("column {name}"));
            check_shape(input::METADATA, &[n_rows], &[column.len()]).map_err(name_column)?;
            // NaN is a missing value, `null` in JSON. An infinity would become `null` as well.
            if let MetadataColumn::Numbers(values) = column
                && let Some(row) = values.iter().position(|x| x.is_infinite())
            {
                return Err(name_column(Error::non_finite(input::METADATA, &[row])));
            }
            if self.columns[..i].iter().any(|(other, _)| other == name) {
                return Err(Error::parameter(
                    input::METADATA,
                    name,
                    "one column of that name",
                ));
            }
        }
        Ok(())
    }
}
