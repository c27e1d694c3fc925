//! Parameters of metrics, derived from the fields that hold them.

use std::sync::Arc;

use crate::describe::kind::{Kind, Range, same_word};
use crate::describe::value::Value;
use crate::error::{Error, Input, Result};
use crate::text::nearest;

/// A parameter of a metric or an operation.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Param {
    /// Name of the field: `max_fraction`. Errors about the parameter have an [`Input`] of this name.
    pub name: &'static str,
    /// Documentation of the field: its first paragraph, up to a sentence that begins with `Default:`.
    pub doc: &'static str,
    /// Accepted values.
    pub kind: Kind,
    /// Current value; the default in a metric with defaults.
    pub value: Value,
}

impl Param {
    /// Checks the value against the kind.
    ///
    /// # Errors
    /// An invalid parameter with the expected values.
    pub fn check(&self) -> Result<()> {
        if self.kind.admits(&self.value) {
            Ok(())
        } else {
            Err(refused(self.name, &self.value, &self.kind))
        }
    }
}

/// Creates the error for a value that a parameter does not accept.
#[doc(hidden)]
#[must_use]
pub fn refused(name: &'static str, value: &Value, kind: &Kind) -> Error {
    // A kind admits integers of any size; the type of the field may be smaller.
    let is_too_large = matches!(kind, Kind::Integer(_)) && kind.admits(value);
    let expected = if is_too_large {
        "a smaller whole number".to_owned()
    } else {
        kind.expected(value)
    };
    Error::parameter(Input::new(name), value, expected)
}

/// A type of parameter values. Derived for enums by [`Parameter`](macro@crate::describe::Parameter).
pub trait Parameter: Sized {
    /// Accepted values.
    const KIND: Kind;

    /// Converts a value from a front end; `None` if it is no value of this type. Numbers are not compared with their
    /// range, which is what [`Param::check`] does.
    fn from_value(value: &Value) -> Option<Self>;

    /// Converts to a value for front ends; [`Value::Given`] for arrays and functions, which have no text form.
    fn to_value(&self) -> Value;
}

/// A metric with parameters, or a group of parameters that several metrics share. Derived for structs by
/// [`Parameters`](macro@crate::describe::Parameters).
pub trait Parameters {
    /// Appends the parameters with their values, in the order of the fields.
    fn describe(&self, params: &mut Vec<Param>);

    /// Sets a parameter by name. Returns whether a parameter has this name. Ranges of numbers are checked by
    /// [`check_params`](Self::check_params).
    ///
    /// # Errors
    /// An invalid parameter for a value that cannot be converted to the type of the parameter.
    fn set(&mut self, name: &str, value: &Value) -> Result<bool>;

    /// The parameters with their values.
    fn params(&self) -> Vec<Param> {
        let mut params = Vec::new();
        self.describe(&mut params);
        params
    }

    /// Checks the values of all parameters.
    ///
    /// # Errors
    /// An invalid parameter about the first value that is not of its kind.
    fn check_params(&self) -> Result<()> {
        check_all(&self.params())
    }
}

fn check_all(params: &[Param]) -> Result<()> {
    params.iter().try_for_each(Param::check)
}

/// Creates the error for a name that none of `params` has. It lists their names and suggests the most similar one.
///
/// ```
/// use xai_core::describe::{Parameters, unknown};
/// #[derive(Default, Parameters)]
/// struct Deletion {
///     /// Number of steps.
///     steps: usize,
/// }
/// let error = unknown("step", &Deletion::default().params());
/// assert_eq!(error.to_string(), "parameter = step: expected one of steps; did you mean `steps`?");
/// ```
pub fn unknown(name: &str, params: &[Param]) -> Error {
    let names: Vec<&str> = params.iter().map(|param| param.name).collect();
    let mut expected = match names.as_slice() {
        [] => "no parameters, for there are none".to_owned(),
        names => format!("one of {}", names.join(", ")),
    };
    if let Some(near) = nearest(&name.replace('-', "_"), names) {
        expected += &format!("; did you mean `{near}`?");
    }
    Error::parameter(crate::input::PARAMETER, name, expected)
}

/// Sets some parameters by name. If a name occurs twice, the last value is used.
///
/// # Errors
/// An invalid parameter for an unknown name and for a value that is not of its kind.
pub fn with<P: Parameters, N: AsRef<str>>(
    mut defaults: P,
    settings: impl IntoIterator<Item = (N, Value)>,
) -> Result<P> {
    for (name, value) in settings {
        set_known(&mut defaults, name.as_ref(), &value)?;
    }
    defaults.check_params()?;
    Ok(defaults)
}

