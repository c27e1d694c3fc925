//! Numbers and names of metrics as plain text, for findings and for tables in a terminal.

use std::fmt::Display;

use xai_core::Direction;

/// Formats a value; a dash if there is none.
#[must_use]
pub fn or_dash(value: Option<impl Display>) -> String {
    value.map_or_else(|| DASH.to_owned(), |x| x.to_string())
}

/// Placeholder for undefined values.
pub const DASH: &str = "–";

/// Formats a value with four decimals; a dash if it is undefined.
///
/// ```
/// use xai_report::text::decimals;
/// assert_eq!(decimals(Some(-1234.56789)), "-1234.5679");
/// assert_eq!(decimals(None), "–");
/// ```
#[must_use]
pub fn decimals(value: Option<f64>) -> String {
    or_dash(value.map(four))
}

/// Formats an interval with four decimals; a dash if it is undefined.
///
/// ```
/// use xai_report::text::interval;
/// assert_eq!(interval(Some([0.5, 0.75])), "[0.5000, 0.7500]");
/// ```
#[must_use]
pub fn interval(ends: Option<[f64; 2]>) -> String {
    or_dash(ends.map(|[low, high]| format!("[{}, {}]", four(low), four(high))))
}

/// Formats the coverage of an interval, for example `95 %`.
///
/// ```
/// use xai_report::text::coverage;
/// assert_eq!((coverage(0.95), coverage(0.999)), ("95 %".to_owned(), "99.9 %".to_owned()));
/// ```
#[must_use]
pub fn coverage(level: f64) -> String {
    // Rounded, because 100 · 0.999 is not exactly 99.9.
    format!("{} %", (1e8 * level).round() / 1e6)
}

/// Formats a number with four decimals, or in scientific notation from 1e16 on, where `f64` has no
/// decimals any more.
fn four(x: f64) -> String {
    if x.is_finite() && x.abs() >= 1e16 {
        format!("{x:.4e}")
    } else {
        format!("{x:.4}")
    }
}

/// Appends an arrow to the name of a metric that shows whether higher or lower values are better.
///
/// ```
/// use xai_core::Direction;
/// use xai_report::text::with_arrow;
/// assert_eq!(with_arrow("AUROC", Direction::Higher), "AUROC ↑");
/// ```
#[must_use]
pub fn with_arrow(name: &str, better: Direction) -> String {
    match better {
        Direction::None => name.to_owned(),
        better => format!("{name} {}", better.arrow()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_length_that_a_person_reads() {
        assert_eq!(decimals(Some(1.7e308)), "1.7000e308");
        assert_eq!(interval(Some([0.5, -1e300])), "[0.5000, -1.0000e300]");
    }
}
