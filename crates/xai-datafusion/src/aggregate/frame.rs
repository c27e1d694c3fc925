//! The rows of a window whose start moves, for functions whose states do not give rows back.

use std::collections::VecDeque;

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::Accumulator;

use crate::aggregate::groups::Groups;
use crate::aggregate::one_group::OneGroup;

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