/// Sets a parameter, or returns the error for an unknown name. Not generic, so that it is compiled once instead of per
/// metric.
fn set_known(parameters: &mut dyn Parameters, name: &str, value: &Value) -> Result<()> {
    if parameters.set(name, value)? {
        Ok(())
    } else {
        Err(unknown(name, &parameters.params()))
    }
}

/// The word of an enum value, without the value behind the colon; `given` for a value without a word.
pub fn word_of<P: Parameter>(choice: &P) -> &'static str {
    let text = choice.to_value().to_string();
    let text = text.split(':').next().unwrap_or_default();
    let word = P::KIND.words().find(|word| same_word(word.name, text));
    word.map_or("given", |word| word.name)
}

/// Parses a parameter value from text.
///
/// # Errors
/// An invalid parameter about `input` with the expected values.
pub fn parse<P: Parameter>(input: Input, text: &str) -> Result<P> {
    let value = Value::from(text);
    let parsed = P::from_value(&value);
    parsed.ok_or_else(|| Error::parameter(input, &value, P::KIND.expected(&value)))
}

impl<P: Parameters + ?Sized> Parameters for Box<P> {
    fn describe(&self, params: &mut Vec<Param>) {
        (**self).describe(params);
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<bool> {
        (**self).set(name, value)
    }
}

/// A shared reference lists the parameters, but cannot set any.
impl<P: Parameters + ?Sized> Parameters for &P {
    fn describe(&self, params: &mut Vec<Param>) {
        (**self).describe(params);
    }

    fn set(&mut self, _: &str, _: &Value) -> Result<bool> {
        Ok(false)
    }
}

/// No parameters.
impl Parameters for () {
    fn describe(&self, _: &mut Vec<Param>) {}

    fn set(&mut self, _: &str, _: &Value) -> Result<bool> {
        Ok(false)
    }
}

impl Parameter for f64 {
    const KIND: Kind = Kind::Real(Range::REAL);

    fn from_value(value: &Value) -> Option<Self> {
        value.real()
    }

    fn to_value(&self) -> Value {
        Value::Real(*self)
    }
}

impl Parameter for bool {
    const KIND: Kind = Kind::Flag;

    fn from_value(value: &Value) -> Option<Self> {
        value.flag()
    }

    fn to_value(&self) -> Value {
        Value::Flag(*self)
    }
}

macro_rules! integers {
    ($($integer:ty: $range:expr),+) => {$(
        impl Parameter for $integer {
            const KIND: Kind = Kind::Integer($range);

            fn from_value(value: &Value) -> Option<Self> {
                value.integer()?.try_into().ok()
            }

            fn to_value(&self) -> Value {
                let text = || Value::Text(self.to_string());
                i64::try_from(*self).map_or_else(|_| text(), Value::Integer)
            }
        }
    )+};
}

integers!(
    u8: Range::NON_NEGATIVE, u32: Range::NON_NEGATIVE, u64: Range::NON_NEGATIVE, usize: Range::NON_NEGATIVE,
    i64: Range::REAL, isize: Range::REAL
);

impl<P: Parameter> Parameter for Vec<P> {
    const KIND: Kind = Kind::List(&P::KIND);

    fn from_value(value: &Value) -> Option<Self> {
        value.items()?.iter().map(P::from_value).collect()
    }

    fn to_value(&self) -> Value {
        Value::List(self.iter().map(P::to_value).collect())
    }
}

impl<P: Parameter> Parameter for Arc<[P]> {
    const KIND: Kind = Kind::List(&P::KIND);

    fn from_value(value: &Value) -> Option<Self> {
        value.items()?.iter().map(P::from_value).collect()
    }

    fn to_value(&self) -> Value {
        Value::List(self.iter().map(P::to_value).collect())
    }
}

/// A pair of numbers, such as the ends of a range.
impl Parameter for (f64, f64) {
    const KIND: Kind = Kind::List(&f64::KIND);

    fn from_value(value: &Value) -> Option<Self> {
        match value.items()?.as_slice() {
            [low, high] => Some((low.real()?, high.real()?)),
            _ => None,
        }
    }

