//! The states of a function, one per group, and DataFusion's views of them.

use std::collections::VecDeque;

use datafusion::arrow::array::{Array, ArrayRef, BooleanArray};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::common::{DataFusionError, Result, ScalarValue, not_impl_err};
use datafusion::logical_expr::{Accumulator, EmitTo, GroupsAccumulator};

use crate::function::present;

/// The states of a function, one per group of the query, numbered from 0. [`Grouped`], [`OneGroup`]
/// and [`Frame`] are DataFusion's views of it.
///
/// [`Grouped`]: crate::aggregate::groups::Grouped
/// [`OneGroup`]: crate::aggregate::groups::OneGroup
/// [`Frame`]: crate::aggregate::groups::Frame
pub(crate) trait Groups: Send + Sync + 'static {
    /// Folds rows in, of groups that exist.
    fn update(&mut self, rows: &Rows<'_>) -> Result<()>;

    /// Adds states: columns as [`state`](Self::state) returns them.
    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()>;

    /// Adds groups without rows, up to this number.
    fn grow(&mut self, n_groups: usize);

    /// The number of groups.
    fn n_groups(&self) -> usize;

    /// The values of the first `n` groups; the states stay as they are.
    fn evaluate(&mut self, n: usize) -> Result<ArrayRef>;

    /// The first `n` states as columns.
    fn state(&mut self, n: usize) -> Result<Vec<ArrayRef>>;

    /// Forgets the first `n` groups; the others move down.
    fn remove_first(&mut self, n: usize);

    /// The memory of all states, in bytes. Called after every batch.
    fn size(&self) -> usize;

    /// States of the same call without groups.
    fn fresh(&self) -> Box<dyn Groups>;

    /// Returns whether rows can be removed again, for window frames that move on.
    fn can_retract(&self) -> bool {
        false
    }

    /// Takes rows out again that were folded in.
    fn retract(&mut self, _rows: &Rows<'_>) -> Result<()> {
        not_impl_err!("the rows of this function cannot be taken out of a window again")
    }
}

/// Rows with their groups.
pub(crate) struct Rows<'a> {
    pub(crate) arguments: &'a [ArrayRef],
    /// The group of each row.
    pub(crate) groups: &'a [usize],
    /// The rows of `FILTER`: those where it is true.
    pub(crate) filter: Option<&'a BooleanArray>,
}

impl Rows<'_> {
    /// Returns the rows that pass the filter; `None` for all.
    pub(crate) fn passing(&self) -> Option<NullBuffer> {
        let filter = self.filter?;
        let passing = match filter.nulls() {
            Some(nulls) => filter.values() & nulls.inner(),
            None => filter.values().clone(),
        };
        Some(NullBuffer::new(passing)).filter(|passing| passing.null_count() > 0)
    }

    /// Returns the rows with a value in all of these columns; `None` for all.
    pub(crate) fn present(&self, columns: &[usize]) -> Option<NullBuffer> {
        let nulls = columns.iter().fold(None, |whole, &at| {
            NullBuffer::union(whole.as_ref(), present(&self.arguments[at]).as_ref())
        });
        nulls.filter(|nulls| nulls.null_count() > 0)
    }

    /// Returns the rows that count: those that pass the filter and have a value in all of these columns; `None` for
    /// all.
    pub(crate) fn counted(&self, columns: &[usize]) -> Option<NullBuffer> {
        NullBuffer::union(self.passing().as_ref(), self.present(columns).as_ref())
    }

    /// Calls `each` for every row that is counted, with the row and its group.
    pub(crate) fn for_each(
        &self,
        counted: Option<&NullBuffer>,
        mut each: impl FnMut(usize, usize),
    ) {
        match counted {
            None => {
                for (row, &group) in self.groups.iter().enumerate() {
                    each(row, group);
                }
            }
            Some(counted) => {
                for row in counted.valid_indices() {
                    each(row, self.groups[row]);
                }
            }
        }
    }

    /// Calls `each` for every row that passes the filter and has no value in one of these columns, with its group.
    pub(crate) fn for_each_null(&self, columns: &[usize], mut each: impl FnMut(usize)) {
        let Some(present) = self.present(columns) else {
            return;
        };
        let passing = self.passing();
        for (row, &group) in self.groups.iter().enumerate() {
            if present.is_null(row) && passing.as_ref().is_none_or(|passing| passing.is_valid(row))
            {
                each(group);
            }
        }
    }
}

/// Takes the first `n` states out. Where that is all of them their memory is given back: a query that runs
/// out of memory writes all states to disk, and then asks for the size again.
pub(crate) fn take_first<S>(states: &mut Vec<S>, n: usize) -> Vec<S> {
    if n == states.len() {
        std::mem::take(states)
    } else {
        states.drain(..n).collect()
    }
}

pub(crate) struct Grouped(pub(crate) Box<dyn Groups>);

impl Grouped {
    fn n_emitted(&self, emit_to: EmitTo) -> usize {
        match emit_to {
            EmitTo::All => self.0.n_groups(),
            EmitTo::First(n) => n,
        }
    }
}

