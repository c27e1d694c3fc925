//! How many rows the other functions skip.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, UInt64Array};
use datafusion::arrow::datatypes::{DataType, UInt64Type};
use datafusion::common::Result;

use crate::aggregate::{Definition, Groups, Rows, counts_state, take_first};
use crate::function::{Argument, Call, Kind};

const MANY: usize = 8;

pub(crate) const N_NULL: Definition = Definition {
    name: "n_null",
    description: "The number of rows in which one of the columns is NULL: what the functions of these columns skip.",
    example: "SELECT average_drop(base, masked), n_null(base, masked) FROM scores",
    arguments: &{
        let mut arguments = [Argument::optional("column", Kind::Any); MANY];
        arguments[0] = Argument::new("column", Kind::Any);
        arguments
    },
    result: || DataType::UInt64,
    state: counts_state!["n_null"],
    groups: |_: &Call| Ok(Box::new(NullGroups { counts: Vec::new() })),
};

struct NullGroups {
    counts: Vec<u64>,
}

impl NullGroups {
    fn column(&self, n: usize) -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(
            self.counts[..n].iter().copied(),
        ))
    }
}

impl Groups for NullGroups {
    fn update(&mut self, rows: &Rows<'_>) -> Result<()> {
        let columns: Vec<usize> = (0..rows.arguments.len()).collect();
        rows.for_each_null(&columns, |group| self.counts[group] += 1);
        Ok(())
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let counts = states[0].as_primitive::<UInt64Type>().values();
        for (row, &group) in groups.iter().enumerate() {
            self.counts[group] += counts[row];
        }
        Ok(())
    }

    fn grow(&mut self, n_groups: usize) {
        if n_groups > self.counts.len() {
            self.counts.resize(n_groups, 0);
        }
    }

    fn n_groups(&self) -> usize {
        self.counts.len()
    }

    fn evaluate(&mut self, n: usize) -> Result<ArrayRef> {
        Ok(self.column(n))
    }

    fn state(&mut self, n: usize) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.column(n)])
    }

    fn remove_first(&mut self, n: usize) {
        take_first(&mut self.counts, n);
    }

    fn size(&self) -> usize {
        self.counts.capacity() * size_of::<u64>()
    }

    fn fresh(&self) -> Box<dyn Groups> {
        Box::new(Self { counts: Vec::new() })
    }

    fn can_retract(&self) -> bool {
        true
    }

    fn retract(&mut self, rows: &Rows<'_>) -> Result<()> {
        let columns: Vec<usize> = (0..rows.arguments.len()).collect();
        rows.for_each_null(&columns, |group| self.counts[group] -= 1);
        Ok(())
    }
}
