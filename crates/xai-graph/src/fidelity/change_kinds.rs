//! Samples by where their prediction changes, and the intervals that follow from their numbers.

use std::iter::zip;

use xai_core::simd::{InstructionSet, Simd, SimdKernel};
use xai_core::statistics::{jackknife_with_counts, wilson};
use xai_core::{Interval, Result};

use crate::fidelity::characterization::Fidelity;

const CONFIDENCE: f64 = 0.95;

/// Of how many samples the predicted class changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ChangeKinds {
    pub(crate) n_samples: u64,
    /// Without the explanation.
    pub(crate) pos: u64,
    /// With the explanation alone.
    pub(crate) neg: u64,
    /// Both without it and with it alone.
    pub(crate) both: u64,
}

impl ChangeKinds {
    /// Counts samples by their classes: changed is what differs from that on the full graph or, with a
    /// truth, is right where it is wrong and the other way round.
    pub(crate) fn of(
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

    /// The shares of at least one sample.
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

    /// The jackknife's interval of the characterization over samples: there are four kinds of them, so
    /// four values with one left out. `None` below two samples, and where none that is left out moves it.
    pub(crate) fn characterization_interval(&self) -> Result<Option<Interval>> {
        if self.n_samples < 2 {
            return Ok(None);
        }
        let (pos_only, neg_only) = (self.pos - self.both, self.neg - self.both);
        let kinds = [
            (false, false, self.n_samples - self.pos - neg_only),
            (true, false, pos_only),
            (false, true, neg_only),
            (true, true, self.both),
        ];
        let kinds = kinds.map(|(pos, neg, count)| match count {
            0 => (0.0, 0),
            _ => (self.without(pos, neg).fidelity().characterization(), count),
        });
        let estimate = self.fidelity().characterization();
        let interval = jackknife_with_counts(estimate, &kinds, CONFIDENCE)?;
        Ok((interval.low < interval.high).then_some(interval))
    }

    /// The counts without one of the samples that change so; there is one.
    fn without(&self, pos: bool, neg: bool) -> Self {
        Self {
            n_samples: self.n_samples - 1,
            pos: self.pos - u64::from(pos),
            neg: self.neg - u64::from(neg),
            // The fidelities do not ask for these.
            both: self.both,
        }
    }
}

/// [`ChangeKinds::of`], compiled for each instruction set: the baseline of x86-64 does not compare integers of 64 bits in registers.
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
                let is_right = full == y;
                ((complement == y) != is_right, (kept == y) != is_right)
            })),
        }
    }
}

#[inline(always)]
fn counts(changes: impl Iterator<Item = (bool, bool)>) -> ChangeKinds {
    let mut kinds = ChangeKinds::default();
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

    fn kinds_of(samples: &[(bool, bool)]) -> ChangeKinds {
        counts(samples.iter().copied())
    }

    fn characterization(samples: &[(bool, bool)]) -> f64 {
        kinds_of(samples).fidelity().characterization()
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
            match kinds_of(&samples).characterization_interval().unwrap() {
                Some(interval) => {
                    prop_assert!((interval.low - expected.low).abs() < 1e-12);
                    prop_assert!((interval.high - expected.high).abs() < 1e-12);
                }
                None => prop_assert!(expected.high - expected.low < 1e-12),
            }
        }
    }
}
