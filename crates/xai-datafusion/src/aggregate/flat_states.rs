//! States that are a few counts.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, UInt64Array};
use datafusion::arrow::datatypes::UInt64Type;
use datafusion::common::Result;

use crate::aggregate::groups::{Groups, Rows, take_first};

/// A metric whose state is `N` counts.
pub(crate) trait FlatMetric<const N: usize>: Clone + Send + Sync + 'static {
    /// Calls `add` for every row that is counted, with its group and what it adds to the counts of the group.
    fn each(&mut self, rows: &Rows<'_>, add: impl FnMut(usize, [u64; N])) -> Result<()>;

    /// The values of groups.
    fn values(&self, counts: &[[u64; N]]) -> ArrayRef;
}

/// The columns of a state of these counts.
macro_rules! counts_state {
    ($($name:literal),+) => {
        || vec![$(($name, datafusion::arrow::datatypes::DataType::UInt64)),+]
    };
}
pub(crate) use counts_state;

pub(crate) struct FlatStates<M, const N: usize> {
    metric: M,
    counts: Vec<[u64; N]>,
}

impl<M: FlatMetric<N>, const N: usize> FlatStates<M, N> {
    pub(crate) fn new(metric: M) -> Self {
        let counts = Vec::new();
        Self { metric, counts }
    }
}

impl<M: FlatMetric<N>, const N: usize> Groups for FlatStates<M, N> {
    fn update(&mut self, rows: &Rows<'_>) -> Result<()> {
        let Self { metric, counts } = self;
        metric.each(rows, |group, added| {
            for (count, added) in counts[group].iter_mut().zip(added) {
                *count += added;
            }
        })
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        for (at, column) in states.iter().enumerate() {
            let column = column.as_primitive::<UInt64Type>().values();
            for (&group, added) in groups.iter().zip(column) {
                self.counts[group][at] += added;
            }
        }
        Ok(())
    }

    fn grow(&mut self, n_groups: usize) {
        if n_groups > self.counts.len() {
            self.counts.resize(n_groups, [0; N]);
        }
    }

    fn n_groups(&self) -> usize {
        self.counts.len()
    }

    fn evaluate(&mut self, n: usize) -> Result<ArrayRef> {
        Ok(self.metric.values(&self.counts[..n]))
    }

    fn state(&mut self, n: usize) -> Result<Vec<ArrayRef>> {
        let column = |at: usize| {
            let counts = self.counts[..n].iter().map(|counts| counts[at]);
            Arc::new(UInt64Array::from_iter_values(counts)) as ArrayRef
        };
        Ok((0..N).map(column).collect())
    }

    fn remove_first(&mut self, n: usize) {
        take_first(&mut self.counts, n);
    }

    fn size(&self) -> usize {
        self.counts.capacity() * size_of::<[u64; N]>()
    }

    fn fresh(&self) -> Box<dyn Groups> {
        Box::new(Self::new(self.metric.clone()))
    }

    fn can_retract(&self) -> bool {
        true
    }

    fn retract(&mut self, rows: &Rows<'_>) -> Result<()> {
        let Self { metric, counts } = self;
        metric.each(rows, |group, added| {
            for (count, added) in counts[group].iter_mut().zip(added) {
                *count -= added;
            }
        })
    }
}
