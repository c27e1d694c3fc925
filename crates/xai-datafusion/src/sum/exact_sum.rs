//! The exact sum.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array};
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::common::{Result, exec_err};

use crate::aggregate::{CompactMeans, Definition, Groups, Rows, mean_state};
use crate::function::{Argument, Call, Kind};

pub(crate) const EXACT_SUM: Definition = Definition {
    name: "exact_sum",
    description: "The sum of a column, rounded once: the same bits for any order of the rows and any partitions. \
                  Infinities and NaN follow IEEE arithmetic; NULL without rows.",
    example: "SELECT exact_sum(score) FROM scores",
    arguments: &[Argument::new("value", Kind::Number)],
    result: || DataType::Float64,
    state: mean_state,
    groups: |call: &Call| Ok(Box::new(SumGroups::new(call.function))),
};

struct SumGroups {
    function: &'static str,
    means: CompactMeans,
}

impl SumGroups {
    fn new(function: &'static str) -> Self {
        let means = CompactMeans::default();
        Self { function, means }
    }
}

impl Groups for SumGroups {
    fn update(&mut self, rows: &Rows<'_>) -> Result<()> {
        let values = rows.arguments[0].as_primitive::<Float64Type>().values();
        let counted = rows.counted(&[0]);
        match counted {
            None => self.means.add_all(rows.groups, values),
            Some(counted) => rows.for_each(Some(&counted), |row, group| {
                self.means.add(group, values[row])
            }),
        }
        self.means.count_allocated(values.len());
        Ok(())
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.means.merge(states, groups)
    }

    fn grow(&mut self, n_groups: usize) {
        self.means.grow(n_groups);
    }

    fn n_groups(&self) -> usize {
        self.means.n_groups()
    }

    fn evaluate(&mut self, n: usize) -> Result<ArrayRef> {
        let means = self.means.first(n).iter();
        let sums = means.map(|mean| (mean.count > 0).then(|| mean.sum.value()));
        Ok(Arc::new(sums.collect::<Float64Array>()))
    }

    fn state(&mut self, n: usize) -> Result<Vec<ArrayRef>> {
        self.means.state(n)
    }

    fn remove_first(&mut self, n: usize) {
        self.means.remove_first(n);
    }

    fn size(&self) -> usize {
        self.means.size()
    }

    fn fresh(&self) -> Box<dyn Groups> {
        Box::new(Self::new(self.function))
    }

    fn can_retract(&self) -> bool {
        true
    }

    fn retract(&mut self, rows: &Rows<'_>) -> Result<()> {
        let values = rows.arguments[0].as_primitive::<Float64Type>().values();
        let counted = rows.counted(&[0]);
        let mut is_finite = true;
        rows.for_each(counted.as_ref(), |row, group| {
            is_finite &= values[row].is_finite();
            self.means.take(group, values[row]);
        });
        match is_finite {
            true => Ok(()),
            false => exec_err!(
                "{}: a frame that moves on cannot leave an infinity or NaN behind; filter them out",
                self.function
            ),
        }
    }
}
