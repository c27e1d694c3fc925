//! Dense codes `0..c` for class labels, which may be any integers.

use std::collections::HashMap;

use xai_core::simd::{InstructionSet, Simd, SimdKernel};
use xai_core::{Error, Label, Result};

use crate::input;

/// Codes are looked up in a table if the largest label minus the smallest is below this, otherwise in a hash map. A
/// table of 2¹⁶ codes takes 256 KiB.
const MAX_TABLE_SPAN: u64 = 1 << 16;

/// The class labels that occur. The code of a label is its position in the order of insertion.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Classes {
    labels: Vec<i64>,
    lookup: Lookup,
}

#[derive(Debug, Clone, PartialEq)]
enum Lookup {
    /// `codes[i]` is the code of label `low + i`, or [`NO_CODE`].
    Table {
        low: i64,
        codes: Vec<u32>,
    },
    Map(HashMap<i64, u32>),
}

impl Default for Lookup {
    fn default() -> Self {
        Self::Table {
            low: 0,
            codes: Vec::new(),
        }
    }
}

/// Number of samples at the start of a run in which usually all its classes occur.
pub(super) const PREFIX_SAMPLES: usize = 4096;

/// Table entry of a label that does not occur.
const NO_CODE: u32 = u32::MAX;

impl Classes {
    pub(crate) fn len(&self) -> usize {
        self.labels.len()
    }

    pub(crate) fn labels(&self) -> &[i64] {
        &self.labels
    }

    /// Adds labels. New labels get the next codes in the given order; existing codes stay.
    pub(crate) fn extend(&mut self, labels: impl IntoIterator<Item = i64>) {
        let known = self.labels.len();
        for label in labels {
            if self.code(label).is_none() {
                self.labels.push(label);
            }
        }
        if self.labels.len() > known {
            self.lookup = Lookup::new(&self.labels);
        }
    }

    /// The smallest label and the table of codes from there on; `None` if codes are in a hash map.
    pub(crate) fn table(&self) -> Option<(i64, &[u32])> {
        match &self.lookup {
            Lookup::Table { low, codes } => Some((*low, codes)),
            Lookup::Map(_) => None,
        }
    }

    /// The smallest label `low`, if the labels are consecutive and the code of each is `label − low`.
    pub(crate) fn first_of_consecutive(&self) -> Option<i64> {
        let (low, codes) = self.table()?;
        let consecutive = 0..self.labels.len() as u32;
        codes.iter().copied().eq(consecutive).then_some(low)
    }

    /// True if every integer in `low..=high` is a known label. For codes in a hash map the answer is always false,
    /// which costs a scan of the run but is never wrong.
    pub(crate) fn covers(&self, (low, high): (i64, i64)) -> bool {
        let Some((start, codes)) = self.table() else {
            return false;
        };
        let index = |label: i64| usize::try_from(label.checked_sub(start)?).ok();
        match (index(low), index(high)) {
            (Some(low), Some(high)) => codes
                .get(low..=high)
                .is_some_and(|codes| codes.iter().all(|&code| code != NO_CODE)),
            _ => false,
        }
    }

    /// The code of a label; `None` for an unknown label.
    #[inline]
    pub(crate) fn code(&self, label: i64) -> Option<u32> {
        match &self.lookup {
            Lookup::Table { low, codes } => {
                // For a label below `low` the difference wraps around to an index beyond the end.
                let at = usize::try_from(label.wrapping_sub(*low).cast_unsigned()).ok()?;
                codes.get(at).copied().filter(|&code| code != NO_CODE)
            }
            Lookup::Map(codes) => codes.get(&label).copied(),
        }
    }
}

impl Lookup {
    /// Builds the lookup of fewer than 2^32 − 1 labels ([`NO_CODE`] is not a code).
    fn new(labels: &[i64]) -> Self {
        let low = labels.iter().copied().min().unwrap_or_default();
        let high = labels.iter().copied().max().unwrap_or_default();
        let coded = || labels.iter().copied().zip(0u32..);
        if high.abs_diff(low) >= MAX_TABLE_SPAN {
            return Self::Map(coded().collect());
        }
        let mut codes = vec![NO_CODE; high.abs_diff(low) as usize + 1];
        for (label, code) in coded() {
            codes[label.abs_diff(low) as usize] = code;
        }
        Self::Table { low, codes }
    }
}

