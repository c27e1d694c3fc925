//! The state of one group, as windows and queries without `GROUP BY` call it.

use datafusion::arrow::array::ArrayRef;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::Accumulator;

use crate::aggregate::groups::{Groups, Rows};

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