impl GroupsAccumulator for Grouped {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.0.grow(total_num_groups);
        self.0.update(&Rows {
            arguments: values,
            groups: group_indices,
            filter: opt_filter,
        })
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let n = self.n_emitted(emit_to);
        let values = self.0.evaluate(n)?;
        self.0.remove_first(n);
        Ok(values)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let n = self.n_emitted(emit_to);
        let states = self.0.state(n)?;
        self.0.remove_first(n);
        Ok(states)
    }

    fn merge_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        total_num_groups: usize,
    ) -> Result<()> {
        self.0.grow(total_num_groups);
        self.0.merge(values, group_indices)
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        opt_filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let n = values.first().map_or(0, |values| values.len());
        let groups: Vec<usize> = (0..n).collect();
        let mut each_row = self.0.fresh();
        each_row.grow(n);
        each_row.update(&Rows {
            arguments: values,
            groups: &groups,
            filter: opt_filter,
        })?;
        each_row.state(n)
    }

    fn size(&self) -> usize {
        self.0.size()
    }
}

pub(crate) struct OneGroup {
    states: Box<dyn Groups>,
    /// The group of every row of a batch: 0.
    zeros: Vec<usize>,
}

impl OneGroup {
    pub(crate) fn new(mut states: Box<dyn Groups>) -> Self {
        // The group exists before it has rows.
        states.grow(1);
        let zeros = Vec::new();
        Self { states, zeros }
    }

    fn zeros(&mut self, n: usize) -> Vec<usize> {
        let mut zeros = std::mem::take(&mut self.zeros);
        zeros.resize(n, 0);
        zeros
    }

    fn with_rows(
        &mut self,
        arguments: &[ArrayRef],
        fold: impl FnOnce(&mut dyn Groups, &Rows<'_>) -> Result<()>,
    ) -> Result<()> {
        let zeros = self.zeros(arguments.first().map_or(0, |values| values.len()));
        let rows = Rows {
            arguments,
            groups: &zeros,
            filter: None,
        };
        let folded = fold(&mut *self.states, &rows);
        self.zeros = zeros;
        folded
    }
}

impl std::fmt::Debug for OneGroup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OneGroup").finish_non_exhaustive()
    }
}

impl Accumulator for OneGroup {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.with_rows(values, |states, rows| states.update(rows))
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        ScalarValue::try_from_array(&self.states.evaluate(1)?, 0)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.states.size() + self.zeros.capacity() * size_of::<usize>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let columns = self.states.state(1)?;
        let scalars = columns
            .iter()
            .map(|column| ScalarValue::try_from_array(column, 0));
        scalars.collect()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let zeros = self.zeros(states.first().map_or(0, |states| states.len()));
        let merged = self.states.merge(states, &zeros);
        self.zeros = zeros;
        merged
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.with_rows(values, |states, rows| states.retract(rows))
    }

    fn supports_retract_batch(&self) -> bool {
        self.states.can_retract()
    }
}

/// Holds the rows of the frame, and folds all of them anew for every value.
pub(crate) struct Frame {
    /// States of the call without rows.
    empty: Box<dyn Groups>,
    /// The arguments, oldest first.
    batches: VecDeque<Vec<ArrayRef>>,
}

impl Frame {
    pub(crate) fn new(empty: Box<dyn Groups>) -> Self {
        let batches = VecDeque::new();
        Self { empty, batches }
    }
}

fn n_rows(arguments: &[ArrayRef]) -> usize {
    arguments.first().map_or(0, |values| values.len())
}

/// A window is computed in one stage.
fn in_stages<T>() -> Result<T> {
    let what = "the frame of a window is not computed in stages";
    Err(DataFusionError::Internal(what.to_owned()))
}

impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frame").finish_non_exhaustive()
    }
}

impl Accumulator for Frame {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.batches.push_back(values.to_vec());
        Ok(())
    }

    /// Rows leave in the order in which they came.
    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let mut leaving = n_rows(values);
        while leaving > 0 {
            let Some(oldest) = self.batches.front_mut() else {
                let what = "more rows leave the frame of a window than came";
                return Err(DataFusionError::Internal(what.to_owned()));
            };
            let n = n_rows(oldest);
            if n <= leaving {
                leaving -= n;
                self.batches.pop_front();
                continue;
            }
            for column in oldest {
                *column = column.slice(leaving, n - leaving);
            }
            leaving = 0;
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let mut whole = OneGroup::new(self.empty.fresh());
        for arguments in &self.batches {
            whole.update_batch(arguments)?;
        }
        whole.evaluate()
    }

    fn size(&self) -> usize {
        let columns = self.batches.iter().flatten();
        let bytes = columns.map(|column| column.get_array_memory_size());
        size_of_val(self) + bytes.sum::<usize>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        in_stages()
    }

    fn merge_batch(&mut self, _states: &[ArrayRef]) -> Result<()> {
        in_stages()
    }
}
