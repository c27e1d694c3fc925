//! Kinds and ranges of values.

use std::fmt;

use crate::describe::value::Value;

/// The values that a parameter accepts.
///
/// ```
/// use xai_core::describe::{Kind, Range, Value};
/// let kind = Kind::Real(Range::REAL).at_least(0.0);
/// assert_eq!(kind.to_string(), "a number, at least 0");
/// assert!(kind.admits(&Value::Real(0.5)) && !kind.admits(&Value::Real(-1.0)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Kind {
    /// A finite number in a range.
    Real(Range),
    /// An integer in a range.
    Integer(Range),
    /// `true` or `false`.
    Flag,
    /// One of several words.
    Words(&'static [Word]),
    /// A list of values of one kind.
    List(&'static Kind),
    /// A value of one of several kinds.
    OneOf(&'static [Kind]),
}

/// A word that a parameter accepts.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Word {
    /// The word in kebab-case. `_` may be written for `-`.
    pub name: &'static str,
    /// Another accepted spelling, from another package or a number; empty without one.
    pub alias: &'static str,
    /// Meaning of the word, one sentence.
    pub doc: &'static str,
    /// The value after a colon, for words that have one: `grid:7`.
    pub value: Option<WordValue>,
}

/// The value after the colon of a word.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct WordValue {
    /// Placeholder in help texts: `CELLS`.
    pub name: &'static str,
    /// Accepted values.
    pub kind: &'static Kind,
    /// Whether the word can be written without a value, for a default.
    pub has_default: bool,
}

/// Whether two words are equal if `-` and `_` are the same.
#[must_use]
pub fn same_word(a: &str, b: &str) -> bool {
    let plain = |c: u8| if c == b'-' { b'_' } else { c };
    a.len() == b.len() && a.bytes().map(plain).eq(b.bytes().map(plain))
}

impl Word {
    /// Matches a text: the value after the colon, `Some(None)` for the word or its alias alone. `None` for another
    /// word, for a value after a word that has none, and for a word alone that needs a value.
    #[must_use]
    pub fn match_text<'a>(&self, text: &'a str) -> Option<Option<&'a str>> {
        match text.trim().split_once(':') {
            Some((word, value)) => {
                (self.value.is_some() && same_word(word, self.name)).then_some(Some(value.trim()))
            }
            None => {
                let alone = self.value.is_none_or(|value| value.has_default);
                let text = text.trim();
                let named =
                    same_word(text, self.name) || (!text.is_empty() && same_word(text, self.alias));
                (alone && named).then_some(None)
            }
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            None => f.write_str(self.name),
            Some(WordValue {
                name,
                has_default: true,
                ..
            }) => write!(f, "{}[:{name}]", self.name),
            Some(WordValue { name, .. }) => write!(f, "{}:{name}", self.name),
        }
    }
}

impl Kind {
    /// Sets the smallest accepted number.
    #[must_use]
    pub const fn at_least(self, low: f64) -> Self {
        self.from(End::Included(low))
    }

    /// Accepts only numbers above `low`.
    #[must_use]
    pub const fn above(self, low: f64) -> Self {
        self.from(End::Excluded(low))
    }

    /// Sets the largest accepted number.
    #[must_use]
    pub const fn at_most(self, high: f64) -> Self {
        self.to(End::Included(high))
    }

    /// Accepts only numbers below `high`.
    #[must_use]
    pub const fn below(self, high: f64) -> Self {
        self.to(End::Excluded(high))
    }

    /// Kind of the items of a list.
    #[must_use]
    pub const fn item(self) -> Self {
        match self {
            Self::List(kind) => *kind,
            _ => panic!("only lists have items"),
        }
    }

    const fn from(self, low: End) -> Self {
        match self {
            Self::Real(range) => Self::Real(Range { low, ..range }),
            Self::Integer(range) => Self::Integer(Range { low, ..range }),
            _ => panic!("only numbers have a range"),
        }
    }

    const fn to(self, high: End) -> Self {
        match self {
            Self::Real(range) => Self::Real(Range { high, ..range }),
            Self::Integer(range) => Self::Integer(Range { high, ..range }),
            _ => panic!("only numbers have a range"),
        }
    }

