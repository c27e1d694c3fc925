//! The states of all groups, as `GROUP BY` calls them.

use datafusion::arrow::array::{ArrayRef, BooleanArray};
use datafusion::common::Result;
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};

use crate::aggregate::groups::{Groups, Rows};

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
