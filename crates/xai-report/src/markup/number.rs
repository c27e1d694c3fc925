//! Numbers as the page shows them.

use crate::estimate::Estimate;
use crate::text::DASH;

/// A number that is shown: what is not finite is as good as undefined.
pub(crate) fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}

/// Four decimals; a number that is too large or too small for that as powers of ten; a dash for what is none.
pub(crate) fn decimals(value: f64) -> String {
    if !value.is_finite() {
        return DASH.to_owned();
    }
    let size = value.abs();
    let fits = size < 1e7 && (size >= 5e-5 || size == 0.0);
    match fits {
        true => minus(format!("{value:.4}")),
        false => minus(format!("{value:.3e}")),
    }
}

/// A p-value: four decimals, or that it is smaller than they show.
pub(crate) fn p_value(value: f64) -> String {
    match value < 1e-4 {
        true => "< 0.0001".to_owned(),
        false => decimals(value),
    }
}

/// `[0.1000, 0.2000]`
pub(crate) fn interval([low, high]: [f64; 2]) -> String {
    format!("[{}, {}]", decimals(low), decimals(high))
}

/// A value with its interval: `0.1500 [0.1000, 0.2000]`.
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

/// A value in the units of the data: four significant digits, and the whole integer part.
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
    let text = format!("{value:.n_decimals$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    minus(text.to_owned())
}

/// A count, with thin spaces between groups of three digits from five digits on.
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

/// A share as a percentage with one decimal.
pub(crate) fn percent(share: f64) -> String {
    minus(format!("{:.1} %", 100.0 * share))
}

/// `1 run`, `2 runs`.
pub(crate) fn of_kind(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// A number with a real minus sign.
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
    fn what_four_decimals_would_hide_has_powers_of_ten() {
        assert_eq!(decimals(0.500_94), "0.5009");
        assert_eq!(decimals(-3e-7), "−3.000e−7");
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
    }
}