    /// Whether a value is of the kind. [`Value::Given`] is of every kind.
    #[must_use]
    pub fn admits(&self, value: &Value) -> bool {
        if *value == Value::Given {
            return true;
        }
        match self {
            Self::Real(range) => {
                let number = value.real();
                number.is_some_and(|number| number.is_finite() && range.contains(number))
            }
            Self::Integer(range) => {
                let number = value.integer();
                number.is_some_and(|number| range.contains(number as f64))
            }
            Self::Flag => value.flag().is_some(),
            Self::Words(words) => {
                let Some(text) = value.word() else {
                    return false;
                };
                words.iter().any(|word| match word.match_text(&text) {
                    Some(Some(behind)) => word
                        .value
                        .is_some_and(|value| value.kind.admits(&behind.into())),
                    Some(None) => true,
                    None => false,
                })
            }
            Self::List(kind) => {
                let items = value.items();
                items.is_some_and(|items| items.iter().all(|item| kind.admits(item)))
            }
            Self::OneOf(kinds) => kinds.iter().any(|kind| kind.admits(value)),
        }
    }

    /// What is expected instead of a value. If a word is known and only the part after its colon is wrong or
    /// missing, the values of that part.
    #[must_use]
    pub fn expected(&self, value: &Value) -> String {
        let text = value.word().unwrap_or_default();
        let behind = self.words().find_map(|word| {
            let named = text
                .split(':')
                .next()
                .is_some_and(|name| same_word(name.trim(), word.name));
            word.value
                .filter(|_| named)
                .map(|behind| (word.name, behind))
        });
        match behind {
            Some((word, WordValue { name, kind, .. })) => {
                format!("{word}:{name} with {name} {kind}")
            }
            None => self.to_string(),
        }
    }

    /// The accepted words.
    pub fn words(&self) -> impl Iterator<Item = &'static Word> {
        let kinds: &[Kind] = match self {
            Self::OneOf(kinds) => kinds,
            _ => std::slice::from_ref(self),
        };
        let words = kinds.iter().flat_map(|kind| match *kind {
            Self::Words(words) => words,
            _ => &[],
        });
        words.collect::<Vec<_>>().into_iter()
    }

    /// Placeholder of a value in a synopsis: `NUMBER`, `N`, `lowest|any`.
    #[must_use]
    pub fn placeholder(&self) -> String {
        match self {
            Self::Real(_) => "NUMBER".to_owned(),
            Self::Integer(_) => "N".to_owned(),
            Self::Flag => "true|false".to_owned(),
            Self::Words(words) => {
                let words: Vec<String> = words.iter().map(Word::to_string).collect();
                words.join("|")
            }
            Self::List(kind) => format!("{},…", kind.placeholder()),
            Self::OneOf(kinds) => {
                let kinds: Vec<String> = kinds.iter().map(Self::placeholder).collect();
                kinds.join("|")
            }
        }
    }

    fn choices(&self) -> Vec<String> {
        match self {
            Self::Real(range) => vec![format!("a number{}", range.in_words())],
            Self::Integer(range)
                if range.low == End::Included(0.0) && range.high == End::Unbounded =>
            {
                vec!["a whole number".to_owned()]
            }
            Self::Integer(range) => vec![format!("a whole number{}", range.in_words())],
            Self::Flag => vec!["true".to_owned(), "false".to_owned()],
            Self::Words(words) => words.iter().map(Word::to_string).collect(),
            Self::List(kind) => vec![format!("a list of ({kind})")],
            Self::OneOf(kinds) => kinds.iter().flat_map(Self::choices).collect(),
        }
    }
}

impl fmt::Display for Kind {
    /// Writes the accepted values for an error message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let choices = self.choices();
        match choices.split_last() {
            Some((last, [])) => f.write_str(last),
            Some((last, others)) => write!(f, "{} or {last}", others.join(", ")),
            None => f.write_str("no value"),
        }
    }
}

/// One end of a [`Range`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum End {
    /// No limit.
    Unbounded,
    /// The limit belongs to the range.
    Included(f64),
    /// The limit does not belong to the range.
    Excluded(f64),
    /// A limit that depends on the data and belongs to the range: `ln n_positions`.
    OfData(&'static str),
}

/// A range of numbers: the values of a metric or of a parameter.
///
/// ```
/// use xai_core::describe::Range;
/// assert_eq!(Range::SHARE.to_string(), "[0, 1]");
/// assert_eq!(Range::above(0.0).to_string(), "(0, inf)");
/// assert_eq!(Range::NON_NEGATIVE.up_to_data("n").to_string(), "[0, n]");
/// assert!(Range::above(0.0).contains(1e-300) && !Range::above(0.0).contains(0.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Range {
    /// Lower end.
    pub low: End,
    /// Upper end.
    pub high: End,
    /// Condition on scores or parameters, such as `for scores in (0, 1]`; empty if the range is unconditional.
    pub when: &'static str,
}

