//! Values of parameters, whoever hands them over.

use std::borrow::Cow;
use std::fmt;

/// A value of a parameter: text of a command line, a value of a study, an object of Python.
///
/// ```
/// use xai_core::describe::Value;
/// assert_eq!(Value::from("mean").to_string(), "mean");
/// assert_eq!(Value::List(vec![Value::Real(0.5), Value::Integer(2)]).to_string(), "0.5,2");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(untagged))]
#[non_exhaustive]
pub enum Value {
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// A word, or any other value as text.
    Text(String),
    /// Several values.
    List(Vec<Value>),
    /// An array or a function that the caller has set in the program: it cannot be written down.
    Given,
}

impl Value {
    /// The number that it is or, as text, says.
    #[must_use]
    pub fn real(&self) -> Option<f64> {
        match self {
            Self::Real(value) => Some(*value),
            Self::Integer(value) => Some(*value as f64),
            Self::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The whole number that it is or, as text, says.
    #[must_use]
    pub fn integer(&self) -> Option<i128> {
        match self {
            Self::Integer(value) => Some((*value).into()),
            Self::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// Whether it is or, as text, says `true` or `false`.
    #[must_use]
    pub fn flag(&self) -> Option<bool> {
        match self {
            Self::Flag(value) => Some(*value),
            Self::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The word that it is; a number may be the other spelling of a word.
    #[must_use]
    pub fn word(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Integer(_) | Self::Real(_) => Some(Cow::Owned(self.to_string())),
            _ => None,
        }
    }

    /// Its items: of a list, of text with commas between them, or itself.
    #[must_use]
    pub fn items(&self) -> Option<Vec<Value>> {
        match self {
            Self::List(items) => Some(items.clone()),
            Self::Text(text) => Some(text.split(',').map(|item| item.trim().into()).collect()),
            Self::Integer(_) | Self::Real(_) => Some(vec![self.clone()]),
            Self::Flag(_) | Self::Given => None,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

macro_rules! value {
    ($($of:ty: $variant:ident),+) => {$(
        impl From<$of> for Value {
            fn from(value: $of) -> Self {
                Self::$variant(value)
            }
        }
    )+};
}
value!(f64: Real, i64: Integer, bool: Flag);

impl From<u64> for Value {
    /// A number above 2^63 − 1 is kept as text.
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or_else(|_| Self::Text(value.to_string()), Self::Integer)
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::from(value as u64)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Real(value) => write!(f, "{}", crate::error::ShortNumber(*value)),
            Self::Text(text) => f.write_str(text),
            Self::List(items) => {
                for (i, item) in items.iter().enumerate() {
                    let comma = if i > 0 { "," } else { "" };
                    write!(f, "{comma}{item}")?;
                }
                Ok(())
            }
            Self::Given => f.write_str("given"),
        }
    }
}
