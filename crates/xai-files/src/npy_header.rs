//! The header of an `.npy` file: a dictionary as Python writes it.

/// What a header says of the numbers behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// A word, as `<f8`, or a list of the fields of records.
    pub(super) dtype: String,
    /// Whether the first axis is the one whose numbers are neighbours.
    pub(super) is_fortran: bool,
    /// The length of each axis.
    pub(super) shape: Vec<usize>,
}

const NAMES: [&str; 3] = ["descr", "fortran_order", "shape"];

impl Header {
    /// Reads `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`; `None` for anything else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut values = [None; 3];
        for entry in entries(text.trim().strip_prefix('{')?.strip_suffix('}')?) {
            let (name, value) = entry.split_once(':')?;
            let name = word(name)?;
            let place = NAMES.iter().position(|known| *known == name)?;
            values[place] = Some(value.trim());
        }
        let [Some(dtype), Some(order), Some(shape)] = values else {
            return None;
        };
        Some(Self {
            dtype: word(dtype).unwrap_or(dtype).to_owned(),
            is_fortran: match order {
                "True" => true,
                "False" => false,
                _ => return None,
            },
            shape: lengths(shape)?,
        })
    }
}

/// What stands between the commas that are in no brackets and no quotes.
fn entries(text: &str) -> Vec<&str> {
    let mut depth = 0usize;
    let mut quote = None;
    let of_entries = |c: char| {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if "'\"".contains(c) => quote = Some(c),
            None if "([{".contains(c) => depth += 1,
            None if ")]}".contains(c) => depth = depth.saturating_sub(1),
            None => return c == ',' && depth == 0,
        }
        false
    };
    let mut entries: Vec<&str> = text.split(of_entries).collect();
    // Behind the last may be a comma.
    entries.pop_if(|last| last.trim().is_empty());
    entries
}

/// The text in quotes.
fn word(text: &str) -> Option<&str> {
    let text = text.trim();
    let quotes = ['\'', '"'].into_iter();
    { quotes }.find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
}

/// The numbers of a tuple; Python 2 wrote an `L` behind them.
fn lengths(tuple: &str) -> Option<Vec<usize>> {
    let lengths = entries(tuple.strip_prefix('(')?.strip_suffix(')')?).into_iter();
    let length = |text: &str| text.trim().trim_end_matches('L').parse().ok();
    lengths.map(length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_numpy_writes_is_read() {
        for (text, dtype, is_fortran, shape) in [
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n",
                "<f8",
                false,
                vec![3, 4],
            ),
            (
                "{'descr': '|b1', 'fortran_order': True, 'shape': (5,), }",
                "|b1",
                true,
                vec![5],
            ),
            (
                "{\"shape\": (), \"fortran_order\": False, \"descr\": \"<i8\"}",
                "<i8",
                false,
                vec![],
            ),
            (
                "{'descr': '<f4', 'fortran_order': False, 'shape': (7L, 2L), }",
                "<f4",
                false,
                vec![7, 2],
            ),
            (
                "{'descr': [('a, b', '<f8'), (\"it's\", '<i4', (2, 3))], 'fortran_order': False, 'shape': (1,), }",
                "[('a, b', '<f8'), (\"it's\", '<i4', (2, 3))]",
                false,
                vec![1],
            ),
        ] {
            let dtype = dtype.to_owned();
            let expected = Header {
                dtype,
                is_fortran,
                shape,
            };
            assert_eq!(Header::parse(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_header_is_refused() {
        for text in [
            "",
            "{}",
            "{'descr': '<f8', 'fortran_order': False}",
            "{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': 3}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)",
            "((((((((((((((((",
        ] {
            assert_eq!(Header::parse(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_much(text in "[{}()\\[\\]'\", :a-z0-9]{0,60}") {
            let _ = Header::parse(&text);
        }
    }
}
