//! Counts of samples by the changes of their prediction, and intervals computed from the counts.

use std::iter::zip;

use xai_core::simd::{InstructionSet, Simd, SimdKernel};
use xai_core::statistics::{jackknife_with_counts, wilson};
use xai_core::{Interval, Result};

use crate::fidelity::characterization::Fidelity;

const CONFIDENCE: f64 = 0.95;

/// Numbers of samples whose predicted class changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ChangeKinds {
    pub(crate) n_samples: u64,
    /// Samples that change without the explanation.
    pub(crate) pos: u64,
    /// Samples that change with only the explanation.
    pub(crate) neg: u64,
    /// Samples that change in both cases.
    pub(crate) both: u64,
}

impl ChangeKinds {
    /// Counts samples by their classes. Without a truth, a sample changes if its class differs from that on the full
    /// graph; with a truth, if its class becomes right or stops being right.
    pub(crate) fn count(
        full: &[i64],
        kept: &[i64],
        complement: &[i64],
        truth: Option<&[i64]>,
    ) -> Self {
        InstructionSet::fastest().run(Count {
            full,
            kept,
            complement,
            truth,
        })
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.n_samples += other.n_samples;
        self.pos += other.pos;
        self.neg += other.neg;
        self.both += other.both;
    }

    /// Shares of the changed samples, for at least one sample.
    pub(crate) fn fidelity(&self) -> Fidelity {
        let n = self.n_samples as f64;
        Fidelity {
            pos: self.pos as f64 / n,
            neg: self.neg as f64 / n,
            n_samples: self.n_samples,
        }
    }

    pub(crate) fn pos_interval(&self) -> Result<Interval> {
        wilson(self.pos, self.n_samples, CONFIDENCE)
    }

    pub(crate) fn neg_interval(&self) -> Result<Interval> {
        wilson(self.neg, self.n_samples, CONFIDENCE)
    }

    /// Jackknife interval of the characterization over samples. `None` for fewer than two samples, and if no left-out
    /// sample changes it.
    ///
    /// Samples are of four kinds, so only four leave-one-out values have to be computed.
    pub(crate) fn characterization_interval(&self) -> Result<Option<Interval>> {
        if self.n_samples < 2 {
            return Ok(None);
        }
        let (pos_only, neg_only) = (self.pos - self.both, self.neg - self.both);
        let kinds = [
            // Subtracting `pos` and then only those of `neg` that are not in `pos` counts no sample twice.
            (false, false, self.n_samples - self.pos - neg_only),
            (true, false, pos_only),
            (false, true, neg_only),
            (true, true, self.both),
        ];
        let kinds = kinds.map(|(pos, neg, count)| match count {
            // A kind without samples has no weight, so its value does not matter.
            0 => (0.0, 0),
            _ => (self.without(pos, neg).fidelity().characterization(), count),
        });
        let estimate = self.fidelity().characterization();
        let interval = jackknife_with_counts(estimate, &kinds, CONFIDENCE)?;
        Ok((interval.low < interval.high).then_some(interval))
    }

    /// Counts without one of the samples of this kind, which must exist.
    fn without(&self, pos: bool, neg: bool) -> Self {
        Self {
            n_samples: self.n_samples - 1,
            pos: self.pos - u64::from(pos),
            neg: self.neg - u64::from(neg),
            // Not read by `fidelity`, so it may be off by one.
            both: self.both,
        }
    }
}

/// Kernel of [`ChangeKinds::count`], compiled for each instruction set: baseline x86-64 has no comparison of 64-bit
/// integers in vector registers.
struct Count<'a> {
    full: &'a [i64],
    kept: &'a [i64],
    complement: &'a [i64],
    truth: Option<&'a [i64]>,
}

impl SimdKernel for Count<'_> {
    type Output = ChangeKinds;

    #[inline(always)]
    fn run<S: Simd>(self) -> ChangeKinds {
        let classes = zip(self.full, zip(self.kept, self.complement));
        match self.truth {
            None => {
                counts(classes.map(|(full, (kept, complement))| (complement != full, kept != full)))
            }
            Some(truth) => counts(zip(truth, classes).map(|(y, (full, (kept, complement)))| {
                // A change in either direction counts, like the absolute difference in the definition.
                let is_right = full == y;
                ((complement == y) != is_right, (kept == y) != is_right)
            })),
        }
    }
}

#[inline(always)]
fn counts(changes: impl Iterator<Item = (bool, bool)>) -> ChangeKinds {
    let mut kinds = ChangeKinds::default();
    // Adds bits instead of branching, so that the loop vectorises.
    for (pos, neg) in changes {
        kinds.n_samples += 1;
        kinds.pos += u64::from(pos);
        kinds.neg += u64::from(neg);
        kinds.both += u64::from(pos & neg);
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use xai_core::statistics::jackknife;

    fn change_kinds(samples: &[(bool, bool)]) -> ChangeKinds {
        counts(samples.iter().copied())
    }

    fn characterization(samples: &[(bool, bool)]) -> f64 {
        change_kinds(samples).fidelity().characterization()
    }

    proptest! {
        #[test]
        fn the_interval_is_the_jackknife_over_samples(
            samples in prop::collection::vec((any::<bool>(), any::<bool>()), 2..40),
        ) {
            let left_out: Vec<f64> = (0..samples.len())
                .map(|i| characterization(&[&samples[..i], &samples[i + 1..]].concat()))
                .collect();
            let expected = jackknife(characterization(&samples), &left_out, CONFIDENCE).unwrap();
            match change_kinds(&samples).characterization_interval().unwrap() {
                Some(interval) => {
                    prop_assert!((interval.low - expected.low).abs() < 1e-12);
                    prop_assert!((interval.high - expected.high).abs() < 1e-12);
                }
                None => prop_assert!(expected.high - expected.low < 1e-12),
            }
        }
    }
}
