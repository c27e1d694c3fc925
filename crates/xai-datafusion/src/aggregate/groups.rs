//! The states of a function, one per group.

use datafusion::arrow::array::{Array, ArrayRef, BooleanArray};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::common::{Result, not_impl_err};

use crate::function::present;

/// The states of a function, one per group of the query, numbered from 0. [`Grouped`], [`OneGroup`]
/// and [`Frame`] are DataFusion's views of it.
///
/// [`Grouped`]: crate::aggregate::grouped::Grouped
/// [`OneGroup`]: crate::aggregate::one_group::OneGroup
/// [`Frame`]: crate::aggregate::frame::Frame
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

    /// Whether rows can be taken out again.
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
    /// Which rows pass the filter; `None` for all.
    pub(crate) fn passing(&self) -> Option<NullBuffer> {
        let filter = self.filter?;
        let passing = match filter.nulls() {
            Some(nulls) => filter.values() & nulls.inner(),
            None => filter.values().clone(),
        };
        Some(NullBuffer::new(passing)).filter(|passing| passing.null_count() > 0)
    }

    /// Which rows have a value in all of these columns; `None` for all.
    pub(crate) fn present(&self, columns: &[usize]) -> Option<NullBuffer> {
        let nulls = columns.iter().fold(None, |whole, &at| {
            NullBuffer::union(whole.as_ref(), present(&self.arguments[at]).as_ref())
        });
        nulls.filter(|nulls| nulls.null_count() > 0)
    }

    /// Which rows are counted: they pass the filter and have a value in all of these columns.
    pub(crate) fn counted(&self, columns: &[usize]) -> Option<NullBuffer> {
        NullBuffer::union(self.passing().as_ref(), self.present(columns).as_ref())
    }

    /// Calls with every row that is counted, and its group.
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

    /// Calls with the group of every row that passes the filter and has no value in one of these
    /// columns.
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
    match n == states.len() {
        true => std::mem::take(states),
        false => states.drain(..n).collect(),
    }
}
