//! Formatting of numbers on the page.

use crate::estimate::Estimate;
use crate::text::DASH;

/// Treats NaN and infinite values as undefined.
pub(crate) fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}

/// Formats a number with four decimals, or in scientific notation if it is too large or too small;
/// a dash if it is not finite.
pub(crate) fn decimals(value: f64) -> String {
    if !value.is_finite() {
        return DASH.to_owned();
    }
    let size = value.abs();
    let fits = size < 1e7 && (size >= 5e-5 || size == 0.0);
    if fits {
        minus(format!("{value:.4}"))
    } else {
        minus(format!("{value:.3e}"))
    }
}

/// Formats a p-value with four decimals, or as `< 0.0001`.
pub(crate) fn p_value(value: f64) -> String {
    if value < 1e-4 {
        "< 0.0001".to_owned()
    } else {
        decimals(value)
    }
}

/// Formats an interval: `[0.1000, 0.2000]`.
pub(crate) fn interval([low, high]: [f64; 2]) -> String {
    format!("[{}, {}]", decimals(low), decimals(high))
}

/// Formats a value with its interval: `0.1500 [0.1000, 0.2000]`.
pub(crate) fn estimate(estimate: &Estimate) -> String {
    let value = match finite(estimate.value) {
        Some(value) => decimals(value),
        None => "undefined".to_owned(),
    };
    match estimate.interval {
        Some(ends) => format!("{value} {}", interval(ends)),
        None => value,
    }
}

/// Formats a value in the units of the data: four significant digits without trailing zeros, but always the whole
/// integer part; in scientific notation if it is too large or too small, and a dash if it is not finite.
pub(crate) fn in_own_units(value: f64) -> String {
    if !value.is_finite() {
        return DASH.to_owned();
    }
    let size = value.abs();
    if size >= 1e15 || (size > 0.0 && size < 1e-6) {
        return minus(format!("{value:.3e}"));
    }
    let digits_before = if size > 0.0 {
        size.log10().floor() as i32 + 1
    } else {
        1
    };
    let n_decimals = (4 - digits_before).max(0) as usize;
    let padded = format!("{value:.n_decimals$}");
    let text = if padded.contains('.') {
        padded.trim_end_matches('0').trim_end_matches('.')
    } else {
        &padded
    };
    minus(text.to_owned())
}

/// Formats a count, from five digits on with thin spaces between groups of three digits.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    grouped
}

/// Formats a share as a percentage with one decimal.
pub(crate) fn percent(share: f64) -> String {
    minus(format!("{:.1} %", 100.0 * share))
}

/// Formats a number of things: `1 run`, `2 runs`.
pub(crate) fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// Replaces hyphens by minus signs.
pub(crate) fn minus(text: String) -> String {
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_keep_four_digits_and_the_integer_part() {
        let shown = [
            17.99,
            1001.0,
            123_456.7,
            0.118_4,
            0.000_123_456,
            -0.5,
            0.0,
            2e20,
        ];
        assert_eq!(
            shown.map(in_own_units),
            [
                "17.99",
                "1001",
                "123457",
                "0.1184",
                "0.0001235",
                "−0.5",
                "0",
                "2.000e20"
            ]
        );
    }

    #[test]
    fn values_too_small_for_four_decimals_are_in_scientific_notation() {
        assert_eq!(decimals(0.500_94), "0.5009");
        assert_eq!(decimals(-3e-7), "−3.000e−7");
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
    }
}
