//! Constant-time draws from a discrete distribution (Walker's alias method).

use xai_core::number::check_domain;
use xai_core::random::RandomStream;
use xai_core::{Error, ExactSum, Result};

use crate::input;

/// A discrete distribution over the classes `0..c`, prepared for fast draws.
///
/// A draw costs one random number, one multiplication and one table lookup for any number of classes. Column `i` of the
/// table stands for class `i` below its threshold and for one other class, its alias, above it. In the 128-bit product
/// of 64 random bits and `c`, the upper half is the column and the lower half the height within the column. This
/// changes probabilities by less than `c/2⁶⁴`.
///
/// The table is built only with additions, multiplications and comparisons of `f64`, so that the same probabilities and
/// seed draw the same classes on every machine.
///
/// ```
/// use xai_repro::simulate::{AliasTable, random_stream};
/// let table = AliasTable::new(&[0.5, 0.0, 0.5])?;
/// let mut stream = random_stream(1, 0);
/// assert!((0..100).all(|_| table.sample(&mut stream) != 1));
/// # Ok::<(), xai_repro::Error>(())
/// ```
///
/// # Source
/// Walker, *An efficient method for generating discrete random variables with general distributions*, 1977. The table
/// is built as in Vose, *A linear algorithm for generating random numbers with a given distribution*, 1991.
#[derive(Debug, Clone, PartialEq)]
pub struct AliasTable {
    columns: Vec<Column>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Column {
    /// Heights below this, as a fraction of 2^64, draw the class of the column, others the alias.
    threshold: u64,
    alias: u32,
}

impl AliasTable {
    /// Builds the table of the given class probabilities.
    ///
    /// # Errors
    /// `Empty` without classes, `NonFinite` for NaN or infinite probabilities, `OutOfDomain` for negative probabilities
    /// or if they do not sum to 1 (within 1e-9).
    pub fn new(probabilities: &[f64]) -> Result<Self> {
        check(probabilities)?;
        Ok(Self::from_checked(probabilities))
    }

    /// Builds the table of valid probabilities.
    fn from_checked(probabilities: &[f64]) -> Self {
        const ONE: f64 = 18_446_744_073_709_551_616.0; // 2^64
        let c = probabilities.len();
        let certain = |class: usize| Column {
            threshold: u64::MAX,
            alias: class as u32,
        };
        let mut columns: Vec<Column> = (0..c).map(certain).collect();
        // Probabilities in units of one column. Each column below 1 is filled up with a part of a class above 1, its
        // donor, which is then the alias.
        let mut shares: Vec<f64> = probabilities.iter().map(|p| p * c as f64).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..c).rev().partition(|&class| shares[class] < 1.0);
        while let (Some(&class), Some(&donor)) = (small.last(), large.last()) {
            small.pop();
            columns[class] = Column {
                threshold: (shares[class] * ONE) as u64,
                alias: donor as u32,
            };
            shares[donor] -= 1.0 - shares[class];
            if shares[donor] < 1.0 {
                large.pop();
                small.push(donor);
            }
        }
        // The columns that are left are full up to rounding and keep their class. Classes with probability 0 can be
        // left over by rounding, too, and must still never be drawn.
        if let Some(possible) = (0..c).find(|&class| probabilities[class] > 0.0) {
            for class in small {
                if probabilities[class] == 0.0 {
                    columns[class] = Column {
                        threshold: 0,
                        alias: possible as u32,
                    };
                }
            }
        }
        Self { columns }
    }

    /// Number of classes.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.columns.len()
    }

    /// Draws a class.
    #[inline]
    #[must_use]
    pub fn sample(&self, stream: &mut RandomStream) -> u32 {
        let product = u128::from(stream.next_u64()) * self.columns.len() as u128;
        let column = (product >> 64) as usize;
        let Column { threshold, alias } = self.columns[column];
        // A full column is its own alias, so that the one height that is not below `u64::MAX` also draws its class.
        if (product as u64) < threshold {
            column as u32
        } else {
            alias
        }
    }
}

/// Checks that values are probabilities and sum to 1.
fn check(probabilities: &[f64]) -> Result<()> {
    if probabilities.is_empty() {
        return Err(Error::empty(input::CLASSES));
    }
    let is_probability = |p: f64| p >= 0.0;
    check_domain(
        input::PROBABILITIES,
        probabilities,
        is_probability,
        "a probability",
    )?;
    let total = probabilities.iter().copied().collect::<ExactSum>().value();
    if (total - 1.0).abs() > 1e-9 {
        let error = Error::out_of_domain(input::PROBABILITIES, &[], total, "1, within 1e-9");
        return Err(error.part("sum"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_columns_add_up_to_the_probabilities(raw in prop::collection::vec(0.0..1.0f64, 1..60)) {
            let total: f64 = raw.iter().sum();
            prop_assume!(total > 0.0);
            let p: Vec<f64> = raw.iter().map(|x| x / total).collect();
            let table = AliasTable::new(&p).unwrap();
            let mut mass = vec![0.0; p.len()];
            for (class, column) in table.columns.iter().enumerate() {
                let below = column.threshold as f64 / 2f64.powi(64) / p.len() as f64;
                mass[class] += below;
                mass[column.alias as usize] += 1.0 / p.len() as f64 - below;
            }
            for (mass, p) in mass.iter().zip(&p) {
                prop_assert!((mass - p).abs() < 1e-14, "{} {}", mass, p);
                prop_assert!(*p > 0.0 || *mass == 0.0);
            }
        }
    }

    #[test]
    fn draws_are_the_same_on_every_machine() {
        let law = AliasTable::new(&[0.1, 0.2, 0.3, 0.4]).unwrap();
        let mut stream = xai_core::random::random_stream(7, 3);
        let draws: Vec<u32> = (0..16).map(|_| law.sample(&mut stream)).collect();
        assert_eq!(draws, [3, 1, 1, 3, 1, 2, 3, 3, 2, 2, 0, 2, 3, 1, 1, 3]);
    }
}
