//! Which values there are.

use std::fmt;

/// One end of a [`Range`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum End {
    /// No finite value is the last.
    Unbounded,
    /// The value itself belongs to the range.
    Included(f64),
    /// The value itself does not belong to the range.
    Excluded(f64),
    /// A value that depends on the data and belongs to the range: `ln n_positions`.
    OfData(&'static str),
}

/// The values that a metric takes, or that a parameter may have.
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
    /// The lower end.
    pub low: End,
    /// The upper end.
    pub high: End,
    /// For which scores or parameters it holds, where it does not always: `for scores in (0, 1]`. Empty where
    /// it does.
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

    /// A range between two ends.
    #[must_use]
    pub const fn new(low: End, high: End) -> Self {
        let when = "";
        Self { low, high, when }
    }

    /// From `low` to `high`, both included.
    #[must_use]
    pub const fn closed(low: f64, high: f64) -> Self {
        Self::new(End::Included(low), End::Included(high))
    }

    /// `low` and all above.
    #[must_use]
    pub const fn at_least(low: f64) -> Self {
        Self::new(End::Included(low), End::Unbounded)
    }

    /// All above `low`.
    #[must_use]
    pub const fn above(low: f64) -> Self {
        Self::new(End::Excluded(low), End::Unbounded)
    }

    /// With another upper end, included.
    #[must_use]
    pub const fn up_to(mut self, high: f64) -> Self {
        self.high = End::Included(high);
        self
    }

    /// With another upper end, not included.
    #[must_use]
    pub const fn below(mut self, high: f64) -> Self {
        self.high = End::Excluded(high);
        self
    }

    /// With an upper end that depends on the data.
    #[must_use]
    pub const fn up_to_data(mut self, high: &'static str) -> Self {
        self.high = End::OfData(high);
        self
    }

    /// A range that holds for some scores or parameters only.
    #[must_use]
    pub const fn when(mut self, when: &'static str) -> Self {
        self.when = when;
        self
    }

    /// Whether a number is in the range. NaN is in none; an end that depends on the data is no limit.
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

    /// Whether its values are shares: it is a part of [0, 1], always. An average of values that are all 0 or
    /// 1 is then a share too.
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

    /// The numbers of the range as words after "a number": `, at least 0`.
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
