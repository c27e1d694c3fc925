//! Parser of the header of an `.npy` file, a dictionary in Python syntax.

/// The header of an `.npy` file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// A type such as `<f8`, or the text of the fields of records.
    pub(super) dtype: String,
    /// Whether the array is in Fortran order: the first axis varies fastest.
    pub(super) is_fortran: bool,
    /// The length of each axis.
    pub(super) shape: Vec<usize>,
}

impl Header {
    /// Parses `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`. `None` for anything else.
    ///
    /// Names of record fields may contain anything, for example one of the keys, but arrays of records are refused
    /// by their dtype.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let items = text.trim().strip_prefix('{')?.strip_suffix('}')?;
        let value = |name: &str| {
            let quoted = ['\'', '"'].map(|quote| format!("{quote}{name}{quote}:"));
            let mut found = quoted.iter().filter_map(|key| items.split_once(&**key));
            found.next().map(|(_, value)| value.trim_start())
        };
        let descr = value("descr")?;
        let dtype = match descr.chars().next()? {
            quote @ ('\'' | '"') => descr[1..].split_once(quote)?.0,
            _ => descr.split_inclusive(']').next()?,
        };
        let is_fortran = match value("fortran_order")? {
            order if order.starts_with("True") => true,
            order if order.starts_with("False") => false,
            _ => return None,
        };
        let (shape, _) = value("shape")?.strip_prefix('(')?.split_once(')')?;
        // Python 2 wrote an `L` after integers.
        let lengths = shape
            .split(',')
            .map(str::trim)
            .filter(|axis| !axis.is_empty())
            .map(|axis| axis.trim_end_matches('L').parse().ok());
        Some(Self {
            dtype: dtype.to_owned(),
            is_fortran,
            shape: lengths.collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_numpy_are_read() {
        for (text, dtype, is_fortran, shape) in [
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n",
                "<f8",
                false,
                &[3, 4][..],
            ),
            (
                "{'descr': '|b1', 'fortran_order': True, 'shape': (5,), }",
                "|b1",
                true,
                &[5],
            ),
            (
                "{\"shape\": (), \"fortran_order\": False, \"descr\": \"<i8\"}",
                "<i8",
                false,
                &[],
            ),
            (
                "{'descr': '<f4', 'fortran_order': False, 'shape': (7L, 2L), }",
                "<f4",
                false,
                &[7, 2],
            ),
        ] {
            let expected = Header {
                dtype: dtype.to_owned(),
                is_fortran,
                shape: shape.to_vec(),
            };
            assert_eq!(Header::parse(text), Some(expected), "{text}");
        }
        let records =
            "{'descr': [('a', '<f8'), ('b', '<i4')], 'fortran_order': False, 'shape': (1,), }";
        assert!(Header::parse(records).unwrap().dtype.starts_with("[('a'"));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "{}",
            "{'descr': '<f8', 'fortran_order': False}",
            "{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': 3}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)",
            "{'descr': 'é",
            "((((((((((((((((",
        ] {
            assert_eq!(Header::parse(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[{}()\\[\\]'\", :a-z0-9é]{0,60}") {
            let _ = Header::parse(&text);
        }
    }
}
