//! Row selections given as an array of integers.

use crate::error::{Error, Help, Input, Result};

/// Advice for zeros and ones that may be row indices or a mask.
pub const SPECIFY_ROWS: Help = Help::new(
    "for a mask give booleans, as array.astype(bool); for positions 0 and 1, which are all rows, leave it out",
);

/// Advice for zeros and ones whose number differs from the number of rows.
pub const ONE_FLAG_PER_ROW: Help = Help::new(
    "a mask has one 0 or 1 for each row; positions that are all 0 or 1 are given once each",
);

/// Converts integers to indices of `n_rows` rows. The integers are a mask if there is one 0 or 1
/// per row, otherwise row indices, whose order is kept.
///
/// Zeros and ones are a mask if there are as many as rows and, read as indices, they would select a
/// row twice, which is always the case for three or more of them, or no row (`[1]` for one row).
///
/// # Errors
/// `InvalidParameter` if both readings are possible (`[0, 1]` and `[1, 0]` for two rows, `[0]` for
/// one row), `ShapeMismatch` for three or more zeros and ones whose number differs from that of the
/// rows, `OutOfDomain` for an index of no row.
///
/// ```
/// use xai_core::tensor::selected_rows;
/// use xai_core::input::SAMPLES;
/// assert_eq!(selected_rows(SAMPLES, &[0, 1, 1, 0], 4)?, [1, 2]); // a mask
/// assert_eq!(selected_rows(SAMPLES, &[3, 1, 1], 4)?, [3, 1, 1]); // positions
/// assert_eq!(selected_rows(SAMPLES, &[0, 1], 4)?, [0, 1]); // too few for a mask
/// assert!(selected_rows(SAMPLES, &[0, 1], 2).is_err()); // the second row, or both?
/// assert!(selected_rows(SAMPLES, &[0, 1, 1], 4).is_err()); // a mask of other rows
/// # Ok::<(), xai_core::Error>(())
/// ```
pub fn selected_rows(input: Input, chosen: &[i64], n_rows: usize) -> Result<Vec<usize>> {
    if is_zeros_and_ones(chosen) {
        // `[1]` for one row can only be a mask, because there is no row 1.
        let is_repeated = chosen.len() > 2 || matches!(chosen, [a, b] if a == b);
        let is_as_long = chosen.len() == n_rows;
        if is_as_long && (is_repeated || chosen == [1]) {
            let marked = chosen.iter().enumerate().filter(|(_, mark)| **mark == 1);
            return Ok(marked.map(|(row, _)| row).collect());
        }
        if is_as_long {
            let shown = format!("{chosen:?}");
            let expected = "booleans or positions: these zeros and ones may be either";
            return Err(Error::parameter(input, shown, expected).with_help(SPECIFY_ROWS));
        }
        if chosen.len() > 2 {
            let expected = format!("({n_rows}), a 0 or 1 for each row");
            let error = Error::shape_described(input, expected, &[chosen.len()]);
            return Err(error.with_help(ONE_FLAG_PER_ROW));
        }
    }
    let row = |(at, &index): (usize, &i64)| {
        usize::try_from(index)
            .ok()
            .filter(|row| *row < n_rows)
            .ok_or_else(|| {
                let expected = format!("a row of {}", crate::text::index_range(n_rows));
                Error::out_of_domain(input, &[at], index as f64, expected)
            })
    };
    chosen.iter().enumerate().map(row).collect()
}

/// Returns `true` if all integers are 0 or 1 and there is at least one. Then they may be a mask,
/// and [`selected_rows`] needs the number of rows.
#[must_use]
pub fn is_zeros_and_ones(chosen: &[i64]) -> bool {
    !chosen.is_empty() && chosen.iter().all(|x| matches!(x, 0 | 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::input::SAMPLES;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn zeros_and_ones_are_read_like_booleans(mask in prop::collection::vec(any::<bool>(), 3..40)) {
            let integers: Vec<i64> = mask.iter().map(|&mark| i64::from(mark)).collect();
            let expected: Vec<usize> = (0..mask.len()).filter(|&row| mask[row]).collect();
            prop_assert_eq!(selected_rows(SAMPLES, &integers, mask.len()).unwrap(), expected);
            let other = selected_rows(SAMPLES, &integers, mask.len() + 1).unwrap_err();
            let is_shape = matches!(other.kind(), ErrorKind::ShapeMismatch { .. });
            prop_assert!(is_shape, "{}", other);
        }

        #[test]
        fn other_integers_are_positions(mut positions in prop::collection::vec(0usize..9, 1..20), at in 0usize..20) {
            let at = at % positions.len();
            positions[at] = 2;
            let integers: Vec<i64> = positions.iter().map(|&row| row as i64).collect();
            prop_assert_eq!(selected_rows(SAMPLES, &integers, 9).unwrap(), positions.clone());
            if let Some(beyond) = positions.iter().position(|&row| row > 2) {
                let error = selected_rows(SAMPLES, &integers, 3).unwrap_err();
                prop_assert_eq!(error.index(), &[beyond][..]);
            }
        }
    }

    #[test]
    fn ambiguous_zeros_and_ones_are_an_error() {
        for (chosen, n_rows) in [(&[0, 1][..], 2), (&[1, 0], 2), (&[0], 1)] {
            let error = selected_rows(SAMPLES, chosen, n_rows).unwrap_err();
            assert_eq!(error.help(), Some(SPECIFY_ROWS), "{chosen:?}");
        }
        // Read as positions, they would name a row twice, or one that does not exist.
        for (chosen, n_rows, rows) in [
            (&[1, 1][..], 2, &[0, 1][..]),
            (&[0, 0], 2, &[]),
            (&[1], 1, &[0]),
        ] {
            assert_eq!(selected_rows(SAMPLES, chosen, n_rows).unwrap(), rows);
        }
        assert_eq!(selected_rows(SAMPLES, &[1, 1], 3).unwrap(), [1, 1]);
        assert!(selected_rows(SAMPLES, &[], 3).unwrap().is_empty());
        assert_eq!(selected_rows(SAMPLES, &[-1], 3).unwrap_err().index(), [0]);
    }
}