    fn to_value(&self) -> Value {
        Value::List(vec![self.0.into(), self.1.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which position counts where several share the largest attribution.
    #[derive(Debug, Clone, Copy, Default, PartialEq, crate::describe::Parameter)]
    enum Ties {
        /// The [lowest](Ties) of them.
        #[default]
        Lowest,
        /// So many of them, counted
        /// from the first.
        FirstOf(#[param(at_least = 1)] usize),
        #[param(skip)]
        Given,
    }

    #[derive(Debug, Clone, Copy, PartialEq, crate::describe::Parameter)]
    enum Top {
        #[param(plain, at_least = 1)]
        Count(usize),
        #[param(plain, above = 0, at_most = 1)]
        Share(f64),
        /// Everything.
        All,
    }

    #[derive(Debug, Clone, PartialEq, crate::describe::Parameters)]
    struct Group {
        /// What random choices depend on.
        pub seed: u64,
    }

    /// A metric.
    #[derive(Debug, Clone, PartialEq, crate::describe::Parameters)]
    struct Pointing {
        /// How far beside the object still counts, in positions. Default: 0.
        ///
        /// More about it.
        #[param(at_least = 0)]
        radius: f64,
        /// Ties.
        ties: Ties,
        /// The top.
        #[param(name = "k")]
        top: Top,
        /// The classes.
        #[param(none = "auto", none_doc = "As many as there are.")]
        classes: Option<usize>,
        #[param(flatten)]
        group: Group,
        #[param(skip)]
        cache: u32,
    }

    fn metric() -> Pointing {
        Pointing {
            radius: 0.0,
            ties: Ties::default(),
            top: Top::Share(0.1),
            classes: None,
            group: Group { seed: 1 },
            cache: 0,
        }
    }

    #[test]
    fn fields_describe_their_parameters_completely() {
        let params = metric().params();
        let names: Vec<&str> = params.iter().map(|param| param.name).collect();
        assert_eq!(names, ["radius", "ties", "k", "classes", "seed"]);
        assert_eq!(
            params[0].doc,
            "How far beside the object still counts, in positions."
        );
        let kinds: Vec<String> = params.iter().map(|param| param.kind.to_string()).collect();
        assert_eq!(
            kinds,
            [
                "a number, at least 0",
                "lowest or first-of:N",
                "a whole number, at least 1, a number in (0, 1] or all",
                "auto or a whole number",
                "a whole number",
            ]
        );
        let values: Vec<String> = params.iter().map(|param| param.value.to_string()).collect();
        assert_eq!(values, ["0", "lowest", "0.1", "auto", "1"]);
        let Kind::Words(words) = Ties::KIND else {
            panic!("words");
        };
        assert_eq!(words[0].doc, "The lowest of them.");
        assert_eq!(words[1].doc, "So many of them, counted from the first.");
    }

    #[test]
    fn text_and_typed_values_set_a_parameter() {
        let set = |name: &str, value: Value| with(metric(), [(name, value)]);
        assert_eq!(set("radius", 2.5.into()).unwrap().radius, 2.5);
        assert_eq!(set("radius", "2.5".into()).unwrap().radius, 2.5);
        assert_eq!(
            set("ties", "first_of:3".into()).unwrap().ties,
            Ties::FirstOf(3)
        );
        assert_eq!(set("k", "3".into()).unwrap().top, Top::Count(3));
        assert_eq!(set("k", 0.5.into()).unwrap().top, Top::Share(0.5));
        assert_eq!(set("k", "all".into()).unwrap().top, Top::All);
        assert_eq!(set("classes", "4".into()).unwrap().classes, Some(4));
        assert_eq!(set("classes", "auto".into()).unwrap().classes, None);
        assert_eq!(set("seed", u64::MAX.into()).unwrap().group.seed, u64::MAX);
        assert_eq!(metric().radius(3.0).top(Top::All).top, Top::All);
    }

    #[test]
    fn invalid_values_are_errors_about_the_parameter() {
        let refused = |name: &str, value: Value| with(metric(), [(name, value)]).unwrap_err();
        let error = refused("radius", "-1".into());
        assert_eq!(error.input(), Input::new("radius"));
        assert_eq!(
            error.to_string(),
            "radius = -1: expected a number, at least 0"
        );
        assert_eq!(refused("radius", f64::NAN.into()).input().name(), "radius");
        let error = refused("ties", "first-of:0".into());
        assert_eq!(
            error.to_string(),
            "ties = first-of:0: expected first-of:N with N a whole number, at least 1"
        );
        for text in ["first-of", "first_of:x"] {
            let error = refused("ties", text.into()).to_string();
            assert!(
                error.ends_with("with N a whole number, at least 1"),
                "{error}"
            );
        }
        assert_eq!(refused("k", 2.0.into()).input().name(), "k");
        assert_eq!(refused("seed", Value::Integer(-1)).input().name(), "seed");
        let too_large = refused("seed", "99999999999999999999".into());
        assert_eq!(
            too_large.to_string(),
            "seed = 99999999999999999999: expected a smaller whole number"
        );
        let unknown = refused("size", 1.0.into());
        assert_eq!(unknown.input(), crate::input::PARAMETER);
        assert!(
            unknown
                .to_string()
                .contains("one of radius, ties, k, classes, seed")
        );
        assert!(metric().ties(Ties::Given).check_params().is_ok());
    }
}
