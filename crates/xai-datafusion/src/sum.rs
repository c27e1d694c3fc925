//! Exact sums and means of numbers, and counts of `NULL`s in any columns.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, AsArray, BooleanArray, Float64Array, StructArray, UInt64Array,
};
use datafusion::arrow::datatypes::{DataType, Field, Fields, Float64Type};
use datafusion::common::Result;
use serde::{Deserialize, Serialize};
use xai_core::describe::Parameters;
use xai_core::statistics::mean_interval;
use xai_core::sum::Moments;
use xai_core::{Error, Interval};

use crate::aggregate::{
    Definition, FlatMetric, FlatStates, Mean, MeanMetric, MeanStates, Metric, Rows, StoredStates,
    bytes_state, counts_state, mean_state,
};
use crate::function::{Argument, Call, Kind, failed};
use crate::input;

/// Parameters of the confidence interval.
#[derive(Debug, Clone, Parameters)]
struct Coverage {
    /// Nominal coverage of the interval.
    #[param(above = 0, below = 1)]
    level: f64,
}

impl Default for Coverage {
    fn default() -> Self {
        Self { level: 0.95 }
    }
}

pub(crate) const EXACT_AVG: Definition = Definition {
    name: "exact_avg",
    description: "The mean of a column, the sum rounded once, with an interval that covers it: a struct of mean, std (ddof 1), low, high, n, n_null and small_sample. Values that are \
                  all 0 or 1 have Wilson's interval, others in [0, 1] one on the logit scale, all others Student's t, \
                  which covers less often than it says where they are 20 or fewer and skewed: small_sample is true of those. The rows must be independent. Infinities and NaN are an error.",
    example: "SELECT explainer, exact_avg(score)['mean'] FROM scores GROUP BY explainer",
    arguments: &[
        Argument::new("value", Kind::Number),
        Argument::parameter::<Coverage>("level"),
    ],
    result: || DataType::Struct(fields()),
    state: bytes_state,
    groups: |call: &Call| {
        let Coverage { level } = call.set(Coverage::default())?;
        let function = call.function;
        Ok(Box::new(StoredStates::new(AvgMetric { function, level })))
    },
};

fn fields() -> Fields {
    let number = |name| Field::new(name, DataType::Float64, true);
    let count = |name| Field::new(name, DataType::UInt64, false);
    let fields = ["mean", "std", "low", "high"].map(number);
    let few = Field::new("small_sample", DataType::Boolean, false);
    let counts = ["n", "n_null"].map(count);
    fields.into_iter().chain(counts).chain([few]).collect()
}

#[derive(Clone)]
struct AvgMetric {
    function: &'static str,
    level: f64,
}

#[derive(Default, Serialize, Deserialize)]
struct AvgState {
    moments: Moments,
    n_null: u64,
}

impl Metric for AvgMetric {
    type State = AvgState;

    fn empty(&self) -> AvgState {
        AvgState::default()
    }

    fn update(&mut self, states: &mut [AvgState], rows: &Rows<'_>) -> Result<()> {
        let values = rows.arguments[0].as_primitive::<Float64Type>().values();
        let mut is_finite = true;
        let counted = rows.counted(&[0]);
        rows.for_each(counted.as_ref(), |row, group| {
            is_finite &= values[row].is_finite();
            states[group].moments.add(values[row]);
        });
        if !is_finite {
            let error = Error::non_finite(input::VALUES, &[]);
            return Err(failed(self.function, error));
        }
        rows.for_each_null(&[0], |group| states[group].n_null += 1);
        Ok(())
    }

    fn merge(&self, state: &mut AvgState, other: AvgState) -> Result<()> {
        state.moments.merge(&other.moments);
        state.n_null += other.n_null;
        Ok(())
    }

    fn values(&self, states: &[AvgState]) -> Result<ArrayRef> {
        let interval = |state: &AvgState| mean_interval(&state.moments, self.level);
        let intervals: Vec<Option<Interval>> = states
            .iter()
            .map(interval)
            .collect::<xai_core::Result<_>>()
            .map_err(|error| failed(self.function, error))?;
        let of_moments = |value: fn(&Moments) -> Option<f64>| -> ArrayRef {
            let values = states.iter().map(|state| value(&state.moments));
            Arc::new(values.collect::<Float64Array>())
        };
        let end = |end: fn(&Interval) -> f64| -> ArrayRef {
            let ends = intervals.iter().map(|interval| interval.as_ref().map(end));
            Arc::new(ends.collect::<Float64Array>())
        };
        let count = |count: fn(&AvgState) -> u64| -> ArrayRef {
            Arc::new(UInt64Array::from_iter_values(states.iter().map(count)))
        };
        let few = intervals.iter().map(|interval| {
            let is_few = interval.as_ref().is_some_and(Interval::is_small_sample);
            Some(is_few)
        });
        let columns = vec![
            of_moments(Moments::mean),
            of_moments(Moments::std),
            end(|interval| interval.low),
            end(|interval| interval.high),
            count(|state| state.moments.count()),
            count(|state| state.n_null),
            Arc::new(BooleanArray::from_iter(few)),
        ];
        Ok(Arc::new(StructArray::try_new(fields(), columns, None)?))
    }

    fn allocated(&self, _state: &AvgState) -> usize {
        0
    }
}

pub(crate) const EXACT_SUM: Definition = Definition {
    name: "exact_sum",
    description: "The sum of a column, rounded once: the same bits for any order of the rows and any partitions. \
                  Infinities and NaN follow IEEE arithmetic; NULL without rows.",
    example: "SELECT exact_sum(score) FROM scores",
    arguments: &[Argument::new("value", Kind::Number)],
    result: || DataType::Float64,
    state: mean_state,
    groups: |call: &Call| Ok(Box::new(MeanStates::new(call.function, Sum))),
};

#[derive(Clone)]
struct Sum;

impl MeanMetric for Sum {
    fn each(&mut self, rows: &Rows<'_>, mut add: impl FnMut(usize, f64)) -> Result<()> {
        let values = rows.arguments[0].as_primitive::<Float64Type>().values();
        let counted = rows.counted(&[0]);
        rows.for_each(counted.as_ref(), |row, group| add(group, values[row]));
        Ok(())
    }

    fn value(&self, mean: &Mean) -> Option<f64> {
        (mean.count > 0).then(|| mean.sum.value())
    }

    fn can_retract(&self) -> bool {
        true
    }
}

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
    groups: |_: &Call| Ok(Box::new(FlatStates::new(Nulls))),
};

#[derive(Clone)]
struct Nulls;

impl FlatMetric<1> for Nulls {
    fn each(&mut self, rows: &Rows<'_>, mut add: impl FnMut(usize, [u64; 1])) -> Result<()> {
        let columns: Vec<usize> = (0..rows.arguments.len()).collect();
        rows.for_each_null(&columns, |group| add(group, [1]));
        Ok(())
    }

    fn values(&self, counts: &[[u64; 1]]) -> ArrayRef {
        let counts = counts.iter().map(|&[n_null]| n_null);
        Arc::new(UInt64Array::from_iter_values(counts))
    }
}
