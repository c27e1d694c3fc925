//! Metrics by name, with values of their parameters.

use std::fmt;
use std::str::FromStr;

use crate::describe::kind::same_word;
use crate::describe::value::Value;
use crate::error::{Error, Result};
use crate::input;

/// A metric by name, with values of some of its parameters: `deletion(steps=20, baseline=mean)`.
///
/// ```
/// use xai_core::describe::Setting;
/// let metric: Setting = "deletion(steps=20, baseline=mean)".parse()?;
/// assert_eq!((metric.name.as_str(), metric.params.len()), ("deletion", 2));
/// assert_eq!(metric.to_string(), "deletion(steps=20, baseline=mean)");
/// # Ok::<(), xai_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct Setting {
    /// Name of the metric.
    pub name: String,
    /// Values of parameters by name. Other parameters have their defaults.
    pub params: Vec<(String, Value)>,
}

/// Several metrics as written on a command line: `deletion(steps=20), complexity`.
///
/// A comma ends a value only if a name and `=` follow, so brackets around lists are optional:
/// `road(percentages=10,50,90)` is the same as `road(percentages=[10, 50, 90])`.
///
/// ```
/// use xai_core::describe::Settings;
/// let metrics: Settings = "deletion(steps=20), road(percentages=10,50), complexity".parse()?;
/// let names: Vec<&str> = metrics.0.iter().map(|metric| metric.name.as_str()).collect();
/// assert_eq!(names, ["deletion", "road", "complexity"]);
/// assert_eq!(metrics.0[1].params[0].1.to_string(), "10,50");
/// # Ok::<(), xai_core::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings(pub Vec<Setting>);

impl Setting {
    /// Creates a metric with the defaults of all parameters.
    pub fn new(name: impl Into<String>) -> Self {
        let (name, params) = (name.into(), Vec::new());
        Self { name, params }
    }
}

/// Splits a text at the commas outside brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0i32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

fn refused(text: &str) -> Error {
    let expected = "a metric's name, with settings in brackets where there are some: deletion(steps=20, baseline=mean)";
    Error::parameter(input::METRIC, text, expected)
}

impl FromStr for Setting {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        let (name, inside) = match text.split_once('(') {
            None => (text, ""),
            Some((name, rest)) => (
                name.trim(),
                rest.strip_suffix(')').ok_or_else(|| refused(text))?,
            ),
        };
        let is_name = |name: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            !name.is_empty() && name.chars().all(plain)
        };
        if !is_name(name) {
            return Err(refused(text));
        }
        let mut params: Vec<(String, String)> = Vec::new();
        let settings = parts(inside).into_iter().filter(|part| !part.is_empty());
        for part in settings {
            match (part.split_once('='), params.last_mut()) {
                (Some((param, value)), _) if is_name(param.trim()) => {
                    let param = param.trim();
                    if params.iter().any(|(other, _)| same_word(other, param)) {
                        let expected = format!("`{param}` once");
                        return Err(Error::parameter(input::METRIC, text, expected));
                    }
                    params.push((param.to_owned(), value.trim().to_owned()));
                }
                (None, Some((_, value))) => {
                    value.push(',');
                    value.push_str(part);
                }
                _ => return Err(refused(text)),
            }
        }
        let value = |text: String| Value::from(text.as_str());
        let params = params.into_iter().map(|(name, text)| (name, value(text)));
        Ok(Self {
            name: name.to_owned(),
            params: params.collect(),
        })
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (i, (name, value)) in self.params.iter().enumerate() {
            write!(f, "{}{name}={value}", if i == 0 { "(" } else { ", " })?;
        }
        f.write_str(if self.params.is_empty() { "" } else { ")" })
    }
}

impl FromStr for Settings {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        parts(text)
            .into_iter()
            .map(str::parse)
            .collect::<Result<_>>()
            .map(Self)
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, metric) in self.0.iter().enumerate() {
            write!(f, "{}{metric}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// A metric in a study file: text such as `deletion` or `deletion(steps=20)`, or a table with the key `name` and the
/// parameters.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
enum Stored {
    Text(String),
    Table(std::collections::BTreeMap<String, Value>),
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for Setting {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        match stored {
            Stored::Text(text) => text.parse(),
            Stored::Table(mut table) => match table.remove("name") {
                Some(Value::Text(name)) => {
                    let params = table.into_iter().collect();
                    Ok(Self { name, params })
                }
                _ => Err(Error::empty(input::METRIC).part("name")),
            },
        }
    }
}

#[cfg(feature = "serde")]
impl From<Setting> for Stored {
    fn from(setting: Setting) -> Self {
        if setting.params.is_empty() {
            return Self::Text(setting.name);
        }
        let name = ("name".to_owned(), Value::Text(setting.name));
        Self::Table(setting.params.into_iter().chain([name]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_lists_of_metrics_are_errors_about_the_metric() {
        for text in ["", "a,", "a(b", "a(b)", "a(=1)", "(b=1)", "a b", "a(b=1) c"] {
            let parsed = text.parse::<Settings>();
            assert_eq!(parsed.unwrap_err().input(), input::METRIC, "{text}");
        }
    }

    #[test]
    fn a_setting_given_twice_is_named() {
        for (text, twice) in [("a(b=1,b=2)", "b"), ("a(n_b=1, c=2, n-b=1), d", "n-b")] {
            let error = text.parse::<Settings>().unwrap_err();
            assert_eq!(error.input(), input::METRIC);
            assert!(error.to_string().contains(&format!("`{twice}` once")));
        }
        assert!("a(b=1), a(b=2)".parse::<Settings>().is_ok());
    }

    #[test]
    fn text_is_read_as_it_was_written() {
        for text in ["a", "a(b=1), a(b=2)", "a(b=grid:3, c=x)"] {
            assert_eq!(text.parse::<Settings>().unwrap().to_string(), text);
        }
        let listed: Settings = "a(b=[1, 2], c=3,4)".parse().unwrap();
        assert_eq!(listed.0[0].params[0].1.items().unwrap().len(), 2);
        // One item in brackets is a list: a curve after one feature, not in one step.
        let one: Settings = "deletion(steps=[1])".parse().unwrap();
        assert_eq!(one.0[0].params[0].1, Value::List(vec!["1".into()]));
        assert_eq!(one.to_string(), "deletion(steps=[1])");
        assert_eq!(listed.0[0].params[1].1, Value::from("3,4"));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_study_has_a_name_or_a_table() {
        let json = r#"["complexity", {"name": "deletion", "steps": 20, "baseline": "mean"}]"#;
        let metrics: Vec<Setting> = serde_json::from_str(json).unwrap();
        assert_eq!(metrics[0], Setting::new("complexity"));
        assert_eq!(metrics[1].params[1], ("steps".into(), Value::Integer(20)));
        let again: Vec<Setting> =
            serde_json::from_str(&serde_json::to_string(&metrics).unwrap()).unwrap();
        assert_eq!(again, metrics);
        assert!(serde_json::from_str::<Setting>(r#"{"steps": 20}"#).is_err());
    }
}
