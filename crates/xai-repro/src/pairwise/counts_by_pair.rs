//! Counts of all pairs of runs, in as few bytes as they need.

/// Largest number of samples. Up to 2^48, counts are exact as `f64` (below 2^53), totals over [`MAX_RUNS`] runs fit
/// into `u64`, and products of two counts into `i128`.
pub(super) const MAX_SAMPLES: u64 = 1 << 48;

/// Largest number of runs. Their pairs take gigabytes.
pub(super) const MAX_RUNS: usize = (1 << 16) - 1;

/// One count per pair of runs, in the order of [`pairs`](crate::pairwise::pairs): 4 bytes each, and 8 once a count
/// needs more than 32 bits.
///
/// The width depends only on the counts, so that states with the same counts are equal.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CountsByPair {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl CountsByPair {
    /// Creates `n` counts of 0.
    pub(super) fn zeros(n: usize) -> Self {
        Self::Narrow(vec![0; n])
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Narrow(counts) => counts.len(),
            Self::Wide(counts) => counts.len(),
        }
    }

    /// The count of a pair; `None` beyond the last pair.
    pub(super) fn get(&self, pair: usize) -> Option<u64> {
        match self {
            Self::Narrow(counts) => counts.get(pair).copied().map(u64::from),
            Self::Wide(counts) => counts.get(pair).copied(),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.len()).filter_map(|pair| self.get(pair))
    }

    /// Adds to the count of a pair.
    pub(super) fn add(&mut self, pair: usize, more: u64) {
        let sum = self.get(pair).unwrap_or_default() + more;
        match (&mut *self, u32::try_from(sum)) {
            (Self::Narrow(counts), Ok(sum)) => counts[pair] = sum,
            (Self::Wide(counts), _) => counts[pair] = sum,
            // All counts become wide, because two widths in one vector would need a lookup per count.
            (Self::Narrow(_), Err(_)) => {
                let mut wide: Vec<u64> = self.iter().collect();
                wide[pair] = sum;
                *self = Self::Wide(wide);
            }
        }
    }

    /// Adds the counts of the same pairs.
    pub(super) fn merge(&mut self, other: &Self) {
        for (pair, more) in other.iter().enumerate() {
            self.add(pair, more);
        }
    }
}

#[cfg(feature = "serde")]
mod serialization {
    use super::CountsByPair;
    use serde::de::{SeqAccess, Visitor};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::fmt;

    /// Serialises the counts as a list of numbers, whatever their width.
    impl Serialize for CountsByPair {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self {
                Self::Narrow(counts) => {
                    serializer.collect_seq(counts.iter().map(|&count| u64::from(count)))
                }
                Self::Wide(counts) => serializer.collect_seq(counts),
            }
        }
    }

    impl<'de> Deserialize<'de> for CountsByPair {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_seq(CountsVisitor)
        }
    }

    struct CountsVisitor;

    impl<'de> Visitor<'de> for CountsVisitor {
        type Value = CountsByPair;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("one count per pair of runs")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<CountsByPair, A::Error> {
            let mut narrow = Vec::new();
            while let Some(count) = sequence.next_element::<u64>()? {
                if let Ok(count) = u32::try_from(count) {
                    narrow.push(count);
                    continue;
                }
                // The first wide count decides the width of all, as it does in `add`.
                let mut wide: Vec<u64> = narrow.into_iter().map(u64::from).collect();
                wide.push(count);
                while let Some(count) = sequence.next_element()? {
                    wide.push(count);
                }
                return Ok(CountsByPair::Wide(wide));
            }
            Ok(CountsByPair::Narrow(narrow))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_beyond_32_bits_widens_all() {
        let mut counts = CountsByPair::zeros(3);
        counts.add(0, 7);
        counts.add(2, u64::from(u32::MAX));
        assert!(matches!(counts, CountsByPair::Narrow(_)));
        let mut more = CountsByPair::zeros(3);
        more.add(1, 2);
        more.add(2, 1);
        counts.merge(&more);
        assert_eq!(counts, CountsByPair::Wide(vec![7, 2, 1 << 32]));
        more.merge(&CountsByPair::Wide(vec![7, 0, (1 << 32) - 1]));
        assert_eq!(more, counts);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn both_widths_are_stored_alike() {
        for numbers in [vec![1, 2], vec![1, 1 << 40, 3], vec![]] {
            let mut counts = CountsByPair::zeros(numbers.len());
            for (pair, &count) in numbers.iter().enumerate() {
                counts.add(pair, count);
            }
            let text = serde_json::to_string(&counts).unwrap();
            assert_eq!(text, serde_json::to_string(&numbers).unwrap());
            assert_eq!(serde_json::from_str::<CountsByPair>(&text).unwrap(), counts);
        }
    }
}
