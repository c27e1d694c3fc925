//! Values of parameters from any front end.

use std::borrow::Cow;
use std::fmt;

/// A value of a parameter: text from a command line, a value of a study file or a Python object.
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
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// A word, or any other value written as text.
    Text(String),
    /// A list of values.
    List(Vec<Value>),
    /// An array or a function that the program set. It has no text form.
    Given,
}

impl Value {
    /// The value as a number; text is parsed.
    #[must_use]
    pub fn real(&self) -> Option<f64> {
        match self {
            Self::Real(value) => Some(*value),
            Self::Integer(value) => Some(*value as f64),
            Self::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The value as an integer; text is parsed.
    #[must_use]
    pub fn integer(&self) -> Option<i128> {
        match self {
            Self::Integer(value) => Some((*value).into()),
            Self::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The value as a boolean; text is parsed.
    #[must_use]
    pub fn flag(&self) -> Option<bool> {
        match self {
            Self::Flag(value) => Some(*value),
            Self::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The value as a word. Numbers count, because a number may be an alias of a word.
    #[must_use]
    pub fn word(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Integer(_) | Self::Real(_) => Some(Cow::Owned(self.to_string())),
            _ => None,
        }
    }

    /// Items of a list or of text with commas; a single number is a list of one.
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
    /// Text in brackets is a list, so that a list of one item can be told from the item: `[1]`.
    fn from(text: &str) -> Self {
        let list = text
            .trim()
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'));
        match list {
            Some(list) => Self::List(list.split(',').map(|item| item.trim().into()).collect()),
            None => Self::Text(text.to_owned()),
        }
    }
}

macro_rules! value {
    ($($primitive:ty: $variant:ident),+) => {$(
        impl From<$primitive> for Value {
            fn from(value: $primitive) -> Self {
                Self::$variant(value)
            }
        }
    )+};
}
value!(f64: Real, i64: Integer, bool: Flag);

impl From<u64> for Value {
    /// Numbers above 2^63 − 1 are kept as text.
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
            Self::List(items) if items.len() == 1 => write!(f, "[{}]", items[0]),
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
