//! Sets of samples as bits.
//!
//! Counting what two sets share is a population count over an AND. The baseline of x86-64 has no
//! instruction for it; where the processor has one it is chosen at run time.
#![allow(unsafe_code)]

/// A set of samples, one bit each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// The samples for which `member` is true.
    pub(crate) fn from_fn(n: usize, member: impl Fn(usize) -> bool) -> Self {
        let words = (0..n.div_ceil(64))
            .map(|word| {
                let samples = 64 * word..(64 * word + 64).min(n);
                samples.enumerate().fold(0, |bits, (bit, sample)| {
                    bits | u64::from(member(sample)) << bit
                })
            })
            .collect();
        Self { words }
    }

    /// The number of members.
    pub(crate) fn len(&self) -> u64 {
        self.words
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }

    /// How many members two sets of the same samples share.
    pub(crate) fn intersection_len(&self, other: &Self) -> u64 {
        and_count(&self.words, &other.words)
    }

    /// What is in both.
    pub(crate) fn intersect(&mut self, other: &Self) {
        for (word, theirs) in self.words.iter_mut().zip(&other.words) {
            *word &= theirs;
        }
    }

    /// What is in either.
    pub(crate) fn unite(&mut self, other: &Self) {
        for (word, theirs) in self.words.iter_mut().zip(&other.words) {
            *word |= theirs;
        }
    }

    /// The members, ascending.
    pub(crate) fn members(&self) -> Vec<usize> {
        let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 == 1);
        self.words
            .iter()
            .enumerate()
            .flat_map(|(i, &word)| bits(word).map(move |bit| 64 * i + bit))
            .collect()
    }
}

#[inline(always)]
fn and_count_body(a: &[u64], b: &[u64]) -> u64 {
    a.iter()
        .zip(b)
        .map(|(x, y)| u64::from((x & y).count_ones()))
        .sum()
}

/// How many positions hold the same label.
#[inline(always)]
fn equal_count_body<T: Copy + PartialEq>(a: &[T], b: &[T]) -> u64 {
    // Byte counters in 64 lanes vectorise; 255 rounds fill a byte.
    let mut total = 0;
    for (a, b) in a.chunks(64 * 255).zip(b.chunks(64 * 255)) {
        let (a_blocks, a_rest) = a.as_chunks::<64>();
        let (b_blocks, b_rest) = b.as_chunks::<64>();
        let mut lanes = [0u8; 64];
        for (x, y) in a_blocks.iter().zip(b_blocks) {
            for lane in 0..64 {
                lanes[lane] += u8::from(x[lane] == y[lane]);
            }
        }
        total += lanes.iter().map(|&lane| u64::from(lane)).sum::<u64>();
        total += a_rest
            .iter()
            .zip(b_rest)
            .map(|(x, y)| u64::from(x == y))
            .sum::<u64>();
    }
    total
}

/// Compiles a body for each level of the processor and picks one at run time.
macro_rules! dispatched {
    ($name:ident, $body:ident, $wide:ident, $narrow:ident, [$($generic:tt)*], $t:ty) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vpopcntdq,popcnt")]
        fn $wide $($generic)* (a: &[$t], b: &[$t]) -> u64 {
            $body(a, b)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,popcnt")]
        fn $narrow $($generic)* (a: &[$t], b: &[$t]) -> u64 {
            $body(a, b)
        }

        pub(crate) fn $name $($generic)* (a: &[$t], b: &[$t]) -> u64 {
            #[cfg(target_arch = "x86_64")]
            {
                if is_x86_feature_detected!("avx512vpopcntdq")
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("popcnt")
                {
                    // SAFETY: the processor has every feature the function is compiled for.
                    return unsafe { $wide(a, b) };
                }
                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
                    // SAFETY: the processor has both features the function is compiled for.
                    return unsafe { $narrow(a, b) };
                }
            }
            $body(a, b)
        }
    };
}

dispatched!(
    and_count,
    and_count_body,
    and_count_avx512,
    and_count_avx2,
    [],
    u64
);
dispatched!(equal_count, equal_count_body, equal_count_avx512, equal_count_avx2, [<T: Copy + PartialEq>], T);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_path_counts_the_same(pairs in prop::collection::vec(any::<(u64, u64)>(), 0..300)) {
            let (a, b): (Vec<u64>, Vec<u64>) = pairs.into_iter().unzip();
            let expected: u64 = a.iter().zip(&b).map(|(x, y)| u64::from((x & y).count_ones())).sum();
            prop_assert_eq!(and_count_body(&a, &b), expected);
            prop_assert_eq!(and_count(&a, &b), expected);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
                // SAFETY: both features were just detected.
                prop_assert_eq!(unsafe { and_count_avx2(&a, &b) }, expected);
            }
        }

        #[test]
        fn equal_labels_are_counted(pairs in prop::collection::vec((0..3u8, 0..3u8), 0..40_000)) {
            let (a, b): (Vec<u8>, Vec<u8>) = pairs.iter().copied().unzip();
            let expected = pairs.iter().filter(|(x, y)| x == y).count() as u64;
            prop_assert_eq!(equal_count(&a, &b), expected);
            prop_assert_eq!(equal_count_body(&a, &b), expected);
        }

        #[test]
        fn sets_are_sets(members in prop::collection::vec(any::<(bool, bool)>(), 0..300)) {
            let n = members.len();
            let a = BitSet::from_fn(n, |i| members[i].0);
            let b = BitSet::from_fn(n, |i| members[i].1);
            let both: Vec<usize> = (0..n).filter(|&i| members[i].0 && members[i].1).collect();
            prop_assert_eq!(a.intersection_len(&b), both.len() as u64);
            let mut intersection = a.clone();
            intersection.intersect(&b);
            prop_assert_eq!(intersection.members(), both);
            let mut union = a.clone();
            union.unite(&b);
            prop_assert_eq!(union.len(), a.len() + b.len() - a.intersection_len(&b));
        }
    }
}