/// The smallest and the largest label of a run; `None` without labels. `run` is the row named in an error.
///
/// # Errors
/// `InvalidParameter` for a label above `i64::MAX`.
pub(crate) fn extremes<L: Label>(run: usize, labels: &[L]) -> Result<Option<(i64, i64)>> {
    let Some((low, high)) = InstructionSet::fastest().run(Extremes(labels)) else {
        return Ok(None);
    };
    match (low.to_i64(), high.to_i64()) {
        (Some(low), Some(high)) => Ok(Some((low, high))),
        _ => {
            let above = |label: &L| label.to_i64().is_none();
            let sample = labels.iter().position(above).unwrap_or_default();
            let expected = "a label of at most 2^63 - 1";
            let error = Error::parameter(
                input::PREDICTIONS,
                format!("{:?}", labels[sample]),
                expected,
            );
            Err(error.at(&[run, sample]))
        }
    }
}

/// Kernel of the smallest and the largest label.
///
/// Labels are compared in their own type, because a register holds more values of a narrower type. It is compiled per
/// instruction set because the x86-64 baseline has no vector comparison of 64-bit integers.
struct Extremes<'a, L>(&'a [L]);

impl<L: Label> SimdKernel for Extremes<'_, L> {
    type Output = Option<(L, L)>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<(L, L)> {
        let (&first, rest) = self.0.split_first()?;
        let (mut low, mut high) = (first, first);
        for &label in rest {
            low = low.min(label);
            high = high.max(label);
        }
        Some((low, high))
    }
}

/// The distinct labels of a run in ascending order. `low` and `high` are its smallest and largest label.
pub(crate) fn distinct<L: Label>(labels: &[L], (low, high): (i64, i64)) -> Vec<i64> {
    if high.abs_diff(low) < MAX_TABLE_SPAN {
        let index = |label: i64| label.abs_diff(low) as usize;
        let mut present = vec![false; index(high) + 1];
        // Most runs predict each class early, so the scan can stop once all labels of the range have occurred. That is
        // tested once per chunk, and only if the test costs no more than the chunk itself.
        for labels in labels.chunks(PREFIX_SAMPLES) {
            for label in labels.iter().filter_map(|label| label.to_i64()) {
                present[index(label)] = true;
            }
            if present.len() <= PREFIX_SAMPLES && !present.contains(&false) {
                break;
            }
        }
        return (low..=high)
            .zip(present)
            .filter(|(_, present)| *present)
            .map(|(label, _)| label)
            .collect();
    }
    let mut sorted: Vec<i64> = labels.iter().filter_map(|label| label.to_i64()).collect();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use xai_core::ErrorKind;

    #[test]
    fn a_label_that_does_not_fit_is_named_with_its_place() {
        assert_eq!(extremes(0, &[3u8, 1, 2]).unwrap(), Some((1, 3)));
        assert_eq!(extremes::<u8>(0, &[]).unwrap(), None);
        let error = extremes(2, &[1, u64::MAX]).unwrap_err();
        assert_eq!(
            (error.input(), error.index()),
            (input::PREDICTIONS, &[2, 1][..])
        );
        assert!(matches!(
            error.kind(),
            ErrorKind::InvalidParameter { value, .. } if value == "18446744073709551615"
        ));
    }

    #[test]
    fn codes_stay_when_labels_are_added() {
        let mut classes = Classes::default();
        classes.extend(distinct(&[7, -2, 7], (-2, 7)));
        assert_eq!(classes.labels(), [-2, 7]);
        classes.extend(distinct(&[i64::MIN, 7, i64::MAX], (i64::MIN, i64::MAX)));
        assert_eq!(classes.labels(), [-2, 7, i64::MIN, i64::MAX]);
        let codes = [-2, 7, i64::MIN, i64::MAX, 8].map(|label| classes.code(label));
        assert_eq!(codes, [Some(0), Some(1), Some(2), Some(3), None]);
        let mut near = Classes::default();
        near.extend([5, 3]);
        assert_eq!(
            [3, 4, 5, 6, 2].map(|l| near.code(l)),
            [Some(1), None, Some(0), None, None]
        );
    }
}