impl Range {
    /// All real numbers.
    pub const REAL: Self = Self::new(End::Unbounded, End::Unbounded);
    /// [0, 1].
    pub const SHARE: Self = Self::closed(0.0, 1.0);
    /// [−1, 1].
    pub const SIGNED_SHARE: Self = Self::closed(-1.0, 1.0);
    /// [0, ∞).
    pub const NON_NEGATIVE: Self = Self::at_least(0.0);

    /// Creates a range between two ends.
    #[must_use]
    pub const fn new(low: End, high: End) -> Self {
        let when = "";
        Self { low, high, when }
    }

    /// Range from `low` to `high`, both included.
    #[must_use]
    pub const fn closed(low: f64, high: f64) -> Self {
        Self::new(End::Included(low), End::Included(high))
    }

    /// Range from `low`, included, without an upper limit.
    #[must_use]
    pub const fn at_least(low: f64) -> Self {
        Self::new(End::Included(low), End::Unbounded)
    }

    /// Range above `low`, excluded, without an upper limit.
    #[must_use]
    pub const fn above(low: f64) -> Self {
        Self::new(End::Excluded(low), End::Unbounded)
    }

    /// Sets the upper end, included.
    #[must_use]
    pub const fn up_to(mut self, high: f64) -> Self {
        self.high = End::Included(high);
        self
    }

    /// Sets the upper end, excluded.
    #[must_use]
    pub const fn below(mut self, high: f64) -> Self {
        self.high = End::Excluded(high);
        self
    }

    /// Sets an upper end that depends on the data.
    #[must_use]
    pub const fn up_to_data(mut self, high: &'static str) -> Self {
        self.high = End::OfData(high);
        self
    }

    /// Sets a condition on scores or parameters.
    #[must_use]
    pub const fn when(mut self, when: &'static str) -> Self {
        self.when = when;
        self
    }

    /// Whether a number is in the range. NaN is in no range; ends that depend on the data are not checked.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        let above = match self.low {
            End::Included(low) => value >= low,
            End::Excluded(low) => value > low,
            End::Unbounded | End::OfData(_) => !value.is_nan(),
        };
        let below = match self.high {
            End::Included(high) => value <= high,
            End::Excluded(high) => value < high,
            End::Unbounded | End::OfData(_) => !value.is_nan(),
        };
        above && below
    }

    /// Whether the range is an unconditional part of [0, 1], so that averages of 0 and 1 are shares.
    ///
    /// ```
    /// use xai_core::describe::Range;
    /// assert!(Range::SHARE.is_share() && Range::above(0.0).up_to(1.0).is_share());
    /// assert!(!Range::SIGNED_SHARE.is_share() && !Range::NON_NEGATIVE.is_share());
    /// assert!(!Range::SHARE.when("for scores in [0, 1]").is_share());
    /// ```
    #[must_use]
    pub fn is_share(&self) -> bool {
        let within = |end| match end {
            End::Included(x) | End::Excluded(x) => (0.0..=1.0).contains(&x),
            End::Unbounded | End::OfData(_) => false,
        };
        self.when.is_empty() && within(self.low) && within(self.high)
    }

    /// The range in words after "a number": `, at least 0`.
    pub(super) fn in_words(&self) -> String {
        match (self.low, self.high) {
            (End::Unbounded, End::Unbounded) => String::new(),
            (End::Included(low), End::Unbounded) => format!(", at least {low}"),
            (End::Excluded(low), End::Unbounded) => format!(", above {low}"),
            (End::Unbounded, End::Included(high)) => format!(", at most {high}"),
            (End::Unbounded, End::Excluded(high)) => format!(", below {high}"),
            _ => format!(" in {self}"),
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.low {
            End::Unbounded => f.write_str("(-inf"),
            End::Included(low) => write!(f, "[{low}"),
            End::Excluded(low) => write!(f, "({low}"),
            End::OfData(low) => write!(f, "[{low}"),
        }?;
        match self.high {
            End::Unbounded => f.write_str(", inf)"),
            End::Included(high) => write!(f, ", {high}]"),
            End::Excluded(high) => write!(f, ", {high})"),
            End::OfData(high) => write!(f, ", {high}]"),
        }?;
        match self.when {
            "" => Ok(()),
            when => write!(f, " {when}"),
        }
    }
}
