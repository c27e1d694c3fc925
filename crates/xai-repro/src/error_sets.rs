//! Which samples the runs get wrong.

use crate::bits::BitSet;
use crate::contingency::ErrorTable;

/// The error set of every run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorSets {
    n_samples: usize,
    sets: Vec<BitSet>,
    sizes: Vec<u64>,
}

impl ErrorSets {
    pub(crate) fn new(n_samples: usize, sets: Vec<BitSet>) -> Self {
        let sizes = sets.iter().map(BitSet::len).collect();
        Self {
            n_samples,
            sets,
            sizes,
        }
    }

    /// The number of runs.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.sets.len()
    }

    /// How two runs' errors fall together.
    pub(crate) fn table(&self, first: usize, second: usize) -> ErrorTable {
        ErrorTable {
            both: self.sets[first].intersection_len(&self.sets[second]),
            first: self.sizes[first],
            second: self.sizes[second],
            n_samples: self.n_samples as u64,
        }
    }

    /// Each run's accuracy, in [0, 1].
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // counts below 2^53
    pub fn accuracy(&self) -> Vec<f64> {
        let n = self.n_samples as u64;
        self.sizes
            .iter()
            .map(|&wrong| (n - wrong) as f64 / n as f64)
            .collect()
    }

    /// The samples that every run gets wrong, ascending.
    #[must_use]
    pub fn always_wrong(&self) -> Vec<usize> {
        self.joined(&|all, set| all.intersect(set)).members()
    }

    /// The samples that at least one run gets wrong, ascending.
    #[must_use]
    pub fn ever_wrong(&self) -> Vec<usize> {
        self.joined(&|any, set| any.unite(set)).members()
    }

    fn joined(&self, join: &dyn Fn(&mut BitSet, &BitSet)) -> BitSet {
        let mut joined = self.sets.first().cloned().unwrap_or_default();
        for set in self.sets.iter().skip(1) {
            join(&mut joined, set);
        }
        joined
    }

    /// For each run, the error consistency of all the *other* runs at once: the size of the
    /// intersection of their error sets over that of the union. `None` where they make no error.
    ///
    /// A run whose absence raises it is the one that errs differently.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // counts below 2^53
    pub fn leave_one_out_consistency(&self) -> Vec<Option<f64>> {
        let intersections = self.all_but_one(&|a, b| a.intersect(b));
        let unions = self.all_but_one(&|a, b| a.unite(b));
        let ratio = |(i, u): (u64, u64)| (u > 0).then(|| i as f64 / u as f64);
        intersections.into_iter().zip(unions).map(ratio).collect()
    }

    /// The size of what joins all sets but one, for each: from what joins those before and those
    /// after it, so that `k` runs cost `3 k` joins, not `k²`.
    fn all_but_one(&self, join: &dyn Fn(&mut BitSet, &BitSet)) -> Vec<u64> {
        let k = self.sets.len();
        let mut after: Vec<Option<BitSet>> = vec![None; k];
        for i in (0..k.saturating_sub(1)).rev() {
            let mut joined = self.sets[i + 1].clone();
            if let Some(later) = &after[i + 1] {
                join(&mut joined, later);
            }
            after[i] = Some(joined);
        }
        let mut before: Option<BitSet> = None;
        let mut sizes = Vec::with_capacity(k);
        for i in 0..k {
            let size = match (&before, &after[i]) {
                (Some(before), Some(after)) => {
                    let mut joined = before.clone();
                    join(&mut joined, after);
                    joined.len()
                }
                (Some(others), None) | (None, Some(others)) => others.len(),
                (None, None) => 0,
            };
            sizes.push(size);
            match &mut before {
                Some(before) => join(before, &self.sets[i]),
                None => before = Some(self.sets[i].clone()),
            }
        }
        sizes
    }
}
