//! States that are stored as bytes, for metrics whose state of a group is more than a few numbers.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, LargeBinaryBuilder};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::aggregate::compact_means::{read, stored};
use crate::aggregate::groups::{Groups, Rows, take_first};

/// A metric with one state per group.
pub(crate) trait Metric: Clone + Send + Sync + 'static {
    type State: Send + Sync + Serialize + DeserializeOwned;

    /// A state of no rows.
    fn empty(&self) -> Self::State;

    /// Folds rows into the states of their groups.
    fn update(&mut self, states: &mut [Self::State], rows: &Rows<'_>) -> Result<()>;

    /// Brings a state into the form that is stored and read.
    fn settle(&self, _state: &mut Self::State) -> Result<()> {
        Ok(())
    }

    /// Adds a settled state to another.
    fn merge(&self, state: &mut Self::State, other: Self::State) -> Result<()>;

    /// The values of settled states.
    fn values(&self, states: &[Self::State]) -> Result<ArrayRef>;

    /// The memory of a state beyond its own size, in bytes.
    fn allocated(&self, state: &Self::State) -> usize;
}

pub(crate) fn bytes_state() -> Vec<(&'static str, DataType)> {
    vec![("state", DataType::LargeBinary)]
}

pub(crate) struct StoredStates<M: Metric> {
    metric: M,
    states: Vec<M::State>,
    /// Bytes that the states had allocated at the last count.
    allocated: usize,
    rows_since_counted: usize,
}

impl<M: Metric> StoredStates<M> {
    pub(crate) fn new(metric: M) -> Self {
        Self {
            metric,
            states: Vec::new(),
            allocated: 0,
            rows_since_counted: 0,
        }
    }

    fn settled(&mut self, n: usize) -> Result<&[M::State]> {
        for state in &mut self.states[..n] {
            self.metric.settle(state)?;
        }
        Ok(&self.states[..n])
    }

    /// Counts the memory anew once there were as many rows as groups.
    fn count_allocated(&mut self, n_rows: usize) {
        self.rows_since_counted += n_rows;
        if self.rows_since_counted >= self.states.len() {
            self.rows_since_counted = 0;
            let each = self.states.iter().map(|state| self.metric.allocated(state));
            self.allocated = each.sum();
        }
    }
}

impl<M: Metric> Groups for StoredStates<M> {
    fn update(&mut self, rows: &Rows<'_>) -> Result<()> {
        self.metric.update(&mut self.states, rows)?;
        self.count_allocated(rows.groups.len());
        Ok(())
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let stored = states[0].as_binary::<i64>();
        for (row, &group) in groups.iter().enumerate() {
            let other = read(stored.value(row))?;
            let state = &mut self.states[group];
            self.metric.settle(state)?;
            self.metric.merge(state, other)?;
        }
        self.count_allocated(groups.len());
        Ok(())
    }

    fn grow(&mut self, n_groups: usize) {
        if n_groups > self.states.len() {
            self.states.resize_with(n_groups, || self.metric.empty());
        }
    }

    fn n_groups(&self) -> usize {
        self.states.len()
    }

    fn evaluate(&mut self, n: usize) -> Result<ArrayRef> {
        self.settled(n)?;
        self.metric.values(&self.states[..n])
    }

    fn state(&mut self, n: usize) -> Result<Vec<ArrayRef>> {
        let mut column = LargeBinaryBuilder::new();
        for state in self.settled(n)? {
            column.append_value(stored(state)?);
        }
        Ok(vec![Arc::new(column.finish())])
    }

    fn remove_first(&mut self, n: usize) {
        take_first(&mut self.states, n);
        self.count_allocated(self.states.len());
    }

    fn size(&self) -> usize {
        self.states.capacity() * size_of::<M::State>() + self.allocated
    }

    fn fresh(&self) -> Box<dyn Groups> {
        Box::new(Self::new(self.metric.clone()))
    }
}
