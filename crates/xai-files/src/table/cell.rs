//! Classification of the text of a cell.

/// Texts that mean a missing value: those of pandas' `read_csv`, and the question mark of older data sets.
const MISSING: [&str; 17] = [
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>",
    "N/A", "NA", "NULL", "None", "n/a", "null", "?",
];

/// The content of a cell in a column that may hold numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell {
    /// A finite number.
    Number(f64),
    /// True or False: 1 or 0 in a column of such cells.
    Boolean(bool),
    /// Digits with a leading zero, such as a zip code: text, although it can be read as a number.
    Code(f64),
    /// Anything else.
    NonNumber(NonNumber),
}

/// The reason why a cell is not a finite number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NonNumber {
    /// An empty cell, or a text that means a missing value.
    Missing,
    /// An infinite number.
    Infinite,
    /// A number formatted for people: with a comma, an apostrophe, a percent sign or a currency.
    Formatted,
    /// True or False in a column of numbers.
    Boolean,
    /// Digits with a leading zero, such as a zip code.
    Code,
    /// Any other text.
    Word,
}

impl NonNumber {
    /// Advice on such a cell.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Missing => "fill the cell",
            Self::Formatted => {
                "write numbers with a decimal point and nothing else (of decimal commas: \
                 pandas.read_csv(FILE, sep=';', decimal=',').to_csv(FILE, index=False))"
            }
            Self::Code => {
                "codes with leading zeros are text: if they are numbers, write them without the zeros"
            }
            Self::Infinite | Self::Word | Self::Boolean => "correct the cell",
        }
    }
}

/// Reads a cell. Numbers have the same bits as with `str::parse`, which takes twice as long.
pub(super) fn read(cell: &[u8]) -> Cell {
    match fast_float2::parse::<f64, _>(cell) {
        Ok(number) if is_code(cell) => Cell::Code(number),
        Ok(number) if number.is_finite() => Cell::Number(number),
        _ => non_number(cell),
    }
}

/// Returns whether a trimmed cell is digits with a leading zero, such as `007`. As a number, such a code would lose
/// its zeros.
pub(crate) fn is_code(cell: &[u8]) -> bool {
    matches!(cell, [b'0', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

/// Classifies a cell that is not a finite number, unless it is after spaces are removed.
#[cold]
fn non_number(cell: &[u8]) -> Cell {
    let trimmed = cell.trim_ascii();
    if trimmed.len() < cell.len() {
        return read(trimmed);
    }
    match std::str::from_utf8(cell) {
        Ok(text) => match boolean(text) {
            Some(truth) => Cell::Boolean(truth),
            None => Cell::NonNumber(kind(text)),
        },
        Err(_) => Cell::NonNumber(NonNumber::Word),
    }
}

/// Classifies a trimmed text that is neither a finite number nor a truth value.
fn kind(text: &str) -> NonNumber {
    if is_missing(text) {
        NonNumber::Missing
    } else if text.parse().is_ok_and(f64::is_infinite) {
        NonNumber::Infinite
    } else if is_formatted_number(text) {
        NonNumber::Formatted
    } else {
        NonNumber::Word
    }
}

/// Returns whether a trimmed cell means a missing value.
pub(crate) fn is_missing(text: &str) -> bool {
    text.is_empty() || MISSING.contains(&text) || text.parse().is_ok_and(f64::is_nan)
}

/// Reads True and False in the spellings of pandas, spreadsheets and R.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    match text {
        "True" | "true" | "TRUE" => Some(true),
        "False" | "false" | "FALSE" => Some(false),
        _ => None,
    }
}

/// Returns whether a text is a number formatted for people, such as `1,000`, `1,5` or `12 %`, but not a date or an
/// address.
fn is_formatted_number(text: &str) -> bool {
    const MARKS: &str = ",%'€$£";
    text.contains(|c: char| c.is_ascii_digit())
        && text.contains(|c| MARKS.contains(c))
        && text
            .chars()
            .all(|c| c.is_ascii_digit() || MARKS.contains(c) || ".+-eE \u{a0}\u{202f}".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_bits_of_the_standard_parser() {
        for text in [
            "0",
            "-0",
            "+1",
            "1.",
            ".5",
            "1e5",
            "1E-5",
            "-1.5e+300",
            "5e-324",
            "2.2250738585072011e-308",
            "0.30000000000000004",
            "9007199254740993",
            "123456789012345678901234567890",
            "0.1234567890123456789012345678901234567890",
            "1.7976931348623157e308",
            "0.07",
        ] {
            let Cell::Number(number) = read(text.as_bytes()) else {
                panic!("{text}");
            };
            assert_eq!(
                number.to_bits(),
                text.parse::<f64>().unwrap().to_bits(),
                "{text}"
            );
        }
        let mut state = 1u64;
        for _ in 0..20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let number = f64::from_bits(state);
            if number.is_finite() {
                assert_eq!(read(number.to_string().as_bytes()), Cell::Number(number));
                assert_eq!(read(format!("{number:e}").as_bytes()), Cell::Number(number));
            }
        }
    }

    #[test]
    fn texts_that_the_standard_parser_refuses_are_not_numbers() {
        for text in [
            "1_000", "0x10", "1e", "e5", ".", "-", "+", "1 2", "1.2.3", "١", "1d5", "1f",
        ] {
            assert!(text.parse::<f64>().is_err());
            assert!(
                matches!(read(text.as_bytes()), Cell::NonNumber(_)),
                "{text}"
            );
        }
        assert_eq!(read(b" 1.5\t"), Cell::Number(1.5));
        assert_eq!(read(b"True"), Cell::Boolean(true));
        assert_eq!(read(b"FALSE"), Cell::Boolean(false));
        for code in ["007", "00", " 01 ", "0000000001"] {
            assert!(matches!(read(code.as_bytes()), Cell::Code(_)), "{code}");
        }
        for number in ["0", "-01", "0.0", "00.5", "0e1"] {
            assert!(
                matches!(read(number.as_bytes()), Cell::Number(_)),
                "{number}"
            );
        }
    }

    #[test]
    fn cells_without_a_number_have_distinct_messages() {
        for text in ["", "  ", "NA", "nan", "NaN", "-nan", "?", "<NA>", "null"] {
            assert_eq!(
                read(text.as_bytes()),
                Cell::NonNumber(NonNumber::Missing),
                "{text}"
            );
        }
        for text in ["inf", "-Infinity", "1e400"] {
            assert_eq!(
                read(text.as_bytes()),
                Cell::NonNumber(NonNumber::Infinite),
                "{text}"
            );
        }
        for text in ["1,000", "1,5", "12 %", "-1.234,56", "$5", "1'000"] {
            assert_eq!(
                read(text.as_bytes()),
                Cell::NonNumber(NonNumber::Formatted),
                "{text}"
            );
        }
        for text in ["a", "2020-01-01", "12:30", "10.0.0.1", "A,1", "e", "x 1"] {
            assert_eq!(
                read(text.as_bytes()),
                Cell::NonNumber(NonNumber::Word),
                "{text}"
            );
        }
        assert_eq!(read(b"\xff1"), Cell::NonNumber(NonNumber::Word));
    }
}
